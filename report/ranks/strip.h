/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * strip.h - what each process of a job has of one function, side by side: a bar for each, in the
 * order of ranks. Of sessions that were merged only the extremes are known: they have none.
 */
#ifndef REPORT_STRIP_H
#define REPORT_STRIP_H

#include "file/data.h"

struct strip_bar {
	uint32_t rank_after; /* rank + 1; 0: none */
	uint32_t pid;
	double value; /* ns, or instructions */
};

struct strip {
	struct strip_bar *bars;
	size_t n, size;
};

void strip_add(struct strip *strip, const struct data *data, double value);
/* Prints it in at most `width` columns, if there are several processes. `what`: of which time, or
 * that it is a number. */
void strip_print(struct strip *strip, const char *function, const char *what, int is_number, unsigned width);
void strip_release(struct strip *strip);

#endif
