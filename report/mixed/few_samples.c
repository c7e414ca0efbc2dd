/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * few_samples.c - paths of one function that have few samples each (join.h), like those of a
 * recursion. A path without a sample would keep all that it measured, though the function spent
 * most of its time in others that were counted: a thousand such paths make it wrong.
 *
 * So paths of a function with few samples are divided together, by the samples of all of them: each
 * keeps the same part of its measured time, and counted functions below them get the rest. Together
 * are those below the nearest caller where they have enough samples.
 */
#include <stdlib.h>

#include "join.h"
#include "lib/array.h"
#include "lib/share.h"

#define MANY_SAMPLES 16	  /* of a path that is divided alone */
#define ENOUGH_SAMPLES 64 /* of paths that are divided together */

struct paths {
	uint32_t code;	     /* of their function */
	uint32_t anchor;     /* the caller: a node */
	uint32_t into;	     /* number + 1 of the paths that they were added to; 0: none */
	uint32_t next;	     /* number + 1 of the next ones with this anchor */
	uint64_t own, below; /* samples */
	uint64_t ticks, kept, probes;
	struct parts parts; /* of what is below */
	uint32_t region;    /* number + 1; 0: none yet */
};

struct few_samples {
	const struct projection *p;
	struct short_intervals *s;
	const uint64_t *measured, *cost; /* by node: ticks */
	uint64_t *inclusive;		 /* by node: samples */
	struct int_map keys;		 /* (code, anchor) */
	struct paths *list;
	size_t size;
	uint32_t *anchor_of; /* by node */
	uint32_t *first;     /* by anchor: number + 1 */
	uint32_t *of;	     /* by node: number + 1; 0: it is divided alone */
};

static uint64_t own_samples(const struct owned *owned)
{
	return owned->own + owned->probes;
}

static uint64_t below_samples(const struct owned *owned)
{
	return owned->stubs + owned->estimated;
}

static int has_few(const struct few_samples *f, uint32_t node)
{
	const struct owned *owned = &f->p->owned[node];

	return CINSTR_CELL_KIND(f->p->thread->nodes[node].cell->tag) == CINSTR_CELL_FRAME &&
	       f->measured[node] && !f->s->region_of[node] &&
	       own_samples(owned) + below_samples(owned) < MANY_SAMPLES;
}

/*
 * A node's anchor is the nearest caller, or the node itself, that has enough samples with all it
 * called, and half as many as the next anchor at most: there are few, one above another. Callers
 * stand before callees.
 */
static void anchors_find(struct few_samples *f)
{
	for (uint32_t i = 1; i < f->p->thread->n_nodes; i++) {
		uint32_t above = f->anchor_of[f->p->thread->nodes[i].parent];
		int is_anchor =
			f->inclusive[i] >= ENOUGH_SAMPLES && f->inclusive[i] <= f->inclusive[above] / 2;

		f->anchor_of[i] = is_anchor ? i : above;
	}
}

static uint32_t paths_number(struct few_samples *f, uint32_t code, uint32_t anchor)
{
	int is_new;
	uint32_t number = int_map_add(&f->keys, int_map_pair(code, anchor), &is_new);

	ARRAY_ROOM(f->list, number, f->size, 64);
	if (is_new) {
		f->list[number] = (struct paths){ .code = code, .anchor = anchor, .next = f->first[anchor] };
		f->first[anchor] = number + 1;
	}
	return number;
}

static void samples_sum(struct few_samples *f)
{
	const struct data_thread *thread = f->p->thread;

	for (uint32_t i = (uint32_t)thread->n_nodes; i-- > 0;) {
		f->inclusive[i] += own_samples(&f->p->owned[i]) + below_samples(&f->p->owned[i]);
		if (i)
			f->inclusive[thread->nodes[i].parent] += f->inclusive[i];
	}
}

static void paths_find(struct few_samples *f)
{
	const struct data_thread *thread = f->p->thread;

	for (uint32_t i = 1; i < thread->n_nodes; i++) {
		const struct owned *owned = &f->p->owned[i];
		struct paths *paths;

		if (!has_few(f, i))
			continue;
		f->of[i] = 1 + paths_number(f, thread->nodes[i].cell->func,
					    f->anchor_of[thread->nodes[i].parent]);
		paths = &f->list[f->of[i] - 1];
		paths->own += own_samples(owned);
		paths->below += below_samples(owned);
	}
}

/* Callees stand behind their callers: what has too few below one goes to the next one up. */
static void paths_go_up(struct few_samples *f)
{
	for (uint32_t anchor = (uint32_t)f->p->thread->n_nodes; anchor-- > 1;) {
		for (uint32_t i = f->first[anchor]; i; i = f->list[i - 1].next) {
			struct paths *paths = &f->list[i - 1];
			uint32_t up, into;

			if (paths->own + paths->below >= ENOUGH_SAMPLES)
				continue;
			up = f->anchor_of[f->p->thread->nodes[anchor].parent];
			into = paths_number(f, paths->code, up);
			paths = &f->list[i - 1];
			f->list[into].own += paths->own;
			f->list[into].below += paths->below;
			paths->into = into + 1;
		}
	}
}

/* Returns the paths that the node is divided together with, or NULL if it is divided alone. */
static struct paths *paths_of(const struct few_samples *f, uint32_t node)
{
	uint32_t number = f->of[node];

	while (number && f->list[number - 1].into)
		number = f->list[number - 1].into;
	if (!number || !f->list[number - 1].below ||
	    f->list[number - 1].own + f->list[number - 1].below < MANY_SAMPLES)
		return NULL;
	return &f->list[number - 1];
}

static void nodes_keep(struct few_samples *f)
{
	struct short_intervals *s = f->s;

	for (uint32_t i = 1; i < f->p->thread->n_nodes; i++) {
		struct paths *paths = paths_of(f, i);
		uint64_t kept;

		if (!paths)
			continue;
		if (!paths->region)
			paths->region = ++s->n_regions;
		s->region_of[i] = paths->region;
		kept = share(f->measured[i], paths->own, paths->own + paths->below);
		s->probes[i] = f->cost[i] < kept ? f->cost[i] : kept;
		s->own[i] = kept - s->probes[i];
		paths->ticks += f->measured[i];
		paths->kept += kept;
		paths->probes += s->probes[i];
	}
}

static void nodes_give(struct few_samples *f)
{
	for (uint32_t i = 1; i < f->p->thread->n_nodes; i++) {
		struct paths *paths = paths_of(f, i);

		if (!paths)
			continue;
		paths->parts.ticks = paths->ticks - paths->kept;
		paths->parts.all = paths->below;
		f->s->below[i] = division_part(&paths->parts, below_samples(&f->p->owned[i]));
	}
}

static void regions_make(struct few_samples *f)
{
	struct short_intervals *s = f->s;

	s->regions = xrealloc(s->regions, s->n_regions + 1, sizeof(*s->regions));
	for (size_t i = 0; i < f->keys.n; i++) {
		const struct paths *paths = &f->list[i];

		if (paths->region)
			s->regions[paths->region - 1] =
				(struct mixed_pool){ .n = paths->own + paths->below,
						     .region = MIXED_NO_POOL,
						     .ticks = paths->ticks - paths->probes };
	}
}

void few_samples_share(struct short_intervals *s, const struct projection *p, const uint64_t *measured,
		       const uint64_t *cost)
{
	size_t n = p->thread->n_nodes;
	struct few_samples f = { .p = p,
				 .s = s,
				 .measured = measured,
				 .cost = cost,
				 .inclusive = xcalloc(n, sizeof(*f.inclusive)),
				 .anchor_of = xcalloc(n, sizeof(*f.anchor_of)),
				 .first = xcalloc(n, sizeof(*f.first)),
				 .of = xcalloc(n, sizeof(*f.of)) };

	samples_sum(&f);
	anchors_find(&f);
	paths_find(&f);
	paths_go_up(&f);
	nodes_keep(&f);
	nodes_give(&f);
	regions_make(&f);
	int_map_release(&f.keys);
	free(f.list);
	free(f.inclusive);
	free(f.anchor_of);
	free(f.first);
	free(f.of);
}
