/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * join.h - joins the samples of a process with the trees of its timed threads (mixed_join.h); for
 * the files of this room.
 *
 *   frames.c      what a place of a stack is to the runtime: a function with probes, or without
 *   levels.c      whether a function was timed at a moment
 *   projection.c  the node of a thread's tree that a stack belongs to
 *   guided.c      ... if the file shows in whose time the sample was taken
 *   hanging.c     the nodes that hang below estimates
 *   inside.c      calls that a library's function was executed for, if there are no stacks
 *   self.c        samples without stacks that threads took of themselves
 *   short_intervals.c  ticks of nodes with short intervals, by samples
 *   few_samples.c      ... of nodes of one function that have few samples each
 *   division.c    divides the ticks of a node among what its samples found
 *   children.c    the child of a node that a frame belongs to
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
	FRAME_PROBE,   /* code of the runtime that a probe executes */
	FRAME_STUB,    /* ... that counts a call */
	FRAME_RUNTIME, /* ... any other */
	FRAME_TRUNCATED,
};

/* A place of the sampled file, in terms of the process's own file. */
struct frame {
	uint8_t kind;	  /* enum frame_kind */
	uint32_t code;	  /* PROBED: code of its ENTER sled */
	uint32_t site;	  /* code of the call site of the call that it is in; 0: none */
	uint64_t address; /* address of the function; 0: not known */
	const char *name;
	const char *callee; /* for a sample without a stack, its name at call sites; NULL: none */
};

/* Code of the recording, absolute addresses [start, end). */
struct own_code {
	uint64_t start, end;
	enum frame_kind kind;
};

/* The state of a function from a moment on. */
struct level {
	uint32_t next;	/* index + 1 of the function's change before this one; 0: none */
	uint32_t epoch; /* number of changes up to then */
	uint8_t is_timed;
	uint8_t has_calls; /* its calls are events */
};

struct join {
	struct data *data;
	const struct data *sampled; /* NULL: the threads sampled themselves */
	const struct samples *samples;
	struct frame *frames; /* by place */
	size_t n_frames;
	struct int_map places; /* address -> place, for the threads' own samples */
	struct inside *inside; /* of these, too; NULL: not needed yet */
	struct own_code *own;
	size_t n_own;
	uint64_t *changes; /* moments, ascending, in ticks */
	struct level *levels;
	size_t n_changes;
	struct int_map codes; /* functions that were not always timed */
	uint32_t *last_level; /* by index in `codes`: index + 1 of the function's last level */
	struct mixed_samples *counts;
	uint64_t from, to; /* chosen range: samples of [from, to) */
	/* convert a sample's moment, by its own clock, to ticks of the thread */
	uint64_t begin_sampled, begin_timed;
	long double ticks_per_tick;
};

/* An estimate: a node without a cell of the file. */
struct estimate {
	uint32_t parent; /* node, or n_nodes + index of an estimate */
	uint32_t owner;	 /* the node of whose time it has a part */
	struct cinstr_cell cell;
	uint64_t n; /* samples */
};

/* Samples of a node of the tree. */
struct owned {
	uint64_t own, probes, stubs, estimated;
	/* those of `own` whose callers are not known: from stacks without their outer end, placed
	 * by their first function, and from stacks that the tree does not have */
	uint64_t cut;
};

/* The nodes from below the root to the node whose time it is. */
struct guide {
	uint32_t *nodes;
	uint32_t n; /* 0: the root */
	int is_known;
};

/* The outermost frames of a stack, and where they belong. Stacks that begin alike share prefixes:
 * the prefix main;f of main;f;g and main;f;h is looked up once. */
struct prefix {
	uint32_t parent; /* the prefix without its last frame; JOIN_NONE: none */
	uint32_t at;	 /* node, or n_nodes + index of an estimate */
	/* previous `at`, if `at` is a node that the stack has come to; JOIN_NONE */
	uint32_t via;
	uint32_t site; /* call site that the last frame is in */
	/* node of a counted function that was passed over, whose activation may have been timed
	 * when it began, and continues: its callees then hang there; 0: none */
	uint32_t old;
	uint8_t kind;	   /* the last frame's; KERNEL is part of its caller */
	uint8_t is_silent; /* calls of the last frame are no events: its callee has no site */
	uint8_t is_truncated;
	uint8_t is_found; /* ... and its first function with probes shows where it belongs */
	/* `at` is a call, which is that of the last frame, which has probes */
	uint8_t is_entered;
	uint8_t is_elsewhere; /* in a call other than the one on the way to the node */
	uint8_t is_hidden;    /* in a function that is not recorded at all: part of `at` */
	uint8_t is_apart;     /* `at` is its function's largest node: the caller is not known */
	uint32_t guide;	      /* index of its guide + 1; 0: it is not known in whose time it is */
	uint32_t done;	      /* number of the guide's nodes that the stack has reached */
	uint64_t n;	      /* samples */
};

/* A thread being joined. */
struct projection {
	struct join *join;
	struct data_thread *thread;
	struct estimate *estimates;
	size_t n_estimates, size_estimates;
	struct map estimate_keys;
	struct prefix *prefixes;
	size_t n_prefixes, size_prefixes;
	/* (prefix, place) -> prefix; (JOIN_NONE, ...) -> an empty one */
	struct int_map prefix_keys;
	struct int_map ends; /* (path of samples, when) -> index in ends_at */
	uint32_t *ends_at;
	size_t size_ends;
	uint32_t *places; /* places of the current stack */
	size_t size_places;
	struct owned *owned; /* by node */
	uint32_t *hangs_at;  /* by node: its new parent, an estimate; JOIN_NONE: it has none */
	/* by place: samples without a stack that are in no interval of the file */
	uint64_t *unplaced;
	uint32_t n_unplaced;
	struct int_map largest_keys; /* function -> index in largest, its node with the most time */
	uint32_t *largest;
	size_t size_largest;
	struct int_map guide_keys; /* cell -> index in guides */
	struct guide *guides;
	size_t n_guides, size_guides;
};

/* frames.c */
const struct frame *frame_at(struct join *join, uint32_t place);
void own_code_add(struct join *join, uint64_t start, uint64_t end, enum frame_kind kind);
/* Returns the kind of code at this address; FRAME_PLAIN: it is not the recording's. module: path of
 * its file; NULL: none. */
enum frame_kind own_code_kind(const struct join *join, const char *module, uint64_t address);
/* Makes the frame PROBED if this function of the module is. The frame's address must be set. */
void frame_of_function(const struct module *module, const struct sampled_function *f, struct frame *frame);

/* levels.c */
void levels_make(struct join *join);
void levels_release(struct join *join);
/* Returns the number of changes up to this moment. */
uint32_t levels_epoch(const struct join *join, uint64_t ticks);
int level_has_calls(const struct join *join, uint32_t code, uint32_t epoch);
int level_is_timed(const struct join *join, uint32_t code, uint32_t epoch);
/* Whether the function was not timed at some moment. */
int level_has_changed(const struct join *join, uint32_t code);

/* projection.c */
void projection_make(struct projection *p, struct join *join, struct data_thread *thread);
void projection_release(struct projection *p);
/* Adds the samples of a task. */
void projection_add(struct projection *p, uint32_t task);
int projection_is_in_time(const struct projection *p, uint64_t ticks);
/* Adds a sample of which only the innermost place is known. Returns 0 if nothing shows in whose
 * time it was taken. */
int projection_add_one(struct projection *p, uint32_t place, uint64_t ticks);
/* Returns the node that called a node; a source line is part of its function's node. */
uint32_t projection_caller(const struct projection *p, uint32_t node);
uint32_t projection_owner(const struct projection *p, uint32_t at);
/* Return the estimate of a function on `parent`, which is made if needed. Its time is a part of
 * that of the node that the parent is, or belongs to; or of the node `owner`. */
uint32_t estimate_of(struct projection *p, uint32_t parent, const struct cinstr_cell *cell);
uint32_t estimate_owned(struct projection *p, uint32_t parent, const struct cinstr_cell *cell,
			uint32_t owner);
/* Move the prefix to a node of the tree; to a counted function; to a function without probes, which
 * has no node. */
void projection_come_to(struct prefix *prefix, uint32_t node);
void projection_count(struct projection *p, struct prefix *prefix, const struct frame *frame);
void projection_plain(struct projection *p, struct prefix *prefix, const struct frame *frame);

/* guided.c */
/* Returns the index of the guide to a cell of the file, or JOIN_NONE. */
uint32_t guide_of(struct projection *p, uint32_t cell);
void guides_release(struct projection *p);
void guided_probed(struct projection *p, struct prefix *prefix, const struct frame *frame);
void guided_plain(struct projection *p, struct prefix *prefix, const struct frame *frame);
/* Returns the node or estimate that a sample with this stack belongs to. */
uint32_t guided_place(struct projection *p, const struct prefix *prefix);
/* Returns the node that has the time of a sample in code of a probe. */
uint32_t guided_owner(const struct projection *p, const struct prefix *prefix);

/* hanging.c */
/* Finds the new parents of nodes, when all samples have been added. */
void hanging_find(struct projection *p);

/* inside.c */
#define INSIDE_PARTS 4
/* The callees that lead to a function of a library, those with most calls first. */
struct inside_found {
	struct inside_part {
		const char *callee; /* by the name that the program calls it by */
		uint64_t address;
		uint64_t weight; /* calls, fewer for each function in between */
		uint64_t given;	 /* samples of places that are divided */
		uint32_t place;	 /* of the callee; JOIN_NONE: it has none yet */
	} parts[INSIDE_PARTS];
	size_t n;
};
/* Returns what leads to the code at `link` of a library, or NULL: no call by name does, or those of
 * `callee`, which begins at callee_link, are the ones (NULL, 0: its name tells of none). */
struct inside_found *inside_find(struct join *join, const struct module *module, uint64_t link,
				 const char *callee, uint64_t callee_link);
/* Divides the samples of a place among the parts' places. */
void inside_divide(struct join *join, uint32_t place, struct inside_found *found);
/* Returns the place that the next sample of this place belongs to. */
uint32_t inside_next(const struct join *join, uint32_t place);
void inside_release(struct join *join);

/* self.c */
/* Joins the samples that the thread took of itself. */
void self_samples_join(struct projection *p);

/* children.c */
/* Returns the child of a node that follows `after` (0: the first), or 0. Children of the node's
 * source lines are among them, the lines are not. */
uint32_t child_after(const struct data_thread *thread, uint32_t node, uint32_t after);
/* Returns the child for a timed function called from `site`, or the MERGED child; 0: none. */
uint32_t child_timed(const struct projection *p, uint32_t node, uint32_t code, uint32_t site);
/* Returns the child for a function without probes; 0: none. by_name: its site may be another
 * one. */
uint32_t child_plain(const struct projection *p, uint32_t node, const struct frame *frame, uint32_t site,
		     int by_name);

/* short_intervals.c: ticks that samples gave to nodes with short intervals. */
struct short_intervals {
	/* by node: index of its region + 1; 0: it keeps its measured ticks */
	uint32_t *region_of;
	uint64_t *own; /* by node: own ticks, without probes */
	/* by node: ticks of counted functions that it called, and of stubs */
	uint64_t *below;
	uint64_t *probes;	    /* by node: ticks of its probes */
	struct mixed_pool *regions; /* the amounts divided, without samples and ticks of probes */
	uint32_t n_regions;
	uint32_t n_short; /* the first regions, which are of nodes with short intervals */
};
void short_intervals_make(struct short_intervals *s, struct projection *p);
void short_intervals_release(struct short_intervals *s);

/* few_samples.c: adds regions of other nodes, each of one function. measured, cost: by node, ticks
 * on the processor, and ticks of its probes by the calibration. */
void few_samples_share(struct short_intervals *s, const struct projection *p, const uint64_t *measured,
		       const uint64_t *cost);

/* division.c */
/* Consecutive parts of `ticks` that add up exactly. */
struct parts {
	uint64_t ticks, all, sum;
};
/* Returns the ticks for the next n of parts->all. */
uint64_t division_part(struct parts *parts, uint64_t n);
/* Returns a cell's ticks on the processor. */
uint64_t division_on_cpu(const struct data *data, const struct cinstr_cell *cell);
/* Makes thread->mixed: the cells, and their time. */
void division_make(struct projection *p);

/* tree.c */
/* Rebuilds the thread's nodes from the cells of thread->mixed. */
void tree_make(struct projection *p, const uint32_t *cell_of);

#endif
