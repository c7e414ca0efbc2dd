/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree.h - what the ranks of a job have merged, brought together by a tree of messages. In step k
 * each rank whose number has bit k sends its union to the one 2^k below, and is done; after log2 of
 * their number rank 0 has all. A rank in the middle holds one union, and one more as a file in
 * memory.
 */
#ifndef REPORT_MPI_TREE_H
#define REPORT_MPI_TREE_H

#include "merge/merging.h"

/* What it took: of this rank and of those below it. */
struct tree_figures {
	uint64_t n_messages; /* unions */
	uint64_t bytes, most_bytes;
	uint32_t n_steps; /* of this rank */
};

/* All ranks call it, with their shares; afterwards rank 0's `m` has everything. Problems that end
 * it are told, and end the job. */
struct tree_figures tree_collect(struct merging *m, uint32_t rank, uint32_t n);

#endif
