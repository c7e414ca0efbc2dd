/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol_firsts.h"

#include <stdlib.h>

#include "file/phases.h"
#include "lib/array.h"
#include "lib/int_map.h"
#include "lib/order.h"
#include "lib/search.h"

struct gathering {
	struct names *names;
	const struct data *data;
	const struct data_segment *segments; /* of the thread, in order of offset */
	size_t n_segments;
	struct int_map keys; /* int_map_pair(code, entity) */
	struct symbol_first *list;
	size_t size;
};

ORDER_ITEMS(compare, struct symbol_first, ORDER(x->sequence, y->sequence), ORDER(x->offset, y->offset))

/* Segments of ended threads are used again, so a later one may lie before an earlier one. What this
 * reader has made lies behind all of them. */
static uint64_t sequence_at(const struct gathering *g, uint64_t offset)
{
	size_t i;

	SEARCH(i, g->n_segments, g->segments[i].offset > offset);
	if (!i || offset >= g->segments[i - 1].offset + g->segments[i - 1].bytes)
		return UINT64_MAX;
	return ((const struct cinstr_segment *)(const void *)(g->data->memory +
							      g->segments[i - 1].offset))[-1]
		.sequence;
}

/* The assembler name that the call has: that of a clone, too. */
static const char *callee_of(const struct gathering *g, const struct cinstr_cell *cell)
{
	const struct module *module = cell->site ? modules_by_code(&g->data->modules, cell->site) : NULL;
	const struct module_site *site = module ? module_site(module, cell->site) : NULL;

	return site ? site->callee : NULL;
}

static void see(struct gathering *g, const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag), number;
	struct symbol_first first = { .entity = names_of_cell(g->names, g->data, cell) };
	int is_new;

	if (first.entity == NAMES_NONE || data_cell_is_line(cell) || (!cell->calls && !cell->ticks))
		return;
	if (kind == CINSTR_CELL_FRAME || kind == CINSTR_CELL_FLAT_FRAME)
		first.code = cell->func;
	else
		first.callee = callee_of(g, cell);
	first.offset = (uint64_t)((const char *)cell - g->data->memory);
	first.sequence = sequence_at(g, first.offset);
	number = int_map_add(&g->keys, int_map_pair(first.code, first.entity), &is_new);
	ARRAY_REACH(g->list, number, g->size);
	if (is_new || compare(&first, &g->list[number], NULL) < 0)
		g->list[number] = first;
}

/* Of a thread with phases each path of each phase has a cell of its own. */
static void see_nodes(struct gathering *g, const struct data_thread *thread)
{
	const struct data_tree *phases = &thread->by_phase;
	const struct data_node *nodes = phases->nodes ? phases->nodes : thread->nodes;
	size_t n = phases->nodes ? phases->n_nodes : thread->n_nodes;
	FREED uint8_t *is_in = xcalloc(n + 1, 1);

	for (size_t i = 0; i < n; i++) {
		const struct cinstr_cell *cell = nodes[i].cell;

		if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_ROOT)
			is_in[i] = !phases->nodes || phases_is_chosen(g->data, cell->site >> 3);
		else
			is_in[i] = is_in[nodes[i].parent];
		if (i && is_in[i])
			see(g, cell);
	}
}

struct symbol_first *symbol_firsts(struct names *names, const struct data *data,
				   const struct data_thread *thread, size_t *n)
{
	struct gathering g = { .names = names, .data = data };

	*n = 0;
	if (data->sampled || data->merged || thread->merged)
		return NULL;
	g.segments = data_segments_of(data, thread->record->index, &g.n_segments);
	see_nodes(&g, thread);
	for (size_t i = 0; i < thread->n_flat; i++)
		see(&g, thread->flat[i]);
	*n = g.keys.n;
	util_sort(g.list, *n, sizeof(*g.list), compare, NULL);
	int_map_release(&g.keys);
	return g.list;
}
