/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * call_graph.h - who calls whom, from where, how often and for how long: what findings on computing
 * ask of a profile BY_CALLERS with by_call_site, whose rows have not been selected
 * (rows/caller_rows.h).
 *
 * An edge is a row: the calls of one function by one instruction of another. A node is a function's
 * row as a root.
 */
#ifndef REPORT_FINDINGS_CALL_GRAPH_H
#define REPORT_FINDINGS_CALL_GRAPH_H

#include "rows/caller_rows.h"

struct call_graph {
	struct profile *profile;  /* names are kept in it, and symbols read */
	const struct row **nodes; /* by entity; NULL: none */
	size_t n_entities;
	/* edges by entity that is called, and by entity that calls: of entity e those from
	 * first_in[e] up to first_in[e + 1] */
	const struct row **in, **out;
	size_t *first_in, *first_out;
};

void call_graph_make(struct call_graph *graph, struct profile *profile);
void call_graph_release(struct call_graph *graph);

/* The function whose code has the call; NAMES_NONE: not known. */
uint32_t call_graph_caller(const struct row *edge);
/* Edges to and from a function. */
const struct row **call_graph_in(const struct call_graph *graph, uint32_t entity, size_t *n);
const struct row **call_graph_out(const struct call_graph *graph, uint32_t entity, size_t *n);
const struct entity *call_graph_entity(const struct call_graph *graph, uint32_t entity);
/* Calls of a function; 0: not known, or no function. */
uint64_t call_graph_calls(const struct call_graph *graph, uint32_t entity);
/* The one of its callers that calls it most, by time or, where that is told apart by calls, by
 * these: an edge; NULL: nobody is known. */
const struct row *call_graph_main_caller(const struct call_graph *graph, uint32_t entity);

#endif
