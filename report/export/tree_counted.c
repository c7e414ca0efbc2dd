/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tree_counted.h"

#include <stdlib.h>

#include "file/counters.h"
#include "lib/array.h"

void tree_counted_note(struct tree_counted *counted, const struct addition *a, const struct cinstr_cell *cell,
		       uint32_t entity)
{
	struct row row = { .entity = entity };
	uint64_t n = entity == NAMES_NONE ? 0 : counted_calls_of_cell(a, &row, cell).n;

	if (!n)
		return;
	ARRAY_REACH_ZEROED(counted->calls, entity, counted->n_calls);
	counted->calls[entity] += n;
	/* A function's counter does not tell how it was called. */
	if (!data_cell_is_jump(a->data, cell) || !counters_have_site(a->data, cell->site))
		return;
	ARRAY_REACH_ZEROED(counted->jumps, entity, counted->n_jumps);
	counted->jumps[entity] += n;
}

/* Returns how many of n no node has. */
static uint64_t left_of(uint64_t n, const uint64_t *in_nodes, size_t n_in_nodes, uint32_t entity)
{
	uint64_t there = entity < n_in_nodes ? in_nodes[entity] : 0;

	return n > there ? n - there : 0;
}

static void give(struct export_tree *tree, uint32_t node, enum export_measure measure, uint64_t n)
{
	int number = tree_value_number(tree, measure);

	if (number >= 0)
		tree->values[(size_t)node * tree->n_values + (unsigned)number] += n;
}

void tree_counted_give(const struct tree_counted *counted, struct export_tree *tree)
{
	const struct profile *profile = &tree->profile;
	int has_calls = tree_value_number(tree, MEASURE_CALLS) >= 0;

	for (uint32_t i = 0; i < profile->n_rows; i++) {
		uint64_t calls = left_of(profile->rows[i].calls, counted->calls, counted->n_calls, i);
		uint64_t jumps = left_of(profile->rows[i].tail_calls, counted->jumps, counted->n_jumps, i);
		uint32_t node;

		jumps = jumps < calls ? jumps : calls;
		if (!(has_calls ? calls : tree_value_number(tree, MEASURE_JUMPS) >= 0 ? jumps : 0))
			continue;
		node = tree_node_of(tree, tree_node_made_up(tree, 0, TREE_COUNTED), TREE_FUNCTION, i, 0);
		give(tree, node, MEASURE_CALLS, calls);
		give(tree, node, MEASURE_JUMPS, jumps);
		if (tree->choice.take)
			tree_touch(tree, node);
	}
}

void tree_counted_release(struct tree_counted *counted)
{
	free(counted->calls);
	free(counted->jumps);
}
