/* SPDX-License-Identifier: GPL-3.0-or-later */
/* union_statistics.h - joins of statistics over contributors, for union_now.c and
 * union_functions.c. */
#ifndef REPORT_MERGE_UNION_STATISTICS_H
#define REPORT_MERGE_UNION_STATISTICS_H

#include "union.h"

/* The same two are compared for one node after the other. */
static inline int statistic_is_first(struct union_tree *u, uint32_t a, uint32_t b)
{
	if (a != u->compared[0] || b != u->compared[1] || a == b) {
		u->compared[0] = a;
		u->compared[1] = b;
		u->is_first = union_contributor_compare(&u->contributors[a], &u->contributors[b]) < 0;
	}
	return u->is_first;
}

/* Of several that have the same value the first in the order of contributors. */
static inline void statistic_join(struct union_tree *u, struct merged_statistic *to, int is_new,
				  const struct merged_statistic *from)
{
	to->squares += from->squares;
	if (is_new || from->least < to->least ||
	    (from->least == to->least && statistic_is_first(u, from->who_least, to->who_least))) {
		to->least = from->least;
		to->who_least = from->who_least;
	}
	if (is_new || from->most > to->most ||
	    (from->most == to->most && statistic_is_first(u, from->who_most, to->who_most))) {
		to->most = from->most;
		to->who_most = from->who_most;
	}
}

/* The same as statistic_join() of one value. */
static inline void statistic_value_join(struct union_tree *u, struct merged_statistic *to, int is_new,
					uint64_t n, uint32_t contributor)
{
	to->squares += (wide)n * n;
	if (is_new || n < to->least ||
	    (n == to->least && statistic_is_first(u, contributor, to->who_least))) {
		to->least = n;
		to->who_least = contributor;
	}
	if (is_new || n > to->most || (n == to->most && statistic_is_first(u, contributor, to->who_most))) {
		to->most = n;
		to->who_most = contributor;
	}
}

#endif
