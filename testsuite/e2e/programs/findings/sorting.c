/* Formats lines and sorts them in a few long calls, in which other programs take the processor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES 200000

static char lines[LINES][16];

static int by_text(const void *a, const void *b)
{
	return memcmp(a, b, 16);
}

int main(void)
{
	unsigned x = 1;

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < LINES; i++) {
			x = x * 1664525u + 1013904223u;
			snprintf(lines[i], sizeof(lines[i]), "%u", x);
		}
		qsort(lines, LINES, sizeof(lines[0]), by_text);
	}
	return lines[0][0] == lines[1][0] ? 0 : 1;
}
