/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * export_tree.h - the call paths of a session as the formats for trees want them: every path with
 * its exclusive values, as whole numbers.
 *
 * Values of all threads are merged where paths are the same. They are rounded so that the sum over
 * all paths of a function is what cinstr report --format=csv says of the function, to the unit:
 * each path gets what the function's sum, rounded, grows by when the path is added.
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
	/* how it got there, if it is in an inlined function: "f\tfile\tline\n" of each level,
	 * innermost first; NULL: it is not */
	const char *inlined;
};

/* An executable or library; its path is its key in module_numbers. */
struct tree_module {
	uint64_t start, end; /* of its code, in the first process that had it */
	uint8_t build_id[32];
	uint32_t build_id_bytes;
};

/* Where a part of the tree comes from, if parts are kept apart. */
struct tree_origin {
	uint32_t pid, tid;
	uint32_t process_number, twin; /* struct data */
	uint64_t start_realtime_ns;    /* of its process */
	const char *process, *thread;
	const char *phase; /* NULL: there are no marks */
};

enum tree_kind {
	TREE_ROOT,
	TREE_ORIGIN,
	TREE_FUNCTION,
	TREE_LINE, /* what its parent, a function, has itself at that place */
};

/* What a node is. */
struct tree_item {
	enum tree_kind kind;
	uint32_t entity; /* of the profile's names; of an origin: its number; the root: TREE_NONE */
	uint32_t place;	 /* of a function: where it is called, in its caller */
};

/* Nodes are numbered in order of creation, so parents have lower numbers; 0 is the root of all. */
struct tree_node {
	uint32_t parent, item;
};

struct export_tree;

/* What its values are; of those that probes have told of each call, nothing. */
enum {
	TREE_CALLS_LEAST = 1,	 /* there may be more calls: some were only counted */
	TREE_ESTIMATE = 2,	 /* its own time, or a part of it, is of samples */
	TREE_TIMED = 4,		 /* ... was timed */
	TREE_TOTAL_ESTIMATE = 8, /* likewise of its inclusive time */
};

/* How it is to be read. */
struct tree_choice {
	struct measures measures;
	int has_lines;	 /* calls from different lines are different paths; values by line */
	int has_origins; /* paths of different threads, and phases, are kept apart */
	/*
	 * Else NULL: gets the nodes that a thread, or a phase of it, has given values to, and takes
	 * these out of the tree (tree_take_values()). What belongs to no thread comes last, without
	 * an addition.
	 */
	void (*take)(void *arg, struct export_tree *tree, const struct addition *a, const char *phase);
	void *take_arg;
	/* Else NULL: gets each thread before it is added. */
	void (*look)(void *arg, struct export_tree *tree, const struct addition *a);
	void *look_arg;
};

struct export_tree {
	struct profile profile; /* names, totals */
	struct tree_choice choice;
	unsigned n_values; /* of a node: the measures that the session has */
	enum export_by by;
	int is_wrong; /* it has not what was asked for */
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
	char *filter;		/* what was filtered, in words; NULL: nothing */
	struct int_map numbers; /* (parent, item) -> number - 1 */
	struct map item_numbers, place_numbers, origin_numbers, module_numbers;
	struct tree_reading *reading; /* tree_thread.c */
};

/*
 * Reads session `number` of the job. An exit status. After STATUS_USAGE, and if tree->n is 0, there
 * is nothing in it. Release it in every case.
 */
int export_tree_read(struct export_tree *tree, struct export_job *job, size_t number,
		     const struct tree_choice *choice);
void export_tree_release(struct export_tree *tree);

/* Reads the session of the job, and has `write` write what is in it. An exit status. */
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
/* Of a function's node, or a line's: the function. */
static inline const struct entity *tree_entity(const struct export_tree *tree, size_t node)
{
	return &tree->profile.names->list[tree_item(tree, node)->entity];
}
/* Whether the node has any value of its own. */
int tree_has_values(const struct export_tree *tree, size_t node);
/* Which of a node's values it is; -1: it is not among them. */
int tree_value_number(const struct export_tree *tree, enum export_measure measure);
/* May the function have more calls than all of its nodes together? */
int tree_has_calls_least(const struct export_tree *tree, uint32_t entity);
/* Looks up where functions are defined that no table tells of. */
void tree_resolve(struct export_tree *tree);

/* The nodes, each behind its parent and before what is not below it; the caller frees it. */
uint32_t *tree_preorder(const struct export_tree *tree);
/* Sums of each node's values and those of all below, n_values of each; the caller frees it. */
uint64_t *tree_inclusive(const struct export_tree *tree);

/* ---- for those who make it ------------------------------------------------------------------- */

uint32_t tree_node_of(struct export_tree *tree, uint32_t parent, enum tree_kind kind, uint32_t entity,
		      uint32_t place);
uint32_t tree_node_made_up(struct export_tree *tree, uint32_t parent, const char *name);
/* The number of a thread, or a phase of it, among the origins. */
uint32_t tree_origin_of(struct export_tree *tree, const struct addition *a, const char *phase);
/* All that nodes have got so far was taken. */
void tree_take_values(struct export_tree *tree);
/* Strings that live as long as the tree's names. */
uint32_t tree_place_of(struct export_tree *tree, const char *file, uint32_t line, const char *inlined);
/* "f\tfile\tline\n" of each level, kept, with files as names_file() has them; NULL: of none. */
const char *tree_levels(struct export_tree *tree, const char *comp_dir, const char *levels);
/* tree_thread.c: adds a thread (struct profile: each). */
void tree_add_thread(void *arg, const struct addition *a);
void tree_reading_release(struct export_tree *tree);
/* Behind the last thread. */
void tree_add_end(struct export_tree *tree);

#endif
