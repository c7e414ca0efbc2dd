/* SPDX-License-Identifier: GPL-3.0-or-later */
/* critical_groups.h - the rows of a critical path, grouped by function (a library's also by caller)
 * and thread name. */
#ifndef REPORT_ROWS_CRITICAL_GROUPS_H
#define REPORT_ROWS_CRITICAL_GROUPS_H

#include "critical_path.h"

struct critical_group {
	struct critical_row sums; /* tid: of one of the threads; path: the one with most time */
	size_t n_threads;
	long double most;
};

struct critical_groups {
	struct critical_group *list; /* most time first */
	size_t n;
};

void critical_groups_make(struct critical_groups *groups, const struct critical_path *path);
void critical_groups_release(struct critical_groups *groups);

/* Returns a short text for a use of time: "computing", "I/O, sleep". */
const char *critical_part_word(enum critical_part part);

#endif
