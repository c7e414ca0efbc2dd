/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * samples_paths.h - how the reader of sampled data files works (samples.h); for samples*.c, and
 * what follows one thread (timeline/samples_moments.c).
 *
 *   samples.c        the segments, checked: tasks, stacks, samples put in order of their tasks;
 *                    threads
 *   samples_names.c  what an address means: functions, places, inlined ones
 *   samples_tree.c   stacks as call paths, merged by function and place; the tree of a thread
 */
#ifndef REPORT_FILE_SAMPLES_PATHS_H
#define REPORT_FILE_SAMPLES_PATHS_H

#include "data.h"
#include "lib/int_map.h"
#include "lib/util.h"
#include "samples.h"

/*
 * A call path: a function called on another path, or a place in the function of its parent. Numbers
 * are in preorder once paths_finish() has been there; 0 is the root.
 */
struct samples_path {
	uint32_t parent;
	uint32_t what; /* number of the function or place * 2, + 1 of a place */
};

struct samples {
	struct map strings, functions, places, addresses;
	uint32_t *chains; /* of each address: places, outermost first */
	size_t n_chains, size_chains;
	struct samples_chain *chain_of; /* by address */
	size_t size_chain_of;
	size_t size_functions, size_places;

	struct samples_path *paths;
	size_t n_paths, size_paths;
	struct int_map path_numbers; /* (parent, what) -> number - 1. While paths are added */
	uint32_t *path_of;	     /* by number of the stack node; 0: of a sample without one */
	uint32_t n_stacks;

	const struct cinstr_task **tasks;
	uint32_t n_tasks;
	uint64_t *first;	       /* by task, and one more: its samples among these: */
	uint64_t *ticks;	       /* in order of time within a task */
	uint32_t *paths_at;	       /* path of each */
	struct cinstr_thread *records; /* by task */
	uint64_t from, to;	       /* chosen by samples_select() */

	/* While a tree is made, by path: */
	uint64_t *counts;
	uint32_t *node_of; /* number of its node; 0: not in the tree */
	uint32_t *used;
	/* that there may be in all trees: a damaged file cannot ask for more */
	uint64_t nodes_left;
};

/* Places of an address: chains[first] ... */
struct samples_chain {
	uint32_t first, n;
};

/* samples_names.c */
struct samples_naming;
struct samples_naming *samples_naming_new(struct data *data);
/* is_live: what is not there may still come. */
void samples_naming_release(struct samples_naming *naming, int is_live);
/* What is executed at a stack node; never empty. */
struct samples_chain samples_chain_of(struct samples_naming *naming, uint32_t module, uint64_t address);
/* The number of the function that stands for missing frames. */
uint32_t samples_truncated(struct samples_naming *naming);

/* samples_tree.c */
/* The path of the function, or place, on another one. UINT32_MAX: there are too many. */
uint32_t samples_path_add(struct samples *samples, uint32_t parent, uint32_t what);
/* Gives them their final numbers, and puts these into list[n]. */
void samples_paths_finish(struct samples *samples, uint32_t *list, uint64_t n);
/* The thread's tree of the samples of [from, to): nodes and cells. 0: it would be too large, and
 * holds no callers. */
int samples_tree(const struct data *data, struct data_thread *thread, uint64_t from, uint64_t to);
void samples_trees_begin(const struct data *data);

#endif
