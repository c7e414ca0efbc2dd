/* SPDX-License-Identifier: MIT */
/*
 * fold.h - events to call-path tree: the one place that holds the attribution rules (semantics
 * R1-R8, R14-R16). The runtime folds each full buffer with it; the report folds what a process left
 * in its buffers, and refolds a complete timeline with it. It allocates nothing by itself, calls
 * nothing in libc, and uses general registers only.
 *
 * Where a record's rule is: all cases in fold_events.c, the hottest ones once more in fold_hot.c.
 * What they are made of, said once for both, is in fold_steps.h.
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
 *   PAUSE, CONTINUE, STACK        on_special()                R16; whose time follows: settle()
 *   UNSEEN                        on_special()                R15: fold_mark_unseen()
 *   START, RESUME, LOST           on_special()                R1, R10
 *
 * An interval is charged by charge(); where a phase begins in it, by fold_charge_across()
 * (fold_phase.c). An activation begins and ends in push() and pop(), is counted by end_activation()
 * (R5, R8); without its exit in fold_pop_to() (fold_stack.c, R15), where another frame's place
 * proves that it is over: fold_place(). A call whose path is not kept: fold_flat.c.
 */
#ifndef CINSTR_FOLD_H
#define CINSTR_FOLD_H

#include <stddef.h>

#include "cinstr/abi.h"
#include "cinstr/format.h"

/*
 * What the code of each sled means to the fold: one entry for each aligned 8-byte word of text, at
 * code >> 3. ENTER, EXIT, BEFORE, TAIL, LANDING: the code of the ENTER sled of their function.
 * AFTER: the code of its BEFORE sled. Two sleds never share a word.
 */
struct fold_sites {
	const uint32_t *words; /* by code >> 3 */
	uint32_t n_words;
	/* a bit for each: BEFORE or TAIL of a known wrapper of a system call */
	const uint8_t *wrappers;
	/* a bit for each: ENTER sled of a function whose calls were ever only counted; NULL: none.
	 * Of such a function events come whose activation has no frame. */
	const uint8_t *counted;
	/* fold_name() of the function of an ENTER sled, and of the callee of a TAIL, by code >> 3;
	 * 0: not known (a jump through a pointer). NULL: no sleds were switched. */
	const uint16_t *names;
};

/*
 * A number for an assembler's name: functions of different numbers are not the same. The two
 * constructors of a class (C1, C2), its destructors, and a function and its parts (f.part.0), which
 * may be names of one place, have the same number. Never 0.
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
 * Where the topmost entry of the stack was that is of a function or call site, among the first
 * `below` ones, when fold number `run` asked; at: its number from 1; 0: there was none. lows: the
 * first `lowest` entries have not changed in the runs up to `run` and behind the one before in the
 * array; ascending. This saves walks only: what a fold does never depends on it.
 */
#define FOLD_FOUND 128u
#define FOLD_LOWS 32u
struct fold_found {
	uint32_t code, at, below, run;
};
struct fold_low {
	uint32_t run, lowest;
};

/* An interval that lasted, in the time of a cell. */
struct fold_long {
	uint64_t end_ticks, ticks;
	uint32_t cell;
};

/* An interval that was ended in the slow path. */
struct fold_slow {
	uint64_t end_ticks, ticks, off_cpu_ticks;
	uint32_t bits;			/* enum cinstr_os_bit */
	const struct cinstr_cell *cell; /* that had it */
};

struct fold {
	char *file; /* the mapped file: cell i is at file + 64 * i */
	struct cinstr_thread *thread;
	const struct fold_sites *sites;
	struct fold_index index;
	uint32_t cell_next, cell_end; /* cells ready to be used: [cell_next, cell_end) */
	/* budget of paths: beyond it calls go to cells by function and call site */
	uint32_t max_cells;
	/* from this number of paths on, further ones are kept only where time goes (fold_flat.c);
	 * 0: all are kept */
	uint32_t hot_from;
	/* a phase does not begin if its open activations would need more cells than this */
	uint32_t max_cells_open;
	uint32_t n_cells;
	const uint64_t *phases; /* moments at which phases begin (struct cinstr_phases) */
	uint32_t n_phases;
	/* its ticks are executed instructions, of which events are none: activations count as if
	 * they had none, so that who has least and most is told by ticks alone */
	int has_no_events;
	/* sleds were switched while the thread ran: an event's other half may be missing */
	int switched;
	/* 1: a stamp that runs backward ends what is valid (reader); 0: it counts as no time
	 * (runtime) */
	int stop_backward;
	/*
	 * Called when cells, index or stack are used up. They make room for at least one more (the
	 * index: twice the size, rehashed with fold_index_add) and return 0, or return -1: then the
	 * fold carries on without that path (counted in merged_calls).
	 */
	int (*more_cells)(struct fold *);
	int (*more_index)(struct fold *);
	int (*more_stack)(struct fold *);
	int (*more_journal)(struct fold *); /* NULL: what finds no room in it is not kept */
	/*
	 * Called with intervals of at least `long_ticks` that end while functions may be counted,
	 * for samples to be joined with; NULL: they are not kept.
	 */
	void (*keep_long)(struct fold *, const struct fold_long *);
	uint64_t long_ticks;
	/* Called with each interval that an event ended in the slow path; NULL: nobody asks
	 * (waits.c). */
	void (*on_slow_event)(struct fold *, const struct fold_slow *);
	int keeps_all; /* also while no function has been counted yet */
	uint32_t run;  /* number of this fold_run, modulo 2^32 */
	uint32_t n_lows;
	struct fold_low lows[FOLD_LOWS];
	struct fold_found found[FOLD_FOUND];
};

/*
 * The default budget of paths (CINSTR_PATHS=auto): hot_from of a thread's fold, by its number
 * (struct cinstr_thread: index). Calls with paths cost less than those without: programs of few
 * threads have them for almost all calls. Those of very many threads need the memory.
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
void fold_commit(struct fold *fold);

/* The stack has moved away from `from`: what the journal keeps of the old place is for the new
 * one. */
void fold_journal_moved(struct fold *fold, uint64_t from, uint64_t bytes);

/* Ends every open activation of a thread that is over (implicit exits). fold_commit makes it
 * count. */
void fold_close(struct fold *fold);

/*
 * The recording ends at `now`: up to there no event comes, and what is open goes on. That interval
 * is the current function's, with so many ticks off the processor (bits 0: with no event of the
 * system); its switches are not counted. Commits.
 */
void fold_extend(struct fold *fold, uint64_t now, uint32_t bits, uint64_t off_cpu_ticks);

/* Another thread goes on in the tree of one that has ended, from its first stamp `now`; commits. */
void fold_carry_on(struct fold *fold, uint64_t now);

/* Puts the tree back to the state before an unfinished fold. Returns the number of blocks put
 * back. */
size_t fold_undo(char *file, size_t file_bytes, struct cinstr_thread *thread);

/* Sets up the root cell and the first state of a new thread; first_ticks: its first stamp. 0 or -1
 * (no cell). */
int fold_begin(struct fold *fold, uint64_t first_ticks);

/*
 * Where the thread's own stack ends, and that no other one is in its upper FOLD_OWN_UNIT <<
 * octave bytes (octave 1 to 15). The second one: as the thread with this root has it.
 */
#define FOLD_OWN_UNIT (16u << 10)
void fold_own_stack(struct fold *fold, uint64_t high, uint32_t octave);
void fold_own_stack_as(struct fold *fold, const struct cinstr_cell *root);

/* In a forked child: a cell below `parent` for an activation that began in the parent process. 0:
 * no room. */
uint32_t fold_inherit(struct fold *fold, uint32_t parent, const struct cinstr_cell *from);

/*
 * May what is entered behind the tail call at `site` be its callee? Where sleds were switched, the
 * callee may have no probes, and have returned, with no event, to who calls this function next from
 * the same place. A function that jumps to itself by name does not: it has a loop instead.
 */
int fold_jumps_to(const struct fold *fold, uint32_t site, uint32_t func);

static inline struct cinstr_cell *fold_cell(const struct fold *fold, uint32_t index)
{
	return (struct cinstr_cell *)(void *)(fold->file + (uint64_t)index * sizeof(struct cinstr_cell));
}

/* Returns the cell of an open entry: of one that executes lines, the FRAME that has these. */
static inline const struct cinstr_cell *fold_entry_cell(const struct fold *fold,
							const struct cinstr_open *open)
{
	const struct cinstr_cell *cell = fold_cell(fold, open->cell);

	return CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_LINE ? fold_cell(fold, cell->parent) : cell;
}

/* `where` of a FRAME that is open: bit 0 tells that a before-call announced it, so that its caller
 * has probes. */
#define WHERE_ANNOUNCED 1u
/* Bits 1 and 2 are enum cinstr_unseen: of a frame whose function has lost its probes. */
#define WHERE_UNSEEN (CINSTR_UNSEEN_END | CINSTR_UNSEEN_CALL)

/* ... and the others are its stack pointer. */
static inline uint32_t fold_frame_sp(uint32_t where)
{
	return where & ~(WHERE_ANNOUNCED | WHERE_UNSEEN);
}

/* Does the call return to this address whose before-call's sled ends at `where` (low halves)? */
static inline int fold_returns_to(uint32_t where, uint32_t address)
{
	return address - where <= CINSTR_CALL_BYTES_MAX;
}

/* Slot that a duration is counted in (cinstr/format.h); longer ones than the last slot's are beyond
 * it (also by wrapping around). */
static inline uint32_t fold_slot(uint64_t ticks)
{
	uint64_t moved = ticks + (1u << CINSTR_SLOT_OCTAVE);
	uint32_t octave = 63u ^ (uint32_t)__builtin_clzll(moved | 1u << CINSTR_SLOT_OCTAVE);

	/* The two bits behind the first one, which makes them 4 more. */
	return octave * 4 + (uint32_t)(moved >> (octave - 2)) - (CINSTR_SLOT_OCTAVE + 1) * 4;
}

/* ---- extremes: struct cinstr_detail in cinstr/format.h --------------------------------------- */

#define FOLD_EVENTS_DIGITS 11
#define FOLD_EXTREME_BIAS (1ull << 46)
#define FOLD_EVENT_COST_MAX (1u << 20) /* a file may say anything */
#define FOLD_FIRST_TICKS_BITS 38
#define FOLD_FIRST_DIGITS 9
#define FOLD_FIRST_OWN_DIGITS 7
#define FOLD_FIRST_TICKS_MAX ((1ull << FOLD_FIRST_TICKS_BITS) - 2) /* all ones: none has finished */

/* A number of events, rounded to so many binary digits. */
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

/* What comparing tells of an activation: its ticks less its events' cost, and behind that its
 * events. */
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

/* The same of what is usual: fewer than 2^FOLD_EVENTS_DIGITS events, fewer ticks than
 * FOLD_EXTREME_BIAS, and there is a cost. */
static inline uint64_t fold_extreme_usual(uint64_t ticks, uint32_t events, uint32_t cost)
{
	return (ticks + FOLD_EXTREME_BIAS - ((uint64_t)events * cost >> 10)) << 16 | events;
}

/* The ticks that it was made of; *events: of them. */
static inline uint64_t fold_extreme_ticks(uint64_t extreme, uint32_t cost, uint64_t *events)
{
	*events = cost ? fold_events_unpack((uint32_t)extreme & 0xffff, FOLD_EVENTS_DIGITS) : 0;
	return cost ? (extreme >> 16) - FOLD_EXTREME_BIAS + (*events * cost >> 10) : extreme;
}

/* first_ticks of a cell, and back. Ticks are at most FOLD_FIRST_TICKS_MAX. */
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

/* The extremes of that one activation; `exclusive`: its ticks. */
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

/* Of a reader that goes on with what a process left: FLAT cells as if no call were open, all in the
 * index; then of each that is open. */
void fold_flat_link(const struct fold *fold, struct cinstr_cell *cell);
void fold_flat_count(char *file, struct cinstr_cell *cell);

#endif
