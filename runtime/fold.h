/* SPDX-License-Identifier: MIT */
/*
 * fold.h - events to call-path tree: the one place that holds the attribution rules (semantics R1-R8,
 * R15). The runtime folds each full buffer with it; the report folds what a process left in its
 * buffers, and refolds a complete timeline with it. It allocates nothing by itself, calls nothing in
 * libc, and uses general registers only.
 */
#ifndef CINSTR_FOLD_H
#define CINSTR_FOLD_H

#include <stddef.h>

#include "cinstr/format.h"

/* A call instruction is at most this long: its return address lies within it behind the before sled. */
#define CALL_BYTES_MAX 16u

/*
 * What each sled's code means to the fold; one entry per aligned 8-byte word of text: code >> 3.
 *   ENTER, EXIT, BEFORE, TAIL, LANDING   code of the ENTER sled of its function
 *   AFTER                                code of its BEFORE sled
 * Two sleds never share a word.
 */
struct fold_sites {
	const uint32_t *words; /* by code >> 3 */
	uint32_t n_words;
	const uint8_t *wrappers; /* a bit for each: BEFORE or TAIL of a known wrapper of a system call */
};

/* (parent, site, func) -> cell index; open addressing, a power of two of slots, at most half full. */
struct fold_index {
	uint32_t *slots; /* cell indexes; 0 = free */
	uint32_t n_slots;
	uint32_t n_used;
};

struct fold {
	char *file; /* the mapped file: cell i is at file + 64 * i */
	struct cinstr_thread *thread;
	const struct fold_sites *sites;
	struct fold_index index;
	uint32_t cell_next, cell_end; /* cells ready to be used: [cell_next, cell_end) */
	uint32_t max_cells; /* budget of paths: beyond it calls go to cells by function and call site */
	uint32_t
		hot_from; /* with so many, further ones are kept only where time goes (fold_flat.c); 0: all are */
	uint32_t
		max_cells_open; /* a phase that needs more cells than that, in all, for what is open does not begin */
	uint32_t n_cells;
	const uint64_t *phases; /* moments at which phases begin (struct cinstr_phases) */
	uint32_t n_phases;
	int switched; /* sleds were switched while the thread ran: an event's other half may be missing */
	int stop_backward; /* 1: a stamp that runs backward ends what is valid (reader); 0: it counts as no time (runtime) */
	/*
	 * Called when cells, index or stack are used up. They make room for at least one more (the index: twice the
	 * size, rehashed with fold_index_add) and return 0, or return -1: then the fold carries on without
	 * that path (counted in merged_calls).
	 */
	int (*more_cells)(struct fold *);
	int (*more_index)(struct fold *);
	int (*more_stack)(struct fold *);
	int (*more_journal)(struct fold *); /* NULL: what finds no room in it is not kept */
};

/* The default budget of paths (CINSTR_PATHS=auto). */
#define FOLD_PATHS_EARLY 5000u
#define FOLD_PATHS_MAX 1000000u

/*
 * Folds records[0 .. n) into the thread's tree, in two steps that a crash cannot tear apart: fold_run works on
 * the uncommitted state and keeps an undo journal, fold_commit makes it the committed one.
 * records[0] is START. fold_run stops at the first record that is not valid (see struct cinstr_thread) and
 * returns the number of records folded.
 */
size_t fold_run(struct fold *fold, const struct cinstr_record *records, size_t n);
void fold_commit(struct fold *fold);

/* The stack has moved away from `from`: what the journal keeps of the old place is for the new one. */
void fold_journal_moved(struct fold *fold, uint64_t from, uint64_t bytes);

/* Ends every open activation of a thread that is over (implicit exits). fold_commit makes it count. */
void fold_close(struct fold *fold);

/* Another thread goes on in the tree of one that has ended, from its first stamp `now`; commits. */
void fold_carry_on(struct fold *fold, uint64_t now);

/* Puts the tree back to the state before an unfinished fold. Returns the number of blocks put back. */
size_t fold_undo(char *file, size_t file_bytes, struct cinstr_thread *thread);

/* Sets up the root cell and the first state of a new thread; first_ticks: its first stamp. 0 or -1 (no cell). */
int fold_begin(struct fold *fold, uint64_t first_ticks);

/* In a forked child: a cell below `parent` for an activation that began in the parent process. 0: no room. */
uint32_t fold_inherit(struct fold *fold, uint32_t parent, const struct cinstr_cell *from);

static inline struct cinstr_cell *fold_cell(const struct fold *fold, uint32_t index)
{
	return (struct cinstr_cell *)(void *)(fold->file + (uint64_t)index * sizeof(struct cinstr_cell));
}

/* Slot that a duration is counted in (cinstr/format.h); longer ones than the last slot's are beyond it (also by wrapping around). */
static inline uint32_t fold_slot(uint64_t ticks)
{
	uint64_t moved = ticks + (1u << CINSTR_SLOT_OCTAVE);
	uint32_t octave = 63u ^ (uint32_t)__builtin_clzll(moved | 1u << CINSTR_SLOT_OCTAVE);

	/* The two bits behind the first one, which makes them 4 more. */
	return octave * 4 + (uint32_t)(moved >> (octave - 2)) - (CINSTR_SLOT_OCTAVE + 1) * 4;
}

/* Enters an existing FRAME/CALL/INDIRECT cell into the index. */
void fold_index_add(struct fold *fold, uint32_t cell);

/* Of a reader that goes on with what a process left: FLAT cells as if no call were open, all in the index; then of each that is open. */
void fold_flat_link(const struct fold *fold, struct cinstr_cell *cell);
void fold_flat_count(char *file, struct cinstr_cell *cell);

#endif
