/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * data.h - one data file (cinstr/format.h) as a model in memory.
 *
 * data_open copies what is needed of the file into private memory at the same offsets, with room
 * behind its end, checks every length and offset before it is used, finishes what the process left
 * unfinished (undo of a torn fold, fold of what was still in the buffers) and builds one tree per
 * thread. A damaged part is left out and recorded as a problem; the rest stands. Prints nothing,
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
	uint32_t site; /* code of the sled; 0: none */
	uint32_t kind; /* enum cinstr_mark_kind */
	int64_t id;
	const char *text;
	uint32_t phase; /* that it begins; 0: none */
};

/* Whether a selection (selection.h) has been made, and what it has left. */
enum data_selected { DATA_NOT_SELECTED, DATA_SELECTED, DATA_NOTHING_LEFT };

/* What is wrong with the file. */
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
	/* calls beyond the budget of paths, by function: not in the tree */
	const struct cinstr_cell **flat;
	size_t n_flat;
	size_t n_open_flat; /* of their functions on the stack */
};

struct data_thread {
	struct cinstr_thread *record;	       /* in the copy, after undo and fold */
	const struct cinstr_fold_state *state; /* the committed one */
	uint64_t offset;		       /* of its THREAD payload */
	struct data_node *nodes;	       /* in preorder */
	size_t n_nodes;
	uint32_t *open; /* nodes of the open activations, outermost first */
	size_t n_open;
	/* calls beyond the budget of paths, by function: not in the tree */
	const struct cinstr_cell **flat;
	size_t n_flat;
	size_t n_open_flat; /* of their functions on the stack */
	/* of the tree before nodes were taken into others (overhead.h); NULL: none were */
	struct overheads_kept *overheads;
	uint32_t *paths; /* of each node, between two readings (call_paths.h); NULL: not known */
	const struct paths *paths_owner; /* whose numbers these are */
	/*
	 * Where the thread has more than one phase: what there is above holds them all together, or
	 * those that phases_select() has left; and here are they one by one, their roots children
	 * of nodes[0], which is that of the first.
	 */
	struct data_tree by_phase;
	/* raw ticks of nodes, and open frames, of phases that were not chosen */
	uint64_t elsewhere_ticks;
	uint64_t n_open_elsewhere;
	uint64_t pending_records; /* folded by this reader */
	uint64_t undone;	  /* blocks put back */
	/* Of a sampled process (samples.h): */
	struct cinstr_cell *cells; /* of its nodes; they go with the thread */
	uint32_t task;		   /* number in the order of TASKS */
	/* in the file; elsewhere_ticks: those that are not in the tree */
	uint64_t n_samples;
	struct mixed_thread *mixed;  /* of a thread that was timed and sampled; else NULL */
	const struct merged *merged; /* of a merged file; else NULL */
	/* its tree of executed instructions (cinstr/call_sums.h); NULL: there is none, or some was
	 * not added up */
	const struct data_thread *sums;
	uint32_t sums_flags; /* of such a tree: enum cinstr_call_sums_flag */
	struct long_intervals longs;
	struct awaited awaited;
	struct awaiting awaiting;
	struct stretches stretches;
	struct open_time open_time; /* a part of the tree; the last event was before it */
	/* phase_thread(): what it has counted in this phase */
	int is_phase;
	struct data_counter *counted;
	size_t n_counted;
};

struct data {
	char *path;
	char *memory;	     /* the copy: file offset 0 is memory[0] */
	uint64_t file_bytes; /* of the file, as far as it is usable */
	uint64_t end;	     /* of what is used behind it */
	uint64_t reserved;
	int is_mapped;			    /* mapping.h */
	int fd;				    /* of the file, while it is being mapped */
	const struct cinstr_header *header; /* NULL: nothing usable */
	struct data_segment *segments;	    /* by owner, then offset */
	size_t n_segments;
	struct data_property *properties;
	size_t n_properties;
	struct data_thread *threads;
	size_t n_threads;
	struct data_thread *sums; /* the threads' trees of executed instructions */
	size_t n_sums;
	struct data_mark *marks; /* in order of time */
	size_t n_marks;
	/* offset of struct cinstr_phases; 0: none. Its moments as far as n_phases says */
	uint64_t phases_at;
	uint32_t n_phases;  /* that marks have begun */
	int phases_unknown; /* the threads' trees are those of a range of time */
	int phases_chosen;  /* by phases_select(): */
	uint32_t first_phase, last_phase;
	struct sampled *sampled;   /* NULL: it was instrumented */
	struct counters *counters; /* NULL: it has none */
	struct mixed *mixed;	   /* it was instrumented and sampled at once; else NULL */
	struct merged *merged;	   /* it is of many processes (cinstr merge); else NULL */
	/* entities by `func` of SAMPLES_CELL_FUNCTION cells; NULL: its ticks are no instructions
	 * (executed/executed_tree.h) */
	const uint32_t *executed;
	int is_to_merge, is_over; /* struct data_opening */
	struct modules modules;
	struct tables *tables; /* of other data files' modules; NULL: none */
	struct data_problem *problems;
	size_t n_problems;
	uint64_t loaded_ns; /* CLOCK_MONOTONIC_RAW when its reading began */
	uint64_t end_ticks; /* open_time_end(); 0: not known */
	/* threads that went on recording too fast to be read as of one moment */
	uint32_t unsettled;
	enum data_selected selected;
	int just_my_code; /* selection/just_my_code.h: functions of the system have no names */
	/* there is nothing in it: its process is about to begin, or was stopped before the first
	 * event */
	int not_begun;
	uint32_t process_number; /* in its session, from 1; 0: not known */
	uint32_t twin;		 /* files before it there whose process has the same number */
};

/* 0; -1: nothing of the file is usable, problems[] says why. Release in both cases. */
int data_open(struct data *data, const char *path);
/* One of several files, and what is done with it. */
struct data_opening {
	/* of modules that may have the same tables (module_cache.h), to be released later; NULL:
	 * none */
	struct tables *tables;
	/* called with what is loaded, before trees are made, or NULL: may note in it when the
	 * recording ends, if it is still going on (open_time.h) */
	void (*note_end)(struct data *data);
	/* what was merged before is checked, but not made a tree (merged_items.h) */
	int is_to_merge;
	/* nobody records into its session any more: the file is read once, also if no end is noted
	 * in it, as of processes that became other programs or were killed */
	int is_over;
};
int data_open_by(struct data *data, const char *path, const struct data_opening *opening);
/* Its modules and properties alone; no threads. */
int data_open_modules(struct data *data, const char *path);
void data_release(struct data *data);
/* The first half of data_open: the segments as they are in the file, of each thread as of one
 * moment. */
int data_load(struct data *data, const char *path);
/* Whether segments of this type are in memory: all but the timeline's and the free ones. */
int data_is_loaded(uint32_t type);

/* The budget of paths that the thread had: with it a fold keeps the same ones (struct fold:
 * max_cells, hot_from). */
uint32_t data_paths(const struct data *data, const struct cinstr_thread *thread, uint32_t *hot_from);

/* Value of a property, or NULL. */
const char *data_property(const struct data *data, const char *key);
/* The machine, or the pod, that the process ran in; NULL: not known. */
const char *process_host(const struct data *data);

/*
 * Ticks of this file's clock in nanoseconds. 0: the clock's pairs are unusable (then 1 tick counts
 * as 1 ns).
 */
long double data_ns_per_tick(const struct data *data, int *known);

/* Nanoseconds from the begin of the process's recording to a stamp; 0: it is before. */
long double data_ns_since_begin(const struct data *data, uint64_t ticks);

/* Nanoseconds from the begin of the process's recording to the last that is known of it. */
uint64_t data_length_ns(const struct data *data);

/* In order of time. */
void data_marks_sort(struct data *data);

/* Adds a problem. For the modules of the reader. */
void data_problem(struct data *data, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Problems that this thread of the command adds from now on are of this group. */
void data_problems_of(uint32_t group);
/* Puts problems from `first` on into the order of their groups. */
void data_problems_sort(struct data *data, size_t first);

/* The segments of an owner, in order of offset. */
const struct data_segment *data_segments_of(const struct data *data, uint32_t owner, size_t *n);

/* `bytes` of zeroed room behind the end, a multiple of a cell's: its offset, or 0. */
uint64_t data_room(struct data *data, uint64_t bytes);

/* load.c: the segments behind the header of `first` bytes; room behind them. 0 or -1. */
int load_segments(struct data *data, int fd, uint64_t first);
/* spare: address space that is not needed, and had if it can be. */
int load_reserve(struct data *data, uint64_t room, uint64_t spare);
/* Reads as much as there is. Returns the number of bytes. */
uint64_t load_read(int fd, void *to, uint64_t bytes, uint64_t offset);

static inline const uint64_t *data_phases(const struct data *data)
{
	return ((const struct cinstr_phases *)(const void *)(data->memory + data->phases_at))->begin_ticks;
}

/* A source line of its function (or another place in it): not a call. */
static inline int data_cell_is_line(const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	return kind == CINSTR_CELL_LINE || kind == SAMPLES_CELL_PLACE;
}

/* A method of no file (struct cinstr_header): of executed instructions in the place of time. */
#define DATA_METHOD_EXECUTED UINT32_MAX
/* Of a cell's executed instructions (executed/call_shares.h): what tells whether sums with them are
 * estimates; whether these are one by themselves; whether some of its calls were made by others of
 * them. */
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

/* threads_build.c: fills data->threads. */
void threads_build(struct data *data);
/* threads.c: the thread of a THREAD segment: undo, check, fold, tree. 0, or -1: there is none, or
 * it is not sound. */
int thread_make(struct data *data, const struct data_segment *s, struct data_thread *thread);
/* The same of a CALL_SUMS segment, whose thread's tree is made already. */
int thread_make_sums(struct data *data, const struct data_segment *s, struct data_thread *thread);
void threads_release(struct data *data);
/* Some of a thread's cells. */
struct data_cells {
	uint64_t offset, bytes;
};
/* Gives the thread another tree: that of `record`, whose cells are those of `cells`. 0, or -1: it
 * is not sound. */
int threads_retree(struct data *data, struct data_thread *thread, struct cinstr_thread *record,
		   const struct data_cells *cells, size_t n_cells);
/* Leaves out the threads that `keeps` says 0 of. */
void threads_keep(struct data *data,
		  int (*keeps)(void *arg, const struct data *data, const struct data_thread *thread),
		  void *arg);

/* Whether the cell's calls were jumps: tail calls (R15). In a sampled process `site` is something
 * else. */
static inline int data_cell_is_jump(const struct data *data, const struct cinstr_cell *cell)
{
	return !data->sampled && cell->site && CINSTR_CODE_KIND(cell->site) == CINSTR_EV_TAIL;
}

#endif
