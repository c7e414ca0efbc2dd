/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay_fork.c - makes the state in which the timeline of a forked child begins: the calls that
 * were open at the fork (replay.h). There are no records of them, but their nodes are older than
 * all others. How many of them are functions follows from the recorded balance of events less the
 * timeline's.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "replay.h"

#define NONE UINT32_MAX

/* As it was recorded: of several phases, each tree for itself. */
static struct data_tree tree_of(const struct data_thread *thread)
{
	if (thread->by_phase.n_nodes)
		return thread->by_phase;
	return (struct data_tree){ .nodes = thread->nodes, .n_nodes = thread->n_nodes };
}

static uint32_t kind_of(const struct data_tree *tree, uint32_t node)
{
	return CINSTR_CELL_KIND(tree->nodes[node].cell->tag);
}

/* The oldest child of each node, NONE; cells lie in the order they were made. */
static uint32_t *oldest_children(const struct data_tree *tree)
{
	uint32_t *oldest = xcalloc(tree->n_nodes, sizeof(*oldest));

	memset(oldest, 0xff, tree->n_nodes * sizeof(*oldest));
	for (uint32_t i = 1; i < tree->n_nodes; i++) {
		uint32_t *of = &oldest[tree->nodes[i].parent];

		if (kind_of(tree, i) != CINSTR_CELL_LINE && kind_of(tree, i) != CINSTR_CELL_ROOT &&
		    (*of == NONE || tree->nodes[i].cell < tree->nodes[*of].cell))
			*of = i;
	}
	return oldest;
}

static int is_call(uint32_t kind)
{
	return kind == CINSTR_CELL_CALL || kind == CINSTR_CELL_INDIRECT;
}

/* The nodes from the root down that hold n functions, and the call that forked. Returns how many;
 * 0: there are not so many. */
static uint32_t open_at_fork(const struct data_tree *tree, uint64_t n, uint32_t *nodes)
{
	FREED uint32_t *oldest = oldest_children(tree);
	uint32_t depth = 0, at = oldest[0];

	while (at != NONE && (n || is_call(kind_of(tree, at)))) {
		n -= kind_of(tree, at) == CINSTR_CELL_FRAME;
		nodes[depth++] = at;
		at = oldest[at];
	}
	return n ? 0 : depth;
}

/* Enters in the timeline. */
static uint64_t count_enters(const struct replay *like)
{
	struct replay replay;
	struct replay_group group;
	uint64_t n = UINT64_MAX;

	if (!replay_open_empty(&replay, like->data, like->thread) &&
	    !replay_until(&replay, UINT64_MAX, &group))
		n = replay_state(&replay)->enters - replay_state(&replay)->repaired;
	replay_release(&replay);
	return n;
}

/* What is open still says where it lies. */
static uint32_t where_of(const struct replay *replay, uint32_t depth, const struct cinstr_cell *cell)
{
	const struct data *data = replay->data;
	const struct cinstr_open *open = (const void *)(data->memory + replay->thread->record->stack_offset);
	uint32_t index = (uint32_t)(((const char *)cell - data->memory) / (long)sizeof(*cell));
	uint32_t announced = CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FRAME && cell->site;

	if (depth < replay->thread->state->depth && open[depth].cell == index)
		return open[depth].where;
	return announced;
}

/* Was it called by a tail call? */
static uint32_t tailed(const struct cinstr_cell *cell)
{
	return CINSTR_CODE_KIND(cell->site) == CINSTR_EV_TAIL ? CINSTR_OPEN_TAILED : 0;
}

static int inherit(struct replay *replay, const struct data_tree *tree, const uint32_t *nodes, uint32_t depth,
		   uint64_t n_frames)
{
	struct cinstr_fold_state *state = replay_state(replay);
	uint32_t cell = replay->record->root;

	for (uint32_t i = 0; i < depth; i++) {
		const struct cinstr_cell *from = tree->nodes[nodes[i]].cell;

		cell = fold_inherit(&replay->fold, cell, from);
		if (!cell)
			return -1;
		replay_stack(replay)[i] = (struct cinstr_open){ .start_ticks = replay->record->first_ticks,
								.cell = cell,
								.where = where_of(replay, i, from),
								.flags = CINSTR_OPEN_CUT | tailed(from) };
	}
	state->depth = depth;
	state->current = state->slot = cell;
	state->enters = n_frames;
	return 0;
}

int replay_inherit(struct replay *replay)
{
	const struct cinstr_fold_state *recorded = replay->thread->state;
	uint64_t timeline = count_enters(replay), n = recorded->enters - recorded->repaired - timeline;
	struct data_tree tree = tree_of(replay->thread);
	uint32_t *nodes, depth;
	int status;

	if (timeline == UINT64_MAX || n > tree.n_nodes)
		return -1;
	nodes = xcalloc(tree.n_nodes, sizeof(*nodes));
	depth = open_at_fork(&tree, n, nodes);
	status = (n && !depth) || depth > replay->record->stack_bytes / sizeof(struct cinstr_open)
			 ? -1
			 : inherit(replay, &tree, nodes, depth, n);
	free(nodes);
	return status;
}
