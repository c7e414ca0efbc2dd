/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "profile.h"
#include "session/twins.h"
#include "uncertainty.h"

#define PARTS_MOST 4000000

/* data: of the process; NULL: it was merged. */
static uint32_t process_new(struct profile *profile, uint32_t rank_after, uint32_t pid, const char *host,
			    const struct data *data)
{
	struct spreads *spreads = &profile->spreads;
	STRBUF(text);

	strbuf_puts(&text, rank_after ? "rank " : "pid ");
	if (!rank_after && data)
		twins_put(&text, data);
	else
		strbuf_printf(&text, "%u", rank_after ? rank_after - 1 : pid);
	ARRAY_ROOM(spreads->processes, spreads->n, spreads->size_processes, 64);
	spreads->processes[spreads->n] =
		(struct spread_process){ .who = map_keep(&profile->strings, text.text),
					 .host = host && *host ? map_keep(&profile->strings, host) : NULL,
					 .rank_after = rank_after,
					 .pid = pid };
	return (uint32_t)spreads->n++;
}

static void reach_rows(struct profile *profile)
{
	struct spreads *spreads = &profile->spreads;

	/* most rows come with the first process */
	size_t size = profile->n_rows + profile->n_rows / 8;

	if (profile->n_rows <= spreads->size)
		return;
	spreads->list = xrealloc(spreads->list, size, sizeof(*spreads->list));
	memset(spreads->list + spreads->size, 0, (size - spreads->size) * sizeof(*spreads->list));
	spreads->size = size;
}

/* Of several who have the same the first. */
static void add_extremes(struct spread_sums *s, long double least, uint32_t who_least, long double most,
			 uint32_t who_most)
{
	if (!s->n || least < s->least) {
		s->least = least;
		s->who_least = who_least;
	}
	if (!s->n || most > s->most) {
		s->most = most;
		s->who_most = who_most;
	}
}

static long double value_of(const struct spreads *spreads, const struct row *row)
{
	switch (spreads->of) {
	case SPREAD_CALLS:
		return (long double)row->calls;
	case SPREAD_ELAPSED_INCLUSIVE:
		return row->sums.elapsed_inclusive;
	case SPREAD_ELAPSED_EXCLUSIVE:
		return row->sums.elapsed_exclusive;
	case SPREAD_APPLICATION_INCLUSIVE:
		return row->sums.application_inclusive;
	case SPREAD_APPLICATION_EXCLUSIVE:
		return row->sums.application_exclusive;
	default:
		return uncertainty_cpu(&row->sums, 0);
	}
}

static void seen(const struct spreads *spreads, struct spread_sums *s, const struct row *row)
{
	s->before = value_of(spreads, row);
	s->calls_before = row->calls;
	s->inclusive_before = row->sums.elapsed_inclusive;
}

/* Tells whether the process that was added last has the row: also where it only goes on with a
 * call of the process that it was forked by, and all of that time is the probes'. */
static int process_has(const struct spread_sums *s, const struct row *row, long double part)
{
	return part > 0 || row->calls > s->calls_before || row->sums.elapsed_inclusive > s->inclusive_before;
}

static void add_square(long double *squares, long double value)
{
	*squares += value * value;
}

/* Of paths data files are read twice, and totals are added the first time. */
static void totals_add(struct profile *profile, const struct data *data)
{
	struct spread_totals *t = &profile->spreads.totals;
	const struct merged *merged = data->merged;

	if (profile->paths.row_of)
		return;
	for (uint32_t i = 0; merged && i < merged->head->n_contributors; i++) {
		add_square(&t->elapsed_squares, (long double)merged->contributors[i].elapsed);
		add_square(&t->application_squares, (long double)merged->contributors[i].application);
	}
	if (!merged) {
		add_square(&t->elapsed_squares, profile->totals.elapsed - t->elapsed);
		add_square(&t->application_squares, profile->totals.application - t->application);
	}
	t->elapsed = profile->totals.elapsed;
	t->application = profile->totals.application;
}

static void part_keep(struct spreads *spreads, uint32_t row, uint32_t process, long double value)
{
	if (!spreads->keeps_parts)
		return;
	if (spreads->n_parts == PARTS_MOST) { /* then of no row */
		spreads->keeps_parts = 0;
		spreads->n_parts = 0;
		return;
	}
	ARRAY_ROOM(spreads->parts, spreads->n_parts, spreads->size_parts, 256);
	spreads->parts[spreads->n_parts++] = (struct spread_part){ row, process, value };
}

void spreads_process_end(struct profile *profile, const struct data *data)
{
	struct spreads *spreads = &profile->spreads;
	uint32_t who;

	if (!spreads->is_wanted)
		return;
	totals_add(profile, data);
	if (profile->by == BY_PATH && !profile->paths.row_of)
		return;
	reach_rows(profile);
	if (data->merged) {
		spreads->has_merged = 0;
		spreads->n_merged++;
		for (size_t i = 0; i < profile->n_rows; i++)
			seen(spreads, &spreads->list[i], &profile->rows[i]);
		return;
	}
	spreads->n_alone++;
	who = process_new(profile, process_rank_after(data), data->header->pid, process_host(data), data);
	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct row *row = &profile->rows[i];
		struct spread_sums *s = &spreads->list[i];
		long double part = fmaxl(value_of(spreads, row) - s->before, 0);

		if (process_has(s, row, part)) {
			s->squares += part * part;
			add_extremes(s, part, who, part, who);
			s->n++;
			part_keep(spreads, (uint32_t)i, who, part);
		}
		seen(spreads, s, row);
	}
}

/* ---- what was merged ------------------------------------------------------------------------- */

/* The module that the path ends in: builds have one each. */
static uint64_t build_bit(const struct data *data, const struct cinstr_cell *cell)
{
	uint32_t code =
		cell->func && CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FRAME ? cell->func : cell->site;
	const struct module *module = code ? modules_by_code(&data->modules, code) : NULL;

	return module ? 1ull << ((size_t)(module - data->modules.list) % 64) : 0;
}

static enum cinstr_merged_value merged_value_of(const struct spreads *spreads)
{
	static const enum cinstr_merged_value values[] = {
		[SPREAD_CPU] = CINSTR_MERGED_CE,
		[SPREAD_CALLS] = CINSTR_MERGED_CALLS,
		[SPREAD_ELAPSED_INCLUSIVE] = CINSTR_MERGED_EI,
		[SPREAD_ELAPSED_EXCLUSIVE] = CINSTR_MERGED_EE,
		[SPREAD_APPLICATION_INCLUSIVE] = CINSTR_MERGED_AI,
		[SPREAD_APPLICATION_EXCLUSIVE] = CINSTR_MERGED_AE,
	};

	return values[spreads->of];
}

/* Of a path, over all contributors. */
static long double sum_of_node(const struct addition *a, size_t node)
{
	const struct node_values *v = values_at(a->values, node);
	const struct ticks *t = &v->exclusive;

	switch (a->profile->spreads.of) {
	case SPREAD_CALLS:
		return (long double)a->thread->nodes[node].cell->calls;
	case SPREAD_ELAPSED_INCLUSIVE:
		return (long double)v->inclusive.elapsed * a->ns_per_tick;
	case SPREAD_ELAPSED_EXCLUSIVE:
		return (long double)t->elapsed * a->ns_per_tick;
	case SPREAD_APPLICATION_INCLUSIVE:
		return (long double)v->inclusive.application * a->ns_per_tick;
	case SPREAD_APPLICATION_EXCLUSIVE:
		return (long double)t->application * a->ns_per_tick;
	default:
		return t->elapsed > t->off_cpu ? (long double)(t->elapsed - t->off_cpu) * a->ns_per_tick : 0;
	}
}

static void add_bound(struct spread_sums *s, const struct merged_statistic *of, long double sum, uint32_t n)
{
	long double mean = sum / (long double)n;
	long double variance = (long double)of->squares / (long double)n - mean * mean;

	s->bound += variance > 0 ? sqrtl(variance) : 0;
}

static void add_item(struct spread_sums *s, const struct data *data, const struct cinstr_cell *cell,
		     const struct merged_item *item, const struct merged_statistic *of, uint32_t first)
{
	uint64_t build = build_bit(data, cell);

	s->is_unknown |= !item->n_contributors || (s->builds && (!build || s->builds & build));
	s->builds |= build ? build : 1;
	s->squares += (long double)of->squares;
	add_extremes(s, (long double)of->least, first + of->who_least, (long double)of->most,
		     first + of->who_most);
	s->n += item->n_contributors;
}

static int own_value_of(const struct spreads *spreads)
{
	switch (spreads->of) {
	case SPREAD_CPU:
		return MERGED_OWN_CE;
	case SPREAD_ELAPSED_EXCLUSIVE:
		return MERGED_OWN_EE;
	case SPREAD_APPLICATION_EXCLUSIVE:
		return MERGED_OWN_AE;
	default:
		return -1;
	}
}

static int are_functions_known(const struct addition *a)
{
	return a->data->merged->has_functions && own_value_of(&a->profile->spreads) >= 0 &&
	       (a->profile->by == BY_FUNCTION || a->is_by_function);
}

/* A process may have both of two functions of a row: nothing is known of their sum. Two builds of a
 * module have the function once each; but not where all that is the system's is one row. */
static void add_function(struct spreads *spreads, struct spread_sums *s, const struct data *data,
			 const struct merged_function *f)
{
	const struct merged_statistic *of = &f->of[own_value_of(spreads)];
	const struct cinstr_cell cell = { .tag = CINSTR_CELL_FRAME, .func = f->func };
	uint64_t build =
		f->kind == CINSTR_CELL_FLAT_FRAME && !data->just_my_code ? build_bit(data, &cell) : 0;
	const long double ns = 1.0L / (1 << MERGED_OWN_FRACTION);

	s->is_unknown |= s->builds && (!build || s->builds & build);
	s->builds |= build ? build : UINT64_MAX;
	s->squares += (long double)of->squares * ns * ns;
	add_extremes(s, (long double)of->least * ns, spreads->merged + of->who_least,
		     (long double)of->most * ns, spreads->merged + of->who_most);
	s->n += f->n_contributors;
}

static void add_functions(const struct addition *a)
{
	struct profile *profile = a->profile;
	const struct merged *merged = a->data->merged;

	for (uint32_t i = 0; i < merged->n_functions; i++) {
		const struct merged_function *f = &merged->functions[i];
		const struct cinstr_cell cell = merged_function_cell(f);
		uint32_t entity = names_of_cell(profile->names, a->data, &cell), row;

		if (!f->n_contributors || entity == NAMES_NONE)
			continue;
		row = a->row_of_flat(profile, a->data, &cell, entity);
		reach_rows(profile);
		if (row != ROW_NONE)
			add_function(&profile->spreads, &profile->spreads.list[row], a->data, f);
	}
}

void spreads_merged_begin(const struct addition *a)
{
	struct profile *profile = a->profile;
	struct spreads *spreads = &profile->spreads;
	const struct merged *merged = a->data->merged;

	reach_rows(profile);
	if (spreads->has_merged)
		return;
	spreads->merged = (uint32_t)spreads->n;
	for (uint32_t i = 0; i < merged->head->n_contributors; i++)
		process_new(profile, merged->contributors[i].rank_after, merged->contributors[i].pid,
			    merged->contributors[i].host, NULL);
	spreads->has_merged = 1;
}

static void add_node(const struct addition *a, size_t node, uint32_t row, int by_function)
{
	const struct spreads *spreads = &a->profile->spreads;
	const struct merged *merged = a->data->merged;
	const struct cinstr_cell *cell = a->thread->nodes[node].cell;
	const struct merged_item *item = merged_item_of(merged, cell);
	const struct merged_statistic *of = item ? &item->of[merged_value_of(spreads)] : NULL;
	struct spread_sums *s = &spreads->list[row];

	if (!item || (!item->calls && !item->is_estimate))
		return;
	if (!by_function)
		add_item(s, a->data, cell, item, of, spreads->merged);
	add_bound(s, of, sum_of_node(a, node), merged->head->n_contributors);
	s->has_no_bound |= !item->n_contributors;
}

void spreads_add_node(const struct addition *a, size_t node, uint32_t row)
{
	add_node(a, node, row, 0);
}

void spreads_row_begin(struct spreads *spreads, uint32_t row)
{
	if (row < spreads->size)
		spreads->list[row] = (struct spread_sums){ 0 };
}

void spreads_add_merged(const struct addition *a)
{
	struct profile *profile = a->profile;
	struct spreads *spreads = &profile->spreads;
	int by_function;

	if (!spreads->is_wanted || !a->data->merged || profile_is_by_place(profile))
		return; /* of a part of a function nothing is kept */
	spreads_merged_begin(a);
	by_function = are_functions_known(a);
	if (by_function)
		add_functions(a);
	for (size_t i = 1; i < a->thread->n_nodes; i++)
		if (a->rows[i] != ROW_NONE)
			add_node(a, i, a->rows[i], by_function);
	if (profile->by == BY_PATH || by_function)
		return;
	for (size_t i = 0; i < a->thread->n_flat; i++) { /* of these nothing is known by process */
		uint32_t row = a->row_of_flat(profile, a->data, a->thread->flat[i],
					      names_of_cell(profile->names, a->data, a->thread->flat[i]));

		reach_rows(profile);
		if (row != ROW_NONE)
			spreads->list[row].is_unknown = spreads->list[row].has_no_bound = 1;
	}
}

/* ---- values ---------------------------------------------------------------------------------- */

int spread_of_row(const struct profile *profile, const struct row *row, struct spread *spread)
{
	const struct spreads *spreads = &profile->spreads;
	size_t number = (size_t)(row - profile->rows);
	const struct spread_sums *s;

	if (spreads->n < 2 || row < profile->rows || number >= profile->n_rows || number >= spreads->size)
		return -1;
	s = &spreads->list[number];
	if (!s->n || s->is_unknown)
		return -1;
	*spread = (struct spread){ .n = s->n,
				   .of = (uint32_t)spreads->n,
				   .mean = value_of(spreads, row) / (long double)spreads->n,
				   .least = s->least,
				   .most = s->most,
				   .squares = s->squares,
				   .who_least = spreads->processes[s->who_least].who,
				   .who_most = spreads->processes[s->who_most].who };
	return 0;
}

long double spread_deviation(const struct spread *s)
{
	long double variance = s->squares / (long double)s->of - s->mean * s->mean;

	return variance > 0 ? sqrtl(variance) : 0;
}

long double spread_imbalance(const struct spread *s)
{
	return s->mean > 0 ? fmaxl(s->most / s->mean - 1, 0) : 0;
}

long double spread_cost(const struct spread *s)
{
	return s->most > s->mean ? (s->most - s->mean) * (long double)s->of : 0;
}

long double spread_bound_of_row(const struct profile *profile, const struct row *row)
{
	const struct spreads *spreads = &profile->spreads;
	size_t number = (size_t)(row - profile->rows);
	const struct spread_sums *s;

	if (row < profile->rows || number >= profile->n_rows || number >= spreads->size)
		return -1;
	s = &spreads->list[number];
	/* of several files each path's deviation is that within its own */
	if (!s->n || s->has_no_bound || spreads->n_merged != 1 || spreads->n_alone)
		return -1;
	return s->bound;
}

long double spread_variance_of_total(const struct profile *profile, int is_application)
{
	const struct spread_totals *t = &profile->spreads.totals;
	long double n = (long double)profile->spreads.n;
	long double mean =
		n ? (is_application ? profile->totals.application : profile->totals.elapsed) / n : 0;
	long double squares = is_application ? t->application_squares : t->elapsed_squares;

	return n && squares / n > mean * mean ? squares / n - mean * mean : 0;
}

void spreads_release(struct spreads *spreads)
{
	free(spreads->list);
	free(spreads->processes);
	free(spreads->parts);
	*spreads = (struct spreads){ 0 };
}
