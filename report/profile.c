/* SPDX-License-Identifier: GPL-3.0-or-later */
/* profile.c - sums the values of threads' trees into rows (profile.h). */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#define NONE ROW_NONE

/* One thread being added. */
struct addition {
	struct profile *profile;
	const struct data_thread *thread;
	struct node_values *values;
	const uint32_t *entities; /* of each node */
	uint32_t *rows;		  /* of each node; NONE */
	long double ns_per_tick;
};

/* ---- rows ------------------------------------------------------------------------------------ */

struct row *profile_row(struct profile *profile, uint32_t number)
{
	while (number >= profile->size_rows) {
		profile->size_rows = profile->size_rows ? 2 * profile->size_rows : 64;
		profile->rows = xrealloc(profile->rows, profile->size_rows, sizeof(*profile->rows));
	}
	while (profile->n_rows <= number)
		profile->rows[profile->n_rows++] = (struct row){ .entity = NONE,
								 .parent = NONE,
								 .child = NONE,
								 .sibling = NONE,
								 .shortest = -1,
								 .longest = -1 };
	return &profile->rows[number];
}

static void row_name(const struct profile *profile, struct row *row, uint32_t entity)
{
	const struct entity *e = &profile->names.list[entity];

	row->entity = entity;
	row->name = e->name;
	row->module = e->module;
	row->file = e->file;
	row->line = e->line;
}

static uint32_t function_row(struct profile *profile, uint32_t entity)
{
	if (!profile->names.list[entity].is_function)
		return NONE;
	row_name(profile, profile_row(profile, entity), entity);
	return entity;
}

static uint32_t module_row(struct profile *profile, uint32_t entity)
{
	const struct entity *e = &profile->names.list[entity];
	struct row *row;

	if (!e->is_function)
		return NONE;
	row = profile_row(profile, e->module_number);
	row->name = util_basename(e->module);
	row->module = e->module;
	return e->module_number;
}

/* The row of a call path: child of the parent's row. Row 0 stands for the roots. */
static uint32_t path_row(struct profile *profile, uint32_t parent, uint32_t entity)
{
	uint32_t key[2] = { parent, entity }, number;
	struct row *row;
	int is_new;

	if (entity == NONE)
		return (uint32_t)(profile_row(profile, 0) - profile->rows);
	number = (uint32_t)map_add(&profile->keys, key, sizeof(key), &is_new) + 1;
	if (!is_new)
		return number;
	row = profile_row(profile, number);
	row_name(profile, row, entity);
	row->parent = parent;
	row->depth = profile->rows[parent].depth + 1;
	row->sibling = profile->rows[parent].child;
	profile->rows[parent].child = number;
	return number;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void add_exclusive(const struct addition *a, struct row *row, const struct ticks *t)
{
	row->sums.elapsed_exclusive += (long double)t->elapsed * a->ns_per_tick;
	row->sums.application_exclusive += (long double)t->application * a->ns_per_tick;
	row->sums.overhead_exclusive += (long double)t->overhead * a->ns_per_tick;
	row->sums.off_cpu_exclusive += (long double)t->off_cpu * a->ns_per_tick;
}

static void add_inclusive(const struct addition *a, struct row *row, const struct ticks *t)
{
	row->sums.elapsed_inclusive += (long double)t->elapsed * a->ns_per_tick;
	row->sums.application_inclusive += (long double)t->application * a->ns_per_tick;
	row->sums.overhead_inclusive += (long double)t->overhead * a->ns_per_tick;
	row->sums.off_cpu_inclusive += (long double)t->off_cpu * a->ns_per_tick;
}

/*
 * Shortest and longest activation. The cell keeps raw ticks; the overhead of one activation is
 * taken to be the mean of the cell's, which is all that is known.
 */
static void add_extremes(const struct addition *a, struct row *row, size_t node)
{
	const struct cinstr_cell *cell = a->thread->nodes[node].cell;
	long double overhead = 0, shortest, longest;

	if (cell->min_ticks == UINT64_MAX || !cell->calls)
		return;
	if (!a->profile->counting.raw)
		overhead = (long double)a->values[node].inclusive.overhead / (long double)cell->calls;
	shortest = ((long double)cell->min_ticks - overhead) * a->ns_per_tick;
	longest = ((long double)cell->max_ticks - overhead) * a->ns_per_tick;
	if (shortest < 0)
		shortest = 0;
	if (longest < 0)
		longest = 0;
	if (row->shortest < 0 || shortest < row->shortest)
		row->shortest = shortest;
	if (longest > row->longest)
		row->longest = longest;
}

static int is_line(const struct addition *a, size_t node)
{
	return CINSTR_CELL_KIND(a->thread->nodes[node].cell->tag) == CINSTR_CELL_LINE;
}

static void add_calls(const struct addition *a, struct row *row, size_t node)
{
	uint64_t calls = a->thread->nodes[node].cell->calls;

	if (a->profile->by == BY_LINE && !is_line(a, node))
		row->entries += calls;
	else
		row->calls += calls;
	row->activations_elapsed += (long double)a->values[node].inclusive.elapsed * a->ns_per_tick;
	row->activations_application += (long double)a->values[node].inclusive.application * a->ns_per_tick;
	if (a->profile->by != BY_LINE)
		add_extremes(a, row, node);
}

/*
 * A source line is a part of its function, whose row it has. BY_LINE it stands on the path instead of it: -1 when the
 * path comes to the line, 1 when it leaves it.
 */
static void count_function(const struct addition *a, uint32_t *on_path, uint32_t node, int n)
{
	uint32_t number = a->rows[a->thread->nodes[node].parent];

	if (a->profile->by == BY_LINE && is_line(a, node) && number != NONE)
		on_path[number] += (uint32_t)n;
}

/*
 * Adds every node to its row. R6: a row that is already on the path from the root to the node does
 * not get the node's inclusive time again.
 */
static void add_nodes(const struct addition *a)
{
	uint32_t *path = xcalloc(a->thread->n_nodes, sizeof(*path));
	uint32_t *on_path = xcalloc(a->profile->n_rows, sizeof(*on_path));
	size_t depth = 0;

	for (uint32_t i = 0; i < a->thread->n_nodes; i++) {
		uint32_t number = a->rows[i];
		struct row *row = number == NONE ? NULL : &a->profile->rows[number];

		while (depth && a->thread->nodes[path[depth - 1]].last < i) {
			uint32_t left = path[--depth];

			if (a->rows[left] != NONE)
				on_path[a->rows[left]]--;
			count_function(a, on_path, left, 1);
		}
		path[depth++] = i;
		count_function(a, on_path, i, -1);
		if (!row)
			continue;
		add_exclusive(a, row, &a->values[i].exclusive);
		if (!on_path[number]++)
			add_inclusive(a, row, &a->values[i].inclusive);
		if (a->profile->by == BY_LINE || !is_line(a, i))
			add_calls(a, row, i);
	}
	free(path);
	free(on_path);
}

static void ticks_subtract(struct ticks *from, const struct ticks *what)
{
	from->elapsed -= what->elapsed;
	from->application -= what->application;
	from->overhead -= what->overhead;
	from->off_cpu -= what->off_cpu;
}

/* BY_LINE: what was called from a line of a function was not called from the line of its definition. */
static void lines_apart(const struct addition *a)
{
	for (size_t i = 0; i < a->thread->n_nodes; i++)
		if (is_line(a, i))
			ticks_subtract(&a->values[a->thread->nodes[i].parent].inclusive,
				       &a->values[i].inclusive);
}

static void add_open(const struct addition *a)
{
	for (size_t i = 0; i < a->thread->n_open; i++)
		if (a->rows[a->thread->open[i]] != NONE)
			a->profile->rows[a->rows[a->thread->open[i]]].open_calls++;
}

/* All of a thread in one row: R6, all of its intervals. */
static void add_whole(const struct addition *a, struct row *row)
{
	add_inclusive(a, row, &a->values[0].inclusive);
	add_exclusive(a, row, &a->values[0].inclusive);
	for (size_t i = 0; i < a->thread->n_nodes; i++)
		row->calls += is_line(a, i) ? 0 : a->thread->nodes[i].cell->calls;
	row->open_calls += a->thread->n_open;
	row->activations_elapsed += (long double)a->values[0].inclusive.elapsed * a->ns_per_tick;
	row->activations_application += (long double)a->values[0].inclusive.application * a->ns_per_tick;
}

/* ---- processes, threads ---------------------------------------------------------------------- */

/* The row of a node, or of a FLAT cell. */
static uint32_t cell_row(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
			 uint32_t entity)
{
	if (entity == NAMES_NONE)
		return NONE;
	switch (profile->by) {
	case BY_MODULE:
		return module_row(profile, entity);
	case BY_LINE:
		return place_of_line(profile, data, cell, entity);
	case BY_SITE:
		return place_of_site(profile, data, cell, entity);
	default:
		return function_row(profile, entity);
	}
}

static void node_rows(struct addition *a, const struct data *data)
{
	struct profile *profile = a->profile;

	for (size_t i = 0; i < a->thread->n_nodes; i++) {
		const struct data_node *node = &a->thread->nodes[i];

		if (is_line(a, i) && profile->by != BY_LINE)
			a->rows[i] = a->rows[node->parent];
		else if (profile->by == BY_PATH)
			a->rows[i] = path_row(profile, a->rows[node->parent], a->entities[i]);
		else
			a->rows[i] = cell_row(profile, data, node->cell, a->entities[i]);
	}
}

/* Calls beyond the budget of paths: their time is in MERGED nodes of the tree, and here by function. */
static void add_flat(const struct addition *a, const struct data *data)
{
	struct profile *profile = a->profile;
	struct node_values *values = values_make_flat(data, a->thread, &profile->counting);

	for (size_t i = 0; i < a->thread->n_flat; i++) {
		const struct cinstr_cell *cell = a->thread->flat[i];
		uint32_t entity = names_of_cell(&profile->names, data, cell);
		uint32_t number = cell_row(profile, data, cell, entity);
		struct row *row;

		if (number == NONE)
			continue;
		row = &profile->rows[number];
		add_exclusive(a, row, &values[i].exclusive);
		if (profile->by == BY_FUNCTION || profile->by == BY_SITE)
			add_inclusive(a, row, &values[i].inclusive);
		else /* which modules, which lines were on the stack is not known: at least this */
			add_inclusive(a, row, &values[i].exclusive);
		if (profile->by == BY_LINE)
			row->entries += cell->calls;
		else
			row->calls += cell->calls;
		row->activations_elapsed += (long double)values[i].inclusive.elapsed * a->ns_per_tick;
		row->activations_application += (long double)values[i].inclusive.application * a->ns_per_tick;
	}
	free(values);
}

static void add_by_node(struct addition *a, const struct data *data)
{
	uint32_t *entities = names_of_thread(&a->profile->names, data, a->thread);

	a->entities = entities;
	a->rows = xcalloc(a->thread->n_nodes, sizeof(*a->rows));
	node_rows(a, data);
	if (a->profile->by == BY_LINE)
		lines_apart(a);
	add_nodes(a);
	if (a->profile->by != BY_LINE)
		add_open(a);
	if (a->profile->by != BY_PATH)
		add_flat(a, data);
	free(entities);
	free(a->rows);
}

/* As the program has named it (cinstr_name), or that of its executable. */
static const char *process_name(struct profile *profile, const struct data *data)
{
	const char *exe = data_property(data, "exe");
	const struct cinstr_control_block *block = (const void *)(data->memory + CINSTR_CONTROL_OFFSET);
	char name[sizeof(block->name) + 1] = "";

	if (data->header->header_bytes >= CINSTR_PAGE && block->named == 1)
		memcpy(name, block->name, sizeof(block->name));
	if (name[0])
		return map_keep(&profile->strings, name);
	return map_keep(&profile->strings, exe ? util_basename(exe) : NAMES_UNKNOWN);
}

/* The row of several short-lived threads that shared one record. */
static const char *shared_name(struct profile *profile, const char *name, uint32_t members)
{
	struct strbuf text = { 0 };
	const char *kept;

	strbuf_printf(&text, "%s and %u more", name, members - 1);
	kept = map_keep(&profile->strings, text.text);
	strbuf_release(&text);
	return kept;
}

static void add_by_thread(struct addition *a, const struct data *data)
{
	struct row *row = profile_row(a->profile, (uint32_t)a->profile->n_rows);
	char name[sizeof(a->thread->record->name) + 1] = "";

	memcpy(name, a->thread->record->name, sizeof(name) - 1);
	row->name = name[0] ? map_keep(&a->profile->strings, name) : process_name(a->profile, data);
	if (a->thread->record->members > 1)
		row->name = shared_name(a->profile, row->name, a->thread->record->members);
	row->pid = data->header->pid;
	row->tid = a->thread->record->tid;
	add_whole(a, row);
}

static void process_row(struct profile *profile, const struct data *data)
{
	struct row *row = profile_row(profile, (uint32_t)profile->n_rows);

	row->name = process_name(profile, data);
	row->pid = data->header->pid;
}

static void thread_add(struct profile *profile, const struct data *data, const struct data_thread *thread,
		       long double ns_per_tick)
{
	struct node_values *values = values_make(data, thread, &profile->counting);
	struct addition a = {
		.profile = profile, .thread = thread, .values = values, .ns_per_tick = ns_per_tick
	};

	totals_add_thread(&profile->totals, thread, values, ns_per_tick);
	if (profile->by == BY_THREAD)
		add_by_thread(&a, data);
	else if (profile->by == BY_PROCESS)
		add_whole(&a, &profile->rows[profile->n_rows - 1]);
	else
		add_by_node(&a, data);
	free(values);
}

void profile_init(struct profile *profile, enum profile_by by, const struct counting *counting)
{
	*profile = (struct profile){ .by = by, .counting = *counting };
}

void profile_add(struct profile *profile, const struct data *data)
{
	int known;
	long double ns_per_tick = data_ns_per_tick(data, &known);

	totals_add_process(&profile->totals, data, ns_per_tick, known);
	if (profile->by == BY_PROCESS)
		process_row(profile, data);
	for (size_t i = 0; i < data->n_threads; i++)
		thread_add(profile, data, &data->threads[i], ns_per_tick);
	names_next_process(&profile->names);
	places_next_process(profile);
}

void profile_release(struct profile *profile)
{
	free(profile->rows);
	names_release(&profile->names);
	totals_release(&profile->totals);
	map_release(&profile->keys);
	map_release(&profile->codes);
	map_release(&profile->joined);
	free(profile->row_of_code);
	map_release(&profile->strings);
	*profile = (struct profile){ 0 };
}
