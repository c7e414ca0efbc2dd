/* SPDX-License-Identifier: GPL-3.0-or-later */
/* division.c - divides the ticks of a timed node on the processor among itself and what its samples
 * found below it, in proportion to these (join.h). Waits stay where they were measured. No tick is
 * lost or made: each part is the difference of two roundings of one sum (semantics R10). */
#include <stdlib.h>
#include <string.h>

#include "file/cell_details.h"
#include "join.h"
#include "lib/share.h"

/* ---- ticks ----------------------------------------------------------------------------------- */

uint64_t division_part(struct parts *parts, uint64_t n)
{
	uint64_t before = share(parts->ticks, parts->sum, parts->all);

	parts->sum += n;
	return share(parts->ticks, parts->sum, parts->all) - before;
}

/* Ticks of a cell on the processor. */
uint64_t division_on_cpu(const struct data *data, const struct cinstr_cell *cell)
{
	uint64_t off = 0;

	for (uint32_t i = details_buckets(data->memory, cell); i;) {
		const struct cinstr_bucket *bucket =
			(const void *)(data->memory + (uint64_t)i * sizeof(struct cinstr_cell));

		off += bucket->off_cpu_ticks;
		i = bucket->next;
	}
	return off < cell->ticks ? cell->ticks - off : 0;
}

/* ---- cells ----------------------------------------------------------------------------------- */

struct division {
	struct projection *p;
	struct mixed_thread *mixed;
	/* by node, then by estimate: number of its cell; JOIN_NONE: the file's */
	uint32_t *cell_of;
	struct parts *parts; /* by pool: what estimates get */
	uint32_t *pool_of;   /* by node; MIXED_NO_POOL */
	struct short_intervals short_ones;
	uint32_t n_nodes_pools; /* pools of nodes; behind them stand those of regions */
};

static uint32_t cell_new(struct division *d, const struct cinstr_cell *cell, uint32_t pool)
{
	struct mixed_thread *mixed = d->mixed;

	mixed->cells[mixed->n_cells] = *cell;
	mixed->about[mixed->n_cells] = (struct mixed_cell){ .pool = pool, .from = cell };
	return mixed->n_cells++;
}

static int is_line(const struct data_node *node)
{
	return CINSTR_CELL_KIND(node->cell->tag) == CINSTR_CELL_LINE;
}

/* The next cell whose time is the node's own: itself, then its source lines. */
static uint32_t next_own(const struct data_thread *thread, uint32_t node, uint32_t own)
{
	uint32_t next = own == node ? node + 1 : thread->nodes[own].last + 1;

	while (next <= thread->nodes[node].last && !is_line(&thread->nodes[next]))
		next = thread->nodes[next].last + 1;
	return next <= thread->nodes[node].last ? next : 0;
}

/*
 * A function and its source lines keep `kept` ticks of those on the processor, each in proportion
 * to what it has; `probes` of these are their probes'.
 */
static void keep(struct division *d, uint32_t node, uint32_t pool, uint64_t kept, uint64_t probes)
{
	const struct data_thread *thread = d->p->thread;
	uint64_t all = d->mixed->pools[pool].measured;
	struct parts gives = { all > kept ? all - kept : 0, all, 0 };
	struct parts gets = { kept > all ? kept - all : 0, all, 0 }, costs = { probes, all, 0 };

	for (uint32_t own = node;; own = next_own(thread, node, own)) {
		const struct cinstr_cell *cell = thread->nodes[own].cell;
		uint64_t has = division_on_cpu(d->p->join->data, cell);
		uint64_t left = has - division_part(&gives, has) + division_part(&gets, has);
		uint32_t number = cell_new(d, cell, pool);

		d->cell_of[own] = number;
		d->mixed->cells[number].ticks += left - has;
		d->mixed->about[number].on_cpu = has;
		d->mixed->about[number].kept = left;
		d->mixed->about[number].probes = division_part(&costs, has);
		if (!next_own(thread, node, own))
			return;
	}
}

/* Returns the ticks of the node and its source lines on the processor. */
static uint64_t measured(const struct division *d, uint32_t node)
{
	uint64_t ticks = 0;

	for (uint32_t own = node; own || own == node; own = next_own(d->p->thread, node, own)) {
		ticks += division_on_cpu(d->p->join->data, d->p->thread->nodes[own].cell);
		if (!next_own(d->p->thread, node, own))
			break;
	}
	return ticks;
}

/* Samples that the ticks which a node has got of its region are as good as. */
static uint64_t worth_samples(const struct mixed_pool *region, uint64_t ticks)
{
	return share(region->n, ticks, region->ticks);
}

/* A pool of a node whose region's samples have told its ticks. Returns what estimates get. */
static struct parts pool_of_region(const struct division *d, uint32_t node, struct mixed_pool *pool)
{
	const struct short_intervals *s = &d->short_ones;
	const struct owned *owned = &d->p->owned[node];
	uint64_t below = owned->stubs + owned->estimated;
	uint32_t region = s->region_of[node] - 1;

	pool->region = d->n_nodes_pools + region;
	pool->has_counted = region >= s->n_short || below;
	pool->ticks = s->own[node] + s->below[node];
	pool->own = worth_samples(&s->regions[region], s->own[node]);
	pool->n = pool->own + below;
	return (struct parts){ s->below[node], below, 0 };
}

/* own + probes + stubs + estimated > 0. Returns what estimates get, with stubs. */
static struct parts pool_of_node(const struct division *d, uint32_t node, struct mixed_pool *pool)
{
	const struct owned *owned = &d->p->owned[node];
	struct parts parts;

	pool->region = MIXED_NO_POOL;
	pool->has_counted = 1;
	pool->ticks = pool->measured;
	pool->own = owned->own + owned->probes;
	pool->n = pool->own + owned->stubs + owned->estimated;
	parts = (struct parts){ pool->ticks, pool->n, 0 };
	division_part(&parts, pool->own);
	return parts;
}

static void divide(struct division *d, uint32_t node)
{
	const struct short_intervals *s = &d->short_ones;
	struct mixed_thread *mixed = d->mixed;
	uint32_t number = mixed->n_pools++;
	struct mixed_pool *pool = &mixed->pools[number];
	struct parts parts;

	*pool = (struct mixed_pool){ .stubs = d->p->owned[node].stubs, .measured = measured(d, node) };
	parts = s->region_of[node] ? pool_of_region(d, node, pool) : pool_of_node(d, node, pool);
	pool->stub_ticks = division_part(&parts, pool->stubs);
	d->parts[number] = parts;
	d->pool_of[node] = number;
	mixed->state.runtime_ticks += pool->stub_ticks;
	keep(d, node, number,
	     s->region_of[node] ? s->own[node] + s->probes[node] : share(pool->ticks, pool->own, pool->n),
	     s->probes[node]);
}

/* Returns the record of the copy of a node's cell, or NULL if the node was not divided. */
static struct mixed_cell *about_of(const struct division *d, uint32_t node)
{
	return d->cell_of[node] == JOIN_NONE ? NULL : &d->mixed->about[d->cell_of[node]];
}

/* Callees stand behind their callers. */
static void regions_sum_up(struct division *d)
{
	const struct data_thread *thread = d->p->thread;
	const uint32_t *region_of = d->short_ones.region_of;

	for (uint32_t i = (uint32_t)thread->n_nodes; i-- > 1;) {
		uint32_t parent = thread->nodes[i].parent;

		while (is_line(&thread->nodes[parent]))
			parent = thread->nodes[parent].parent;
		if (!region_of[i])
			continue;
		about_of(d, i)->inclusive_samples += d->mixed->pools[d->pool_of[i]].n;
		if (region_of[parent] == region_of[i])
			about_of(d, parent)->inclusive_samples += about_of(d, i)->inclusive_samples;
	}
}

/* Estimates stand behind those that they were called from. */
static void sum_up(struct division *d)
{
	const struct projection *p = d->p;
	size_t n_nodes = p->thread->n_nodes;

	for (size_t i = p->n_estimates; i-- > 0;) {
		struct mixed_cell *about = &d->mixed->about[d->cell_of[n_nodes + i]];

		about->inclusive_samples += about->samples;
		if (p->estimates[i].parent >= n_nodes)
			d->mixed->about[d->cell_of[p->estimates[i].parent]].inclusive_samples +=
				about->inclusive_samples;
	}
}

static void estimates_make(struct division *d)
{
	const struct projection *p = d->p;

	for (size_t i = 0; i < p->n_estimates; i++) {
		const struct estimate *e = &p->estimates[i];
		uint32_t pool = d->pool_of[e->owner], number = cell_new(d, &e->cell, pool);

		d->cell_of[p->thread->n_nodes + i] = number;
		d->mixed->about[number].is_estimate = 1;
		d->mixed->about[number].from = NULL;
		d->mixed->about[number].samples = e->n;
		if (pool != MIXED_NO_POOL)
			d->mixed->cells[number].ticks = division_part(&d->parts[pool], e->n);
	}
	sum_up(d);
}

/* Whether some of its time is not its own, or it has some of another node's. If its intervals are
 * long, a function that called none that was counted has all of it, whatever its samples say. */
static int is_divided(const struct division *d, uint32_t node)
{
	const struct owned *owned = &d->p->owned[node];

	return owned->stubs || owned->estimated || d->short_ones.region_of[node];
}

static size_t room(const struct division *d, size_t *n_pools)
{
	const struct projection *p = d->p;
	size_t n = p->n_estimates;

	for (uint32_t i = 0; i < p->thread->n_nodes; i++) {
		if (!is_divided(d, i))
			continue;
		++*n_pools;
		for (uint32_t own = i;; own = next_own(p->thread, i, own)) {
			n++;
			if (!next_own(p->thread, i, own))
				break;
		}
	}
	return n;
}

/* Regions stand behind the nodes' pools. */
static void regions_add(struct division *d)
{
	const struct short_intervals *s = &d->short_ones;

	for (uint32_t i = 0; i < s->n_regions; i++)
		d->mixed->pools[d->mixed->n_pools++] = s->regions[i];
}

void division_make(struct projection *p)
{
	struct data_thread *thread = p->thread;
	struct mixed_thread *mixed = xcalloc(1, sizeof(*mixed));
	struct division d = { .p = p, .mixed = mixed };
	size_t n_pools = 0, n_cells, n = thread->n_nodes + p->n_estimates;

	short_intervals_make(&d.short_ones, p);
	n_cells = room(&d, &n_pools);
	d.n_nodes_pools = (uint32_t)n_pools;
	mixed->cells = xcalloc(n_cells, sizeof(*mixed->cells));
	mixed->about = xcalloc(n_cells, sizeof(*mixed->about));
	mixed->pools = xcalloc(n_pools + d.short_ones.n_regions, sizeof(*mixed->pools));
	mixed->state = *thread->state;
	d.parts = xcalloc(n_pools, sizeof(*d.parts));
	d.cell_of = memset(xcalloc(n, sizeof(*d.cell_of)), 0xff, n * sizeof(*d.cell_of));
	d.pool_of = memset(xcalloc(n, sizeof(*d.pool_of)), 0xff, n * sizeof(*d.pool_of));
	for (uint32_t i = 0; i < thread->n_nodes; i++)
		if (is_divided(&d, i))
			divide(&d, i);
	regions_add(&d);
	regions_sum_up(&d);
	estimates_make(&d);
	thread->mixed = mixed;
	tree_make(p, d.cell_of);
	short_intervals_release(&d.short_ones);
	free(d.parts);
	free(d.cell_of);
	free(d.pool_of);
}
