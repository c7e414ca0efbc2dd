/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "quickfix.h"

#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "findings/rules.h"
#include "output/table_cells.h"
#include "summary/summary.h"

#define LEAST 1.0L /* percent of the time: lines with less are not told of */
#define SUMMARY_LIMIT 10

struct quickfix {
	struct annotation annotation; /* only its view, which writers get */
	const struct view_options *options;
	struct profile lines;
	struct summary summary;
};

/* Lines, or calls, that have enough of the time, with the values of one column. */
struct hot {
	struct view view; /* of its profile, and of these rows */
	enum column share, time;
};

/* ---- places ---------------------------------------------------------------------------------- */

/* Where the source is now; the caller frees it. NULL: nobody can look at it. */
static char *source_of(const struct quickfix *q, const char *file)
{
	return file ? names_source_path(file, q->annotation.view.source) : NULL;
}

/* Prints the place, from the working folder. Returns whether there is a source. */
static int put_place(FILE *out, const struct quickfix *q, const char *file, uint32_t line)
{
	FREED char *path = source_of(q, file);

	if (!path)
		return 0;
	print_visible(out, "%s:%u: ", path + (path[0] == '.' && path[1] == '/' ? 2 : 0), line ? line : 1);
	return 1;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int by_share(const void *a, const void *b, void *arg)
{
	const struct hot *hot = arg;
	const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
	long double v = column_value(hot->view.profile, x, hot->share).number;
	long double w = column_value(hot->view.profile, y, hot->share).number;

	if (v != w)
		return v < w ? 1 : -1;
	return x->line != y->line ? (x->line < y->line ? -1 : 1) : strcmp(x->file, y->file);
}

static void hot_choose(struct hot *hot, const struct quickfix *q, struct profile *profile, int inclusive,
		       int (*is_wanted)(const struct quickfix *q, const struct profile *profile,
					const struct row *row))
{
	hot->view = q->annotation.view;
	hot->view.profile = profile;
	hot->share = column_for(profile, inclusive ? COLUMN_ELAPSED_INCLUSIVE_PERCENT
						   : COLUMN_ELAPSED_EXCLUSIVE_PERCENT);
	hot->time = column_for(profile, inclusive ? COLUMN_ELAPSED_INCLUSIVE : COLUMN_ELAPSED_EXCLUSIVE);
	hot->view.rows = xcalloc(profile->n_rows + 1, sizeof(*hot->view.rows));
	hot->view.n_rows = 0;
	for (size_t i = 0; i < profile->n_rows; i++) {
		struct row *row = &profile->rows[i];

		if (row->file && row->line && column_value(profile, row, hot->share).number >= LEAST &&
		    selection_takes_row(&q->options->selection, profile, row) && is_wanted(q, profile, row))
			hot->view.rows[hot->view.n_rows++] = row;
	}
	util_sort(hot->view.rows, hot->view.n_rows, sizeof(*hot->view.rows), by_share, hot);
}

/* A value as tables have it, with its marks; nothing where there is none. */
static int put_cell(struct strbuf *text, const struct hot *hot, const struct unit *unit,
		    const struct row *row, enum column column, const char *before, const char *behind)
{
	struct heading heading = cell_heading_brief(column, hot->view.profile);
	STRBUF(cell);
	size_t n;

	if (!column_in_view(hot->view.profile, column))
		return 0;
	strbuf_clear(&cell);
	cell_put(&cell, &hot->view, column, &heading, row, unit);
	n = cell.length;
	while (n && cell.text[n - 1] == ' ')
		n--;
	if (n && strncmp(cell.text, "n/a", 3) != 0) {
		strbuf_puts(text, before);
		strbuf_add(text, cell.text, n);
		strbuf_puts(text, behind);
	}
	return n != 0;
}

static void put_values(struct strbuf *text, const struct hot *hot, const struct unit *unit,
		       const struct row *row)
{
	const struct profile *profile = hot->view.profile;
	int inclusive = hot->share == COLUMN_ELAPSED_INCLUSIVE_PERCENT;

	put_cell(text, hot, unit, row, hot->share, "", " % of the ");
	strbuf_puts(text, profile_measure(profile)->what);
	if (row->callee) {
		strbuf_puts(text, " in ");
		strbuf_visible(text, row->callee);
	}
	put_cell(text, hot, unit, row, hot->time, ": ", profile_is_sampled(profile) ? " samples" : "");
	put_cell(text, hot, unit, row, inclusive ? COLUMN_OFF_CPU : COLUMN_OFF_CPU_EXCLUSIVE, ", waiting ",
		 "");
	if (row->calls)
		put_cell(text, hot, unit, row, COLUMN_CALLS, ", ", row->calls == 1 ? " call" : " calls");
	if (row_has_range(row))
		strbuf_printf(text, "; of the lines %u to %u", row->line_from, row->line_to);
}

/* ---- what there is to say -------------------------------------------------------------------- */

static void write_hot(FILE *out, const struct quickfix *q, struct hot *hot)
{
	struct unit unit = cell_unit(&hot->view);

	for (size_t i = 0; i < hot->view.n_rows; i++) {
		const struct row *row = hot->view.rows[i];
		STRBUF(text);

		put_values(&text, hot, &unit, row);
		if (put_place(out, q, row->file, row->line))
			fprintf(out, "%s\n", text.text);
	}
	free(hot->view.rows);
}

static void write_finding(FILE *out, const struct quickfix *q, const struct finding *finding)
{
	STRBUF(text);

	finding_put_percent(&text, finding->percent);
	strbuf_puts(&text, q->summary.findings.is_sampled ? " of the samples: " : " of the run: ");
	finding_put_sentence(&text, finding);
	findings_put_gain(&text, finding);
	if (put_place(out, q, finding->file, finding->line))
		print_visible(out, "%s %s\n", finding->id, text.text);
}

static int is_line(const struct quickfix *q, const struct profile *profile, const struct row *row)
{
	(void)q;
	(void)profile;
	(void)row;
	return 1;
}

/* A call of what has no source here: its time is in none of the lines. */
static int is_call_out(const struct quickfix *q, const struct profile *profile, const struct row *row)
{
	const struct entity *callee;
	FREED char *source = NULL;

	if (!row->callee || row->about == NAMES_NONE)
		return 0;
	callee = &profile->names->list[row->about];
	source = source_of(q, callee->file);
	return !source;
}

void quickfix_write(FILE *out, const struct quickfix *q)
{
	struct profile *sites = (struct profile *)&q->summary.profiles[SUMMARY_SITES];
	struct hot hot;

	for (size_t i = 0; i < q->summary.findings.n; i++)
		write_finding(out, q, &q->summary.findings.list[i]);
	hot_choose(&hot, q, (struct profile *)&q->lines, 0, is_line);
	write_hot(out, q, &hot);
	if (profile_is_sampled(&q->lines))
		return;
	hot_choose(&hot, q, sites, 1, is_call_out);
	write_hot(out, q, &hot);
}

/* ---- reading --------------------------------------------------------------------------------- */

static int show(struct view *view, void *arg)
{
	struct quickfix *q = arg;
	struct view of_functions = *view;
	int status;

	q->annotation.view = *view;
	of_functions.profile = &q->summary.profiles[SUMMARY_FUNCTIONS];
	status = summary_make(&q->summary, &of_functions);
	view_resolve(view, &q->lines);
	return status ? status : view_write(&q->annotation.view, q->options, OUTPUT_ANNOTATION);
}

int quickfix_run(const char *path, struct view_options *options, const struct counting *counting)
{
	struct quickfix q = { .options = options };
	struct profile *profiles[SUMMARY_PROFILES + 1] = { &q.lines };
	int status;

	q.annotation.quickfix = &q;
	options->only_sampled = SUMMARY_PROFILES - SUMMARY_LINES;
	profile_init(&q.lines, BY_LINE, counting);
	summary_begin(&q.summary, options, SUMMARY_LIMIT, counting);
	q.summary.profiles[SUMMARY_PATHS].paths.read_once = 1;
	for (int i = 0; i < SUMMARY_PROFILES; i++)
		profiles[i + 1] = &q.summary.profiles[i];
	status = view_read(path, options, profiles, ARRAY_SIZE(profiles), show, &q);
	summary_end(&q.summary);
	profile_release(&q.lines);
	return status;
}
