/* SPDX-License-Identifier: GPL-3.0-or-later */
/* callgrind_sums.c - see callgrind_sums.h. No recursion: a path can be as long as a stack is
 * deep. */
#include "callgrind_sums.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/order.h"

#define NONE UINT32_MAX

/* A node on the way from the root to the one at hand. */
struct level {
	uint32_t node, function;
	uint32_t before; /* where the function was on the stack before; NONE: it was not */
};

struct walk {
	struct callgrind_sums *sums;
	const struct export_tree *tree;
	uint32_t levels;
	struct level *stack;
	size_t depth, size;
	uint32_t *n_on_stack; /* by entity */
	size_t size_on_stack;
	uint32_t *at; /* by function: where it is on the stack, the innermost; NONE */
	size_t size_at;
	struct int_map functions, selves;
	struct map calls;
	int calls_value; /* number of the measure; -1: none */
};

/* ---- what there is --------------------------------------------------------------------------- */

static uint32_t values_new(struct callgrind_sums *sums)
{
	if (sums->n == sums->size) {
		sums->size = sums->size ? 2 * sums->size : 1024;
		sums->values = xrealloc(sums->values, sums->size * sums->n_values + 1, sizeof(*sums->values));
	}
	memset(sums->values + sums->n * sums->n_values, 0, sums->n_values * sizeof(*sums->values));
	return (uint32_t)sums->n++;
}

static void sums_add(struct callgrind_sums *sums, uint32_t number, const uint64_t *more)
{
	for (unsigned i = 0; i < sums->n_values; i++)
		sums->values[(size_t)number * sums->n_values + i] += more[i];
}

static uint32_t function_of(struct walk *walk, uint32_t entity, uint32_t level)
{
	struct callgrind_sums *sums = walk->sums;
	int is_new;
	uint32_t number = int_map_add(&walk->functions, int_map_pair(entity, level), &is_new);
	size_t had = walk->size_at;

	if (!is_new)
		return number;
	ARRAY_REACH(sums->functions, number, sums->size_functions);
	sums->functions[number] = (struct callgrind_function){ entity, level };
	sums->n_functions = number + 1;
	ARRAY_REACH(walk->at, number, walk->size_at);
	for (; had < walk->size_at; had++)
		walk->at[had] = NONE;
	return number;
}

static void self_add(struct walk *walk, uint32_t function, uint32_t place, uint32_t node)
{
	struct callgrind_sums *sums = walk->sums;
	uint32_t number;
	int is_new;

	if (!tree_has_values(walk->tree, node) && !(walk->tree->marks[node] & TREE_ESTIMATE))
		return;
	number = int_map_add(&walk->selves, int_map_pair(function, place), &is_new);
	if (is_new) {
		ARRAY_REACH(sums->selves, number, sums->size_selves);
		sums->selves[number] = (struct callgrind_self){ function, place, values_new(sums), 0 };
		sums->n_selves = number + 1;
	}
	sums_add(sums, sums->selves[number].values, tree_values(walk->tree, node));
	sums->selves[number].marks |= walk->tree->marks[node];
}

static uint32_t call_of(struct walk *walk, uint32_t caller, uint32_t place, uint32_t callee)
{
	struct callgrind_sums *sums = walk->sums;
	const uint32_t key[3] = { caller, place, callee };
	int is_new;
	uint32_t number = (uint32_t)map_add(&walk->calls, key, sizeof(key), &is_new);

	if (!is_new)
		return number;
	ARRAY_REACH(sums->calls, number, sums->size_calls);
	sums->calls[number] = (struct callgrind_call){ caller, place, callee, values_new(sums), 0, 0 };
	sums->n_calls = number + 1;
	return number;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static uint32_t level_of(struct walk *walk, uint32_t entity)
{
	ARRAY_REACH_ZEROED(walk->n_on_stack, entity, walk->size_on_stack);
	return ++walk->n_on_stack[entity] < walk->levels ? walk->n_on_stack[entity] : walk->levels;
}

static void call_add(struct walk *walk, const struct level *level, const struct tree_item *item)
{
	struct callgrind_sums *sums = walk->sums;
	uint32_t caller = walk->stack[walk->depth - 1].function;
	uint32_t call = call_of(walk, caller, item->place, level->function);

	if (walk->calls_value >= 0)
		sums->calls[call].calls += tree_values(walk->tree, level->node)[walk->calls_value];
	sums->calls[call].marks |= walk->tree->marks[level->node];
	if (level->before == NONE)
		sums_add(sums, sums->calls[call].values,
			 sums->inclusive + (size_t)level->node * sums->n_values);
}

static void enter(struct walk *walk, uint32_t node)
{
	const struct tree_item *item = tree_item(walk->tree, node);
	struct level level = { .node = node, .before = NONE };

	if (item->kind == TREE_LINE) {
		self_add(walk, walk->stack[walk->depth - 1].function, item->place, node);
		return;
	}
	level.function = node ? function_of(walk, item->entity, level_of(walk, item->entity))
			      : function_of(walk, TREE_NONE, 1);
	level.before = walk->at[level.function];
	if (node)
		call_add(walk, &level, item);
	self_add(walk, level.function, 0, node);
	walk->at[level.function] = (uint32_t)walk->depth;
	ARRAY_ROOM(walk->stack, walk->depth, walk->size, 64);
	walk->stack[walk->depth++] = level;
}

static void leave(struct walk *walk)
{
	struct level *level = &walk->stack[--walk->depth];

	walk->at[level->function] = level->before;
	if (level->node)
		walk->n_on_stack[tree_item(walk->tree, level->node)->entity]--;
}

static void walk_tree(struct walk *walk)
{
	FREED uint32_t *order = tree_preorder(walk->tree);

	for (size_t i = 0; i < walk->tree->n; i++) {
		uint32_t parent = walk->tree->nodes[order[i]].parent;

		while (i && walk->stack[walk->depth - 1].node != parent)
			leave(walk);
		enter(walk, order[i]);
	}
}

/* ---- orders ---------------------------------------------------------------------------------- */

ORDER_ITEMS(compare_selves, struct callgrind_self, ORDER(x->function, y->function), ORDER(x->place, y->place))

ORDER_ITEMS(compare_calls, struct callgrind_call, ORDER(x->caller, y->caller), ORDER(x->place, y->place),
	    ORDER(x->callee, y->callee))

/* Announced calls that turned out to be of something else leave nothing behind. */
static int is_empty(const struct callgrind_sums *sums, const struct callgrind_call *call)
{
	const uint64_t *values = callgrind_values(sums, call->values);

	for (unsigned i = 0; i < sums->n_values; i++)
		if (values[i])
			return 0;
	return !call->calls;
}

static void calls_finish(struct callgrind_sums *sums)
{
	size_t n = 0;

	for (size_t i = 0; i < sums->n_calls; i++) {
		if (is_empty(sums, &sums->calls[i]))
			continue;
		sums->n_uncounted += !sums->calls[i].calls;
		sums->n_least += sums->calls[i].calls && sums->calls[i].marks & TREE_CALLS_LEAST;
		sums->calls[n++] = sums->calls[i];
	}
	sums->n_calls = n;
	util_sort(sums->calls, sums->n_calls, sizeof(*sums->calls), compare_calls, NULL);
	util_sort(sums->selves, sums->n_selves, sizeof(*sums->selves), compare_selves, NULL);
}

void callgrind_sums_make(struct callgrind_sums *sums, const struct export_tree *tree, uint32_t levels)
{
	struct walk walk = { .sums = sums, .tree = tree, .levels = levels };

	*sums = (struct callgrind_sums){ .n_values = tree->n_values };
	walk.calls_value = tree_value_number(tree, MEASURE_CALLS);
	for (unsigned i = 0; i < tree->n_values; i++)
		if ((int)i != walk.calls_value)
			sums->events[sums->n_events++] = i;
	sums->inclusive = tree_inclusive(tree);
	walk_tree(&walk);
	calls_finish(sums);
	free(walk.stack);
	free(walk.n_on_stack);
	free(walk.at);
	int_map_release(&walk.functions);
	int_map_release(&walk.selves);
	map_release(&walk.calls);
}

void callgrind_sums_release(struct callgrind_sums *sums)
{
	free(sums->functions);
	free(sums->selves);
	free(sums->calls);
	free(sums->values);
	free(sums->inclusive);
}
