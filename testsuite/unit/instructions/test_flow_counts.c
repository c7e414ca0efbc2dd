/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts of edges that were not counted. Random flow graphs are walked at random; a random spanning
 * tree of their edges is forgotten, and must follow from the rest.
 */
#include <stdlib.h>
#include <string.h>

#include "executed/flow_counts.h"
#include "tests.h"

#define BLOCKS_MAX 24
#define GRAPHS 3000

static unsigned below(unsigned n)
{
	return (unsigned)(random_uniform() * n);
}

/* Union-find. */
static unsigned root(unsigned *up, unsigned i)
{
	while (up[i] != i)
		i = up[i] = up[up[i]];
	return i;
}

struct graph {
	unsigned n; /* blocks: block 0 is the first one, any may return */
	unsigned next[BLOCKS_MAX][3], n_next[BLOCKS_MAX];
	int may_not_return[BLOCKS_MAX]; /* ends with a call */
	unsigned node[2 * BLOCKS_MAX + 2];
	uint64_t count[BLOCKS_MAX], calls;
};

enum { OF_ENTRY = 2 * BLOCKS_MAX, OF_EXIT };

static void unite(struct graph *g, unsigned a, unsigned b)
{
	g->node[root(g->node, a)] = root(g->node, b);
}

/* A block is an edge from its node 2 i to its node 2 i + 1; where one goes on to another, their
 * nodes are one. What may not return leaves the function, and may come back from there. */
static void graph_make(struct graph *g)
{
	*g = (struct graph){ .n = 1 + below(BLOCKS_MAX) };
	for (unsigned i = 0; i < 2 * BLOCKS_MAX + 2; i++)
		g->node[i] = i;
	unite(g, OF_ENTRY, 0);
	for (unsigned i = 0; i < g->n; i++) {
		g->n_next[i] = below(4) ? below(4) : 0;
		g->may_not_return[i] = !below(6);
		for (unsigned k = 0; k < g->n_next[i]; k++) {
			g->next[i][k] = below(g->n);
			unite(g, 2 * i + 1, 2 * g->next[i][k]);
		}
		if (!g->n_next[i] || g->may_not_return[i])
			unite(g, 2 * i + 1, OF_EXIT);
	}
}

static void graph_walk(struct graph *g)
{
	unsigned walks = below(30);

	for (unsigned w = 0; w < walks; w++) {
		unsigned at = 0;

		g->calls++;
		for (unsigned steps = 0;; steps++) {
			g->count[at]++;
			if (!g->n_next[at] || (g->may_not_return[at] && (steps > 200 || !below(5))))
				break;
			if (steps > 2000) /* it never ends: the walk does not count */
				break;
			at = g->next[at][below(g->n_next[at])];
		}
		/* taken back below if it ended where none may */
	}
}

/* Walks that end in the middle of the function do not balance. */
static int is_balanced(const struct graph *g)
{
	int64_t balance[2 * BLOCKS_MAX + 2] = { 0 };
	struct graph copy = *g;

	for (unsigned i = 0; i < g->n; i++) {
		balance[root(copy.node, 2 * i)] -= (int64_t)g->count[i];
		balance[root(copy.node, 2 * i + 1)] += (int64_t)g->count[i];
	}
	balance[root(copy.node, OF_EXIT)] -= (int64_t)g->calls;
	balance[root(copy.node, OF_ENTRY)] += (int64_t)g->calls;
	for (unsigned i = 0; i < 2 * BLOCKS_MAX + 2; i++)
		if (balance[i])
			return 0;
	return 1;
}

/* Edges of the graph, the last one that of the function; a spanning tree of them is not known. */
static unsigned edges_make(struct graph *g, struct flow_edge *edges)
{
	unsigned order[BLOCKS_MAX + 1], tree[2 * BLOCKS_MAX + 2], n_forgotten = 0;

	for (unsigned i = 0; i < g->n; i++)
		edges[i] = (struct flow_edge){ root(g->node, 2 * i) * 7919, root(g->node, 2 * i + 1) * 7919,
					       1, g->count[i] };
	edges[g->n] = (struct flow_edge){ root(g->node, OF_EXIT) * 7919, root(g->node, OF_ENTRY) * 7919, 1,
					  g->calls };
	for (unsigned i = 0; i <= g->n; i++)
		order[i] = i;
	for (unsigned i = g->n; i > 0; i--) {
		unsigned k = below(i + 1), was = order[i];

		order[i] = order[k];
		order[k] = was;
	}
	for (unsigned i = 0; i < 2 * BLOCKS_MAX + 2; i++)
		tree[i] = i;
	for (unsigned i = 0; i <= g->n; i++) {
		struct flow_edge *edge = &edges[order[i]];
		unsigned from = root(tree, edge->from / 7919), to = root(tree, edge->to / 7919);

		if (from == to)
			continue;
		tree[from] = to;
		edge->is_known = 0;
		edge->count = 0;
		n_forgotten++;
	}
	return n_forgotten;
}

static void random_graphs(void)
{
	unsigned n_solved = 0, n_forgotten = 0;

	random_seed = 40;
	for (unsigned i = 0; i < GRAPHS; i++) {
		struct flow_edge edges[BLOCKS_MAX + 1];
		struct graph g;

		graph_make(&g);
		graph_walk(&g);
		if (!is_balanced(&g))
			continue;
		n_forgotten += edges_make(&g, edges);
		CU_ASSERT_EQUAL(flow_counts_solve(edges, g.n + 1), FLOW_SOLVED);
		for (unsigned k = 0; k < g.n; k++)
			CU_ASSERT_EQUAL(edges[k].count, g.count[k]);
		CU_ASSERT_EQUAL(edges[g.n].count, g.calls);
		n_solved++;
	}
	/* most of them end, and half of their edges are not counted */
	CU_ASSERT(n_solved > GRAPHS / 3);
	CU_ASSERT(n_forgotten > 2 * n_solved);
}

static void a_cycle_that_nobody_counted(void)
{
	struct flow_edge edges[] = { { 1, 2, 0, 0 }, { 2, 1, 0, 0 }, { 1, 3, 1, 5 }, { 3, 1, 0, 0 } };

	CU_ASSERT_EQUAL(flow_counts_solve(edges, 4), FLOW_UNSOLVED);
	CU_ASSERT(edges[3].is_known && edges[3].count == 5);
	CU_ASSERT(!edges[0].is_known && !edges[1].is_known);
}

static void an_edge_to_itself(void)
{
	struct flow_edge unknown[] = { { 1, 1, 0, 0 } }, known[] = { { 1, 1, 1, 9 } };

	CU_ASSERT_EQUAL(flow_counts_solve(unknown, 1), FLOW_UNSOLVED);
	CU_ASSERT_EQUAL(flow_counts_solve(known, 1), FLOW_SOLVED);
}

static void what_does_not_add_up(void)
{
	/* more flows back than there is; more in than out */
	struct flow_edge negative[] = { { 1, 2, 1, 3 }, { 1, 2, 0, 0 }, { 2, 1, 1, 2 } };
	struct flow_edge unbalanced[] = { { 1, 2, 1, 3 }, { 2, 1, 1, 2 } };

	CU_ASSERT_EQUAL(flow_counts_solve(negative, 3), FLOW_NEGATIVE);
	CU_ASSERT_EQUAL(flow_counts_solve(unbalanced, 2), FLOW_UNBALANCED);
	CU_ASSERT_EQUAL(flow_counts_solve(NULL, 0), FLOW_SOLVED);
}

static void loose_edges(void)
{
	struct flow_edge loose[] = { { 1, 2, 1, 3 }, { 3, 4, 1, 2 } },
			 others[] = { { 1, 2, 1, 3 }, { 2, 4, 1, 2 } };

	CU_ASSERT(flow_is_loose(loose, 2));
	CU_ASSERT(!flow_is_loose(others, 2));
}

CU_TestInfo flow_counts_tests[] = { { "random graphs, walked at random", random_graphs },
				    { "a cycle that nobody counted", a_cycle_that_nobody_counted },
				    { "an edge to itself", an_edge_to_itself },
				    { "what does not add up", what_does_not_add_up },
				    { "edges that share no node", loose_edges },
				    CU_TEST_INFO_NULL };
