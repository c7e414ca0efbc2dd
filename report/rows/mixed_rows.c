/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixed_rows.c - see mixed_rows.h. */
#include "mixed_rows.h"

#include <math.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/int_map.h"
#include "profile.h"

/* ---- the session ----------------------------------------------------------------------------- */

void mixed_totals_add(struct mixed_totals *totals, const struct data *data, long double ns_per_tick)
{
	const struct mixed_samples *s = data->mixed ? &data->mixed->samples : NULL;

	totals->counted_functions += data->counters ? data->counters->n_functions : 0;
	totals->counted_sites += data->counters ? data->counters->n_sites : 0;
	totals->without += data->header->mixed && !s;
	totals->refused += data->header->self_refused;
	if (!totals->refused_errno)
		totals->refused_errno = data->header->self_errno;
	if (!s)
		return;
	totals->processes++;
	totals->own += !data->mixed->sampled;
	totals->kept += s->kept;
	totals->joined += s->joined;
	totals->stubs += s->stubs;
	totals->probes += s->probes;
	totals->runtime += s->runtime;
	totals->truncated += s->truncated;
	totals->no_thread += s->no_thread;
	totals->no_interval += s->no_interval;
	totals->out_of_time += s->out_of_time;
	totals->lost += s->lost;
	if (!s->kernel_ns)
		return;
	totals->kernel_ns += (long double)s->kernel_ns;
	totals->tree_ns += (long double)s->tree_ticks * ns_per_tick;
}

void mixed_totals_add_thread(struct mixed_totals *totals, const struct data *data,
			     const struct data_thread *thread)
{
	size_t n;
	const struct data_counter *counters = counters_of_thread(data, thread, &n);

	for (size_t i = 0; i < n; i++)
		*(counter_is_site(counters[i].code) ? &totals->counted_by_site : &totals->counted) +=
			counters[i].n;
}

/* ---- where values come from ------------------------------------------------------------------ */

/* Whether something that was timed is in the estimate's inclusive time. */
static int has_timed_below(const struct data_thread *thread, size_t node)
{
	for (size_t i = node + 1; i <= thread->nodes[node].last; i++)
		if (!mixed_is_estimate(thread, i) && thread->nodes[i].cell->ticks)
			return 1;
	return 0;
}

static unsigned source_of(const struct data_thread *thread, size_t node, int which)
{
	const struct cinstr_cell *cell = thread->nodes[node].cell;
	const struct mixed_cell *about = mixed_cell(thread, cell);

	if (!about)
		return cell->ticks || cell->calls || thread->nodes[node].last != node ? SOURCE_TIMED : 0;
	if (about->is_estimate)
		return which == CINSTR_INCLUSIVE && has_timed_below(thread, node)
			       ? SOURCE_ESTIMATE | SOURCE_TIMED
			       : SOURCE_ESTIMATE;
	if (which == CINSTR_INCLUSIVE)
		return SOURCE_TIMED;
	return (about->on_cpu ? SOURCE_ESTIMATE : 0) | (cell->ticks > about->kept ? SOURCE_TIMED : 0);
}

/* ---- how far from the truth ------------------------------------------------------------------ */

/* Samples of a row among those of one pool, inclusive and exclusive. */
struct tally {
	uint32_t row, pool;
	uint64_t n[2];
};

struct mixed_tally {
	struct int_map numbers; /* (row, pool) */
	struct tally *list;
	size_t size;
};

struct mixed_tally *mixed_tally_new(const struct data_thread *thread)
{
	return thread->mixed && thread->mixed->n_pools ? xcalloc(1, sizeof(struct mixed_tally)) : NULL;
}

static void tally_add(struct mixed_tally *tally, uint32_t row, uint32_t pool, int which, uint64_t n)
{
	int is_new;
	uint32_t number = int_map_add(&tally->numbers, int_map_pair(row, pool), &is_new);

	ARRAY_ROOM(tally->list, number, tally->size, 64);
	if (is_new)
		tally->list[number] = (struct tally){ row, pool, { 0 } };
	tally->list[number].n[which] += n;
}

static void tally_node(const struct addition *a, const struct row *row, const struct mixed_cell *about,
		       size_t node, unsigned parts)
{
	uint32_t number = (uint32_t)(row - a->profile->rows);

	if (about->pool == MIXED_NO_POOL)
		return;
	if (about->is_estimate && parts & ADD_INCLUSIVE)
		tally_add(a->tally, number, about->pool, CINSTR_INCLUSIVE, about->inclusive_samples);
	if (!(parts & ADD_EXCLUSIVE))
		return;
	if (about->is_estimate)
		tally_add(a->tally, number, about->pool, CINSTR_EXCLUSIVE, about->samples);
	else if (!addition_is_line(a, node)) /* source lines share what their function has */
		tally_add(a->tally, number, about->pool, CINSTR_EXCLUSIVE,
			  a->thread->mixed->pools[about->pool].own);
}

/*
 * Of n samples of N: the square of what the share of the pool's ticks is off by, one standard
 * deviation (Agresti and Coull: with two more samples of each kind, so that it is not 0 for none
 * and for all). /
 */
static long double variance_of(const struct mixed_pool *pool, uint64_t n)
{
	long double all = (long double)pool->n + 4, p = ((long double)n + 2) / all;
	long double ticks = (long double)pool->ticks;

	return ticks * ticks * p * (1 - p) / all;
}

void mixed_tally_end(struct addition *a)
{
	struct mixed_tally *tally = a->tally;

	for (size_t i = 0; tally && i < tally->numbers.n; i++) {
		const struct tally *t = &tally->list[i];
		const struct mixed_pool *pool = &a->thread->mixed->pools[t->pool];
		struct sums *sums = &a->profile->rows[t->row].sums;
		long double scale = a->ns_per_tick * a->ns_per_tick;

		if (t->n[CINSTR_INCLUSIVE])
			sums->variance_inclusive += scale * variance_of(pool, t->n[CINSTR_INCLUSIVE]);
		sums->variance_exclusive += scale * variance_of(pool, t->n[CINSTR_EXCLUSIVE]);
	}
	if (tally) {
		int_map_release(&tally->numbers);
		free(tally->list);
	}
	free(tally);
	a->tally = NULL;
}

void mixed_row_add(const struct addition *a, struct row *row, size_t node, unsigned parts)
{
	const struct cinstr_cell *cell = a->thread->nodes[node].cell;
	const struct mixed_cell *about = mixed_cell(a->thread, cell);

	if (parts & ADD_INCLUSIVE)
		row->source[CINSTR_INCLUSIVE] |= (uint8_t)source_of(a->thread, node, CINSTR_INCLUSIVE);
	if (parts & ADD_EXCLUSIVE)
		row->source[CINSTR_EXCLUSIVE] |= (uint8_t)source_of(a->thread, node, CINSTR_EXCLUSIVE);
	if (!about)
		return;
	if (a->tally)
		tally_node(a, row, about, node, parts);
	row->is_partly_timed |= (uint8_t)(about->is_estimate != 0);
}

void mixed_row_add_part(const struct addition *a, struct row *row, size_t node)
{
	uint8_t source = (uint8_t)source_of(a->thread, node, CINSTR_EXCLUSIVE);

	row->source[CINSTR_INCLUSIVE] |= source;
	row->source[CINSTR_EXCLUSIVE] |= source;
}

int mixed_row_is_estimate(const struct row *row, enum value_kind kind)
{
	int is_inclusive = kind == VALUE_ELAPSED_INCLUSIVE || kind == VALUE_APPLICATION_INCLUSIVE;

	return (row->source[is_inclusive ? CINSTR_INCLUSIVE : CINSTR_EXCLUSIVE] & SOURCE_ESTIMATE) != 0;
}

void mixed_row_add_whole(struct row *row)
{
	row->source[CINSTR_INCLUSIVE] = row->source[CINSTR_EXCLUSIVE] = SOURCE_TIMED;
}
