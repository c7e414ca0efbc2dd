/* SPDX-License-Identifier: MIT */
/*
 * fold_steps.h - the steps of events (fold_events.c): find the callee's cell, charge an interval,
 * go down a call and up. Their rare parts are in fold_stack.c and fold_detail.c. fold_hot.c has its
 * own versions of the hottest cases.
 */
#ifndef CINSTR_FOLD_STEPS_H
#define CINSTR_FOLD_STEPS_H

#include "fold_walk.h"

/* fold_flat.c */
/* Returns the child of the current cell for this call, made if need be, or NULL: no room at all. */
struct cinstr_cell *fold_child_slow(struct walk *w, uint32_t kind, uint32_t site, uint32_t func);
/* Beyond the budget of paths: return the FLAT cell of the function and call site, and the MERGED
 * cell with its time in the tree, or NULL: no room. */
struct cinstr_cell *fold_flat_cell(struct walk *w, uint32_t kind, uint32_t site, uint32_t func);
struct cinstr_cell *fold_merged_cell(struct walk *w, struct cinstr_cell *parent);
/* Counts a call beyond the budget that begins (n = 1), or turns out to have been another one (n =
 * -1). */
void fold_count_flat(struct walk *w, struct cinstr_cell *cell, struct cinstr_cell *caller, uint64_t n);
/* Notes that n more activations of the cell's function are on the stack. */
void fold_flat_opens(struct walk *w, struct cinstr_cell *cell, uint32_t n);
/* Take the activation of a FLAT cell off the stack: without and with its time. */
void fold_leave_flat(struct walk *w);
void fold_pop_flat(struct walk *w, struct cinstr_cell *cell, const struct cinstr_open *open,
		   const struct ended *ended);
/* Charges the time of calls that are open beyond the budget of paths, from their begin, or that of
 * the phase, up to now. */
void fold_end_flat_times(struct walk *w);
/* Gives paths to open calls beyond the budget, if they have taken long enough. */
void fold_flat_expand(struct walk *w);
/* ... if there were OS events in them. Then returns the current cell, else `cell`. */
struct cinstr_cell *fold_flat_charged(struct walk *w, struct cinstr_cell *cell, const struct os_part *os);

/* fold_stack.c */
/* Makes room for another activation. Returns 0, or -1: no room. */
int fold_stack_grow(struct walk *w);
/* Keeps an entry of the stack in the undo journal. */
void fold_keep_entry(struct walk *w, uint32_t entry);
/* Ends every activation above entry `keep` (R15): frames among them get an implicit exit. */
void fold_pop_to(struct walk *w, uint32_t keep);
/*
 * Returns the depth up to and including the topmost frame of function `func`, or 0. sp != 0:
 * prefers a frame that is outside it, if there is one (handlers on another stack compare wrongly).
 */
uint32_t fold_find_frame(const struct walk *w, uint32_t func, uint32_t sp);
/*
 * Does the same for an event of a function with counted activations. Returns 0 also if a frame of a
 * function without any lies above: that has not ended, so the event is from a counted activation.
 */
uint32_t fold_find_timed(const struct walk *w, uint32_t func);
/*
 * Pushes function `func`, which is running but not on the stack as it was entered while recording
 * was off; frames in between are not known. Returns 0 where that cannot be the reason, as for a
 * function that has counted activations, which never have a frame.
 */
int fold_adopt(struct walk *w, uint32_t func, uint32_t sp);
/*
 * Ends the call without probes on top of the stack if its caller makes another call, which returns
 * to this address: where sleds were switched, its after-call may be missing.
 */
void fold_end_stale_call(struct walk *w, uint32_t returns_to);
/* Makes function `func` the current one, by ending the entries above it or by adopting it. Returns
 * 0 if that is not possible. */
int fold_back_to(struct walk *w, uint32_t func, uint32_t sp);
/* Marks the frames among n entries of the stack from `first` on: no events for `what` (enum
 * cinstr_unseen) will come any more. */
void fold_mark_unseen(struct walk *w, uint32_t what, uint32_t first, uint32_t n);
/* Returns 1 if the topmost activation's call at this site will have an after-call, else 0. */
int fold_is_announced(const struct walk *w, uint32_t site);
/* Ends entries on top of the stack as long as no event would end them. */
void fold_end_unseen(struct walk *w);

/* fold_place.c */
/*
 * When a frame begins, or (own_sp()) runs, at stack pointer `sp`: ends the frames that are not
 * outside it on the same stack, for they are gone. Returns 1 if the frame seems to be on a stack
 * without open frames: then call fold_mark_stack() once it has begun.
 */
int fold_place(struct walk *w, uint32_t sp);
/* Returns 1 if fold_place() would end nothing, as the topmost frame is outside `sp`. */
int fold_is_inside(const struct walk *w, uint32_t sp);
void fold_mark_stack(struct walk *w, uint32_t entry, int is_elsewhere);
/* Returns the number, from 1, of the topmost of the first `depth` entries that is a frame of the
 * function with the ENTER sled `code`, or a call from the site `code` (BEFORE, TAIL); 0: none. */
uint32_t fold_topmost(const struct walk *w, uint32_t code, uint32_t depth);
#define FOLD_ANY_CALL CINSTR_EV_BEFORE
/* Notes at the end of a fold which entries have not changed. */
void fold_note_lowest(struct walk *w);

/* fold_tail.c */
/* Pushes a tail call that the topmost frame makes, of a FRAME, or of a function that seems to have
 * no probes (CALL, INDIRECT). Returns 0: no room. */
int fold_tail_push(struct walk *w, uint32_t kind, uint32_t site, uint32_t func, uint32_t where);
/* Ends the topmost activation and the chain of tail calls that led to it, and counts the exits of
 * that chain. */
void fold_tail_pop(struct walk *w);
/*
 * For a topmost call without an after-call to end it: ends it if this event is not its entry, as it
 * had no probes and is over. Another entry that returns to the same place, of the function that
 * made the call, is a callback that is called again.
 */
void fold_tail_settle(struct walk *w, const struct cinstr_record *r);

/* fold_detail.c */
/*
 * Returns the cell's detail, made if need be; then the values of the cell's first activation move
 * there. `before`: its exclusive ticks: ticks_before of the activation that is open now, as long as
 * that has not left a line. Returns NULL: no room.
 */
struct cinstr_detail *fold_detail_of(struct walk *w, struct cinstr_cell *cell, uint64_t before);
/* Charges an interval with OS events to the current cell, or to MERGED. */
void fold_charge_os(struct walk *w, struct cinstr_cell *cell, uint64_t ticks, const struct os_part *os);
/* Reports an interval that ends at this stamp in the slow path (on_slow_event). */
void fold_tell_slow(const struct walk *w, uint64_t stamp, const struct os_part *os);
/* Counts the end of an activation that is not counted in `recent`: see end_activation. */
void fold_end_odd(struct walk *w, struct cinstr_cell *cell, const struct cinstr_open *open,
		  const struct ended *ended);
/* Counts the end of an activation beyond the budget of paths. */
void fold_end_flat(struct walk *w, struct cinstr_cell *anchor, const struct ended *ended);
/* For a call that turns out to have been another one: moves the ticks left out of its application
 * time to its caller. */
void fold_drop_dirty(struct walk *w, struct cinstr_cell *cell, const struct cinstr_open *open);

/* Moves the ticks left out so far of an activation's application time to the cell in which it goes
 * on. */
void fold_move_details(struct walk *w, struct cinstr_cell *from, struct cinstr_cell *to,
		       const struct cinstr_open *open);

/* ---- begin, end and count, in general and in the hot steps ----------------------------------- */

/* Number of events in a record. */
static inline uint32_t events_in(const struct cinstr_record *r, uint32_t kind)
{
	switch (kind) {
	case CINSTR_EV_BEFORE: /* with the callee's ENTER */
	case CINSTR_EV_TAIL:
		return 1 + (r->second != 0);
	case CINSTR_EV_EXIT: /* with the caller's AFTER */
		return 1 + (r->second == CINSTR_SECOND_FUSED_EXIT);
	default:
		return 1;
	}
}

/*
 * Begins an activation of `cell`. own: its caller's own events so far; events: the thread's after
 * the current record. The cell has been touched.
 */
static inline void begin_activation(struct cinstr_open *open, struct cinstr_cell *cell, uint32_t index,
				    uint32_t where, uint64_t start_ticks, uint32_t own, uint32_t events)
{
	*open = (struct cinstr_open){ .start_ticks = start_ticks,
				      .cell = index,
				      .where = where,
				      .flags = own,
				      .events_before = events,
				      .ticks_before = cell->ticks };
	cell->calls++;
}

/* Returns the ticks of the line since the frame came to it. */
static inline uint64_t line_ticks(const struct cinstr_cell *line)
{
	return line->ticks - line->line_ticks;
}

/* Returns the exclusive ticks of the activation of `cell`, a function, that is at `current`: the
 * same cell, or one of its lines. */
static inline uint64_t exclusive_ticks(const struct cinstr_open *open, const struct cinstr_cell *cell,
				       const struct cinstr_cell *current)
{
	uint64_t ticks = cell->ticks - open->ticks_before;

	return likely(cell == current) ? ticks : ticks + line_ticks(current);
}

/* The activation leaves `current`, which is its frame or a line of that ... */
static inline void leave_line(struct cinstr_open *open, const struct cinstr_cell *frame,
			      const struct cinstr_cell *current)
{
	if (current != frame)
		open->ticks_before -= line_ticks(current);
}

/* ... and has come to another line, which has been touched. */
static inline void begin_line(struct cinstr_open *open, struct cinstr_cell *line, uint32_t index)
{
	line->line_ticks = line->ticks;
	line->calls++;
	open->cell = index;
}

/* Returns the values of an activation of `cell`, at `current`, that ends with `events` events,
 * `own` of them its own. */
static inline struct ended ended_at(const struct cinstr_open *open, const struct cinstr_cell *cell,
				    const struct cinstr_cell *current, uint64_t now, uint32_t events,
				    uint32_t own)
{
	return (struct ended){ { now - open->start_ticks, exclusive_ticks(open, cell, current) },
			       { events, own / OWN_EVENT } };
}

/* Returns the own events for a callee: 1 without probes, 2 with them (exit and after-call). */
static inline uint32_t own_of(int is_frame)
{
	return is_frame ? 2 * OWN_EVENT : OWN_EVENT;
}

/* Returns the caller's own events after the activation has ended. */
static inline uint32_t own_behind(const struct cinstr_open *open, int is_frame)
{
	return callers_own(open) + own_of(is_frame);
}

/* Returns 1 if fold_extreme_usual() can be used for all values of an ended activation. */
static inline int is_usual(const struct walk *w, const struct cinstr_open *open, const struct ended *ended)
{
	return !(open->flags & (CINSTR_OPEN_DIRTY | CINSTR_OPEN_CUT)) &&
	       (ended->events[CINSTR_INCLUSIVE] | ended->events[CINSTR_EXCLUSIVE]) < w->few_events &&
	       (ended->ticks[CINSTR_INCLUSIVE] | ended->ticks[CINSTR_EXCLUSIVE]) < FOLD_EXTREME_BIAS;
}

/* Counts an ended activation by its duration, here if everything is as usual, else in
 * fold_end_odd(). The cell has been touched. */
static inline void end_activation(struct walk *w, struct cinstr_cell *cell, const struct cinstr_open *open,
				  const struct ended *ended)
{
	const struct cinstr_detail *detail = detail_at(w->file, cell->detail);
	uint32_t place = fold_slot(ended->ticks[CINSTR_INCLUSIVE]) - detail->window;
	uint64_t inclusive =
		fold_extreme(ended->ticks[CINSTR_INCLUSIVE], ended->events[CINSTR_INCLUSIVE], w->event_cost);
	uint64_t exclusive =
		fold_extreme(ended->ticks[CINSTR_EXCLUSIVE], ended->events[CINSTR_EXCLUSIVE], w->event_cost);

	/* Without a detail, looking at the file's header would be no use. The clean extremes of a
	 * wrapper stay empty. */
	if (likely(cell->detail && !(open->flags & (CINSTR_OPEN_DIRTY | CINSTR_OPEN_CUT)) &&
		   inclusive >= detail->shortest[CINSTR_INCLUSIVE] &&
		   inclusive <= detail->longest[CINSTR_INCLUSIVE] &&
		   exclusive >= detail->shortest[CINSTR_EXCLUSIVE] &&
		   exclusive <= detail->longest[CINSTR_EXCLUSIVE] && place < CINSTR_RECENT_SLOTS &&
		   cell->recent[place] != UINT8_MAX))
		cell->recent[place]++;
	else
		fold_end_odd(w, cell, open, ended);
}

/* ---- the steps ------------------------------------------------------------------------------- */

/* Returns the child of the current cell for this call, or NULL: no room. */
static inline struct cinstr_cell *child(struct walk *w, uint32_t kind, uint32_t site, uint32_t func)
{
	struct cinstr_cell *guess = cell_at(w->file, *w->slot);

	if (likely(guess->site == site && guess->func == func &&
		   guess->parent == index_of(w->file, w->current)))
		return guess;
	return fold_child_slow(w, kind, site, func);
}

/* Returns the child of `cell` whose end began the interval that ends now, or NULL. */
static inline struct cinstr_cell *returned_from(const struct walk *w, const struct cinstr_cell *cell)
{
	return w->ended && w->ended->parent == index_of(w->file, cell) ? w->ended : NULL;
}

/* fold_stack.c: recording is on again. The time since PAUSE belongs to no function. */
void fold_continue(struct walk *w, uint64_t now);
/* fold_phase.c: does charge() where a phase begins before the interval's end. */
void fold_charge_across(struct walk *w, uint64_t ticks, const struct os_part *os);

static inline void charge_here(struct walk *w, struct cinstr_cell *cell, uint64_t ticks,
			       const struct os_part *os)
{
	struct cinstr_cell *child = returned_from(w, cell);

	touch(w, cell);
	cell->ticks += ticks;
	w->time += ticks;
	if (child) {
		touch(w, child);
		child->after_ticks += ticks;
	}
	if (unlikely(os != NULL))
		fold_charge_os(w, cell, ticks, os);
	if (likely(!is_flat(cell)))
		return;
	touch(w, w->merged);
	w->merged->ticks += ticks;
	if (os)
		fold_charge_os(w, w->merged, ticks, os);
}

/* fold_detail.c: keeps the long interval of `ticks` that ends here, which belongs to the cell. */
void fold_keep_long(const struct walk *w, const struct cinstr_cell *cell, uint64_t ticks);

/* Charges the interval of `ticks` that ends here to `cell`, the current one. */
static inline void charge(struct walk *w, struct cinstr_cell *cell, uint64_t ticks, const struct os_part *os)
{
	if (unlikely(os != NULL) && is_flat(cell))
		cell = fold_flat_charged(w, cell, os);
	if (unlikely(ticks >= w->long_ticks))
		fold_keep_long(w, cell, ticks);
	if (unlikely(w->next_phase < w->time + ticks))
		fold_charge_across(w, ticks, os);
	else
		charge_here(w, cell, ticks, os);
}

/* Returns the thread's number of events including the current record, which begins an activation of
 * the cell. */
static inline uint32_t events_at_begin(const struct walk *w, const struct cinstr_cell *cell)
{
	return (uint32_t)w->state->events + (is_frame(cell) && cell->site ? 2 : 1);
}

static inline void push(struct walk *w, struct cinstr_cell *cell, uint32_t where)
{
	struct cinstr_cell *caller = w->current;
	struct cinstr_open *open;

	if (unlikely(w->depth >= w->stack_limit) && fold_stack_grow(w)) {
		/* else there would be calls beyond the budget, none of them open */
		if (is_flat(cell))
			fold_leave_flat(w);
		return; /* its exit will be an orphan */
	}
	if (unlikely(w->depth - w->kept_low >= w->kept_high - w->kept_low))
		fold_keep_entry(w, w->depth);
	open = &w->stack[w->depth++];
	touch(w, cell);
	begin_activation(open, cell, index_of(w->file, cell), where, w->time - ticks_outside(w), w->own,
			 events_at_begin(w, cell));
	w->current = cell;
	w->own = 0;
	expect_first(w, cell);
	if (unlikely(is_flat(cell))) {
		open->callee_ticks = 0;
		fold_count_flat(w, cell, caller, 1);
		expect_nothing(w);
		if (cell->site && kind_of(cell) == CINSTR_CELL_FLAT_FRAME)
			w->slot = &cell->across; /* what it calls first */
	}
}

static inline const struct cinstr_open *top(const struct walk *w)
{
	return &w->stack[w->depth - 1];
}

/* Makes the top of the stack the current cell. */
static inline void stand_on_top(struct walk *w)
{
	w->current = cell_at(w->file, w->depth ? top(w)->cell : w->root);
}

/* Returns the events since the begin of an activation that ends with the current record; 0 if it
 * began with the same record. */
static inline uint32_t events_within(const struct walk *w, const struct cinstr_open *open)
{
	uint32_t n = (uint32_t)w->state->events - open->events_before;

	return likely(n < UINT32_MAX - 1) ? n : 0;
}

/* Ends the topmost activation. */
static inline void pop(struct walk *w)
{
	const struct cinstr_open *open = &w->stack[--w->depth];
	struct cinstr_cell *cell = frame_of(w->file, w->current);
	const int has_events = !w->fold->has_no_events;
	const struct ended ended = ended_at(open, cell, w->current, w->time - ticks_outside(w),
					    has_events ? events_within(w, open) : 0, has_events ? w->own : 0);

	w->own = own_behind(open, is_frame(cell));
	stand_on_top(w);
	if (unlikely(is_flat(cell))) {
		fold_pop_flat(w, cell, open, &ended);
		return;
	}
	touch(w, cell);
	end_activation(w, cell, open, &ended);
	expect_after(w, cell);
}

/* Does the same for one that may have been called by a tail call. */
static inline void leave(struct walk *w)
{
	if (unlikely(top(w)->flags & CINSTR_OPEN_TAILED))
		fold_tail_pop(w);
	else
		pop(w);
}

#endif
