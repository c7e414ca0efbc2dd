/* SPDX-License-Identifier: GPL-3.0-or-later */
/* critical_groups.h - a critical path as people look at it: by function, and by what the threads
 * are called. */
#ifndef REPORT_ROWS_CRITICAL_GROUPS_H
#define REPORT_ROWS_CRITICAL_GROUPS_H

#include "critical_path.h"

struct critical_group {
	struct critical_row sums; /* tid: of one thread; path: where it has most time */
	size_t n_threads;
	uint32_t caller; /* the function above it there; NAMES_NONE */
	long double most;
};

struct critical_groups {
	struct critical_group *list; /* most time first */
	size_t n;
};

void critical_groups_make(struct critical_groups *groups, const struct critical_path *path);
void critical_groups_release(struct critical_groups *groups);

/* Returns what the time was mostly spent on, in a word or two. */
const char *critical_part_word(enum critical_part part);

#endif
