/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mixed_rows.h"

#include <math.h>
#include <stdlib.h>

#include "file/self_samples.h"
#include "lib/array.h"
#include "lib/int_map.h"
#include "profile.h"

/* ---- the session ----------------------------------------------------------------------------- */

static void refused_add(struct mixed_totals *totals, const struct data *data, uint64_t n)
{
	totals->refused += n;
	if (!totals->refused_errno)
		totals->refused_errno = data->header->self_errno;
}

static void totals_add_merged(struct mixed_totals *totals, const struct data *data)
{
	const struct merged_totals *t = &data->merged->totals;

	totals->counted_functions += (uint64_t)t->counted_functions;
	totals->counted_sites += (uint64_t)t->counted_sites;
	totals->without += (uint64_t)t->unsampled;
	totals->processes += (uint64_t)t->sampled;
	totals->own += (uint64_t)t->self_sampled;
	totals->kept += (uint64_t)t->samples_kept;
	totals->joined += (uint64_t)t->samples_joined;
	totals->stubs += (uint64_t)t->samples_stubs;
	totals->probes += (uint64_t)t->samples_probes;
	totals->runtime += (uint64_t)t->samples_runtime;
	totals->truncated += (uint64_t)t->samples_truncated;
	totals->no_thread += (uint64_t)t->samples_no_thread;
	totals->no_interval += (uint64_t)t->samples_no_interval;
	totals->out_of_time += (uint64_t)t->samples_out_of_time;
	totals->lost += (uint64_t)t->samples_lost;
	totals->tree_ns += (long double)t->tree_time / (1 << CINSTR_MERGED_FRACTION);
	totals->kernel_ns += (long double)t->kernel_time / (1 << CINSTR_MERGED_FRACTION);
	refused_add(totals, data, (uint64_t)t->self_refused);
}

void mixed_totals_add(struct mixed_totals *totals, const struct data *data, long double ns_per_tick)
{
	const struct mixed_samples *s = data->mixed ? &data->mixed->samples : NULL;

	if (data->merged) {
		totals_add_merged(totals, data);
		return;
	}
	totals->counted_functions += data->counters ? data->counters->n_functions : 0;
	totals->counted_sites += data->counters ? data->counters->n_sites : 0;
	totals->without += data->header->mixed && !s;
	refused_add(totals, data, data->header->self_refused);
	if (!s)
		return;
	totals->processes++;
	totals->own += !data->mixed->sampled;
	totals->rare += data->mixed->sampled ? 0 : self_samples_rare(data);
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
		*(counter_is_bytes(counters[i].code)  ? &totals->counted_bytes
		  : counter_is_site(counters[i].code) ? &totals->counted_by_site
						      : &totals->counted) += counters[i].n;
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

/* Returns whether samples tell what the node had with all that it called: not if that is the whole
 * of what they have divided. */
static int is_inclusive_told(const struct data_thread *thread, size_t node)
{
	const struct mixed_cell *about = mixed_short(thread, node), *above;
	size_t parent = thread->nodes[node].parent;

	while (parent && CINSTR_CELL_KIND(thread->nodes[parent].cell->tag) == CINSTR_CELL_LINE)
		parent = thread->nodes[parent].parent;
	above = mixed_short(thread, parent);
	return about && above &&
	       thread->mixed->pools[about->pool].region == thread->mixed->pools[above->pool].region;
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
		return is_inclusive_told(thread, node) ? SOURCE_ESTIMATE | SOURCE_TIMED : SOURCE_TIMED;
	return (about->on_cpu ? SOURCE_ESTIMATE : 0) | (cell->ticks > about->kept ? SOURCE_TIMED : 0);
}

/* ---- how far from the truth ------------------------------------------------------------------ */

/* Samples of a row among those of one pool, inclusive and exclusive. */
struct tally {
	uint32_t row, pool;
	uint64_t n[2];
};

/* Of a counted function in the thread: calls, and samples of all its estimates. */
struct counted_function {
	uint64_t calls, samples;
};

struct mixed_tally {
	struct int_map numbers; /* (row, pool) */
	struct tally *list;
	size_t size;
	struct int_map codes; /* numbers of functions */
	struct counted_function *functions;
	size_t n_functions;
	uint32_t *row_of;      /* by node: number + 1 of the row that has its own time */
	long double *edges[2]; /* by row: calls between it and others */
	size_t n_edges[2];
	int is_settled; /* the rows have their uncertainty */
};

static struct counted_function *function_of(struct mixed_tally *tally, uint32_t code)
{
	int is_new;
	uint32_t number = int_map_add(&tally->codes, CINSTR_CODE_WORD(code), &is_new);

	ARRAY_REACH_ZEROED(tally->functions, number, tally->n_functions);
	return &tally->functions[number];
}

static int is_function(const struct cinstr_cell *cell)
{
	return CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FRAME;
}

static void functions_find(struct mixed_tally *tally, const struct data *data,
			   const struct data_thread *thread)
{
	size_t n;
	const struct data_counter *counters = counters_of_thread(data, thread, &n);
	const struct mixed_thread *mixed = thread->mixed;

	for (size_t i = 0; i < n; i++)
		if (counter_is_function(counters[i].code))
			function_of(tally, counters[i].code)->calls += counters[i].n;
	for (uint32_t i = 0; i < mixed->n_cells; i++)
		if (mixed->about[i].is_estimate && is_function(&mixed->cells[i]))
			function_of(tally, mixed->cells[i].func)->samples += mixed->about[i].samples;
}

struct mixed_tally *mixed_tally_new(const struct data *data, const struct data_thread *thread)
{
	struct mixed_tally *tally;

	if (!thread->mixed || !thread->mixed->n_pools)
		return NULL;
	tally = xcalloc(1, sizeof(*tally));
	tally->row_of = xcalloc(thread->n_nodes, sizeof(*tally->row_of));
	functions_find(tally, data, thread);
	return tally;
}

static void tally_release(struct mixed_tally *tally)
{
	int_map_release(&tally->numbers);
	int_map_release(&tally->codes);
	free(tally->list);
	free(tally->functions);
	free(tally->row_of);
	free(tally->edges[CINSTR_INCLUSIVE]);
	free(tally->edges[CINSTR_EXCLUSIVE]);
	free(tally);
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

/* ---- between functions ----------------------------------------------------------------------- */

/*
 * A sample has the address of the instruction that was to end next. Those that end in one cycle
 * with another one have none of the time: where a function begins and ends, up to a cycle of a call
 * may be the neighbour's. It is the same in each call, so that many samples know it no better.
 */
#define EDGE_NS 0.35L
#define UNIFORM 12.0L /* (width of a uniform distribution)^2 / its variance */

/* How often the estimate was called: of the function's calls its part of the samples. */
static long double calls_of(struct mixed_tally *tally, const struct cinstr_cell *cell, uint64_t samples)
{
	const struct counted_function *f = is_function(cell) ? function_of(tally, cell->func) : NULL;

	return f && f->samples ? (long double)f->calls * (long double)samples / (long double)f->samples : 0;
}

static void edge_add(struct mixed_tally *tally, uint32_t row, int which, long double calls)
{
	ARRAY_REACH_ZEROED(tally->edges[which], row, tally->n_edges[which]);
	tally->edges[which][row] += calls;
}

/* Parents come before children. */
static void tally_edges(const struct addition *a, uint32_t row, const struct mixed_cell *about, size_t node,
			unsigned parts)
{
	struct mixed_tally *tally = a->tally;
	uint32_t parent = tally->row_of[a->thread->nodes[node].parent];
	long double calls;

	if (parts & ADD_EXCLUSIVE)
		tally->row_of[node] = row + 1;
	if (!about->is_estimate || parent == row + 1)
		return;
	calls = calls_of(tally, a->thread->nodes[node].cell, about->samples);
	if (parts & ADD_INCLUSIVE)
		edge_add(tally, row, CINSTR_INCLUSIVE, calls);
	if (!(parts & ADD_EXCLUSIVE))
		return;
	edge_add(tally, row, CINSTR_EXCLUSIVE, calls);
	if (parent)
		edge_add(tally, parent - 1, CINSTR_EXCLUSIVE, calls);
}

/* Where the variance of row `number` is summed: of rows that are not made yet in the stream. */
static long double *variance_at(struct profile *profile, size_t number, int which)
{
	struct sums *sums;

	if (profile->stream.list)
		return &profile->stream.variances[number][which];
	sums = &profile->rows[number].sums;
	return which == CINSTR_INCLUSIVE ? &sums->variance_inclusive : &sums->variance_exclusive;
}

static void edges_end(const struct addition *a)
{
	size_t n_rows = a->profile->stream.list ? a->profile->stream.n : a->profile->n_rows;

	for (int which = CINSTR_INCLUSIVE; which <= CINSTR_EXCLUSIVE; which++)
		for (size_t i = 0; i < a->tally->n_edges[which] && i < n_rows; i++) {
			long double ns = a->tally->edges[which][i] * EDGE_NS;

			*variance_at(a->profile, i, which) += ns * ns / UNIFORM;
		}
}

/* ---- samples of rows ------------------------------------------------------------------------- */

/* Returns the number of the pool whose samples tell the ticks. */
static uint32_t told_by(const struct mixed_thread *mixed, uint32_t pool)
{
	uint32_t region = mixed->pools[pool].region;

	return region == MIXED_NO_POOL ? pool : region;
}

static void tally_node(const struct addition *a, uint32_t number, const struct mixed_cell *about, size_t node,
		       unsigned parts)
{
	uint32_t pool;

	if (about->pool == MIXED_NO_POOL)
		return;
	pool = told_by(a->thread->mixed, about->pool);
	tally_edges(a, number, about, node, parts);
	if ((about->is_estimate || pool != about->pool) && parts & ADD_INCLUSIVE)
		tally_add(a->tally, number, pool, CINSTR_INCLUSIVE, about->inclusive_samples);
	if (!(parts & ADD_EXCLUSIVE))
		return;
	if (about->is_estimate)
		tally_add(a->tally, number, pool, CINSTR_EXCLUSIVE, about->samples);
	else if (!addition_is_line(a, node)) /* source lines share what their function has */
		tally_add(a->tally, number, pool, CINSTR_EXCLUSIVE, a->thread->mixed->pools[about->pool].own);
}

/*
 * Of n samples of N: the square of what the share of the pool's ticks is off by, one standard
 * deviation (Agresti and Coull: with two more samples of each kind, so that it is not 0 for none
 * and for all). Of the stubs' time, which is taken off, all or nothing may have been beside the
 * functions' own work, as the processor does several things at once.
 */
static long double variance_of(const struct mixed_pool *pool, uint64_t n)
{
	long double all = (long double)pool->n + 4, p = ((long double)n + 2) / all;
	long double ticks = (long double)pool->ticks, stubs = 0;
	long double spread = pool->spread > 0 ? pool->spread : ticks * ticks / all;

	if (pool->n > pool->stubs)
		stubs = (long double)pool->stub_ticks * (long double)n / (long double)(pool->n - pool->stubs);
	return spread * p * (1 - p) + stubs * stubs / UNIFORM;
}

void mixed_tally_settle(const struct addition *a)
{
	struct mixed_tally *tally = a->tally;

	if (!tally || tally->is_settled)
		return;
	for (size_t i = 0; i < tally->numbers.n; i++) {
		const struct tally *t = &tally->list[i];
		const struct mixed_pool *pool = &a->thread->mixed->pools[t->pool];
		long double scale = a->ns_per_tick * a->ns_per_tick;

		if (t->n[CINSTR_INCLUSIVE])
			*variance_at(a->profile, t->row, CINSTR_INCLUSIVE) +=
				scale * variance_of(pool, t->n[CINSTR_INCLUSIVE]);
		*variance_at(a->profile, t->row, CINSTR_EXCLUSIVE) +=
			scale * variance_of(pool, t->n[CINSTR_EXCLUSIVE]);
	}
	edges_end(a);
	tally->is_settled = 1;
}

void mixed_tally_end(struct addition *a)
{
	mixed_tally_settle(a);
	if (a->tally)
		tally_release(a->tally);
	a->tally = NULL;
}

void mixed_tally_add(const struct addition *a, uint32_t number, size_t node, unsigned parts)
{
	const struct mixed_cell *about = a->tally ? mixed_cell(a->thread, a->thread->nodes[node].cell) : NULL;

	if (about)
		tally_node(a, number, about, node, parts);
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
	if (a->tally && !a->tally->is_settled)
		tally_node(a, (uint32_t)(row - a->profile->rows), about, node, parts);
	row->is_partly_timed |= (uint8_t)(about->is_estimate != 0);
}

void mixed_row_add_part(const struct addition *a, struct row *row, size_t node)
{
	uint8_t source = (uint8_t)source_of(a->thread, node, CINSTR_EXCLUSIVE);

	row->source[CINSTR_INCLUSIVE] |= source;
	row->source[CINSTR_EXCLUSIVE] |= source;
}

unsigned mixed_row_source(const struct row *row, enum value_kind kind)
{
	int is_inclusive = kind == VALUE_ELAPSED_INCLUSIVE || kind == VALUE_APPLICATION_INCLUSIVE;

	return row->source[is_inclusive ? CINSTR_INCLUSIVE : CINSTR_EXCLUSIVE];
}

int mixed_row_is_estimate(const struct row *row, enum value_kind kind)
{
	return (mixed_row_source(row, kind) & SOURCE_ESTIMATE) != 0;
}

const char *mixed_source_word(unsigned source)
{
	static const char *const words[] = { NULL, "timed", "estimate", "both" };

	return words[source & (SOURCE_TIMED | SOURCE_ESTIMATE)];
}

const char *mixed_bound_word(int are_calls_least)
{
	return are_calls_least ? "at least" : "exact";
}

void mixed_row_add_whole(struct row *row)
{
	row->source[CINSTR_INCLUSIVE] = row->source[CINSTR_EXCLUSIVE] = SOURCE_TIMED;
}
