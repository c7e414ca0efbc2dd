/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * thread_build.h - a thread of a data file while its tree is made: its cells, by index and by
 * number. Private to threads.c and threads_tree.c.
 */
#ifndef REPORT_FILE_THREAD_BUILD_H
#define REPORT_FILE_THREAD_BUILD_H

#include "cell_details.h"
#include "data.h"
#include "lib/search.h"
#include "runtime/fold/fold.h"

#define CELL_BYTES sizeof(struct cinstr_cell)
#define NONE UINT32_MAX

/* Cells [first, first + n) of the thread; the first has number `base` among all of its cells. */
struct range {
	uint32_t first, n;
	uint32_t base;
};

/* One thread being built. */
struct build {
	struct fold fold; /* must be first: callbacks of the fold cast it to struct build */
	struct data *data;
	struct data_thread *thread;
	/* The thread whose executed instructions are in the tree; NULL: the tree is of time. */
	const struct data_thread *counted;
	uint32_t owner;
	struct range *ranges; /* sorted by `first` */
	size_t n_ranges;
	struct range *near; /* range found last, which often contains the next cell, too */
	uint32_t n_cells;   /* numbers in use */
	size_t n_nodes;
	size_t n_flat;
};

static inline struct cinstr_cell *build_cell_at(const struct build *b, uint32_t index)
{
	return (struct cinstr_cell *)(void *)(b->data->memory + (uint64_t)index * CELL_BYTES);
}

static inline int build_is_node(const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	return (kind >= CINSTR_CELL_ROOT && kind <= CINSTR_CELL_MERGED && kind != CINSTR_CELL_BUCKET) ||
	       kind == CINSTR_CELL_LINE;
}

static inline int build_is_line(const struct cinstr_cell *cell)
{
	return CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_LINE;
}

static inline uint32_t build_number_found(const struct build *b, uint32_t index)
{
	size_t i;

	SEARCH(i, b->n_ranges, b->ranges[i].first + b->ranges[i].n > index);
	if (i == b->n_ranges || index < b->ranges[i].first)
		return NONE;
	*b->near = b->ranges[i];
	return b->ranges[i].base + (index - b->ranges[i].first);
}

/* Returns the number of the cell among the thread's cells; NONE if it is not one of them. */
static inline uint32_t build_number_of(const struct build *b, uint32_t index)
{
	if (index - b->near->first < b->near->n)
		return b->near->base + (index - b->near->first);
	return build_number_found(b, index);
}

/* Returns the node with this index; NULL if it is not one of this thread. */
static inline struct cinstr_cell *build_node_at(const struct build *b, uint32_t index)
{
	struct cinstr_cell *cell = build_number_of(b, index) == NONE ? NULL : build_cell_at(b, index);

	return cell && build_is_node(cell) ? cell : NULL;
}

/* Returns 1 for the index of a node, or of a FLAT cell, of this thread; else 0. */
static inline int build_has_path(const struct build *b, uint32_t index)
{
	return build_number_of(b, index) != NONE &&
	       (build_is_node(build_cell_at(b, index)) || details_is_flat(build_cell_at(b, index)));
}

/* moved.c: lists what the calls have read and written. Call it after the nodes are made. */
void threads_moved_make(const struct build *b);
/* tags.c */
/* Whether the cell is a tag (struct cinstr_tag_now) whose cells hang together: a fold may go on
 * with it. */
int threads_is_tag(const struct build *b, uint32_t index);
/* Makes the thread's list of tags. */
void threads_tags_make(const struct build *b);

/* threads_tree.c */
/* Makes the nodes of the tree in preorder, and finds the open ones. Returns 0, or -1 if some cells
 * are in a cycle and not reached from the root. */
int threads_nodes_make(struct build *b);
/* Lists the cells that are not part of the tree. */
void threads_flat_make(struct build *b);
/* Removes cells that are not nodes of the tree from the waits. */
void threads_awaited_check(const struct build *b);
/* Removes cells that are not nodes of the tree from the stretches. */
void threads_stretches_check(const struct build *b);

#endif
