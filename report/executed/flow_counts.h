/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow_counts.h - finds how often each edge of a flow graph was passed, from the edges that were
 * counted: what flows into a node flows out of it. The only unknown edge at a node follows from the
 * others; then another one may follow. Takes the time and memory of sorting the edges. */
#ifndef REPORT_EXECUTED_FLOW_COUNTS_H
#define REPORT_EXECUTED_FLOW_COUNTS_H

#include <stddef.h>
#include <stdint.h>

struct flow_edge {
	uint32_t from, to; /* any numbers */
	int is_known;	   /* the count is known; flow_counts_solve() sets it */
	uint64_t count;
};

enum flow_verdict {
	FLOW_SOLVED,	 /* every edge is known, and each node has as much in as out */
	FLOW_UNBALANCED, /* every edge is known, but some node is not balanced */
	FLOW_UNSOLVED,	 /* some edges do not follow from the counted ones */
	FLOW_NEGATIVE,	 /* some edge would have a negative count */
};

/* Computes the unknown counts; after FLOW_UNSOLVED only those that follow. */
enum flow_verdict flow_counts_solve(struct flow_edge *edges, size_t n);

/* Whether no two edges share a node, so that no count follows from others. */
int flow_is_loose(const struct flow_edge *edges, size_t n);

#endif
