/* SPDX-License-Identifier: MIT */
/*
 * fold_sums.h - turns a thread's records into records whose time is the number of executed
 * instructions (cinstr/call_sums.h): from these the fold makes its second tree. For the runtime,
 * and for the command, which folds the buffers that a process left.
 */
#ifndef CINSTR_FOLD_SUMS_H
#define CINSTR_FOLD_SUMS_H

#include <stddef.h>

#include "cinstr/call_sums.h"

struct fold_sums {
	uint64_t last;	  /* executed at the last record; never 0 */
	uint64_t missing; /* records without a known number */
};

static inline uint64_t *fold_sum_of(const struct cinstr_record *r)
{
	return (uint64_t *)((char *)r + CINSTR_CALL_SUMS_AT);
}

/* Converts n records, which begin with START, to at most twice as many. Returns their number. */
size_t fold_sums_records(struct fold_sums *sums, struct cinstr_record *to, const struct cinstr_record *from,
			 size_t n);

#endif
