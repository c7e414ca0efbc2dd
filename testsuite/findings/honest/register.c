/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts records by two keys with the C library's qsort. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define RECORDS 400000

struct record {
	char name[12];
	unsigned year;
};

static int by_name(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int by_year(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return x->year != y->year ? (x->year < y->year ? -1 : 1) : by_name(a, b);
}

int main(void)
{
	struct record *list = calloc(RECORDS, sizeof(*list));
	unsigned seed = 9;

	for (unsigned i = 0; i < RECORDS; i++) {
		for (unsigned k = 0; k < 8; k++)
			list[i].name[k] = (char)('a' + ((seed = seed * 1664525u + 1013904223u) >> 24) % 26);
		list[i].year = 1900 + (seed >> 8) % 100;
	}
	for (int round = 0; round < 4; round++) {
		qsort(list, RECORDS, sizeof(*list), by_name);
		qsort(list, RECORDS, sizeof(*list), by_year);
	}
	printf("%s %u\n", list[RECORDS / 2].name, list[RECORDS / 2].year);
	free(list);
	return 0;
}
