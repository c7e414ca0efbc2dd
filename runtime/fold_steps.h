/* SPDX-License-Identifier: MIT */
/*
 * fold_steps.h - the steps that events are made of (fold_events.c): find the callee's cell, charge an interval, go down a
 * call and up. What is rare of them is in fold_stack.c. fold.c has the hottest cases of its own.
 */
#ifndef CINSTR_FOLD_STEPS_H
#define CINSTR_FOLD_STEPS_H

#include "fold_walk.h"

/* fold_stack.c */
/* The child of the current cell for this call, made if need be. NULL: there is no room for anything. */
struct cinstr_cell *fold_child_slow(struct walk *w, uint32_t kind, uint32_t site, uint32_t func);
void fold_charge_os(struct walk *w, struct cinstr_cell *cell, uint64_t ticks, const struct os_part *os);
/* 0, or -1: no room for another activation. */
int fold_stack_grow(struct walk *w);
/* Keeps two entries of the stack in the undo journal. */
void fold_keep_pair(struct walk *w, uint32_t pair);
/* A call beyond the budget begins (n = 1), or turns out to have been another one (n = -1). */
void fold_count_flat(struct walk *w, struct cinstr_cell *cell, struct cinstr_cell *caller, uint64_t n);
/* The activation of a FLAT cell is off the stack: without and with its time. */
void fold_leave_flat(struct walk *w);
void fold_pop_flat(struct walk *w, struct cinstr_cell *cell, uint64_t ticks);
/* Ends every activation above entry `keep` (R15): frames among them get an implicit exit. */
void fold_pop_to(struct walk *w, uint32_t keep);
/*
 * Depth up to and with the topmost frame of function `func`; 0: none. sp != 0: only a frame that is
 * outside it, as far as there is one (handlers on another stack compare wrongly).
 */
uint32_t fold_find_frame(const struct walk *w, uint32_t func, uint32_t sp);
/*
 * Function `func` is running, though it is not on the stack: it was entered while recording was off. It goes on top: what
 * lies between is not known. Returns 0 where that cannot be the reason.
 */
int fold_adopt(struct walk *w, uint32_t func, uint32_t sp);
/*
 * Sleds were switched while calls went on: exits may be missing. A frame is running, or being entered, at stack pointer `sp`:
 * frames that are not outside it are gone. For what is entered; for a frame's own events sp - 1: it may stand there itself.
 */
void fold_prune(struct walk *w, uint32_t sp);
/*
 * The same for a call without probes on top of the stack, whose after-call may be missing: it is over if the function that made it
 * makes another one, which returns to this address.
 */
void fold_end_stale_call(struct walk *w, uint32_t returns_to);
/* Makes function `func` the current one, by ending what lies above it or by adopting it. 0: it cannot be. */
int fold_back_to(struct walk *w, uint32_t func, uint32_t sp);

/* The child of the current cell for this call. */
static inline struct cinstr_cell *child(struct walk *w, uint32_t kind, uint32_t site, uint32_t func)
{
	struct cinstr_cell *guess = cell_at(w->file, *w->slot);

	if (likely(guess->site == site && guess->func == func &&
		   guess->parent == index_of(w->file, w->current)))
		return guess;
	return fold_child_slow(w, kind, site, func);
}

/* The interval of `ticks` that ends here belongs to `cell`. */
static inline void charge(struct walk *w, struct cinstr_cell *cell, uint64_t ticks, const struct os_part *os)
{
	touch(w, cell);
	cell->ticks += ticks;
	w->time += ticks;
	if (unlikely(os != NULL))
		fold_charge_os(w, cell, ticks, os);
	if (likely(!is_flat(cell)))
		return;
	touch(w, w->merged);
	w->merged->ticks += ticks;
	if (os)
		fold_charge_os(w, w->merged, ticks, os);
}

static inline void push(struct walk *w, struct cinstr_cell *cell, uint32_t where)
{
	struct cinstr_cell *caller = w->current;
	struct cinstr_open *open;

	if (unlikely(w->depth >= w->stack_limit) && fold_stack_grow(w))
		return; /* its exit will be an orphan */
	if (unlikely(w->depth / 2 - w->kept_low >= w->kept_high - w->kept_low))
		fold_keep_pair(w, w->depth / 2);
	open = &w->stack[w->depth++];
	open->start_ticks = w->time - ticks_outside(w);
	open->cell = index_of(w->file, cell);
	open->where = where;
	touch(w, cell);
	cell->calls++;
	w->current = cell;
	w->slot = &cell->down;
	if (unlikely(is_flat(cell))) {
		fold_count_flat(w, cell, caller, 1);
		w->slot = &w->no_slot;
		w->no_slot = 0;
	}
}

/* Ends the topmost activation. */
static inline void pop(struct walk *w)
{
	const struct cinstr_open *open = &w->stack[--w->depth];
	struct cinstr_cell *cell = frame_of(w->file, w->current);
	uint64_t ticks = w->time - ticks_outside(w) - open->start_ticks;

	w->current = cell_at(w->file, w->depth ? open[-1].cell : w->root);
	if (unlikely(is_flat(cell))) {
		fold_pop_flat(w, cell, ticks);
		return;
	}
	touch(w, cell);
	if (ticks < cell->min_ticks)
		cell->min_ticks = ticks;
	if (ticks > cell->max_ticks)
		cell->max_ticks = ticks;
	w->slot = &cell->across;
}

static inline const struct cinstr_open *top(const struct walk *w)
{
	return &w->stack[w->depth - 1];
}

#endif
