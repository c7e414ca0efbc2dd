/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lock_holders.c - see lock_holders.h. */
#include "lock_holders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call_place.h"
#include "lib/order.h"

#define LEVELS 6 /* of functions that do nothing but take a lock, as std::mutex::lock */
/* Of its calls so many take one, and of those that take one so many do not give it back. */
#define WRAPPER_PART 0.9L
#define HELD_PART 0.1L /* of the calls that took the lock have not yet given it back */
#define LEADS_PART 0.5L
/* A function's own holding explains its waits if it is so much of them: others hold it, too. */
#define OWN_PART 0.2L
#define LIKELY_PART 0.2L /* the same of another function's holding */
#define WAITER_WEIGHT 4	 /* who waits for a lock likely holds the same one */

/* ---- functions that take or give back a lock ------------------------------------------------- */

static void take_known(struct lock_holders *holders)
{
	const struct finder *finder = holders->finder;

	for (uint32_t e = 0; e < finder->graph->n_entities; e++)
		holders->takes[e] = finder->known[e] >= KNOWN_LOCK && finder->known[e] <= KNOWN_SEMAPHORE ? 1
				    : finder->known[e] == KNOWN_UNLOCK					  ? -1
													  : 0;
}

/* 1: what it does is to take a lock, -1: to give one back. */
static int8_t wraps(const struct lock_holders *holders, uint32_t entity)
{
	long double taken = 0, given = 0, most, calls;
	size_t n;
	const struct row **out = call_graph_out(holders->finder->graph, entity, &n);

	for (size_t i = 0; i < n; i++) {
		int takes = holders->takes[out[i]->entity];

		taken += takes > 0 ? (long double)out[i]->calls : 0;
		given += takes < 0 ? (long double)out[i]->calls : 0;
	}
	calls = (long double)call_graph_calls(holders->finder->graph, entity);
	most = WRAPPER_PART * fmaxl(calls, fmaxl(taken, given));
	return (int8_t)(calls <= 0 ? 0 : taken - given >= most ? 1 : given - taken >= most ? -1 : 0);
}

static void take_wrappers(struct lock_holders *holders)
{
	const struct call_graph *graph = holders->finder->graph;
	int8_t *takes = xcalloc(graph->n_entities + 1, sizeof(*takes));

	for (uint32_t e = 0; e < graph->n_entities; e++)
		takes[e] = holders->takes[e] ? holders->takes[e] : wraps(holders, e);
	free(holders->takes);
	holders->takes = takes;
}

/* ---- what is between ------------------------------------------------------------------------- */

static uint64_t address_of(const struct row *edge)
{
	return edge->address ? strtoull(edge->address, NULL, 16) : 0;
}

/* A call of the function that is looked at. */
struct placed {
	const struct row *edge;
	struct call_place place;
};

ORDER_ITEMS(by_address, struct placed, ORDER(address_of(x->edge), address_of(y->edge)))

/* The compiler puts code that it takes for rare behind the rest. */
ORDER_ITEMS(by_line, struct placed, call_place_compare(&x->place, &y->place), by_address(x, y, NULL))

static long double worked_in(const struct row *edge)
{
	return fmaxl(0, edge->sums.elapsed_inclusive - edge->sums.preempted_inclusive);
}

/* By the calls up to there: so many have taken the lock and not given it back. Returns how many
 * have no counterpart. */
static long double add_held(const struct lock_holders *holders, struct lock_holder *holder,
			    const struct placed *calls, size_t n)
{
	long double taken = 0, open = 0, most = 0, alone = 0;

	for (size_t i = 0; i < n; i++) {
		const struct row *edge = calls[i].edge;
		int takes = holders->takes[edge->entity];

		if (takes > 0) {
			taken += (long double)edge->calls;
			holder->waited += edge->sums.off_cpu_inclusive;
		}
		open += takes * (long double)edge->calls;
		alone += open < 0 ? -open : 0;
		open = open > 0 ? open : 0;
		if (takes || open <= HELD_PART * taken || edge->entity == holder->entity ||
		    holders->finder->known[edge->entity] == KNOWN_CONDITION)
			continue;
		holder->held += edge->sums.elapsed_inclusive;
		holder->worked += worked_in(edge);
		if (worked_in(edge) > most) {
			most = worked_in(edge);
			holder->most = edge;
		}
	}
	return alone + open;
}

/* In the order of the source, unless that of the instructions has more counterparts. */
static void add_held_in_order(const struct lock_holders *holders, struct lock_holder *holder,
			      const struct row **out, size_t n)
{
	struct placed *calls = xcalloc(n, sizeof(*calls));
	struct lock_holder by_code = *holder;
	long double alone;

	for (size_t i = 0; i < n; i++) {
		calls[i].edge = out[i];
		call_place_find(&calls[i].place, holders->finder->graph, out[i]);
	}
	util_sort(calls, n, sizeof(*calls), by_line, NULL);
	alone = add_held(holders, holder, calls, n);
	util_sort(calls, n, sizeof(*calls), by_address, NULL);
	if (add_held(holders, &by_code, calls, n) < alone)
		*holder = by_code;
	free(calls);
}

/* What it computes by itself may be all under the lock; more is not known. In a mixed recording its
 * own time has the waits for the lock, too, from when on the probes at its calls were taken out. */
static void add_own(const struct lock_holders *holders, struct lock_holder *holder)
{
	const struct row *node = holders->finder->graph->nodes[holder->entity];
	long double own = node ? node->sums.elapsed_exclusive : 0, worked = own;

	if (node && holders->finder->t->is_mixed)
		worked = own = fmaxl(0, own - node->sums.off_cpu_exclusive);
	else if (node)
		worked = fmaxl(0, own - node->sums.preempted_exclusive);
	if (worked > holder->worked)
		holder->most = NULL;
	holder->held += own;
	holder->worked += worked;
}

static void add_holder(struct lock_holders *holders, uint32_t entity)
{
	size_t n;
	const struct row **edges = call_graph_out(holders->finder->graph, entity, &n);
	int takes = 0;

	for (size_t i = 0; i < n && !takes; i++)
		takes = holders->takes[edges[i]->entity] > 0;
	if (!takes || holders->takes[entity])
		return;
	holders->of[entity] = (uint32_t)holders->n;
	holders->list = xrealloc(holders->list, holders->n + 1, sizeof(*holders->list));
	holders->list[holders->n] = (struct lock_holder){ .entity = entity };
	add_held_in_order(holders, &holders->list[holders->n], edges, n);
	add_own(holders, &holders->list[holders->n++]);
}

void lock_holders_make(struct lock_holders *holders, const struct finder *finder)
{
	size_t n = finder->graph->n_entities;

	*holders = (struct lock_holders){ .finder = finder,
					  .takes = xcalloc(n + 1, sizeof(*holders->takes)),
					  .of = xcalloc(n + 1, sizeof(*holders->of)) };
	memset(holders->of, 0xff, (n + 1) * sizeof(*holders->of));
	take_known(holders);
	for (int level = 0; level < LEVELS; level++)
		take_wrappers(holders);
	for (uint32_t e = 0; e < n; e++)
		add_holder(holders, e);
}

void lock_holders_release(struct lock_holders *holders)
{
	free(holders->takes);
	free(holders->list);
	free(holders->of);
	*holders = (struct lock_holders){ 0 };
}

/* ---- who it was ------------------------------------------------------------------------------ */

static long double weight(const struct lock_holder *holder)
{
	return holder->held * (holder->waited > 0 ? WAITER_WEIGHT : 1);
}

int lock_holder_explains(const struct lock_holder *holder, long double waited)
{
	return holder->worked >= LIKELY_PART * waited;
}

/* A function does not wait for itself if one thread alone is in it. */
static int can_hold(const struct lock_holders *holders, const struct lock_holder *holder, uint32_t waiter)
{
	const struct row *node = holders->finder->graph->nodes[holder->entity];

	return holder->entity != waiter || !node || finder_threads(holders->finder, node) != 1;
}

const struct lock_holder *lock_holder_of(const struct lock_holders *holders, uint32_t waiter,
					 long double waited)
{
	const struct lock_holder *own =
		holders->of[waiter] != NAMES_NONE ? &holders->list[holders->of[waiter]] : NULL;
	const struct lock_holder *best = NULL;

	if (own && own->held >= OWN_PART * waited && can_hold(holders, own, waiter))
		return own;
	for (size_t i = 0; i < holders->n; i++)
		if (holders->list[i].held >= LIKELY_PART * waited &&
		    can_hold(holders, &holders->list[i], waiter) &&
		    (!best || weight(&holders->list[i]) > weight(best)))
			best = &holders->list[i];
	return best;
}

size_t call_leads_to(const struct finder *finder, const struct row *edge, uint32_t *path, size_t max)
{
	uint32_t entity = edge->entity;
	size_t n = 0;

	path[n++] = entity;
	while (n < max && finder->graph->nodes[entity] && !finder->known[entity]) {
		size_t n_out;
		const struct row **out = call_graph_out(finder->graph, entity, &n_out), *most = NULL;

		for (size_t i = 0; i < n_out; i++)
			if (!most || out[i]->sums.elapsed_inclusive > most->sums.elapsed_inclusive)
				most = out[i];
		if (!most || most->entity == entity ||
		    most->sums.elapsed_inclusive <
			    LEADS_PART * finder->graph->nodes[entity]->sums.elapsed_inclusive)
			break;
		entity = most->entity;
		path[n++] = entity;
	}
	return n;
}
