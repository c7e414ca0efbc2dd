/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * merging.h - inputs of a merge, as users name them, into a union; the union into a file. What is
 * divided among several who merge is the same, put together, as if one had merged all.
 */
#ifndef REPORT_MERGE_MERGING_H
#define REPORT_MERGE_MERGING_H

#include "union.h"

struct merging {
	struct union_tree u;
	size_t n_files, n_skipped;
	int status; /* exit status: STATUS_DATA if anything was left out */
	/* of n_shares the one that is merged: each n-th input that is named */
	uint32_t share, n_shares;
	uint32_t n_seen;
};

void merging_init(struct merging *m, uint32_t share, uint32_t n_shares);
void merging_release(struct merging *m);
/* A session, a data file; -: one file through stdin; @LIST. What cannot be merged is named, and
 * left out. */
void merging_add(struct merging *m, const char *input);
/* A union that was written to a file in memory; empty: nothing. 0, or -1 after an error message. */
int merging_add_memory(struct merging *m, int fd);
/* The file gets its name when it is complete; -: stdout. An exit status. */
int merging_write(struct merging *m, const char *name);
/* How much was merged, on stderr. */
void merging_say(const struct merging *m, double seconds);

#endif
