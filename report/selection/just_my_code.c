/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "just_my_code.h"

#include <stdlib.h>
#include <string.h>

#include "file/cell_details_join.h"
#include "values/overhead.h"

int system_code_has(const struct system_code *code, const struct entity *e)
{
	if (!e->is_function)
		return 0;
	if (system_code_is_header(e->file))
		return 1;
	return system_code_is_library(e->module) &&
	       map_find(&code->executables, e->module, strlen(e->module)) == MAP_NONE;
}

static int is_system(const struct system_code *code, uint32_t entity)
{
	return entity != NAMES_NONE && system_code_has(code, &code->names.list[entity]);
}

/* ---- one tree -------------------------------------------------------------------------------- */

static struct cinstr_cell *cell_of(const struct data *data, const struct data_node *node)
{
	return (struct cinstr_cell *)(void *)(data->memory + ((const char *)node->cell - data->memory));
}

/* What was the node's is its ancestor's now. */
static void move_values(struct data *data, struct data_thread *thread, uint32_t from, uint32_t to)
{
	struct cinstr_cell *f = cell_of(data, &thread->nodes[from]), *t = cell_of(data, &thread->nodes[to]);

	if (f->ticks && !data->sampled)
		details_forget_exclusive(data, t);
	details_move_buckets(data, f, t);
	moved_join(data, thread, t, f);
	t->ticks += f->ticks;
	f->ticks = 0;
}

/* keeper[i]: the node that takes node i in; itself: it stays. */
static uint32_t *keepers(const struct system_code *code, const struct data_thread *thread,
			 const uint32_t *entities)
{
	uint32_t *keeper = xcalloc(thread->n_nodes, sizeof(*keeper));

	for (uint32_t i = 1; i < thread->n_nodes; i++) {
		const struct data_node *node = &thread->nodes[i];
		int is_part = is_system(code, entities[i]) && is_system(code, entities[node->parent]);

		/* A line of a function that stays, stays with it. */
		if (data_cell_is_line(node->cell) && keeper[node->parent] == node->parent)
			is_part = 0;
		keeper[i] = is_part ? keeper[node->parent] : i;
	}
	return keeper;
}

/* Calls that are still open: those of functions that are part of others now stay in the balance of
 * events. */
static void keep_open(struct data_thread *thread, const uint32_t *keeper, const uint32_t *number)
{
	size_t n = 0;

	for (size_t i = 0; i < thread->n_open; i++) {
		uint32_t node = thread->open[i];

		if (keeper[node] == node)
			thread->open[n++] = number[node];
		else
			thread->n_open_flat +=
				CINSTR_CELL_KIND(thread->nodes[node].cell->tag) == CINSTR_CELL_FRAME;
	}
	thread->n_open = n;
}

/* The nodes that stay, close together. */
static void compact(struct data_thread *thread, const uint32_t *keeper)
{
	FREED uint32_t *number = xcalloc(thread->n_nodes + 1, sizeof(*number));
	uint32_t n = 0;

	for (uint32_t i = 0; i < thread->n_nodes; i++) {
		number[i] = n;
		n += keeper[i] == i;
	}
	number[thread->n_nodes] = n;
	keep_open(thread, keeper, number);
	for (uint32_t i = 0; i < thread->n_nodes; i++) {
		const struct data_node node = thread->nodes[i];

		if (keeper[i] == i)
			thread->nodes[number[i]] = (struct data_node){ node.cell, number[keeper[node.parent]],
								       number[node.last + 1] - 1 };
	}
	thread->n_nodes = n;
}

static void collapse(struct system_code *code, struct data *data, struct data_thread *thread)
{
	FREED uint32_t *entities = names_of_thread(&code->names, data, thread);
	uint32_t *keeper, *number;

	keeper = keepers(code, thread, entities);
	number = xcalloc(thread->n_nodes, sizeof(*number));
	for (uint32_t i = 1; i < thread->n_nodes; i++)
		number[i] = number[i - 1] + (keeper[i - 1] == i - 1);
	thread->overheads = overheads_keep(data, thread, keeper, number);
	for (uint32_t i = 1; i < thread->n_nodes; i++)
		if (keeper[i] != i)
			move_values(data, thread, i, keeper[i]);
	moved_sort(thread);
	compact(thread, keeper);
	free(number);
	free(keeper);
}

void system_code_add(struct system_code *code, const struct data *data)
{
	for (size_t i = 0; i < data->modules.n; i++) {
		const struct module *module = &data->modules.list[i];

		if (module->raw->flags & CINSTR_MODULE_MAIN)
			map_keep(&code->executables, module->path);
	}
}

void system_code_collapse(struct system_code *code, struct data *data)
{
	system_code_add(code, data);
	for (size_t i = 0; i < data->n_threads; i++)
		collapse(code, data, &data->threads[i]);
	names_next_process(&code->names);
	data->just_my_code = 1; /* names.c: those that are left have one name */
}

void system_code_release(struct system_code *code)
{
	names_release(&code->names);
	map_release(&code->executables);
}
