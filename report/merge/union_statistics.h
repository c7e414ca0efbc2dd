/* SPDX-License-Identifier: GPL-3.0-or-later */
/* union_statistics.h - joins of statistics over contributors, for union_now.c and
 * union_functions.c. */
#ifndef REPORT_MERGE_UNION_STATISTICS_H
#define REPORT_MERGE_UNION_STATISTICS_H

#include "union.h"

/* Returns 1 if contributor a comes before b. Keeps the last answer: the same two are compared for
 * many nodes in turn. */
static inline int statistic_is_first(struct union_tree *u, uint32_t a, uint32_t b)
{
	if (a != u->compared[0] || b != u->compared[1] || a == b) {
		u->compared[0] = a;
		u->compared[1] = b;
		u->is_first = union_contributor_compare(&u->contributors[a], &u->contributors[b]) < 0;
	}
	return u->is_first;
}

/* Adds a statistic to another. Where several contributors have the least or the most, the first of
 * them in the order of contributors is kept. */
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

/* Adds the value of one contributor. */
static inline void statistic_value_join(struct union_tree *u, struct merged_statistic *to, int is_new,
					uint64_t n, uint32_t contributor)
{
	const struct merged_statistic one = { .least = n,
					      .most = n,
					      .who_least = contributor,
					      .who_most = contributor,
					      .squares = (wide)n * n };

	statistic_join(u, to, is_new, &one);
}

#endif
