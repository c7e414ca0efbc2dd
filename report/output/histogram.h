/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * histogram.h - how long the calls of a row took, from the cells that its percentiles are of: a
 * bar for each bin of durations, in a table; or the bins, as csv and json.
 */
#ifndef REPORT_OUTPUT_HISTOGRAM_H
#define REPORT_OUTPUT_HISTOGRAM_H

#include "output.h"

struct histogram_bin {
	long double from, to; /* ns */
	uint64_t calls;
	long double ns; /* that they took, about */
};

/*
 * Bins side by side, from the shortest call to the longest; 0: there are none. They are 1-2-5 of
 * each decade, or finer where these would be few: not finer than the data file's own cells, of half
 * the width (semantics R8). Of a call its cell's middle counts, as for percentiles.
 */
size_t histogram_bins(const struct row *row, struct histogram_bin **bins);

void histogram_table(struct sheet *sheet, const struct view *view);
void histogram_flat(struct sheet *sheet, const struct view *view);
void histogram_nested(struct sheet *sheet, const struct view *view);

#endif
