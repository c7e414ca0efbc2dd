/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * histogram.h - shows how long the calls of a row took, from the cells that its percentiles come
 * from: a bar for each bin of durations in a table, or the bins as csv and json.
 */
#ifndef REPORT_OUTPUT_HISTOGRAM_H
#define REPORT_OUTPUT_HISTOGRAM_H

#include "output.h"

struct histogram_bin {
	long double from, to; /* ns */
	uint64_t calls;
	long double ns; /* total duration of these calls, approximate */
};

/*
 * Sets *bins to adjacent bins from the shortest call to the longest, and returns their number; 0:
 * no durations are known. The caller frees them. Bins are 1-2-5 of each decade, or about half as
 * wide if these would be few, but never finer than the data file's own cells (semantics R8). A call
 * counts at its cell's middle, as for percentiles.
 */
size_t histogram_bins(const struct row *row, struct histogram_bin **bins);

void histogram_table(struct items *items, const struct view *view);
void histogram_flat(struct items *items, const struct view *view);
void histogram_nested(struct items *items, const struct view *view);

#endif
