/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trend.h - cinstr history trend: series as tables, csv, json. */
#ifndef REPORT_HISTORY_TREND_H
#define REPORT_HISTORY_TREND_H

#include "series.h"

struct trend_options {
	int format; /* enum output_format_number */
	struct series_choice choice;
	uint64_t limit;	      /* 0: all */
	uint64_t fail_within; /* runs; 0: never */
	size_t first;	      /* of the history's runs */
};

/* Prints them, an exit status. */
int trend_print(const struct history *history, struct series_set *set, const struct trend_options *options);
/* What is in the history, likewise. */
int trend_list(const struct history *history, int format, uint64_t limit);

#endif
