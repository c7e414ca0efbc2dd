/* SPDX-License-Identifier: MIT */
/*
 * fold.h - folds events into a call-path tree: the only implementation of the attribution rules
 * (semantics R1-R8, R14-R16). The runtime folds each full buffer; the report folds the buffers that
 * a process left, and refolds a complete timeline. The fold allocates nothing by itself, calls
 * nothing in libc, and uses general registers only.
 *
 * The rule for each record: all cases in fold_events.c, the hottest ones also in fold_hot.c. Steps
 * that both share are in fold_steps.h.
 *
 *   record                        all cases       hottest     doc/semantics.md
 *   BEFORE, with ENTER or alone   on_before()     hot_down()  R3, R4
 *   ENTER alone                   on_enter()      hot_down()  R3, R4: callbacks, split pairs
 *   EXIT, with AFTER or alone     on_exit()       hot_up()    R3, R4
 *   AFTER alone                   on_after()      hot_up()    R3, R4; R15: jumps
 *   TAIL, with ENTER or alone     on_tail()       hot_tail()  R15: tail calls (fold_tail.c)
 *   LANDING                       on_landing()                R4, R15
 *   LINE                          on_line()       hot_line()  R14
 *   SLOW, OS, SWITCHES, TARGET    on_slow()                   R2, R11 (fold_charge_os())
 *   AMOUNT                        fold_add_moved()            R18, R19 (fold_add_counted())
 *   TAG                           fold_tag()                  R20
 *   PAUSE, CONTINUE, STACK        on_special()                R16; whose time follows: settle()
 *   UNSEEN                        on_special()                R15: fold_mark_unseen()
 *   START, RESUME, LOST           on_special()                R1, R10
 *
 * An interval is charged by charge(); where a phase begins in it, by fold_charge_across()
 * (fold_phase.c). An activation begins and ends in push() and pop(), is counted by end_activation()
 * (R5, R8); without its exit it ends in fold_pop_to() (fold_stack.c, R15), or in fold_place() if
 * another frame's place proves that it is over. Calls without a kept path: fold_flat.c.
 */
#ifndef CINSTR_FOLD_H
#define CINSTR_FOLD_H

#include <stddef.h>

#include "cinstr/abi.h"
#include "cinstr/format.h"
#include "cinstr/tags.h"

/*
 * The fold's data of each sled: one entry for each aligned 8-byte word of text, at code >> 3.
 * ENTER, EXIT, BEFORE, TAIL, LANDING: the code of the ENTER sled of their function. AFTER: the code
 * of its BEFORE sled. Two sleds never share a word.
 */
struct fold_sites {
	const uint32_t *words; /* by code >> 3 */
	uint32_t n_words;
	/* one bit per word: BEFORE or TAIL of a known wrapper of a system call */
	const uint8_t *wrappers;
	/* one bit per word: ENTER sled of a function whose calls were at some time only counted;
	 * NULL: none. Events of such a function may come from activations without a frame. */
	const uint8_t *counted;
	/* fold_name() of the function of an ENTER sled, and of the callee of a TAIL, by code >> 3;
	 * 0: not known (a jump through a pointer). NULL: no sleds were switched. */
	const uint16_t *names;
};

/*
 * Returns a number for an assembler name, never 0: functions with different numbers are different.
 * Names that may refer to one place have the same number: the constructors of a class (C1, C2), its
 * destructors, a function and its parts (f.part.0).
 */
static inline uint16_t fold_name(const char *name)
{
	uint32_t sum = 0;
	char last = 0;

	for (; *name && *name != '.'; last = *name++) {
		int is_kind = (last == 'C' || last == 'D') && *name >= '0' && *name <= '3';

		sum = (sum ^ (uint8_t)(is_kind ? '1' : *name)) * 0x01000193u;
	}
	return (uint16_t)((sum >> 16 ^ sum) | 1);
}

/* (parent, site, func) -> cell index; open addressing, a power of two of slots, at most half
 * full. */
struct fold_index {
	uint32_t *slots; /* cell indexes; 0 = free */
	uint32_t n_slots;
	uint32_t n_used;
};

/*
 * A cache of searches for the topmost entry of a function or call site among the first `below`
 * entries of the stack, as of fold number `run`; at: number of the entry from 1; 0: none. lows: the
 * first `lowest` entries did not change in the runs after the previous element's `run` up to its
 * own; ascending. It only saves walks: results of folds never depend on it.
 */
#define FOLD_FOUND 128u
#define FOLD_LOWS 32u
struct fold_found {
	uint32_t code, at, below, run;
};
struct fold_low {
	uint32_t run, lowest;
};

/* A long interval, and the cell that its time belongs to. */
struct fold_long {
	uint64_t end_ticks, ticks;
	uint32_t cell;
};

/* An interval that ended in the slow path. */
struct fold_slow {
	uint64_t end_ticks, ticks, off_cpu_ticks;
	uint32_t bits;			/* enum cinstr_os_bit */
	const struct cinstr_cell *cell; /* the cell that it belongs to */
};

struct fold {
	char *file; /* the mapped file: cell i is at file + 64 * i */
	struct cinstr_thread *thread;
	const struct fold_sites *sites;
	struct fold_index index;
	uint32_t cell_next, cell_end; /* unused cells: [cell_next, cell_end) */
	/* budget of paths: further calls go to cells by function and call site */
	uint32_t max_cells;
	/* from this number of paths on, new ones are kept only where much time is spent
	 * (fold_flat.c); 0: all are kept */
	uint32_t hot_from;
	/* a phase does not begin if its open activations would need more cells than this */
	uint32_t max_cells_open;
	uint32_t n_cells;
	uint32_t n_amounts; /* AMOUNT cells, not among n_cells */
	/* cell indexes of the thread's tags (struct cinstr_tag_now); 0: no further one */
	uint32_t tags[CINSTR_TAG_NAMES];
	/* bytes [held_from, held_from + held_bytes) of the file: struct cinstr_held[] */
	uint64_t held_from, held_bytes;
	const uint64_t *phases; /* moments at which phases begin (struct cinstr_phases) */
	uint32_t n_phases;
	/* 1: ticks are executed instructions, which events have no part in: activations count as if
	 * without events, so that extremes are chosen by ticks alone */
	int has_no_events;
	/* 1: sleds were switched while the thread ran: events may lack their counterparts */
	int switched;
	/* 1: a stamp that runs backward ends the valid records (reader); 0: it counts as no time
	 * (runtime) */
	int stop_backward;
	/*
	 * Called when cells, index or stack are used up. They make room for at least one more entry
	 * (the index: twice the size, rehashed with fold_index_add) and return 0; or return -1:
	 * then the fold continues without that path (counted in merged_calls).
	 */
	int (*more_cells)(struct fold *);
	int (*more_index)(struct fold *);
	int (*more_stack)(struct fold *);
	int (*more_journal)(struct fold *); /* NULL: blocks without room are not kept */
	/*
	 * Called with intervals of at least `long_ticks` that end while functions may be counted,
	 * which samples will be joined with; NULL: not needed.
	 */
	void (*keep_long)(struct fold *, const struct fold_long *);
	uint64_t long_ticks;
	/* Called with each interval that an event ended in the slow path (waits.c); NULL: not
	 * needed. */
	void (*on_slow_event)(struct fold *, const struct fold_slow *);
	int keeps_all; /* 1: keep_long is called also while no function has been counted yet */
	uint32_t run;  /* number of this fold_run, modulo 2^32 */
	uint32_t n_lows;
	struct fold_low lows[FOLD_LOWS];
	struct fold_found found[FOLD_FOUND];
};

/*
 * The default budget of paths (CINSTR_PATHS=auto): hot_from of a thread's fold, by the thread's
 * index (struct cinstr_thread). Calls with paths cost less than those without: programs with few
 * threads have paths for almost all calls. Programs with very many threads need the memory.
 */
#define FOLD_PATHS_MAX 1000000u
static inline uint32_t fold_paths_early(uint32_t thread_index)
{
	return thread_index < 8 ? 32768 : 5000;
}

/*
 * Folds records[0 .. n) into the thread's tree, in two steps that a crash cannot tear apart:
 * fold_run works on the uncommitted state and keeps an undo journal, fold_commit makes it the
 * committed one. records[0] is START. fold_run stops at the first record that is not valid (see
 * struct cinstr_thread) and returns the number of records folded.
 */
size_t fold_run(struct fold *fold, const struct cinstr_record *records, size_t n);
/* Returns whether a special record is older than `time`, the stamp of the one before it, or torn:
 * left behind by an earlier use of the buffer. */
int fold_is_stale(uint64_t time, const struct cinstr_record *r);
void fold_commit(struct fold *fold);

/* Adapts the journal after the stack has moved away from `from`: its blocks of the old place apply
 * to the new one. */
void fold_journal_moved(struct fold *fold, uint64_t from, uint64_t bytes);

/* Ends every open activation of a thread that is over (implicit exits). Takes effect with
 * fold_commit. */
void fold_close(struct fold *fold);

/*
 * Extends the tree to the end of the recording, `now`: no events come until then, and open
 * activations go on. The interval belongs to the current function, with `off_cpu_ticks` off the
 * processor (bits 0: no OS events); its switches are not counted. Commits.
 */
void fold_extend(struct fold *fold, uint64_t now, uint32_t bits, uint64_t off_cpu_ticks);

/* Continues the tree of an ended thread for another thread, whose first stamp is `now`. Commits. */
void fold_carry_on(struct fold *fold, uint64_t now);

/* Restores the tree to the state before an unfinished fold. Returns the number of restored
 * blocks. */
size_t fold_undo(char *file, size_t file_bytes, struct cinstr_thread *thread);

/* Sets up the root cell and the first state of a new thread; first_ticks: its first stamp. Returns
 * 0, or -1: no cell. */
int fold_begin(struct fold *fold, uint64_t first_ticks);

/*
 * Notes the end of the thread's own stack, whose upper FOLD_OWN_UNIT << octave bytes (octave 1 to
 * 15) contain no other stack. The second function copies it from the thread with this root.
 */
#define FOLD_OWN_UNIT (16u << 10)
void fold_own_stack(struct fold *fold, uint64_t high, uint32_t octave);
void fold_own_stack_as(struct fold *fold, const struct cinstr_cell *root);

/* In a forked child: makes a cell below `parent` for an activation that began in the parent
 * process. Returns its index, or 0: no room. */
uint32_t fold_inherit(struct fold *fold, uint32_t parent, const struct cinstr_cell *from);

/*
 * Returns 1 if the function entered after the tail call at `site` may be its callee, else 0. Where
 * sleds were switched, the callee may have no probes and may have returned, without an event, to a
 * caller that next calls this function from the same place. No function jumps to itself by name: it
 * would have a loop instead.
 */
int fold_jumps_to(const struct fold *fold, uint32_t site, uint32_t func);

static inline struct cinstr_cell *fold_cell(const struct fold *fold, uint32_t index)
{
	return (struct cinstr_cell *)(void *)(fold->file + (uint64_t)index * sizeof(struct cinstr_cell));
}

/* Returns the cell of an open entry; if that is a LINE, its FRAME. */
static inline const struct cinstr_cell *fold_entry_cell(const struct fold *fold,
							const struct cinstr_open *open)
{
	const struct cinstr_cell *cell = fold_cell(fold, open->cell);

	return CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_LINE ? fold_cell(fold, cell->parent) : cell;
}

/* `where` of an open FRAME: bit 0: a before-call announced it, so its caller has probes. */
#define WHERE_ANNOUNCED 1u
/* Bits 1 and 2: enum cinstr_unseen, for a frame whose function has lost its probes. */
#define WHERE_UNSEEN (CINSTR_UNSEEN_END | CINSTR_UNSEEN_CALL)

/* Returns the stack pointer in the other bits. */
static inline uint32_t fold_frame_sp(uint32_t where)
{
	return where & ~(WHERE_ANNOUNCED | WHERE_UNSEEN);
}

/* Returns 1 if a call whose BEFORE sled ends at `where` may return to this address (low halves). */
static inline int fold_returns_to(uint32_t where, uint32_t address)
{
	return address - where <= CINSTR_CALL_BYTES_MAX;
}

/* Returns the slot of a duration (cinstr/format.h). For durations longer than the last slot's it is
 * beyond the last slot (also by wrapping around). */
static inline uint32_t fold_slot(uint64_t ticks)
{
	uint64_t moved = ticks + (1u << CINSTR_SLOT_OCTAVE);
	uint32_t octave = 63u ^ (uint32_t)__builtin_clzll(moved | 1u << CINSTR_SLOT_OCTAVE);

	/* The two bits after the leading one, which adds 4. */
	return octave * 4 + (uint32_t)(moved >> (octave - 2)) - (CINSTR_SLOT_OCTAVE + 1) * 4;
}

/* ---- extremes: struct cinstr_detail in cinstr/format.h --------------------------------------- */

#define FOLD_EVENTS_DIGITS 11
#define FOLD_EXTREME_BIAS (1ull << 46)
#define FOLD_EVENT_COST_MAX (1u << 20) /* limit: a file may hold any value */
#define FOLD_FIRST_TICKS_BITS 38
#define FOLD_FIRST_DIGITS 9
#define FOLD_FIRST_OWN_DIGITS 7
#define FOLD_FIRST_TICKS_MAX ((1ull << FOLD_FIRST_TICKS_BITS) - 2) /* all ones: none has finished */

/* Packs a number of events, rounded to `digits` binary digits. */
static inline uint32_t fold_events_pack(uint32_t n, uint32_t digits)
{
	uint32_t shift, rounded;

	if (__builtin_expect(n >> digits == 0, 1))
		return n;
	shift = 32 - digits - (uint32_t)__builtin_clz(n);
	rounded = ((n >> (shift - 1)) + 1) >> 1;
	if (rounded >> digits) {
		rounded >>= 1;
		shift++;
	}
	return shift << digits | rounded;
}

static inline uint64_t fold_events_unpack(uint32_t word, uint32_t digits)
{
	return (uint64_t)(word & ((1u << digits) - 1)) << (word >> digits);
}

/* Returns the key for comparing activations: ticks less the cost of events, then the events. */
static inline uint64_t fold_extreme(uint64_t ticks, uint32_t events, uint32_t cost)
{
	uint32_t packed = fold_events_pack(events, FOLD_EVENTS_DIGITS);
	uint64_t corrected =
		ticks + FOLD_EXTREME_BIAS - (fold_events_unpack(packed, FOLD_EVENTS_DIGITS) * cost >> 10);

	if (!cost)
		return ticks;
	if (__builtin_expect(corrected >> 48 != 0, 0)) /* half a day */
		corrected = (1ull << 48) - 1;
	return corrected << 16 | packed;
}

/* Returns the same in the usual case: fewer than 2^FOLD_EVENTS_DIGITS events, fewer ticks than
 * FOLD_EXTREME_BIAS, and a cost. */
static inline uint64_t fold_extreme_usual(uint64_t ticks, uint32_t events, uint32_t cost)
{
	return (ticks + FOLD_EXTREME_BIAS - ((uint64_t)events * cost >> 10)) << 16 | events;
}

/* Returns the ticks in a key, and sets *events. */
static inline uint64_t fold_extreme_ticks(uint64_t extreme, uint32_t cost, uint64_t *events)
{
	*events = cost ? fold_events_unpack((uint32_t)extreme & 0xffff, FOLD_EVENTS_DIGITS) : 0;
	return cost ? (extreme >> 16) - FOLD_EXTREME_BIAS + (*events * cost >> 10) : extreme;
}

/* Packs first_ticks of a cell, and unpacks it. Ticks are at most FOLD_FIRST_TICKS_MAX. */
static inline uint64_t fold_first(uint64_t ticks, uint32_t events, uint32_t own, uint32_t cost)
{
	if (!cost)
		return ticks;
	return ticks | (uint64_t)fold_events_pack(events, FOLD_FIRST_DIGITS) << FOLD_FIRST_TICKS_BITS |
	       (uint64_t)fold_events_pack(own, FOLD_FIRST_OWN_DIGITS)
		       << (FOLD_FIRST_TICKS_BITS + FOLD_FIRST_DIGITS + 5);
}

static inline uint64_t fold_first_ticks(uint64_t first, uint32_t cost)
{
	return cost ? first & ((1ull << FOLD_FIRST_TICKS_BITS) - 1) : first;
}

/* Sets the extremes of that single activation; `exclusive`: its exclusive ticks. */
static inline void fold_first_extremes(uint64_t first, uint64_t exclusive, uint32_t cost, uint64_t *extremes)
{
	uint32_t events = (uint32_t)(first >> FOLD_FIRST_TICKS_BITS) & ((1u << (FOLD_FIRST_DIGITS + 5)) - 1);
	uint32_t own = (uint32_t)(first >> (FOLD_FIRST_TICKS_BITS + FOLD_FIRST_DIGITS + 5));

	extremes[CINSTR_INCLUSIVE] =
		fold_extreme(fold_first_ticks(first, cost),
			     (uint32_t)fold_events_unpack(events, FOLD_FIRST_DIGITS), cost);
	extremes[CINSTR_EXCLUSIVE] =
		fold_extreme(exclusive, (uint32_t)fold_events_unpack(own, FOLD_FIRST_OWN_DIGITS), cost);
}

static inline uint32_t fold_event_cost(const char *file)
{
	uint32_t cost = ((const struct cinstr_header *)(const void *)file)->event_cost;

	return cost < FOLD_EVENT_COST_MAX ? cost : FOLD_EVENT_COST_MAX;
}

/* Enters an existing FRAME/CALL/INDIRECT cell into the index. */
void fold_index_add(struct fold *fold, uint32_t cell);

/* For a reader that continues the fold of a process: first links each FLAT cell, all in the index,
 * as if no call were open; then counts each open one. */
void fold_flat_link(const struct fold *fold, struct cinstr_cell *cell);
void fold_flat_count(char *file, struct cinstr_cell *cell);

#endif
