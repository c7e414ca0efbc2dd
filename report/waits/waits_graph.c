/* SPDX-License-Identifier: GPL-3.0-or-later */
/* waits_graph.c - cinstr waits --graph: prints who waits for whom, as text, for Graphviz, for
 * scripts. */
#include <stdlib.h>

#include "lib/ink.h"
#include "wait_graph.h"

#define WIDE_FROM 0.1L /* of all time: such an arrow is drawn thick */

static void put_node(struct strbuf *text, const struct wait_node *node)
{
	if (node->name)
		strbuf_visible(text, node->name);
	else if (!node->tid)
		strbuf_puts(text, "not known");
	if (node->tid)
		strbuf_printf(text, node->name ? " (%u)" : "thread %u", node->tid);
}

static void put_object(struct strbuf *text, const struct wait_edge *edge)
{
	strbuf_puts(text, wait_words[edge->kind].one);
	if (!edge->object)
		return;
	strbuf_puts(text, " ");
	strbuf_visible(text, edge->object);
}

/* "1.2 s, 32 waits"; "1.2 s so far, has not ended" */
static void put_time(struct strbuf *text, const struct wait_edge *edge)
{
	if (edge->is_open) {
		if (edge->end_is_known) {
			strbuf_duration(text, edge->ns);
			strbuf_puts(text, " so far, ");
		}
		strbuf_puts(text, edge->waits > 1 ? "have not ended" : "has not ended");
		return;
	}
	strbuf_duration(text, edge->ns);
	strbuf_puts(text, ", ");
	strbuf_thousands(text, edge->waits);
	strbuf_puts(text, edge->waits == 1 ? " wait" : " waits");
}

/* ---- for people ------------------------------------------------------------------------------ */

/* "  -> store       1.2 s, 32 waits  mutex m" */
static void print_edge(const struct waits_view *w, const struct wait_graph *graph,
		       const struct wait_edge *edge)
{
	STRBUF(line);
	STRBUF(name);

	put_node(&name, &graph->nodes[edge->to]);
	strbuf_puts(&line, "  -> ");
	output_fitted(&line, name.text, 24, 0);
	strbuf_puts(&line, "  ");
	put_object(&line, edge);
	strbuf_puts(&line, ": ");
	put_time(&line, edge);
	if (edge->is_likely)
		strbuf_puts(&line, ", likely");
	if (edge->cycle)
		strbuf_printf(&line, "  [circle %u]", edge->cycle);
	printer_line(&w->printer, &line, edge->cycle && edge->is_open ? INK_HOT : INK_PLAIN);
}

static void print_cycle(const struct waits_view *w, const struct wait_graph *graph, uint32_t cycle,
			const struct wait_edge **edges)
{
	size_t n = wait_graph_cycle(graph, cycle, edges);
	STRBUF(line);

	strbuf_printf(&line, "Circle %u: ", cycle);
	for (size_t i = 0; i < n; i++) {
		put_node(&line, &graph->nodes[edges[i]->from]);
		strbuf_puts(&line, " -> ");
	}
	put_node(&line, &graph->nodes[edges[0]->from]);
	printer_line(&w->printer, &line, INK_PLAIN);
}

static void print_graph(const struct waits_view *w, const struct wait_graph *graph)
{
	const struct wait_edge **edges = xcalloc(graph->n + 1, sizeof(*edges));
	uint64_t shown = 0;
	size_t i = 0;
	STRBUF(line);

	strbuf_puts(&line, "Who waits for whom: ");
	strbuf_duration(&line, graph->ns);
	strbuf_puts(&line, ", all threads together");
	printer_line(&w->printer, &line, INK_HEADING);
	while (i < graph->n && (!w->options->limit || shown < w->options->limit)) {
		const struct wait_edge *first = &graph->edges[i];

		fputc('\n', w->printer.out);
		put_node(&line, &graph->nodes[first->from]);
		printer_line(&w->printer, &line, INK_STRONG);
		for (; i < graph->n && graph->edges[i].from == first->from &&
		       graph->edges[i].is_open == first->is_open;
		     i++)
			print_edge(w, graph, &graph->edges[i]);
		shown++;
	}
	for (uint32_t cycle = 1; cycle <= graph->n_cycles; cycle++) {
		if (cycle == 1)
			fputc('\n', w->printer.out);
		print_cycle(w, graph, cycle, edges);
	}
	if (i < graph->n || graph->n_small) {
		strbuf_printf(&line, "%zu more arrows", graph->n - i + graph->n_small);
		strbuf_puts(&line, i < graph->n ? "; --limit=0 shows those with 1 % of the time."
						: ", with less than 1 % of the time each.");
		fputc('\n', w->printer.out);
		printer_line(&w->printer, &line, INK_DIM);
	}
	free(edges);
}

/* ---- for Graphviz ---------------------------------------------------------------------------- */

static void put_quoted(const struct strbuf *text)
{
	putchar('"');
	for (size_t i = 0; i < text->length; i++) {
		if (text->text[i] == '"' || text->text[i] == '\\')
			putchar('\\');
		putchar(text->text[i]);
	}
	putchar('"');
}

static void draw_edge(const struct wait_graph *graph, const struct wait_edge *edge)
{
	STRBUF(text);

	put_object(&text, edge);
	strbuf_puts(&text, ": ");
	put_time(&text, edge);
	printf("\tn%u -> n%u [label=", edge->from, edge->to);
	put_quoted(&text);
	if (edge->cycle)
		printf(", color=red, fontcolor=red");
	if (edge->is_likely)
		printf(", style=dashed");
	if (edge->is_open || edge->ns >= WIDE_FROM * graph->ns)
		printf(", penwidth=2");
	puts("];");
}

static void draw(const struct wait_graph *graph)
{
	STRBUF(text);

	puts("digraph waits {\n\trankdir=LR;\n\tnode [shape=box];");
	for (size_t i = 0; i < graph->n_nodes; i++) {
		if (!graph->nodes[i].has_edges)
			continue;
		strbuf_clear(&text);
		put_node(&text, &graph->nodes[i]);
		printf("\tn%zu [label=", i);
		put_quoted(&text);
		puts("];");
	}
	for (size_t i = 0; i < graph->n; i++)
		draw_edge(graph, &graph->edges[i]);
	puts("}");
}

/* ---- for scripts ----------------------------------------------------------------------------- */

static const char *const columns[] = { "waiter", "waiter_tid", "holder",    "holder_tid", "object", "kind",
				       "waits",	 "waiting_ns", "is_likely", "open",	  "cycle" };

static void put_script_node(struct items *items, const char *name, const char *tid,
			    const struct wait_node *node)
{
	items_text(items, name, node->name);
	if (node->tid)
		items_count(items, tid, node->tid);
	else
		items_none(items, tid);
}

static void put_edge(struct items *items, const struct wait_graph *graph, const struct wait_edge *edge)
{
	items_open(items, NULL, '{', ITEMS_LINES);
	put_script_node(items, "waiter", "waiter_tid", &graph->nodes[edge->from]);
	put_script_node(items, "holder", "holder_tid", &graph->nodes[edge->to]);
	items_text(items, "object", edge->object);
	items_text(items, "kind", wait_words[edge->kind].word);
	items_count(items, "waits", edge->waits);
	items_ns(items, "waiting_ns", edge->ns);
	items_flag(items, "is_likely", edge->is_likely);
	items_flag(items, "open", edge->is_open);
	if (edge->cycle)
		items_count(items, "cycle", edge->cycle);
	else
		items_none(items, "cycle");
	items_close(items);
}

static void print_for_scripts(const struct wait_graph *graph, const struct items_format *format)
{
	struct items items;

	items_table(&items, stdout, format, ITEMS_LINES, columns, ARRAY_SIZE(columns));
	items_table_rows(&items, "graph");
	for (size_t i = 0; i < graph->n; i++)
		put_edge(&items, graph, &graph->edges[i]);
	items_table_end(&items);
}

void waits_graph(struct waits_view *w, const struct output_format *format)
{
	struct wait_graph graph;

	w->printer = printer_of(stdout);
	wait_graph_make(&graph, w, w->of_threads);
	if (!format)
		draw(&graph);
	else if (format->shape->is_for_people)
		print_graph(w, &graph);
	else
		print_for_scripts(&graph, format->items);
	wait_graph_release(&graph);
}
