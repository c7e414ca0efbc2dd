/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "cinstr/amounts.h"
#include "file/open_time.h"
#include "lib/fold_memory.h"
#include "lib/util.h"

#define CELL_BYTES sizeof(struct cinstr_cell)
#define CELLS_AT_ONCE 1024u
#define STACK_BYTES (1u << 20)

/* ---- room ------------------------------------------------------------------------------------ */

static int more_cells(struct fold *fold)
{
	struct replay *replay = (struct replay *)(void *)fold;
	uint64_t offset = data_room(replay->data, CELLS_AT_ONCE * CELL_BYTES);

	if (!offset)
		return -1;
	fold->cell_next = (uint32_t)(offset / CELL_BYTES);
	fold->cell_end = fold->cell_next + CELLS_AT_ONCE;
	replay->cells = xrealloc(replay->cells, replay->n_cells + 1, sizeof(*replay->cells));
	replay->cells[replay->n_cells++] = (struct data_cells){ offset, CELLS_AT_ONCE * CELL_BYTES };
	return 0;
}

static int more_stack(struct fold *fold)
{
	struct replay *replay = (struct replay *)(void *)fold;
	struct cinstr_thread *t = fold->thread;
	uint64_t bytes = t->stack_bytes ? 2 * t->stack_bytes : STACK_BYTES;
	uint64_t offset = data_room(replay->data, bytes);

	if (!offset)
		return -1;
	memcpy(replay->data->memory + offset, replay->data->memory + t->stack_offset, t->stack_bytes);
	t->stack_offset = offset;
	t->stack_bytes = bytes;
	return 0;
}

static int make_record(struct replay *replay)
{
	uint64_t bytes = (sizeof(*replay->record) + CELL_BYTES - 1) & ~(CELL_BYTES - 1);
	uint64_t offset = data_room(replay->data, bytes);

	if (!offset)
		return -1;
	replay->record = (void *)(replay->data->memory + offset);
	*replay->record = *replay->thread->record;
	replay->record->commit = 1;
	replay->record->stack_bytes = 0;
	replay->record->journal_bytes = replay->record->journal_used = 0;
	replay->record->buffer_bytes = 0;
	return 0;
}

int replay_open_empty(struct replay *replay, struct data *data, const struct data_thread *thread)
{
	*replay = (struct replay){ .data = data, .thread = thread, .timeline.fd = -1 };
	replay->fold = (struct fold){ .file = data->memory,
				      .sites = &data->modules.fold_sites,
				      .max_cells = UINT32_MAX,
				      .switched = data->header->switches != 0,
				      .stop_backward = 1,
				      .more_cells = more_cells,
				      .more_index = index_grow,
				      .more_stack = more_stack };
	if (make_record(replay))
		return -1;
	replay->fold.thread = replay->record;
	index_grow(&replay->fold);
	if (more_stack(&replay->fold) || fold_begin(&replay->fold, thread->record->first_ticks))
		return -1;
	fold_own_stack_as(&replay->fold, fold_cell(&replay->fold, thread->record->root));
	replay->time = thread->record->first_ticks;
	return timeline_open(&replay->timeline, data, thread);
}

int replay_open(struct replay *replay, struct data *data, const struct data_thread *thread)
{
	if (replay_open_empty(replay, data, thread))
		return -1;
	return data->header->forked && thread->record->index == 0 ? replay_inherit(replay) : 0;
}

void replay_release(struct replay *replay)
{
	timeline_release(&replay->timeline);
	free(replay->fold.index.slots);
	free(replay->cells);
	*replay = (struct replay){ .timeline.fd = -1 };
}

struct cinstr_fold_state *replay_state(const struct replay *replay)
{
	return &replay->record->states[replay->record->commit & 1];
}

struct cinstr_open *replay_stack(const struct replay *replay)
{
	return (void *)(replay->data->memory + replay->record->stack_offset);
}

struct cinstr_cell *replay_cell(const struct replay *replay, uint32_t index)
{
	return (struct cinstr_cell *)(void *)(replay->data->memory + (uint64_t)index * CELL_BYTES);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static int is_special(const struct cinstr_record *r, uint32_t type)
{
	return CINSTR_CODE_KIND(r->code) == CINSTR_EV_SPECIAL && CINSTR_SPECIAL_TYPE(r->code) == type;
}

/* SLOW [OS SWITCHES] [TARGET] event, TARGET event, or an event alone: how many of the `left`
 * records. */
static size_t group_length(struct replay_group *group, const struct cinstr_record *r, size_t left)
{
	size_t n = 0;

	if (is_special(r, CINSTR_SP_SLOW)) {
		group->os_bits = CINSTR_SPECIAL_ARGUMENT(r->code);
		n = 1;
		if (group->os_bits && left >= 3 && is_special(&r[1], CINSTR_SP_OS) &&
		    is_special(&r[2], CINSTR_SP_SWITCHES)) {
			group->off_cpu_ticks = CINSTR_SPECIAL_VALUE(&r[1]);
			group->switches = CINSTR_SPECIAL_VALUE(&r[2]);
			n = 3;
		}
	}
	if (n < left && (is_special(&r[n], CINSTR_SP_TARGET) || is_special(&r[n], CINSTR_SP_AMOUNT)))
		n++;
	if (n < left && CINSTR_CODE_KIND(r[n].code) != CINSTR_EV_SPECIAL)
		group->event = &r[n++];
	return n ? n : 1;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* When the group ends its interval, as the fold understands it. */
static uint64_t group_time(const struct replay_group *group, uint64_t now)
{
	const struct cinstr_record *first = group->records;

	if (CINSTR_CODE_KIND(first->code) == CINSTR_EV_SPECIAL && open_time_has_stamp(first))
		return later(now, CINSTR_SPECIAL_VALUE(first));
	if (!group->event || group->event->time_lo < (uint32_t)now)
		return now;
	return now + (group->event->time_lo - (uint32_t)now);
}

int replay_next(struct replay *replay, struct replay_group *group)
{
	*group = (struct replay_group){ 0 };
	if (!replay->has_piece || replay->at >= replay->piece.n_records) {
		if (!timeline_next(&replay->timeline, &replay->piece))
			return 0;
		replay->has_piece = 1;
		replay->at = 0;
		group->is_first = 1;
		group->has_gap = !replay->piece.follows;
	}
	group->records = &replay->piece.records[replay->at];
	group->n = group_length(group, group->records, replay->piece.n_records - replay->at);
	group->time = group_time(group, replay->time);
	replay->time = group->time;
	replay->at += group->n;
	return 1;
}

void replay_fold(struct replay *replay, const struct cinstr_record *records, size_t n)
{
	fold_run(&replay->fold, records, n);
	fold_commit(&replay->fold);
}

void replay_close(struct replay *replay)
{
	fold_close(&replay->fold);
	fold_commit(&replay->fold);
}

/* Folds the piece at hand up to that moment. 1: *group is the first group that is not before it. */
static int piece_until(struct replay *replay, uint64_t ticks, struct replay_group *group)
{
	size_t from = replay->at;

	if (replay->piece.end_ticks < ticks && !from) {
		replay_fold(replay, replay->piece.records, replay->piece.n_records);
		replay->at = replay->piece.n_records;
		replay->time = later(replay->time, replay_state(replay)->time);
		return 0;
	}
	while (replay->at < replay->piece.n_records) {
		size_t at = replay->at;

		replay_next(replay, group);
		if (group->time < ticks)
			continue;
		if (at > from)
			replay_fold(replay, &replay->piece.records[from], at - from);
		return 1;
	}
	if (replay->at > from)
		replay_fold(replay, &replay->piece.records[from], replay->at - from);
	return 0;
}

int replay_until(struct replay *replay, uint64_t ticks, struct replay_group *group)
{
	if (replay->has_piece && piece_until(replay, ticks, group))
		return 1;
	while (timeline_next(&replay->timeline, &replay->piece)) {
		replay->has_piece = 1;
		replay->at = 0;
		if (!replay->piece.follows)
			return -1;
		if (piece_until(replay, ticks, group))
			return 1;
	}
	/* Where a budget ends the last piece, nothing follows it. */
	return replay->timeline.damaged || replay->thread->record->timeline_lost ? -1 : 0;
}

void replay_unread(struct replay *replay, const struct replay_group *group)
{
	replay->at -= group->n;
	replay->time = replay_state(replay)->time;
}

/* ---- a tree from here on --------------------------------------------------------------------- */

/* The open activation's cells, below `parent`, as new ones. 0: no room. */
static uint32_t inherit(struct replay *replay, uint32_t parent, uint32_t cell)
{
	const struct cinstr_cell *from = replay_cell(replay, cell);

	if (CINSTR_CELL_KIND(from->tag) == CINSTR_CELL_LINE) {
		parent = inherit(replay, parent, from->parent);
		from = replay_cell(replay, cell);
	}
	return parent ? fold_inherit(&replay->fold, parent, from) : 0;
}

/* What is called from now on is not to be found among the calls that are open: their cells are
 * theirs alone. */
static void forget_index(struct fold *fold)
{
	memset(fold->index.slots, 0, fold->index.n_slots * sizeof(*fold->index.slots));
	fold->index.n_used = 0;
}

int replay_begin_anew(struct replay *replay, uint64_t now)
{
	struct cinstr_fold_state state = *replay_state(replay);
	struct cinstr_open *stack = replay_stack(replay);
	uint32_t cell;

	replay->n_cells = 0;
	replay->fold.cell_next = replay->fold.cell_end = 0;
	if (fold_begin(&replay->fold, now))
		return -1;
	fold_own_stack_as(&replay->fold, fold_cell(&replay->fold, replay->thread->record->root));
	cell = replay->record->root;
	for (uint32_t i = 0; i < state.depth; i++) {
		/* The frame below, not the line that it is in. */
		cell = inherit(replay, cell, stack[i].cell);
		if (!cell)
			return -1;
		stack[i].cell = cell;
		stack[i].ticks_before = 0;
		stack[i].flags &= CINSTR_OPEN_TAILED | CINSTR_OPEN_STACK;
		stack[i].flags |= CINSTR_OPEN_CUT; /* its whole time is not of the range */
	}
	forget_index(&replay->fold);
	state.current = state.slot = cell;
	state.slot_across = 0;
	state.root = replay->record->root;
	state.time = now;
	*replay_state(replay) = state;
	return 0;
}
