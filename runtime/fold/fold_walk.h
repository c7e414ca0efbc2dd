/* SPDX-License-Identifier: MIT */
/*
 * fold_walk.h - the inside of the fold: cells, the stack, and the thread's place in them, for all
 * files of the fold.
 */
#ifndef CINSTR_FOLD_WALK_H
#define CINSTR_FOLD_WALK_H

#include "arch.h"
#include "cinstr/amounts.h"
#include "cinstr/atomics.h"
#include "fold.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* OS events of the interval that the next event ends. */
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
	uint32_t *slot; /* the prediction to use next: see expect_first() */
	/* cell whose end began the current interval; NULL: something else did */
	struct cinstr_cell *ended;
	uint64_t time;
	uint64_t begin; /* stamp of the buffer's START */
	uint32_t depth;
	uint32_t epoch, epoch_tag; /* epoch_tag: the epoch shifted as in a tag */
	/* entries [low, high) of the stack are in the journal already, or new: they may be changed
	 * without keeping them */
	uint32_t kept_low, kept_high;
	uint32_t lowest; /* entries below it have not changed since the fold began */
	uint64_t target; /* target of the next indirect call; 0: not known */
	uint64_t moved;	 /* value of the AMOUNT record before the next event; 0: none */
	uint32_t no_slot;
	uint32_t resumed_sp; /* stack pointer at which recording resumed, low half; 0: not known */
	uint32_t root;
	/* the MERGED cell whose calls are running: stack entries from merged_base on are FLAT;
	 * NULL: none */
	struct cinstr_cell *merged;
	uint32_t merged_base;
	uint32_t stack_limit;	      /* entries that the stack has room for */
	uint32_t own_high, own_bytes; /* fold_own_stack() */
	uint32_t own;		      /* own events of the current activation, times OWN_EVENT */
	uint32_t event_cost;
	uint32_t few_events; /* limit of events for fold_extreme_usual(); 0: no event_cost */
	/* stamp at which the next phase begins; UINT64_MAX: none known */
	uint64_t next_phase;
	uint64_t long_ticks; /* least ticks of intervals to keep; UINT64_MAX: none are kept */
	struct cinstr_fold_state *state;
};

static inline struct cinstr_cell *cell_at(char *file, uint32_t index)
{
	return (struct cinstr_cell *)(file + (uint64_t)index * sizeof(struct cinstr_cell));
}

static inline uint32_t index_of(char *file, const void *cell)
{
	return (uint32_t)((uint64_t)((const char *)cell - file) / sizeof(struct cinstr_cell));
}

static inline struct cinstr_detail *detail_at(char *file, uint32_t index)
{
	return (struct cinstr_detail *)(void *)cell_at(file, index);
}

static inline uint32_t kind_of(const struct cinstr_cell *cell)
{
	return CINSTR_CELL_KIND(cell->tag);
}

/* Returns the FRAME of a LINE; any other cell itself. */
static inline struct cinstr_cell *frame_of(char *file, struct cinstr_cell *cell)
{
	return kind_of(cell) == CINSTR_CELL_LINE ? cell_at(file, cell->parent) : cell;
}

/* Not for lines: ask for their frame_of(). */
static inline int is_frame(const struct cinstr_cell *cell)
{
	return kind_of(cell) == CINSTR_CELL_FRAME || kind_of(cell) == CINSTR_CELL_FLAT_FRAME;
}

static inline int is_call(const struct cinstr_cell *cell)
{
	uint32_t kind = kind_of(cell);

	return kind == CINSTR_CELL_CALL || kind == CINSTR_CELL_INDIRECT || kind == CINSTR_CELL_FLAT_CALL;
}

static inline int is_flat(const struct cinstr_cell *cell)
{
	return kind_of(cell) == CINSTR_CELL_FLAT_FRAME || kind_of(cell) == CINSTR_CELL_FLAT_CALL;
}

/* Returns 1 if the cell was called by a tail call. Such activations never end in hot_up(), as their
 * callers end with them. */
static inline int is_tailed(const struct cinstr_cell *cell)
{
	return CINSTR_CODE_KIND(cell->site) == CINSTR_EV_TAIL;
}

/* Returns 1 for a node in which activations begin and end, one at a time. */
static inline int has_activations(const struct cinstr_cell *cell)
{
	return kind_of(cell) >= CINSTR_CELL_FRAME && kind_of(cell) <= CINSTR_CELL_INDIRECT;
}

/* Makes an INDIRECT or FLAT_CALL cell one for calls of `target`, whose low half is in `func`
 * already (CINSTR_CELL_TARGET). */
static inline void cell_set_target(struct cinstr_cell *cell, uint64_t target)
{
	cell->last_exit = (uint32_t)(target >> 32);
}

static inline uint32_t site_word(const struct fold *fold, uint32_t code)
{
	uint32_t word = code >> 3;

	/* Another thread may be loading a module; the codes of this thread's own events are known
	 * before their sleds are on. */
	return word < atomic_load_relaxed(&fold->sites->n_words) ? fold->sites->words[word] : 0;
}

/* Returns 1 if this is the ENTER sled of a function that was ever counted, else 0. */
static inline int fold_is_counted(const struct fold *fold, uint32_t func)
{
	const uint8_t *counted = atomic_load_acquire(&fold->sites->counted);
	uint32_t word = func >> 3;

	return counted && word < atomic_load_relaxed(&fold->sites->n_words) &&
	       counted[word >> 3] >> (word & 7) & 1;
}

/* Returns the number of entries that the stack has room for: the journal keeps blocks that are
 * longer than an entry. */
static inline uint32_t stack_limit_of(const struct cinstr_thread *thread)
{
	const uint64_t block = sizeof(((struct cinstr_undo *)0)->old), entry = sizeof(struct cinstr_open);

	return thread->stack_bytes < block ? 0 : (uint32_t)((thread->stack_bytes - block) / entry + 1);
}

/* Returns 1 if the frame at stack pointer `where` is outside (older than) code that runs with stack
 * pointer `sp`. */
static inline int is_outside(uint32_t where, uint32_t sp)
{
	return (int32_t)(fold_frame_sp(where) - sp) > 0;
}

/* frames that are farther from one another than this are on different stacks */
#define FRAME_BYTES_MAX (1u << 20)

/* Returns 1 if the frame is also near `sp`, so probably on the same stack. */
static inline int is_around(uint32_t where, uint32_t sp)
{
	return fold_frame_sp(where) - sp - 1 < FRAME_BYTES_MAX;
}

/*
 * For an event of a frame's own code (AFTER, LANDING, LINE) at stack pointer `sp`: returns the
 * value to pass to is_outside() and fold_place(), so that a frame that was entered at `sp` itself
 * counts as open.
 */
static inline uint32_t own_sp(uint32_t sp)
{
	return sp - 1;
}

/*
 * Returns 1 if the AFTER comes from the frame that made the topmost call. If not, that frame was
 * left by a longjmp in a callee without probes, and the AFTER is from an outer frame at the same
 * call site.
 */
static inline int is_from_top(const struct cinstr_open *stack, uint32_t depth, uint32_t sp)
{
	return depth < 2 || is_outside(stack[depth - 2].where, sp);
}

/* Values of an ended activation, by CINSTR_INCLUSIVE, CINSTR_EXCLUSIVE. */
struct ended {
	uint64_t ticks[2];
	uint32_t events[2];
};

/* Own events are kept shifted as in an activation's flags, so modulo 2^28. */
#define OWN_EVENT (1u << CINSTR_OPEN_OWN)

static inline uint32_t callers_own(const struct cinstr_open *open)
{
	return open->flags / OWN_EVENT * OWN_EVENT;
}

/* Returns the ticks that belong to no activation: the runtime's own, and while recording was
 * off. */
static inline uint64_t ticks_outside(const struct walk *w)
{
	return w->state->runtime_ticks + w->state->paused_ticks;
}

/* Returns 1 if a frame may be running whose entry was not recorded, else 0. */
static inline int may_miss(const struct walk *w)
{
	return w->state->pauses || w->fold->switched;
}

/* fold_tree.c */
struct cinstr_cell *fold_cell_new(struct fold *fold);
struct cinstr_cell *fold_cell_make(struct walk *w, uint32_t parent, uint32_t kind, uint32_t site,
				   uint32_t func);
struct cinstr_cell *fold_index_find(const struct fold *fold, uint32_t parent, uint32_t site, uint32_t func);
void fold_keep_block(struct fold *fold, const void *block);
void fold_touch_first(const struct walk *w, struct cinstr_cell *cell);

/* fold_amount.c */
/* Adds w->moved to the call on top of the stack, which ends after an interval of `ticks`; or gives
 * the block that the call has allocated its path. */
void fold_add_moved(struct walk *w, uint64_t ticks);
/* Returns the cell of the innermost function with probes, or of its line; of the root, if there is
 * none. */
struct cinstr_cell *fold_frame(const struct walk *w);
/* Adds the value of an AMOUNT record of the kind COUNTED to that cell. */
void fold_add_counted(struct walk *w, uint64_t value);
/* Notes the value of a TARGET record, or of an AMOUNT of another kind, for the next event. Returns
 * 0 if it is neither. */
int fold_note_ahead(struct walk *w, const struct cinstr_record *r);

/* fold_tag.c */
/* Ends the present period of a tag, and begins another one, as a TAG record says. */
void fold_tag(struct walk *w, uint32_t argument, uint64_t value);
/* Adds a wait in the current cell, an interval of `ticks`, to the present periods. */
void fold_tag_wait(struct walk *w, uint64_t ticks, uint64_t off_cpu_ticks);
/* Ends all periods: the thread is over. */
void fold_tags_end(struct walk *w);

/* fold_detail.c: in a fold, or (fold_inherit) before the first one. NULL: no room. */
struct cinstr_detail *fold_detail_new(struct fold *fold, struct cinstr_cell *cell, uint32_t epoch);
/* Returns 1 if the function that this site calls by name is a known wrapper of a system call. */
int fold_is_wrapper(const struct fold *fold, uint32_t site);

static inline int fold_is_wrapper_call(const struct fold *fold, const struct cinstr_cell *cell)
{
	return kind_of(cell) == CINSTR_CELL_CALL && fold_is_wrapper(fold, cell->site);
}

/* fold.c: load the working set from the thread's state, and store it back. */
void fold_walk_begin(struct walk *w, struct fold *fold);
void fold_walk_end(struct walk *w);

/*
 * fold_hot.c: folds the leading records as long as they are of the hot kinds, and usual. Returns
 * their number. Must not be called with a known target of a call (w->target), or while something is
 * unsettled.
 */
size_t fold_hot(struct walk *w, const struct cinstr_record *records, size_t n);

/* fold_events.c: folds one record of any kind. Returns the number of records used, or 0: the end of
 * the valid records. */
size_t fold_record(struct walk *w, const struct cinstr_record *r, size_t left);

/* fold_phase.c */
/* Returns the number of records for the hot steps: no phase begins before the end of the last
 * one. */
size_t fold_phase_ahead(const struct walk *w, const struct cinstr_record *r, size_t left);

/*
 * Returns the stamp at which phase i + 1 begins, or UINT64_MAX. The stamp is final, but a slower
 * thread may still try to set it (phase_list.h), so the load is atomic.
 */
static inline uint64_t phase_at(const struct fold *fold, uint32_t i)
{
	return unlikely(i < fold->n_phases) ? atomic_load_relaxed(&fold->phases[i]) : UINT64_MAX;
}

static inline uint64_t phase_due(const struct fold *fold, const struct cinstr_fold_state *state)
{
	return phase_at(fold, state->phase);
}

/* Predicts that the next call is the first one that the cell makes ... */
static inline void expect_first(struct walk *w, struct cinstr_cell *cell)
{
	w->slot = &cell->down;
	w->ended = NULL;
}

/* ... or, as the cell's activation has just ended, the next one that its caller makes ... */
static inline void expect_after(struct walk *w, struct cinstr_cell *cell)
{
	w->slot = &cell->across;
	w->ended = cell;
}

/* ... or makes no prediction. */
static inline void expect_nothing(struct walk *w)
{
	w->slot = &w->no_slot;
	w->no_slot = 0;
	w->ended = NULL;
}

/* Keeps the cell in the journal before its calls and times change for the first time in this
 * fold. */
static inline void touch(const struct walk *w, struct cinstr_cell *cell)
{
	if (unlikely((cell->tag ^ w->epoch_tag) & CINSTR_CELL_EPOCH_MASK << 4))
		fold_touch_first(w, cell);
}

#endif
