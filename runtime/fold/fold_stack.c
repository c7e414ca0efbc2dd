/* SPDX-License-Identifier: MIT */
/*
 * fold_stack.c - the rare parts of the fold's steps (fold_steps.h): growing the stack, frames that
 * were left without an exit or entered while recording was off, sleds that were switched meanwhile.
 */
#include "fold_steps.h"

/* ---- the stack ------------------------------------------------------------------------------- */

void fold_journal_moved(struct fold *fold, uint64_t from, uint64_t bytes)
{
	struct cinstr_thread *thread = fold->thread;
	struct cinstr_undo *undo = (struct cinstr_undo *)(fold->file + thread->journal_offset);

	for (uint64_t i = 0; i < thread->journal_used; i++)
		if (undo[i].offset - from < bytes)
			undo[i].offset += thread->stack_offset - from;
}

int fold_stack_grow(struct walk *w)
{
	struct cinstr_thread *thread = w->fold->thread;
	uint64_t from = thread->stack_offset, bytes = thread->stack_bytes;

	if (!w->fold->more_stack || w->fold->more_stack(w->fold))
		return -1;
	fold_journal_moved(w->fold, from, bytes);
	w->stack = (struct cinstr_open *)(w->file + thread->stack_offset);
	w->stack_limit = stack_limit_of(thread);
	return 0;
}

void fold_keep_entry(struct walk *w, uint32_t entry)
{
	fold_keep_block(w->fold, &w->stack[entry]);
	if (entry < w->lowest)
		w->lowest = entry;
	if (entry + 1 == w->kept_low)
		w->kept_low = entry;
	else if (entry == w->kept_high)
		w->kept_high = entry + 1;
	else
		w->kept_low = entry, w->kept_high = entry + 1;
}

void fold_pop_to(struct walk *w, uint32_t keep)
{
	uint32_t is_tailed = 0;

	while (w->depth > keep || (is_tailed && w->depth)) {
		is_tailed = top(w)->flags & CINSTR_OPEN_TAILED;
		w->state->implicit_exits += (uint64_t)is_frame(frame_of(w->file, w->current));
		pop(w);
	}
}

uint32_t fold_find_frame(const struct walk *w, uint32_t func, uint32_t sp)
{
	uint32_t any = 0;

	for (uint32_t d = fold_topmost(w, func, w->depth); d > 0; d--) {
		const struct cinstr_open *open = &w->stack[d - 1];
		const struct cinstr_cell *cell = frame_of(w->file, cell_at(w->file, open->cell));

		if (!is_frame(cell) || cell->func != func)
			continue;
		if (d < w->depth && open[1].flags & CINSTR_OPEN_TAILED)
			continue; /* it has ended, except for the last call that it made */
		if (!sp || is_outside(open->where, sp))
			return d;
		if (!any)
			any = d;
	}
	return any;
}

uint32_t fold_find_timed(const struct walk *w, uint32_t func)
{
	if (!fold_topmost(w, func, w->depth))
		return 0;
	for (uint32_t d = w->depth; d > 0; d--) {
		const struct cinstr_cell *cell = frame_of(w->file, cell_at(w->file, w->stack[d - 1].cell));

		if (!is_frame(cell) || (d < w->depth && w->stack[d].flags & CINSTR_OPEN_TAILED))
			continue;
		if (cell->func == func || !fold_is_counted(w->fold, cell->func))
			return cell->func == func ? d : 0;
	}
	return 0;
}

/* Where nothing tells the stack pointer of what is adopted: right inside of what is on top. */
static uint32_t place_below_top(const struct walk *w)
{
	for (uint32_t d = w->depth; d > 0; d--)
		if (is_frame(frame_of(w->file, cell_at(w->file, w->stack[d - 1].cell))))
			return w->stack[d - 1].where - ARCH_RETURN_BYTES;
	return 0;
}

/* The same, so that no frame that it calls is taken to stand in its place: below nothing, at the
 * end of the thread's own stack. */
static uint32_t place_unknown(const struct walk *w)
{
	uint32_t below = place_below_top(w);

	return below ? below : w->own_high - ARCH_RETURN_BYTES;
}

int fold_adopt(struct walk *w, uint32_t func, uint32_t sp)
{
	struct cinstr_cell *cell;
	uint32_t depth;

	if (!may_miss(w) || !func || fold_is_counted(w->fold, func))
		return 0;
	if (!sp)
		sp = w->fold->switched ? place_below_top(w) : w->own_bytes ? place_unknown(w) : w->resumed_sp;
	cell = child(w, CINSTR_CELL_FRAME, 0, func);
	if (!cell)
		return 0;
	depth = w->depth;
	push(w, cell, fold_frame_sp(sp));
	if (w->depth == depth)
		return 0; /* no room */
	cell->calls--;	  /* it began before */
	w->stack[depth].flags |= CINSTR_OPEN_CUT;
	w->state->enters++;
	w->state->repaired++;
	return 1;
}

/* Word of the AFTER sled directly behind the call that returns to `address`; base: of an address
 * with this code. */
static uint32_t word_behind_call(uint32_t code, uint32_t base, uint32_t address)
{
	return (CINSTR_CODE_WORD(code) + (address - (base & ~7u)) + 4) >> 3;
}

void fold_end_stale_call(struct walk *w, uint32_t returns_to)
{
	uint32_t site = w->current->site, owner = site_word(w->fold, site), word, before;

	if (CINSTR_CODE_KIND(site) != CINSTR_EV_BEFORE)
		return; /* it made a tail call: where its sled is, is not known */
	word = word_behind_call(site, top(w)->where - CINSTR_SLED_BYTES, returns_to);
	before = site_word(w->fold, word << 3);
	if (before == site)
		return; /* its callee, a counted function, has jumped to what is entered */
	if (CINSTR_CODE_KIND(before) == CINSTR_EV_BEFORE && site_word(w->fold, before) == owner)
		fold_pop_to(w, w->depth - 1);
}

void fold_mark_unseen(struct walk *w, uint32_t what, uint32_t first, uint32_t n)
{
	uint32_t end = first < w->depth && n < w->depth - first ? first + n : w->depth;

	for (uint32_t i = first; i < end; i++) {
		if (!is_frame(frame_of(w->file, cell_at(w->file, w->stack[i].cell))))
			continue;
		if (unlikely(i - w->kept_low >= w->kept_high - w->kept_low))
			fold_keep_entry(w, i);
		w->stack[i].where |= what & WHERE_UNSEEN;
		if (what & CINSTR_UNSEEN_AFTER)
			w->stack[i].where &= ~WHERE_ANNOUNCED;
	}
}

/* The frame has no call any more of which no event tells the end. */
static void forget_call(struct walk *w)
{
	uint32_t i = w->depth - 1;

	if (!(w->stack[i].where & CINSTR_UNSEEN_CALL))
		return;
	if (unlikely(i - w->kept_low >= w->kept_high - w->kept_low))
		fold_keep_entry(w, i);
	w->stack[i].where &= ~(uint32_t)CINSTR_UNSEEN_CALL;
}

int fold_is_announced(const struct walk *w, uint32_t site)
{
	return CINSTR_CODE_KIND(site) != CINSTR_EV_TAIL &&
	       !(w->fold->switched && w->depth && is_frame(frame_of(w->file, w->current)) &&
		 top(w)->where & CINSTR_UNSEEN_CALL);
}

void fold_end_unseen(struct walk *w)
{
	while (w->depth) {
		uint32_t what = CINSTR_UNSEEN_END, i = w->depth - 1;

		if (!is_frame(frame_of(w->file, w->current))) {
			what = CINSTR_UNSEEN_CALL;
			if (!i-- || !is_frame(frame_of(w->file, cell_at(w->file, w->stack[i].cell))))
				return;
		} else {
			forget_call(w);
		}
		if (!(w->stack[i].where & what))
			return;
		fold_pop_to(w, w->depth - 1);
	}
}

int fold_back_to(struct walk *w, uint32_t func, uint32_t sp)
{
	uint32_t depth = !sp && fold_is_counted(w->fold, func) ? fold_find_timed(w, func)
							       : fold_find_frame(w, func, sp);

	if (!depth)
		return fold_adopt(w, func, sp);
	fold_pop_to(w, depth);
	return 1;
}

void fold_continue(struct walk *w, uint64_t now)
{
	if (now > w->time) {
		w->state->paused_ticks += now - w->time;
		w->time = now;
	}
	w->state->pauses += !w->state->paused; /* the thread begins in the middle of something */
	w->state->paused = 0;
	w->state->unsettled |= CINSTR_UNSETTLED_TOP;
}
