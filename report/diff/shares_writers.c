/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shares_writers.c - writes what cinstr diff found with samples on a side as table, csv and json
 * (diff_shares.h). */
#include <stdlib.h>
#include <string.h>

#include "diff_fields.h"
#include "diff_shares.h"
#include "lib/terminal.h"
#include "output/output.h"
#include "output/upper_end.h"
#include "row_labels.h"
#include "selection/selection.h"

#define LABEL 12

/* ---- words ----------------------------------------------------------------------------------- */

static int is_beside(const struct diff *diff)
{
	return diff->shares->kind == SHARES_BESIDE;
}

static const char *verdict_of(const struct diff *diff, uint32_t row)
{
	return shares_verdicts[is_beside(diff)][diff->rows[row].verdict];
}

/* What the instrumented shares are shares of. */
static const char *times_of(const struct diff *diff)
{
	return diff->shares->is_elapsed ? "Elapsed time (there is no source of Application time)"
					: "Application time, mode on-cpu";
}

/* ---- table ----------------------------------------------------------------------------------- */

enum {
	CELL_VERDICT,
	CELL_A,
	CELL_RANGE_A,
	CELL_B,
	CELL_RANGE_B,
	CELL_CHANGE,
	CELL_HALF,
	CELL_OTHER_A,
	CELL_OTHER_B,
	CELL_CALLS,
	CELL_NAME,
	CELL_MODULE,
	CELLS
};

struct table {
	const struct diff_view *view;
	struct grid grid;
	int has_estimates;
};

static void put_headings(struct table *table)
{
	static const char *const beside[CELLS] = { "Verdict", "Sampled", "95 % between", "Instrumented",
						   "between", "Points",	 "+-",		 NULL,
						   NULL,      "Calls",	 NULL,		 "Module" };
	static const char *const sampled[CELLS] = { "Verdict",	    "A",      "95 % between", "B",
						    "95 % between", "Points", "+-",	      NULL,
						    NULL,	    "",	      NULL,	      "Module" };
	const struct diff *diff = table->view->diff;
	const char *other = diff->shares->is_inclusive ? "Excl" : "Incl";

	for (size_t i = 0; i < CELLS; i++)
		if ((is_beside(diff) ? beside : sampled)[i])
			strbuf_puts(grid_cell(&table->grid, 0, i), (is_beside(diff) ? beside : sampled)[i]);
	strbuf_printf(grid_cell(&table->grid, 0, CELL_OTHER_A), "%s %s", other,
		      is_beside(diff) ? "sampled" : "A");
	strbuf_printf(grid_cell(&table->grid, 0, CELL_OTHER_B), "%s %s", other,
		      is_beside(diff) ? "instr." : "B");
	strbuf_puts(grid_cell(&table->grid, 0, CELL_NAME), diff_row_heading(diff));
}

static void put_share(struct table *table, size_t at, int side, size_t cell, size_t range_cell,
		      enum diff_value value)
{
	const struct diff *diff = table->view->diff;
	uint32_t number = table->view->rows[at - 1];
	struct shares_range range = shares_range_of(diff, number, side, value);

	strbuf_printf(grid_cell(&table->grid, at, cell), "%.2f", diff->rows[number].means[side][value]);
	if (cell == CELL_B)
		diff_mark_put(grid_cell(&table->grid, at, cell), &diff->rows[number], side,
			      table->has_estimates);
	if (range_cell < CELLS)
		strbuf_printf(grid_cell(&table->grid, at, range_cell), "%.2f-%.2f", range.low, range.high);
}

static void put_row(struct table *table, size_t at)
{
	const struct diff *diff = table->view->diff;
	uint32_t number = table->view->rows[at - 1];
	const struct diff_row *row = &diff->rows[number];
	enum diff_value value = diff->shares->is_inclusive ? DIFF_ELAPSED_INCLUSIVE : DIFF_ELAPSED_EXCLUSIVE;
	enum diff_value other = diff->shares->is_inclusive ? DIFF_ELAPSED_EXCLUSIVE : DIFF_ELAPSED_INCLUSIVE;

	strbuf_puts(grid_cell(&table->grid, at, CELL_VERDICT), verdict_of(diff, number));
	put_share(table, at, 0, CELL_A, CELL_RANGE_A, value);
	put_share(table, at, 1, CELL_B, CELL_RANGE_B, value);
	put_share(table, at, 0, CELL_OTHER_A, CELLS, other);
	put_share(table, at, 1, CELL_OTHER_B, CELLS, other);
	strbuf_printf(grid_cell(&table->grid, at, CELL_CHANGE), "%+.2f", row->difference.change + 0.0);
	strbuf_printf(grid_cell(&table->grid, at, CELL_HALF), "%.2f", row->difference.half);
	if (is_beside(diff) && row->are_calls_least[1])
		strbuf_puts(grid_cell(&table->grid, at, CELL_CALLS), LOWER_END_MARK);
	if (is_beside(diff))
		strbuf_thousands(grid_cell(&table->grid, at, CELL_CALLS),
				 util_rounded(row->means[1][DIFF_CALLS]));
	diff_put_name(grid_cell(&table->grid, at, CELL_NAME), diff, number);
	if (row->module)
		strbuf_visible(grid_cell(&table->grid, at, CELL_MODULE), util_basename(row->module));
}

/* By enum diff_field; the other of inclusive and exclusive: see choose_columns(). */
static const struct diff_cells cells_of[DIFF_FIELDS] = {
	[DIFF_FIELD_VERDICT] = { CELL_VERDICT, 1 },
	[DIFF_FIELD_A] = { CELL_A, 2 },
	[DIFF_FIELD_B] = { CELL_B, 2 },
	[DIFF_FIELD_CHANGE] = { CELL_CHANGE, 1 },
	[DIFF_FIELD_INTERVAL] = { CELL_HALF, 1 },
	[DIFF_FIELD_NAME] = { CELL_NAME, 1 },
	[DIFF_FIELD_MODULE] = { CELL_MODULE, 1 },
};

static void choose_columns(struct table *table, unsigned terminal)
{
	const struct field_choice *wished = table->view->columns;

	if (wished) {
		struct diff_cells cells[DIFF_FIELDS];

		memcpy(cells, cells_of, sizeof(cells));
		if (is_beside(table->view->diff))
			cells[DIFF_FIELD_CALLS_B] = (struct diff_cells){ CELL_CALLS, 1 };
		cells[DIFF_FIELD_OTHERS + table->view->diff->shares->is_inclusive] =
			(struct diff_cells){ CELL_OTHER_A, 2 };
		diff_grid_choose(&table->grid, wished, cells, terminal);
		return;
	}
	/* Columns that do not fit go. */
	static const int order[] = { CELL_MODULE,  CELL_RANGE_B, CELL_CALLS,
				     CELL_OTHER_B, CELL_OTHER_A, CELL_RANGE_A };
	struct grid_column *columns = table->grid.columns;

	columns[CELL_CALLS].is_gone = !is_beside(table->view->diff);
	columns[CELL_MODULE].is_gone = table->view->diff->by == BY_MODULE;
	diff_grid_fit(&table->grid, terminal, order, ARRAY_SIZE(order), CELL_NAME);
}

/* ---- heading and foot ------------------------------------------------------------------------ */

static void print_side(FILE *out, const struct diff_view *view, int side)
{
	static const char *const beside[] = { "Sampled", "Instrumented" }, *const sampled[] = { "A", "B" };
	const struct diff *diff = view->diff;
	size_t first = side ? diff->n_a : 0, end = side ? diff->n_runs : diff->n_a;
	double n = shares_samples(diff, side);
	STRBUF(text);

	for (size_t run = first; run < end; run++) {
		strbuf_puts(&text, run > first ? ", " : "");
		strbuf_visible(&text, view->sources[run]);
	}
	strbuf_puts(&text, ": ");
	if (n > 0) {
		strbuf_puts(&text, "100 % = ");
		strbuf_thousands(&text, util_rounded(n));
		strbuf_puts(&text, n == 1 ? " sample" : " samples");
	} else {
		strbuf_printf(&text, "100 %% = %s", times_of(diff));
	}
	fprintf(out, "%-*s  %s\n", is_beside(diff) ? LABEL : 1, (is_beside(diff) ? beside : sampled)[side],
		text.text);
}

static void print_heading(FILE *out, const struct diff_view *view)
{
	const struct diff *diff = view->diff;
	STRBUF(filter);

	print_side(out, view, 0);
	print_side(out, view, 1);
	selection_put(&filter, view->selection);
	if (filter.length)
		fprintf(out, "%s\n", filter.text);
	fprintf(out, "%s shares in percent%s\n\n", diff->shares->is_inclusive ? "Inclusive" : "Exclusive",
		diff->n_runs > 2 ? ", means of the runs" : "");
}

static void print_certainty(FILE *out, const struct diff *diff)
{
	fprintf(out,
		"%-*s  with 95 %% confidence all true differences are within +- at once (%s%s, Bonferroni "
		"over %zu row%s)\n",
		LABEL, "Certainty",
		is_beside(diff) ? "the samples' chance and what the probes' cost may be wrong by"
				: "two proportions",
		diff->n_runs > 2 ? ", or the runs' spread if it is larger" : "", diff->n_compared,
		diff->n_compared == 1 ? "" : "s");
}

static void print_distortion(FILE *out, const struct diff *diff)
{
	const struct shares *shares = diff->shares;
	const struct diff_row *most = shares->most == DIFF_NONE ? NULL : &diff->rows[shares->most];

	if (!is_beside(diff))
		fprintf(out, "%-*s  %.1f %% of the samples are in other functions than before", LABEL,
			"Change", shares->distortion);
	else
		fprintf(out, "%-*s  with probes %.1f %% of the time is in other functions than samples say",
			LABEL, "Distortion", shares->distortion);
	fprintf(out, "; by chance alone it would be about %.1f %%", shares->by_chance);
	if (most && diff->by != BY_PATH) {
		STRBUF(name);

		diff_put_name(&name, diff, shares->most);
		fprintf(out, "; most: %s, %+.1f points", name.text,
			most->means[1][DIFF_ELAPSED_EXCLUSIVE] - most->means[0][DIFF_ELAPSED_EXCLUSIVE]);
	}
	fputc('\n', out);
}

static void print_seen(FILE *out, const struct diff *diff)
{
	const struct shares *shares = diff->shares;

	if (!is_beside(diff))
		return;
	if (shares->n_folded)
		fprintf(out,
			"%-*s  %.1f %% of the samples, in %zu function%s that probes do not tell from their "
			"callers there, are parts of these\n",
			LABEL, "Folded", shares->folded, shares->n_folded, shares->n_folded == 1 ? "" : "s");
	if (shares->jumped > 0)
		fprintf(out, "%-*s  %.1f %% of the samples are below tail calls; who jumped was put back\n",
			LABEL, "Jumps", shares->jumped);
	if (shares->unclear > 0)
		fprintf(out,
			"%-*s  of %.1f %% of the samples it is not clear who jumped there: their inclusive "
			"shares are too low by as much\n",
			LABEL, "Not clear", shares->unclear);
	if (!shares->sees_kernel)
		fprintf(out,
			"%-*s  the samples hold no time in the kernel, which probes see: system calls have "
			"larger shares there\n",
			LABEL, "Kernel");
}

/* Without --verbose. */
static void print_short_foot(FILE *out, const struct diff_view *view)
{
	const struct shares *shares = view->diff->shares;

	fprintf(out, "\n%.1f %% of the %s; by chance about %.1f %%\n", shares->distortion,
		is_beside(view->diff) ? "time differs from what samples say"
				      : "samples are in other functions",
		shares->by_chance);
	fputs("+- holds for all rows at once (95 %)\n", out);
	diff_put_rest(out, view, 0);
}

static void print_foot(FILE *out, const struct diff_view *view)
{
	if (!view->view.verbose) {
		print_short_foot(out, view);
		return;
	}
	fputc('\n', out);
	print_distortion(out, view->diff);
	print_seen(out, view->diff);
	if (diff_has_estimates(view->diff, view->rows, view->n_rows))
		fprintf(out, "%-*s  %s\n", LABEL, "Mixed", diff_estimate_legend);
	diff_put_rows(out, view, LABEL + 2, "differences");
	print_certainty(out, view->diff);
}

void shares_table(struct items *items, const struct view *base)
{
	FILE *out = items->out;
	const struct diff_view *view = (const void *)base; /* its first member */
	struct table table = { .view = view,
			       .has_estimates = diff_has_estimates(view->diff, view->rows, view->n_rows) };

	grid_init(&table.grid, view->n_rows + 1, CELLS);
	put_headings(&table);
	for (size_t i = 1; i <= view->n_rows; i++)
		put_row(&table, i);
	choose_columns(&table, terminal_width(out));
	print_heading(out, view);
	diff_grid_print(&table.grid, out);
	diff_put_foot(out, view, print_foot, LABEL + 2);
	grid_release(&table.grid);
}

/* ---- for scripts ----------------------------------------------------------------------------- */

/* Of each side. */
static const char *const side_keys[] = { "inclusive_percent",	   "inclusive_percent_low",
					 "inclusive_percent_high", "exclusive_percent",
					 "exclusive_percent_low",  "exclusive_percent_high" };
#define SIDE_KEYS ARRAY_SIZE(side_keys)
static const char *const last_keys[] = { "difference", "interval_low", "interval_high", "folded_percent" };
#define NUMBERS (2 * SIDE_KEYS + ARRAY_SIZE(last_keys))

/* By enum diff_field. */
#define KEYS(a, b) \
	{ \
		[DIFF_FIELD_VERDICT] = "verdict", \
		[DIFF_FIELD_A] = a "_inclusive_percent " a "_exclusive_percent", \
		[DIFF_FIELD_B] = b "_inclusive_percent " b "_exclusive_percent", \
		[DIFF_FIELD_CHANGE] = "difference", [DIFF_FIELD_INTERVAL] = "interval_low interval_high", \
		[DIFF_FIELD_CALLS_B] = "calls", [DIFF_FIELD_NAME] = "name callee path file line", \
		[DIFF_FIELD_MODULE] = "module", \
	}
static const char *const keys_beside[DIFF_FIELDS] = KEYS("sampled", "instrumented");
static const char *const keys_sampled[DIFF_FIELDS] = KEYS("a", "b");

static void put_key(struct strbuf *text, const struct diff *diff, size_t which)
{
	static const char *const beside[] = { "sampled_", "instrumented_" }, *const sampled[] = { "a_",
												  "b_" };

	strbuf_clear(text);
	if (which >= 2 * SIDE_KEYS)
		strbuf_puts(text, last_keys[which - 2 * SIDE_KEYS]);
	else
		strbuf_printf(text, "%s%s", (is_beside(diff) ? beside : sampled)[which / SIDE_KEYS],
			      side_keys[which % SIDE_KEYS]);
}

static void numbers_of(const struct diff *diff, uint32_t number, double *numbers)
{
	static const enum diff_value values[] = { DIFF_ELAPSED_INCLUSIVE, DIFF_ELAPSED_EXCLUSIVE };
	const struct diff_row *row = &diff->rows[number];

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
			struct shares_range range = shares_range_of(diff, number, side, values[i]);

			*numbers++ = row->means[side][values[i]];
			*numbers++ = range.low;
			*numbers++ = range.high;
		}
	*numbers++ = row->difference.change;
	*numbers++ = row->difference.change - row->difference.half;
	*numbers++ = row->difference.change + row->difference.half;
	*numbers = diff->shares->rows[number].folded;
}

static void put_item(struct items *items, const struct diff *diff, uint32_t number, struct strbuf *text)
{
	const struct diff_row *row = &diff->rows[number];
	double numbers[NUMBERS];

	items_row(items, ITEMS_PADDED);
	diff_texts_put(items, diff, number, verdict_of(diff, number), text);
	numbers_of(diff, number, numbers);
	if (is_beside(diff))
		items_ns(items, "calls", row->means[1][DIFF_CALLS]);
	else
		items_none(items, "calls");
	for (size_t i = 0; i < NUMBERS; i++) {
		put_key(text, diff, i);
		items_decimal(items, text->text, numbers[i] + 0.0, 6);
	}
	if (is_beside(diff)) {
		diff_source_put(items, row, 1, "calls_bound", "source");
	} else {
		items_none(items, "calls_bound");
		items_none(items, "source");
	}
	items_close(items);
}

void shares_flat(struct items *items, const struct view *base)
{
	const struct diff_view *view = (const void *)base; /* its first member */
	const char *names[DIFF_TEXTS_MAX + 1 + NUMBERS + 2];
	size_t n = diff_texts_columns(view->diff, names);
	struct strbuf keys[NUMBERS] = { 0 }, text = { 0 };

	if (view->columns)
		diff_sheet_choose(items, view->columns, is_beside(view->diff) ? keys_beside : keys_sampled);
	names[n++] = "calls";
	for (size_t i = 0; i < NUMBERS; i++) {
		put_key(&keys[i], view->diff, i);
		names[n++] = keys[i].text;
	}
	names[n++] = "calls_bound";
	names[n++] = "source";
	items_columns(items, names, n);
	for (size_t i = 0; i < view->n_rows; i++)
		put_item(items, view->diff, view->rows[i], &text);
	for (size_t i = 0; i < NUMBERS; i++)
		strbuf_release(&keys[i]);
	strbuf_release(&text);
}

static void put_session(struct items *items, const struct diff_view *view)
{
	const struct diff *diff = view->diff;
	const struct shares *shares = diff->shares;
	int beside = is_beside(diff);

	diff_sources_put(items, view, beside ? "sampled" : "a", 0, diff->n_a);
	diff_sources_put(items, view, beside ? "instrumented" : "b", diff->n_a, diff->n_runs);
	items_text(items, "kind", beside ? "sampled_and_instrumented" : "sampled");
	items_text(items, "column", shares->is_inclusive ? "inclusive_percent" : "exclusive_percent");
	if (beside) {
		items_text(items, "instrumented_time", shares->is_elapsed ? "elapsed" : "application_on_cpu");
		items_flag(items, "samples_in_kernel", shares->sees_kernel);
	}
	for (int side = 0; side < 2; side++)
		if (shares_samples(diff, side) > 0)
			items_ns(items,
				 beside ? "samples"
				 : side ? "b_samples"
					: "a_samples",
				 shares_samples(diff, side));
	items_decimal(items, "confidence", 0.95L, 2);
	items_count(items, "compared_rows", diff->n_compared);
	items_decimal(items, "distortion_percent", shares->distortion, 6);
	items_decimal(items, "distortion_by_chance_percent", shares->by_chance, 6);
	if (beside) {
		items_decimal(items, "below_tail_calls_percent", shares->jumped, 6);
		items_decimal(items, "unclear_tail_calls_percent", shares->unclear, 6);
	}
	items_decimal(items, "folded_percent", shares->folded, 6);
	items_count(items, "rows_below_threshold", view->n_small);
	items_count(items, "rows_beyond_limit", view->n_hidden);
	items_count(items, "rows_not_chosen", view->n_left_out);
}

void shares_nested(struct items *items, const struct view *base)
{
	const struct diff_view *view = (const void *)base; /* its first member */

	if (view->columns)
		diff_sheet_choose(items, view->columns, is_beside(view->diff) ? keys_beside : keys_sampled);
	diff_nested_put(items, view, put_session, put_item);
}
