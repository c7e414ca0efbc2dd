/* SPDX-License-Identifier: GPL-3.0-or-later */
/* profile_flat.c - adds calls beyond the budget of paths to rows (profile.h): their time is in
 * MERGED nodes of the tree, and here by function and call site. The lengths of single calls are
 * known by function: the cell without a site has those of all. */
#include <stdlib.h>
#include <string.h>

#include "file/cell_details.h"
#include "lib/array.h"
#include "profile.h"

static void add_calls(const struct addition *a, struct row *row, const struct cinstr_cell *cell,
		      const struct node_values *values)
{
	if (profile_is_by_place(a->profile)) {
		row->entries += cell->calls;
	} else {
		struct calls_counted counted = counted_calls_of_cell(a, row, cell);

		row->untimed = (int64_t)((uint64_t)row->untimed - counted.untimed);
		row->calls += cell->calls - counted.n;
	}
	known_calls_note(a, row, cell, KNOWN_CALLS_FLAT);
	if (data_cell_is_jump(a->data, cell))
		row->tail_calls += cell->calls;
	row->activations_elapsed += (long double)values->inclusive.elapsed * a->ns_per_tick;
	row->activations_application += (long double)values->inclusive.application * a->ns_per_tick;
}

/* ---- lengths of calls ------------------------------------------------------------------------ */

/* FLAT cells of one function together. */
struct of_function {
	struct node_values values;
	uint64_t calls;
};

struct correction {
	const struct of_function *function;
	const struct counting *counting;
};

static int has_lengths(const struct addition *a)
{
	return a->has_flat_lengths && a->thread->n_flat && !profile_is_by_place(a->profile) &&
	       a->profile->by != BY_SITE;
}

/* By entity. */
static struct of_function *sums_make(const struct addition *a, const struct node_values *values)
{
	struct names *names = a->profile->names;
	struct of_function *sums = NULL;
	size_t size = 0;

	for (size_t i = 0; i < a->thread->n_flat; i++) {
		uint32_t entity = names_of_cell(names, a->data, a->thread->flat[i]);

		ARRAY_REACH_ZEROED(sums, entity, size);
		values_add(&sums[entity].values.inclusive, &values[i].inclusive);
		values_add(&sums[entity].values.exclusive, &values[i].exclusive);
		sums[entity].calls += a->thread->flat[i]->calls;
	}
	return sums;
}

static uint64_t corrected(const void *arg, uint64_t ticks)
{
	const struct correction *c = arg;

	return values_corrected_flat(&c->function->values, c->function->calls, c->counting, ticks);
}

static void add_lengths(const struct addition *a, struct row *row, const struct cinstr_cell *cell,
			const struct of_function *function)
{
	const struct counting *counting = &a->profile->counting;
	const struct correction correction = { function, counting };
	struct extremes extremes;

	values_extremes_flat(a->data, cell, &function->values, function->calls, counting, &extremes);
	if (extremes.shortest[VALUE_ELAPSED_INCLUSIVE] > extremes.longest[VALUE_ELAPSED_INCLUSIVE])
		return;
	addition_extremes(a, row, &extremes);
	addition_durations(a, row, cell, &extremes, corrected, &correction);
}

/* ---- rows ------------------------------------------------------------------------------------ */

void addition_flat_calls(const struct addition *a, struct row *row)
{
	struct node_values *values = values_make_flat(a->data, a->thread, &a->profile->counting);
	struct of_function *sums = a->thread->n_flat ? sums_make(a, values) : NULL;

	for (size_t i = 0; i < a->thread->n_flat; i++) {
		const struct cinstr_cell *cell = a->thread->flat[i];

		add_calls(a, row, cell, &values[i]);
		add_lengths(a, row, cell, &sums[names_of_cell(a->profile->names, a->data, cell)]);
	}
	free(sums);
	free(values);
}

/* Whether a row has inclusive time once per interval: which modules, which lines were on the stack
 * is not known. */
static int is_exact(const struct addition *a)
{
	const struct profile *profile = a->profile;

	return profile->by == BY_FUNCTION || profile->by == BY_SITE || profile->by == BY_CALLERS ||
	       a->is_by_function;
}

/* By row: whether it is on the way to a MERGED node, so that it has the time of what lies in
 * there. */
static uint8_t *rows_above_merged(const struct addition *a)
{
	const struct data_node *nodes = a->thread->nodes;
	uint8_t *is_above = xcalloc(a->profile->n_rows, sizeof(*is_above));

	for (size_t i = 0; i < a->thread->n_nodes; i++)
		if (CINSTR_CELL_KIND(nodes[i].cell->tag) == CINSTR_CELL_MERGED)
			for (uint32_t above = nodes[i].parent; above; above = nodes[above].parent)
				if (a->rows[above] != ROW_NONE)
					is_above[a->rows[above]] = 1;
	return is_above;
}

/* Calls beyond the budget of paths: their time is in MERGED nodes of the tree, and here by
 * function. */
void addition_flat(const struct addition *a)
{
	struct profile *profile = a->profile;
	const struct data *data = a->data;
	struct node_values *values = values_make_flat(data, a->thread, &profile->counting);
	FREED uint8_t *has_time = profile->by == BY_MODULE && a->thread->n_flat ? rows_above_merged(a) : NULL;
	struct of_function *sums = has_lengths(a) ? sums_make(a, values) : NULL;
	size_t n_before = profile->n_rows;

	for (size_t i = 0; i < a->thread->n_flat; i++) {
		const struct cinstr_cell *cell = a->thread->flat[i];
		uint32_t entity = names_of_cell(profile->names, data, cell);
		uint32_t number = a->row_of_flat(profile, data, cell, entity);
		struct os_tally tally;
		struct row *row;

		if (number == ROW_NONE)
			continue;
		addition_exclusive(a, number, &values[i].exclusive);
		if (is_exact(a))
			addition_inclusive(a, number, &values[i].inclusive);
		else if (!has_time || number >= n_before || !has_time[number])
			/* which modules, which lines were on the stack is not known: at least
			 * this */
			addition_inclusive(a, number, &values[i].exclusive);
		row = &profile->rows[number];
		row->source[CINSTR_INCLUSIVE] |= SOURCE_TIMED;
		row->source[CINSTR_EXCLUSIVE] |= SOURCE_TIMED;
		add_calls(a, row, cell, &values[i]);
		if (sums)
			add_lengths(a, row, cell, &sums[entity]);
		row_os(row)->is_partial = 1;
		if (!os_tally_of(&tally, data, a->thread, cell))
			continue;
		os_tally_add(&row->os->exclusive, &tally);
		if (tally.moved[CINSTR_AMOUNT_ALLOCATED].calls || tally.moved[CINSTR_AMOUNT_HELD].calls)
			counted_calls_add_own(a, counted_calls_row_of_caller(a, cell->site), &tally);
	}
	free(sums);
	free(values);
}
