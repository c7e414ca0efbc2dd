/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * executed_shares.h - executed instructions of functions in each process of a job: shows which
 * executed more, not which were slower.
 */
#ifndef REPORT_RANKS_EXECUTED_SHARES_H
#define REPORT_RANKS_EXECUTED_SHARES_H

#include "file/data.h"
#include "shares.h"

struct executed_share;
struct executed_shares {
	const char *function; /* glob; NULL: all functions */
	struct map keys, strings;
	struct executed_share *list; /* by number of the key */
	size_t size;
	struct merged_contributor **processes; /* processes whose instructions were counted */
	uint32_t n_processes;
	size_t n_without; /* number of other processes */
	double of_last;	  /* instructions of `function` in the process that was added last */
};

/* Adds a process. Returns NULL, or the reason why it is left out. */
const char *executed_shares_add(struct executed_shares *shares, const struct data *data);
/* Returns the functions known in all processes, in a list to be freed before the shares;
 * *n_unknown: number of other functions. */
struct shares executed_shares_complete(struct executed_shares *shares, size_t *n_unknown);
void executed_shares_release(struct executed_shares *shares);

#endif
