/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * union_mixed.h - of the process that is being added: calls that were counted, estimates by samples
 * (union_mixed.c). A process all of whose calls were timed has nothing of these.
 */
#ifndef REPORT_MERGE_UNION_MIXED_H
#define REPORT_MERGE_UNION_MIXED_H

#include "rows/profile.h"
#include "union.h"

struct counted_in {
	struct union_tree *u;
	const struct data *data;
	struct union_codes *codes;
	/* profile: of what is known of its calls; NULL: all are. The values are not set. */
	struct addition addition;
	int has_more_calls; /* there may be more than events tell of */
	uint32_t *owners;   /* nodes of the union, by the thread's pools */
};

/* Begins with u, data, codes and addition's data and ns_per_tick. */
void counted_begin(struct counted_in *in);
void counted_end(struct counted_in *in);
/* The thread that is next; the union's node of each of its nodes, before anything of them is
 * added. */
void counted_thread(struct counted_in *in, struct data_thread *thread);
void counted_owner(struct counted_in *in, size_t i, uint32_t node);
/* Adds what is known of the cell's calls to the union's node. node: the thread's, or
 * KNOWN_CALLS_FLAT. Returns the calls that no counter has. */
uint64_t counted_calls(struct counted_in *in, const struct cinstr_cell *cell, size_t node, uint32_t number);
/* Adds what samples have made of the cell; all: its elapsed time with the overhead, in units. */
void counted_divided(struct counted_in *in, const struct cinstr_cell *cell, uint32_t number,
		     wide (*units)(void *arg, uint64_t ticks), void *arg, wide all);
/* Adds the calls that the thread's counters alone have. */
void counted_contributor(struct counted_in *in, struct merged_contributor *c);

#endif
