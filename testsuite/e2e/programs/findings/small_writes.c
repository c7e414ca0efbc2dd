/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a file a line at a time, each flushed; with "fine" the stream writes when it is full. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES 40000

__attribute__((noinline)) static void log_line(FILE *out, int i, int is_fine)
{
	fprintf(out, "line %d of the log\n", i);
	if (!is_fine)
		fflush(out);
}

int main(int argc, char **argv)
{
	int is_fine = argc > 1 && !strcmp(argv[1], "fine");
	FILE *out = tmpfile();

	for (int i = 0; i < LINES; i++)
		log_line(out, i, is_fine);
	fflush(out);
	return 0;
}
