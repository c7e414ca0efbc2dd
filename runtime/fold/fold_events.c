/* SPDX-License-Identifier: MIT */
/*
 * fold_events.c - applies each event to the tree and the stack (semantics R3-R5, R15), one event at
 * a time. The hottest cases are done by fold_hot.c before they come here.
 *
 * The interval that an event ends is charged to the cell that is current when the event arrives,
 * except where doc/semantics.md, R4, says otherwise; each exception is marked with its rule.
 */
#include "fold_steps.h"

/*
 * The first event after recording came on again, or after the outermost known function returned.
 * What the runtime found on the stack is still open; whether the function that runs now is on top
 * only its own event tells.
 */
static void settle(struct walk *w, const struct cinstr_record *r)
{
	uint32_t kind = CINSTR_CODE_KIND(r->code), owner = site_word(w->fold, r->code);
	const struct cinstr_cell *cell;

	if (w->state->unsettled & CINSTR_UNSETTLED_TAIL) {
		fold_tail_settle(w, r);
		if (w->fold->switched)
			fold_end_unseen(w);
	}
	if (!(w->state->unsettled & CINSTR_UNSETTLED_TOP) || kind == CINSTR_EV_ENTER) {
		w->state->unsettled = 0;
		return;
	}
	w->state->unsettled = 0;
	/* that event ends the announced call by itself, if it is still open */
	if (kind == CINSTR_EV_AFTER)
		owner = is_call(w->current) && w->current->site == owner ? 0 : site_word(w->fold, owner);
	cell = frame_of(w->file, w->current);
	if (owner && !(is_frame(cell) && cell->func == owner))
		fold_back_to(w, owner, 0);
}

/*
 * A BEFORE, where sleds were switched: its function may be under frames without an exit, or have no
 * enter. Where that was only counted, what it calls is on top of who is known to be there. sp: of
 * the function that is called; 0: not known.
 */
static __attribute__((noinline)) void find_caller(struct walk *w, uint32_t code, uint32_t sp)
{
	uint32_t owner = site_word(w->fold, code), depth;
	const struct cinstr_cell *cell = frame_of(w->file, w->current);

	if (!owner || (is_frame(cell) && cell->func == owner))
		return;
	if (!sp && fold_is_counted(w->fold, owner))
		depth = fold_find_timed(w, owner);
	else
		depth = fold_find_frame(w, owner, sp);
	if (depth)
		fold_pop_to(w, depth);
	else
		fold_adopt(w, owner, sp ? sp + ARCH_RETURN_BYTES : 0);
}

/* ---- events ---------------------------------------------------------------------------------- */

/*
 * R4: if a call without probes is on top, and the event ends a function below it, then the call has
 * not returned: it threw, jumped, or unwinds the thread. The interval that it began is its
 * callee's, and nothing is left of it for whom the event is of.
 */
static void charge_unreturned(struct walk *w, uint64_t *ticks, const struct os_part **os)
{
	if (!is_call(w->current))
		return;
	charge(w, w->current, *ticks, *os);
	*ticks = 0;
	*os = NULL;
}

static void enter_frame(struct walk *w, struct cinstr_cell *cell, uint32_t where)
{
	w->state->enters++;
	if (w->fold->switched)
		where &= ~(uint32_t)WHERE_UNSEEN;
	if (likely(cell != NULL))
		push(w, cell, where);
}

/* Is the topmost frame one that a frame at stack pointer `sp` can have been called by? */
static inline int is_inside(const struct walk *w, uint32_t sp)
{
	return !w->depth ||
	       (likely(!is_call(w->current)) ? is_around(top(w)->where, sp) : fold_is_inside(w, sp));
}

/*
 * Calls on top of one another, with no frame between: their functions are counted, or not known. If
 * one is left by a jump, nothing tells. So only so many are kept.
 */
#define CALLS_MAX 32

/*
 * A call begins while another one, of a function without probes, is on top of the stack. If its
 * function made that one as well, that is over, though no event has told: it was left.
 */
static __attribute__((noinline)) void end_left_call(struct walk *w, uint32_t code)
{
	uint32_t owner = site_word(w->fold, code), depth = w->depth;
	const struct cinstr_cell *frame;

	while (depth && is_call(cell_at(w->file, w->stack[depth - 1].cell)))
		depth--;
	frame = depth ? frame_of(w->file, cell_at(w->file, w->stack[depth - 1].cell)) : NULL;
	if ((frame && frame->func == owner) || w->depth - depth >= CALLS_MAX)
		fold_pop_to(w, depth);
}

/* BEFORE (fused with the callee's ENTER, or alone). */
static inline void on_before(struct walk *w, const struct cinstr_record *r, uint64_t ticks,
			     const struct os_part *os)
{
	struct cinstr_cell *cell;
	uint32_t entry;
	int is_elsewhere = 0;

	if (unlikely(r->second && !is_inside(w, r->extra))) {
		if (!w->fold->switched)
			charge_unreturned(w, &ticks, &os);
		is_elsewhere = fold_place(w, r->extra);
	}
	entry = w->depth;
	if (unlikely(w->fold->switched))
		find_caller(w, r->code, r->second ? r->extra : 0);
	if (unlikely(is_call(w->current))) {
		charge_unreturned(w, &ticks, &os);
		end_left_call(w, r->code);
	}
	charge(w, w->current, ticks, os);
	if (likely(r->second != 0)) {
		w->target = 0;
		enter_frame(w, child(w, CINSTR_CELL_FRAME, r->code, r->second), r->extra | WHERE_ANNOUNCED);
		fold_mark_stack(w, entry, is_elsewhere);
		return;
	}
	if (unlikely(w->target != 0)) {
		cell = child(w, CINSTR_CELL_INDIRECT, r->code, (uint32_t)w->target);
		if (cell)
			cell_set_target(cell, w->target);
		w->target = 0;
	} else {
		cell = child(w, CINSTR_CELL_CALL, r->code, 0);
	}
	if (!cell)
		return;
	push(w, cell, r->extra);
	if (unlikely(CINSTR_AMOUNT_IS_ASKED(w->moved)))
		fold_add_moved(w, 0);
}

/*
 * The topmost call turns out to have been another one: it has not been made. Returns its entry on
 * the stack, which tells when the other one began.
 */
static struct cinstr_open retract_call(struct walk *w)
{
	const struct cinstr_open call = *top(w);
	struct cinstr_cell *cell = w->current;

	touch(w, cell);
	cell->calls--;
	if (unlikely(call.flags & CINSTR_OPEN_DIRTY))
		fold_drop_dirty(w, cell, top(w));
	w->own = callers_own(&call);
	w->depth--;
	stand_on_top(w);
	expect_nothing(w);
	if (is_flat(cell)) {
		fold_count_flat(w, cell, w->current, (uint64_t)-1);
		fold_leave_flat(w);
	}
	return call;
}

/* The callee of the topmost call, that was taken for one without probes. */
static void enter_called(struct walk *w, const struct cinstr_record *r)
{
	const uint32_t site = w->current->site;
	const struct cinstr_open call = retract_call(w);
	uint32_t sp = CINSTR_ENTER_SP(r), depth;
	int is_elsewhere = !(call.flags & CINSTR_OPEN_TAILED) && fold_place(w, sp);

	depth = w->depth;
	if (call.flags & CINSTR_OPEN_TAILED) {
		w->state->enters++;
		/* Announced if who jumped to it was: the call's own `where` is not a frame's. */
		if (!fold_tail_push(w, CINSTR_CELL_FRAME, site, r->code,
				    sp | (top(w)->where & WHERE_ANNOUNCED)))
			return;
	} else {
		enter_frame(w, child(w, CINSTR_CELL_FRAME, site, r->code),
			    sp | (fold_is_announced(w, site) ? WHERE_ANNOUNCED : 0));
		if (w->depth == depth)
			return;
		fold_mark_stack(w, depth, is_elsewhere);
	}
	w->stack[w->depth - 1].start_ticks = call.start_ticks;
	w->stack[w->depth - 1].events_before = (uint32_t)w->state->events + 1;
}

/*
 * Is what was entered the callee of the call on top of the stack? Where sleds were switched, that
 * may be counted, and jump to others with probes when it has made calls itself: these are not it.
 */
static int is_called_here(const struct walk *w, const struct cinstr_record *r)
{
	if (w->fold->switched && w->depth && top(w)->events_before != (uint32_t)w->state->events)
		return 0;
	return is_call(w->current) && fold_returns_to(top(w)->where, r->extra) &&
	       (!is_tailed(w->current) || fold_jumps_to(w->fold, w->current->site, r->code));
}

/*
 * ENTER alone: a callback, a call by code without probes, or an announced callee whose pair was
 * split by a signal or by the slow path; that one is known by its return address.
 */
static inline void on_enter(struct walk *w, const struct cinstr_record *r, uint64_t ticks,
			    const struct os_part *os)
{
	int is_elsewhere = 0, is_called = is_called_here(w, r);
	uint32_t entry;

	if (unlikely(!is_called && !is_inside(w, CINSTR_ENTER_SP(r)))) {
		if (!w->fold->switched) {
			charge(w, w->current, ticks, os);
			ticks = 0;
			os = NULL;
		}
		is_elsewhere = fold_place(w, CINSTR_ENTER_SP(r));
		is_called = is_called_here(w, r);
	}
	if (unlikely(w->fold->switched) && !is_called && is_call(w->current))
		fold_end_stale_call(w, r->extra);
	if (likely(!is_called)) {
		entry = w->depth;
		/* R4: a callback's enter ends time of the callee that calls back */
		charge(w, w->current, ticks, os);
		enter_frame(w, child(w, CINSTR_CELL_FRAME, 0, r->code), CINSTR_ENTER_SP(r));
		fold_mark_stack(w, entry, is_elsewhere);
		return;
	}
	enter_called(w, r);
	charge(w, w->current, ticks, os);
}

static void on_exit_odd(struct walk *w, const struct cinstr_record *r, uint64_t ticks,
			const struct os_part *os)
{
	charge_unreturned(w, &ticks, &os);
	if (r->second == CINSTR_SECOND_FUSED_EXIT && !fold_find_frame(w, site_word(w->fold, r->code), 0))
		fold_place(w, own_sp(r->extra));
	if (!fold_back_to(w, site_word(w->fold, r->code), 0)) {
		w->state->orphans++;
		charge(w, w->current, ticks, os);
		/* it was counted when this call, of a function with probes, began */
		if (r->second == CINSTR_SECOND_FUSED_EXIT && w->fold->switched && is_call(w->current) &&
		    !is_tailed(w->current))
			leave(w);
		return;
	}
	charge(w, w->current, ticks, os);
	w->state->exits++;
	leave(w);
}

/* EXIT, alone or fused with the caller's AFTER. */
static inline void on_exit(struct walk *w, const struct cinstr_record *r, uint64_t ticks,
			   const struct os_part *os)
{
	struct cinstr_cell *cell = frame_of(w->file, w->current);

	if (unlikely(cell->last_exit != r->code || !is_frame(cell))) {
		if (!is_frame(cell) || site_word(w->fold, r->code) != cell->func) {
			on_exit_odd(w, r, ticks, os);
			return;
		}
		if (!is_tailed(cell))
			cell->last_exit = r->code;
	}
	charge(w, w->current, ticks, os);
	w->state->exits++;
	leave(w);
	if (likely(r->second != CINSTR_SECOND_FUSED_EXIT))
		return;
	if (unlikely(w->fold->switched)) {
		fold_place(w, own_sp(r->extra));
		/* a counted function, called with probes around, has jumped to this one */
		if (!cell->site && is_call(w->current) && !is_tailed(w->current))
			leave(w);
	}
	/* its caller has probes, and was entered while recording was off */
	if (unlikely(!w->depth) && may_miss(w))
		w->state->unsettled |= CINSTR_UNSETTLED_TOP;
}

/* Back in function `func` (AFTER, LANDING), which is not on the stack; a call of its own may be. */
static void not_on_stack(struct walk *w, uint32_t func, uint32_t sp, uint64_t ticks, const struct os_part *os)
{
	int own_call = is_call(w->current) && site_word(w->fold, w->current->site) == func;

	if (own_call) {
		charge(w, w->current, ticks, os);
		leave(w);
	}
	fold_place(w, own_sp(sp));
	if (!fold_adopt(w, func, sp))
		w->state->orphans++;
	if (!own_call)
		charge(w, w->current, ticks, os);
}

/*
 * The call that an AFTER ends may lie right above its frame, number `depth`, or above what led to
 * it by tail calls, and under what it left open. R4: that is time of a callee without probes.
 */
static int end_announced(struct walk *w, uint32_t depth, uint32_t before, uint64_t ticks,
			 const struct os_part *os)
{
	const struct cinstr_cell *call;

	while (depth + 1 < w->depth && w->stack[depth + 1].flags & CINSTR_OPEN_TAILED)
		depth++;
	if (depth >= w->depth)
		return 0;
	call = cell_at(w->file, w->stack[depth].cell);
	if (!is_call(call) || (call->site != before && CINSTR_CODE_KIND(call->site) != CINSTR_EV_TAIL))
		return 0;
	fold_pop_to(w, depth + 1);
	charge(w, w->current, ticks, os);
	leave(w);
	return 1;
}

/* AFTER that ends no announced call on top of the stack. */
static void on_after_odd(struct walk *w, const struct cinstr_record *r, uint32_t before, uint64_t ticks,
			 const struct os_part *os)
{
	uint32_t func = site_word(w->fold, before), depth;

	charge_unreturned(w, &ticks, &os);
	if (w->fold->switched)
		fold_place(w, own_sp(r->extra));
	depth = fold_find_frame(w, func, r->extra);
	if (!depth) {
		not_on_stack(w, func, r->extra, ticks, os);
		return;
	}
	if (end_announced(w, depth, before, ticks, os))
		return;
	fold_pop_to(w, depth);
	charge(w, w->current, ticks, os);
}

/* AFTER alone: the end of a callee without probes, or of one that left without its exit. */
static inline void on_after(struct walk *w, const struct cinstr_record *r, uint64_t ticks,
			    const struct os_part *os)
{
	struct cinstr_cell *cell = w->current;
	uint32_t before, kind = kind_of(cell);

	before = site_word(w->fold, r->code);
	if (is_call(cell) && cell->site == before && is_from_top(w->stack, w->depth, r->extra)) {
		if (kind == CINSTR_CELL_CALL)
			cell->last_exit = r->code;
		charge(w, cell, ticks, os);
		if (unlikely(w->moved && !CINSTR_AMOUNT_IS_ASKED(w->moved)))
			fold_add_moved(w, ticks);
		pop(w);
		return;
	}
	on_after_odd(w, r, before, ticks, os);
}

/* What a record of a tail call says is entered, and is no callee of the topmost frame. site: of its
 * call; 0: not known. */
static void enter_behind_tail(struct walk *w, const struct cinstr_record *r, uint32_t site)
{
	int is_in_tail = site && w->depth && is_call(w->current) && top(w)->flags & CINSTR_OPEN_TAILED;
	int is_elsewhere = !is_in_tail && fold_place(w, r->extra);
	uint32_t depth;

	if (!site && w->fold->switched)
		fold_end_unseen(w);
	depth = w->depth;
	enter_frame(w, child(w, CINSTR_CELL_FRAME, site, r->second), r->extra);
	fold_mark_stack(w, depth, is_elsewhere);
}

/*
 * A tail call by a function that is not on the stack. One that was counted when it was entered has
 * made a call all the same: it is open until the next event tells whether its callee has probes
 * (fold_tail_settle).
 */
static void tail_of_unknown(struct walk *w, const struct cinstr_record *r)
{
	uint64_t target = w->target;
	uint32_t depth = w->depth, is_jump = r->second && fold_jumps_to(w->fold, r->code, r->second);
	struct cinstr_cell *cell;

	w->target = 0;
	if (!is_jump && fold_is_counted(w->fold, site_word(w->fold, r->code))) {
		cell = child(w, target ? CINSTR_CELL_INDIRECT : CINSTR_CELL_CALL, r->code, (uint32_t)target);
		if (cell)
			push(w, cell, r->second ? 0 : r->extra);
		if (w->depth > depth && target)
			cell_set_target(w->current, target);
		if (w->depth > depth && r->second)
			pop(w);
		else if (w->depth > depth)
			w->state->unsettled |= CINSTR_UNSETTLED_TAIL;
	}
	if (r->second)
		enter_behind_tail(w, r, is_jump ? r->code : 0);
}

/*
 * TAIL: the last call of its function, which ends when its callee does (fold_tail.c). Without a
 * fused ENTER the callee has no probes, unless the slow path came between, or only functions are
 * recorded; it ends with the after-call of who called the function, if that has probes. If not, its
 * call counts, and its time is that of whoever called the function; and a fused ENTER of the same
 * function is that function called again, from the same place: a compiler makes a loop of a
 * function that jumps to itself by name. So is that of any function that is not the callee
 * (fold_jumps_to).
 */
static inline void on_tail(struct walk *w, const struct cinstr_record *r, uint64_t ticks,
			   const struct os_part *os)
{
	struct cinstr_cell *cell = frame_of(w->file, w->current);
	uint64_t target = w->target, orphans = w->state->orphans;
	uint32_t announced;
	int is_callback, is_open;

	if (unlikely(!is_frame(cell) || site_word(w->fold, r->code) != cell->func)) {
		charge_unreturned(w, &ticks, &os);
		if (r->second)
			fold_place(w, own_sp(r->extra));
		w->state->orphans += !fold_back_to(w, site_word(w->fold, r->code), 0);
	}
	charge(w, w->current, ticks, os);
	if (unlikely(w->state->orphans != orphans)) {
		tail_of_unknown(w, r);
		return;
	}
	w->target = 0;
	announced = top(w)->where & WHERE_ANNOUNCED;
	is_callback = r->second && ((!announced && !target && r->second == site_word(w->fold, r->code)) ||
				    !fold_jumps_to(w->fold, r->code, r->second));
	if (r->second && !is_callback) {
		w->state->enters++;
		fold_tail_push(w, CINSTR_CELL_FRAME, r->code, r->second, r->extra | announced);
		return;
	}
	is_open = fold_tail_push(w, target ? CINSTR_CELL_INDIRECT : CINSTR_CELL_CALL, r->code,
				 (uint32_t)target, is_callback ? 0 : r->extra);
	if (is_open && target)
		cell_set_target(w->current, target);
	if (is_open && !announced && !is_callback)
		w->state->unsettled |= CINSTR_UNSETTLED_TAIL;
	if (is_open && is_callback)
		fold_tail_pop(w);
	if (is_callback)
		enter_behind_tail(w, r, 0);
}

/*
 * LANDING: control is in function F again without a return (a landing pad, a second return of
 * setjmp). R4: the interval is time of what was on top: of what threw or jumped, or of setjmp, that
 * returns for the first time.
 */
static void on_landing(struct walk *w, const struct cinstr_record *r, uint64_t ticks,
		       const struct os_part *os)
{
	uint32_t func = site_word(w->fold, r->code), depth;

	charge_unreturned(w, &ticks, &os);
	if (w->fold->switched)
		fold_place(w, own_sp(r->extra));
	depth = fold_find_frame(w, func, r->extra);
	if (!depth) {
		not_on_stack(w, func, r->extra, ticks, os);
		return;
	}
	charge(w, w->current, ticks, os);
	fold_pop_to(w, depth);
}

/* The frame on top of the stack has come to the line of this sled. */
static void set_line(struct walk *w, uint32_t code)
{
	struct cinstr_cell *frame = frame_of(w->file, w->current), *line;
	uint32_t parent = index_of(w->file, frame), i = w->depth - 1;

	if (is_flat(frame))
		return;
	line = fold_index_find(w->fold, parent, code, 0);
	if (!line && w->fold->n_cells < w->fold->max_cells)
		line = fold_cell_make(w, parent, CINSTR_CELL_LINE, code, 0);
	if (!fold_detail_of(w, frame, w->stack[i].ticks_before))
		line = NULL; /* ticks_before changes below */
	if (unlikely(i - w->kept_low >= w->kept_high - w->kept_low))
		fold_keep_entry(w, i);
	w->own += OWN_EVENT;
	leave_line(&w->stack[i], frame, w->current);
	if (line) {
		*w->slot = index_of(w->file, line);
		touch(w, line);
		begin_line(&w->stack[i], line, index_of(w->file, line));
		w->current = line;
	} else { /* no room: the line is not known */
		w->stack[i].cell = parent;
		w->current = frame;
	}
	expect_first(w, w->current);
}

/* LINE: execution has reached another line of the function. */
static void on_line(struct walk *w, const struct cinstr_record *r, uint64_t ticks, const struct os_part *os)
{
	uint32_t func = site_word(w->fold, r->code);
	const struct cinstr_cell *cell;

	if (unlikely(w->fold->switched))
		fold_place(w, own_sp(r->extra));
	cell = frame_of(w->file, w->current);
	if (unlikely(!is_frame(cell) || cell->func != func)) {
		charge_unreturned(w, &ticks, &os);
		if (!fold_back_to(w, func, r->extra)) {
			w->state->orphans++;
			charge(w, w->current, ticks, os);
			return;
		}
	}
	charge(w, w->current, ticks, os);
	set_line(w, r->code);
}

/* Any event. */
static inline void on_event(struct walk *w, const struct cinstr_record *r, uint64_t ticks,
			    const struct os_part *os)
{
	uint32_t kind = CINSTR_CODE_KIND(r->code), depth = w->depth;

	if (unlikely(w->state->unsettled))
		settle(w, r);
	switch (kind) {
	case CINSTR_EV_BEFORE:
		on_before(w, r, ticks, os);
		break;
	case CINSTR_EV_EXIT:
		on_exit(w, r, ticks, os);
		break;
	case CINSTR_EV_AFTER:
		on_after(w, r, ticks, os);
		break;
	case CINSTR_EV_ENTER:
		on_enter(w, r, ticks, os);
		break;
	case CINSTR_EV_TAIL:
		on_tail(w, r, ticks, os);
		break;
	case CINSTR_EV_LANDING:
		on_landing(w, r, ticks, os);
		break;
	default: /* LINE: special records do not come here */
		on_line(w, r, ticks, os);
	}
	if (w->depth < depth && unlikely(w->fold->switched))
		fold_end_unseen(w);
	w->moved = 0;
	w->state->events += events_in(r, kind);
}

/* SLOW [OS SWITCHES] [TARGET or AMOUNT] event: an event with its full stamp. Returns the number of
 * records used. */
static __attribute__((noinline)) size_t on_slow(struct walk *w, const struct cinstr_record *r, size_t left)
{
	struct os_part os = { .bits = CINSTR_SPECIAL_ARGUMENT(r->code) };
	uint64_t stamp = CINSTR_SPECIAL_VALUE(r);
	size_t n = 1;

	if (os.bits && left >= 3 && r[1].code == CINSTR_SPECIAL(CINSTR_SP_OS, 0) &&
	    r[2].code == CINSTR_SPECIAL(CINSTR_SP_SWITCHES, 0)) {
		os.off_cpu_ticks = CINSTR_SPECIAL_VALUE(&r[1]);
		os.switches = CINSTR_SPECIAL_VALUE(&r[2]);
		w->state->voluntary += (uint32_t)os.switches;
		w->state->involuntary += os.switches >> 32;
		w->state->os_intervals++;
		n = 3;
	}
	if (unlikely(w->fold->tags[0]) && os.bits & CINSTR_OS_VOLUNTARY)
		fold_tag_wait(w, stamp > w->time ? stamp - w->time : 0, os.off_cpu_ticks);
	if (n < left)
		n += (size_t)fold_note_ahead(w, &r[n]);
	if (n >= left || CINSTR_CODE_KIND(r[n].code) == CINSTR_EV_SPECIAL ||
	    r[n].time_lo != (uint32_t)stamp) {
		/* there is no event, or it was cut off: the interval stays with the current cell */
		if (unlikely(w->fold->on_slow_event != NULL))
			fold_tell_slow(w, stamp, &os);
		charge(w, w->current, stamp > w->time ? stamp - w->time : 0, os.bits ? &os : NULL);
		return n;
	}
	if (unlikely(w->fold->on_slow_event != NULL))
		fold_tell_slow(w, stamp, &os);
	on_event(w, &r[n], stamp > w->time ? stamp - w->time : 0, os.bits ? &os : NULL);
	return n + 1;
}

/* A special record. Returns the number of records used; 0: the end of what is valid. */
static __attribute__((noinline)) size_t on_special(struct walk *w, const struct cinstr_record *r, size_t left)
{
	uint64_t value = CINSTR_SPECIAL_VALUE(r);

	if (!r->code || (w->fold->stop_backward && fold_is_stale(w->time, r)))
		return 0;
	switch (CINSTR_SPECIAL_TYPE(r->code)) {
	case CINSTR_SP_SLOW:
		/* folded already, see fold_record */
		return value < w->begin ? 1 : on_slow(w, r, left);
	case CINSTR_SP_START:
		w->begin = value;
		/* fall through */
	case CINSTR_SP_RESUME:
		if (value > w->time && !w->state->paused) {
			w->state->runtime_ticks += value - w->time;
			w->time = value;
		}
		return 1;
	case CINSTR_SP_PAUSE:
		charge(w, w->current, value > w->time ? value - w->time : 0, NULL);
		w->state->paused = 1;
		w->state->pauses++;
		return 1;
	case CINSTR_SP_CONTINUE:
		fold_continue(w, value);
		return 1;
	case CINSTR_SP_STACK:
		if ((uint32_t)value < w->depth) {
			fold_pop_to(w, (uint32_t)value);
			w->state->unsettled &= ~(uint32_t)CINSTR_UNSETTLED_TAIL;
		}
		w->resumed_sp = (uint32_t)(value >> 32) << 1;
		fold_end_unseen(w);
		return 1;
	case CINSTR_SP_UNSEEN:
		fold_mark_unseen(w, CINSTR_SPECIAL_ARGUMENT(r->code), (uint32_t)value,
				 (uint32_t)(value >> 32));
		return 1;
	case CINSTR_SP_TARGET:
	case CINSTR_SP_AMOUNT:
		if (!fold_note_ahead(w, r))
			fold_add_counted(w, value);
		return 1;
	case CINSTR_SP_TAG:
		fold_tag(w, CINSTR_SPECIAL_ARGUMENT(r->code), value);
		return 1;
	case CINSTR_SP_LOST:
		w->state->lost_events += value;
		return 1;
	default:
		return 1;
	}
}

/* The event at r, which is not of the hot kinds. Returns the number of records used; 0: the end of
 * what is valid. */
size_t fold_record(struct walk *w, const struct cinstr_record *r, size_t left)
{
	uint32_t ticks = r->time_lo - (uint32_t)w->time;

	if (CINSTR_CODE_KIND(r->code) == CINSTR_EV_SPECIAL)
		return on_special(w, r, left);
	if (r->time_lo < (uint32_t)w->time) {
		if (w->fold->stop_backward)
			return 0;
		/*
		 * No restartable sequences: a signal may have overwritten a stamp; or its handler
		 * has folded the buffer, and the cursor was put back behind what is folded already.
		 */
		if (w->begin >> 32 == w->time >> 32 && r->time_lo < (uint32_t)w->begin)
			return 1;
		ticks = 0;
	}
	on_event(w, r, ticks, NULL);
	return 1;
}
