/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wait_graph.h - the graph of waits: between functions, or threads, for each object, how long one
 * waited until the other released or signalled it, or has been waiting. */
#ifndef REPORT_WAITS_WAIT_GRAPH_H
#define REPORT_WAITS_WAIT_GRAPH_H

#include "waits.h"

struct wait_node {
	const char *name;    /* NULL: not known; of a thread: its name, or NULL */
	uint32_t tid;	     /* the thread's; else 0 */
	long double ns;	     /* time that it waited */
	int has_edges, mark; /* has_edges: it is drawn */
};

struct wait_edge {
	uint32_t from, to;
	enum cinstr_object_kind kind;
	const char *object; /* NULL: no name */
	uint64_t waits;
	long double ns;
	int is_open;	  /* the wait has not ended */
	int end_is_known; /* the end of an open wait's recording is known: `ns` lasts up to it */
	int is_likely;	  /* likely, but not certain, that it waited for this one */
	uint32_t cycle;	  /* number of the cycle that it is a part of, from 1; 0: none */
};

struct wait_graph {
	int of_threads;
	struct map keys;
	struct wait_node *nodes;
	size_t n_nodes;
	struct wait_edge *edges; /* by the node with the longest waits, then by time */
	size_t n;
	size_t n_small; /* edges of hardly any time, which were left out */
	long double ns; /* sum over all waits */
	uint32_t n_cycles;
};

void wait_graph_make(struct wait_graph *graph, const struct waits_view *w, int of_threads);
void wait_graph_release(struct wait_graph *graph);

/* Writes the edges of a cycle to `edges`, in its order: the first one in graph->edges, then the
 * shortest way back. Returns their number; `edges` must have room for graph->n. */
size_t wait_graph_cycle(const struct wait_graph *graph, uint32_t cycle, const struct wait_edge **edges);

#endif
