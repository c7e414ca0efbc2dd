/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wait_graph.c - see wait_graph.h. */
#include "wait_graph.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

#define LEAST_PART 0.01L /* of all time: edges with less are left out */

/* ---- nodes and edges ------------------------------------------------------------------------- */

static uint32_t node_of(struct wait_graph *graph, const char *name, uint32_t pid, uint32_t tid)
{
	struct strbuf key = { 0 };
	size_t number;
	int is_new;

	strbuf_printf(&key, "%u %u %s", tid ? pid : 0, tid, tid || !name ? "" : name);
	number = map_add(&graph->keys, key.text, key.length, &is_new);
	strbuf_release(&key);
	if (is_new) {
		ARRAY_ONE_MORE(graph->nodes, graph->n_nodes);
		graph->nodes[graph->n_nodes++] = (struct wait_node){ .name = name, .tid = tid };
	}
	return (uint32_t)number;
}

/* Returns the node of a thread that is at this place; of functions, threads whose place is not
 * known are one node for all of the name. */
static uint32_t party(struct wait_graph *graph, const struct waits_view *w, const struct wait_place *at,
		      uint32_t pid, uint32_t tid)
{
	const char *thread = tid ? waits_thread_name(w, pid, tid) : NULL;

	if (graph->of_threads)
		return node_of(graph, thread, pid, tid);
	if (at->entity != NAMES_NONE)
		return node_of(graph, w->names.list[at->entity].name, 0, 0);
	return thread && *thread ? node_of(graph, thread, 0, 0) : node_of(graph, NULL, pid, tid);
}

/* Returns the node of who has ended a wait, of whom the number may not be kept. */
static uint32_t giver_of(struct wait_graph *graph, const struct waits_view *w, const struct wait_fact *fact)
{
	if (fact->giver_tid || fact->known != WAIT_KNOWN_THREAD)
		return party(graph, w, &fact->giver, w->facts.objects[fact->object].pid, fact->giver_tid);
	return node_of(graph, fact->giver_thread ? fact->giver_thread : "several threads", 0, 0);
}

static int is_same(const struct wait_edge *a, const struct wait_edge *b)
{
	return a->from == b->from && a->to == b->to && a->kind == b->kind && a->is_open == b->is_open &&
	       !strcmp(a->object ? a->object : "", b->object ? b->object : "");
}

static void edge_add(struct wait_graph *graph, const struct wait_edge *edge)
{
	size_t i = 0;

	while (i < graph->n && !is_same(&graph->edges[i], edge))
		i++;
	if (i == graph->n) {
		ARRAY_ONE_MORE(graph->edges, graph->n);
		graph->edges[graph->n++] = *edge;
	} else {
		graph->edges[i].waits += edge->waits;
		graph->edges[i].ns += edge->ns;
		graph->edges[i].is_likely |= edge->is_likely;
		graph->edges[i].end_is_known &= edge->end_is_known;
	}
	graph->nodes[edge->from].ns += edge->ns;
	graph->ns += edge->ns;
}

static void add_facts(struct wait_graph *graph, const struct waits_view *w)
{
	for (size_t i = 0; i < w->facts.n; i++) {
		const struct wait_fact *fact = &w->facts.list[i];
		const struct wait_object *object = &w->facts.objects[fact->object];
		struct wait_edge edge = { .kind = object->kind,
					  .object = object->name,
					  .waits = fact->waits,
					  .ns = fact->ns,
					  .is_likely = fact->known && !fact->is_exact };

		edge.from = party(graph, w, &fact->waiter, object->pid, fact->waiter_tid);
		edge.to = giver_of(graph, w, fact);
		edge_add(graph, &edge);
	}
}

static void add_open(struct wait_graph *graph, const struct waits_view *w)
{
	for (size_t i = 0; i < w->facts.open.n; i++) {
		const struct open_wait *wait = &w->facts.open.list[i];
		struct wait_edge edge = { .kind = wait->kind,
					  .object = wait->name,
					  .waits = 1,
					  .ns = wait->ns,
					  .is_open = 1,
					  .end_is_known = wait->end_is_known,
					  .is_likely = wait->holder.tid && !wait->is_certain };

		if (wait->is_left && !wait->cycle)
			continue;
		edge.from = party(graph, w, &wait->waiter.at, wait->pid, wait->waiter.tid);
		edge.to = party(graph, w, &wait->holder.at, wait->pid, wait->holder.tid);
		edge_add(graph, &edge);
	}
}

static void leave_out_small(struct wait_graph *graph)
{
	size_t n = 0;

	for (size_t i = 0; i < graph->n; i++)
		if (graph->edges[i].is_open || graph->edges[i].ns >= LEAST_PART * graph->ns)
			graph->edges[n++] = graph->edges[i];
	graph->n_small = graph->n - n;
	graph->n = n;
	for (size_t i = 0; i < n; i++)
		graph->nodes[graph->edges[i].from].has_edges = graph->nodes[graph->edges[i].to].has_edges = 1;
}

/* ---- circles --------------------------------------------------------------------------------- */

/*
 * Finds the way with fewest edges from one node to another, through edges of this circle; of all
 * edges with `cycle` 0. `way` has room for graph->n. Returns how many; SIZE_MAX: there is none.
 */
static size_t find_way(const struct wait_graph *graph, uint32_t from, uint32_t to, uint32_t cycle,
		       const struct wait_edge **way)
{
	/* of each node: the edge by which it is reached */
	const struct wait_edge **by = xcalloc(graph->n_nodes + 1, sizeof(*by));
	uint32_t *queue = xcalloc(graph->n_nodes + 1, sizeof(*queue));
	size_t done = 0, n = 1, length = 0;
	int found = from == to;

	queue[0] = from;
	for (; !found && done < n; done++)
		for (size_t i = 0; i < graph->n && !found; i++) {
			const struct wait_edge *edge = &graph->edges[i];

			if (edge->from != queue[done] || edge->to == from || by[edge->to] ||
			    (cycle && edge->cycle != cycle))
				continue;
			by[edge->to] = edge;
			queue[n++] = edge->to;
			found = edge->to == to;
		}
	for (uint32_t at = to; found && at != from; at = by[at]->from)
		length++;
	for (uint32_t at = to, i = 0; found && at != from; at = by[at]->from)
		way[length - ++i] = by[at];
	free(queue);
	free(by);
	return found ? length : SIZE_MAX;
}

/* Of functions one that waits for itself is only several threads in it; nobody that is known. */
static int may_be_circle(const struct wait_graph *graph, const struct wait_edge *edge)
{
	const struct wait_node *to = &graph->nodes[edge->to];

	return (edge->from != edge->to || edge->is_open) && (to->name || to->tid);
}

/* Numbers the edges by which one can come back to where they begin. */
static void find_cycles(struct wait_graph *graph)
{
	const struct wait_edge **way = xcalloc(graph->n + 1, sizeof(*way));

	for (size_t i = 0; i < graph->n; i++) {
		struct wait_edge *edge = &graph->edges[i];
		size_t n =
			may_be_circle(graph, edge) ? find_way(graph, edge->to, edge->from, 0, way) : SIZE_MAX;

		if (n == SIZE_MAX || edge->cycle)
			continue;
		edge->cycle = ++graph->n_cycles;
		for (size_t k = 0; k < n; k++)
			graph->edges[way[k] - graph->edges].cycle = edge->cycle;
	}
	free(way);
}

size_t wait_graph_cycle(const struct wait_graph *graph, uint32_t cycle, const struct wait_edge **edges)
{
	size_t i = 0;

	while (i < graph->n && graph->edges[i].cycle != cycle)
		i++;
	if (i == graph->n)
		return 0;
	edges[0] = &graph->edges[i];
	return 1 + find_way(graph, edges[0]->to, edges[0]->from, cycle, edges + 1);
}

/* ---- all ------------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b, void *arg)
{
	const struct wait_graph *graph = arg;
	const struct wait_edge *x = a, *y = b;

	if (x->is_open != y->is_open)
		return y->is_open - x->is_open;
	if (x->from != y->from) {
		long double first = graph->nodes[x->from].ns, second = graph->nodes[y->from].ns;

		return first != second ? (first > second ? -1 : 1) : (x->from < y->from ? -1 : 1);
	}
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

void wait_graph_make(struct wait_graph *graph, const struct waits_view *w, int of_threads)
{
	*graph = (struct wait_graph){ .of_threads = of_threads };
	add_open(graph, w);
	add_facts(graph, w);
	leave_out_small(graph);
	util_sort(graph->edges, graph->n, sizeof(*graph->edges), by_time, graph);
	find_cycles(graph);
}

void wait_graph_release(struct wait_graph *graph)
{
	map_release(&graph->keys);
	free(graph->nodes);
	free(graph->edges);
}
