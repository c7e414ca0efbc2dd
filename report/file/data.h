/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * data.h - one data file (cinstr/format.h) as a model in memory.
 *
 * data_open() copies the necessary parts of the file into private memory at the same offsets, with
 * room after the end; checks every length and offset before use; completes what the process left
 * unfinished (undo of a torn fold, fold of the records still in buffers); and builds one tree per
 * thread. A damaged part is left out and recorded as a problem; the rest is used. Prints nothing,
 * writes no file, trusts nothing in it.
 */
#ifndef REPORT_DATA_H
#define REPORT_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/call_sums.h"
#include "cinstr/format.h"
#include "counters.h"
#include "merged.h"
#include "mixed.h"
#include "long_intervals.h"
#include "awaited.h"
#include "modules.h"
#include "moved.h"
#include "tags.h"
#include "open_time.h"
#include "samples.h"
#include "stretches.h"

struct data_segment {
	uint32_t type;
	uint32_t owner;
	uint64_t offset; /* of the payload */
	uint64_t bytes;	 /* of the payload, as far as it is in memory */
	uint64_t used;	 /* <= bytes */
};

struct data_property {
	const char *key, *value;
};

/* A mark (struct cinstr_mark). */
struct data_mark {
	uint64_t ticks;
	uint32_t tid;
	uint32_t site; /* code of the mark's sled; 0: none */
	uint32_t kind; /* enum cinstr_mark_kind */
	int64_t id;
	const char *text;
	uint32_t phase; /* number of the phase that begins here; 0: none */
};

/* Whether a selection (selection.h) was made, and whether it left anything. */
enum data_selected { DATA_NOT_SELECTED, DATA_SELECTED, DATA_NOTHING_LEFT };

/* A problem of the file. */
struct data_problem {
	uint64_t offset;
	char *reason;
	uint32_t group;
};

/* A node of a thread's tree; nodes[0] is the root. */
struct data_node {
	const struct cinstr_cell *cell;
	uint32_t parent; /* < own index; 0 for the root */
	uint32_t last;	 /* index of the last node of its subtree */
};

struct data_tree {
	struct data_node *nodes; /* in preorder */
	size_t n_nodes;
	uint32_t *open; /* nodes of the open activations, outermost first */
	size_t n_open;
	/* Calls beyond the budget of paths, by function; they are not in the tree. */
	const struct cinstr_cell **flat;
	size_t n_flat;
	size_t n_open_flat; /* open activations of their functions */
};

struct data_thread {
	struct cinstr_thread *record;	       /* in the copy, after undo and fold */
	const struct cinstr_fold_state *state; /* the committed state */
	uint64_t offset;		       /* of the thread's THREAD payload */
	struct data_node *nodes;	       /* in preorder */
	size_t n_nodes;
	uint32_t *open; /* nodes of the open activations, outermost first */
	size_t n_open;
	/* Calls beyond the budget of paths, by function; they are not in the tree. */
	const struct cinstr_cell **flat;
	size_t n_flat;
	size_t n_open_flat; /* open activations of their functions */
	/* Overheads before nodes were merged into others (overhead.h); NULL: none were. */
	struct overheads_kept *overheads;
	/* path of each node, kept between two readings (call_paths.h); NULL: not known */
	uint32_t *paths;
	const struct paths *paths_owner; /* owner of these numbers */
	/* If the thread has more than one phase: the members above are the sum of all phases, or of
	 * those chosen by phases_select(); by_phase has a tree for each phase. Their roots are
	 * children of nodes[0], which is the root of the first. */
	struct data_tree by_phase;
	/* Raw ticks of nodes, and open frames, in phases that were not chosen. */
	uint64_t elsewhere_ticks;
	uint64_t n_open_elsewhere;
	uint64_t pending_records; /* records folded by this reader */
	uint64_t undone;	  /* blocks restored by the undo */
	/* For threads of a sampled process (samples.h): */
	struct cinstr_cell *cells; /* cells of its nodes; owned by the thread */
	uint32_t task;		   /* index in the TASKS segment */
	/* Samples in the file; elsewhere_ticks: those not in the tree. */
	uint64_t n_samples;
	struct mixed_thread *mixed;  /* of a thread that was timed and sampled; else NULL */
	const struct merged *merged; /* of a merged file; else NULL */
	/* Tree of the thread's executed instructions, or of another count (cinstr/call_sums.h);
	 * NULL: there is none, or it is incomplete. */
	const struct data_thread *sums;
	enum cinstr_counter counter; /* of such a tree: what it counts */
	uint32_t sums_flags;	     /* of such a tree: enum cinstr_call_sums_flag */
	struct long_intervals longs;
	struct awaited awaited;
	struct awaiting awaiting;
	struct stretches stretches;
	struct moved moved;
	struct tags tags;
	struct open_time open_time; /* included in the tree; begins at the last event */
	/* Made by phase_thread(): the tree and counters of one phase. */
	int is_phase;
	struct data_counter *counted;
	size_t n_counted;
};

struct data {
	char *path;
	char *memory;	     /* copy of the file: file offset 0 is memory[0] */
	uint64_t file_bytes; /* usable bytes of the file */
	uint64_t end;	     /* end of the memory used after the file */
	uint64_t reserved;
	int is_mapped;			    /* the file is mapped (mapping.h) */
	int fd;				    /* of the file, while it is being mapped */
	const struct cinstr_header *header; /* NULL: nothing is usable */
	struct data_segment *segments;	    /* sorted by owner, then offset */
	size_t n_segments;
	struct data_property *properties;
	size_t n_properties;
	struct data_thread *threads;
	size_t n_threads;
	struct data_thread *sums; /* the threads' trees of executed instructions */
	size_t n_sums;
	struct data_mark *marks; /* in order of time */
	size_t n_marks;
	/* Offset of struct cinstr_phases; 0: none. Only its first n_phases moments are valid. */
	uint64_t phases_at;
	uint32_t n_phases;  /* number of phases begun by marks */
	int phases_unknown; /* the threads' trees are those of a range of time */
	int phases_chosen;  /* phases_select() has chosen these: */
	uint32_t first_phase, last_phase;
	struct sampled *sampled;   /* NULL: the process was instrumented */
	struct counters *counters; /* NULL: there are none */
	struct mixed *mixed;	   /* of a process instrumented and sampled at once; else NULL */
	struct merged *merged;	   /* of a merged file (cinstr merge); else NULL */
	/* Entities, indexed by `func` of SAMPLES_CELL_FUNCTION cells, if ticks are executed
	 * instructions; else NULL (executed/executed_tree.h). */
	const uint32_t *executed;
	int is_to_merge, is_over; /* struct data_opening */
	struct modules modules;
	struct module_cache *tables; /* tables of other data files' modules; NULL: none */
	struct data_problem *problems;
	size_t n_problems;
	uint64_t loaded_ns; /* CLOCK_MONOTONIC_RAW when reading began */
	uint64_t end_ticks; /* open_time_end(); 0: not known */
	/* Number of threads that recorded too fast to be read consistently. */
	uint32_t unsettled;
	enum data_selected selected;
	int just_my_code; /* functions of the system have no names: selection/just_my_code.h */
	/* The file is empty: its process is starting, or was stopped before its first event. */
	int not_begun;
	uint32_t process_number; /* number in its session, from 1; 0: not known */
	/* number of files before it in the session whose process has the same number */
	uint32_t twin;
};

/* Opens a file. Returns 0, or -1 if nothing of it is usable; problems[] contains the reasons.
 * Release in both cases. */
int data_open(struct data *data, const char *path);
/* How to open one of several files. */
struct data_opening {
	/* Tables shared by modules of several files (module_cache.h), to be released after the
	 * data; NULL: none. */
	struct module_cache *tables;
	/* Called after loading, before trees are made; may set the end of a recording that goes on
	 * (open_time.h). NULL: none. */
	void (*note_end)(struct data *data);
	/* Checks the merged tree of a file, but does not build it (merged_items.h). */
	int is_to_merge;
	/* The session is no longer recorded: reads the file once, even if it contains no end, as of
	 * processes that became other programs or were killed. */
	int is_over;
};
int data_open_by(struct data *data, const char *path, const struct data_opening *opening);
/* Opens modules and properties only, no threads. */
int data_open_modules(struct data *data, const char *path);
void data_release(struct data *data);
/* The first half of data_open(): loads the segments as they are in the file, each thread in a
 * consistent state. */
int data_load(struct data *data, const char *path);
/* Whether segments of this type are in memory: all but TIMELINE and FREE. */
int data_is_loaded(uint32_t type);

/* Returns the thread's budget of paths. A fold with this max_cells and hot_from keeps the same
 * paths as the runtime. */
uint32_t data_paths(const struct data *data, const struct cinstr_thread *thread, uint32_t *hot_from);

/* Returns the value of a property, or NULL. */
const char *data_property(const struct data *data, const char *key);
/* Returns the machine or pod that the process ran on; NULL: not known. */
const char *process_host(const struct data *data);

/* Returns the nanoseconds per tick of the file's clock. *known 0: the clock's pairs are unusable; 1
 * tick then counts as 1 ns. */
long double data_ns_per_tick(const struct data *data, int *known);

/* Returns the nanoseconds from the begin of the process's recording to a stamp; 0 if it is
 * before. */
long double data_ns_since_begin(const struct data *data, uint64_t ticks);

/* Returns the nanoseconds from the begin of the process's recording to the last moment known. */
uint64_t data_length_ns(const struct data *data);

/* Sorts marks by time. */
void data_marks_sort(struct data *data);

/* Adds a problem. For the reader's sources. */
void data_problem(struct data *data, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets the group of the problems that this thread of the command adds from now on. */
void data_problems_of(uint32_t group);
/* Sorts problems from `first` on by their groups. */
void data_problems_sort(struct data *data, size_t first);

/* Returns the segments of an owner, sorted by offset. */
const struct data_segment *data_segments_of(const struct data *data, uint32_t owner, size_t *n);

/* Reserves `bytes` of zeroed memory after the end, a multiple of a cell's size. Returns its offset,
 * or 0 if there is no room. */
uint64_t data_room(struct data *data, uint64_t bytes);

/* load.c: loads the segments after the header of `first` bytes. Returns 0 or -1. */
int load_segments(struct data *data, int fd, uint64_t first);
/* Reserves `room` bytes after the segments, and `spare` bytes of address space if possible. */
int load_reserve(struct data *data, uint64_t room, uint64_t spare);
/* Reads until the end of the file at most. Returns the number of bytes. */
uint64_t load_read(int fd, void *to, uint64_t bytes, uint64_t offset);

static inline const uint64_t *data_phases(const struct data *data)
{
	return ((const struct cinstr_phases *)(const void *)(data->memory + data->phases_at))->begin_ticks;
}

/* Whether the cell is a source line of its function, or another place in it: not a call. */
static inline int data_cell_is_line(const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	return kind == CINSTR_CELL_LINE || kind == SAMPLES_CELL_PLACE;
}

/* Methods that no file has (struct cinstr_header): executed instructions in place of time, and what
 * a counter of the processor's has counted (enum cinstr_counter). */
#define DATA_METHOD_COUNTED(counter) (UINT32_MAX - (uint32_t)(counter))
#define DATA_METHOD_EXECUTED DATA_METHOD_COUNTED(CINSTR_COUNTER_NONE)
/* Marks of a cell with executed instructions (executed/call_shares.h), in `down` and `across`: bits
 * that decide whether sums with it are estimates; ROUGH: its instructions are an estimate;
 * RECURSIVE: some of its calls were made by other estimates. */
#define DATA_CELL_ROUGH (UINT64_C(1) << 63)
#define DATA_CELL_RECURSIVE (UINT64_C(1) << 62)
static inline void data_cell_set_mark(struct cinstr_cell *cell, uint64_t mark)
{
	cell->down = (uint32_t)mark;
	cell->across = (uint32_t)(mark >> 32);
}

static inline uint64_t data_cell_mark(const struct cinstr_cell *cell)
{
	return cell->down | (uint64_t)cell->across << 32;
}

/* Returns the tree of what the thread executed, or NULL if there is none, or it is not of the same
 * as the thread's tree. */
const struct data_thread *data_sums_of(const struct data *data, const struct data_thread *thread);

/* threads_build.c: sets data->threads. */
void threads_build(struct data *data);
/* threads.c: makes the thread of a THREAD segment: undo, check, fold, tree. Returns 0, or -1 if
 * there is none or it is damaged. */
int thread_make(struct data *data, const struct data_segment *s, struct data_thread *thread);
/* threads.c: makes the tree of a CALL_SUMS segment, after that of its thread. Returns 0 or -1. */
int thread_make_sums(struct data *data, const struct data_segment *s, struct data_thread *thread);
void threads_release(struct data *data);
/* Some of a thread's cells. */
struct data_cells {
	uint64_t offset, bytes;
};
/* Replaces the thread's tree by that of `record`, whose cells are in `cells`. Returns 0, or -1 if
 * that tree is damaged. */
int threads_retree(struct data *data, struct data_thread *thread, struct cinstr_thread *record,
		   const struct data_cells *cells, size_t n_cells);
/* Removes the threads for which `keeps` returns 0. */
void threads_keep(struct data *data,
		  int (*keeps)(void *arg, const struct data *data, const struct data_thread *thread),
		  void *arg);

/* Whether the cell's calls were jumps: tail calls (R15). Sampled processes use `site` for something
 * else. */
static inline int data_cell_is_jump(const struct data *data, const struct cinstr_cell *cell)
{
	return !data->sampled && cell->site && CINSTR_CODE_KIND(cell->site) == CINSTR_EV_TAIL;
}

#endif
