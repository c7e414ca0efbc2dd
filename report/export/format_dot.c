/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_dot.c - a call graph for Graphviz: a box for each function, as large and red as what it
 * has itself, and arrows for calls, as thick as what they cost. Of many functions those with most
 * are drawn, which the picture says.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "callgrind_sums.h"

#define DEFAULT_PERCENT 0.5
#define DEFAULT_LIMIT 60
#define EDGE_PART 5	/* an arrow may have so many times less than the least function */
#define ARROWS_A_BOX 2	/* on average; more nobody can follow */
#define NAME_COLUMNS 48 /* of a name; all of it is in the tooltip */
#define BOX_BYTES 300	/* about */
#define ARROW_BYTES 110

struct drawing {
	struct export_job *job;
	const struct export_tree *tree;
	struct callgrind_sums sums;
	unsigned value;				 /* number of the measure that is drawn */
	uint64_t *inclusive, *exclusive, *calls; /* by function */
	uint64_t total;
	double percent;
	uint64_t limit;
	uint8_t *is_drawn;	    /* by function */
	uint8_t *marks, *own_marks; /* by function: of its inclusive time, of its own */
	uint8_t *is_arrow;	    /* by call */
	size_t n_drawn, n_arrows, n_all_arrows;
};

/* ---- what is drawn --------------------------------------------------------------------------- */

/* The first function calls the threads: there is no such one. */
static void sums_by_function(struct drawing *d)
{
	const struct callgrind_sums *sums = &d->sums;
	size_t n = sums->n_functions;

	d->inclusive = xcalloc(n, sizeof(*d->inclusive));
	d->exclusive = xcalloc(n, sizeof(*d->exclusive));
	d->calls = xcalloc(n, sizeof(*d->calls));
	d->is_drawn = xcalloc(n, 1);
	d->marks = xcalloc(n, 1);
	d->own_marks = xcalloc(n, 1);
	d->total = sums->inclusive[d->value];
	for (size_t i = 0; i < sums->n_selves; i++) {
		d->exclusive[sums->selves[i].function] +=
			callgrind_values(sums, sums->selves[i].values)[d->value];
		d->own_marks[sums->selves[i].function] |= sums->selves[i].marks;
	}
	for (size_t i = 0; i < sums->n_calls; i++) {
		d->inclusive[sums->calls[i].callee] +=
			callgrind_values(sums, sums->calls[i].values)[d->value];
		d->calls[sums->calls[i].callee] += sums->calls[i].calls;
		d->marks[sums->calls[i].callee] |= sums->calls[i].marks;
	}
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct drawing *d = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (d->inclusive[x] != d->inclusive[y])
		return d->inclusive[x] < d->inclusive[y] ? 1 : -1;
	return (x > y) - (x < y);
}

static double share(const struct drawing *d, uint64_t value)
{
	return d->total ? (double)value / (double)d->total : 0;
}

static uint64_t cost_of(const struct drawing *d, const struct callgrind_call *call)
{
	return callgrind_values(&d->sums, call->values)[d->value];
}

static void choose_functions(struct drawing *d)
{
	size_t n = d->sums.n_functions;
	uint32_t *order = xcalloc(n, sizeof(*order));

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	util_sort(order, n, sizeof(*order), compare, d);
	for (size_t i = 0; i < n && d->n_drawn < d->limit; i++) {
		if (!order[i] || !d->inclusive[order[i]] ||
		    100 * share(d, d->inclusive[order[i]]) < d->percent)
			continue;
		d->is_drawn[order[i]] = 1;
		d->n_drawn++;
	}
	free(order);
}

static int compare_calls(const void *a, const void *b, void *arg)
{
	const struct drawing *d = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t cost_x = cost_of(d, &d->sums.calls[x]), cost_y = cost_of(d, &d->sums.calls[y]);

	if (cost_x != cost_y)
		return cost_x < cost_y ? 1 : -1;
	return (x > y) - (x < y);
}

static void arrow_add(struct drawing *d, uint32_t call)
{
	d->n_arrows += !d->is_arrow[call];
	d->is_arrow[call] = 1;
}

/* Of those between boxes, from the dearest on: the first to each box, and others while they are
 * few enough to be told from one another. */
static void choose_arrows(struct drawing *d)
{
	size_t n = d->sums.n_calls, n_between = 0, most = ARROWS_A_BOX * d->n_drawn;
	uint32_t *order = xcalloc(n + 1, sizeof(*order));
	uint8_t *has_arrow = xcalloc(d->sums.n_functions, 1);

	d->is_arrow = xcalloc(n + 1, 1);
	for (uint32_t i = 0; i < n; i++) {
		const struct callgrind_call *call = &d->sums.calls[i];

		d->n_all_arrows += call->caller != 0;
		if (d->is_drawn[call->caller] && d->is_drawn[call->callee])
			order[n_between++] = i;
	}
	util_sort(order, n_between, sizeof(*order), compare_calls, d);
	for (size_t i = 0; i < n_between; i++) {
		uint32_t callee = d->sums.calls[order[i]].callee;

		if (!has_arrow[callee] && cost_of(d, &d->sums.calls[order[i]]))
			arrow_add(d, order[i]);
		has_arrow[callee] = 1;
	}
	for (size_t i = 0; i < n_between && (d->n_arrows < most || d->percent <= 0); i++)
		if (100 * share(d, cost_of(d, &d->sums.calls[order[i]])) * EDGE_PART >= d->percent)
			arrow_add(d, order[i]);
	free(has_arrow);
	free(order);
}

static void choose(struct drawing *d)
{
	choose_functions(d);
	choose_arrows(d);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* In a quoted string. */
static void put_quoted(struct strbuf *text, const char *name)
{
	char *shown = util_visible(name);

	for (const char *at = shown; *at; at++) {
		if (*at == '"' || *at == '\\')
			strbuf_add(text, "\\", 1);
		strbuf_add(text, at, 1);
	}
	free(shown);
}

/* So many columns of it, from its begin and its end. */
static void put_short(struct strbuf *text, const char *name)
{
	size_t columns = util_columns(name), n = strlen(name);
	struct strbuf part = { 0 };

	if (columns <= NAME_COLUMNS || columns != n) {
		put_quoted(text, name);
		return;
	}
	strbuf_add(&part, name, NAME_COLUMNS / 2);
	strbuf_puts(&part, "\xe2\x80\xa6");
	strbuf_puts(&part, name + n - NAME_COLUMNS / 2);
	put_quoted(text, part.text);
	strbuf_release(&part);
}

static void put_amount(struct strbuf *text, const struct drawing *d, uint64_t value, unsigned is_estimate)
{
	enum export_measure measure = d->tree->choice.measures.list[d->value];

	if (strcmp(measure_infos[measure].unit, "count"))
		strbuf_duration(text, (long double)value);
	else
		strbuf_thousands(text, value);
	if (is_estimate && value && measure != MEASURE_WAITING && measure != MEASURE_PREEMPTED &&
	    measure != MEASURE_SWITCHES)
		strbuf_puts(text, "\xe2\x89\x88");
}

static void put_calls(struct strbuf *text, uint64_t calls, int are_least)
{
	strbuf_puts(text, are_least ? ">= " : "");
	strbuf_thousands(text, calls);
	strbuf_puts(text, " x");
}

static const char *measure_name(const struct drawing *d)
{
	return measure_infos[d->tree->choice.measures.list[d->value]].name;
}

static const char *legend(const struct drawing *d)
{
	switch (d->tree->all_marks & (TREE_ESTIMATE | TREE_CALLS_LEAST)) {
	case TREE_ESTIMATE:
		return "\xe2\x89\x88 estimate from samples\\l";
	case TREE_CALLS_LEAST:
		return ">= n: at least n\\l";
	case TREE_ESTIMATE | TREE_CALLS_LEAST:
		return "\xe2\x89\x88 estimate from samples; >= n: at least n\\l";
	default:
		return "";
	}
}

static void put_title(struct drawing *d)
{
	const char *title = d->tree->profile.totals.title;
	struct strbuf text = { 0 };

	strbuf_puts(&text, "digraph cinstr {\nlabel=\"");
	put_quoted(&text, title ? title : "");
	strbuf_puts(&text, "\\l100 % = ");
	put_amount(&text, d, d->total, 0);
	strbuf_printf(&text, " %s", measure_name(d));
	if (d->tree->filter) {
		strbuf_puts(&text, "; ");
		put_quoted(&text, d->tree->filter);
	}
	strbuf_puts(&text, "\\lDrawn: ");
	strbuf_thousands(&text, d->n_drawn);
	strbuf_puts(&text, " of ");
	strbuf_thousands(&text, d->sums.n_functions - 1);
	strbuf_puts(&text, " functions, ");
	strbuf_thousands(&text, d->n_arrows);
	strbuf_puts(&text, " of ");
	strbuf_thousands(&text, d->n_all_arrows);
	strbuf_printf(&text,
		      " calls: at least %g %% (--min-percent), at most %llu functions (--limit)%s\\l%s\";\n",
		      d->percent, (unsigned long long)d->limit, d->percent > 0 ? " with two calls each" : "",
		      legend(d));
	strbuf_puts(&text, "labelloc=t; labeljust=l; fontname=\"Helvetica\";\n"
			   "node [shape=box, style=filled, fontname=\"Helvetica\"];\n"
			   "edge [fontname=\"Helvetica\", fontsize=9, color=\"#555555\"];\n");
	sink_bytes(&d->job->sink, text.text, text.length);
	strbuf_release(&text);
}

static const char *name_of(const struct drawing *d, uint32_t function)
{
	return d->tree->profile.names->list[d->sums.functions[function].entity].name;
}

static void put_box(struct drawing *d, uint32_t i)
{
	double own = share(d, d->exclusive[i]);
	struct strbuf text = { 0 };

	strbuf_printf(&text, "f%u [label=\"", i);
	put_short(&text, name_of(d, i));
	strbuf_puts(&text, "\\n");
	put_amount(&text, d, d->exclusive[i], d->own_marks[i] & TREE_ESTIMATE);
	strbuf_printf(&text, " (%.1f %%)", 100 * own);
	if (d->inclusive[i] != d->exclusive[i]) {
		strbuf_puts(&text, "\\nof ");
		put_amount(&text, d, d->inclusive[i], d->marks[i] & TREE_TOTAL_ESTIMATE);
		strbuf_printf(&text, " (%.1f %%)", 100 * share(d, d->inclusive[i]));
	}
	if (d->calls[i]) {
		strbuf_puts(&text, "\\n");
		put_calls(&text, d->calls[i], tree_has_calls_least(d->tree, d->sums.functions[i].entity));
	}
	strbuf_puts(&text, "\", tooltip=\"");
	put_quoted(&text, name_of(d, i));
	strbuf_printf(&text, "\", fontsize=%.0f, fillcolor=\"%.3f %.3f 1.000\"];\n", 9 + 22 * sqrt(own),
		      0.12 * (1 - sqrt(own)), 0.04 + 0.66 * sqrt(own));
	sink_bytes(&d->job->sink, text.text, text.length);
	strbuf_release(&text);
}

static void put_arrow(struct drawing *d, const struct callgrind_call *call)
{
	uint64_t cost = cost_of(d, call);
	struct strbuf text = { 0 };

	strbuf_printf(&text, "f%u -> f%u [label=\" ", call->caller, call->callee);
	if (cost || !call->calls)
		put_amount(&text, d, cost, call->marks & TREE_TOTAL_ESTIMATE);
	if (call->calls) {
		strbuf_puts(&text, cost ? "\\n " : "");
		put_calls(&text, call->calls, call->marks & TREE_CALLS_LEAST);
	}
	strbuf_printf(&text, "\", penwidth=%.1f, weight=%d];\n", 0.6 + 5 * share(d, cost),
		      1 + (int)(99 * share(d, cost)));
	sink_bytes(&d->job->sink, text.text, text.length);
	strbuf_release(&text);
}

static void put_graph(struct drawing *d)
{
	put_title(d);
	for (uint32_t i = 0; i < d->sums.n_functions; i++)
		if (d->is_drawn[i])
			put_box(d, i);
	for (size_t i = 0; i < d->sums.n_calls; i++)
		if (d->is_arrow[i])
			put_arrow(d, &d->sums.calls[i]);
	sink_puts(&d->job->sink, "}\n");
}

/* ---- the format ------------------------------------------------------------------------------ */

static int draw(struct export_job *job, struct export_tree *tree)
{
	struct drawing d = { .job = job, .tree = tree };
	struct strbuf what = { 0 };
	int status;

	d.percent = job->options.min_percent < 0 ? DEFAULT_PERCENT : job->options.min_percent;
	d.limit = job->options.limit ? job->options.limit : DEFAULT_LIMIT;
	callgrind_sums_make(&d.sums, tree, 1);
	sums_by_function(&d);
	choose(&d);
	strbuf_thousands(&what, d.n_drawn);
	strbuf_puts(&what, " of ");
	output_plural(&what, d.sums.n_functions - 1, "function", "s");
	if (export_begin(job, d.n_drawn * BOX_BYTES + d.n_arrows * ARROW_BYTES, what.text, &status)) {
		put_graph(&d);
		status = export_end(job, what.text);
	}
	strbuf_release(&what);
	free(d.inclusive);
	free(d.exclusive);
	free(d.calls);
	free(d.is_drawn);
	free(d.marks);
	free(d.own_marks);
	free(d.is_arrow);
	callgrind_sums_release(&d.sums);
	return status;
}

static int write_dot(struct export_job *job)
{
	struct tree_choice choice = { 0 };

	if (measures_choose(&choice.measures, job->options.measure, "elapsed,samples", 1))
		return STATUS_USAGE;
	if (choice.measures.list[0] == MEASURE_CALLS) {
		error("export: --measure=calls: dot draws what calls cost; how many there are it says "
		      "besides");
		return STATUS_USAGE;
	}
	measures_add(&choice.measures, MEASURE_CALLS);
	return export_tree_write(job, &choice, draw);
}

const struct export_format export_dot = {
	.name = "dot",
	.extension = ".dot",
	.opens = "dot -Tsvg -O %s",
	.needs = EXPORT_ANY,
	.takes_two = 0,
	.most = 500000, /* dot takes 3 s for 140 kB */
	.write = write_dot,
};
