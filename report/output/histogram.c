/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "histogram.h"

#include <math.h>
#include <stdlib.h>

#include "grid.h"
#include "lib/share.h"

#define BINS_FEW 5 /* less than so many are made finer */
#define BAR_LEAST 10
#define BAR_MOST 60
#define NUMBERS_WIDTH 47 /* of all columns before the bar */

/* ---- bins ------------------------------------------------------------------------------------ */

/* Where bins begin in each decade. */
struct series {
	size_t n;
	long double begins[6];
};
static const struct series coarse = { 3, { 1, 2, 5 } };
static const struct series fine = { 6, { 1, 1.5L, 2, 3, 5, 7 } };

/* The begin of the bin with this number; 0 begins at 1 ns. */
static long double bin_begin(const struct series *series, long number)
{
	/* powl() takes longer than all else here */
	static const long double tens[] = { 1,	  1e1L, 1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,
					    1e8L, 1e9L, 1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L };
	long n = (long)series->n, decade = number >= 0 ? number / n : (number - n + 1) / n;
	int is_listed = decade >= 0 && decade < (long)ARRAY_SIZE(tens);

	return series->begins[number - decade * n] * (is_listed ? tens[decade] : powl(10, decade));
}

static long bin_of(const struct series *series, long double ns)
{
	long number = (long)floorl(log10l(ns < 1 ? 1 : ns)) * (long)series->n;

	while (bin_begin(series, number) > ns && number > 0)
		number--;
	while (bin_begin(series, number + 1) <= ns)
		number++;
	return number;
}

/* What a call in this slot took: no less than the shortest, and no more than the longest. */
static long double slot_ns(const struct row *row, const struct durations_slot *slot)
{
	long double ns = durations_slot_ns(slot->slot);
	long double least = row->shortest[VALUE_ELAPSED_INCLUSIVE],
		    most = row->longest[VALUE_ELAPSED_INCLUSIVE];

	if (least >= 0 && ns < least)
		return least;
	return most >= 0 && ns > most ? most : ns;
}

static size_t bins_in(const struct row *row, const struct series *series, struct histogram_bin **bins)
{
	const struct durations *d = &row->durations;
	long first = bin_of(series, slot_ns(row, &d->slots[0]));
	long last = bin_of(series, slot_ns(row, &d->slots[d->n_slots - 1]));
	size_t n = last < first ? 1 : (size_t)(last - first + 1);

	*bins = xcalloc(n, sizeof(**bins));
	for (size_t i = 0; i < n; i++)
		(*bins)[i] = (struct histogram_bin){ bin_begin(series, first + (long)i),
						     bin_begin(series, first + (long)i + 1), 0, 0 };
	for (uint32_t i = 0; i < d->n_slots; i++) {
		long double ns = slot_ns(row, &d->slots[i]);
		struct histogram_bin *bin = &(*bins)[bin_of(series, ns) - first];

		bin->calls += d->slots[i].n;
		bin->ns += ns * (long double)d->slots[i].n;
	}
	return n;
}

size_t histogram_bins(const struct row *row, struct histogram_bin **bins)
{
	size_t n;

	*bins = NULL;
	if (!row->durations.n || row->is_partly_timed)
		return 0;
	n = bins_in(row, &coarse, bins);
	if (n >= BINS_FEW)
		return n;
	free(*bins);
	return bins_in(row, &fine, bins);
}

static long double sum_ns(const struct histogram_bin *bins, size_t n)
{
	long double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += bins[i].ns;
	return sum;
}

/* ---- table ----------------------------------------------------------------------------------- */

static void put_quantile(struct strbuf *line, const struct view *view, const struct row *row,
			 enum column column, const char *name)
{
	struct value value = column_value(view->profile, row, column);

	if (value.type != VALUE_NS)
		return;
	strbuf_printf(line, ", %s ", name);
	strbuf_duration(line, value.number);
}

static void print_head(const struct printer *printer, const struct view *view, const struct row *row)
{
	STRBUF(line);

	strbuf_visible(&line, row->name);
	strbuf_puts(&line, row->callee && *row->callee ? " -> " : "");
	strbuf_visible(&line, row->callee ? row->callee : "");
	if (row->module)
		strbuf_puts(&line, "  ");
	strbuf_visible(&line, row->module ? util_basename(row->module) : "");
	printer_line(printer, &line, INK_HEADING);
	strbuf_puts(&line, "  ");
	output_plural(&line, row->calls, "call", "s");
	if (row->durations.n && row->durations.n < row->calls) {
		strbuf_puts(&line, " (");
		strbuf_thousands(&line, row->durations.n);
		strbuf_puts(&line, " with a known length)");
	}
	put_quantile(&line, view, row, COLUMN_SHORTEST, "min");
	put_quantile(&line, view, row, COLUMN_P50, "p50");
	put_quantile(&line, view, row, COLUMN_P95, "p95");
	put_quantile(&line, view, row, COLUMN_P99, "p99");
	put_quantile(&line, view, row, COLUMN_LONGEST, "max");
	printer_line(printer, &line, INK_PLAIN);
}

static void put_right(struct strbuf *line, const struct strbuf *cell, size_t width)
{
	strbuf_fill(line, ' ', cell->length < width ? width - cell->length : 0);
	strbuf_puts(line, cell->text);
}

static void put_duration(struct strbuf *line, long double ns, size_t width)
{
	STRBUF(cell);

	strbuf_duration(&cell, ns);
	put_right(line, &cell, width);
}

static void print_bin(const struct printer *printer, const struct histogram_bin *bin,
		      const struct histogram_bin *most, uint64_t calls, long double ns)
{
	size_t room = printer->width ? printer->width : 80;
	size_t bar = room > NUMBERS_WIDTH + BAR_LEAST ? room - NUMBERS_WIDTH : BAR_LEAST, length;
	STRBUF(line);
	STRBUF(cell);

	put_duration(&line, bin->from, 9);
	put_duration(&line, bin->to, 10);
	strbuf_thousands(&cell, bin->calls);
	put_right(&line, &cell, 12);
	strbuf_printf(&line, "  %5.1Lf  %5.1Lf", share_percent((long double)bin->calls, (long double)calls),
		      share_percent(bin->ns, ns));
	bar = bar > BAR_MOST ? BAR_MOST : bar;
	length = util_rounded((long double)bin->calls * (long double)bar / (long double)most->calls);
	/* a single slow call is what one looks for */
	length = bin->calls && !length ? 1 : length;
	fprintf(printer->out, "%s%s%s", line.text, length ? "  " : "", ink(printer->is_coloured, INK_BAR));
	strbuf_clear(&line);
	strbuf_fill(&line, '#', length);
	fprintf(printer->out, "%s%s\n", line.text, ink_end(printer->is_coloured, INK_BAR));
}

static void print_bins(const struct printer *printer, const struct row *row)
{
	struct histogram_bin *bins;
	const struct histogram_bin *most;
	STRBUF(line);
	size_t n = histogram_bins(row, &bins);

	if (!n) {
		strbuf_puts(&line,
			    row->is_partly_timed
				    ? "  how long single calls took is not known: some were only counted"
				    : "  how long single calls took is not known: none has ended, or there "
				      "was no room");
		printer_line(printer, &line, INK_PLAIN);
		return;
	}
	strbuf_printf(&line, "%9s %9s%12s  %5s  %5s", "from", "to", "Calls", "%", "time%");
	printer_line(printer, &line, INK_HEADING);
	most = bins;
	for (size_t i = 0; i < n; i++)
		most = bins[i].calls > most->calls ? &bins[i] : most;
	for (size_t i = 0; i < n; i++)
		print_bin(printer, &bins[i], most, row->durations.n, sum_ns(bins, n));
	free(bins);
}

void histogram_table(struct items *items, const struct view *view)
{
	const struct printer printer = printer_of(items->out);
	STRBUF(text);

	output_heading(items->out, view, WHOLE_NOT_SAID);
	for (size_t i = 0; i < view->n_rows; i++) {
		fputs(i ? "\n" : "", items->out);
		print_head(&printer, view, view->rows[i]);
		print_bins(&printer, view->rows[i]);
	}
	fputc('\n', items->out);
	if (view->n_hidden) {
		output_plural(&text, view->n_hidden, "row", "s");
		strbuf_printf(&text, " (by %s)", view->hidden_why);
		output_say(items->out, "Not shown", &text);
	}
	strbuf_puts(&text,
		    "elapsed inclusive time of a call, known within 12 %, as for percentiles; time%: the "
		    "share that these calls have of the time of all calls");
	output_say(items->out, "How to read it", &text);
}

/* ---- for scripts ----------------------------------------------------------------------------- */

static void put_bin(struct items *items, const struct histogram_bin *bin, uint64_t calls, long double ns)
{
	items_ns(items, "from_ns", bin->from);
	items_ns(items, "to_ns", bin->to);
	items_count(items, "calls", bin->calls);
	items_decimal(items, "calls_percent", share_percent((long double)bin->calls, (long double)calls), 6);
	items_decimal(items, "time_percent", share_percent(bin->ns, ns), 6);
}

static void put_function(struct items *items, const struct row *row)
{
	items_text(items, "name", row->name);
	items_text(items, "module", row->module);
	items_text(items, "file", row->file);
	items_count_if(items, "line", row->line);
}

void histogram_flat(struct items *items, const struct view *view)
{
	static const char *const columns[] = { "name",	"module", "file",	   "line",	  "from_ns",
					       "to_ns", "calls",  "calls_percent", "time_percent" };

	items_columns(items, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < view->n_rows; i++) {
		struct histogram_bin *bins;
		size_t n = histogram_bins(view->rows[i], &bins);

		for (size_t k = 0; k < n; k++) {
			items_open(items, NULL, '{', ITEMS_INLINE);
			put_function(items, view->rows[i]);
			put_bin(items, &bins[k], view->rows[i]->durations.n, sum_ns(bins, n));
			items_close(items);
		}
		free(bins);
	}
}

static void put_nested(struct items *items, const struct view *view, const struct row *row)
{
	static const enum column columns[] = { COLUMN_CALLS, COLUMN_SHORTEST, COLUMN_P50,    COLUMN_P90,
					       COLUMN_P95,   COLUMN_P99,      COLUMN_LONGEST };
	struct histogram_bin *bins;
	size_t n = histogram_bins(row, &bins);

	items_open(items, NULL, '{', ITEMS_BLOCK);
	put_function(items, row);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		struct value value = column_value(view->profile, row, columns[i]);

		output_put_value(items, column_infos[columns[i]].key, &value);
	}
	items_open(items, "bins", '[', ITEMS_LINES);
	for (size_t k = 0; k < n; k++) {
		items_open(items, NULL, '{', ITEMS_INLINE);
		put_bin(items, &bins[k], row->durations.n, sum_ns(bins, n));
		items_close(items);
	}
	items_close(items);
	items_close(items);
	free(bins);
}

void histogram_nested(struct items *items, const struct view *view)
{
	items_open(items, NULL, '{', ITEMS_BLOCK);
	output_put_session(items, view);
	items_open(items, "histograms", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < view->n_rows; i++)
		put_nested(items, view, view->rows[i]);
	items_close(items);
	items_close(items);
}
