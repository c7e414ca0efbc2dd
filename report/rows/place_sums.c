/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "place_sums.h"

#include <stdlib.h>
#include <string.h>

#define TAILS_MAX 16 /* tail calls, one after another, until nobody looks for the first any more */
/* among which the caller of a tail call is looked for: a damaged file may have millions */
#define SIBLINGS_MAX 1000

/* ---- rows ------------------------------------------------------------------------------------ */

static uint32_t kind_of(const struct addition *a, uint32_t node)
{
	return CINSTR_CELL_KIND(a->thread->nodes[node].cell->tag);
}

static int is_called(const struct addition *a, uint32_t node)
{
	uint32_t kind = kind_of(a, node);

	return a->thread->nodes[node].cell->site &&
	       (kind == CINSTR_CELL_FRAME || kind == CINSTR_CELL_CALL || kind == CINSTR_CELL_INDIRECT);
}

/* The function that the site's sled is in: code of its ENTER sled; 0: not known. */
static uint32_t function_of_site(const struct data *data, uint32_t code)
{
	const struct module *module = modules_by_code(&data->modules, code);
	const struct module_site *site = module ? module_site(module, code) : NULL;

	return site ? module->functions[site->function].code : 0;
}

static int is_tail(const struct cinstr_cell *cell)
{
	return CINSTR_CODE_KIND(cell->site) == CINSTR_EV_TAIL;
}

/* Of the calls of function `func` from the parent: the one that is most frequent, rather than one
 * in another's place. NULL: there is none. */
static const struct cinstr_cell *call_of(const struct addition *a, uint32_t parent, uint32_t func)
{
	const struct data_node *nodes = a->thread->nodes;
	const struct cinstr_cell *best = NULL;
	uint32_t n = 0;

	for (uint32_t i = parent + 1; i <= nodes[parent].last && n++ < SIBLINGS_MAX; i = nodes[i].last + 1) {
		const struct cinstr_cell *cell = nodes[i].cell;

		if (kind_of(a, i) != CINSTR_CELL_FRAME || cell->func != func || !cell->site)
			continue;
		if (!best || is_tail(best) > is_tail(cell) ||
		    (is_tail(best) == is_tail(cell) && best->calls < cell->calls))
			best = cell;
	}
	return best;
}

/*
 * The call in function `func`, below whose frame the node hangs. What was reached from there by
 * several tail calls may hang there, too (R15): then that of the first of them. 0: not known.
 */
static uint32_t site_in(const struct addition *a, uint32_t node, uint32_t func)
{
	const struct cinstr_cell *cell = a->thread->nodes[node].cell;

	for (int i = 0; i < TAILS_MAX; i++) {
		uint32_t owner = function_of_site(a->data, cell->site);

		if (!cell->site || owner == func)
			return cell->site;
		cell = is_tail(cell) ? call_of(a, a->thread->nodes[node].parent, owner) : NULL;
		if (!cell)
			return 0;
	}
	return 0;
}

/* The frame a node is in: itself, or that of a line; 0: none. */
static uint32_t frame_of(const struct addition *a, uint32_t node)
{
	if (kind_of(a, node) == CINSTR_CELL_LINE)
		node = a->thread->nodes[node].parent;
	return kind_of(a, node) == CINSTR_CELL_FRAME ? node : 0;
}

uint32_t places_site(const struct addition *a, uint32_t node, uint32_t *frame)
{
	*frame = frame_of(a, a->thread->nodes[node].parent);
	return *frame && is_called(a, node) ? site_in(a, node, a->thread->nodes[*frame].cell->func) : 0;
}

static uint32_t place_of_node(const struct addition *a, uint32_t node)
{
	uint32_t frame, site = places_site(a, node, &frame);

	return site ? place_of_call(a->profile, a->data, site, a->entities[frame]) : ROW_NONE;
}

/* BY_LINE: a frame whose lines were recorded. */
static char *find_lined(const struct addition *a)
{
	char *lined = xcalloc(a->thread->n_nodes, 1);

	for (uint32_t i = 0; i < a->thread->n_nodes; i++)
		if (kind_of(a, i) == CINSTR_CELL_LINE)
			lined[i] = lined[a->thread->nodes[i].parent] = 1;
	return lined;
}

/*
 * In a sampled process calls stand below their places: these are not looked for. Into the kernel
 * goes any instruction, by an interrupt, which is no call.
 */
static void callees_of_places(const struct addition *a)
{
	for (uint32_t i = 0; i < a->thread->n_nodes; i++) {
		uint32_t place = a->rows[a->thread->nodes[i].parent];

		a->places[i] = ROW_NONE;
		if (a->profile->by == BY_ADDRESS && kind_of(a, i) == SAMPLES_CELL_FUNCTION &&
		    place != ROW_NONE && a->profile->names->list[a->entities[i]].is_function &&
		    strcmp(a->profile->names->list[a->entities[i]].name, SAMPLES_KERNEL))
			place_calls(a->profile, place, a->entities[i]);
	}
}

void places_of_calls(struct addition *a)
{
	FREED char *lined = NULL;

	if (a->data->sampled) {
		callees_of_places(a);
		return;
	}
	lined = a->profile->by == BY_LINE ? find_lined(a) : NULL;
	for (uint32_t i = 0; i < a->thread->n_nodes; i++) {
		const struct data_node *node = &a->thread->nodes[i];

		a->places[i] = lined && lined[node->parent] ? ROW_NONE : place_of_node(a, i);
		if (a->places[i] != ROW_NONE && a->profile->by == BY_ADDRESS && !is_tail(node->cell) &&
		    a->entities[i] != NAMES_NONE)
			place_calls(a->profile, a->places[i], a->entities[i]);
	}
}

/* ---- sums ------------------------------------------------------------------------------------ */

void places_sum_begin(struct places_sum *sum, const struct addition *a, uint32_t *on_path, struct os_path *os)
{
	*sum = (struct places_sum){ .a = a, .on_path = on_path, .os = os };
	overhead_costs(&sum->costs, &a->data->header->calibration);
}

void places_sum_end(struct places_sum *sum)
{
	after_release(&sum->after);
}

static void add_activations(const struct addition *a, struct row *row, const struct ticks *t)
{
	row->activations_elapsed += (long double)t->elapsed * a->ns_per_tick;
	row->activations_application += (long double)t->application * a->ns_per_tick;
}

static void give(void *arg, uint32_t number)
{
	const struct places_sum *sum = ((void **)arg)[0];
	const struct os_tally *tally = ((void **)arg)[1];

	os_tally_add(&row_os(&sum->a->profile->rows[number])->inclusive, tally);
}

static void add_os(struct places_sum *sum, uint32_t node)
{
	const struct addition *a = sum->a;
	struct os_tally tally;
	void *arg[2] = { sum, &tally };

	if (!os_tally_after(&tally, a->data, a->thread->nodes[node].cell))
		return;
	os_tally_add(&row_os(&a->profile->rows[a->places[node]])->exclusive, &tally);
	os_path_each(sum->os, a->rows, sum->on_path, give, arg);
}

static uint32_t *caller_on_path(const struct places_sum *sum, uint32_t node)
{
	uint32_t number = sum->a->rows[sum->a->thread->nodes[node].parent];

	return number == ROW_NONE ? NULL : &sum->on_path[number];
}

void places_enter(struct places_sum *sum, uint32_t node)
{
	const struct addition *a = sum->a;
	uint32_t number = a->places[node], *caller;
	struct row *row;

	if (number == ROW_NONE)
		return;
	row = &a->profile->rows[number];
	caller = caller_on_path(sum, node);
	if (caller)
		(*caller)--;
	if (!is_tail(a->thread->nodes[node].cell)) /* else its caller's call is counted */
		row->calls += a->thread->nodes[node].cell->calls;
	known_calls_note_place(a, row, node);
	addition_activations(a, row, node);
	if (!sum->on_path[number]) {
		addition_inclusive(a, number, &values_at(a->values, node)->inclusive);
		mixed_row_add(a, row, node, ADD_INCLUSIVE);
	}
	if (!sum->on_path[number]++)
		os_path_enter(sum->os, (uint32_t)(a->places - a->rows) + node);
	add_os(sum, node);
}

void places_leave(struct places_sum *sum, uint32_t node)
{
	const struct addition *a = sum->a;
	uint32_t *caller;

	if (a->places[node] == ROW_NONE)
		return;
	sum->on_path[a->places[node]]--;
	os_path_leave(sum->os, (uint32_t)(a->places - a->rows) + node);
	caller = caller_on_path(sum, node);
	if (caller)
		(*caller)++;
}

static void add_part(struct places_sum *sum, const struct after_part *part)
{
	const struct addition *a = sum->a;
	uint32_t number = a->places[part->child];

	addition_exclusive(a, number, &part->ticks);
	mixed_row_add_part(a, &a->profile->rows[number], a->thread->nodes[part->child].parent);
	if (!sum->on_path[number])
		addition_inclusive(a, number, &part->ticks);
	add_activations(a, &a->profile->rows[number], &part->ticks);
}

/* By line: where the node's own time, but that after calls, may have been. */
static void reach_from_entry(const struct addition *a, uint32_t node)
{
	const struct data_node *nodes = a->thread->nodes;
	/* a signal handler or such interrupted it somewhere, and there it went on */
	int is_whole = 0;

	if (a->profile->by != BY_LINE || kind_of(a, node) != CINSTR_CELL_FRAME ||
	    !values_at(a->values, node)->exclusive.elapsed)
		return;
	for (uint32_t i = node + 1; i <= nodes[node].last; i = nodes[i].last + 1) {
		if (kind_of(a, i) == CINSTR_CELL_LINE)
			return;
		is_whole |= a->places[i] == ROW_NONE;
	}
	place_reaches_from_entry(a->profile, a->data, nodes[node].cell, a->rows[node], is_whole);
}

void places_divide(struct places_sum *sum, uint32_t node)
{
	const struct addition *a = sum->a;
	const struct data_node *nodes = a->thread->nodes;
	struct node_values own;

	if (!frame_of(a, node))
		return;
	own = *values_at(a->values, node);
	for (uint32_t i = node + 1; i <= nodes[node].last; i = nodes[i].last + 1)
		if (kind_of(a, i) == CINSTR_CELL_LINE || a->places[i] != ROW_NONE)
			values_subtract(&own.inclusive, &values_at(a->values, i)->inclusive);
	after_divide(&sum->after,
		     &(struct after_node){ a->data, a->thread, node, &sum->costs, &a->profile->counting,
					   a->places, ROW_NONE, 0 },
		     &own.exclusive);
	own.exclusive = sum->after.parts[0].ticks;
	for (size_t i = 1; i < sum->after.n; i++) {
		values_subtract(&own.inclusive, &sum->after.parts[i].ticks);
		add_part(sum, &sum->after.parts[i]);
	}
	values_set(a->values, node, &own);
	reach_from_entry(a, node);
}

void places_subtract_os(const struct addition *a, uint32_t node, struct os_tally *tally)
{
	const struct data_node *nodes = a->thread->nodes;
	struct os_tally after;

	for (uint32_t i = node + 1; i <= nodes[node].last; i = nodes[i].last + 1)
		if (a->places[i] != ROW_NONE && os_tally_after(&after, a->data, nodes[i].cell))
			os_tally_subtract(tally, &after);
}
