/* SPDX-License-Identifier: MIT */
/*
 * fold_steps.h - the steps that events are made of (fold_events.c): find the callee's cell, charge
 * an interval, go down a call and up. What is rare of them is in fold_stack.c and fold_detail.c.
 * fold_hot.c has the hottest cases of its own.
 */
#ifndef CINSTR_FOLD_STEPS_H
#define CINSTR_FOLD_STEPS_H

#include "fold_walk.h"

/* fold_flat.c */
/* The child of the current cell for this call, made if need be. NULL: there is no room for
 * anything. */
struct cinstr_cell *fold_child_slow(struct walk *w, uint32_t kind, uint32_t site, uint32_t func);
/* Beyond the budget of paths: the cell of the function and call site, and where its time is in the
 * tree. NULL: no room. */
struct cinstr_cell *fold_flat_cell(struct walk *w, uint32_t kind, uint32_t site, uint32_t func);
struct cinstr_cell *fold_merged_cell(struct walk *w, struct cinstr_cell *parent);
/* A call beyond the budget begins (n = 1), or turns out to have been another one (n = -1). */
void fold_count_flat(struct walk *w, struct cinstr_cell *cell, struct cinstr_cell *caller, uint64_t n);
/* n more activations of the cell's function are on the stack. */
void fold_flat_opens(struct walk *w, struct cinstr_cell *cell, uint32_t n);
/* The activation of a FLAT cell is off the stack: without and with its time. */
void fold_leave_flat(struct walk *w);
void fold_pop_flat(struct walk *w, struct cinstr_cell *cell, const struct cinstr_open *open,
		   const struct ended *ended);
/* The time of what is open beyond the budget of paths, from its begin, or that of its phase, up to
 * now. */
void fold_end_flat_times(struct walk *w);
/* The calls beyond the budget that are open get paths, if they have taken long enough. */
void fold_flat_expand(struct walk *w);
/* ... if the operating system did something in them. Returns the current cell then, else `cell`. */
struct cinstr_cell *fold_flat_charged(struct walk *w, struct cinstr_cell *cell, const struct os_part *os);

/* fold_stack.c */
/* 0, or -1: no room for another activation. */
int fold_stack_grow(struct walk *w);
/* Keeps an entry of the stack in the undo journal. */
void fold_keep_entry(struct walk *w, uint32_t entry);
/* Ends every activation above entry `keep` (R15): frames among them get an implicit exit. */
void fold_pop_to(struct walk *w, uint32_t keep);
/*
 * Depth up to and with the topmost frame of function `func`; 0: none. sp != 0: only a frame that is
 * outside it, as far as there is one (handlers on another stack compare wrongly).
 */
uint32_t fold_find_frame(const struct walk *w, uint32_t func, uint32_t sp);
/*
 * The same, of an event of a function with counted activations: 0 also if a frame of another kind
 * of function lies above, which has not ended then: the event is of an activation that was counted.
 */
uint32_t fold_find_timed(const struct walk *w, uint32_t func);
/*
 * Function `func` is running, though it is not on the stack: it was entered while recording was
 * off. It goes on top: what lies between is not known. Returns 0 where that cannot be the reason:
 * so with a function that has counted activations, which never have a frame.
 */
int fold_adopt(struct walk *w, uint32_t func, uint32_t sp);
/*
 * Sleds were switched: the after-call of the call without probes on top of the stack may be
 * missing. It is over if the function that made it makes another one, which returns to this
 * address.
 */
void fold_end_stale_call(struct walk *w, uint32_t returns_to);
/* Makes function `func` the current one, by ending what lies above it or by adopting it. 0: it
 * cannot be. */
int fold_back_to(struct walk *w, uint32_t func, uint32_t sp);
/* Of n entries of the stack from `first` on, those that are frames: no event tells of that any
 * more (enum cinstr_unseen). */
void fold_mark_unseen(struct walk *w, uint32_t what, uint32_t first, uint32_t n);
/* Returns whether there will be an after-call of the call at this site that the topmost activation
 * makes. */
int fold_is_announced(const struct walk *w, uint32_t site);
/* Ends what is on top of the stack, as long as no event tells of its end. */
void fold_end_unseen(struct walk *w);

/* fold_place.c */
/*
 * A frame begins, or (own_sp()) runs, at stack pointer `sp`: ends the frames that are gone, for
 * they are not outside it on the same stack. Returns 1 if it is on a stack that no open frame below
 * is on, above the topmost one's: fold_mark_stack() is to know where the frame begins.
 */
int fold_place(struct walk *w, uint32_t sp);
/* 1: fold_place() would end nothing, for the topmost frame is outside it. */
int fold_is_inside(const struct walk *w, uint32_t sp);
void fold_mark_stack(struct walk *w, uint32_t entry, int is_elsewhere);
/* The topmost of the first `depth` entries that is a frame of the function whose ENTER sled `code`
 * is of, or a call from that site (BEFORE, TAIL): its number from 1; 0: none is. */
uint32_t fold_topmost(const struct walk *w, uint32_t code, uint32_t depth);
#define FOLD_ANY_CALL CINSTR_EV_BEFORE
/* At the end of a fold: which entries have not changed. */
void fold_note_lowest(struct walk *w);

/* fold_tail.c */
/* The topmost frame makes a tail call, of a FRAME, or of what has no probes, as far as is known
 * (CALL, INDIRECT). 0: no room. */
int fold_tail_push(struct walk *w, uint32_t kind, uint32_t site, uint32_t func, uint32_t where);
/* Ends the topmost activation, and those that it was called by by tail calls; the exits of those
 * count here. */
void fold_tail_pop(struct walk *w);
/*
 * There is no after-call that would end the topmost call: if this event is not its enter, it had no
 * probes, and is over. Another enter that returns to the same place, of the function that made the
 * call, is a callback that is called again.
 */
void fold_tail_settle(struct walk *w, const struct cinstr_record *r);

/* fold_detail.c */
/*
 * The cell's detail, made if need be; then what the cell holds by itself of its first activation
 * goes there. `before`: the exclusive ticks of that: ticks_before of the one that is open now, as
 * long as it has not left a line. NULL: no room.
 */
struct cinstr_detail *fold_detail_of(struct walk *w, struct cinstr_cell *cell, uint64_t before);
/* An interval with OS events: of the current cell, or of MERGED. */
void fold_charge_os(struct walk *w, struct cinstr_cell *cell, uint64_t ticks, const struct os_part *os);
/* An interval ends at this stamp in the slow path: somebody wants to know. */
void fold_tell_slow(const struct walk *w, uint64_t stamp, const struct os_part *os);
/* The end of an activation that is not counted in `recent`: see end_activation. */
void fold_end_odd(struct walk *w, struct cinstr_cell *cell, const struct cinstr_open *open,
		  const struct ended *ended);
/* Ends an activation beyond the budget of paths. */
void fold_end_flat(struct walk *w, struct cinstr_cell *anchor, const struct ended *ended);
/* A call turns out to have been another one: what is left out of its application time is its
 * caller's. */
void fold_drop_dirty(struct walk *w, struct cinstr_cell *cell, const struct cinstr_open *open);

/* An activation goes on in another cell, and with it what is left out so far of its application
 * time. */
void fold_move_details(struct walk *w, struct cinstr_cell *from, struct cinstr_cell *to,
		       const struct cinstr_open *open);

/* ---- what begins and ends, and counts, in general and in the hot steps ----------------------- */

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
 * An activation of `cell` begins. own: its caller's own events so far; events: the thread's when
 * the record at hand is over. The cell has been touched.
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

/* Ticks of the line since the frame came to it. */
static inline uint64_t line_ticks(const struct cinstr_cell *line)
{
	return line->ticks - line->line_ticks;
}

/* Exclusive ticks of the activation of `cell`, a function, that is at `current`: the same, or one
 * of its lines. */
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

/* An activation of `cell`, which is at `current`, ends with so many events, `own` of them its
 * own. */
static inline struct ended ended_at(const struct cinstr_open *open, const struct cinstr_cell *cell,
				    const struct cinstr_cell *current, uint64_t now, uint32_t events,
				    uint32_t own)
{
	return (struct ended){ { now - open->start_ticks, exclusive_ticks(open, cell, current) },
			       { events, own / OWN_EVENT } };
}

/* So many own events are a callee without probes, and one with them: behind its exit stands its
 * after-call. */
static inline uint32_t own_of(int is_frame)
{
	return is_frame ? 2 * OWN_EVENT : OWN_EVENT;
}

/* Own events of who goes on when the activation is over. */
static inline uint32_t own_behind(const struct cinstr_open *open, int is_frame)
{
	return callers_own(open) + own_of(is_frame);
}

/* Is all of an activation that has ended such that fold_extreme_usual() does? */
static inline int is_usual(const struct walk *w, const struct cinstr_open *open, const struct ended *ended)
{
	return !(open->flags & (CINSTR_OPEN_DIRTY | CINSTR_OPEN_CUT)) &&
	       (ended->events[CINSTR_INCLUSIVE] | ended->events[CINSTR_EXCLUSIVE]) < w->few_events &&
	       (ended->ticks[CINSTR_INCLUSIVE] | ended->ticks[CINSTR_EXCLUSIVE]) < FOLD_EXTREME_BIAS;
}

/* An activation has ended: counts it by its duration, if that and everything else is as usual. The
 * cell has been touched. */
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

/* The child of the current cell for this call. */
static inline struct cinstr_cell *child(struct walk *w, uint32_t kind, uint32_t site, uint32_t func)
{
	struct cinstr_cell *guess = cell_at(w->file, *w->slot);

	if (likely(guess->site == site && guess->func == func &&
		   guess->parent == index_of(w->file, w->current)))
		return guess;
	return fold_child_slow(w, kind, site, func);
}

/* The child of `cell` whose end began the interval that ends now; NULL: something else did. */
static inline struct cinstr_cell *returned_from(const struct walk *w, const struct cinstr_cell *cell)
{
	return w->ended && w->ended->parent == index_of(w->file, cell) ? w->ended : NULL;
}

/* fold_phase.c: charge(), where a phase begins before the interval's end. */
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

/* fold_detail.c: the interval of `ticks` that ends here, and was long, is the cell's. */
void fold_keep_long(const struct walk *w, const struct cinstr_cell *cell, uint64_t ticks);

/* The interval of `ticks` that ends here belongs to `cell`, the current one. */
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

/* The thread's number of events once the record at hand, which begins an activation of the cell, is
 * counted. */
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

/* What is on top of the stack now is current. */
static inline void stand_on_top(struct walk *w)
{
	w->current = cell_at(w->file, w->depth ? top(w)->cell : w->root);
}

/* Events since the beginning of what ends with the record at hand. What began with the same record
 * has none. */
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

/* The same, of one that may have been called by a tail call. */
static inline void leave(struct walk *w)
{
	if (unlikely(top(w)->flags & CINSTR_OPEN_TAILED))
		fold_tail_pop(w);
	else
		pop(w);
}

#endif
