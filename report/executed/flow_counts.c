/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow_counts.h"

#include <stdlib.h>

#include "lib/order.h"
#include "lib/search.h"
#include "lib/util.h"

struct node {
	uint64_t balance; /* of its known edges: in - out, modulo 2^64 */
	size_t n_unknown; /* ends of edges */
	size_t unknown;	  /* exclusive or of these edges' numbers: of one, that number */
};

struct graph {
	struct flow_edge *edges;
	size_t n, n_nodes;
	uint32_t *from, *to; /* of each edge: nodes */
	struct node *nodes;
	uint32_t *ready; /* nodes with one unknown edge, to be looked at */
	size_t n_ready;
};

ORDER_ITEMS(compare_numbers, uint32_t, ORDER(*x, *y))

static uint32_t number_of(const uint32_t *sorted, size_t n, uint32_t node)
{
	size_t i;

	SEARCH(i, n, sorted[i] >= node);
	return (uint32_t)i;
}

/* Gives nodes numbers without gaps. */
static void nodes_number(struct graph *g)
{
	FREED uint32_t *all = xcalloc(2 * g->n + 1, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		all[2 * i] = g->edges[i].from;
		all[2 * i + 1] = g->edges[i].to;
	}
	util_sort(all, 2 * g->n, sizeof(*all), compare_numbers, NULL);
	for (size_t i = 0; i < 2 * g->n; i++)
		if (!n || all[n - 1] != all[i])
			all[n++] = all[i];
	g->n_nodes = n;
	g->from = xcalloc(g->n + 1, sizeof(*g->from));
	g->to = xcalloc(g->n + 1, sizeof(*g->to));
	for (size_t i = 0; i < g->n; i++) {
		g->from[i] = number_of(all, n, g->edges[i].from);
		g->to[i] = number_of(all, n, g->edges[i].to);
	}
}

static void balance_add(struct graph *g, size_t edge)
{
	g->nodes[g->from[edge]].balance -= g->edges[edge].count;
	g->nodes[g->to[edge]].balance += g->edges[edge].count;
}

static void unknown_add(struct graph *g, uint32_t node, size_t edge)
{
	g->nodes[node].n_unknown++;
	g->nodes[node].unknown ^= edge;
}

static void unknown_remove(struct graph *g, uint32_t node, size_t edge)
{
	g->nodes[node].unknown ^= edge;
	if (--g->nodes[node].n_unknown == 1)
		g->ready[g->n_ready++] = node;
}

static void graph_make(struct graph *g)
{
	nodes_number(g);
	g->nodes = xcalloc(g->n_nodes + 1, sizeof(*g->nodes));
	/* a node gets there once: when it has one unknown edge left */
	g->ready = xcalloc(g->n_nodes + 1, sizeof(*g->ready));
	for (size_t i = 0; i < g->n; i++) {
		if (g->edges[i].is_known) {
			balance_add(g, i);
		} else {
			unknown_add(g, g->from[i], i);
			unknown_add(g, g->to[i], i);
		}
	}
	for (uint32_t i = 0; i < g->n_nodes; i++)
		if (g->nodes[i].n_unknown == 1)
			g->ready[g->n_ready++] = i;
}

static void graph_release(struct graph *g)
{
	free(g->from);
	free(g->to);
	free(g->nodes);
	free(g->ready);
}

/* The node's only unknown edge takes what the others leave. */
static void leaf_solve(struct graph *g, uint32_t node)
{
	size_t edge = g->nodes[node].unknown;
	uint64_t balance = g->nodes[node].balance;

	g->edges[edge].count = g->from[edge] == node ? balance : -balance;
	g->edges[edge].is_known = 1;
	balance_add(g, edge);
	unknown_remove(g, g->from[edge], edge);
	unknown_remove(g, g->to[edge], edge);
}

static enum flow_verdict verdict_of(const struct graph *g)
{
	enum flow_verdict verdict = FLOW_SOLVED;

	for (size_t i = 0; i < g->n_nodes; i++)
		if (g->nodes[i].balance)
			verdict = FLOW_UNBALANCED;
	for (size_t i = 0; i < g->n; i++) {
		if (!g->edges[i].is_known)
			return FLOW_UNSOLVED;
		if (g->edges[i].count >> 63)
			verdict = FLOW_NEGATIVE;
	}
	return verdict;
}

enum flow_verdict flow_counts_solve(struct flow_edge *edges, size_t n)
{
	struct graph g = { .edges = edges, .n = n };
	enum flow_verdict verdict;

	graph_make(&g);
	while (g.n_ready) {
		uint32_t node = g.ready[--g.n_ready];

		if (g.nodes[node].n_unknown == 1)
			leaf_solve(&g, node);
	}
	verdict = verdict_of(&g);
	graph_release(&g);
	return verdict;
}

int flow_is_loose(const struct flow_edge *edges, size_t n)
{
	FREED uint32_t *nodes = xcalloc(2 * n + 1, sizeof(*nodes));
	int is_loose = 1;

	for (size_t i = 0; i < n; i++) {
		nodes[2 * i] = edges[i].from;
		nodes[2 * i + 1] = edges[i].to;
	}
	util_sort(nodes, 2 * n, sizeof(*nodes), compare_numbers, NULL);
	for (size_t i = 1; i < 2 * n; i++)
		is_loose &= nodes[i] != nodes[i - 1];
	return is_loose;
}
