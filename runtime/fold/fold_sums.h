/* SPDX-License-Identifier: MIT */
/*
 * fold_sums.h - the records of a thread with what it had executed at each of them in the place of
 * time (cinstr/call_sums.h): of these the fold makes its second tree. For the runtime, and for the
 * command, which folds what a process left.
 */
#ifndef CINSTR_FOLD_SUMS_H
#define CINSTR_FOLD_SUMS_H

#include <stddef.h>

#include "cinstr/call_sums.h"

struct fold_sums {
	uint64_t last;	  /* at the record before; not 0 */
	uint64_t missing; /* records at which it was not known */
};

static inline uint64_t *fold_sum_of(const struct cinstr_record *r)
{
	return (uint64_t *)((char *)r + CINSTR_CALL_SUMS_AT);
}

/* Makes of n records, which begin with START, at most twice as many. Returns how many. */
size_t fold_sums_records(struct fold_sums *sums, struct cinstr_record *to, const struct cinstr_record *from,
			 size_t n);

#endif
