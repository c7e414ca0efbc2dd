/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeks to each record that it reads, though they follow one another; with "fine" it only reads. */
#include <stdio.h>
#include <string.h>

#define RECORD 64
#define RECORDS 60000

static char file[RECORD * RECORDS];

__attribute__((noinline)) static unsigned get_record(FILE *in, int i, int is_fine)
{
	char record[RECORD];

	if (!is_fine && fseek(in, (long)i * RECORD, SEEK_SET))
		return 0;
	return fread(record, 1, RECORD, in) == RECORD ? (unsigned char)record[7] : 0;
}

int main(int argc, char **argv)
{
	int is_fine = argc > 1 && !strcmp(argv[1], "fine");
	FILE *in = tmpfile();
	unsigned sum = 0;

	fwrite(file, 1, sizeof(file), in);
	rewind(in);
	for (int i = 0; i < RECORDS; i++)
		sum += get_record(in, i, is_fine);
	printf("%u\n", sum);
	return 0;
}
