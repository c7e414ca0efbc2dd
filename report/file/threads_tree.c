/* SPDX-License-Identifier: GPL-3.0-or-later */
/* threads_tree.c - see thread_build.h: makes nodes in preorder from checked cells. */
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "thread_build.h"

/* Links between the thread's cells, by number. */
struct links {
	uint32_t *child, *sibling; /* first child, next sibling; NONE */
	uint32_t *cell;		   /* index of the cell */
	uint32_t *node;		   /* number of its node */
};

/* All NONE. */
static uint32_t *links_array(const struct build *b)
{
	uint32_t *array = xrealloc(NULL, b->n_cells, sizeof(*array));

	return memset(array, 0xff, b->n_cells * sizeof(*array));
}

static void links_release(struct links *links)
{
	free(links->child);
	free(links->sibling);
	free(links->cell);
	free(links->node);
}

static void links_make(const struct build *b, struct links *links)
{
	*links = (struct links){ links_array(b), links_array(b), xrealloc(NULL, b->n_cells, sizeof(uint32_t)),
				 xrealloc(NULL, b->n_cells, sizeof(uint32_t)) };
	for (size_t r = b->n_ranges; r-- > 0;)
		for (uint32_t i = b->ranges[r].n; i-- > 0;) {
			uint32_t number = b->ranges[r].base + i, parent;
			const struct cinstr_cell *cell = build_cell_at(b, b->ranges[r].first + i);

			links->cell[number] = b->ranges[r].first + i;
			if (!build_is_node(cell) || !cell->parent)
				continue;
			parent = build_number_of(b, cell->parent);
			links->sibling[number] = links->child[parent];
			links->child[parent] = number;
		}
}

static uint32_t node_add(struct build *b, struct links *links, uint32_t number, uint32_t parent)
{
	struct data_thread *thread = b->thread;
	uint32_t at = (uint32_t)thread->n_nodes++;

	thread->nodes[at] = (struct data_node){ build_cell_at(b, links->cell[number]), parent, number };
	links->node[number] = at;
	return at;
}

/* Preorder; `last` holds the cell's number until its subtree is complete. */
static void nodes_walk(struct build *b, struct links *links)
{
	struct data_node *nodes = b->thread->nodes;
	uint32_t number = build_number_of(b, b->thread->record->root);
	uint32_t at = node_add(b, links, number, 0);

	for (;;) {
		if (links->child[number] != NONE) {
			number = links->child[number];
			at = node_add(b, links, number, at);
			continue;
		}
		while (at && links->sibling[number] == NONE) {
			nodes[at].last = (uint32_t)b->thread->n_nodes - 1;
			at = nodes[at].parent;
			number = nodes[at].last;
		}
		nodes[at].last = (uint32_t)b->thread->n_nodes - 1;
		if (!at)
			break;
		number = links->sibling[number];
		at = node_add(b, links, number, nodes[at].parent);
	}
}

/* The open activations as nodes: entries of the stack name cells, those of functions perhaps the
 * line they are in. */
static void open_make(struct build *b, const uint32_t *node_of)
{
	struct data_thread *thread = b->thread;
	const struct cinstr_thread *t = thread->record;
	const struct cinstr_open *open = (const void *)(b->data->memory + t->stack_offset);

	uint32_t depth = t->states[t->commit & 1].depth;

	thread->open = xcalloc(depth, sizeof(*thread->open));
	for (uint32_t i = 0; i < depth; i++) {
		const struct cinstr_cell *cell = build_cell_at(b, open[i].cell);
		uint32_t index = build_is_line(cell) ? cell->parent : open[i].cell;

		if (!details_is_flat(cell))
			thread->open[thread->n_open++] = node_of[build_number_of(b, index)];
		else if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FLAT_FRAME)
			thread->n_open_flat++;
	}
}

void threads_flat_make(struct build *b)
{
	struct data_thread *thread = b->thread;

	for (int pass = 0; pass < 2; pass++) {
		size_t n = 0;

		for (size_t r = 0; r < b->n_ranges; r++)
			for (uint32_t i = 0; i < b->ranges[r].n; i++) {
				const struct cinstr_cell *cell = build_cell_at(b, b->ranges[r].first + i);

				if (!details_is_flat(cell))
					continue;
				if (pass)
					thread->flat[n] = cell;
				n++;
			}
		if (!pass)
			thread->flat = xcalloc(n, sizeof(*thread->flat));
		thread->n_flat = n;
	}
}

int threads_nodes_make(struct build *b)
{
	struct data_thread *thread = b->thread;
	struct links links;

	links_make(b, &links);
	thread->nodes = xcalloc(b->n_nodes, sizeof(*thread->nodes));
	nodes_walk(b, &links);
	if (thread->n_nodes == b->n_nodes)
		open_make(b, links.node);
	links_release(&links);
	if (thread->n_nodes == b->n_nodes)
		return 0;
	free(thread->nodes);
	thread->nodes = NULL;
	return -1;
}

void threads_awaited_check(const struct build *b)
{
	struct awaited *awaited = &b->thread->awaited;

	for (size_t i = 0; i < awaited->n; i++)
		if (awaited->list[i].cell && !build_node_at(b, awaited->list[i].cell))
			awaited->list[i].cell = 0;
	if (b->thread->awaiting.cell && !build_node_at(b, b->thread->awaiting.cell))
		b->thread->awaiting.cell = 0;
}

void threads_stretches_check(const struct build *b)
{
	struct stretches *stretches = &b->thread->stretches;

	for (size_t i = 0; i < stretches->n; i++)
		if (stretches->list[i].cell && !build_node_at(b, stretches->list[i].cell))
			stretches->list[i].cell = 0;
}
