/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * division.c - the ticks that a timed node was on the processor, divided among itself and what its
 * samples found below it, in proportion to these (join.h). Waits stay where they were measured. Not
 * a tick is lost or made: each part is what lies between two roundings of one sum (semantics R10).
 */
#include <stdlib.h>
#include <string.h>

#include "file/cell_details.h"
#include "join.h"
#include "lib/share.h"

/* ---- ticks ----------------------------------------------------------------------------------- */

/* Parts of `ticks`, one after another: together no more and no less. */
struct parts {
	uint64_t ticks, all, sum;
};

static uint64_t part_of(struct parts *parts, uint64_t n)
{
	uint64_t before = share(parts->ticks, parts->sum, parts->all);

	parts->sum += n;
	return share(parts->ticks, parts->sum, parts->all) - before;
}

/* Ticks of a cell on the processor. */
uint64_t on_cpu_ticks(const struct data *data, const struct cinstr_cell *cell)
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
};

static uint32_t cell_new(struct division *d, const struct cinstr_cell *cell, uint32_t pool)
{
	struct mixed_thread *mixed = d->mixed;

	mixed->cells[mixed->n_cells] = *cell;
	mixed->about[mixed->n_cells] = (struct mixed_cell){ .pool = pool };
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

/* A function and its source lines give what others get, each in proportion to what it has. */
static void take(struct division *d, uint32_t node, uint32_t pool, uint64_t taken)
{
	const struct data_thread *thread = d->p->thread;
	struct parts parts = { taken, d->mixed->pools[pool].ticks, 0 };

	for (uint32_t own = node;; own = next_own(thread, node, own)) {
		const struct cinstr_cell *cell = thread->nodes[own].cell;
		uint64_t has = on_cpu_ticks(d->p->join->data, cell), gives = part_of(&parts, has);
		uint32_t number = cell_new(d, cell, pool);

		d->cell_of[own] = number;
		d->mixed->cells[number].ticks -= gives;
		d->mixed->about[number].on_cpu = has;
		d->mixed->about[number].kept = has - gives;
		if (!next_own(thread, node, own))
			return;
	}
}

/* own + stubs + estimated > 0 */
static void divide(struct division *d, uint32_t node)
{
	const struct owned *owned = &d->p->owned[node];
	struct mixed_thread *mixed = d->mixed;
	struct mixed_pool *pool = &mixed->pools[mixed->n_pools];
	struct parts parts;

	*pool = (struct mixed_pool){ .n = owned->own + owned->stubs + owned->estimated,
				     .own = owned->own,
				     .stubs = owned->stubs };
	for (uint32_t own = node; own || own == node; own = next_own(d->p->thread, node, own)) {
		pool->ticks += on_cpu_ticks(d->p->join->data, d->p->thread->nodes[own].cell);
		if (!next_own(d->p->thread, node, own))
			break;
	}
	parts = (struct parts){ pool->ticks, pool->n, 0 };
	part_of(&parts, pool->own);
	pool->stub_ticks = part_of(&parts, pool->stubs);
	d->parts[mixed->n_pools] = parts;
	d->pool_of[node] = mixed->n_pools++;
	mixed->state.runtime_ticks += pool->stub_ticks;
	take(d, node, d->pool_of[node], pool->ticks - share(pool->ticks, pool->own, pool->n));
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
		d->mixed->about[number].samples = e->n;
		if (pool != MIXED_NO_POOL)
			d->mixed->cells[number].ticks = part_of(&d->parts[pool], e->n);
	}
	sum_up(d);
}

/* Whether some of its time is not its own. A function that called none that was counted has all of
 * it, whatever its samples say. */
static int is_divided(const struct owned *owned)
{
	return owned->stubs || owned->estimated;
}

static size_t room(const struct projection *p, size_t *n_pools)
{
	size_t n = p->n_estimates;

	for (uint32_t i = 0; i < p->thread->n_nodes; i++) {
		if (!is_divided(&p->owned[i]))
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

void division_make(struct projection *p)
{
	struct data_thread *thread = p->thread;
	struct mixed_thread *mixed = xcalloc(1, sizeof(*mixed));
	struct division d = { .p = p, .mixed = mixed };
	size_t n_pools = 0, n_cells = room(p, &n_pools), n = thread->n_nodes + p->n_estimates;

	mixed->cells = xcalloc(n_cells, sizeof(*mixed->cells));
	mixed->about = xcalloc(n_cells, sizeof(*mixed->about));
	mixed->pools = xcalloc(n_pools, sizeof(*mixed->pools));
	mixed->state = *thread->state;
	d.parts = xcalloc(n_pools, sizeof(*d.parts));
	d.cell_of = memset(xcalloc(n, sizeof(*d.cell_of)), 0xff, n * sizeof(*d.cell_of));
	d.pool_of = memset(xcalloc(n, sizeof(*d.pool_of)), 0xff, n * sizeof(*d.pool_of));
	for (uint32_t i = 0; i < thread->n_nodes; i++)
		if (is_divided(&p->owned[i]))
			divide(&d, i);
	estimates_make(&d);
	thread->mixed = mixed;
	tree_make(p, d.cell_of);
	free(d.parts);
	free(d.cell_of);
	free(d.pool_of);
}
