/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * time_range.c - see time_range.h. F(t), the tree at time t, contains all events before t, and the
 * part before t of the interval that includes t, which belongs to the cell determined by the
 * interval's end (semantics R4). The tree of a range is F(to) - F(from): it begins empty at `from`,
 * with the calls that are open then; at `to`, the next event is folded as if it came at `to`, and
 * only its time is kept.
 */
#include "time_range.h"

#include <stdlib.h>
#include <string.h>

#include "cinstr/amounts.h"
#include "file/cell_details.h"
#include "file/cell_details_join.h"
#include "file/phases.h"
#include "lib/util.h"
#include "mixed/mixed_join.h"
#include "replay.h"

#define GROUP_MAX 8

/* ---- one thread ------------------------------------------------------------------------------ */

static struct cinstr_record with_value(struct cinstr_record record, uint64_t value)
{
	record.extra = (uint32_t)value;
	record.second = (uint32_t)(value >> 32) | 1u << 31;
	return record;
}

/* The group as if it came at `now`. The operating system's part of the interval is taken to lie at
 * its end. */
static size_t group_at(const struct replay_group *group, uint64_t now, struct cinstr_record *records)
{
	uint64_t left = group->time - now;
	uint64_t off_cpu = group->off_cpu_ticks > left ? group->off_cpu_ticks - left : 0;
	size_t n = group->n < GROUP_MAX ? group->n : GROUP_MAX;

	for (size_t i = 0; i < n; i++) {
		records[i] = group->records[i];
		records[i].time_lo = (uint32_t)now;
		if (CINSTR_CODE_KIND(records[i].code) != CINSTR_EV_SPECIAL)
			continue;
		if (CINSTR_SPECIAL_TYPE(records[i].code) == CINSTR_SP_OS)
			records[i] = with_value(records[i], off_cpu);
		else if (i == 0 && CINSTR_SPECIAL_TYPE(records[i].code) != CINSTR_SP_TARGET &&
			 CINSTR_SPECIAL_TYPE(records[i].code) != CINSTR_SP_AMOUNT)
			records[i] = with_value(records[i], now);
	}
	return n;
}

/* The next event, also behind the recording's own work; NULL: it is not in this buffer. */
static const struct cinstr_record *event_ahead(const struct replay *replay, const struct replay_group *group)
{
	if (group->event)
		return group->event;
	for (size_t i = replay->at; i < replay->piece.n_records; i++) {
		const struct cinstr_record *r = &replay->piece.records[i];

		if (CINSTR_CODE_KIND(r->code) != CINSTR_EV_SPECIAL)
			return r;
		if (CINSTR_SPECIAL_TYPE(r->code) >= CINSTR_SP_LOST)
			return NULL;
	}
	return NULL;
}

/* Is the event the enter of the callee that the call on top of the stack announced? Then the two
 * are one. */
static int is_announced(const struct replay *replay, const struct cinstr_record *event)
{
	const struct cinstr_fold_state *state = replay_state(replay);
	uint32_t kind = CINSTR_CELL_KIND(replay_cell(replay, state->current)->tag);

	return event && CINSTR_CODE_KIND(event->code) == CINSTR_EV_ENTER && state->depth &&
	       (kind == CINSTR_CELL_CALL || kind == CINSTR_CELL_INDIRECT) &&
	       fold_returns_to(replay_stack(replay)[state->depth - 1].where, event->extra);
}

/*
 * The group is the end of the recording's own work, or of nothing that has an event: what lies
 * before `now` is the recording's, not of the function whose enter comes after it.
 */
static void fold_own_work(struct replay *replay, uint64_t now, const struct replay_group *group)
{
	uint32_t type = CINSTR_SPECIAL_TYPE(group->records[0].code);
	struct cinstr_record resume;

	if (group->event || (type != CINSTR_SP_START && type != CINSTR_SP_RESUME))
		return;
	resume = with_value(group->records[0], now);
	resume.time_lo = (uint32_t)now;
	replay_fold(replay, &resume, 1);
}

/*
 * Folds what lies before `now`. The enter that belongs to a call before it counts as before it,
 * too: *is_early. Returns as replay_until().
 */
static int fold_until(struct replay *replay, uint64_t now, struct replay_group *group, int *is_early)
{
	int more = replay_until(replay, now, group);
	const struct cinstr_record *event = more == 1 ? event_ahead(replay, group) : NULL;
	struct cinstr_record enter, records[GROUP_MAX];

	*is_early = is_announced(replay, event);
	if (!*is_early)
		return more;
	if (group->event && group->os_bits) { /* its part of what the operating system did, too */
		replay_fold(replay, records, group_at(group, now, records));
		return more;
	}
	fold_own_work(replay, now, group);
	enter = *event;
	enter.time_lo = (uint32_t)now;
	replay_fold(replay, &enter, 1);
	return more;
}

/* A copy of the tree's cells, stack and state. */
struct snapshot {
	char **cells; /* of each of the replay's pieces */
	size_t n_cells;
	struct cinstr_open *stack;
	struct cinstr_fold_state state;
};

static void snapshot_take(struct snapshot *snapshot, const struct replay *replay)
{
	const struct cinstr_fold_state *state = replay_state(replay);

	*snapshot = (struct snapshot){ .n_cells = replay->n_cells,
				       .state = *state,
				       .cells = xcalloc(replay->n_cells, sizeof(*snapshot->cells)),
				       .stack = xcalloc(state->depth, sizeof(*snapshot->stack)) };
	for (size_t i = 0; i < replay->n_cells; i++) {
		snapshot->cells[i] = xcalloc(1, replay->cells[i].bytes);
		memcpy(snapshot->cells[i], replay->data->memory + replay->cells[i].offset,
		       replay->cells[i].bytes);
	}
	memcpy(snapshot->stack, replay_stack(replay), state->depth * sizeof(*snapshot->stack));
}

static void snapshot_release(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_cells; i++)
		free(snapshot->cells[i]);
	free(snapshot->cells);
	free(snapshot->stack);
}

/* A cell now, and as it was: NULL, it was not there. */
struct cell_pair {
	uint32_t index;
	struct cinstr_cell *now;
	const struct cinstr_cell *then;
};

/* All of the tree's, one after another; *at begins as 0. */
static int next_pair(const struct replay *replay, const struct snapshot *snapshot, struct cell_pair *pair,
		     uint64_t *at)
{
	uint64_t i = *at;

	for (size_t k = 0; k < replay->n_cells; k++) {
		uint64_t n = replay->cells[k].bytes / sizeof(struct cinstr_cell);

		if (i >= n) {
			i -= n;
			continue;
		}
		pair->index = (uint32_t)(replay->cells[k].offset / sizeof(struct cinstr_cell) + i);
		pair->now = replay_cell(replay, pair->index);
		pair->then = NULL;
		if (k < snapshot->n_cells)
			pair->then = (const void *)(snapshot->cells[k] + i * sizeof(struct cinstr_cell));
		++*at;
		return 1;
	}
	return 0;
}

static uint32_t kind_of(const struct cinstr_cell *cell)
{
	return cell ? CINSTR_CELL_KIND(cell->tag) : CINSTR_CELL_FREE;
}

/* The node that has got time since; 0: none. */
static uint32_t charged_since(const struct replay *replay, const struct snapshot *snapshot)
{
	struct cell_pair pair;
	uint64_t at = 0;

	while (next_pair(replay, snapshot, &pair, &at))
		if (details_is_node(pair.now) && pair.now->ticks != (pair.then ? pair.then->ticks : 0))
			return pair.index;
	return 0;
}

/* What has happened to a node since: time, and time with events of the system (bits 0: none). */
struct charge {
	uint64_t ticks;
	uint32_t bits;
	uint64_t os_ticks, off_cpu_ticks;
};

static void add_since(struct charge *charge, const struct cell_pair *pair, uint32_t charged)
{
	static const struct cinstr_cell none;
	const struct cinstr_cell *then = pair->then ? pair->then : &none;
	const struct cinstr_bucket *bucket = (const void *)pair->now, *old = (const void *)then;

	if (pair->index == charged) {
		charge->ticks = pair->now->ticks - then->ticks;
	} else if (CINSTR_CELL_KIND(pair->now->tag) == CINSTR_CELL_BUCKET && bucket->owner == charged &&
		   bucket->ticks != old->ticks) {
		charge->bits = bucket->bits;
		charge->os_ticks = bucket->ticks - old->ticks;
		charge->off_cpu_ticks = bucket->off_cpu_ticks - old->off_cpu_ticks;
	}
}

/* As it was. A node that the group has made and that got the time stays, as one that nothing has
 * happened in. */
static void restore(const struct cell_pair *pair, uint32_t charged)
{
	static const struct cinstr_cell none;
	const struct cinstr_cell *then = pair->then ? pair->then : &none;

	if (pair->index != charged || details_is_node(then)) {
		*pair->now = *then;
		return;
	}
	pair->now->calls = pair->now->ticks = pair->now->after_ticks = 0;
	pair->now->detail = 0;
	pair->now->first_ticks = UINT64_MAX;
}

/* Only time: intervals and switches are counted where the interval ends. A bucket may be new, in a
 * place of its own. */
static void add_charge(struct replay *replay, struct cinstr_cell *cell, const struct charge *charge)
{
	struct data *data = replay->data;
	uint64_t end = data->end;
	struct cinstr_bucket *bucket = charge->bits ? details_bucket(data, cell, charge->bits) : NULL;

	if (data->end > end) {
		replay->cells = xrealloc(replay->cells, replay->n_cells + 1, sizeof(*replay->cells));
		replay->cells[replay->n_cells++] = (struct data_cells){ end, data->end - end };
	}
	cell->ticks += charge->ticks;
	if (!bucket)
		return;
	bucket->ticks += charge->os_ticks;
	bucket->off_cpu_ticks += charge->off_cpu_ticks;
}

/* Of an interval with events of the system that an early enter has cut: what lies behind the cut.
 * Its switches have been counted. */
static void add_rest(struct replay *replay, const struct replay_group *group)
{
	struct cinstr_fold_state *state = replay_state(replay);
	uint64_t ticks = group->time - state->time;
	const struct charge charge = { .ticks = ticks,
				       .bits = group->os_bits,
				       .os_ticks = ticks,
				       .off_cpu_ticks =
					       group->off_cpu_ticks < ticks ? group->off_cpu_ticks : ticks };

	add_charge(replay, replay_cell(replay, state->current), &charge);
	replay_state(replay)->time = group->time;
}

/* The enter that has been folded comes now: of its group what is not the event stays, the interval
 * is its function's. */
static void skip_enter(struct replay *replay, uint64_t to)
{
	struct replay_group group;

	while (replay_next(replay, &group)) {
		if (group.time >= to) {
			replay_unread(replay, &group);
			return;
		}
		if (group.event && group.os_bits)
			add_rest(replay, &group);
		else if (!group.event)
			replay_fold(replay, group.records, group.n);
		else if (group.n > 1)
			replay_fold(replay, group.records, group.n - 1);
		if (group.event)
			return;
	}
}

/* The part of the interval up to `now`, which the group ends later. */
static void fold_part(struct replay *replay, uint64_t now, const struct replay_group *group)
{
	struct cinstr_record records[GROUP_MAX];
	struct cinstr_fold_state *state, peeked;
	struct snapshot snapshot;
	struct cell_pair pair;
	struct charge charge = { 0 };
	uint64_t at = 0;
	uint32_t charged;

	snapshot_take(&snapshot, replay);
	replay_fold(replay, records, group_at(group, now, records));
	peeked = *replay_state(replay);
	charged = charged_since(replay, &snapshot);
	while (next_pair(replay, &snapshot, &pair, &at))
		add_since(&charge, &pair, charged);
	at = 0;
	while (next_pair(replay, &snapshot, &pair, &at))
		restore(&pair, charged);
	memcpy(replay_stack(replay), snapshot.stack, snapshot.state.depth * sizeof(*snapshot.stack));
	state = replay_state(replay);
	*state = snapshot.state;
	state->time = peeked.time;
	state->runtime_ticks = peeked.runtime_ticks;
	state->paused_ticks = peeked.paused_ticks;
	snapshot_release(&snapshot);
	if (charged)
		add_charge(replay, replay_cell(replay, charged), &charge);
}

/* The end of the recording's own work within a pause ends no interval: the pause goes on, and its
 * part up to `now` has been in none. */
static void fold_pause(struct replay *replay, uint64_t now)
{
	struct cinstr_fold_state *state = replay_state(replay);

	if (!state->paused || state->time >= now)
		return;
	state->paused_ticks += now - state->time;
	state->time = now;
}

static uint64_t open_frames(const struct replay *replay)
{
	const struct cinstr_open *stack = replay_stack(replay);
	uint64_t n = 0;

	for (uint32_t i = 0; i < replay_state(replay)->depth; i++) {
		uint32_t kind = kind_of(replay_cell(replay, stack[i].cell));

		n += kind == CINSTR_CELL_FRAME || kind == CINSTR_CELL_LINE;
	}
	return n;
}

/* What was counted since `before`. Calls that were open then were already running. */
static void subtract(struct cinstr_fold_state *state, const struct cinstr_fold_state *before, uint64_t open)
{
	state->runtime_ticks -= before->runtime_ticks;
	state->paused_ticks -= before->paused_ticks;
	state->between_ticks -= before->between_ticks;
	state->records -= before->records;
	state->events -= before->events;
	state->enters -= before->enters - open;
	state->exits -= before->exits;
	state->implicit_exits -= before->implicit_exits;
	state->orphans -= before->orphans;
	state->lost_events -= before->lost_events;
	state->voluntary -= before->voluntary;
	state->involuntary -= before->involuntary;
	state->os_intervals -= before->os_intervals;
	state->pauses -= before->pauses;
	state->repaired -= before->repaired - open;
}

/* The kernel's counters are those of a whole life: nothing is said of a part. */
static void forget_counters(struct cinstr_thread *record, const struct cinstr_fold_state *state)
{
	record->counters_first = (struct cinstr_counters){ 0 };
	record->counters_last =
		(struct cinstr_counters){ .voluntary = state->voluntary, .involuntary = state->involuntary };
	record->own_voluntary = record->own_involuntary = 0;
	record->timeline_lost = 0;
}

/* The tree of [from, to). 0, or -1: the timeline does not hold all of it. */
static int fold_range(struct replay *replay, uint64_t from, uint64_t to)
{
	struct replay_group group;
	struct cinstr_fold_state before;
	uint64_t open;
	int is_early, more = fold_until(replay, from, &group, &is_early);

	if (more < 0)
		return -1;
	before = *replay_state(replay);
	if (from < before.time)
		from = before.time;
	open = open_frames(replay);
	if (replay_begin_anew(replay, from))
		return -1;
	if (more) {
		replay_unread(replay, &group);
		if (is_early)
			skip_enter(replay, to);
		more = fold_until(replay, to, &group, &is_early);
	}
	if (more == 1) {
		fold_part(replay, to, &group);
		fold_pause(replay, to);
	} else if (!more && replay->thread->record->state == CINSTR_THREAD_ENDED)
		replay_close(replay);
	else if (!more)
		open_time_fold(&replay->fold, &replay->thread->open_time, to);
	subtract(replay_state(replay), &before, open);
	forget_counters(replay->record, replay_state(replay));
	return more < 0 ? -1 : 0;
}

static int is_kept(const struct data *data)
{
	return data->header->timeline_mode && !data->header->timeline_min_ns;
}

/* 0, or -1: what lies between is not known. */
static int thread_select(struct data *data, struct data_thread *thread, uint64_t from, uint64_t to)
{
	struct replay replay;
	int status;

	if (from <= thread->record->first_ticks && to > thread->state->time)
		return 0;
	if (!is_kept(data))
		return -1;
	status = replay_open(&replay, data, thread);
	if (!status)
		status = fold_range(&replay, from, to);
	if (!status)
		status = threads_retree(data, thread, replay.record, replay.cells, replay.n_cells);
	replay_release(&replay);
	return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

struct bounds {
	uint64_t from, to;
};

static int is_within(void *arg, const struct data *data, const struct data_thread *thread)
{
	const struct bounds *bounds = arg;

	(void)data;
	return thread->record->first_ticks < bounds->to && thread->state->time >= bounds->from;
}

static int say_unknown(const struct data *data)
{
	const char *why = "no timeline was recorded";

	if (data->header->timeline_mode == CINSTR_TIMELINE_RING)
		why = "its timeline holds the newest events only";
	else if (data->header->timeline_mode && data->header->timeline_min_ns)
		why = "its timeline leaves out short calls";
	else if (data->header->timeline_mode)
		why = "its timeline does not hold all of it";
	return error("%s: what happened between --from and --to is not known: %s. Record with "
		     "CINSTR_TIMELINE=unlimited, or choose marks",
		     util_shown(data->path), why);
}

static int timed_select(struct data *data, uint64_t from_ticks, uint64_t to_ticks, int by_marks)
{
	struct bounds bounds = { from_ticks, to_ticks };

	if ((by_marks || !data->header->timeline_mode) && !phases_select(data, from_ticks, to_ticks))
		return 0;
	threads_keep(data, is_within, &bounds);
	for (size_t i = 0; i < data->n_threads; i++)
		if (thread_select(data, &data->threads[i], from_ticks, to_ticks))
			return phases_select(data, from_ticks, to_ticks) ? say_unknown(data) : 0;
	return 0;
}

int range_select(struct data *data, uint64_t from_ticks, uint64_t to_ticks, int by_marks)
{
	struct bounds bounds = { from_ticks, to_ticks };
	int status;

	if (data->sampled) { /* each sample has a stamp */
		threads_keep(data, is_within, &bounds);
		samples_select(data, from_ticks, to_ticks);
		return 0;
	}
	mixed_undo(data);
	status = timed_select(data, from_ticks, to_ticks, by_marks);
	mixed_redo(data, from_ticks, to_ticks);
	return status;
}
