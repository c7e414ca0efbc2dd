/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree.c - rebuilds the thread's nodes in preorder: with estimates after the nodes that were there,
 * and the callees of counted functions below these (join.h). */
#include <stdlib.h>
#include <string.h>

#include "join.h"

/* Of nodes, then estimates: first child, next sibling, parent; 0: none. */
struct links {
	uint32_t *child, *last_child, *sibling, *parent;
	uint32_t *node; /* number in the new tree */
};

static void link_to(struct links *links, uint32_t i, uint32_t parent)
{
	links->parent[i] = parent;
	if (links->child[parent])
		links->sibling[links->last_child[parent]] = i;
	else
		links->child[parent] = i;
	links->last_child[parent] = i;
}

static void links_make(const struct projection *p, struct links *links)
{
	size_t n_nodes = p->thread->n_nodes, n = n_nodes + p->n_estimates;

	links->child = xcalloc(n, sizeof(uint32_t));
	links->last_child = xcalloc(n, sizeof(uint32_t));
	links->sibling = xcalloc(n, sizeof(uint32_t));
	links->parent = xcalloc(n, sizeof(uint32_t));
	links->node = xcalloc(n, sizeof(uint32_t));
	for (uint32_t i = 1; i < n_nodes; i++)
		link_to(links, i, p->hangs_at[i] == JOIN_NONE ? p->thread->nodes[i].parent : p->hangs_at[i]);
	for (uint32_t i = 0; i < p->n_estimates; i++)
		link_to(links, (uint32_t)n_nodes + i, p->estimates[i].parent);
}

static void links_release(struct links *links)
{
	free(links->child);
	free(links->last_child);
	free(links->sibling);
	free(links->parent);
	free(links->node);
}

static const struct cinstr_cell *cell_at(const struct projection *p, const uint32_t *cell_of, uint32_t i)
{
	return cell_of[i] == JOIN_NONE ? p->thread->nodes[i].cell : &p->thread->mixed->cells[cell_of[i]];
}

/* 0: `i` and what it called was the last. */
static uint32_t next_up(const struct links *links, uint32_t i, struct data_node *nodes, uint32_t n)
{
	for (;;) {
		nodes[links->node[i]].last = n - 1;
		if (!i || links->sibling[i])
			return i ? links->sibling[i] : 0;
		i = links->parent[i];
	}
}

static struct data_node *nodes_make(const struct projection *p, const uint32_t *cell_of, struct links *links)
{
	size_t size = p->thread->n_nodes + p->n_estimates;
	struct data_node *nodes = xcalloc(size, sizeof(*nodes));
	uint32_t n = 0, i = 0;

	do {
		links->node[i] = n;
		nodes[n++] = (struct data_node){ cell_at(p, cell_of, i),
						 i ? links->node[links->parent[i]] : 0, n };
		i = links->child[i] ? links->child[i] : next_up(links, i, nodes, n);
	} while (i);
	return nodes;
}

void tree_make(struct projection *p, const uint32_t *cell_of)
{
	struct data_thread *thread = p->thread;
	struct mixed_thread *mixed = thread->mixed;
	struct links links;
	struct data_node *nodes;

	links_make(p, &links);
	nodes = nodes_make(p, cell_of, &links);
	mixed->nodes_before = thread->nodes;
	mixed->n_nodes_before = thread->n_nodes;
	mixed->open_before = thread->open;
	mixed->state_before = thread->state;
	thread->nodes = nodes;
	thread->n_nodes += p->n_estimates;
	thread->open = xcalloc(thread->n_open, sizeof(*thread->open));
	for (size_t i = 0; i < thread->n_open; i++)
		thread->open[i] = links.node[mixed->open_before[i]];
	thread->state = &mixed->state;
	free(thread->paths);
	thread->paths = NULL;
	links_release(&links);
}
