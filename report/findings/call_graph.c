/* SPDX-License-Identifier: GPL-3.0-or-later */
/* call_graph.c - see call_graph.h. */
#include "call_graph.h"

#include <stdlib.h>

static int is_edge(const struct row *row)
{
	return row->name && row->caller != EDGE_NO_CALLER && (row->calls || row->sums.elapsed_inclusive > 0);
}

uint32_t call_graph_caller(const struct row *edge)
{
	return edge->place != NAMES_NONE ? edge->place : edge->caller;
}

static uint32_t callee(const struct row *edge)
{
	return edge->entity;
}

/* Counting sort of the edges by one of their ends. Those whose end is not known are left out. */
static const struct row **sorted(const struct call_graph *graph, uint32_t (*end)(const struct row *edge),
				 size_t **first)
{
	const struct profile *p = graph->profile;
	const struct row **edges = xcalloc(p->n_rows + 1, sizeof(*edges));
	size_t *at = xcalloc(graph->n_entities + 2, sizeof(*at));

	for (size_t i = 0; i < p->n_rows; i++)
		if (is_edge(&p->rows[i]) && end(&p->rows[i]) < graph->n_entities)
			at[end(&p->rows[i]) + 2]++;
	for (size_t e = 2; e < graph->n_entities + 2; e++)
		at[e] += at[e - 1];
	for (size_t i = 0; i < p->n_rows; i++)
		if (is_edge(&p->rows[i]) && end(&p->rows[i]) < graph->n_entities)
			edges[at[end(&p->rows[i]) + 1]++] = &p->rows[i];
	*first = at;
	return edges;
}

/* Returns the place that has made all calls of the function, if samples found it below others, too,
 * since what calls it was only counted and so is not on the stack. NULL: there is none. */
static const struct row *only_place(const struct call_graph *graph, uint32_t entity)
{
	const struct row *node = graph->nodes[entity], *only = NULL;
	size_t n, n_sampled = 0;
	const struct row **in = call_graph_in(graph, entity, &n);

	for (size_t i = 0; i < n; i++) {
		if (in[i]->calls && only)
			return NULL;
		only = in[i]->calls ? in[i] : only;
		n_sampled += !in[i]->calls;
	}
	return only && n_sampled && node && !node->are_calls_least && !only->are_calls_least &&
			       only->calls == node->calls
		       ? only
		       : NULL;
}

void call_graph_make(struct call_graph *graph, struct profile *profile)
{
	*graph = (struct call_graph){ .profile = profile, .n_entities = profile->names->keys.n };
	graph->nodes = xcalloc(graph->n_entities + 1, sizeof(*graph->nodes));
	for (size_t i = 0; i < profile->n_rows; i++)
		if (profile->rows[i].name && profile->rows[i].caller == EDGE_NO_CALLER)
			graph->nodes[profile->rows[i].entity] = &profile->rows[i];
	graph->in = sorted(graph, callee, &graph->first_in);
	graph->out = sorted(graph, call_graph_caller, &graph->first_out);
	graph->only = xcalloc(graph->n_entities + 1, sizeof(*graph->only));
	for (uint32_t e = 0; e < graph->n_entities; e++)
		graph->only[e] = only_place(graph, e);
}

void call_graph_release(struct call_graph *graph)
{
	free(graph->nodes);
	free(graph->only);
	free(graph->in);
	free(graph->out);
	free(graph->first_in);
	free(graph->first_out);
	*graph = (struct call_graph){ 0 };
}

static const struct row **slice(const struct row **edges, const struct call_graph *graph, const size_t *first,
				uint32_t entity, size_t *n)
{
	*n = entity < graph->n_entities ? first[entity + 1] - first[entity] : 0;
	return *n ? edges + first[entity] : NULL;
}

const struct row **call_graph_in(const struct call_graph *graph, uint32_t entity, size_t *n)
{
	return slice(graph->in, graph, graph->first_in, entity, n);
}

const struct row **call_graph_out(const struct call_graph *graph, uint32_t entity, size_t *n)
{
	return slice(graph->out, graph, graph->first_out, entity, n);
}

const struct entity *call_graph_entity(const struct call_graph *graph, uint32_t entity)
{
	return entity < graph->n_entities ? &graph->profile->names->list[entity] : NULL;
}

uint64_t call_graph_calls(const struct call_graph *graph, uint32_t entity)
{
	return entity < graph->n_entities && graph->nodes[entity] ? graph->nodes[entity]->calls : 0;
}

static int is_more(const struct row *a, const struct row *b)
{
	if (a->sums.elapsed_inclusive != b->sums.elapsed_inclusive)
		return a->sums.elapsed_inclusive > b->sums.elapsed_inclusive;
	return a->calls > b->calls;
}

const struct row *call_graph_main_caller(const struct call_graph *graph, uint32_t entity)
{
	const struct row *most = NULL, **edges;
	size_t n;

	if (entity < graph->n_entities && graph->only[entity])
		return graph->only[entity];
	edges = call_graph_in(graph, entity, &n);
	for (size_t i = 0; i < n; i++)
		if (call_graph_caller(edges[i]) != entity && (!most || is_more(edges[i], most)))
			most = edges[i];
	return most;
}

const struct row *call_graph_longest_wait(const struct call_graph *graph, uint32_t entity)
{
	const struct row *most = NULL;
	size_t n;
	const struct row **out = call_graph_out(graph, entity, &n);

	for (size_t i = 0; i < n; i++)
		if (!most || out[i]->sums.off_cpu_inclusive > most->sums.off_cpu_inclusive)
			most = out[i];
	return most;
}
