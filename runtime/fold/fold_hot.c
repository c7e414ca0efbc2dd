/* SPDX-License-Identifier: MIT */
/*
 * fold_hot.c - the hottest cases of BEFORE, ENTER, EXIT, AFTER, TAIL and LINE, a few nanoseconds a
 * record; fold_events.c has all cases. A call that calls nothing is one step. Called by fold_run(),
 * in the thread that owns the tree. Both give the same result for the same records, byte for byte:
 * testsuite/unit/runtime/test_fold_twice.c.
 *
 * Each open activation has an entry on the stack: FRAME (instrumented function) or CALL/INDIRECT
 * (function without probes, between its before-call and its after-call).
 *
 * Finding the child of a cell: each cell predicts its first callee (`down`) and its caller's next
 * callee after it (`across`); the index is used only when the prediction fails.
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

	if (kind != (CINSTR_CODE_KIND(code) == CINSTR_EV_EXIT ? CINSTR_CELL_FRAME : CINSTR_CELL_CALL) ||
	    site_word(fold, code) != owner)
		return 0;
	if (is_tailed(cell)) /* who called it ends as well */
		return kind == CINSTR_CELL_FRAME;
	cell->last_exit = code;
	return 1;
}

/* The hot steps' working set: in registers, for the steps below are inlined into run_hot. */
struct hot {
	struct cinstr_cell *cell; /* current; has been touched */
	uint32_t index;		  /* its index */
	uint32_t *slot;
	/* the interval counts there, too: after_ticks of what ended at its begin */
	uint64_t *after;
	uint32_t depth;
	uint64_t time;
	uint64_t seen; /* enters, exits; events, of the thread: SEEN_* each */
	uint32_t own;
	/* What does not change on the way: */
	struct walk *w;
	char *file;
	struct cinstr_open *stack;
	const struct cinstr_record *end;
	const struct cinstr_record *leaves_end; /* a record in front of it may begin a leaf */
	uint32_t epoch_tag;
	uint32_t low, room; /* `room` stack entries from `low` on need no keeping */
	uint32_t outermost; /* 1: the exit of the outermost activation needs another look */
	uint64_t outside;   /* ticks_outside */
	uint32_t events;    /* all ones; 0: activations count as if they had none */
	uint64_t *nowhere;
};

/* Counts in one word: a register less. The number of events is modulo 2^32. */
#define SEEN_ENTER 1ull
#define SEEN_EXIT (1ull << 16)
#define SEEN_EVENT (1ull << 32)
#define RUN_RECORDS_MAX 0xffffu /* each is at most one enter or one exit */

#define TARGET CINSTR_SPECIAL(CINSTR_SP_TARGET, 0)

/* What a hot step says: the number of records that it did; 0: it is not for it. */
#define HOT static inline __attribute__((always_inline)) uint32_t

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
	return (uint32_t)(hot->seen / SEEN_EVENT);
}

/* Counts an activation that has ended, if it has a detail and is as usual: see end_activation(). */
HOT count_usual(struct hot *hot, struct cinstr_cell *cell, const struct ended *ended)
{
	const struct cinstr_detail *detail = detail_at(hot->file, cell->detail);
	uint32_t place = fold_slot(ended->ticks[CINSTR_INCLUSIVE]) - detail->window;

	if (unlikely(!cell->detail || place >= CINSTR_RECENT_SLOTS || cell->recent[place] == UINT8_MAX))
		return 0;
	for (int i = 0; i < 2; i++) {
		uint64_t extreme = fold_extreme_usual(ended->ticks[i], ended->events[i], hot->w->event_cost);

		if (unlikely(extreme < detail->shortest[i] || extreme > detail->longest[i]))
			return 0;
	}
	cell->recent[place]++;
	return 1;
}

static __attribute__((noinline)) void count_odd(struct walk *w, struct cinstr_cell *cell,
						const struct cinstr_open *open, const struct ended ended)
{
	end_activation(w, cell, open, &ended);
}

/*
 * A call that calls nothing: r, that begins it, and the record behind, by which it ends. Does what
 * hot_down() and hot_up() would, without an entry on the stack. `ticks`: of r, not yet spent.
 */
HOT hot_leaf(struct hot *hot, const struct cinstr_record *r, struct cinstr_cell *to, uint32_t kind,
	     uint32_t ticks, uint32_t is_frame)
{
	const struct cinstr_record *back = r + 1;
	uint32_t within = back->time_lo - r->time_lo;
	uint64_t begun = is_frame && kind == CINSTR_EV_BEFORE ? 2 * SEEN_EVENT : SEEN_EVENT;

	if (to->tag != (hot->epoch_tag | (is_frame ? CINSTR_CELL_FRAME : CINSTR_CELL_CALL)))
		return 0;
	if (back->time_lo < r->time_lo || hot->depth < hot->outermost || !back->code)
		return 0;
	if (!is_frame && !is_from_top(hot->stack, hot->depth + 1, back->extra))
		return 0;
	if (!count_usual(hot, to, &(struct ended){ { within, within }, { 0, 0 } }))
		return 0;
	spend(hot, ticks);
	hot->time += within;
	to->calls++;
	to->ticks += within;
	if (!is_frame)
		hot->seen += 2 * SEEN_EVENT;
	else if (likely(back->second == CINSTR_SECOND_FUSED_EXIT))
		hot->seen += begun + SEEN_ENTER + SEEN_EXIT + 2 * SEEN_EVENT;
	else
		hot->seen += begun + SEEN_ENTER + SEEN_EXIT + SEEN_EVENT;
	hot->own += own_of(is_frame);
	hot->slot = &to->across;
	hot->after = &to->after_ticks;
	return 2;
}

/* Down into `to`, which has been found. flags: of the activation, besides own events. */
HOT hot_into(struct hot *hot, struct cinstr_cell *to, uint32_t index, uint32_t where, uint32_t flags,
	     uint32_t ticks, uint64_t seen)
{
	struct cinstr_open *open = &hot->stack[hot->depth];

	touch(hot->w, to);
	spend(hot, ticks);
	hot->seen += seen;
	begin_activation(open, to, index, where, hot->time - hot->outside, hot->own | flags, events_of(hot));
	hot->own = 0;
	hot->depth++;
	hot->cell = to;
	hot->index = index;
	hot->slot = &to->down;
	hot->after = hot->nowhere;
	return 1;
}

/* Down into a known child: BEFORE, fused or alone, and ENTER where no call is announced. */
HOT hot_down(struct hot *hot, const struct cinstr_record *r, uint32_t kind, uint32_t ticks, uint32_t is_frame,
	     int switched)
{
	uint32_t site = kind == CINSTR_EV_BEFORE ? r->code : 0;
	uint32_t func = !is_frame ? 0 : kind == CINSTR_EV_BEFORE ? r->second : r->code;
	uint32_t index = *hot->slot, where = r->extra;
	struct cinstr_cell *to = cell_at(hot->file, index);

	if (unlikely(hot->depth - hot->low >= hot->room))
		return 0;
	if (unlikely(!may_enter(hot->cell)))
		return 0;
	if (is_frame && hot->depth &&
	    !is_around(hot->stack[hot->depth - 1].where, kind == CINSTR_EV_ENTER ? r->second : r->extra))
		return 0;
	if (unlikely(to->site != site || to->func != func || to->parent != hot->index)) {
		to = find_child(hot->w->fold, hot->slot, hot->index, site, func);
		if (!to)
			return 0;
		index = *hot->slot;
	}
	if (!switched && r < hot->leaves_end && r[1].code == to->last_exit &&
	    likely(hot_leaf(hot, r, to, kind, ticks, is_frame)))
		return 2;
	if (kind == CINSTR_EV_ENTER)
		where = CINSTR_ENTER_SP(r);
	if (is_frame && switched)
		where &= ~(uint32_t)WHERE_UNSEEN;
	if (kind == CINSTR_EV_ENTER)
		return hot_into(hot, to, index, where, 0, ticks, SEEN_ENTER + SEEN_EVENT);
	return hot_into(hot, to, index, where | is_frame, 0, ticks,
			is_frame ? SEEN_ENTER + 2 * SEEN_EVENT : SEEN_EVENT);
}

/*
 * A tail call of a known callee with probes, by a function that was called itself. What it is
 * called by, and loops of tail calls: fold_tail.c.
 */
HOT hot_tail(struct hot *hot, const struct cinstr_record *r, uint32_t ticks)
{
	const struct cinstr_cell *frame = frame_of(hot->file, hot->cell);
	const struct cinstr_open *caller = &hot->stack[hot->depth - 1];
	uint32_t index = *hot->slot;
	struct cinstr_cell *to = cell_at(hot->file, index);

	if (unlikely(hot->depth - hot->low >= hot->room))
		return 0;
	if (!r->second || kind_of(frame) != CINSTR_CELL_FRAME || frame->func == r->second ||
	    caller->flags & CINSTR_OPEN_TAILED || site_word(hot->w->fold, r->code) != frame->func)
		return 0;
	if (unlikely(to->site != r->code || to->func != r->second || to->parent != hot->index)) {
		to = find_child(hot->w->fold, hot->slot, hot->index, r->code, r->second);
		if (!to)
			return 0;
		index = *hot->slot;
	}
	return hot_into(hot, to, index, r->extra | (caller->where & WHERE_ANNOUNCED), CINSTR_OPEN_TAILED,
			ticks, SEEN_ENTER + 2 * SEEN_EVENT);
}

/* The target of a call through a pointer, which is of no use where the callee has probes. */
HOT hot_target(const struct hot *hot, const struct cinstr_record *r)
{
	const struct cinstr_record *call = r + 1;
	uint32_t kind = CINSTR_CODE_KIND(call->code);

	return call < hot->end && call->second && (kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_TAIL);
}

/* The topmost activation ends, of `ended`, which is at the current cell. */
static inline __attribute__((always_inline)) struct cinstr_cell *hot_end(struct hot *hot,
									 struct cinstr_cell *ended,
									 uint32_t is_frame)
{
	const struct cinstr_open *open = &hot->stack[hot->depth - 1];
	struct ended how;

	if (unlikely(ended != hot->cell))
		touch(hot->w, ended);
	how = ended_at(open, ended, hot->cell, hot->time - hot->outside,
		       (events_of(hot) - open->events_before) & hot->events, hot->own & hot->events);
	if (unlikely(!is_usual(hot->w, open, &how) || !count_usual(hot, ended, &how)))
		count_odd(hot->w, ended, open, how);
	hot->own = own_behind(open, is_frame);
	hot->depth--;
	hot->index = hot->depth ? open[-1].cell : hot->w->root;
	hot->cell = cell_at(hot->file, hot->index);
	touch(hot->w, hot->cell);
	return ended;
}

/* Does no event tell of the end of what called the topmost activation? Of an entry that is a call
 * the bits say nothing: then the general steps look. */
static inline int is_unseen_below(const struct cinstr_open *open, uint32_t depth)
{
	return (depth > 1 && open[-1].where & WHERE_UNSEEN) ||
	       (depth > 2 && open[-2].where & CINSTR_UNSEEN_CALL);
}

/* Up out of the current cell: EXIT or AFTER. */
HOT hot_up(struct hot *hot, const struct cinstr_record *r, uint32_t kind, uint32_t ticks, int switched)
{
	char *const file = hot->file;
	const struct cinstr_open *open = &hot->stack[hot->depth - 1];
	struct cinstr_cell *ended = hot->cell;

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
	if (unlikely(open->flags & CINSTR_OPEN_TAILED) && (switched || hot->outermost))
		return 0;
	if (switched && unlikely(is_unseen_below(open, hot->depth)))
		return 0;
	spend(hot, ticks);
	ended = hot_end(hot, ended, kind == CINSTR_EV_EXIT);
	while (unlikely(open->flags & CINSTR_OPEN_TAILED && hot->depth)) {
		open--;
		hot->seen += SEEN_EXIT;
		ended = hot_end(hot, frame_of(file, hot->cell), 1);
	}
	hot->slot = &ended->across;
	hot->after = &ended->after_ticks;
	hot->seen += events_in(r, kind) * SEEN_EVENT + (kind == CINSTR_EV_EXIT) * SEEN_EXIT;
	return 1;
}

/* On to a known line of the current function: LINE. */
HOT hot_line(struct hot *hot, const struct cinstr_record *r, uint32_t ticks, int switched)
{
	char *const file = hot->file;
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
	hot->index = *hot->slot;
	begin_line(open, to, hot->index);
	hot->own += OWN_EVENT;
	hot->cell = to;
	hot->slot = &to->down;
	hot->after = hot->nowhere;
	hot->seen += SEEN_EVENT;
	return 1;
}

/*
 * The hottest cases of on_before, on_enter, on_exit, on_after, on_tail and on_line (fold_events.c);
 * the first record that is none of them ends the run. Returns the number of records done. switched
 * and keeps_long are constants: who was never switched does not pay for looking at stack pointers,
 * who keeps no intervals not for looking how long they are. no_events: struct fold, has_no_events.
 */
static inline __attribute__((always_inline)) size_t run(struct walk *w, const struct cinstr_record *records,
							size_t n, int switched, int keeps_long, int no_events)
{
	struct cinstr_cell *child = returned_from(w, w->current);
	uint64_t nowhere = 0;
	struct hot hot = {
		.cell = w->current,
		.index = index_of(w->file, w->current),
		.slot = w->slot,
		.after = child ? &child->after_ticks : &nowhere,
		.nowhere = &nowhere,
		.depth = w->depth,
		.time = w->time,
		.seen = (uint32_t)w->state->events * SEEN_EVENT,
		.w = w,
		.file = w->file,
		.stack = w->stack,
		.end = records + (n < RUN_RECORDS_MAX ? n : RUN_RECORDS_MAX),
		.low = w->kept_low,
		.room = (w->kept_high < w->stack_limit ? w->kept_high : w->stack_limit) - w->kept_low,
		.own = w->own,
		.epoch_tag = w->epoch_tag,
		.outermost = may_miss(w),
		.outside = ticks_outside(w),
		.events = no_events ? 0 : UINT32_MAX,
	};
	const struct cinstr_record *r = records;
	uint32_t done = 1;

	if (w->event_cost && !keeps_long)
		hot.leaves_end = hot.end - 1;

	touch(w, hot.cell);
	for (; r < hot.end; r += done) {
		uint32_t kind = CINSTR_CODE_KIND(r->code), ticks;

		if (unlikely(__builtin_sub_overflow(r->time_lo, (uint32_t)hot.time, &ticks)))
			break;
		if (keeps_long && unlikely(ticks >= w->long_ticks))
			break;
		if (kind == CINSTR_EV_BEFORE)
			done = likely(r->second) ? hot_down(&hot, r, CINSTR_EV_BEFORE, ticks, 1, switched)
						 : hot_down(&hot, r, CINSTR_EV_BEFORE, ticks, 0, switched);
		else if (kind == CINSTR_EV_EXIT)
			done = hot_up(&hot, r, CINSTR_EV_EXIT, ticks, switched);
		else if (kind == CINSTR_EV_AFTER)
			done = hot_up(&hot, r, CINSTR_EV_AFTER, ticks, switched);
		else if (kind == CINSTR_EV_ENTER)
			done = hot_down(&hot, r, CINSTR_EV_ENTER, ticks, 1, switched);
		else if (kind == CINSTR_EV_LINE)
			done = hot_line(&hot, r, ticks, switched);
		else if (kind == CINSTR_EV_TAIL && !switched)
			done = hot_tail(&hot, r, ticks);
		else if (r->code == TARGET && !switched)
			done = hot_target(&hot, r);
		else
			break;
		if (unlikely(!done))
			break;
	}
	if (unlikely(r != records && r[-1].code == TARGET)) /* its call was not for the hot steps */
		r--;
	w->current = hot.cell;
	w->slot = hot.slot;
	if (r != records)
		w->ended = hot.after == &nowhere ? NULL : owner_of(hot.after);
	w->depth = hot.depth;
	w->time = hot.time;
	w->own = hot.own;
	w->state->enters += hot.seen / SEEN_ENTER % (SEEN_EXIT / SEEN_ENTER);
	w->state->exits += hot.seen / SEEN_EXIT % (SEEN_EVENT / SEEN_EXIT);
	w->state->events += events_of(&hot) - (uint32_t)w->state->events;
	return (size_t)(r - records);
}

static __attribute__((noinline)) size_t run_hot(struct walk *w, const struct cinstr_record *records, size_t n)
{
	return run(w, records, n, 0, 0, 0);
}

static __attribute__((noinline)) size_t run_kept(struct walk *w, const struct cinstr_record *records,
						 size_t n)
{
	return run(w, records, n, 0, 1, 0);
}

static __attribute__((noinline)) size_t run_switched(struct walk *w, const struct cinstr_record *records,
						     size_t n)
{
	return run(w, records, n, 1, 1, 0);
}

static __attribute__((noinline)) size_t run_sums(struct walk *w, const struct cinstr_record *records,
						 size_t n)
{
	return run(w, records, n, 0, 0, 1);
}

static __attribute__((noinline)) size_t run_sums_switched(struct walk *w, const struct cinstr_record *records,
							  size_t n)
{
	return run(w, records, n, 1, 0, 1);
}

size_t fold_hot(struct walk *w, const struct cinstr_record *records, size_t n)
{
	if (w->fold->has_no_events)
		return (w->fold->switched ? run_sums_switched : run_sums)(w, records, n);
	if (w->fold->switched)
		return run_switched(w, records, n);
	return w->long_ticks != UINT64_MAX ? run_kept(w, records, n) : run_hot(w, records, n);
}
