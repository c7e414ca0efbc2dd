/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hanging.c - finds the nodes that hang below an estimate, as a counted function has called them
 * (join.h): by the ways of samples that have come to the node, else by the node's call site, else
 * by the counters of sites, if one function alone has made all calls.
 */
#include <stdlib.h>

#include "file/counters.h"
#include "join.h"
#include "lib/array.h"

#define SEVERAL UINT32_MAX

static const struct estimate *estimate_at(const struct projection *p, uint32_t at)
{
	return at < p->thread->n_nodes ? NULL : &p->estimates[at - p->thread->n_nodes];
}

/* Samples that have come to a node by one way. */
struct way {
	uint32_t node, via;
	uint64_t n;
};

struct ways {
	struct map keys;
	struct way *list;
	size_t size;
};

static void way_add(struct ways *ways, uint32_t node, uint32_t via, uint64_t n)
{
	uint32_t key[2] = { node, via };
	int is_new;
	size_t number = map_add(&ways->keys, key, sizeof(key), &is_new);

	ARRAY_ROOM(ways->list, number, ways->size, 64);
	if (is_new)
		ways->list[number] = (struct way){ node, via, 0 };
	ways->list[number].n += n;
}

/* Longer prefixes stand behind shorter ones. */
static void ways_make(struct projection *p, struct ways *ways)
{
	for (size_t i = p->n_prefixes; i-- > 0;) {
		const struct prefix *prefix = &p->prefixes[i];

		if (prefix->parent != JOIN_NONE)
			p->prefixes[prefix->parent].n += prefix->n;
		if (prefix->via != JOIN_NONE && prefix->n)
			way_add(ways, prefix->at, prefix->via, prefix->n);
	}
}

/* The function that the site of a node's call is in, if that is not the node's caller: 0: it is. */
static uint32_t other_caller(const struct projection *p, uint32_t node)
{
	const struct data_node *nodes = p->thread->nodes;
	uint32_t site_code = nodes[node].cell->site, code;
	const struct module *module = site_code ? modules_by_code(&p->join->data->modules, site_code) : NULL;
	const struct module_site *site = module ? module_site(module, site_code) : NULL;

	if (!site)
		return 0;
	code = module->functions[site->function].code;
	return code != nodes[projection_caller(p, node)].cell->func && level_has_changed(p->join, code) ? code
													: 0;
}

/* The estimate of the function below the node that has most samples; made, if there is none. */
static uint32_t estimate_below(struct projection *p, uint32_t owner, uint32_t code)
{
	struct cinstr_cell cell = { .tag = CINSTR_CELL_FRAME, .func = code, .first_ticks = UINT64_MAX };
	uint32_t best = JOIN_NONE;

	for (size_t i = 0; i < p->n_estimates; i++) {
		const struct estimate *e = &p->estimates[i];

		if (e->owner == owner && CINSTR_CELL_KIND(e->cell.tag) == CINSTR_CELL_FRAME &&
		    e->cell.func == code && (best == JOIN_NONE || e->n > p->estimates[best].n))
			best = (uint32_t)i;
	}
	return best == JOIN_NONE ? estimate_of(p, owner, &cell) : (uint32_t)p->thread->n_nodes + best;
}

/* ---- who has made all calls ------------------------------------------------------------------ */

/* The calls of a timed function by functions that were counted then. */
struct called {
	uint32_t caller;    /* code of the function whose sites have made them; SEVERAL */
	uint64_t by_name;   /* as the counters of sites that name the function have it */
	uint64_t activated; /* as the nodes without a site, and its own counter, have it */
};

struct calls {
	struct int_map keys; /* code of the function -> index in the list */
	struct called *list;
	size_t size;
};

static struct called *called_of(struct calls *calls, uint32_t code)
{
	int is_new;
	size_t number = int_map_add(&calls->keys, code, &is_new);

	ARRAY_ROOM(calls->list, number, calls->size, 64);
	if (is_new)
		calls->list[number] = (struct called){ 0 };
	return &calls->list[number];
}

/* Whether events alone do not show who has called the node's function. */
static int is_without_site(const struct projection *p, uint32_t node)
{
	const struct cinstr_cell *cell = p->thread->nodes[node].cell;

	return CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FRAME && !cell->site &&
	       projection_caller(p, node) != 0;
}

static void called_counted(struct calls *calls, const struct data_counter *counter)
{
	if (int_map_find(&calls->keys, counter->code) != INT_MAP_NONE)
		called_of(calls, counter->code)->activated += counter->n;
}

/* Adds the calls of a site that were made without an event. */
static void called_by(struct calls *calls, const struct modules *modules, const struct data_counter *counter)
{
	const struct module *module = modules_by_code(modules, counter->code);
	const struct module_site *site = module ? module_site(module, counter->code) : NULL;
	const struct module_function *callee, *caller;
	struct called *called;

	if (!site || !site->callee)
		return;
	caller = &module->functions[site->function];
	callee = module_function_named(module, site->callee, caller->file);
	if (!callee || int_map_find(&calls->keys, callee->code) == INT_MAP_NONE)
		return;
	called = called_of(calls, callee->code);
	called->by_name += counter->n;
	called->caller = called->caller && called->caller != caller->code ? SEVERAL : caller->code;
}

static void calls_make(const struct projection *p, struct calls *calls)
{
	const struct data_counter *counters;
	size_t n;

	for (uint32_t i = 1; i < p->thread->n_nodes; i++)
		if (is_without_site(p, i))
			called_of(calls, p->thread->nodes[i].cell->func)->activated +=
				p->thread->nodes[i].cell->calls;
	if (!calls->keys.n)
		return;
	counters = counters_of_thread(p->join->data, p->thread, &n);
	for (size_t i = 0; i < n; i++)
		if (counter_is_function(counters[i].code))
			called_counted(calls, &counters[i]);
		else if (counter_is_site(counters[i].code))
			called_by(calls, &p->join->data->modules, &counters[i]);
}

/* Returns the code of the function that has made all calls of the node's function, if that is not
 * the node's caller, or 0. */
static uint32_t sole_caller(const struct projection *p, const struct calls *calls, uint32_t node)
{
	const struct data_node *nodes = p->thread->nodes;
	const struct called *called;

	if (!is_without_site(p, node))
		return 0;
	called = &calls->list[int_map_find(&calls->keys, nodes[node].cell->func)];
	if (!called->caller || called->caller == SEVERAL || called->by_name < called->activated)
		return 0;
	return called->caller == nodes[projection_caller(p, node)].cell->func ? 0 : called->caller;
}

/* Functions that were counted, and whose calls were timed, as those that wait are: where no sample
 * has led by them, sites tell. */
static void hang_by_sites(struct projection *p)
{
	struct calls calls = { 0 };

	calls_make(p, &calls);
	for (uint32_t i = 1; i < p->thread->n_nodes; i++) {
		uint32_t code = p->hangs_at[i] == JOIN_NONE ? other_caller(p, i) : 0;

		if (!code && p->hangs_at[i] == JOIN_NONE)
			code = sole_caller(p, &calls, i);
		if (code)
			p->hangs_at[i] = estimate_below(p, projection_caller(p, i), code);
	}
	int_map_release(&calls.keys);
	free(calls.list);
}

/* ---- what hangs where ------------------------------------------------------------------------ */

/* Where the way leads the node to; JOIN_NONE: it stays where it was, as does one that was found
 * behind a jump. */
static uint32_t place_of(const struct projection *p, const struct way *way)
{
	const struct estimate *e = estimate_at(p, way->via);

	return e && e->owner == projection_caller(p, way->node) ? way->via : JOIN_NONE;
}

void hanging_find(struct projection *p)
{
	struct ways ways = { 0 };
	uint64_t *most = xcalloc(p->thread->n_nodes, sizeof(*most));

	ways_make(p, &ways);
	for (size_t i = 0; i < ways.keys.n; i++) {
		const struct way *way = &ways.list[i];

		if (way->n <= most[way->node])
			continue;
		most[way->node] = way->n;
		p->hangs_at[way->node] = place_of(p, way);
	}
	hang_by_sites(p);
	free(most);
	free(ways.list);
	map_release(&ways.keys);
}
