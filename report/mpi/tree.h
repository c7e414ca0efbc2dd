/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree.h - joins the unions of all ranks of a job by a tree of messages. In step k each rank whose
 * number has bit k sends its union to the rank 2^k below, and is finished; after log2(number of
 * ranks) steps rank 0 has everything. A rank holds its union, and one more as a file in memory.
 */
#ifndef REPORT_MPI_TREE_H
#define REPORT_MPI_TREE_H

#include "merge/merging.h"

/* Statistics of this rank and those below it. */
struct tree_figures {
	uint64_t n_messages; /* number of unions sent */
	uint64_t bytes, most_bytes;
	uint32_t n_steps; /* of this rank */
};

/* To be called by all ranks with their shares; afterwards rank 0's `m` has everything. Fatal
 * problems are reported and end the job. */
struct tree_figures tree_collect(struct merging *m, uint32_t rank, uint32_t n);

#endif
