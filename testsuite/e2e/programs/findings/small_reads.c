/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a file in pieces of 16 bytes; with "fine" in pieces of 64 KiB. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORD 16
#define RECORDS 60000

static char file[RECORD * RECORDS];

__attribute__((noinline)) static unsigned use(const char *data, long size)
{
	unsigned sum = 0;

	for (long i = 0; i < size; i++)
		sum = sum * 31 + (unsigned char)data[i];
	return sum;
}

__attribute__((noinline)) static unsigned load(int fd, long piece)
{
	static char buffer[65536];
	unsigned sum = 0;
	long got;

	while ((got = read(fd, buffer, piece)) > 0)
		sum += use(buffer, got);
	return sum;
}

int main(int argc, char **argv)
{
	int is_fine = argc > 1 && !strcmp(argv[1], "fine");
	FILE *scratch = tmpfile();

	fwrite(file, 1, sizeof(file), scratch);
	fflush(scratch);
	rewind(scratch);
	printf("%u\n", load(fileno(scratch), is_fine ? 65536 : RECORD));
	return 0;
}
