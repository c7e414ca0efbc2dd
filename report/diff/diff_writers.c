/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff_writers.c - writes what cinstr diff found as table, csv and json (diff.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff_fields.h"
#include "diff_processes.h"
#include "lib/terminal.h"
#include "output/output.h"
#include "output/upper_end.h"
#include "rows/uncertainty.h"
#include "row_labels.h"
#include "selection/selection.h"

#define PATH_SHOWN 4 /* functions of a path in a table */
#define PERCENT_SHOWN 9999
#define ELLIPSIS "\xe2\x80\xa6"
#define LABEL 11

/* ---- what a row is called -------------------------------------------------------------------- */

void diff_put_path(struct strbuf *text, const struct diff *diff, uint32_t row, unsigned levels)
{
	uint32_t path[DIFF_PATH_MAX_LEVELS];
	unsigned n = 0;

	for (; row != DIFF_NONE && n < levels; row = diff->rows[row].parent)
		path[n++] = row;
	if (row != DIFF_NONE)
		strbuf_puts(text, ELLIPSIS " > ");
	while (n) {
		strbuf_puts(text, diff->rows[path[--n]].name);
		strbuf_puts(text, n ? " > " : "");
	}
}

/* "f+0x1c (a.c:7) -> g" */
static void put_instruction(struct strbuf *text, const struct diff_row *row)
{
	strbuf_puts(text, row->name);
	if (row->file && row->line)
		strbuf_printf(text, " (%s:%u)", util_basename(row->file), row->line);
	if (row->callee)
		strbuf_printf(text, " -> %s", row->callee);
}

void diff_put_name(struct strbuf *text, const struct diff *diff, uint32_t number)
{
	const struct diff_row *row = &diff->rows[number];
	STRBUF(name);

	if (diff->by == BY_PATH)
		diff_put_path(&name, diff, number, PATH_SHOWN);
	else if (diff->by == BY_ADDRESS)
		put_instruction(&name, row);
	else if (row->callee)
		strbuf_printf(&name, "%s:%u -> %s", row->name, row->line, row->callee);
	else
		strbuf_puts(&name, row->name);
	strbuf_visible(text, name.text);
}

static const char *verdict(const struct diff *diff, enum diff_verdict which)
{
	return diff_verdicts[!diff_is_time(diff->column)][which];
}

/* ---- table ----------------------------------------------------------------------------------- */

struct unit {
	double size;
	const char *name;
	int decimals;
};

/* By number of the other times. */
static const enum column others[] = { COLUMN_ELAPSED_INCLUSIVE, COLUMN_ELAPSED_EXCLUSIVE,
				      COLUMN_APPLICATION_INCLUSIVE, COLUMN_APPLICATION_EXCLUSIVE };

static struct unit time_unit(double most)
{
	static const struct unit units[] = {
		{ 1, "ns", 0 }, { 1e3, "us", 3 }, { 1e6, "ms", 3 }, { 1e9, "s", 3 }
	};
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(units) && most >= 10000 * units[i].size)
		i++;
	return units[i];
}

static struct unit times_of(const struct diff_view *view)
{
	double most = 0;

	for (size_t i = 0; i < view->n_rows; i++)
		for (int side = 0; side < 2; side++)
			most = fmax(most,
				    view->diff->rows[view->rows[i]].means[side][DIFF_ELAPSED_INCLUSIVE]);
	return time_unit(most);
}

static struct unit unit_of(const struct diff_view *view, const struct unit *times)
{
	const struct diff *diff = view->diff;

	if (diff->is_relative)
		return (struct unit){ 1, "%", 3 };
	if (diff_is_time(diff->column))
		return *times;
	return (struct unit){ 1, "", diff->n_runs > 2 || diff->processes ? 1 : 0 };
}

static void put_number(struct strbuf *text, double value, const struct unit *unit, int is_signed)
{
	char digits[64];
	size_t point;

	snprintf(digits, sizeof(digits), "%.*f", unit->decimals, fabs(value) / unit->size);
	point = strcspn(digits, ".");
	if (value < 0)
		strbuf_puts(text, "-");
	else if (is_signed && value > 0)
		strbuf_puts(text, "+");
	strbuf_thousands(text, strtoull(digits, NULL, 10));
	strbuf_puts(text, digits + point);
}

/* Of next to nothing all is many times as much: more than that says nothing. */
static void put_percent(struct strbuf *text, const struct difference *d)
{
	if (d->a == 0)
		return;
	if (100 * d->change / d->a > PERCENT_SHOWN)
		strbuf_printf(text, "> %d", PERCENT_SHOWN);
	else
		strbuf_printf(text, "%+.1f", 100 * d->change / d->a);
}

/* What the compared time of a side may be at most, where its uncertainty is as large as itself;
 * < 0: more is known of it. What would not show in the unit does not count. */
static double upper_end(const struct diff_row *row, int side, const struct unit *unit)
{
	double uncertainty = row->means[side][DIFF_UNCERTAINTY];

	if (uncertainty * pow(10, unit->decimals) < unit->size)
		return -1;
	return (double)uncertainty_end(side ? row->difference.b : row->difference.a, uncertainty);
}

static int has_upper_ends(const struct diff_view *view)
{
	struct unit times = times_of(view), unit = unit_of(view, &times);

	for (size_t i = 0; i < view->n_rows; i++)
		for (int side = 0; side < 2; side++)
			if (upper_end(&view->diff->rows[view->rows[i]], side, &unit) >= 0)
				return 1;
	return 0;
}

static int has_estimates(const struct diff_view *view)
{
	return diff_total_of(view->diff->column) && diff_has_estimates(view->diff, view->rows, view->n_rows);
}

struct table {
	const struct diff_view *view;
	struct unit unit, times;
	struct grid grid;
	int has_estimates;
};

static void put_side(struct table *table, size_t at, int side)
{
	const struct diff_row *row = &table->view->diff->rows[table->view->rows[at - 1]];
	const struct unit *unit = &table->unit;
	struct strbuf *cell = grid_cell(&table->grid, at, side ? DIFF_FIELD_B : DIFF_FIELD_A);
	double end = upper_end(row, side, unit);

	if (end < 0) {
		put_number(cell, side ? row->difference.b : row->difference.a, unit, 0);
	} else {
		strbuf_puts(cell, UPPER_END_MARK);
		put_number(cell, unit->size * (double)upper_end_shown(end / unit->size, unit->decimals), unit,
			   0);
	}
	diff_mark_put(cell, row, side, table->has_estimates);
}

static void put_headings(struct table *table)
{
#define HEADING_OF(id, name, heading, keys) heading,
	static const char *const headings[DIFF_FIELDS] = { DIFF_FIELD_LIST(HEADING_OF) };

	for (size_t i = 0; i < DIFF_FIELDS; i++)
		strbuf_puts(grid_cell(&table->grid, 0, i),
			    headings[i] ? headings[i] : diff_row_heading(table->view->diff));
}

static void put_row(struct table *table, size_t at)
{
	const struct diff *diff = table->view->diff;
	const struct diff_row *row = &diff->rows[table->view->rows[at - 1]];
	struct unit count = { 1, "", 0 };

	strbuf_puts(grid_cell(&table->grid, at, DIFF_FIELD_VERDICT), verdict(diff, row->verdict));
	if (!diff_has_interval(diff) && diff_is_time(diff->column) &&
	    (row->verdict == DIFF_MORE || row->verdict == DIFF_LESS))
		strbuf_puts(grid_cell(&table->grid, at, DIFF_FIELD_VERDICT),
			    "?"); /* who knows how much runs differ */
	put_side(table, at, 0);
	put_side(table, at, 1);
	put_number(grid_cell(&table->grid, at, DIFF_FIELD_CHANGE), row->difference.change, &table->unit, 1);
	put_percent(grid_cell(&table->grid, at, DIFF_FIELD_PERCENT), &row->difference);
	if (diff_has_interval(diff) && isfinite(row->difference.half))
		put_number(grid_cell(&table->grid, at, DIFF_FIELD_INTERVAL), row->difference.half,
			   &table->unit, 0);
	for (int side = 0; side < 2 && diff->processes; side++)
		diff_processes_put_most(grid_cell(&table->grid, at, DIFF_FIELD_IMBALANCE_A + (size_t)side),
					diff, table->view->rows[at - 1], side);
	for (int side = 0; side < 2; side++) {
		struct strbuf *cell =
			grid_cell(&table->grid, at, side ? DIFF_FIELD_CALLS_B : DIFF_FIELD_CALLS_A);

		strbuf_puts(cell, row->are_calls_least[side] ? LOWER_END_MARK : "");
		put_number(cell, row->means[side][DIFF_CALLS], &count, 0);
	}
	for (int i = 0; i < 4; i++)
		put_number(grid_cell(&table->grid, at, DIFF_FIELD_OTHERS + i),
			   row->means[1][DIFF_ELAPSED_INCLUSIVE + i] -
				   row->means[0][DIFF_ELAPSED_INCLUSIVE + i],
			   &table->times, 1);
	diff_put_name(grid_cell(&table->grid, at, DIFF_FIELD_NAME), diff, table->view->rows[at - 1]);
	if (row->module)
		strbuf_visible(grid_cell(&table->grid, at, DIFF_FIELD_MODULE), util_basename(row->module));
}

#define KEYS_OF(id, name, heading, keys) keys,
static const char *const keys_of[DIFF_FIELDS] = { DIFF_FIELD_LIST(KEYS_OF) };

static void choose_columns(struct table *table, unsigned terminal)
{
	static const size_t shown[DIFF_FIELDS] = {
		DIFF_FIELD_VERDICT,	DIFF_FIELD_A,		DIFF_FIELD_B,	    DIFF_FIELD_CHANGE,
		DIFF_FIELD_PERCENT,	DIFF_FIELD_INTERVAL,	DIFF_FIELD_CALLS_A, DIFF_FIELD_CALLS_B,
		DIFF_FIELD_IMBALANCE_A, DIFF_FIELD_IMBALANCE_B, DIFF_FIELD_OTHERS,  DIFF_FIELD_OTHERS + 1,
		DIFF_FIELD_OTHERS + 2,	DIFF_FIELD_OTHERS + 3,	DIFF_FIELD_NAME,    DIFF_FIELD_MODULE
	};
	/* Columns that do not fit go: the other times, then the module, then calls. */
	static const int order[] = { DIFF_FIELD_OTHERS + 2, DIFF_FIELD_OTHERS + 3,  DIFF_FIELD_OTHERS,
				     DIFF_FIELD_OTHERS + 1, DIFF_FIELD_MODULE,	    DIFF_FIELD_CALLS_A,
				     DIFF_FIELD_CALLS_B,    DIFF_FIELD_IMBALANCE_A, DIFF_FIELD_IMBALANCE_B };
	const struct diff *diff = table->view->diff;
	struct grid_column *columns = table->grid.columns;

	if (table->view->columns) {
		diff_grid_choose(&table->grid, table->view->columns, NULL, terminal);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) /* the compared one is not shown again */
		columns[DIFF_FIELD_OTHERS + i].is_gone =
			diff->counted || (others[i] == diff->column && !diff->is_relative);
	columns[DIFF_FIELD_MODULE].is_gone = diff->by == BY_MODULE;
	columns[DIFF_FIELD_INTERVAL].is_gone = !diff_has_interval(diff);
	columns[DIFF_FIELD_IMBALANCE_A].is_gone = columns[DIFF_FIELD_IMBALANCE_B].is_gone = !diff->processes;
	diff_grid_fit(&table->grid, terminal, order, ARRAY_SIZE(order), DIFF_FIELD_NAME);
	grid_choose(&table->grid, shown, DIFF_FIELDS);
}

static void print_side(FILE *out, const struct diff_view *view, const char *label, size_t first, size_t end)
{
	STRBUF(text);

	for (size_t run = first; run < end; run++) {
		strbuf_puts(&text, run > first ? ", " : "");
		strbuf_visible(&text, view->sources[run]);
	}
	if (view->diff->processes)
		strbuf_printf(&text, " (processes: %u)", view->diff->processes->n[first]);
	fprintf(out, "%s  %s%s\n", label, text.text, view->diff->is_relative ? " (100 % = its session)" : "");
}

static void print_heading(FILE *out, const struct diff_view *view, const struct unit *unit,
			  const struct unit *times)
{
	const struct diff *diff = view->diff;
	STRBUF(filter);
	STRBUF(values);

	print_side(out, view, "A", 0, diff->n_a);
	print_side(out, view, "B", diff->n_a, diff->n_runs);
	selection_put(&filter, view->selection);
	if (filter.length)
		fprintf(out, "%s\n", filter.text);
	strbuf_printf(&values, "A, B, Change%s: %s", diff_has_interval(diff) ? ", +-" : "",
		      column_infos[diff->column].key);
	if (diff->is_relative)
		strbuf_puts(&values, ", in percent of the session");
	else if (unit->name[0])
		strbuf_printf(&values, " in %s", unit->name);
	if (diff->n_runs > 2)
		strbuf_puts(&values, ", means of the runs");
	else if (diff->processes)
		strbuf_puts(&values, ", means of a process");
	if (diff->counted)
		strbuf_puts(&values, "\n");
	else
		strbuf_printf(&values, "; changes of the other times in %s\n", times->name);
	diff_foot_put(out, values.text, strlen("A, B, "));
	fputc('\n', out);
}

/* Of one run on each side. */
static void print_single(FILE *out, const struct diff *diff)
{
	if (!diff->is_single) {
		fputs("one run on each side: any change may be chance. Several runs:\n", out);
		fprintf(out, "%*scinstr record --repeat=5 -o new.data -- PROGRAM\n", LABEL, "");
		fprintf(out, "%*scinstr diff old.data.* -- new.data.*\n", LABEL, "");
		return;
	}
	fprintf(out, "one run on each side, --single: +- is taken to be %g %% of the value", diff->floor);
	if (diff_total_of(diff->column))
		fprintf(out, ", at least %g %% of the session", diff->floor / DIFF_FLOOR_PART);
	fputs(", not measured\n", out);
}

/* The last line of the foot: what the verdicts stand on. */
static void print_certainty(FILE *out, const struct diff_view *view)
{
	const struct diff *diff = view->diff;

	fprintf(out, "%-*s", LABEL, "Certainty");
	if (diff->processes) {
		diff_processes_foot(out, view, LABEL);
		return;
	}
	if (diff->n_runs == 2) {
		print_single(out, diff);
		return;
	}
	fprintf(out,
		"%zu and %zu runs: all true changes are within +- with %g %% confidence; noise: may be 0\n",
		diff->n_a, diff->n_runs - diff->n_a, 100 * (1 - diff->alpha));
	if (diff->n_a < 2 || diff->n_runs - diff->n_a < 2)
		fprintf(out, "%*sOne run on one side: the other side's spread is taken for both\n", LABEL,
			"");
}

static void put_total_text(struct strbuf *text, const struct diff *diff)
{
	struct unit unit =
		diff->counted ? (struct unit){ 1, diff->counted->what, 0 } : time_unit(diff->total.a);

	if (!diff->counted)
		strbuf_puts(text, diff_total_of(diff->column) == 2 ? "application "
				  : diff->is_unpreempted	   ? "unpreempted "
								   : "elapsed ");
	put_number(text, diff->total.a, &unit, 0);
	strbuf_printf(text, " %s to ", unit.name);
	put_number(text, diff->total.b, &unit, 0);
	strbuf_printf(text, " %s", unit.name);
	if (diff->processes)
		strbuf_puts(text, " a process");
	if (diff->total.a <= 0)
		return;
	strbuf_printf(text, ", %+.1f %%", 100 * diff->total.change / diff->total.a);
	if (diff_has_interval(diff))
		strbuf_printf(text, " +- %.1f %%: %s", 100 * diff->total.half / diff->total.a,
			      diff_verdicts[diff->counted != NULL][diff->total_verdict]);
}

/* --verbose */
static void print_long_foot(FILE *out, const struct diff_view *view, const char *total)
{
	fprintf(out, "\n%-*s%s\n", LABEL, "Total", total);
	diff_put_rows(out, view, LABEL, "changes");
	if (has_upper_ends(view))
		fprintf(out, "%-*s%s\n", LABEL, "A, B", upper_end_legend);
	if (has_estimates(view))
		fprintf(out, "%-*s%s\n", LABEL, "Mixed", diff_estimate_legend);
	print_certainty(out, view);
}

static void print_short_certainty(FILE *out, const struct diff_view *view)
{
	const struct diff *diff = view->diff;

	if (diff->processes)
		diff_processes_foot(out, view, 0);
	else if (diff->n_runs > 2)
		fprintf(out, "%zu and %zu runs; +- holds for all rows at once (%g %%); noise: may be 0\n",
			diff->n_a, diff->n_runs - diff->n_a, 100 * (1 - diff->alpha));
	else if (diff->is_single)
		fprintf(out, "One run on each side: +- is taken to be %g %% (--single), not measured\n",
			diff->floor);
	else
		fputs("One run on each side: any change may be chance (record --repeat=5)\n", out);
}

static void print_foot(FILE *out, const struct diff_view *view)
{
	STRBUF(total);

	put_total_text(&total, view->diff);
	if (view->view.verbose) {
		print_long_foot(out, view, total.text);
	} else {
		fprintf(out, "\nTotal %s\n", total.text);
		print_short_certainty(out, view);
		diff_put_rest(out, view, has_upper_ends(view));
	}
}

void diff_table(struct items *items, const struct view *base)
{
	FILE *out = items->out;
	const struct diff_view *view = (const void *)base; /* its first member */
	struct table table = { .view = view };

	table.times = times_of(view);
	table.has_estimates = has_estimates(view);
	table.unit = unit_of(view, &table.times);
	grid_init(&table.grid, view->n_rows + 1, DIFF_FIELDS);
	put_headings(&table);
	for (size_t i = 1; i <= view->n_rows; i++)
		put_row(&table, i);
	choose_columns(&table, terminal_width(out));
	print_heading(out, view, &table.unit, &table.times);
	diff_grid_print(&table.grid, out);
	diff_put_foot(out, view, print_foot, LABEL);
	grid_release(&table.grid);
}

/* ---- for scripts ----------------------------------------------------------------------------- */

/* Numbers in the order of both. */
static const char *const keys[] = {
	"a",
	"b",
	"change",
	"change_percent",
	"interval_low",
	"interval_high",
	"calls_a",
	"calls_b",
	"elapsed_inclusive_a_ns",
	"elapsed_inclusive_b_ns",
	"elapsed_exclusive_a_ns",
	"elapsed_exclusive_b_ns",
	"application_inclusive_a_ns",
	"application_inclusive_b_ns",
	"application_exclusive_a_ns",
	"application_exclusive_b_ns",
};
#define COMPARED 6 /* the first are of the column */

/* Returns how many of `keys` the rows have: counts of the processor leave the times out. */
static size_t n_keys(const struct diff *diff)
{
	return diff->counted ? COMPARED + 2 : ARRAY_SIZE(keys);
}

/* What comes last: of both sides. */
static const char *const bound_keys[] = { "calls_bound_a", "calls_bound_b" };
static const char *const source_keys[] = { "source_a", "source_b" };

static void row_numbers(const struct diff *diff, const struct diff_row *row, double *numbers)
{
	const struct difference *d = &row->difference;

	numbers[0] = d->a;
	numbers[1] = d->b;
	numbers[2] = d->change;
	numbers[3] = d->a != 0 ? 100 * d->change / d->a : NAN;
	numbers[4] = diff_has_interval(diff) && isfinite(d->half) ? d->change - d->half : NAN;
	numbers[5] = diff_has_interval(diff) && isfinite(d->half) ? d->change + d->half : NAN;
	for (int value = DIFF_CALLS; value <= DIFF_APPLICATION_EXCLUSIVE; value++)
		for (int side = 0; side < 2; side++)
			numbers[COMPARED + 2 * value + side] = row->means[side][value];
}

/* Nothing for what there is not. Nanoseconds are integers; percentages and means of counts are
 * not. */
static void put_value(struct items *items, const struct diff *diff, size_t which, double number)
{
	int has_fraction = which == 3 || (which < COMPARED ? diff->is_relative || !diff_is_time(diff->column)
							   : which < COMPARED + 2);

	items_decimal_if(items, keys[which], number + 0.0, has_fraction && number != rint(number) ? 6 : 0);
}

static void put_item(struct items *items, const struct diff *diff, uint32_t number, struct strbuf *scratch)
{
	const struct diff_row *row = &diff->rows[number];
	double numbers[ARRAY_SIZE(keys)];

	row_numbers(diff, row, numbers);
	items_row(items, ITEMS_PADDED);
	diff_texts_put(items, diff, number, verdict(diff, row->verdict), scratch);
	if (items->has_columns)
		items_text(items, "column", column_infos[diff->column].key);
	for (size_t k = 0; k < n_keys(diff); k++)
		put_value(items, diff, k, numbers[k]);
	for (int side = 0; side < 2; side++)
		diff_source_put(items, row, side, bound_keys[side], source_keys[side]);
	if (diff->processes)
		diff_processes_put(items, diff, number);
	items_close(items);
}

void diff_flat(struct items *items, const struct view *base)
{
	const struct diff_view *view = (const void *)base; /* its first member */
	const char *names[DIFF_TEXTS_MAX + 1 + ARRAY_SIZE(keys) + 4 + DIFF_PROCESSES_KEYS];
	size_t n = diff_texts_columns(view->diff, names);
	STRBUF(path);

	if (view->columns)
		diff_sheet_choose(items, view->columns, keys_of);
	names[n++] = "column";
	memcpy(names + n, keys, sizeof(keys));
	n += n_keys(view->diff);
	for (int side = 0; side < 2; side++) {
		names[n++] = bound_keys[side];
		names[n++] = source_keys[side];
	}
	if (view->diff->processes)
		n += diff_processes_columns(names + n);
	items_columns(items, names, n);
	for (size_t i = 0; i < view->n_rows; i++)
		put_item(items, view->diff, view->rows[i], &path);
}

/* Nothing where there is no interval. */
static void put_total(struct items *items, const struct diff *diff)
{
	static const char *const of_time[] = { "total_a_ns", "total_b_ns", "total_change_ns",
					       "total_interval_low_ns", "total_interval_high_ns" };
	static const char *const of_counts[] = { "total_a", "total_b", "total_change", "total_interval_low",
						 "total_interval_high" };
	const char *const *names = diff->counted ? of_counts : of_time;
	const struct difference *total = &diff->total;
	double half = diff_has_interval(diff) ? total->half : NAN;

	items_ns(items, names[0], total->a);
	items_ns(items, names[1], total->b);
	items_ns(items, names[2], total->change);
	items_decimal_if(items, names[3], total->change - half, 0);
	items_decimal_if(items, names[4], total->change + half, 0);
	items_text(items, "total_verdict",
		   diff_has_interval(diff) ? diff_verdicts[diff->counted != NULL][diff->total_verdict]
					   : NULL);
}

static void put_session(struct items *items, const struct diff_view *view)
{
	const struct diff *diff = view->diff;

	diff_sources_put(items, view, "a", 0, diff->n_a);
	diff_sources_put(items, view, "b", diff->n_a, diff->n_runs);
	items_text(items, "column", column_infos[diff->column].key);
	items_flag(items, "relative", diff->is_relative);
	if (diff->processes) {
		items_count(items, "processes_a", diff->processes->n[0]);
		items_count(items, "processes_b", diff->processes->n[1]);
	}
	items_decimal_if(items, "confidence",
			 diff->n_runs > 2 || diff->processes ? 1 - (long double)diff->alpha
							     : (long double)NAN,
			 diff->alpha < 0.01 ? 6 : 2);
	if (diff->n_runs == 2 && diff->is_single)
		items_short(items, "floor_percent", diff->floor);
	else
		items_none(items, "floor_percent");
	items_count(items, "compared_rows", diff->n_compared);
	items_count(items, "rows_below_threshold", view->n_small);
	items_count(items, "rows_beyond_limit", view->n_hidden);
	items_count(items, "rows_not_chosen", view->n_left_out);
	put_total(items, diff);
}

void diff_nested(struct items *items, const struct view *base)
{
	const struct diff_view *view = (const void *)base; /* its first member */

	if (view->columns)
		diff_sheet_choose(items, view->columns, keys_of);
	diff_nested_put(items, view, put_session, put_item);
}
