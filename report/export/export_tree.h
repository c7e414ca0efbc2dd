/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * export_tree.h - the call paths of a session for formats of trees: every path with its exclusive
 * values as integers.
 *
 * Paths that are the same in several threads are merged. Values are rounded such that the sum over
 * all paths of a function equals the function's value in cinstr report --format=csv: each path gets
 * the increase of the function's rounded sum when the path is added.
 */
#ifndef REPORT_EXPORT_EXPORT_TREE_H
#define REPORT_EXPORT_EXPORT_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "lib/int_map.h"

#define TREE_NONE UINT32_MAX
#define TREE_OUTSIDE "[outside any function]"
#define TREE_COUNTED "[calls that were only counted]"

/* A place in a source file; number 0: not known. */
struct tree_place {
	const char *file;
	uint32_t line;
	/* If it is in an inlined function: the levels of inlining, "f\tfile\tline\n", innermost
	 * first; else NULL. */
	const char *inlined;
};

/* An executable or library; its path is its key in module_numbers. */
struct tree_module {
	uint64_t start, end; /* of its code, in the first process that had it */
	uint8_t build_id[32];
	uint32_t build_id_bytes;
};

/* The source of a part of the tree, if parts are kept apart. */
struct tree_origin {
	uint32_t pid, tid;
	uint32_t process_number, twin; /* struct data */
	uint64_t start_realtime_ns;    /* start of its process */
	const char *process, *thread;
	const char *phase; /* NULL: there are no marks */
};

enum tree_kind {
	TREE_ROOT,
	TREE_ORIGIN,
	TREE_FUNCTION,
	TREE_LINE, /* exclusive values of its parent, a function, at that place */
};

/* The thing that a node stands for. */
struct tree_item {
	enum tree_kind kind;
	/* index in the profile's names; of an origin, its index; root: TREE_NONE */
	uint32_t entity;
	uint32_t place; /* of a function: the place in its caller where it is called */
};

/* Nodes are numbered in order of creation, so parents have lower numbers; 0 is the root. */
struct tree_node {
	uint32_t parent, item;
};

struct export_tree;

/* Marks of a node's values; none if probes timed each call. */
enum {
	TREE_CALLS_LEAST = 1,	 /* there may be more calls: some were only counted */
	TREE_ESTIMATE = 2,	 /* its own time is from samples, or its count a share by calls */
	TREE_TIMED = 4,		 /* its own time was measured by probes */
	TREE_TOTAL_ESTIMATE = 8, /* its inclusive time is from samples */
	TREE_JUMPED = 16,	 /* some of its calls were jumps: tail calls */
};

/* How to read the tree. */
struct tree_choice {
	struct measures measures;
	int has_lines;	   /* separate paths for calls from different lines; values by line */
	int has_origins;   /* separate paths for different threads and phases */
	int has_functions; /* tree->functions is read, too */
	int has_own;	   /* so are tree->tags and tree->counts (own_values.h) */
	/* Called with the nodes to which a thread, or one of its phases, has added values; takes
	 * them out of the tree (tree_take_values()). Values of no thread come last, without an
	 * addition. NULL: none. */
	void (*take)(void *arg, struct export_tree *tree, const struct addition *a, const char *phase);
	void *take_arg;
	/* Called with each thread before it is added. NULL: none. */
	void (*look)(void *arg, struct export_tree *tree, const struct addition *a);
	void *look_arg;
	/* Called with each process after its threads. NULL: none. */
	void (*visit)(void *arg, const struct data *data);
	void *visit_arg;
};

struct export_tree {
	struct profile profile;	  /* names, totals */
	struct profile functions; /* with has_functions: rows by function (function_facts.h) */
	uint32_t *function_rows;  /* by entity: its row + 1; function_facts.c makes it */
	size_t n_function_rows;
	struct tag_facts tags; /* with has_own, sorted: values of the program's own */
	struct count_facts counts;
	struct tree_choice choice;
	unsigned n_values; /* values per node: the measures that the session has */
	enum export_by by;
	int is_wrong; /* the session lacks what was requested */
	struct tree_node *nodes;
	uint64_t *values; /* n_values of each node: exclusive */
	uint8_t *marks;	  /* of each node: TREE_CALLS_LEAST, ... */
	uint8_t all_marks;
	size_t n, size;
	struct tree_item *items;
	size_t size_items;
	struct tree_place *places;
	size_t size_places;
	struct tree_origin *origins;
	size_t n_origins, size_origins;
	uint32_t *touched; /* for choice.take: nodes that have got values */
	size_t n_touched, size_touched;
	struct tree_module *modules; /* only with has_origins */
	size_t size_modules;
	char *filter;		/* the filter in words; NULL: none */
	struct int_map numbers; /* (parent, item) -> number - 1 */
	struct map item_numbers, place_numbers, origin_numbers, module_numbers;
	struct tree_reading *reading; /* tree_thread.c */
};

/* Reads session `number` of the job. Returns an exit status. After STATUS_USAGE, or if tree->n is
 * 0, it is empty. Release it in every case. */
int export_tree_read(struct export_tree *tree, struct export_job *job, size_t number,
		     const struct tree_choice *choice);
void export_tree_release(struct export_tree *tree);

/* Reads the session of the job and calls `write`. Returns an exit status. */
int export_tree_write(struct export_job *job, const struct tree_choice *choice,
		      int (*write)(struct export_job *job, struct export_tree *tree));

static inline const uint64_t *tree_values(const struct export_tree *tree, size_t node)
{
	return tree->values + node * tree->n_values;
}
static inline const struct tree_item *tree_item(const struct export_tree *tree, size_t node)
{
	return &tree->items[tree->nodes[node].item];
}
/* Returns the function of a function's or line's node. */
static inline const struct entity *tree_entity(const struct export_tree *tree, size_t node)
{
	return &tree->profile.names->list[tree_item(tree, node)->entity];
}
/* Whether the node has exclusive values. */
int tree_has_values(const struct export_tree *tree, size_t node);
/* Returns the index of a measure in a node's values, or -1. */
int tree_value_number(const struct export_tree *tree, enum export_measure measure);
/* Whether the function may have more calls than all its nodes together. */
int tree_has_calls_least(const struct export_tree *tree, uint32_t entity);
/* Return what the node's calls are ("exact", "at least"), and where its exclusive time comes from
 * ("timed", "estimate", "both"; NULL: it has none), in the words of csv. */
const char *tree_calls_bound(const struct export_tree *tree, size_t node);
const char *tree_source(const struct export_tree *tree, size_t node);
/* Looks up source files and lines of functions that the modules' tables do not contain. */
void tree_resolve(struct export_tree *tree);

/* Returns the nodes in preorder; the caller frees the list. */
uint32_t *tree_preorder(const struct export_tree *tree);
/* Returns the inclusive values of all nodes, n_values of each; the caller frees them. */
uint64_t *tree_inclusive(const struct export_tree *tree);

/* ---- for the makers of a tree --------------------------------------------------------------- */

uint32_t tree_node_of(struct export_tree *tree, uint32_t parent, enum tree_kind kind, uint32_t entity,
		      uint32_t place);
uint32_t tree_node_made_up(struct export_tree *tree, uint32_t parent, const char *name);
/* Returns the index of the origin of a thread, or of one of its phases, adding it if needed. */
uint32_t tree_origin_of(struct export_tree *tree, const struct addition *a, const char *phase);
/* Notes for choice.take that the node has got values. */
void tree_touch(struct export_tree *tree, uint32_t node);
/* Sets the values that nodes have got since the last call to 0. */
void tree_take_values(struct export_tree *tree);
/* Returns the index of a place, adding it if needed. The strings must live as long as the tree's
 * names. */
uint32_t tree_place_of(struct export_tree *tree, const char *file, uint32_t line, const char *inlined);
/* Returns "f\tfile\tline\n" of each level with files as in names_file(), owned by the tree's names;
 * NULL if there are none. */
const char *tree_levels(struct export_tree *tree, const char *comp_dir, const char *levels);
/* Returns which of the node's counts are shares by calls, or estimated as a whole: TREE_ESTIMATE or
 * TREE_TIMED, and TREE_TOTAL_ESTIMATE. */
unsigned tree_share_marks(const struct addition *a, uint32_t node);
/* tree_thread.c: adds a thread. For struct profile's `each`. */
void tree_add_thread(void *arg, const struct addition *a);
void tree_reading_release(struct export_tree *tree);
/* To be called after the last thread: adds the calls that were only counted. */
void tree_add_end(struct export_tree *tree);

#endif
