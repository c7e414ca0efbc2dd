/* SPDX-License-Identifier: MIT */
/*
 * fold.c - events to call-path tree (fold.h). HOT: about one and a half nanoseconds a record.
 *
 * Runs in the thread that owns the tree (runtime, signals blocked) or in the report (one thread a tree).
 * Touches only the thread's own cells, stack and journal; no libc, no locks, no errno.
 *
 * Each open activation has an entry on the stack: FRAME (instrumented function) or CALL/INDIRECT (function without
 * probes, between its before-call and its after-call). The interval that an event ends is charged to the cell
 * that is current when the event arrives, except where a rule of semantics 1.2 (R4) says otherwise; each
 * exception is marked with its rule below.
 *
 * Finding the child of a cell: each cell predicts what is called first from it (`down`) and what its caller calls
 * after it (`across`); the index (a hash table) is asked only when the prediction fails.
 */
#include "fold.h"

#include "arch.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* A call instruction is at most this long: its return address lies within it behind the before sled. */
#define CALL_BYTES_MAX 16u

/* `where` of a FRAME: bit 0 tells that a before-call announced it, so that its caller has probes. */
#define WHERE_ANNOUNCED 1u

/* The operating-system part of the interval that the next event ends. */
struct os_part {
	uint32_t bits;
	uint64_t off_cpu_ticks;
	uint64_t switches;
};

/* The working set of one fold_run, in registers as far as they go. */
struct walk {
	struct fold *fold;
	char *file;
	struct cinstr_open *stack;
	struct cinstr_cell *current;
	uint32_t *slot; /* prediction to ask next */
	uint64_t time;
	uint32_t depth;
	uint32_t epoch;
	uint32_t kept_low, kept_high; /* stack pairs [low, high) need no keeping */
	uint64_t target;	      /* of the next indirect call; 0 not known */
	uint32_t no_slot;
	uint32_t root;
	uint32_t stack_limit; /* entries that the stack has room for */
	struct cinstr_fold_state *state;
};

static inline struct cinstr_cell *cell_at(char *file, uint32_t index)
{
	return (struct cinstr_cell *)(file + (uint64_t)index * sizeof(struct cinstr_cell));
}

static inline uint32_t index_of(char *file, const void *cell)
{
	return (uint32_t)(((const char *)cell - file) / (long)sizeof(struct cinstr_cell));
}

static inline uint32_t kind_of(const struct cinstr_cell *cell)
{
	return CINSTR_CELL_KIND(cell->tag);
}

static uint32_t site_word(const struct fold *fold, uint32_t code)
{
	uint32_t word = code >> 3;

	return word < fold->sites->n_words ? fold->sites->words[word] : 0;
}

/* ---- undo journal ------------------------------------------------------------------------------- */

static void keep_block(struct fold *fold, const void *block)
{
	struct cinstr_thread *thread = fold->thread;
	struct cinstr_undo *undo = (struct cinstr_undo *)(fold->file + thread->journal_offset);
	uint64_t used = thread->journal_used;
	const uint64_t *from = block;
	uint64_t *to;

	if (unlikely((used + 1) * sizeof(*undo) > thread->journal_bytes))
		return; /* a crash in this very fold would count some intervals twice */
	undo += used;
	to = (uint64_t *)(void *)undo->old;
	undo->offset = (uint64_t)((const char *)block - fold->file);
	for (int i = 0; i < 4; i++)
		to[i] = from[i];
	/* The entry is whole before it counts: same thread, program order; a kill cannot reorder stores. */
	__atomic_store_n(&thread->journal_used, used + 1, __ATOMIC_RELEASE);
}

static __attribute__((noinline)) void touch_first(const struct walk *w, struct cinstr_cell *cell)
{
	keep_block(w->fold, &cell->calls);
	cell->tag = CINSTR_CELL_KIND(cell->tag) | w->epoch << 4;
}

static inline void touch(const struct walk *w, struct cinstr_cell *cell)
{
	if (unlikely(CINSTR_CELL_EPOCH(cell->tag) != w->epoch))
		touch_first(w, cell);
}

static void keep_stack_pair(struct walk *w, uint32_t pair)
{
	keep_block(w->fold, &w->stack[pair * 2]);
	if (pair + 1 == w->kept_low)
		w->kept_low = pair;
	else if (pair == w->kept_high)
		w->kept_high = pair + 1;
	else
		w->kept_low = pair, w->kept_high = pair + 1;
}

size_t fold_undo(char *file, size_t file_bytes, struct cinstr_thread *thread)
{
	const struct cinstr_undo *undo = (const void *)(file + thread->journal_offset);
	size_t n = thread->journal_commit == thread->commit ? thread->journal_used : 0;

	for (size_t i = n; i-- > 0;) {
		uint64_t offset = undo[i].offset;

		if (offset % 16 == 0 && offset + sizeof(undo[i].old) <= file_bytes)
			arch_copy(file + offset, undo[i].old, sizeof(undo[i].old));
	}
	thread->journal_used = 0;
	return n;
}

/* ---- the index of cells --------------------------------------------------------------------------- */

static inline uint32_t hash_of(uint32_t parent, uint32_t site, uint32_t func)
{
	uint64_t h = ((uint64_t)site << 32 | func) * 0x9e3779b97f4a7c15ull;

	h = (h ^ h >> 29 ^ parent) * 0xbf58476d1ce4e5b9ull;
	return (uint32_t)(h >> 32);
}

void fold_index_add(struct fold *fold, uint32_t cell)
{
	const struct cinstr_cell *c = cell_at(fold->file, cell);
	uint32_t mask = fold->index.n_slots - 1;
	uint32_t i = hash_of(c->parent, c->site, c->func) & mask;

	while (fold->index.slots[i])
		i = (i + 1) & mask;
	fold->index.slots[i] = cell;
	fold->index.n_used++;
}

static struct cinstr_cell *index_find(const struct fold *fold, uint32_t parent, uint32_t site,
				      uint32_t func)
{
	uint32_t mask = fold->index.n_slots - 1;

	for (uint32_t i = hash_of(parent, site, func) & mask; fold->index.slots[i]; i = (i + 1) & mask) {
		struct cinstr_cell *c = cell_at(fold->file, fold->index.slots[i]);

		if (c->parent == parent && c->site == site && c->func == func)
			return c;
	}
	return NULL;
}

static struct cinstr_cell *cell_new(struct fold *fold)
{
	struct cinstr_cell *cell;

	if (fold->cell_next == fold->cell_end && (!fold->more_cells || fold->more_cells(fold)))
		return NULL;
	cell = cell_at(fold->file, fold->cell_next++);
	*cell = (struct cinstr_cell){ 0 };
	fold->n_cells++;
	return cell;
}

static struct cinstr_cell *cell_make(struct walk *w, uint32_t parent, uint32_t kind, uint32_t site,
				     uint32_t func)
{
	struct fold *fold = w->fold;
	struct cinstr_cell *cell;

	if (fold->index.n_used * 2 >= fold->index.n_slots && fold->more_index(fold))
		return NULL;
	cell = cell_new(fold);
	if (!cell)
		return NULL;
	cell->parent = parent;
	cell->site = site;
	cell->func = func;
	cell->min_ticks = UINT64_MAX;
	/* Kept with zeros: an undone fold leaves a cell that nothing has happened in. */
	keep_block(fold, &cell->calls);
	cell->tag = kind | w->epoch << 4;
	fold_index_add(fold, index_of(fold->file, cell));
	return cell;
}

/*
 * The budget of paths is used up: one cell per function (or call site), under MERGED, which hangs under the root.
 */
static struct cinstr_cell *cell_merged(struct walk *w, uint32_t kind, uint32_t site, uint32_t func)
{
	struct fold *fold = w->fold;
	uint32_t root = w->root;
	struct cinstr_cell *merged = index_find(fold, root, 0, 0);
	struct cinstr_cell *cell;

	w->state->merged_calls++;
	if (!merged)
		merged = cell_make(w, root, CINSTR_CELL_MERGED, 0, 0);
	if (!merged)
		return NULL;
	if (kind == CINSTR_CELL_FRAME)
		site = 0;
	cell = index_find(fold, index_of(fold->file, merged), site, func);
	return cell ? cell : cell_make(w, index_of(fold->file, merged), kind, site, func);
}

static __attribute__((noinline)) struct cinstr_cell *child_slow(struct walk *w, uint32_t kind,
								uint32_t site, uint32_t func)
{
	struct fold *fold = w->fold;
	uint32_t parent = index_of(fold->file, w->current);
	struct cinstr_cell *cell = index_find(fold, parent, site, func);

	if (!cell && fold->n_cells < fold->max_cells)
		cell = cell_make(w, parent, kind, site, func);
	if (!cell)
		cell = cell_merged(w, kind, site, func);
	if (!cell) /* no room for anything: the caller takes it */
		return NULL;
	*w->slot = index_of(fold->file, cell);
	return cell;
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
		bucket = (struct cinstr_bucket *)(void *)cell_new(w->fold);
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
static inline void charge(struct walk *w, struct cinstr_cell *cell, uint64_t ticks,
			  const struct os_part *os)
{
	touch(w, cell);
	cell->ticks += ticks;
	w->time += ticks;
	if (unlikely(os != NULL))
		charge_os(w, cell, ticks, os);
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

static inline void push(struct walk *w, struct cinstr_cell *cell, uint32_t where)
{
	struct cinstr_open *open;

	if (unlikely(w->depth >= w->stack_limit) && stack_grow(w))
		return; /* its exit will be an orphan */
	if (unlikely(w->depth / 2 - w->kept_low >= w->kept_high - w->kept_low))
		keep_stack_pair(w, w->depth / 2);
	open = &w->stack[w->depth++];
	open->start_ticks = w->time;
	open->cell = index_of(w->file, cell);
	open->where = where;
	touch(w, cell);
	cell->calls++;
	w->current = cell;
	w->slot = &cell->down;
}

/* Ends the topmost activation. */
static inline void pop(struct walk *w)
{
	const struct cinstr_open *open = &w->stack[--w->depth];
	struct cinstr_cell *cell = w->current;
	uint64_t ticks = w->time - open->start_ticks;

	touch(w, cell);
	if (ticks < cell->min_ticks)
		cell->min_ticks = ticks;
	if (ticks > cell->max_ticks)
		cell->max_ticks = ticks;
	w->slot = &cell->across;
	w->current = cell_at(w->file, w->depth ? open[-1].cell : w->root);
}

/* Ends every activation above entry `keep` (R15): frames among them get an implicit exit. */
static void pop_to(struct walk *w, uint32_t keep)
{
	while (w->depth > keep) {
		w->state->implicit_exits += kind_of(w->current) == CINSTR_CELL_FRAME;
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

		if (kind_of(cell) != CINSTR_CELL_FRAME || cell->func != func)
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
		enter_frame(w, child(w, CINSTR_CELL_FRAME, r->code, r->second),
			    r->extra | WHERE_ANNOUNCED);
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

	if (likely(kind_of(cell) < CINSTR_CELL_CALL || kind_of(cell) > CINSTR_CELL_INDIRECT ||
		   r->extra - top(w)->where > CALL_BYTES_MAX)) {
		charge(w, cell, ticks, os); /* R4: a callback's enter ends time of the callee that calls back */
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
	pop_to(w, depth);
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

	if (unlikely(cell->last_exit != r->code)) {
		if (kind_of(cell) != CINSTR_CELL_FRAME || site_word(w->fold, r->code) != cell->func) {
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
		uint32_t kind = kind_of(call);
		int is_call = kind == CINSTR_CELL_CALL || kind == CINSTR_CELL_INDIRECT;

		/* R4: time of a callee without probes, also of one that was tail-called */
		if (is_call && (call->site == before || CINSTR_CODE_KIND(call->site) == CINSTR_EV_TAIL)) {
			pop_to(w, depth + 1);
			charge(w, w->current, ticks, os);
			pop(w);
			return;
		}
	}
	pop_to(w, depth);
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
	if ((kind == CINSTR_CELL_CALL || kind == CINSTR_CELL_INDIRECT) && cell->site == before) {
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

	if (unlikely(kind_of(cell) != CINSTR_CELL_FRAME || site_word(w->fold, r->code) != cell->func)) {
		uint32_t depth = find_frame(w, site_word(w->fold, r->code), 0);

		if (depth)
			pop_to(w, depth);
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
	uint32_t kind = kind_of(w->current);

	if (!depth) {
		w->state->orphans++;
		charge(w, w->current, ticks, os);
		return;
	}
	if (depth + 1 == w->depth && (kind == CINSTR_CELL_CALL || kind == CINSTR_CELL_INDIRECT)) {
		charge(w, w->current, ticks, os); /* the first return of setjmp, or a longjmp by F itself */
		pop(w);
		return;
	}
	pop_to(w, depth);
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

	if (os.bits && left >= 3) {
		os.off_cpu_ticks = CINSTR_SPECIAL_VALUE(&r[1]);
		os.switches = CINSTR_SPECIAL_VALUE(&r[2]);
		w->state->voluntary += (uint32_t)os.switches;
		w->state->involuntary += os.switches >> 32;
		w->state->os_intervals++;
		n = 3;
	}
	if (n < left && r[n].code == CINSTR_SPECIAL(CINSTR_SP_TARGET, 0))
		w->target = CINSTR_SPECIAL_VALUE(&r[n]), n++;
	if (n >= left || CINSTR_CODE_KIND(r[n].code) == CINSTR_EV_SPECIAL) {
		/* cut off, or a check without an event: the interval stays with the current cell */
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

static void walk_begin(struct walk *w, struct fold *fold)
{
	struct cinstr_thread *thread = fold->thread;
	const struct cinstr_fold_state *from = &thread->states[thread->commit & 1];
	struct cinstr_fold_state *state = &thread->states[~thread->commit & 1];
	struct cinstr_cell *slot;

	thread->journal_used = 0;
	__atomic_store_n(&thread->journal_commit, thread->commit, __ATOMIC_RELEASE);
	*state = *from;
	slot = cell_at(fold->file, state->slot);
	*w = (struct walk){
		.fold = fold,
		.file = fold->file,
		.stack = (struct cinstr_open *)(fold->file + thread->stack_offset),
		.current = cell_at(fold->file, state->current),
		.slot = state->slot_across ? &slot->across : &slot->down,
		.time = state->time,
		.depth = state->depth,
		.epoch = (uint32_t)(thread->commit + 1) & 0xfffffffu,
		.kept_low = (state->depth + 1) / 2,
		.kept_high = UINT32_MAX,
		.root = thread->root,
		.stack_limit = (uint32_t)(thread->stack_bytes / sizeof(struct cinstr_open)),
		.state = state,
	};
}

static void walk_end(struct walk *w)
{
	struct cinstr_fold_state *state = w->state;
	const char *slot = (const char *)w->slot;

	state->time = w->time;
	state->depth = w->depth;
	state->current = index_of(w->file, w->current);
	if (w->slot == &w->no_slot) {
		state->slot = state->current;
		state->slot_across = 0;
		return;
	}
	state->slot = (uint32_t)((slot - w->file) / (long)sizeof(struct cinstr_cell));
	state->slot_across = w->slot == &cell_at(w->file, state->slot)->across;
}

/* The event at r, which is not of the hot kinds. Returns the number of records used; 0: the end of what is valid. */
static __attribute__((noinline)) size_t on_record(struct walk *w, const struct cinstr_record *r, size_t left)
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

/* A prediction failed: the child by the index, predicted from now on. NULL: there is none yet. */
static __attribute__((noinline)) struct cinstr_cell *find_child(const struct fold *fold, uint32_t *slot,
								uint32_t parent, uint32_t site, uint32_t func)
{
	struct cinstr_cell *cell = index_find(fold, parent, site, func);

	if (cell)
		*slot = index_of(fold->file, cell);
	return cell;
}

/* Is this EXIT or AFTER one that ends the cell's activation, though not by the usual way out? */
static __attribute__((noinline)) int ends_cell(const struct fold *fold, struct cinstr_cell *cell, uint32_t code)
{
	uint32_t kind = kind_of(cell);
	uint32_t owner = kind == CINSTR_CELL_FRAME ? cell->func : cell->site;

	if (kind != (CINSTR_CODE_KIND(code) == CINSTR_EV_EXIT ? CINSTR_CELL_FRAME : CINSTR_CELL_CALL) ||
	    site_word(fold, code) != owner)
		return 0;
	cell->last_exit = code;
	return 1;
}

/*
 * The hot steps with all they need in registers: down into a known child (BEFORE, fused or alone, and ENTER where no
 * call is announced), and up out of the current cell (EXIT or AFTER). They are on_before, on_enter, push and on_exit,
 * on_after, pop with the rare cases left out; the first record that is one of those ends the run.
 * Returns the number of records done.
 */
static size_t run_hot(struct walk *w, const struct cinstr_record *records, size_t n)
{
	const struct fold *const fold = w->fold;
	char *const file = w->file;
	struct cinstr_open *const stack = w->stack;
	const uint32_t low = w->kept_low * 2;
	const uint32_t high = w->kept_high < w->stack_limit / 2 ? w->kept_high * 2 : w->stack_limit;
	struct cinstr_cell *cell = w->current;
	uint32_t *slot = w->slot, depth = w->depth;
	uint64_t time = w->time, enters = 0, exits = 0, events = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct cinstr_record *r = &records[i];
		uint32_t code = r->code, second = r->second, kind = CINSTR_CODE_KIND(code);
		uint32_t ticks = r->time_lo - (uint32_t)time;

		if (unlikely(r->time_lo < (uint32_t)time))
			break;
		touch(w, cell);
		if (kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_ENTER) {
			uint32_t site = kind == CINSTR_EV_BEFORE ? code : 0;
			uint32_t func = kind == CINSTR_EV_BEFORE ? second : code;
			uint32_t is_frame = func != 0;
			struct cinstr_cell *to = cell_at(file, *slot);

			if (unlikely(depth - low >= high - low))
				break;
			if (unlikely(kind == CINSTR_EV_ENTER && kind_of(cell) > CINSTR_CELL_FRAME))
				break;
			if (unlikely(to->site != site || to->func != func || to->parent != index_of(file, cell))) {
				to = find_child(fold, slot, index_of(file, cell), site, func);
				if (!to)
					break;
			}
			touch(w, to);
			cell->ticks += ticks;
			time += ticks;
			stack[depth].start_ticks = time;
			stack[depth].cell = index_of(file, to);
			stack[depth].where = kind == CINSTR_EV_ENTER ? second & ~1u : r->extra | is_frame;
			depth++;
			cell = to;
			cell->calls++;
			slot = &cell->down;
			enters += is_frame;
			events += 1 + (is_frame & (kind == CINSTR_EV_BEFORE));
		} else if (kind == CINSTR_EV_EXIT || kind == CINSTR_EV_AFTER) {
			const struct cinstr_open *open = &stack[depth - 1];
			uint64_t whole;

			if (unlikely(cell->last_exit != code || kind_of(cell) > CINSTR_CELL_CALL) &&
			    !ends_cell(fold, cell, code))
				break;
			cell->ticks += ticks;
			time += ticks;
			whole = time - open->start_ticks;
			if (whole < cell->min_ticks)
				cell->min_ticks = whole;
			if (whole > cell->max_ticks)
				cell->max_ticks = whole;
			slot = &cell->across;
			depth--;
			exits += kind == CINSTR_EV_EXIT;
			events += 1 + (second == CINSTR_SECOND_FUSED_EXIT);
			cell = cell_at(file, depth ? open[-1].cell : w->root);
		} else {
			break;
		}
	}
	w->current = cell;
	w->slot = slot;
	w->depth = depth;
	w->time = time;
	w->state->enters += enters;
	w->state->exits += exits;
	w->state->events += events;
	return i;
}

size_t fold_run(struct fold *fold, const struct cinstr_record *records, size_t n)
{
	struct walk w;
	size_t i = 0, used;

	walk_begin(&w, fold);
	while (i < n) {
		if (!w.target) /* an indirect call is on its way: not for the hot steps */
			i += run_hot(&w, &records[i], n - i);
		if (i == n)
			break;
		used = on_record(&w, &records[i], n - i);
		if (!used)
			break;
		i += used;
	}
	w.state->records += i;
	walk_end(&w);
	return i;
}

void fold_commit(struct fold *fold)
{
	struct cinstr_thread *thread = fold->thread;

	/* The one store that makes the fold count and the journal void. */
	__atomic_store_n(&thread->commit, thread->commit + 1, __ATOMIC_RELEASE);
}

int fold_begin(struct fold *fold, uint64_t first_ticks)
{
	struct cinstr_cell *root = cell_new(fold);
	struct cinstr_thread *thread = fold->thread;
	struct cinstr_fold_state *state = &thread->states[thread->commit & 1];

	if (!root)
		return -1;
	root->tag = CINSTR_CELL_ROOT;
	root->min_ticks = UINT64_MAX;
	thread->root = index_of(fold->file, root);
	thread->first_ticks = first_ticks;
	*state = (struct cinstr_fold_state){ .time = first_ticks, .current = thread->root,
					     .slot = thread->root };
	return 0;
}

uint32_t fold_inherit(struct fold *fold, uint32_t parent, const struct cinstr_cell *from)
{
	struct cinstr_cell *cell;

	if (fold->index.n_used * 2 >= fold->index.n_slots && fold->more_index(fold))
		return 0;
	cell = cell_new(fold);
	if (!cell)
		return 0;
	cell->parent = parent;
	cell->site = from->site;
	cell->func = from->func;
	cell->tag = CINSTR_CELL_KIND(from->tag);
	cell->min_ticks = UINT64_MAX;
	if (kind_of(cell) == CINSTR_CELL_INDIRECT)
		cell->last_exit = from->last_exit;
	fold_index_add(fold, index_of(fold->file, cell));
	return index_of(fold->file, cell);
}
