/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * callgrind_sums.h - converts a tree of call paths to callgrind's model: functions, and calls
 * between them. Readers of these files take the cost of its calls as a function's inclusive cost.
 * So that nothing counts twice, a call of a function that is already on the stack costs nothing:
 * inclusive time is then the time when the function was on the stack (semantics R6).
 *
 * As in callgrind, the first levels of a recursion are functions of their own (f, f'2, ...):
 * readers show less of functions in call cycles.
 */
#ifndef REPORT_EXPORT_CALLGRIND_SUMS_H
#define REPORT_EXPORT_CALLGRIND_SUMS_H

#include "export_tree.h"

#define CALLGRIND_LEVELS_MAX 100

struct callgrind_function {
	uint32_t entity; /* TREE_NONE: the first function, which calls the threads */
	uint32_t level;	 /* level of recursion, from 1 */
};

/* Exclusive values of a function at a place; place 0: its definition. */
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
	unsigned n_values; /* as in the tree's nodes */
	/* indices of the values that are events: all but calls */
	unsigned events[MEASURES], n_events;
	struct callgrind_function *functions;
	size_t n_functions, size_functions;
	struct callgrind_self *selves; /* sorted by function, place */
	size_t n_selves, size_selves;
	struct callgrind_call *calls; /* sorted by caller, place, callee */
	size_t n_calls, size_calls;
	uint64_t n_uncounted; /* calls whose number is not known */
	uint64_t n_least;     /* calls of which only a least number is known */
	uint64_t *values;     /* of selves and calls; index: `values` in these */
	size_t n, size;	      /* in units of n_values */
	uint64_t *inclusive;  /* of the tree's nodes; the first is everything */
};

void callgrind_sums_make(struct callgrind_sums *sums, const struct export_tree *tree, uint32_t levels);
void callgrind_sums_release(struct callgrind_sums *sums);

static inline const uint64_t *callgrind_values(const struct callgrind_sums *sums, uint32_t values)
{
	return sums->values + (size_t)values * sums->n_values;
}

#endif
