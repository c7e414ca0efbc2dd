/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trend.h - cinstr history trend: writes series as tables, csv, json. */
#ifndef REPORT_HISTORY_TREND_H
#define REPORT_HISTORY_TREND_H

#include "series.h"

struct trend_options {
	int format; /* enum output_format_number */
	struct series_choice choice;
	uint64_t limit;	      /* 0: unlimited */
	uint64_t fail_within; /* number of runs; 0: never */
	size_t first;	      /* index of the first run */
};

/* Prints the series. Returns an exit status. */
int trend_print(const struct history *history, struct series_set *set, const struct trend_options *options);
/* Prints the runs of the history. Returns an exit status. */
int trend_list(const struct history *history, int format, uint64_t limit);

#endif
