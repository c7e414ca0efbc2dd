/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_dot.c - a call graph for Graphviz: a box for each function, as large and red as what it
 * has itself, and arrows for calls, as thick as what they cost. Of many functions those with most
 * are drawn, which the picture says. Of two sessions it shows both values; red is more, blue less.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "callgrind_sums.h"
#include "lib/order.h"

#define DEFAULT_PERCENT 0.5
#define DEFAULT_LIMIT 60
#define EDGE_PART 5		/* an arrow may have so many times less than the least function */
#define ARROWS_A_BOX 2		/* on average; more nobody can follow */
#define NAME_COLUMNS 48		/* of a name; all of it is in the tooltip */
#define TO_NOW " \342\206\222 " /* an arrow */
#define BOX_BYTES 300		/* about */
#define ARROW_BYTES 110

/* Of two sessions the second is drawn, and what it has more or less than the first. */
enum { NOW, BEFORE, TIMES };

struct arrow {
	uint32_t from, to;
	uint64_t cost[TIMES], calls[TIMES];
	uint8_t marks[TIMES];
};

struct drawing {
	struct export_job *job;
	const struct export_tree *tree, *before; /* before: NULL: of one session */
	unsigned value;				 /* number of the measure that is drawn */
	/* by function; 0 calls the threads: there is no such one */
	size_t n_functions;
	const char **names;
	uint64_t *inclusive[TIMES], *exclusive[TIMES], *calls[TIMES];
	uint8_t *marks[TIMES], *own_marks[TIMES]; /* of its inclusive time, of its own */
	uint8_t *are_calls_least[TIMES];
	uint8_t *is_drawn;
	struct arrow *arrows;
	uint8_t *is_arrow; /* by arrow: it is drawn */
	size_t n_calls;
	uint64_t total[TIMES];
	double percent;
	uint64_t limit;
	size_t n_drawn, n_arrows, n_all_arrows;
	/* of two sessions: their functions by name, their arrows by both ends */
	struct map numbers;
	struct int_map pairs;
};

/* ---- what is drawn --------------------------------------------------------------------------- */

static void drawing_begin(struct drawing *d, size_t n_functions, size_t n_calls)
{
	d->names = xcalloc(n_functions, sizeof(*d->names));
	d->is_drawn = xcalloc(n_functions, 1);
	d->arrows = xcalloc(n_calls + 1, sizeof(*d->arrows));
	for (int time = 0; time < TIMES; time++) {
		d->inclusive[time] = xcalloc(n_functions, sizeof(**d->inclusive));
		d->exclusive[time] = xcalloc(n_functions, sizeof(**d->exclusive));
		d->calls[time] = xcalloc(n_functions, sizeof(**d->calls));
		d->marks[time] = xcalloc(n_functions, 1);
		d->own_marks[time] = xcalloc(n_functions, 1);
		d->are_calls_least[time] = xcalloc(n_functions, 1);
	}
}

static void drawing_release(struct drawing *d)
{
	free(d->names);
	free(d->is_drawn);
	free(d->arrows);
	free(d->is_arrow);
	for (int time = 0; time < TIMES; time++) {
		free(d->inclusive[time]);
		free(d->exclusive[time]);
		free(d->calls[time]);
		free(d->marks[time]);
		free(d->own_marks[time]);
		free(d->are_calls_least[time]);
	}
	map_release(&d->numbers);
	int_map_release(&d->pairs);
}

/* The function's number: of two sessions by its name. */
static uint32_t number_of(struct drawing *d, const struct export_tree *tree, uint32_t entity)
{
	const char *name = entity == TREE_NONE ? "" : tree->profile.names->list[entity].name;
	int is_new = 1;
	uint32_t number = (uint32_t)d->n_functions;

	if (d->before)
		number = (uint32_t)map_add(&d->numbers, name, strlen(name), &is_new);
	d->n_functions += (size_t)is_new;
	d->names[number] = name;
	return number;
}

static struct arrow *arrow_of(struct drawing *d, uint32_t from, uint32_t to)
{
	int is_new = 1;
	uint32_t number = (uint32_t)d->n_calls;

	if (d->before)
		number = int_map_add(&d->pairs, int_map_pair(from, to), &is_new);
	d->n_calls += (size_t)is_new;
	d->arrows[number].from = from;
	d->arrows[number].to = to;
	return &d->arrows[number];
}

static void take_sums(struct drawing *d, const struct export_tree *tree, const struct callgrind_sums *sums,
		      int time)
{
	FREED uint32_t *number = xcalloc(sums->n_functions, sizeof(*number));

	for (size_t i = 0; i < sums->n_functions; i++) {
		uint32_t entity = sums->functions[i].entity;

		number[i] = number_of(d, tree, entity);
		d->are_calls_least[time][number[i]] |=
			entity != TREE_NONE && tree_has_calls_least(tree, entity);
	}
	d->total[time] = sums->inclusive[d->value];
	for (size_t i = 0; i < sums->n_selves; i++) {
		uint32_t function = number[sums->selves[i].function];

		d->exclusive[time][function] += callgrind_values(sums, sums->selves[i].values)[d->value];
		d->own_marks[time][function] |= sums->selves[i].marks;
	}
	for (size_t i = 0; i < sums->n_calls; i++) {
		const struct callgrind_call *call = &sums->calls[i];
		struct arrow *arrow = arrow_of(d, number[call->caller], number[call->callee]);
		uint64_t cost = callgrind_values(sums, call->values)[d->value];

		arrow->cost[time] += cost;
		arrow->calls[time] += call->calls;
		arrow->marks[time] |= call->marks;
		d->inclusive[time][arrow->to] += cost;
		d->calls[time][arrow->to] += call->calls;
		d->marks[time][arrow->to] |= call->marks;
	}
}

/* The larger of both. */
static uint64_t most(uint64_t *const of[TIMES], uint32_t function)
{
	uint64_t now = of[NOW][function], before = of[BEFORE][function];

	return now > before ? now : before;
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct drawing *d = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return ORDER_FIRST(ORDER(most(d->inclusive, y), most(d->inclusive, x)), ORDER(x, y));
}

static double share(const struct drawing *d, uint64_t value)
{
	uint64_t total = d->total[NOW] > d->total[BEFORE] ? d->total[NOW] : d->total[BEFORE];

	return total ? (double)value / (double)total : 0;
}

static uint64_t cost_of(const struct arrow *arrow)
{
	return arrow->cost[NOW] > arrow->cost[BEFORE] ? arrow->cost[NOW] : arrow->cost[BEFORE];
}

static void choose_functions(struct drawing *d)
{
	size_t n = d->n_functions;
	FREED uint32_t *order = xcalloc(n, sizeof(*order));

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	util_sort(order, n, sizeof(*order), compare, d);
	for (size_t i = 0; i < n && d->n_drawn < d->limit; i++) {
		uint64_t value = most(d->inclusive, order[i]);

		if (!order[i] || (!value && d->percent > 0) || 100 * share(d, value) < d->percent)
			continue;
		d->is_drawn[order[i]] = 1;
		d->n_drawn++;
	}
}

static int compare_calls(const void *a, const void *b, void *arg)
{
	const struct drawing *d = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return ORDER_FIRST(ORDER(cost_of(&d->arrows[y]), cost_of(&d->arrows[x])), ORDER(x, y));
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
	size_t n = d->n_calls, n_between = 0, n_most = ARROWS_A_BOX * d->n_drawn;
	FREED uint32_t *order = xcalloc(n + 1, sizeof(*order));
	FREED uint8_t *has_arrow = xcalloc(d->n_functions, 1);

	d->is_arrow = xcalloc(n + 1, 1);
	for (uint32_t i = 0; i < n; i++) {
		const struct arrow *arrow = &d->arrows[i];

		d->n_all_arrows += arrow->from != 0;
		if (d->is_drawn[arrow->from] && d->is_drawn[arrow->to])
			order[n_between++] = i;
	}
	util_sort(order, n_between, sizeof(*order), compare_calls, d);
	for (size_t i = 0; i < n_between; i++) {
		uint32_t callee = d->arrows[order[i]].to;

		if (!has_arrow[callee] && cost_of(&d->arrows[order[i]]))
			arrow_add(d, order[i]);
		has_arrow[callee] = 1;
	}
	for (size_t i = 0; i < n_between && (d->n_arrows < n_most || d->percent <= 0); i++)
		if (100 * share(d, cost_of(&d->arrows[order[i]])) * EDGE_PART >= d->percent)
			arrow_add(d, order[i]);
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
	STRBUF(part);

	if (columns <= NAME_COLUMNS || columns != n) {
		put_quoted(text, name);
		return;
	}
	strbuf_add(&part, name, NAME_COLUMNS / 2);
	strbuf_puts(&part, "\xe2\x80\xa6");
	strbuf_puts(&part, name + n - NAME_COLUMNS / 2);
	put_quoted(text, part.text);
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

/* Of two sessions from before to now. estimates: of each; NULL: none */
static void put_amounts(struct strbuf *text, const struct drawing *d, const uint64_t values[TIMES],
			const unsigned *estimates)
{
	if (d->before) {
		put_amount(text, d, values[BEFORE], estimates && estimates[BEFORE]);
		strbuf_puts(text, TO_NOW);
	}
	put_amount(text, d, values[NOW], estimates && estimates[NOW]);
}

static void put_calls(struct strbuf *text, const struct drawing *d, const uint64_t calls[TIMES],
		      const unsigned are_least[TIMES])
{
	int is_same = calls[NOW] == calls[BEFORE] && !are_least[NOW] == !are_least[BEFORE];

	for (int time = d->before && !is_same ? BEFORE : NOW; time >= NOW; time--) {
		strbuf_puts(text, are_least[time] ? ">= " : "");
		strbuf_thousands(text, calls[time]);
		strbuf_puts(text, time == BEFORE ? TO_NOW : " x");
	}
}

static const char *measure_name(const struct drawing *d)
{
	return measure_infos[d->tree->choice.measures.list[d->value]].name;
}

static const char *legend(const struct drawing *d)
{
	unsigned marks = d->tree->all_marks | (d->before ? d->before->all_marks : 0u);

	if (d->tree->choice.measures.list[d->value] == MEASURE_COUNT_INSTRUCTIONS)
		return marks & TREE_ESTIMATE ? "\xe2\x89\x88 a share by calls\\l" : "";
	switch (marks & (TREE_ESTIMATE | TREE_CALLS_LEAST)) {
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
	STRBUF(text);

	strbuf_puts(&text, "digraph cinstr {\nlabel=\"");
	put_quoted(&text, title ? title : "");
	if (d->before) {
		strbuf_puts(&text, "\\lbefore: ");
		put_quoted(&text, d->before->profile.totals.title ? d->before->profile.totals.title : "");
		strbuf_puts(&text, "\\lred: more than before; blue: less; bold: new; dashed: gone");
	}
	strbuf_puts(&text, "\\l100 % = ");
	put_amounts(&text, d, d->total, NULL);
	strbuf_printf(&text, " %s", measure_name(d));
	if (d->tree->filter) {
		strbuf_puts(&text, "; ");
		put_quoted(&text, d->tree->filter);
	}
	strbuf_puts(&text, "\\lDrawn: ");
	strbuf_thousands(&text, d->n_drawn);
	strbuf_puts(&text, " of ");
	strbuf_thousands(&text, d->n_functions - 1);
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
}

/* Red: more now; blue: less; white: as much. */
static void put_colour(struct strbuf *text, const struct drawing *d, uint32_t i)
{
	uint64_t now = d->exclusive[NOW][i], before = d->exclusive[BEFORE][i];
	double part = sqrt(share(d, now > before ? now - before : before - now)), own = sqrt(share(d, now));

	if (d->before)
		strbuf_printf(text, "%s %.3f 1.000", now > before ? "0.000" : "0.600", 0.7 * part);
	else
		strbuf_printf(text, "%.3f %.3f 1.000", 0.12 * (1 - own), 0.04 + 0.66 * own);
}

static void put_values(struct strbuf *text, const struct drawing *d, uint32_t i)
{
	const uint64_t inclusive[] = { d->inclusive[NOW][i], d->inclusive[BEFORE][i] };
	const uint64_t exclusive[] = { d->exclusive[NOW][i], d->exclusive[BEFORE][i] };
	const uint64_t calls[] = { d->calls[NOW][i], d->calls[BEFORE][i] };
	const unsigned own[] = { d->own_marks[NOW][i] & TREE_ESTIMATE,
				 d->own_marks[BEFORE][i] & TREE_ESTIMATE };
	const unsigned all[] = { d->marks[NOW][i] & TREE_TOTAL_ESTIMATE,
				 d->marks[BEFORE][i] & TREE_TOTAL_ESTIMATE };
	const unsigned are_least[] = { d->are_calls_least[NOW][i], d->are_calls_least[BEFORE][i] };

	put_amounts(text, d, exclusive, own);
	if (!d->before)
		strbuf_printf(text, " (%.1f %%)", 100 * share(d, exclusive[NOW]));
	if (inclusive[NOW] != exclusive[NOW] || inclusive[BEFORE] != exclusive[BEFORE]) {
		strbuf_puts(text, "\\nof ");
		put_amounts(text, d, inclusive, all);
		if (!d->before)
			strbuf_printf(text, " (%.1f %%)", 100 * share(d, inclusive[NOW]));
	}
	if (calls[NOW] || calls[BEFORE]) {
		strbuf_puts(text, "\\n");
		put_calls(text, d, calls, are_least);
	}
}

static int is_there(const struct drawing *d, uint32_t i, int time)
{
	return d->inclusive[time][i] || d->calls[time][i];
}

static void put_box(struct drawing *d, uint32_t i)
{
	STRBUF(text);

	strbuf_printf(&text, "f%u [label=\"", i);
	put_short(&text, d->names[i]);
	strbuf_puts(&text, "\\n");
	put_values(&text, d, i);
	strbuf_puts(&text, "\", tooltip=\"");
	put_quoted(&text, d->names[i]);
	strbuf_printf(&text, "\", fontsize=%.0f, fillcolor=\"",
		      9 + 22 * sqrt(share(d, most(d->exclusive, i))));
	put_colour(&text, d, i);
	strbuf_puts(&text, "\"");
	if (d->before && !is_there(d, i, BEFORE))
		strbuf_puts(&text, ", style=\"filled,bold\"");
	else if (d->before && !is_there(d, i, NOW))
		strbuf_puts(&text, ", style=\"filled,dashed\"");
	strbuf_puts(&text, "];\n");
	sink_bytes(&d->job->sink, text.text, text.length);
}

static void put_arrow(struct drawing *d, const struct arrow *arrow)
{
	const unsigned estimates[] = { arrow->marks[NOW] & TREE_TOTAL_ESTIMATE,
				       arrow->marks[BEFORE] & TREE_TOTAL_ESTIMATE };
	const unsigned are_least[] = { arrow->marks[NOW] & TREE_CALLS_LEAST,
				       arrow->marks[BEFORE] & TREE_CALLS_LEAST };
	uint64_t cost = cost_of(arrow), calls = arrow->calls[NOW] | arrow->calls[BEFORE];
	double part = fmin(share(d, cost), 1); /* damaged files may say more */
	STRBUF(text);

	strbuf_printf(&text, "f%u -> f%u [label=\" ", arrow->from, arrow->to);
	if (cost || !calls)
		put_amounts(&text, d, arrow->cost, estimates);
	if (calls) {
		strbuf_puts(&text, cost ? "\\n " : "");
		put_calls(&text, d, arrow->calls, are_least);
	}
	strbuf_printf(&text, "\", penwidth=%.1f, weight=%d", 0.6 + 5 * part, 1 + (int)(99 * part));
	if (d->before && arrow->cost[NOW] != arrow->cost[BEFORE])
		strbuf_printf(&text, ", color=\"%s\"",
			      arrow->cost[NOW] > arrow->cost[BEFORE] ? "#c03030" : "#3050c0");
	strbuf_puts(&text, "];\n");
	sink_bytes(&d->job->sink, text.text, text.length);
}

static void put_graph(struct drawing *d)
{
	put_title(d);
	for (uint32_t i = 0; i < d->n_functions; i++)
		if (d->is_drawn[i])
			put_box(d, i);
	for (size_t i = 0; i < d->n_calls; i++)
		if (d->is_arrow[i])
			put_arrow(d, &d->arrows[i]);
	sink_puts(&d->job->sink, "}\n");
}

/* ---- the format ------------------------------------------------------------------------------ */

/* before: NULL: of one session */
static int draw(struct export_job *job, const struct export_tree *tree, const struct export_tree *before)
{
	struct drawing d = { .job = job, .tree = tree, .before = before };
	struct callgrind_sums sums[TIMES] = { 0 };
	STRBUF(what);
	int status;

	d.percent = job->options.min_percent < 0 ? DEFAULT_PERCENT : job->options.min_percent;
	d.limit = job->options.limit ? job->options.limit : DEFAULT_LIMIT;
	callgrind_sums_make(&sums[NOW], tree, 1);
	if (before)
		callgrind_sums_make(&sums[BEFORE], before, 1);
	drawing_begin(&d, sums[NOW].n_functions + sums[BEFORE].n_functions,
		      sums[NOW].n_calls + sums[BEFORE].n_calls);
	take_sums(&d, tree, &sums[NOW], NOW);
	if (before)
		take_sums(&d, before, &sums[BEFORE], BEFORE);
	choose(&d);
	strbuf_thousands(&what, d.n_drawn);
	strbuf_puts(&what, " of ");
	output_plural(&what, d.n_functions - 1, "function", "s");
	if (export_begin(job, d.n_drawn * BOX_BYTES + d.n_arrows * ARROW_BYTES, what.text, &status)) {
		put_graph(&d);
		status = export_end(job, what.text);
	}
	drawing_release(&d);
	callgrind_sums_release(&sums[NOW]);
	if (before)
		callgrind_sums_release(&sums[BEFORE]);
	return status;
}

static int write_dot(struct export_job *job)
{
	struct tree_choice choice = { 0 };
	struct export_tree trees[TIMES]; /* as they are given: A, B */
	int status = STATUS_OK, wrong = 0;
	size_t n = 0, last = job->n_paths - 1;

	if (measures_choose(&choice.measures, job->options.measure, "elapsed,samples", 1))
		return STATUS_USAGE;
	if (choice.measures.list[0] == MEASURE_CALLS)
		return error_usage(
			"export: --measure=calls: dot draws what calls cost; how many there are it says "
			"besides");
	measures_add(&choice.measures, MEASURE_CALLS);
	while (n < job->n_paths && wrong != STATUS_USAGE) {
		wrong = export_tree_read(&trees[n], job, n, &choice);
		status = wrong ? wrong : status;
		n++;
	}
	if (wrong != STATUS_USAGE && trees[0].n && trees[last].n) {
		wrong = draw(job, &trees[last], last ? &trees[0] : NULL);
		status = wrong ? wrong : status;
	}
	for (size_t i = 0; i < n; i++)
		export_tree_release(&trees[i]);
	return status;
}

const struct export_format export_dot = {
	.name = "dot",
	.extension = ".dot",
	.opens = "dot -Tsvg -O %s",
	.needs = EXPORT_ANY,
	.takes_counts = 1,
	.takes_two = 1,
	.most = 500000, /* dot takes 3 s for 140 kB */
	.write = write_dot,
};
