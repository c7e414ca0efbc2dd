/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spread.c - see spread.h. */
#include "spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "profile.h"
#include "uncertainty.h"

static uint32_t who_new(struct profile *profile, uint32_t rank_after, uint32_t pid)
{
	struct spreads *spreads = &profile->spreads;
	struct strbuf text = { 0 };

	if (rank_after)
		strbuf_printf(&text, "rank %u", rank_after - 1);
	else
		strbuf_printf(&text, "pid %u", pid);
	ARRAY_ROOM(spreads->who, spreads->n, spreads->size_who, 64);
	spreads->who[spreads->n] = map_keep(&profile->strings, text.text);
	strbuf_release(&text);
	return (uint32_t)spreads->n++;
}

static void reach_rows(struct profile *profile)
{
	struct spreads *spreads = &profile->spreads;

	if (profile->n_rows)
		ARRAY_REACH_ZEROED(spreads->list, profile->n_rows - 1, spreads->size);
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

static void seen(struct spread_sums *s, const struct row *row)
{
	s->before = uncertainty_cpu(&row->sums, 0);
	s->calls_before = row->calls;
}

void spreads_process_end(struct profile *profile, const struct data *data)
{
	struct spreads *spreads = &profile->spreads;
	uint32_t who;

	if (!spreads->is_wanted || (profile->by == BY_PATH && !profile->paths.row_of))
		return;
	reach_rows(profile);
	if (data->merged) {
		spreads->has_merged = 0;
		for (size_t i = 0; i < profile->n_rows; i++)
			seen(&spreads->list[i], &profile->rows[i]);
		return;
	}
	who = who_new(profile, process_rank_after(data), data->header->pid);
	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct row *row = &profile->rows[i];
		struct spread_sums *s = &spreads->list[i];
		long double part = fmaxl(uncertainty_cpu(&row->sums, 0) - s->before, 0);

		if (part > 0 || row->calls > s->calls_before) {
			s->squares += part * part;
			add_extremes(s, part, who, part, who);
			s->n++;
		}
		seen(s, row);
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

static void add_item(struct spread_sums *s, const struct data *data, const struct cinstr_cell *cell,
		     const struct merged_item *item, uint32_t first)
{
	const struct merged_statistic *of = &item->of[CINSTR_MERGED_CE];
	uint64_t build = build_bit(data, cell);

	s->is_unknown |= !item->n_contributors || (s->builds && (!build || s->builds & build));
	s->builds |= build ? build : 1;
	s->squares += (long double)of->squares;
	add_extremes(s, (long double)of->least, first + of->who_least, (long double)of->most,
		     first + of->who_most);
	s->n += item->n_contributors;
}

void spreads_add_merged(const struct addition *a)
{
	struct profile *profile = a->profile;
	struct spreads *spreads = &profile->spreads;
	const struct merged *merged = a->data->merged;

	if (!spreads->is_wanted || !merged || profile_is_by_place(profile))
		return; /* of a part of a function nothing is kept */
	reach_rows(profile);
	if (!spreads->has_merged) {
		spreads->merged = (uint32_t)spreads->n;
		for (uint32_t i = 0; i < merged->head->n_contributors; i++)
			who_new(profile, merged->contributors[i].rank_after, merged->contributors[i].pid);
		spreads->has_merged = 1;
	}
	for (size_t i = 1; i < a->thread->n_nodes; i++) {
		const struct cinstr_cell *cell = a->thread->nodes[i].cell;
		const struct merged_item *item = merged_item_of(merged, cell);

		if (a->rows[i] != ROW_NONE && item && item->calls)
			add_item(&spreads->list[a->rows[i]], a->data, cell, item, spreads->merged);
	}
	if (profile->by == BY_PATH)
		return;
	for (size_t i = 0; i < a->thread->n_flat; i++) { /* of these nothing is known by process */
		uint32_t row = a->row_of_flat(profile, a->data, a->thread->flat[i],
					      names_of_cell(&profile->names, a->data, a->thread->flat[i]));

		reach_rows(profile);
		if (row != ROW_NONE)
			spreads->list[row].is_unknown = 1;
	}
}

/* ---- values ---------------------------------------------------------------------------------- */

int spread_of_row(const struct profile *profile, const struct row *row, struct spread *spread)
{
	const struct spreads *spreads = &profile->spreads;
	size_t number = (size_t)(row - profile->rows);
	const struct spread_sums *s;
	long double n = (long double)spreads->n, variance;

	if (spreads->n < 2 || row < profile->rows || number >= profile->n_rows || number >= spreads->size)
		return -1;
	s = &spreads->list[number];
	if (!s->n || s->is_unknown)
		return -1;
	*spread = (struct spread){ .n = s->n,
				   .mean = uncertainty_cpu(&row->sums, 0) / n,
				   .least = s->least,
				   .most = s->most,
				   .who_least = spreads->who[s->who_least],
				   .who_most = spreads->who[s->who_most] };
	variance = s->squares / n - spread->mean * spread->mean;
	spread->deviation = variance > 0 ? sqrtl(variance) : 0;
	spread->imbalance = spread->mean > 0 ? s->most / spread->mean - 1 : 0;
	spread->cost = s->most > spread->mean ? (s->most - spread->mean) * n : 0;
	return 0;
}

void spreads_release(struct spreads *spreads)
{
	free(spreads->list);
	free(spreads->who);
	*spreads = (struct spreads){ 0 };
}
