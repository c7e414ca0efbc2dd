/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0301|CF0305 load|main; processor
 * Reads the records of an archive, one after the other. Planted: before each the stream is set to
 * its position, which throws the buffer away. */
#include <stdio.h>
#include <stdlib.h>

#define RECORDS 200000
#define TURNS 20

struct record {
	unsigned number, length;
	char text[56];
};

static void write_archive(FILE *file)
{
	for (unsigned i = 0; i < RECORDS; i++) {
		struct record record = { .number = i, .length = i % 56 };

		for (unsigned k = 0; k < sizeof(record.text); k++)
			record.text[k] = (char)('a' + (i + k) % 26);
		fwrite(&record, sizeof(record), 1, file);
	}
	fflush(file);
}

static int load(FILE *file, unsigned number, struct record *record)
{
#ifdef REPAIRED
	if (number == 0)
		rewind(file);
#else
	if (fseek(file, (long)(number * sizeof(*record)), SEEK_SET))
		return 0;
#endif
	return fread(record, sizeof(*record), 1, file) == 1;
}

static unsigned long digest(const struct record *record)
{
	unsigned long sum = record->number;

	for (unsigned i = 0; i < record->length; i++)
		sum = sum * 31 + (unsigned char)record->text[i];
	return sum;
}

int main(void)
{
	FILE *file = tmpfile();
	unsigned long sum = 0;
	struct record record;

	if (!file)
		return 1;
	write_archive(file);
	for (unsigned i = 0; i < RECORDS * TURNS; i++) {
		if (!load(file, i % RECORDS, &record))
			return 1;
		sum += digest(&record);
	}
	fclose(file);
	printf("%lu\n", sum);
	return 0;
}
