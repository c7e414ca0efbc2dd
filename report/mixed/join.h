/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * join.h - how the samples of a process come into the trees of its timed threads (mixed_join.h);
 * for the files of this room.
 *
 *   frames.c      what a place of a stack is to the runtime: a function with probes, one without
 *   levels.c      whether a function was timed at a moment
 *   projection.c  where in a thread's tree a stack belongs
 *   guided.c      the same, where the file tells in whose time the sample was taken
 *   self.c        samples without stacks that threads have taken of themselves
 *   short_intervals.c  ticks of nodes with short intervals, as samples say
 *   few_samples.c      ... of nodes of one function that have few samples each
 *   division.c    ticks of a node, divided among what its samples found
 *   children.c    which child of a node a frame belongs to
 *   tree.c        the thread's tree with its estimates
 */
#ifndef REPORT_MIXED_JOIN_H
#define REPORT_MIXED_JOIN_H

#include "file/data.h"
#include "file/samples_paths.h"
#include "lib/int_map.h"

#define JOIN_NONE UINT32_MAX

enum frame_kind {
	FRAME_NOT_LOOKED_UP,
	FRAME_PLAIN, /* a function without probes */
	FRAME_PROBED,
	FRAME_KERNEL,
	FRAME_PROBE,   /* of the runtime: what a probe executes */
	FRAME_STUB,    /* ... what counts a call */
	FRAME_RUNTIME, /* ... all the rest */
	FRAME_TRUNCATED,
};

/* A place of the sampled file, as the process's own file knows it. */
struct frame {
	uint8_t kind;	  /* enum frame_kind */
	uint32_t code;	  /* PROBED: of its ENTER sled */
	uint32_t site;	  /* code of the call site whose call it is in; 0: none */
	uint64_t address; /* of the function; 0: not known */
	const char *name;
	const char *callee; /* of a sample without a stack: its name at call sites; NULL: none */
};

/* Code that belongs to the recording, absolute: [start, end). */
struct own_code {
	uint64_t start, end;
	enum frame_kind kind;
};

/* Of a function, from a moment on. */
struct level {
	uint32_t next;	/* the function's change before this one, number + 1; 0: none */
	uint32_t epoch; /* number of changes until then */
	uint8_t is_timed;
	uint8_t has_calls; /* its calls are events */
};

struct join {
	struct data *data;
	const struct data *sampled; /* NULL: the threads have sampled themselves */
	const struct samples *samples;
	struct frame *frames; /* by place */
	size_t n_frames;
	struct int_map places; /* of addresses, of the threads' own samples */
	struct own_code *own;
	size_t n_own;
	uint64_t *changes; /* moments, in order */
	struct level *levels;
	size_t n_changes;
	struct int_map codes; /* of functions that were not always timed */
	uint32_t *last_level; /* of these: number + 1 */
	struct mixed_samples *counts;
	uint64_t from, to; /* chosen: samples of [from, to) */
	/* a sample's moment of its own clock, in ticks of the thread's */
	uint64_t begin_sampled, begin_timed;
	long double ticks_per_tick;
};

/* A node without a cell of the file: an estimate. */
struct estimate {
	uint32_t parent; /* node, or n_nodes + number of an estimate */
	uint32_t owner;	 /* the node whose time it has a part of */
	struct cinstr_cell cell;
	uint64_t n; /* samples */
};

/* Samples of a node of the tree. */
struct owned {
	uint64_t own, probes, stubs, estimated;
	uint64_t cut; /* of `own`: of stacks without their outer end, by their first function */
};

/* The nodes from below the root to that whose time it is. */
struct guide {
	uint32_t *nodes;
	uint32_t n; /* 0: the root */
	int is_known;
};

/* A beginning of a stack, and where it belongs. */
struct prefix {
	uint32_t parent; /* the prefix without its last frame; JOIN_NONE */
	uint32_t at;	 /* node, or n_nodes + number of an estimate */
	uint32_t via;	 /* where it was before, if `at` is a node that it has come to; JOIN_NONE */
	uint32_t site;	 /* of the last frame's call */
	/* node of a counted function passed over, whose activation may have been timed when it
	 * began, and goes on: what it called hangs there then; 0: none */
	uint32_t old;
	uint8_t kind;	   /* of the last frame: KERNEL is part of who called it */
	uint8_t is_silent; /* the last frame's calls are no events: what it called has no site */
	uint8_t is_truncated;
	uint8_t is_found;     /* ... and its first function with probes tells where it belongs */
	uint8_t is_entered;   /* `at`, a call, is that of the last frame, which has probes */
	uint8_t is_elsewhere; /* in another call than the one on the way to the node */
	uint8_t is_hidden;    /* in a function that is recorded by no means: it is part of `at` */
	uint32_t guide;	      /* its number + 1; 0: not known in whose time it is */
	uint32_t done;	      /* nodes of the guide that the stack has led to */
	uint64_t n;	      /* samples */
};

/* One thread being joined. */
struct projection {
	struct join *join;
	struct data_thread *thread;
	struct estimate *estimates;
	size_t n_estimates, size_estimates;
	struct map estimate_keys;
	struct prefix *prefixes;
	size_t n_prefixes, size_prefixes;
	struct int_map prefix_keys; /* (prefix, place), (JOIN_NONE, empty one) */
	struct int_map ends;	    /* (path of samples, when) -> ends_at */
	uint32_t *ends_at;
	size_t size_ends;
	uint32_t *places; /* of the stack at hand */
	size_t size_places;
	struct owned *owned; /* by node */
	uint32_t *hangs_at;  /* by node: its new parent, an estimate; JOIN_NONE */
	uint64_t *unplaced;  /* by place: samples without a stack, in no interval of the file */
	uint32_t n_unplaced;
	struct int_map guide_keys; /* cell -> guides */
	struct guide *guides;
	size_t n_guides, size_guides;
};

/* frames.c */
const struct frame *frame_at(struct join *join, uint32_t place);
void own_code_add(struct join *join, uint64_t start, uint64_t end, enum frame_kind kind);
/* FRAME_PLAIN: the address is not in the recording's code. module: path of its file; NULL: none. */
enum frame_kind own_code_kind(const struct join *join, const char *module, uint64_t address);
/* The frame is PROBED, if this function of the module is; its address is known. */
void frame_of_function(const struct module *module, const struct sampled_function *f, struct frame *frame);

/* levels.c */
void levels_make(struct join *join);
void levels_release(struct join *join);
/* Number of changes until then. */
uint32_t levels_epoch(const struct join *join, uint64_t ticks);
int level_has_calls(const struct join *join, uint32_t code, uint32_t epoch);
int level_is_timed(const struct join *join, uint32_t code, uint32_t epoch);
/* Whether the function was ever not timed. */
int level_has_changed(const struct join *join, uint32_t code);

/* projection.c */
void projection_make(struct projection *p, struct join *join, struct data_thread *thread);
void projection_release(struct projection *p);
/* The samples of a task. */
void projection_add(struct projection *p, uint32_t task);
int projection_is_in_time(const struct projection *p, uint64_t ticks);
/* A sample of which the innermost place alone is known. 0: nothing tells in whose time it was. */
int projection_add_one(struct projection *p, uint32_t place, uint64_t ticks);
/* What hangs where, when all are there. */
void projection_finish(struct projection *p);
uint32_t projection_owner(const struct projection *p, uint32_t at);
/* The estimate of a function on `parent`: made, if there is none. Its time is that of the node that
 * the parent is, or belongs to; or a part of another one's. */
uint32_t estimate_of(struct projection *p, uint32_t parent, const struct cinstr_cell *cell);
uint32_t estimate_owned(struct projection *p, uint32_t parent, const struct cinstr_cell *cell,
			uint32_t owner);
/* The stack comes to a node of the tree; to a counted function; to one without probes, of no
 * node. */
void projection_come_to(struct prefix *prefix, uint32_t node);
void projection_count(struct projection *p, struct prefix *prefix, const struct frame *frame);
void projection_plain(struct projection *p, struct prefix *prefix, const struct frame *frame);

/* guided.c */
/* Number of the guide to a cell of the file; JOIN_NONE: there is none. */
uint32_t guide_of(struct projection *p, uint32_t cell);
void guides_release(struct projection *p);
void guided_probed(struct projection *p, struct prefix *prefix, const struct frame *frame);
void guided_plain(struct projection *p, struct prefix *prefix, const struct frame *frame);
/* Where a sample with this stack belongs: a node, or an estimate. */
uint32_t guided_place(struct projection *p, const struct prefix *prefix);
/* The node that has the time of a sample in what probes execute. */
uint32_t guided_owner(const struct projection *p, const struct prefix *prefix);

/* self.c */
/* The samples that the thread has taken of itself. */
void self_samples_join(struct projection *p);

/* children.c */
/* The next child of a node, those of its source lines among them; 0: none. First: after 0. */
uint32_t child_after(const struct data_thread *thread, uint32_t node, uint32_t after);
/* The child for a timed function, called from `site`; 0: none. */
uint32_t child_timed(const struct projection *p, uint32_t node, uint32_t code, uint32_t site);
/* For a function without probes. */
uint32_t child_plain(const struct projection *p, uint32_t node, const struct frame *frame, uint32_t site,
		     int by_name);

/* short_intervals.c: ticks that samples have given to nodes with short intervals. */
struct short_intervals {
	uint32_t *region_of;	    /* by node: number + 1; 0: it keeps what it has measured */
	uint64_t *own;		    /* by node: its own, without probes */
	uint64_t *below;	    /* by node: of counted functions it has called, and stubs */
	uint64_t *probes;	    /* by node: what its probes have cost */
	struct mixed_pool *regions; /* what was divided, without the probes' samples and ticks */
	uint32_t n_regions;
	uint32_t n_short; /* the first of them, of nodes with short intervals */
};
void short_intervals_make(struct short_intervals *s, struct projection *p);
void short_intervals_release(struct short_intervals *s);

/* few_samples.c: adds regions of other nodes, of one function each. measured, cost: by node, ticks
 * on the processor, and those of its probes by the calibration. */
void few_samples_share(struct short_intervals *s, const struct projection *p, const uint64_t *measured,
		       const uint64_t *cost);

/* division.c */
/* Parts of `ticks`, one after another: together no more and no less. */
struct parts {
	uint64_t ticks, all, sum;
};
/* Returns the ticks of the next n of parts->all. */
uint64_t part_of(struct parts *parts, uint64_t n);
/* Ticks of a cell on the processor. */
uint64_t on_cpu_ticks(const struct data *data, const struct cinstr_cell *cell);
/* thread->mixed: the cells, and the time in them. */
void division_make(struct projection *p);

/* tree.c */
/* The thread's nodes, of the cells of thread->mixed. */
void tree_make(struct projection *p, const uint32_t *cell_of);

#endif
