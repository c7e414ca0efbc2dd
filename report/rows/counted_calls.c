/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counted_calls.c - see counted_calls.h. */
#include "counted_calls.h"

#include <stdlib.h>

#include "lib/array.h"
#include "profile.h"

/* Of a function whose ENTER sled has this code; NAMES_NONE: there is none. */
static uint32_t entity_of(struct names *names, const struct data *data, uint32_t code)
{
	const struct module *module = modules_by_code(&data->modules, code);
	const struct module_function *function = module ? module_function(module, code) : NULL;

	return function ? names_of_function(names, module, function) : NAMES_NONE;
}

void counted_calls_release(struct counted_calls *counted)
{
	free(counted->has);
	*counted = (struct counted_calls){ 0 };
}

void counted_calls_begin(struct counted_calls *counted, struct names *names, const struct data *data)
{
	size_t n = data->counters && counters_are_whole(data) ? data->counters->n_codes : 0;

	counted_calls_release(counted);
	for (size_t i = 0; i < n; i++) {
		uint32_t entity = entity_of(names, data, data->counters->codes[i]);

		if (entity == NAMES_NONE)
			continue;
		ARRAY_REACH_ZEROED(counted->has, entity, counted->n);
		counted->has[entity] = 1;
	}
}

int counted_calls_have(const struct addition *a, const struct cinstr_cell *cell)
{
	const struct counted_calls *counted = &a->profile->counted;
	uint32_t kind = CINSTR_CELL_KIND(cell->tag), entity;

	if (!counted->n || a->is_by_edge ||
	    (kind != CINSTR_CELL_CALL && kind != CINSTR_CELL_INDIRECT && kind != CINSTR_CELL_FLAT_CALL))
		return 0;
	entity = names_of_cell(&a->profile->names, a->data, cell);
	return entity < counted->n && counted->has[entity];
}

/* Where samples were joined, estimates are their time. */
static void add(const struct addition *a, struct row *row, uint64_t n)
{
	if (profile_is_by_place(a->profile))
		row->entries += n;
	else
		row->calls += n;
	row->untimed += a->thread->mixed ? 0 : (int64_t)n;
	row->is_partly_timed = 1;
}

void counted_calls_add(const struct addition *a)
{
	const struct data_counter *list;
	size_t n;

	if (!a->profile->counted.n || a->is_by_edge)
		return;
	list = counters_of_thread(a->data, a->thread, &n);
	for (size_t i = 0; i < n; i++) {
		const struct cinstr_cell cell = { .tag = CINSTR_CELL_FRAME, .func = list[i].code };
		uint32_t entity = entity_of(&a->profile->names, a->data, list[i].code);
		uint32_t number =
			entity == NAMES_NONE ? ROW_NONE : a->row_of_flat(a->profile, a->data, &cell, entity);

		if (number != ROW_NONE)
			add(a, &a->profile->rows[number], list[i].n);
	}
}

void counted_calls_add_whole(const struct addition *a, struct row *row)
{
	const struct data_counter *list;
	size_t n;

	if (!a->profile->counted.n)
		return;
	list = counters_of_thread(a->data, a->thread, &n);
	for (size_t i = 0; i < n; i++)
		add(a, row, list[i].n);
}
