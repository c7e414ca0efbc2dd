/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * samples_paths.h - internals of the reader of sampled data files (samples.h); for samples*.c, and
 * for timeline/samples_moments.c, which follows one thread.
 *
 *  samples.c        segments, checked: tasks, stacks, samples sorted by task; threads
 *  samples_names.c  the meaning of an address: functions, places, inlined ones
 *  samples_tree.c   stacks as call paths, merged by function and place; the tree of a thread
 */
#ifndef REPORT_FILE_SAMPLES_PATHS_H
#define REPORT_FILE_SAMPLES_PATHS_H

#include "data.h"
#include "lib/int_map.h"
#include "lib/util.h"
#include "samples.h"

/* A call path: a function called on another path, or a place in the function of its parent. After
 * samples_paths_finish() numbers are in preorder; 0 is the root. */
struct samples_path {
	uint32_t parent;
	uint32_t what; /* index of the function * 2, or of the place * 2 + 1 */
};

struct samples {
	struct map strings, functions, places, addresses;
	uint32_t *chains; /* places of each address, outermost first */
	size_t n_chains, size_chains;
	struct samples_chain *chain_of; /* indexed by address */
	size_t size_chain_of;
	size_t size_functions, size_places;

	struct samples_path *paths;
	size_t n_paths, size_paths;
	struct int_map path_numbers; /* (parent, what) -> number - 1; while paths are added */
	uint32_t *path_of;	     /* indexed by stack node; 0: of a sample without a stack */
	uint32_t n_stacks;

	const struct cinstr_task **tasks;
	uint32_t n_tasks;
	/* [n_tasks + 1]: index of its first sample in the next two */
	uint64_t *first;
	uint64_t *ticks;	       /* sorted by time within a task */
	uint32_t *paths_at;	       /* path of each sample */
	struct cinstr_thread *records; /* by task */
	uint64_t from, to;	       /* set by samples_select() */

	/* Valid while a tree is made, indexed by path: */
	uint64_t *counts;
	uint32_t *node_of; /* index of its node; 0: not in the tree */
	uint32_t *used;
	/* Nodes that all trees may still have, so that a damaged file cannot exhaust memory. */
	uint64_t nodes_left;
};

/* Places of an address: chains[first .. first + n). */
struct samples_chain {
	uint32_t first, n;
};

/* samples_names.c */
struct samples_naming;
struct samples_naming *samples_naming_new(struct data *data);
/* is_live: missing parts of the file may still come and are no problem. */
void samples_naming_release(struct samples_naming *naming, int is_live);
/* Returns the places executed at a stack node; never empty. */
struct samples_chain samples_chain_of(struct samples_naming *naming, uint32_t module, uint64_t address);
/* Returns the index of the function that stands for missing frames. */
uint32_t samples_truncated(struct samples_naming *naming);

/* samples_tree.c */
/* Returns the path of a function or place on another path, adding it if needed; UINT32_MAX: there
 * are too many. */
uint32_t samples_path_add(struct samples *samples, uint32_t parent, uint32_t what);
/* Gives the paths their final numbers, and replaces those in list[n]. */
void samples_paths_finish(struct samples *samples, uint32_t *list, uint64_t n);
/* Makes the thread's nodes and cells from its samples in [from, to). Returns 1, or 0 if the tree
 * would be too large; it then has only a root. */
int samples_tree(const struct data *data, struct data_thread *thread, uint64_t from, uint64_t to);
void samples_trees_begin(const struct data *data);

#endif
