/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * executed_shares.h - the executed instructions of functions in each process of a job: who has
 * executed more, not who was slower.
 */
#ifndef REPORT_RANKS_EXECUTED_SHARES_H
#define REPORT_RANKS_EXECUTED_SHARES_H

#include "file/data.h"
#include "shares.h"

struct executed_share;
struct executed_shares {
	const char *function; /* a glob; NULL: all */
	struct map keys, strings;
	struct executed_share *list; /* by number of the key */
	size_t size;
	struct merged_contributor **processes; /* that have counted */
	uint32_t n_processes;
	size_t n_without; /* processes that have not */
	double of_last;	  /* instructions of `function` in the process that was added last */
};

/* Adds a process. Returns NULL, or why it is left out. */
const char *executed_shares_add(struct executed_shares *shares, const struct data *data);
/* Those functions that are known in all processes; *n_unknown: how many are not. The list lives as
 * long as the shares, and is to be freed. */
struct shares executed_shares_complete(struct executed_shares *shares, size_t *n_unknown);
void executed_shares_release(struct executed_shares *shares);

#endif
