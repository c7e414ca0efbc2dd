/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * union_sums.c - adds up what was executed on each call path (cinstr/call_sums.h), in a union of
 * its own with the codes of the first one. Times of its items are numbers of instructions.
 */
#include <stdlib.h>

#include "cinstr/call_sums.h"
#include "file/cell_details.h"
#include "file/merged_items.h"
#include "file/segments.h"
#include "lib/array.h"
#include "union.h"

static struct union_tree *sums_of(struct union_tree *u)
{
	if (!u->sums) {
		u->sums = xcalloc(1, sizeof(*u->sums));
		union_init(u->sums);
	}
	return u->sums;
}

void union_sums_release(struct union_tree *u)
{
	if (u->sums)
		union_release(u->sums);
	free(u->sums);
	u->sums = NULL;
}

/* Returns whether some module of the file counts instructions. */
static int counts_instructions(const struct data *data)
{
	size_t n;

	free(segment_modules(data, &n));
	return n != 0;
}

/* Returns whether the instructions of all threads are known by call path. */
static int has_all(const struct data *data)
{
	for (size_t i = 0; i < data->n_threads; i++) {
		const struct data_thread *sums = data_sums_of(data, &data->threads[i]);

		if (!sums || sums->counter)
			return 0;
	}
	return 1;
}

/* ---- a process ------------------------------------------------------------------------------- */

static struct union_key key_of(struct union_codes *codes, uint32_t parent, const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);
	struct union_key key = { .parent = parent, .kind = kind, .site = union_code(codes, cell->site) };

	if (kind == CINSTR_CELL_INDIRECT)
		key.target = union_target(codes->modules, codes->numbers, CINSTR_CELL_TARGET(cell));
	else if (kind == CINSTR_CELL_FRAME)
		key.func = union_code(codes, cell->func);
	return key;
}

static void add_calls(struct union_tree *sums, uint32_t number, const char *memory,
		      const struct cinstr_cell *cell)
{
	struct union_node *node = union_node(sums, number);
	uint64_t slots[CINSTR_SLOTS];
	struct details_extremes raw;

	if (!details_slots(memory, cell, slots))
		return;
	for (uint32_t i = 0; i < CINSTR_SLOTS; i++)
		if (slots[i])
			union_slots_add(node, i, slots[i]);
	details_extremes(memory, cell, CINSTR_DIRTY_ELAPSED, &raw);
	for (int i = 0; i < 2; i++) {
		struct merged_item *to = &node->item;

		to->shortest[i] = raw.shortest[i] < to->shortest[i] ? raw.shortest[i] : to->shortest[i];
		to->longest[i] = raw.longest[i] > to->longest[i] ? raw.longest[i] : to->longest[i];
	}
}

static void add_tree(struct union_tree *u, const struct data *data, const struct data_thread *tree,
		     struct union_codes *codes)
{
	struct union_tree *sums = sums_of(u);
	uint32_t *numbers = xcalloc(tree->n_nodes, sizeof(*numbers));

	for (size_t i = 0; i < tree->n_nodes; i++) {
		const struct cinstr_cell *cell = tree->nodes[i].cell;
		const struct union_key key = key_of(codes, numbers[tree->nodes[i].parent], cell);
		struct merged_item item = { .is_cyclic = cell->tag & CINSTR_CELL_CYCLIC,
					    .calls = cell->calls,
					    .elapsed = cell->ticks,
					    .shortest = { 1, 1, 1, 1 } };

		numbers[i] = i ? union_find(sums, &key) : 0;
		union_item_add(sums, numbers[i], &item);
		add_calls(sums, numbers[i], data->memory, cell);
	}
	for (size_t i = 0; i < tree->n_open; i++)
		union_node(sums, numbers[tree->open[i]])->item.open++;
	u->sums_flags |= tree->sums_flags;
	free(numbers);
}

void union_sums_add_process(struct union_tree *u, const struct data *data, struct union_codes *codes)
{
	if (!counts_instructions(data))
		return;
	if (!has_all(data)) {
		u->sums_flags |= CINSTR_CALL_SUMS_UNKNOWN;
		return;
	}
	for (size_t i = 0; i < data->n_threads; i++)
		add_tree(u, data, data_sums_of(data, &data->threads[i]), codes);
}

/* ---- a merged file --------------------------------------------------------------------------- */

void union_sums_add_merged(struct union_tree *u, const struct data *data, struct union_codes *codes)
{
	struct union_tree *sums;
	uint32_t *way = NULL;
	size_t size = 0;
	struct merged_items items;
	const struct merged_item *item;

	if (!data->merged->sums) {
		u->sums_flags |= counts_instructions(data) ? CINSTR_CALL_SUMS_UNKNOWN : 0;
		return;
	}
	sums = sums_of(u);
	u->sums_flags |= data->merged->sums_flags;
	merged_items_begin(&items, data->merged->sums);
	while ((item = merged_items_next(&items))) {
		uint32_t depth = items.depth;

		ARRAY_ROOM(way, depth, size, 64);
		way[depth] = 0;
		if (depth) {
			const struct union_key key = union_merged_key(codes, way[depth - 1], item);

			way[depth] = union_find(sums, &key);
		}
		union_item_add(sums, way[depth], item);
	}
	merged_items_end(&items);
	free(way);
}

uint64_t union_sums_details(const struct union_tree *sums)
{
	uint64_t n = 0;

	for (size_t i = 0; i < sums->n_nodes; i++)
		n += merged_sums_details(union_node(sums, i)->item.slots, union_node(sums, i)->item.n_slots);
	return n;
}
