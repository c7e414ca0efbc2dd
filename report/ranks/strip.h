/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * strip.h - the values of one function in each process of a job, as bars in order of ranks. Merged
 * sessions only have the extremes, so there is no strip.
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

/* Adds a bar for the process of a data file. */
void strip_add(struct strip *strip, const struct data *data, double value);
/* Prints the bars in at most `width` columns, if there are several processes. `what`: kind of time;
 * is_number: the values are numbers. */
void strip_print(struct strip *strip, const char *function, const char *what, int is_number, unsigned width);
void strip_release(struct strip *strip);

#endif
