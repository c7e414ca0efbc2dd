/* SPDX-License-Identifier: MIT */
/*
 * fold_hot.c - the hottest cases of BEFORE, ENTER, EXIT, AFTER and LINE, a few nanoseconds a
 * record; fold_events.c has all cases. Called by fold_run(), in the thread that owns the tree. What
 * both do with the same records is the same, byte for byte: testsuite/unit/test_fold_twice.c.
 *
 * Each open activation has an entry on the stack: FRAME (instrumented function) or CALL/INDIRECT
 * (function without probes, between its before-call and its after-call).
 *
 * Finding the child of a cell: each cell predicts what is called first from it (`down`) and what
 * its caller calls after it (`across`); the index is asked only when the prediction fails.
 */
#include "fold_steps.h"

/* A prediction failed: the child by the index, predicted from now on. NULL: there is none yet. */
static __attribute__((noinline)) struct cinstr_cell *find_child(const struct fold *fold, uint32_t *slot,
								uint32_t parent, uint32_t site, uint32_t func)
{
	struct cinstr_cell *cell = fold_index_find(fold, parent, site, func);

	if (cell)
		*slot = index_of(fold->file, cell);
	return cell;
}

/* Is what is entered here called by the cell itself, and not by a function without probes? */
static inline int may_enter(const struct cinstr_cell *cell)
{
	uint32_t kind = kind_of(cell);

	return kind <= CINSTR_CELL_FRAME || kind == CINSTR_CELL_LINE;
}

/* Is this EXIT or AFTER one that ends the cell's activation, though not by the usual way out? */
static __attribute__((noinline)) int ends_cell(const struct fold *fold, struct cinstr_cell *cell,
					       uint32_t code)
{
	uint32_t kind = kind_of(cell);
	uint32_t owner = kind == CINSTR_CELL_FRAME ? cell->func : cell->site;

	if (is_tailed(cell)) /* who called it ends as well: fold_record */
		return 0;
	if (kind != (CINSTR_CODE_KIND(code) == CINSTR_EV_EXIT ? CINSTR_CELL_FRAME : CINSTR_CELL_CALL) ||
	    site_word(fold, code) != owner)
		return 0;
	cell->last_exit = code;
	return 1;
}

/* The hot steps' working set: in registers, for the steps below are inlined into run_hot. */
struct hot {
	struct cinstr_cell *cell; /* current; has been touched */
	uint32_t *slot;
	/* the interval counts there, too: after_ticks of what ended at its begin */
	uint64_t *after;
	uint32_t depth;
	uint64_t time;
	uint64_t seen; /* enters, exits, events: SEEN_* each */
	uint32_t own;
	/* What does not change on the way: */
	struct walk *w;
	struct cinstr_open *stack;
	uint32_t low, room; /* `room` stack entries from `low` on need no keeping */
	uint32_t events;    /* the thread's before the run, low half */
	uint32_t outermost; /* 1: the exit of the outermost activation needs another look */
	uint64_t outside;   /* ticks_outside */
	uint64_t *nowhere;
};

/* Counts in one word: a register less. */
#define SEEN_BITS 21
#define SEEN_EVENT 1ull
#define SEEN_ENTER (1ull << SEEN_BITS)
#define SEEN_EXIT (1ull << 2 * SEEN_BITS)
#define SEEN_MASK ((uint32_t)SEEN_ENTER - 1)
#define RUN_RECORDS_MAX (1u << (SEEN_BITS - 2)) /* each is at most two events */

#define HOT static inline __attribute__((always_inline)) int

/* The cell that has ended, of `after` when that is not `nowhere`. */
static inline struct cinstr_cell *owner_of(uint64_t *after_ticks)
{
	return (void *)((char *)after_ticks - offsetof(struct cinstr_cell, after_ticks));
}

static inline void spend(struct hot *hot, uint32_t ticks)
{
	hot->cell->ticks += ticks;
	*hot->after += ticks;
	hot->time += ticks;
}

static inline uint32_t events_of(const struct hot *hot)
{
	return hot->events + ((uint32_t)hot->seen & SEEN_MASK);
}

/* Down into a known child: BEFORE, fused or alone, and ENTER where no call is announced. */
HOT hot_down(struct hot *hot, const struct cinstr_record *r, uint32_t kind, uint32_t ticks, int switched)
{
	char *const file = hot->w->file;
	uint32_t site = kind == CINSTR_EV_BEFORE ? r->code : 0;
	uint32_t func = kind == CINSTR_EV_BEFORE ? r->second : r->code;
	uint32_t is_frame = func != 0, parent = index_of(file, hot->cell);
	struct cinstr_cell *to = cell_at(file, *hot->slot);
	struct cinstr_open *open = &hot->stack[hot->depth];

	if (unlikely(hot->depth - hot->low >= hot->room))
		return 0;
	if (unlikely(kind == CINSTR_EV_ENTER && !may_enter(hot->cell)))
		return 0;
	if (switched && is_frame && hot->depth &&
	    !is_outside(open[-1].where, kind == CINSTR_EV_ENTER ? r->second : r->extra))
		return 0;
	if (unlikely(to->site != site || to->func != func || to->parent != parent)) {
		to = find_child(hot->w->fold, hot->slot, parent, site, func);
		if (!to)
			return 0;
	}
	touch(hot->w, to);
	spend(hot, ticks);
	hot->seen += SEEN_EVENT + (is_frame ? SEEN_ENTER + (kind == CINSTR_EV_BEFORE) * SEEN_EVENT : 0);
	begin_activation(open, to, index_of(file, to),
			 kind == CINSTR_EV_ENTER ? CINSTR_ENTER_SP(r) : r->extra | is_frame,
			 hot->time - hot->outside, hot->own, events_of(hot));
	hot->own = 0;
	hot->depth++;
	hot->cell = to;
	hot->slot = &to->down;
	hot->after = hot->nowhere;
	return 1;
}

/* Up out of the current cell: EXIT or AFTER. */
HOT hot_up(struct hot *hot, const struct cinstr_record *r, uint32_t kind, uint32_t ticks, int switched)
{
	char *const file = hot->w->file;
	const struct cinstr_open *open = &hot->stack[hot->depth - 1];
	struct cinstr_cell *ended = hot->cell;
	struct ended how;

	if (unlikely(hot->depth <= hot->outermost))
		return 0;
	if (kind_of(ended) > CINSTR_CELL_CALL) {
		if (kind_of(ended) != CINSTR_CELL_LINE)
			return 0;
		ended = cell_at(file, ended->parent);
	}
	if (unlikely((kind == CINSTR_EV_AFTER || (switched && r->second == CINSTR_SECOND_FUSED_EXIT)) &&
		     !is_from_top(hot->stack, hot->depth, r->extra)))
		return 0;
	/* Called back, and yet back in a caller with probes: what lies below may be a call, not a
	 * frame. */
	if (switched && r->second == CINSTR_SECOND_FUSED_EXIT && unlikely(!ended->site))
		return 0;
	if (unlikely(ended->last_exit != r->code) && !ends_cell(hot->w->fold, ended, r->code))
		return 0;
	spend(hot, ticks);
	if (unlikely(ended != hot->cell))
		touch(hot->w, ended);
	how = ended_at(open, ended, hot->cell, hot->time - hot->outside, events_of(hot) - open->events_before,
		       hot->own);
	end_activation(hot->w, ended, open, &how);
	hot->own = own_behind(open, kind == CINSTR_EV_EXIT);
	hot->slot = &ended->across;
	hot->after = &ended->after_ticks;
	hot->depth--;
	hot->seen += events_in(r, kind) * SEEN_EVENT + (kind == CINSTR_EV_EXIT) * SEEN_EXIT;
	hot->cell = cell_at(file, hot->depth ? open[-1].cell : hot->w->root);
	touch(hot->w, hot->cell);
	return 1;
}

/* On to a known line of the current function: LINE. */
HOT hot_line(struct hot *hot, const struct cinstr_record *r, uint32_t ticks, int switched)
{
	char *const file = hot->w->file;
	struct cinstr_cell *to = cell_at(file, *hot->slot), *frame = frame_of(file, hot->cell);
	struct cinstr_open *open = &hot->stack[hot->depth - 1];

	if (unlikely(to->site != r->code || to->func || to->parent != index_of(file, frame)))
		return 0;
	if (unlikely(!frame->detail)) /* set_line makes it */
		return 0;
	if (unlikely(hot->depth - 1 - hot->low >= hot->room)) /* also without any frame */
		return 0;
	if (switched && !is_outside(open->where, own_sp(r->extra)))
		return 0;
	touch(hot->w, to);
	spend(hot, ticks);
	leave_line(open, frame, hot->cell);
	begin_line(open, to, index_of(file, to));
	hot->own++;
	hot->cell = to;
	hot->slot = &to->down;
	hot->after = hot->nowhere;
	hot->seen += SEEN_EVENT;
	return 1;
}

/*
 * The hottest cases of on_before, on_enter, on_exit, on_after and on_line (fold_events.c); the
 * first record that is none of them ends the run. Returns the number of records done. switched is a
 * constant: who was never switched does not pay for looking at stack pointers.
 */
static inline __attribute__((always_inline)) size_t run(struct walk *w, const struct cinstr_record *records,
							size_t n, int switched)
{
	struct cinstr_cell *child = returned_from(w, w->current);
	uint64_t nowhere = 0;
	struct hot hot = {
		.cell = w->current,
		.slot = w->slot,
		.after = child ? &child->after_ticks : &nowhere,
		.nowhere = &nowhere,
		.depth = w->depth,
		.time = w->time,
		.w = w,
		.stack = w->stack,
		.low = w->kept_low,
		.room = (w->kept_high < w->stack_limit ? w->kept_high : w->stack_limit) - w->kept_low,
		.own = w->own,
		.events = (uint32_t)w->state->events,
		.outermost = may_miss(w),
		.outside = ticks_outside(w),
	};
	const struct cinstr_record *r = records, *end = records + (n < RUN_RECORDS_MAX ? n : RUN_RECORDS_MAX);
	int done = 1;

	touch(w, hot.cell);
	for (; r < end; r++) {
		uint32_t kind = CINSTR_CODE_KIND(r->code), ticks = r->time_lo - (uint32_t)hot.time;

		if (unlikely(r->time_lo < (uint32_t)hot.time))
			break;
		if (kind == CINSTR_EV_BEFORE)
			done = hot_down(&hot, r, CINSTR_EV_BEFORE, ticks, switched);
		else if (kind == CINSTR_EV_EXIT)
			done = hot_up(&hot, r, CINSTR_EV_EXIT, ticks, switched);
		else if (kind == CINSTR_EV_AFTER)
			done = hot_up(&hot, r, CINSTR_EV_AFTER, ticks, switched);
		else if (kind == CINSTR_EV_ENTER)
			done = hot_down(&hot, r, CINSTR_EV_ENTER, ticks, switched);
		else if (kind == CINSTR_EV_LINE)
			done = hot_line(&hot, r, ticks, switched);
		else
			break;
		if (unlikely(!done))
			break;
	}
	w->current = hot.cell;
	w->slot = hot.slot;
	if (r != records)
		w->ended = hot.after == &nowhere ? NULL : owner_of(hot.after);
	w->depth = hot.depth;
	w->time = hot.time;
	w->own = hot.own;
	w->state->enters += hot.seen >> SEEN_BITS & SEEN_MASK;
	w->state->exits += hot.seen >> 2 * SEEN_BITS;
	w->state->events += hot.seen & SEEN_MASK;
	return (size_t)(r - records);
}

static __attribute__((noinline)) size_t run_hot(struct walk *w, const struct cinstr_record *records, size_t n)
{
	return run(w, records, n, 0);
}

static __attribute__((noinline)) size_t run_switched(struct walk *w, const struct cinstr_record *records,
						     size_t n)
{
	return run(w, records, n, 1);
}

size_t fold_hot(struct walk *w, const struct cinstr_record *records, size_t n)
{
	return w->fold->switched ? run_switched(w, records, n) : run_hot(w, records, n);
}
