/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * callgrind_sums.h - a tree of call paths as callgrind's files have it: functions, and calls
 * between them. Readers take for a function's inclusive cost what the calls of it have cost. So
 * that this counts nothing twice, a call of a function that is on the stack already costs nothing:
 * then they have the time in which it was on the stack (semantics R6).
 *
 * The first levels of a recursion are functions of their own (f, f'2, ...), as callgrind has them:
 * readers show less of functions that call one another in a circle.
 */
#ifndef REPORT_EXPORT_CALLGRIND_SUMS_H
#define REPORT_EXPORT_CALLGRIND_SUMS_H

#include "export_tree.h"

#define CALLGRIND_LEVELS_MAX 100

struct callgrind_function {
	uint32_t entity; /* TREE_NONE: what calls the threads, the first one */
	uint32_t level;	 /* of a recursion, from 1 */
};

/* What a function has itself at a place; place 0: where it is defined. */
struct callgrind_self {
	uint32_t function, place, values;
	uint8_t marks; /* of its paths */
};

struct callgrind_call {
	uint32_t caller, place, callee, values;
	uint64_t calls; /* 0: not known */
	uint8_t marks;	/* of its paths: TREE_CALLS_LEAST, ... */
};

struct callgrind_sums {
	unsigned n_values;		     /* as the tree's nodes have them */
	unsigned events[MEASURES], n_events; /* which of them are events: all but calls */
	struct callgrind_function *functions;
	size_t n_functions, size_functions;
	struct callgrind_self *selves; /* by function, place */
	size_t n_selves, size_selves;
	struct callgrind_call *calls; /* by caller, place, callee */
	size_t n_calls, size_calls;
	uint64_t n_uncounted; /* of the calls: their number is not known */
	uint64_t n_least;     /* ... it is at least what is known */
	uint64_t *values;     /* of selves and calls */
	size_t n, size;	      /* in values of one */
	uint64_t *inclusive;  /* of the tree's nodes; the first are everything */
};

void callgrind_sums_make(struct callgrind_sums *sums, const struct export_tree *tree, uint32_t levels);
void callgrind_sums_release(struct callgrind_sums *sums);

static inline const uint64_t *callgrind_values(const struct callgrind_sums *sums, uint32_t values)
{
	return sums->values + (size_t)values * sums->n_values;
}

#endif
