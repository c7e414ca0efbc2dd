/* SPDX-License-Identifier: MIT */
/*
 * fold.c - runs a fold (fold.h): begins from the thread's committed state, processes records,
 * commits. The hot steps (fold_hot.c) go as far as they can; a record that they cannot process goes
 * to fold_record() (fold_events.c), and so on.
 *
 * Runs in the thread that owns the tree (runtime, signals blocked) or in the report (one thread a
 * tree). Touches only the thread's own cells, stack and journal; no libc, no locks, no errno.
 */
#include "fold_steps.h"

void fold_walk_begin(struct walk *w, struct fold *fold)
{
	struct cinstr_thread *thread = fold->thread;
	const struct cinstr_fold_state *from = &thread->states[thread->commit & 1];
	struct cinstr_fold_state *state = &thread->states[~thread->commit & 1];
	struct cinstr_cell *slot;
	uint32_t own_stack;

	thread->journal_used = 0;
	atomic_store_release(&thread->journal_commit, thread->commit); /* reader: undo */
	*state = *from;
	slot = cell_at(fold->file, state->slot);
	*w = (struct walk){
		.fold = fold,
		.file = fold->file,
		.stack = (struct cinstr_open *)(fold->file + thread->stack_offset),
		.current = cell_at(fold->file, state->current),
		.time = state->time,
		.depth = state->depth,
		.epoch = (uint32_t)(thread->commit + 1) & CINSTR_CELL_EPOCH_MASK,
		.kept_low = state->depth,
		.kept_high = UINT32_MAX,
		.lowest = state->depth,
		.root = state->root,
		.merged = state->merged ? cell_at(fold->file, state->merged) : NULL,
		.merged_base = state->merged_base,
		.stack_limit = stack_limit_of(thread),
		.own = (state->slot_across >> 1) * OWN_EVENT,
		.event_cost = fold_event_cost(fold->file),
		.next_phase = phase_due(fold, state),
		.long_ticks = fold->keep_long && (fold->switched || fold->keeps_all) ? fold->long_ticks
										     : UINT64_MAX,
		.state = state,
	};
	fold->run++;
	own_stack = cell_at(fold->file, thread->root)->last_exit;
	w->own_high = own_stack & ~15u;
	w->own_bytes = own_stack & 15u ? FOLD_OWN_UNIT << (own_stack & 15u) : 0;
	w->epoch_tag = w->epoch << 4;
	w->few_events = w->event_cost ? 1u << FOLD_EVENTS_DIGITS : 0;
	if (is_flat(slot)) {
		expect_nothing(w); /* what FLAT cells have there are counts */
	} else if (state->slot_across & 1) {
		expect_after(w, slot);
		touch(w, slot); /* its time after the call goes on */
	} else {
		expect_first(w, slot);
	}
}

void fold_walk_end(struct walk *w)
{
	struct cinstr_fold_state *state = w->state;
	const struct cinstr_cell *slot = w->ended ? w->ended : w->current;

	fold_note_lowest(w);
	state->time = w->time;
	state->depth = w->depth;
	state->current = index_of(w->file, w->current);
	state->merged = w->merged ? index_of(w->file, w->merged) : 0;
	state->merged_base = w->merged_base;
	state->slot = index_of(w->file, slot);
	state->slot_across = w->own / OWN_EVENT << 1 | (w->slot == &slot->across);
}

size_t fold_run(struct fold *fold, const struct cinstr_record *records, size_t n)
{
	struct walk w;
	size_t i = 0, ahead = 0, used;

	fold_walk_begin(&w, fold);
	if (unlikely(w.merged != NULL))
		fold_flat_expand(&w);
	while (i < n) {
		if (i >= ahead)
			ahead = likely(w.next_phase == UINT64_MAX)
					? n
					: i + fold_phase_ahead(&w, &records[i], n - i);
		if (!w.target && !w.moved && !w.state->unsettled) /* else no hot steps */
			i += fold_hot(&w, &records[i], ahead - i);
		if (i == n)
			break;
		used = fold_record(&w, &records[i], n - i);
		if (!used)
			break;
		i += used;
	}
	w.state->records += i;
	fold_walk_end(&w);
	return i;
}

void fold_commit(struct fold *fold)
{
	struct cinstr_thread *thread = fold->thread;

	/* This one store makes the fold count, and the journal void. */
	atomic_store_release(&thread->commit, thread->commit + 1); /* reader: undo */
}

void fold_close(struct fold *fold)
{
	struct walk w;

	fold_walk_begin(&w, fold);
	fold_pop_to(&w, 0);
	fold_tags_end(&w);
	fold_walk_end(&w);
}

void fold_extend(struct fold *fold, uint64_t now, uint32_t bits, uint64_t off_cpu_ticks)
{
	const struct os_part os = { .bits = bits, .off_cpu_ticks = off_cpu_ticks };
	struct walk w;

	fold_walk_begin(&w, fold);
	if (now > w.time && bits & CINSTR_OS_VOLUNTARY)
		fold_tag_wait(&w, now - w.time, off_cpu_ticks);
	if (now > w.time)
		charge(&w, w.current, now - w.time, bits ? &os : NULL);
	fold_walk_end(&w);
	fold_commit(fold);
}

void fold_carry_on(struct fold *fold, uint64_t now)
{
	struct walk w;

	fold_walk_begin(&w, fold);
	w.state->between_ticks += now - w.time;
	w.state->paused = 0;
	w.state->unsettled = 0;
	w.time = now;
	fold_walk_end(&w);
	fold_commit(fold);
}

int fold_is_stale(uint64_t time, const struct cinstr_record *r)
{
	switch (CINSTR_SPECIAL_TYPE(r->code)) {
	case CINSTR_SP_START:
		return CINSTR_SPECIAL_VALUE(r) < time;
	case CINSTR_SP_SLOW:
	case CINSTR_SP_RESUME:
	case CINSTR_SP_PAUSE:
	/* a kill between a record's halves leaves one that does not fit the other */
	case CINSTR_SP_CONTINUE:
		return CINSTR_SPECIAL_VALUE(r) < time || r->time_lo != (uint32_t)CINSTR_SPECIAL_VALUE(r);
	default:
		return r->time_lo < (uint32_t)time;
	}
}
