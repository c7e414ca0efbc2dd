/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * union_mixed.h - for the process that is being added: counted calls and estimates from samples
 * (union_mixed.c). A process whose calls were all timed has none.
 */
#ifndef REPORT_MERGE_UNION_MIXED_H
#define REPORT_MERGE_UNION_MIXED_H

#include "rows/profile.h"
#include "union.h"

struct counted_in {
	struct union_tree *u;
	const struct data *data;
	struct union_codes *codes;
	/* Its profile contains what is known of the process's calls; NULL: all are known. The
	 * values are not set. */
	struct addition addition;
	int has_more_calls; /* there may be more calls than events */
	uint32_t *owners;   /* nodes of the union, by the thread's pools */
};

/* Initialise u, data, codes, and addition's data and ns_per_tick. */
void counted_begin(struct counted_in *in);
void counted_end(struct counted_in *in);
/* counted_thread() starts the next thread; counted_owner() sets the union's node of each of its
 * nodes, before their values are added. */
void counted_thread(struct counted_in *in, struct data_thread *thread);
void counted_owner(struct counted_in *in, size_t i, uint32_t node);
/* Adds what is known of the cell's calls to the union's node `number`. node: of the thread, or
 * KNOWN_CALLS_FLAT. Returns the calls that are not counted elsewhere. */
uint64_t counted_calls(struct counted_in *in, const struct cinstr_cell *cell, size_t node, uint32_t number);
/* Adds the division of the cell's time by samples. all: its elapsed time with the overhead, in
 * units. */
void counted_divided(struct counted_in *in, const struct cinstr_cell *cell, uint32_t number,
		     wide (*units)(void *arg, uint64_t ticks), void *arg, wide all);
/* Adds the calls that only the thread's counters contain. */
void counted_contributor(struct counted_in *in, struct merged_contributor *c);

#endif
