/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * threads.c - makes a tree from a THREAD segment: undo of a torn fold, check, fold of the records
 * still in the buffer, nodes in preorder (data.h). The fold trusts its memory, so everything that
 * it follows is checked first: areas, parents, structures attached to cells (cell_details.c), the
 * stack of open activations, predictions. A thread that fails is left out with a problem.
 */
#include <stdlib.h>
#include <string.h>

#include "cell_details.h"
#include "cell_details_join.h"
#include "held.h"
#include "lib/fold_memory.h"
#include "lib/util.h"
#include "phases.h"
#include "runtime/fold/fold_sums.h"
#include "thread_build.h"

#define CELLS_AT_ONCE 256u
#define UNDO_BYTES sizeof(((struct cinstr_undo *)0)->old)
#define LONG_TICKS 50000u /* as the runtime's, some 20 us */

/* The cell of an open activation, or the line that it is in; NULL if that is none. */
static struct cinstr_cell *activation_at(const struct build *b, uint32_t index)
{
	struct cinstr_cell *cell = build_number_of(b, index) == NONE ? NULL : build_cell_at(b, index);
	uint32_t kind = cell ? CINSTR_CELL_KIND(cell->tag) : 0;

	if ((kind >= CINSTR_CELL_FRAME && kind <= CINSTR_CELL_INDIRECT) || kind == CINSTR_CELL_LINE)
		return cell;
	return cell && details_is_flat(cell) ? cell : NULL;
}

static int damaged(const struct build *b, uint32_t index, const char *reason)
{
	data_problem(b->data, index ? (uint64_t)index * CELL_BYTES : b->thread->offset,
		     "thread %u is left out: %s", b->thread->record->tid, reason);
	return -1;
}

/* ---- the areas of a thread ------------------------------------------------------------------- */

static void range_add(struct build *b, uint64_t offset, uint64_t bytes)
{
	uint32_t first = (uint32_t)(offset / CELL_BYTES), n = (uint32_t)(bytes / CELL_BYTES);

	if ((offset + bytes) / CELL_BYTES >= NONE || n > NONE - b->n_cells)
		return;
	b->ranges = xrealloc(b->ranges, b->n_ranges + 1, sizeof(*b->ranges));
	b->ranges[b->n_ranges++] = (struct range){ first, n, b->n_cells };
	b->n_cells += n;
}

/* Whether [offset, offset + bytes) lies in a segment of this type of the thread. */
static int area_ok(const struct build *b, uint32_t type, uint64_t offset, uint64_t bytes)
{
	size_t n;
	const struct data_segment *own = data_segments_of(b->data, b->owner, &n);

	for (size_t i = 0; i < n; i++)
		if (own[i].type == type && offset >= own[i].offset && offset % CELL_BYTES == 0 &&
		    offset - own[i].offset <= own[i].bytes &&
		    bytes <= own[i].bytes - (offset - own[i].offset))
			return 1;
	return 0;
}

/* A thread that ended has given its areas back: then it has none. */
static int areas_check(struct build *b)
{
	struct cinstr_thread *t = b->thread->record;
	int ended = t->state == CINSTR_THREAD_ENDED;

	if (!area_ok(b, CINSTR_SEG_JOURNAL, t->journal_offset, t->journal_bytes)) {
		if (!ended)
			return damaged(b, 0, "its journal lies nowhere");
		t->journal_offset = t->journal_bytes = t->journal_used = 0;
	}
	if (!area_ok(b, CINSTR_SEG_BUFFER, t->buffer_offset, t->buffer_bytes)) {
		if (!ended)
			return damaged(b, 0, "its buffer lies nowhere");
		t->buffer_offset = t->buffer_bytes = 0;
	}
	if (!area_ok(b, CINSTR_SEG_STACK, t->stack_offset, t->stack_bytes)) {
		if (!ended)
			return damaged(b, 0, "its stack lies nowhere");
		t->stack_offset = t->stack_bytes = 0;
	}
	return 0;
}

/* ---- undo ------------------------------------------------------------------------------------ */

/*
 * When its stack was just being moved: journal entries for the old or the new stack mean the same
 * place in the one that counts.
 */
static void undo_entry_follow(const struct build *b, struct cinstr_undo *undo)
{
	const struct cinstr_thread *t = b->thread->record;
	size_t n;
	const struct data_segment *own = data_segments_of(b->data, b->owner, &n);

	for (size_t i = 0; i < n; i++)
		if (own[i].type == CINSTR_SEG_STACK && own[i].offset != t->stack_offset &&
		    undo->offset - own[i].offset < own[i].bytes) {
			undo->offset += t->stack_offset - own[i].offset;
			return;
		}
}

static int undo_entry_ok(const struct build *b, const struct cinstr_undo *undo)
{
	const struct cinstr_thread *t = b->thread->record;

	if (undo->offset % 16)
		return 0;
	if (undo->offset >= t->stack_offset && undo->offset + UNDO_BYTES <= t->stack_offset + t->stack_bytes)
		return 1;
	return undo->offset / CELL_BYTES < NONE - 1 &&
	       build_number_of(b, (uint32_t)(undo->offset / CELL_BYTES)) != NONE &&
	       build_number_of(b, (uint32_t)((undo->offset + UNDO_BYTES - 1) / CELL_BYTES)) != NONE;
}

static int undo(struct build *b)
{
	struct cinstr_thread *t = b->thread->record;
	struct cinstr_undo *entries = (void *)(b->data->memory + t->journal_offset);

	if (t->journal_commit != t->commit || !t->journal_used)
		return 0;
	if (t->journal_used > t->journal_bytes / sizeof(*entries))
		return damaged(b, 0, "its journal is longer than its place");
	for (uint64_t i = 0; i < t->journal_used; i++) {
		undo_entry_follow(b, &entries[i]);
		if (!undo_entry_ok(b, &entries[i]))
			return damaged(b, 0, "its journal keeps what is not its own");
	}
	b->thread->undone = fold_undo(b->data->memory, b->data->end, t);
	return 0;
}

/* ---- check ----------------------------------------------------------------------------------- */

static int is_own(const void *build, uint32_t index)
{
	return build_number_of(build, index) != NONE;
}

static int detail_check(const struct build *b, uint32_t index, size_t *n_buckets)
{
	const struct details_bounds bounds = { b->data->memory, is_own, b, b->n_cells };
	const char *reason = details_check(&bounds, index, n_buckets);

	return reason ? damaged(b, index, reason) : 0;
}

static int cell_check(struct build *b, uint32_t index, size_t *n_buckets)
{
	struct cinstr_cell *cell = build_cell_at(b, index);
	uint32_t kind = CINSTR_CELL_KIND(cell->tag), root = b->thread->record->root;

	if (kind == CINSTR_CELL_FREE || kind == CINSTR_CELL_BUCKET ||
	    (kind >= CINSTR_CELL_DETAIL && kind <= CINSTR_CELL_DIRTY))
		return 0;
	if (details_is_flat(cell)) {
		b->n_flat++;
		return detail_check(b, index, n_buckets);
	}
	if (!build_is_node(cell))
		return damaged(b, index, "a cell of unknown kind");
	if ((kind == CINSTR_CELL_ROOT && cell->parent != (index == root ? 0 : root)) ||
	    (index == root && kind != CINSTR_CELL_ROOT))
		return damaged(b, index, "a root in the wrong place");
	if (index != root && !build_node_at(b, cell->parent)) {
		if (b->thread->undone) { /* and no room in the journal for both */
			cell->tag = CINSTR_CELL_FREE;
			return 0;
		}
		return damaged(b, index, "a cell's parent lies nowhere");
	}
	if (build_is_line(cell) && CINSTR_CELL_KIND(build_cell_at(b, cell->parent)->tag) != CINSTR_CELL_FRAME)
		return damaged(b, index, "a source line that belongs to no function");
	/* No write to pages that are the file's. MERGED: no prediction. */
	if (cell->down && kind != CINSTR_CELL_MERGED && !build_node_at(b, cell->down))
		cell->down = 0;
	if (cell->across && !build_node_at(b, cell->across))
		cell->across = 0;
	b->n_nodes++;
	return detail_check(b, index, n_buckets);
}

static int cells_check(struct build *b)
{
	size_t n_buckets = 0;

	b->n_nodes = b->n_flat = 0;
	if (!build_node_at(b, b->thread->record->root))
		return damaged(b, 0, "its tree has no root");
	for (size_t r = 0; r < b->n_ranges; r++)
		for (uint32_t i = 0; i < b->ranges[r].n; i++)
			if (cell_check(b, b->ranges[r].first + i, &n_buckets))
				return -1;
	return 0;
}

/* The stack of open activations: from the root to the current cell. */
static int stack_check(struct build *b)
{
	struct cinstr_thread *t = b->thread->record;
	struct cinstr_fold_state *state = &t->states[t->commit & 1];
	const struct cinstr_open *open = (const void *)(b->data->memory + t->stack_offset);
	uint32_t top = state->root;

	if (!build_node_at(b, top) || CINSTR_CELL_KIND(build_cell_at(b, top)->tag) != CINSTR_CELL_ROOT)
		return damaged(b, 0, "its phase has no root");
	if (!t->stack_bytes) { /* given back: what was open there ended with the thread */
		state->depth = 0;
		state->current = top;
	}
	if (state->depth > t->stack_bytes / sizeof(*open))
		return damaged(b, 0, "its stack is deeper than its place");
	for (uint32_t i = 0; i < state->depth; i++) {
		const struct cinstr_cell *cell = activation_at(b, open[i].cell);

		if (!cell || details_is_flat(cell) != (state->merged && i >= state->merged_base))
			return damaged(b, 0, "its stack of open calls is broken");
		top = open[i].cell;
	}
	if (state->current != top)
		return damaged(b, 0, "its current cell is not the top of its stack");
	if (state->merged && (!build_node_at(b, state->merged) ||
			      CINSTR_CELL_KIND(build_cell_at(b, state->merged)->tag) != CINSTR_CELL_MERGED))
		return damaged(b, 0, "its calls beyond the budget belong nowhere");
	if (!build_node_at(b, state->slot)) {
		state->slot = state->root;
		state->slot_across &= ~1u;
	}
	return 0;
}

/* ---- fold ------------------------------------------------------------------------------------ */

static int more_cells(struct fold *fold)
{
	struct build *b = (struct build *)(void *)fold;
	uint64_t bytes = CELLS_AT_ONCE * CELL_BYTES, offset = data_room(b->data, bytes);

	if (!offset)
		return -1;
	range_add(b, offset, bytes);
	fold->cell_next = b->ranges[b->n_ranges - 1].first;
	fold->cell_end = fold->cell_next + CELLS_AT_ONCE;
	return 0;
}

static int more_stack(struct fold *fold)
{
	struct build *b = (struct build *)(void *)fold;
	struct cinstr_thread *t = fold->thread;
	uint64_t bytes = t->stack_bytes ? 2 * t->stack_bytes : CINSTR_PAGE;
	uint64_t offset = data_room(b->data, (bytes + CELL_BYTES - 1) & ~(CELL_BYTES - 1));

	if (!offset)
		return -1;
	memcpy(b->data->memory + offset, b->data->memory + t->stack_offset, t->stack_bytes);
	t->stack_offset = offset;
	t->stack_bytes = bytes;
	return 0;
}

/* Activations of each FLAT cell, which the undo of a fold does not put back. */
static void flat_recount(struct build *b)
{
	const struct cinstr_thread *t = b->thread->record;
	const struct cinstr_fold_state *state = &t->states[t->commit & 1];
	const struct cinstr_open *open = (const void *)(b->data->memory + t->stack_offset);

	for (size_t r = 0; r < b->n_ranges; r++)
		for (uint32_t i = 0; i < b->ranges[r].n; i++)
			if (details_is_flat(build_cell_at(b, b->ranges[r].first + i)))
				fold_flat_link(&b->fold, build_cell_at(b, b->ranges[r].first + i));
	for (uint32_t i = state->merged ? state->merged_base : state->depth; i < state->depth; i++)
		fold_flat_count(b->data->memory, build_cell_at(b, open[i].cell));
}

static void keep_long(struct fold *fold, const struct fold_long *interval)
{
	struct build *b = (struct build *)(void *)fold;

	long_intervals_add(b->thread, interval);
}

static void on_slow_event(struct fold *fold, const struct fold_slow *slow)
{
	struct build *b = (struct build *)(void *)fold;
	uint32_t cell = (uint32_t)(((const char *)slow->cell - fold->file) / CELL_BYTES);

	awaited_set_cell(b->thread, slow->end_ticks, slow->cell, cell);
	stretches_add(b->thread, slow, cell, b->data->header->threshold_ticks);
}

/* Enters the cells into the index, with the budget of paths as it was. */
static void fold_begin_here(struct build *b)
{
	struct fold *fold = &b->fold;
	uint32_t n_slots = 256, n_tags = 0;

	while (n_slots < 2 * (b->n_nodes + b->n_flat) + 2)
		n_slots *= 2;
	fold->file = b->data->memory;
	fold->thread = b->thread->record;
	fold->sites = &b->data->modules.fold_sites;
	fold->index = (struct fold_index){ xcalloc(n_slots, sizeof(uint32_t)), n_slots, 0 };
	fold->max_cells = data_paths(b->data, fold->thread, &fold->hot_from);
	fold->max_cells_open = UINT32_MAX;
	fold->n_cells = (uint32_t)(b->n_nodes + b->n_flat);
	fold->phases = data_phases(b->data);
	fold->n_phases = b->data->n_phases;
	fold->switched = b->data->header->switches != 0;
	held_see(b->data, fold);
	fold->stop_backward = 1;
	fold->more_cells = more_cells;
	fold->more_index = index_grow;
	fold->more_stack = more_stack;
	fold->keep_long = b->data->header->mixed ? keep_long : NULL;
	fold->long_ticks = LONG_TICKS;
	fold->keeps_all = b->data->header->self_sampled != 0;
	fold->on_slow_event = on_slow_event;
	for (size_t r = 0; r < b->n_ranges; r++)
		for (uint32_t i = 0; i < b->ranges[r].n; i++) {
			uint32_t index = b->ranges[r].first + i;

			if (n_tags < CINSTR_TAG_NAMES && threads_is_tag(b, index))
				fold->tags[n_tags++] = index;
			if (!details_is_flat(build_cell_at(b, index)) &&
			    (!build_is_node(build_cell_at(b, index)) || index == fold->thread->root))
				continue;
			if (CINSTR_CELL_KIND(build_cell_at(b, index)->tag) == CINSTR_CELL_MERGED &&
			    !fold->hot_from)
				fold->max_cells = 0;
			fold_index_add(fold, index);
		}
	flat_recount(b);
}

/* Whether the buffer holds records that are not in the tree yet. */
static int is_pending(const struct build *b)
{
	const struct cinstr_thread *t = b->thread->record;
	const struct cinstr_record *r = (const void *)(b->data->memory + t->buffer_offset);

	return t->buffer_bytes >= sizeof(*r) && CINSTR_CODE_KIND(r->code) == CINSTR_EV_SPECIAL &&
	       CINSTR_SPECIAL_TYPE(r->code) == CINSTR_SP_START &&
	       CINSTR_SPECIAL_VALUE(r) >= t->states[t->commit & 1].time;
}

static int fold_pending(struct build *b)
{
	const struct cinstr_thread *t = b->thread->record;
	const struct cinstr_record *records = (const void *)(b->data->memory + t->buffer_offset);

	long_intervals_read(b->data, b->thread, b->owner, t->states[t->commit & 1].time);
	awaited_read(b->data, b->thread, b->owner, t->states[t->commit & 1].time);
	stretches_read(b->data, b->thread, b->owner, t->states[t->commit & 1].time);
	if (!is_pending(b) && !open_time_of(b->data, t).to) {
		awaiting_read(b->data, b->thread, 0);
		return 0;
	}
	fold_begin_here(b);
	if (is_pending(b)) {
		b->thread->pending_records = fold_run(&b->fold, records, t->buffer_bytes / sizeof(*records));
		fold_commit(&b->fold);
	}
	awaiting_read(b->data, b->thread, b->thread->pending_records);
	b->thread->open_time = open_time_of(b->data, t);
	open_time_fold(&b->fold, &b->thread->open_time, UINT64_MAX);
	free(b->fold.index.slots);
	return cells_check(b);
}

/*
 * The records that the thread's first tree has got from its buffer, unless this one has them
 * already: then more has been executed in it than at their begin.
 */
static int fold_pending_sums(struct build *b)
{
	const struct cinstr_thread *of = b->counted->record;
	const struct cinstr_record *from = (const void *)(b->data->memory + of->buffer_offset);
	const struct cinstr_fold_state *state = &b->thread->record->states[b->thread->record->commit & 1];
	struct fold_sums sums = { .last = state->time };
	size_t n = b->counted->pending_records;
	FREED struct cinstr_record *records = NULL;

	if (!n || *fold_sum_of(from) != state->time)
		return 0;
	records = xcalloc(2 * n, sizeof(*records));
	fold_begin_here(b);
	b->fold.has_no_events = 1;
	b->fold.stop_backward = 0;
	b->fold.n_phases = 0;
	b->fold.keep_long = NULL;
	b->fold.on_slow_event = NULL;
	fold_run(&b->fold, records, fold_sums_records(&sums, records, from, n));
	fold_commit(&b->fold);
	if (sums.missing)
		b->thread->sums_flags |= CINSTR_CALL_SUMS_UNKNOWN;
	free(b->fold.index.slots);
	return cells_check(b);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void thread_release(struct data_thread *thread)
{
	free(thread->nodes);
	free(thread->open);
	free(thread->flat);
	free(thread->paths);
	free(thread->overheads);
	free(thread->cells);
	mixed_thread_release(thread);
	free(thread->longs.list);
	free(thread->awaited.list);
	free(thread->stretches.list);
	free(thread->moved.list);
	free(thread->tags.list);
	tree_release(&thread->by_phase);
}

static int tree_make(struct build *b)
{
	return threads_nodes_make(b) ? damaged(b, 0, "cells of its tree do not hang together") : 0;
}

static int thread_build(struct build *b)
{
	struct data_thread *thread = b->thread;
	const struct cinstr_thread *t = thread->record;
	size_t n;
	const struct data_segment *own = data_segments_of(b->data, b->owner, &n);

	for (size_t i = 0; i < n; i++)
		if (own[i].type == CINSTR_SEG_CELLS)
			range_add(b, own[i].offset, own[i].bytes);
	if (!t->root || !t->state)
		return -1; /* it was being made when the process stopped: nothing is lost */
	if (t->index != b->owner)
		return damaged(b, 0, "its number is wrong");
	if (!b->counted && t->states[t->commit & 1].time > open_time_latest(b->data))
		return damaged(b, 0, "the time of its last event is years after the beginning");
	if (areas_check(b) || undo(b) || cells_check(b) || stack_check(b) ||
	    (b->counted ? fold_pending_sums(b) : fold_pending(b)))
		return -1;
	if (tree_make(b))
		return -1;
	if (!b->counted) {
		threads_moved_make(b);
		threads_tags_make(b);
	}
	threads_flat_make(b);
	if (b->counted)
		return 0;
	threads_awaited_check(b);
	stretches_settle(b->thread);
	threads_stretches_check(b);
	thread->state = &t->states[t->commit & 1];
	details_settle(b->data, t);
	phases_join(b->data, thread);
	return 0;
}

int thread_make(struct data *data, const struct data_segment *s, struct data_thread *thread)
{
	struct range near = { 0 };
	struct build b = { .data = data, .owner = s->owner, .thread = thread, .near = &near };
	int status;

	if (s->bytes < sizeof(struct cinstr_thread)) {
		data_problem(data, s->offset, "a thread's description is cut off");
		return -1;
	}
	*thread = (struct data_thread){
		.record = (struct cinstr_thread *)(void *)(data->memory + s->offset),
		.offset = s->offset,
	};
	status = thread_build(&b);
	if (status)
		thread_release(thread);
	free(b.ranges);
	return status;
}

static const struct data_thread *thread_of_index(const struct data *data, uint32_t index)
{
	for (size_t i = 0; i < data->n_threads; i++)
		if (data->threads[i].record->index == index)
			return &data->threads[i];
	return NULL;
}

int thread_make_sums(struct data *data, const struct data_segment *s, struct data_thread *thread)
{
	struct cinstr_call_sums *entry = (void *)(data->memory + s->offset);
	struct range near = { 0 };
	struct build b = { .data = data, .owner = s->owner, .thread = thread, .near = &near };
	int status;

	if (s->bytes < sizeof(*entry))
		return -1;
	b.counted = thread_of_index(data, entry->thread);
	if (!b.counted)
		return -1;
	*thread = (struct data_thread){ .record = &entry->tree,
					.offset = s->offset,
					.sums_flags = entry->flags,
					.counter = (enum cinstr_counter)entry->counter };
	status = thread_build(&b);
	thread->state = &entry->tree.states[entry->tree.commit & 1];
	if (status)
		thread_release(thread);
	free(b.ranges);
	return status;
}

int threads_retree(struct data *data, struct data_thread *thread, struct cinstr_thread *record,
		   const struct data_cells *cells, size_t n_cells)
{
	struct data_thread old = *thread, new = { .record = record, .offset = thread->offset };
	struct range near = { 0 };
	struct build b = { .data = data, .thread = &new, .owner = record->index, .near = &near };
	int status;

	for (size_t i = 0; i < n_cells; i++)
		range_add(&b, cells[i].offset, cells[i].bytes);
	status = cells_check(&b) || tree_make(&b) ? -1 : 0;
	if (!status) {
		threads_moved_make(&b);
		threads_flat_make(&b);
		new.state = &record->states[record->commit & 1];
		new.sums = NULL; /* it is of all that the thread did */
		new.longs = old.longs;
		new.open_time = old.open_time;
		old.longs = (struct long_intervals){ 0 };
		new.tags = old.tags; /* of all that the thread did */
		old.tags = (struct tags){ 0 };
		new.awaited = old.awaited;
		new.awaiting = old.awaiting;
		old.awaited = (struct awaited){ 0 };
		new.stretches = old.stretches;
		old.stretches = (struct stretches){ 0 };
		*thread = new;
		thread_release(&old);
		data->phases_unknown = 1;
	}
	free(b.ranges);
	return status;
}

void threads_keep(struct data *data,
		  int (*keeps)(void *arg, const struct data *data, const struct data_thread *thread),
		  void *arg)
{
	size_t n = 0;

	for (size_t i = 0; i < data->n_threads; i++) {
		if (keeps(arg, data, &data->threads[i]))
			data->threads[n++] = data->threads[i];
		else
			thread_release(&data->threads[i]);
	}
	data->n_threads = n;
}

void threads_release(struct data *data)
{
	for (size_t i = 0; i < data->n_threads; i++)
		thread_release(&data->threads[i]);
	for (size_t i = 0; i < data->n_sums; i++)
		thread_release(&data->sums[i]);
	free(data->threads);
	free(data->sums);
	data->threads = data->sums = NULL;
	data->n_threads = data->n_sums = 0;
}
