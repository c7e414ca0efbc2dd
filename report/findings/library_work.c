/* SPDX-License-Identifier: GPL-3.0-or-later */
/* library_work.c - see library_work.h. */
#include "library_work.h"

#include <stdlib.h>
#include <string.h>

#include "findings_computing.h"
#include "lib/array.h"
#include "lib/order.h"

#define LEVELS 24	  /* of the library's functions that call one another */
#define LEAST_PART 0.005L /* of all computing: less is not passed on */
#define LEAST_CALL 0.001L /* of all computing: a call that is told of */
#define LEAST_OWN 0.05L	  /* of all computing: code with less of its own is not looked at */

struct maker {
	const struct computing *computing;
	struct library_work *work;
	long double *passed; /* by number of the row: what an edge from the program's code has */
};

/* Tells whether a function works for its callers: it is a library's, or copies an object. */
static int is_library(const struct computing *c, uint32_t entity)
{
	const char *assembler =
		entity < c->graph.n_entities ? call_graph_entity(&c->graph, entity)->assembler : NULL;

	return assembler && (computing_is_system(c, entity) || computing_is_copy_of_object(assembler));
}

/* Returns the calls of a function that are known to be made over edges with a place. */
static long double placed_calls(const struct row **in, size_t n, uint32_t entity)
{
	long double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += in[i]->address && call_graph_caller(in[i]) != entity ? (long double)in[i]->calls : 0;
	return sum;
}

/* Divides the time of a function among the edges to it. */
static void pass_on(struct maker *m, uint32_t entity, long double time, int level)
{
	const struct computing *c = m->computing;
	size_t n;
	const struct row **in = call_graph_in(&c->graph, entity, &n);
	long double calls = placed_calls(in, n, entity);

	if (level >= LEVELS || calls <= 0 || time < LEAST_PART * c->total)
		return;
	for (size_t i = 0; i < n; i++) {
		uint32_t caller = call_graph_caller(in[i]);
		long double part = time * (long double)in[i]->calls / calls;

		if (!in[i]->address || caller == entity)
			continue;
		if (is_library(c, caller))
			pass_on(m, caller, part, level + 1);
		else if (caller < c->graph.n_entities)
			m->passed[in[i] - c->graph.profile->rows] += part;
	}
}

/* ---- places ---------------------------------------------------------------------------------- */

static struct library_place *place_of(struct library_work *work, uint32_t caller, const char *own,
				      const char *operation)
{
	for (size_t i = 0; i < work->n; i++) {
		struct library_place *one = &work->list[i];

		if (one->caller == caller && !strcmp(one->operation, operation) &&
		    !strcmp(one->own ? one->own : "", own ? own : ""))
			return one;
	}
	ARRAY_ROOM(work->list, work->n, work->size, 16);
	work->list[work->n] = (struct library_place){ .caller = caller, .own = own, .operation = operation };
	return &work->list[work->n++];
}

struct code_place library_call_place(const struct computing *computing, const struct row *edge)
{
	struct code_place place = { 0 };

	if (edge->address && edge->place < computing->graph.n_entities)
		code_place_find(&place, computing, edge->place, strtoull(edge->address, NULL, 16));
	return place;
}

/* Adds the work of a call of the program's. */
static void add_call(struct maker *m, const struct row *edge, long double time)
{
	const struct computing *c = m->computing;
	const struct entity *callee = call_graph_entity(&c->graph, edge->entity);
	struct code_place at = library_call_place(c, edge);
	struct library_place *place;

	if (!callee->assembler)
		return;
	place = place_of(m->work, call_graph_caller(edge), at.own,
			 at.operation ? at.operation : callee->assembler);
	place->time += time;
	if (time <= place->edge_time)
		return;
	place->edge = edge;
	place->edge_time = time;
	place->place = at;
	place->shown = at.header ? at.header : callee->name;
}

/* Adds the samples of the program's function that are in code inlined from the library. */
static void add_inlined(struct maker *m, uint32_t entity)
{
	const struct computing *c = m->computing;
	struct hot_code_places places;

	if (hot_code_places(&places, c, entity))
		return;
	for (size_t i = 0; i < places.n; i++) {
		const struct code_place *at = &places.list[i].place;
		long double time = computing_exclusive(c, c->graph.nodes[entity]) *
				   (long double)places.list[i].ms / (long double)places.ms;
		struct library_place *place;

		if (!at->operation)
			continue;
		place = place_of(m->work, entity, at->own, at->operation);
		place->time += time;
		if (!place->shown) {
			place->place = *at;
			place->shown = at->header;
		}
	}
	hot_code_places_release(&places);
}

/* Holds the time of functions that the library calls only inside of others, `callers`, among whose
 * calls it is divided. */
struct pool {
	const char *const *inside, *const *callers;
	int is_uncounted; /* only if nobody is known to call it */
	long double time, calls;
};

static const char *const search_globs[] = { "__memchr_*", "memchr", NULL };
static const char *const find_globs[] = { "_ZNKSt7__cxx1112basic_string*4findE*",
					  "_ZNKSt7__cxx1112basic_string*5rfindE*", NULL };

static struct pool *pool_of(struct maker *m, const struct row *node, struct pool *pools, size_t n)
{
	const struct entity *entity = call_graph_entity(&m->computing->graph, node->entity);

	for (size_t i = 0; i < n; i++)
		if (computing_is_one_of(entity, pools[i].inside) && !(pools[i].is_uncounted && node->calls))
			return &pools[i];
	return NULL;
}

static void share_out(struct maker *m, const struct pool *pool)
{
	const struct call_graph *graph = &m->computing->graph;

	for (uint32_t e = 0; pool->calls > 0 && e < graph->n_entities; e++)
		if (graph->nodes[e] && computing_is_one_of(call_graph_entity(graph, e), pool->callers))
			pass_on(m, e, pool->time * (long double)graph->nodes[e]->calls / pool->calls, 0);
}

/* Divides the time of the library's functions among the program's calls. */
static void pass_all(struct maker *m)
{
	const struct group *allocation = computing_allocation_group();
	const struct computing *c = m->computing;
	struct pool pools[] = { { .inside = allocation->globs, .callers = allocation->counted },
				{ .inside = search_globs, .callers = find_globs, .is_uncounted = 1 } };

	for (uint32_t e = 0; e < c->graph.n_entities; e++) {
		const struct row *node = c->graph.nodes[e];
		struct pool *pool;

		if (!node || !is_library(c, e))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(pools); i++)
			pools[i].calls +=
				computing_is_one_of(call_graph_entity(&c->graph, e), pools[i].callers)
					? (long double)node->calls
					: 0;
		pool = pool_of(m, node, pools, ARRAY_SIZE(pools));
		if (pool)
			pool->time += computing_exclusive(c, node);
		else
			pass_on(m, e, computing_exclusive(c, node), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(pools); i++)
		share_out(m, &pools[i]);
}

ORDER_ITEMS(by_time, struct library_place, ORDER(y->time, x->time), strcmp(x->operation, y->operation),
	    ORDER(x->caller, y->caller))

void library_work_make(struct library_work *work, const struct computing *computing)
{
	const struct call_graph *graph = &computing->graph;
	struct maker m = { .computing = computing, .work = work };

	*work = (struct library_work){ 0 };
	if (computing->is_sampled || computing->total <= 0)
		return;
	m.passed = xcalloc(graph->profile->n_rows + 1, sizeof(*m.passed));
	pass_all(&m);
	for (size_t i = 0; i < graph->profile->n_rows; i++)
		if (m.passed[i] >= LEAST_CALL * computing->total)
			add_call(&m, &graph->profile->rows[i], m.passed[i]);
	for (uint32_t e = 0; e < graph->n_entities; e++)
		if (graph->nodes[e] && computing_is_own(computing, e) && !is_library(computing, e) &&
		    computing_exclusive(computing, graph->nodes[e]) >= LEAST_OWN * computing->total)
			add_inlined(&m, e);
	util_sort(work->list, work->n, sizeof(*work->list), by_time, NULL);
	free(m.passed);
}

/* Tells whether the call is one of this place. */
static int is_at(const struct library_place *place, const struct computing *c, const struct row *edge)
{
	struct code_place at = library_call_place(c, edge);
	const char *operation =
		at.operation ? at.operation : call_graph_entity(&c->graph, edge->entity)->assembler;

	return edge->address && operation && !strcmp(operation, place->operation) &&
	       !strcmp(at.own ? at.own : "", place->own ? place->own : "");
}

uint64_t library_place_calls(const struct library_place *place, const struct computing *computing)
{
	size_t n;
	const struct row **out = call_graph_out(&computing->graph, place->caller, &n);
	uint64_t calls = 0;

	for (size_t i = 0; i < n && place->edge; i++) {
		if (out[i]->entity != place->edge->entity || !is_at(place, computing, out[i]))
			continue;
		if (out[i]->are_calls_least)
			return 0;
		calls += out[i]->calls;
	}
	return calls;
}

void library_work_release(struct library_work *work)
{
	free(work->list);
	*work = (struct library_work){ 0 };
}
