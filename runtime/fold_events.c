/* SPDX-License-Identifier: MIT */
/*
 * fold_events.c - what each event does to the tree and the stack (semantics R3-R5, R15), one event at a time. fold.c does
 * the two hottest of them by itself, and hands everything else to fold_record().
 *
 * The interval that an event ends is charged to the cell that is current when the event arrives, except where a rule of
 * semantics 1.2 (R4) says otherwise; each exception is marked with its rule.
 */
#include "fold_walk.h"

/* ---- finding the callee's cell -------------------------------------------------------------------- */

/* Beyond the budget of paths: the function's (or call site's) one cell. */
static struct cinstr_cell *flat_cell(struct walk *w, uint32_t kind, uint32_t site, uint32_t func)
{
	struct cinstr_cell *cell;

	kind = kind == CINSTR_CELL_FRAME ? CINSTR_CELL_FLAT_FRAME : CINSTR_CELL_FLAT_CALL;
	if (kind == CINSTR_CELL_FLAT_FRAME)
		site = 0;
	w->state->merged_calls++;
	cell = fold_index_find(w->fold, FLAT_PARENT, site, func);
	if (cell)
		return cell;
	cell = fold_cell_make(w, FLAT_PARENT, kind, site, func);
	if (cell)
		cell->min_ticks = 0;
	return cell;
}

/* What is called from the current cell from here on goes to its MERGED child. 0, or -1: no room even for that. */
static int begin_merged(struct walk *w)
{
	uint32_t parent = index_of(w->file, w->current);
	struct cinstr_cell *cell = fold_index_find(w->fold, parent, 0, 0);

	if (!cell)
		cell = fold_cell_make(w, parent, CINSTR_CELL_MERGED, 0, 0);
	if (!cell)
		return -1;
	w->merged = cell;
	w->merged_base = w->depth;
	w->state->merged_spans++;
	return 0;
}

static __attribute__((noinline)) struct cinstr_cell *child_slow(struct walk *w, uint32_t kind, uint32_t site,
								uint32_t func)
{
	struct fold *fold = w->fold;
	uint32_t parent = index_of(fold->file, w->current);
	struct cinstr_cell *cell;

	if (is_flat(w->current))
		return flat_cell(w, kind, site, func);
	cell = fold_index_find(fold, parent, site, func);
	if (!cell && fold->n_cells < fold->max_cells)
		cell = fold_cell_make(w, parent, kind, site, func);
	if (cell)
		*w->slot = index_of(fold->file, cell);
	else if (!begin_merged(w))
		cell = flat_cell(w, kind, site, func);
	return cell; /* NULL, no room for anything: the caller takes it */
}

/* The child of the current cell for this call. */
static inline struct cinstr_cell *child(struct walk *w, uint32_t kind, uint32_t site, uint32_t func)
{
	struct cinstr_cell *guess = cell_at(w->file, *w->slot);

	if (likely(guess->site == site && guess->func == func &&
		   guess->parent == index_of(w->file, w->current)))
		return guess;
	return child_slow(w, kind, site, func);
}

/* ---- charging time ---------------------------------------------------------------------------------- */

static void charge_os(struct walk *w, struct cinstr_cell *cell, uint64_t ticks, const struct os_part *os)
{
	struct cinstr_bucket *bucket = NULL;
	uint32_t i = cell->buckets;

	for (; i; i = bucket->next) {
		bucket = (struct cinstr_bucket *)(void *)cell_at(w->file, i);
		if (bucket->bits == os->bits)
			break;
	}
	if (!i) {
		bucket = (struct cinstr_bucket *)(void *)fold_cell_new(w->fold);
		if (!bucket)
			return;
		bucket->owner = index_of(w->file, cell);
		bucket->bits = os->bits;
		bucket->next = cell->buckets;
		bucket->tag = CINSTR_CELL_BUCKET;
		cell->buckets = index_of(w->file, bucket);
	}
	touch(w, (struct cinstr_cell *)(void *)bucket);
	bucket->intervals++;
	bucket->ticks += ticks;
	bucket->off_cpu_ticks += os->off_cpu_ticks < ticks ? os->off_cpu_ticks : ticks;
	bucket->switches += os->switches;
}

/* The interval of `ticks` that ends here belongs to `cell`. */
static inline void charge(struct walk *w, struct cinstr_cell *cell, uint64_t ticks, const struct os_part *os)
{
	touch(w, cell);
	cell->ticks += ticks;
	w->time += ticks;
	if (unlikely(os != NULL))
		charge_os(w, cell, ticks, os);
	if (likely(!is_flat(cell)))
		return;
	touch(w, w->merged);
	w->merged->ticks += ticks;
	if (os)
		charge_os(w, w->merged, ticks, os);
}

/* ---- the stack --------------------------------------------------------------------------------------- */

static int stack_grow(struct walk *w)
{
	struct cinstr_thread *thread = w->fold->thread;
	struct cinstr_undo *undo = (struct cinstr_undo *)(w->file + thread->journal_offset);
	uint64_t from = thread->stack_offset, bytes = thread->stack_bytes;

	if (!w->fold->more_stack || w->fold->more_stack(w->fold))
		return -1;
	/* What the journal keeps of the old place is for the new one. */
	for (uint64_t i = 0; i < thread->journal_used; i++)
		if (undo[i].offset - from < bytes)
			undo[i].offset += thread->stack_offset - from;
	w->stack = (struct cinstr_open *)(w->file + thread->stack_offset);
	w->stack_limit = (uint32_t)(thread->stack_bytes / sizeof(struct cinstr_open));
	return 0;
}

static void keep_stack_pair(struct walk *w, uint32_t pair)
{
	fold_keep_block(w->fold, &w->stack[pair * 2]);
	if (pair + 1 == w->kept_low)
		w->kept_low = pair;
	else if (pair == w->kept_high)
		w->kept_high = pair + 1;
	else
		w->kept_low = pair, w->kept_high = pair + 1;
}

/* A call beyond the budget begins (n = 1), or turns out to have been another one (n = -1). */
static void count_flat(struct walk *w, struct cinstr_cell *cell, struct cinstr_cell *caller, uint64_t n)
{
	cell->down += (uint32_t)n; /* activations on the stack */
	touch(w, w->merged);
	w->merged->calls += n;
	if (is_flat(caller)) {
		touch(w, caller);
		caller->max_ticks += n;
	}
}

/* Is the function of a FLAT cell on the stack within the budget as well? Then its time is counted there (R6). */
static int is_on_path(struct walk *w, struct cinstr_cell *cell)
{
	uint32_t span = (uint32_t)w->state->merged_spans << 1;

	if (kind_of(cell) != CINSTR_CELL_FLAT_FRAME)
		return 0;
	if ((cell->across & ~1u) == span) /* asked before, under the same stack */
		return cell->across & 1;
	cell->across = span;
	for (uint32_t i = w->merged_base; i-- > 0;) {
		const struct cinstr_cell *open = cell_at(w->file, w->stack[i].cell);

		if (kind_of(open) == CINSTR_CELL_FRAME && open->func == cell->func) {
			cell->across |= 1;
			return 1;
		}
	}
	return 0;
}

/* The activation of a FLAT cell is off the stack. */
static void leave_flat(struct walk *w)
{
	w->slot = &w->no_slot;
	w->no_slot = 0;
	if (w->depth == w->merged_base)
		w->merged = NULL;
}

static void pop_flat(struct walk *w, struct cinstr_cell *cell, uint64_t ticks)
{
	touch(w, cell);
	if (cell->down && --cell->down == 0 && !is_on_path(w, cell))
		cell->min_ticks += ticks;
	leave_flat(w);
}

static inline void push(struct walk *w, struct cinstr_cell *cell, uint32_t where)
{
	struct cinstr_cell *caller = w->current;
	struct cinstr_open *open;

	if (unlikely(w->depth >= w->stack_limit) && stack_grow(w))
		return; /* its exit will be an orphan */
	if (unlikely(w->depth / 2 - w->kept_low >= w->kept_high - w->kept_low))
		keep_stack_pair(w, w->depth / 2);
	open = &w->stack[w->depth++];
	open->start_ticks = w->time - w->state->runtime_ticks;
	open->cell = index_of(w->file, cell);
	open->where = where;
	touch(w, cell);
	cell->calls++;
	w->current = cell;
	w->slot = &cell->down;
	if (unlikely(is_flat(cell))) {
		count_flat(w, cell, caller, 1);
		w->slot = &w->no_slot;
		w->no_slot = 0;
	}
}

/* Ends the topmost activation. */
static inline void pop(struct walk *w)
{
	const struct cinstr_open *open = &w->stack[--w->depth];
	struct cinstr_cell *cell = w->current;
	uint64_t ticks = w->time - w->state->runtime_ticks - open->start_ticks;

	w->current = cell_at(w->file, w->depth ? open[-1].cell : w->root);
	if (unlikely(is_flat(cell))) {
		pop_flat(w, cell, ticks);
		return;
	}
	touch(w, cell);
	if (ticks < cell->min_ticks)
		cell->min_ticks = ticks;
	if (ticks > cell->max_ticks)
		cell->max_ticks = ticks;
	w->slot = &cell->across;
}

/* Ends every activation above entry `keep` (R15): frames among them get an implicit exit. */
void fold_pop_to(struct walk *w, uint32_t keep)
{
	while (w->depth > keep) {
		w->state->implicit_exits += (uint64_t)is_frame(w->current);
		pop(w);
	}
}

static inline const struct cinstr_open *top(const struct walk *w)
{
	return &w->stack[w->depth - 1];
}

/* The frame at stack pointer `where` is outside (older than) code that runs with stack pointer `sp`. */
static inline int is_outside(uint32_t where, uint32_t sp)
{
	return (int32_t)((where & ~WHERE_ANNOUNCED) - sp) > 0;
}

/*
 * Depth up to and with the topmost frame of function `func`; 0: none. sp != 0: only a frame that is
 * outside it, as far as there is one (handlers on another stack compare wrongly).
 */
static uint32_t find_frame(const struct walk *w, uint32_t func, uint32_t sp)
{
	uint32_t any = 0;

	for (uint32_t d = w->depth; d > 0; d--) {
		const struct cinstr_open *open = &w->stack[d - 1];
		const struct cinstr_cell *cell = cell_at(w->file, open->cell);

		if (!is_frame(cell) || cell->func != func)
			continue;
		if (!sp || is_outside(open->where, sp))
			return d;
		if (!any)
			any = d;
	}
	return any;
}

/* ---- events ------------------------------------------------------------------------------------------- */

static void enter_frame(struct walk *w, struct cinstr_cell *cell, uint32_t where)
{
	w->state->enters++;
	if (likely(cell != NULL))
		push(w, cell, where);
}

/* BEFORE (fused with the callee's ENTER, or alone). */
static inline void on_before(struct walk *w, const struct cinstr_record *r, uint64_t ticks,
			     const struct os_part *os)
{
	struct cinstr_cell *cell;

	charge(w, w->current, ticks, os);
	if (likely(r->second != 0)) {
		w->target = 0;
		enter_frame(w, child(w, CINSTR_CELL_FRAME, r->code, r->second), r->extra | WHERE_ANNOUNCED);
		return;
	}
	if (unlikely(w->target != 0)) {
		cell = child(w, CINSTR_CELL_INDIRECT, r->code, (uint32_t)w->target);
		if (cell)
			cell->last_exit = (uint32_t)(w->target >> 32);
		w->target = 0;
	} else {
		cell = child(w, CINSTR_CELL_CALL, r->code, 0);
	}
	if (cell)
		push(w, cell, r->extra);
}

/*
 * ENTER alone: a callback, a call by code without probes, or an announced callee whose pair was split by a
 * signal or by the slow path; that one is known by its return address.
 */
static inline void on_enter(struct walk *w, const struct cinstr_record *r, uint64_t ticks,
			    const struct os_part *os)
{
	struct cinstr_cell *cell = w->current;
	uint64_t start;
	uint32_t site;

	if (likely(!is_call(cell) || r->extra - top(w)->where > CALL_BYTES_MAX)) {
		/* R4: a callback's enter ends time of the callee that calls back */
		charge(w, cell, ticks, os);
		enter_frame(w, child(w, CINSTR_CELL_FRAME, 0, r->code), r->second & ~1u);
		return;
	}
	/* R4: enter(F) after its own before-call ends time of F. */
	start = top(w)->start_ticks;
	site = cell->site;
	touch(w, cell);
	cell->calls--;
	w->depth--;
	w->current = cell_at(w->file, w->depth ? top(w)->cell : w->root);
	w->slot = &w->no_slot;
	w->no_slot = 0;
	if (is_flat(cell)) {
		count_flat(w, cell, w->current, (uint64_t)-1);
		leave_flat(w);
	}
	cell = child(w, CINSTR_CELL_FRAME, site, r->code);
	enter_frame(w, cell, (r->second & ~1u) | WHERE_ANNOUNCED);
	if (cell)
		w->stack[w->depth - 1].start_ticks = start;
	charge(w, w->current, ticks, os);
}

static void on_exit_odd(struct walk *w, const struct cinstr_record *r, uint64_t ticks,
			const struct os_part *os)
{
	uint32_t depth = find_frame(w, site_word(w->fold, r->code), 0);

	if (!depth) {
		w->state->orphans++;
		charge(w, w->current, ticks, os);
		return;
	}
	fold_pop_to(w, depth);
	charge(w, w->current, ticks, os);
	w->current->last_exit = r->code;
	w->state->exits++;
	pop(w);
}

/* EXIT, alone or fused with the caller's AFTER. */
static inline void on_exit(struct walk *w, const struct cinstr_record *r, uint64_t ticks,
			   const struct os_part *os)
{
	struct cinstr_cell *cell = w->current;

	if (unlikely(cell->last_exit != r->code || !is_frame(cell))) {
		if (!is_frame(cell) || site_word(w->fold, r->code) != cell->func) {
			on_exit_odd(w, r, ticks, os);
			return;
		}
		cell->last_exit = r->code;
	}
	charge(w, cell, ticks, os);
	w->state->exits++;
	pop(w);
}

/* AFTER that ends no announced call on top of the stack. */
static void on_after_odd(struct walk *w, const struct cinstr_record *r, uint32_t before, uint64_t ticks,
			 const struct os_part *os)
{
	uint32_t func = site_word(w->fold, before);
	uint32_t depth = find_frame(w, func, r->extra);

	if (!depth) {
		w->state->orphans++;
		charge(w, w->current, ticks, os);
		return;
	}
	/* The announced call itself may lie directly above its frame, under what it left open. */
	if (depth < w->depth) {
		const struct cinstr_cell *call = cell_at(w->file, w->stack[depth].cell);

		/* R4: time of a callee without probes, also of one that was tail-called */
		if (is_call(call) &&
		    (call->site == before || CINSTR_CODE_KIND(call->site) == CINSTR_EV_TAIL)) {
			fold_pop_to(w, depth + 1);
			charge(w, w->current, ticks, os);
			pop(w);
			return;
		}
	}
	fold_pop_to(w, depth);
	charge(w, w->current, ticks, os);
}

/* AFTER alone: the end of a callee without probes, or of one that left without its exit. */
static inline void on_after(struct walk *w, const struct cinstr_record *r, uint64_t ticks,
			    const struct os_part *os)
{
	struct cinstr_cell *cell = w->current;
	uint32_t before, kind = kind_of(cell);

	if (likely(kind == CINSTR_CELL_CALL && cell->last_exit == r->code)) {
		charge(w, cell, ticks, os);
		pop(w);
		return;
	}
	before = site_word(w->fold, r->code);
	if (is_call(cell) && cell->site == before) {
		if (kind == CINSTR_CELL_CALL)
			cell->last_exit = r->code;
		charge(w, cell, ticks, os);
		pop(w);
		return;
	}
	on_after_odd(w, r, before, ticks, os);
}

/*
 * TAIL: the exit of its function, and the call of another in its place: the callee hangs under the cell that
 * called the function. Without a fused ENTER the callee has no probes, unless its ENTER follows.
 */
static inline void on_tail(struct walk *w, const struct cinstr_record *r, uint64_t ticks,
			   const struct os_part *os)
{
	struct cinstr_cell *cell = w->current;
	uint32_t announced, where;
	uint64_t orphans = w->state->orphans;

	if (unlikely(!is_frame(cell) || site_word(w->fold, r->code) != cell->func)) {
		uint32_t depth = find_frame(w, site_word(w->fold, r->code), 0);

		if (depth)
			fold_pop_to(w, depth);
		else
			w->state->orphans++;
	}
	charge(w, w->current, ticks, os);
	announced = 0;
	if (w->state->orphans == orphans) {
		announced = top(w)->where & WHERE_ANNOUNCED;
		w->state->exits++;
		pop(w);
	}
	where = r->extra | announced;
	if (r->second) {
		w->target = 0;
		enter_frame(w, child(w, CINSTR_CELL_FRAME, r->code, r->second), where);
	} else if (announced) { /* its caller's after-call will end it */
		uint64_t target = w->target;

		w->target = 0;
		cell = child(w, target ? CINSTR_CELL_INDIRECT : CINSTR_CELL_CALL, r->code, (uint32_t)target);
		if (cell && target)
			cell->last_exit = (uint32_t)(target >> 32);
		if (cell)
			push(w, cell, r->extra);
	}
	w->target = 0;
}

/* LANDING: control is in function F again without a return (a landing pad, a second return of setjmp). */
static void on_landing(struct walk *w, const struct cinstr_record *r, uint64_t ticks,
		       const struct os_part *os)
{
	uint32_t func = site_word(w->fold, r->code);
	uint32_t depth = find_frame(w, func, r->extra);

	if (!depth) {
		w->state->orphans++;
		charge(w, w->current, ticks, os);
		return;
	}
	if (depth + 1 == w->depth && is_call(w->current)) {
		charge(w, w->current, ticks, os); /* the first return of setjmp, or a longjmp by F itself */
		pop(w);
		return;
	}
	fold_pop_to(w, depth);
	charge(w, w->current, ticks, os);
}

/* Returns the number of events in the record (2: a fused pair; 0: not an event). */
static inline unsigned on_event(struct walk *w, const struct cinstr_record *r, uint64_t ticks,
				const struct os_part *os)
{
	switch (CINSTR_CODE_KIND(r->code)) {
	case CINSTR_EV_BEFORE:
		on_before(w, r, ticks, os);
		return 1 + (r->second != 0);
	case CINSTR_EV_EXIT:
		on_exit(w, r, ticks, os);
		return 1 + (r->second == CINSTR_SECOND_FUSED_EXIT);
	case CINSTR_EV_AFTER:
		on_after(w, r, ticks, os);
		return 1;
	case CINSTR_EV_ENTER:
		on_enter(w, r, ticks, os);
		return 1;
	case CINSTR_EV_TAIL:
		on_tail(w, r, ticks, os);
		return 1 + (r->second != 0);
	case CINSTR_EV_LANDING:
		on_landing(w, r, ticks, os);
		return 1;
	default:
		charge(w, w->current, ticks, os);
		return 0;
	}
}

/* SLOW [OS SWITCHES] [TARGET] event: an event with its full stamp. Returns the number of records used. */
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
	if (n < left && r[n].code == CINSTR_SPECIAL(CINSTR_SP_TARGET, 0)) {
		w->target = CINSTR_SPECIAL_VALUE(&r[n]);
		n++;
	}
	if (n >= left || CINSTR_CODE_KIND(r[n].code) == CINSTR_EV_SPECIAL ||
	    r[n].time_lo != (uint32_t)stamp) {
		/* cut off: the interval stays with the current cell */
		charge(w, w->current, stamp > w->time ? stamp - w->time : 0, os.bits ? &os : NULL);
		return n;
	}
	w->state->events += on_event(w, &r[n], stamp > w->time ? stamp - w->time : 0, os.bits ? &os : NULL);
	return n + 1;
}

/* Is this special record older than what has been folded: left behind by an earlier use of the buffer? */
static int is_stale(const struct walk *w, const struct cinstr_record *r)
{
	switch (CINSTR_SPECIAL_TYPE(r->code)) {
	case CINSTR_SP_START:
	case CINSTR_SP_SLOW:
	case CINSTR_SP_RESUME:
		return CINSTR_SPECIAL_VALUE(r) < w->time;
	default:
		return r->time_lo < (uint32_t)w->time;
	}
}

/* A special record. Returns the number of records used; 0: the end of what is valid. */
static __attribute__((noinline)) size_t on_special(struct walk *w, const struct cinstr_record *r, size_t left)
{
	uint64_t value = CINSTR_SPECIAL_VALUE(r);

	if (!r->code || (w->fold->stop_backward && is_stale(w, r)))
		return 0;
	switch (CINSTR_SPECIAL_TYPE(r->code)) {
	case CINSTR_SP_SLOW:
		return on_slow(w, r, left);
	case CINSTR_SP_START:
	case CINSTR_SP_RESUME:
		if (value > w->time) {
			w->state->runtime_ticks += value - w->time;
			w->time = value;
		}
		return 1;
	case CINSTR_SP_TARGET:
		w->target = value;
		return 1;
	case CINSTR_SP_LOST:
		w->state->lost_events += value;
		return 1;
	default:
		return 1;
	}
}

/* The event at r, which is not of the hot kinds. Returns the number of records used; 0: the end of what is valid. */
size_t fold_record(struct walk *w, const struct cinstr_record *r, size_t left)
{
	uint32_t ticks = r->time_lo - (uint32_t)w->time;

	if (CINSTR_CODE_KIND(r->code) == CINSTR_EV_SPECIAL)
		return on_special(w, r, left);
	if (r->time_lo < (uint32_t)w->time) {
		if (w->fold->stop_backward)
			return 0;
		ticks = 0; /* no restartable sequences: a signal may have overwritten a stamp */
	}
	w->state->events += on_event(w, r, ticks, NULL);
	return 1;
}
