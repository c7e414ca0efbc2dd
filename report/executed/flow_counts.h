/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * flow_counts.h - how often each edge of a flow graph was passed, from those edges that were
 * counted: what flows into a node flows out of it. An edge that is the only one at a node that is
 * not known follows from the node's others; then there may be another one. Time and memory are
 * those of sorting the edges.
 */
#ifndef REPORT_EXECUTED_FLOW_COUNTS_H
#define REPORT_EXECUTED_FLOW_COUNTS_H

#include <stddef.h>
#include <stdint.h>

struct flow_edge {
	uint32_t from, to; /* any numbers */
	int is_known;	   /* its count is; flow_counts_solve() sets it */
	uint64_t count;
};

enum flow_verdict {
	FLOW_SOLVED,	 /* every edge is known, and each node has as much in as out */
	FLOW_UNBALANCED, /* every edge is known, but some node has not */
	FLOW_UNSOLVED,	 /* some edges do not follow from those that were counted */
	FLOW_NEGATIVE,	 /* some edge would have been passed fewer than 0 times */
};

/* Fills in the counts that are not known; after FLOW_UNSOLVED those that follow. */
enum flow_verdict flow_counts_solve(struct flow_edge *edges, size_t n);

/* Whether no two edges share a node: then nothing follows from anything. */
int flow_is_loose(const struct flow_edge *edges, size_t n);

#endif
