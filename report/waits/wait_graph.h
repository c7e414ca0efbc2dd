/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * wait_graph.h - who waits for whom: functions or threads, and between them, for each object, how
 * long one has waited until the other gave it back or signalled it, or waits for it still.
 */
#ifndef REPORT_WAITS_WAIT_GRAPH_H
#define REPORT_WAITS_WAIT_GRAPH_H

#include "waits.h"

struct wait_node {
	const char *name;    /* NULL: not known who; of a thread: what it is called, or NULL */
	uint32_t tid;	     /* of a thread; 0 */
	long double ns;	     /* that it has waited */
	int has_edges, mark; /* drawn */
};

struct wait_edge {
	uint32_t from, to;
	enum cinstr_object_kind kind;
	const char *object; /* NULL: none with a name */
	uint64_t waits;
	long double ns;
	int is_open;	  /* it has not ended */
	int end_is_known; /* of an open one: it has lasted for `ns` up to there */
	int is_likely;	  /* that it was for that one */
	uint32_t cycle;	  /* number of the circle that it is a part of, from 1; 0: of none */
};

struct wait_graph {
	int of_threads;
	struct map keys;
	struct wait_node *nodes;
	size_t n_nodes;
	struct wait_edge *edges; /* by whose waits took longest, then by time */
	size_t n;
	size_t n_small; /* of next to no time: left out */
	long double ns; /* of all */
	uint32_t n_cycles;
};

void wait_graph_make(struct wait_graph *graph, const struct waits_view *w, int of_threads);
void wait_graph_release(struct wait_graph *graph);

/* Returns the edges of a circle, one behind another, of those with most time: how many; `edges` has
 * room for graph->n. */
size_t wait_graph_cycle(const struct wait_graph *graph, uint32_t cycle, const struct wait_edge **edges);

#endif
