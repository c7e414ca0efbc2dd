/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * call_graph.h - callers and callees with places, numbers of calls and times, for findings on
 * computing. Made from a profile BY_CALLERS with by_call_site whose rows have not been selected
 * (rows/caller_rows.h).
 *
 * An edge is a row: the calls of one function by one instruction of another. A node is a function's
 * row as a root.
 */
#ifndef REPORT_FINDINGS_CALL_GRAPH_H
#define REPORT_FINDINGS_CALL_GRAPH_H

#include "rows/caller_rows.h"

struct call_graph {
	struct profile *profile;  /* keeps the names, and reads symbols */
	const struct row **nodes; /* by entity; NULL: none */
	size_t n_entities;
	/* by callee: the edge that has all calls of it, where samples found it below others, too;
	 * NULL: none */
	const struct row **only;
	/* edges by callee, and by caller: those of entity e are from first_in[e] up to first_in[e +
	 * 1], first_out likewise */
	const struct row **in, **out;
	size_t *first_in, *first_out;
};

void call_graph_make(struct call_graph *graph, struct profile *profile);
void call_graph_release(struct call_graph *graph);

/* Returns the function whose code has the call; NAMES_NONE: not known. */
uint32_t call_graph_caller(const struct row *edge);
/* Return the edges to, and from, a function; *n: their number. */
const struct row **call_graph_in(const struct call_graph *graph, uint32_t entity, size_t *n);
const struct row **call_graph_out(const struct call_graph *graph, uint32_t entity, size_t *n);
const struct entity *call_graph_entity(const struct call_graph *graph, uint32_t entity);
/* Returns the number of calls of a function; 0: not known, or no function. */
uint64_t call_graph_calls(const struct call_graph *graph, uint32_t entity);
/* Returns the edge from the caller, other than the function itself, that calls it most: by time or,
 * if times are equal, by calls. NULL: no caller is known. */
const struct row *call_graph_main_caller(const struct call_graph *graph, uint32_t entity);
/* Returns the call of the function that has waited longest, or NULL: it calls nothing. */
const struct row *call_graph_longest_wait(const struct call_graph *graph, uint32_t entity);

#endif
