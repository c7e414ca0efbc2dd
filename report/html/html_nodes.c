/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html_nodes.c - the tree of call paths: each path before those that were called on it, so that
 * depths define the shape. Inclusive values are written less the node's exclusive value and its
 * children's inclusive ones, mostly 0: sums that are rounded. */
#include <math.h>
#include <stdlib.h>

#include "html_sections.h"
#include "rows/hot_path.h"

#define NONE UINT32_MAX
#define MORE_MOST 50000 /* paths: of more than these, only the values that sum up are in the page */

/* 0, or -1 after an error message. */
static int finish(struct html *html, struct profile *profile)
{
	hot_path_mark(profile);
	return selection_rows(&html->wish->view->selection, profile) ? -1 : 0;
}

static void choose(const struct html *html, struct profile *profile, struct paths_choice *choice)
{
	double least = html->wish->paths_most ? paths_least_percent(profile, html->wish->paths_most) : 0;

	*choice = (struct paths_choice){ .min_percent = html->wish->min_percent, .depth = UINT64_MAX };
	if (choice->min_percent < least)
		choice->min_percent = least;
}

int html_nodes_read(struct html *html, const struct view_more *more)
{
	struct profile *profiles[] = { html->profiles[HTML_THREAD_PATHS], html->profiles[HTML_PATHS] };
	struct paths_choice choices[ARRAY_SIZE(profiles)];
	size_t first = html_has_thread_nodes(html) ? 0 : 1;

	for (size_t i = first; i < ARRAY_SIZE(profiles); i++)
		choose(html, profiles[i], &choices[i]);
	html->least_percent = choices[1].min_percent;
	if (view_read_paths_of(html->view, profiles + first, choices + first, ARRAY_SIZE(profiles) - first,
			       more))
		return -1;
	html->n_paths_hidden = html->view->n_hidden;
	html->paths_hidden = html->view->hidden;
	for (size_t i = first; i < ARRAY_SIZE(profiles); i++)
		if (finish(html, profiles[i]))
			return -1;
	return 0;
}

/* Children of a row in order, on the stack so that the first comes off first. */
static size_t push_children(const struct profile *profile, const struct row **stack, size_t n,
			    uint32_t parent)
{
	size_t first = n;

	for (uint32_t i = profile->rows[parent].child; i != NONE; i = profile->rows[i].sibling)
		if (!profile->rows[i].filtered)
			stack[n++] = &profile->rows[i];
	column_sort(profile, stack + first, n - first, column_for(profile, COLUMN_ELAPSED_INCLUSIVE));
	for (size_t a = first, b = n; a + 1 < b; a++) {
		const struct row *row = stack[a];

		stack[a] = stack[--b];
		stack[b] = row;
	}
	return n;
}

static void in_order(struct html_rows *rows, struct profile *profile)
{
	FREED const struct row **stack = xcalloc(profile->n_rows, sizeof(*stack));
	size_t n;

	*rows = (struct html_rows){ .profile = profile,
				    .rows = xcalloc(profile->n_rows, sizeof(*rows->rows)) };
	if (!profile->n_rows) {
		return;
	}
	n = push_children(profile, stack, 0, 0);
	while (n) {
		const struct row *row = stack[--n];

		rows->rows[rows->n++] = row;
		n = push_children(profile, stack, n, (uint32_t)(row - profile->rows));
	}
}

static int64_t rounded(const struct profile *profile, const struct row *row, enum column column)
{
	struct value value = column_value(profile, row, column);

	if (value.type == VALUE_COUNT)
		return (int64_t)value.count;
	return value.type == VALUE_NS && fabsl(value.number) < 9e18L ? llrintl(value.number) : 0;
}

/* An inclusive column, by what is left of it. */
static void put_inclusive(struct html *html, struct html_rows *rows, enum column inclusive,
			  enum column exclusive)
{
	const struct profile *profile = rows->profile;
	FREED int64_t *left = NULL;

	if (!column_in_view(profile, inclusive) ||
	    (rows->n && column_value(profile, rows->rows[0], inclusive).type == VALUE_NONE)) {
		if (column_in_view(profile, inclusive))
			html_column(html, rows, inclusive);
		return;
	}
	left = xcalloc(profile->n_rows, sizeof(*left));
	for (size_t i = 0; i < rows->n; i++) {
		const struct row *row = rows->rows[i];
		int64_t value = rounded(profile, row, inclusive);

		left[row - profile->rows] += value - rounded(profile, row, exclusive);
		left[row->parent] -= value;
	}
	pack_column(&html->pack, column_infos[inclusive].key, PACK_TREE, column_infos[exclusive].key);
	for (size_t i = 0; i < rows->n; i++)
		pack_number(&html->pack, left[rows->rows[i] - profile->rows]);
	pack_column_end(&html->pack);
}

static void put_pair(struct html *html, struct html_rows *rows, enum column inclusive, enum column exclusive)
{
	if (!column_in_view(rows->profile, exclusive))
		return;
	html_column(html, rows, exclusive);
	put_inclusive(html, rows, inclusive, exclusive);
	html_marks(html, rows, inclusive);
}

static void put_shape(struct html *html, struct html_rows *rows)
{
	PACK_NUMBERS(&html->pack, "depth", PACK_DELTA, rows->n, rows->rows[i]->depth);
	html_column_function(html, rows);
	PACK_NUMBERS(&html->pack, "hot", PACK_BYTE, rows->n, rows->rows[i]->is_hot != 0);
	/* of rows that are no function: what they are called */
	pack_column(&html->pack, "name", PACK_STRING, NULL);
	for (size_t i = 0; i < rows->n; i++)
		if (html_function(html, rows->profile, rows->rows[i]->entity) == HTML_NO_FUNCTION)
			pack_number(&html->pack, html_string(html, rows->rows[i]->name));
		else
			pack_none(&html->pack);
	pack_column_end(&html->pack);
}

static const enum column pairs[][2] = {
	{ COLUMN_INCLUSIVE_SAMPLES, COLUMN_EXCLUSIVE_SAMPLES },
	{ COLUMN_INCLUSIVE_INSTRUCTIONS, COLUMN_EXCLUSIVE_INSTRUCTIONS },
	{ COLUMN_ELAPSED_INCLUSIVE, COLUMN_ELAPSED_EXCLUSIVE },
	{ COLUMN_APPLICATION_INCLUSIVE, COLUMN_APPLICATION_EXCLUSIVE },
	{ COLUMN_OFF_CPU, COLUMN_OFF_CPU_EXCLUSIVE },
	{ COLUMN_CPU, COLUMN_CPU_EXCLUSIVE },
	{ COLUMN_OVERHEAD_INCLUSIVE, COLUMN_OVERHEAD_EXCLUSIVE },
	{ COLUMN_UNCERTAINTY, COLUMN_UNCERTAINTY_EXCLUSIVE },
	{ COLUMN_UNCERTAINTY_APPLICATION_INCLUSIVE, COLUMN_UNCERTAINTY_APPLICATION_EXCLUSIVE },
};
static const enum column singles[] = {
	COLUMN_CALLS,  COLUMN_OPEN_CALLS,	COLUMN_TAIL_CALLS,
	COLUMN_SOURCE, COLUMN_SOURCE_EXCLUSIVE, COLUMN_INCLUSIVE_INSTRUCTIONS_CALL
};

static void write_nodes(struct html *html, struct profile *profile, const char *name)
{
	struct html_rows rows;

	in_order(&rows, profile);
	html_note_table(html, name, &rows);
	put_shape(html, &rows);
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		put_pair(html, &rows, pairs[i][0], pairs[i][1]);
	for (size_t i = 0; i < ARRAY_SIZE(singles); i++)
		if (column_in_view(rows.profile, singles[i]))
			html_column(html, &rows, singles[i]);
	free(rows.rows);
}

void html_write_nodes(struct html *html)
{
	write_nodes(html, html->profiles[HTML_PATHS], "nodes");
}

/* What is told of the hot path in the summary: its rows, one at each level. */
void html_write_hot(struct html *html)
{
	static const enum column columns[] = { COLUMN_ELAPSED_INCLUSIVE, COLUMN_ELAPSED_INCLUSIVE_PERCENT,
					       COLUMN_UNCERTAINTY, COLUMN_INCLUSIVE_SAMPLES,
					       COLUMN_INCLUSIVE_PERCENT };
	struct profile *profile = html->profiles[HTML_PATHS];
	struct html_rows rows = { .profile = profile, .rows = xcalloc(profile->n_rows, sizeof(*rows.rows)) };

	/* parents have lower numbers */
	for (size_t i = 0; i < profile->n_rows; i++)
		if (profile->rows[i].is_hot && !profile->rows[i].filtered)
			rows.rows[rows.n++] = &profile->rows[i];
	html_column_function(html, &rows);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (column_in_view(profile, columns[i]))
			html_column(html, &rows, columns[i]);
	free(rows.rows);
}

int html_has_thread_nodes(const struct html *html)
{
	return html->profiles[HTML_FUNCTIONS]->totals.threads > 1;
}

void html_write_thread_nodes(struct html *html)
{
	write_nodes(html, html->profiles[HTML_THREAD_PATHS], "thread_nodes");
}

static int is_in_nodes(enum column column)
{
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (column == pairs[i][0] || column == pairs[i][1])
			return 1;
	for (size_t i = 0; i < ARRAY_SIZE(singles); i++)
		if (column == singles[i])
			return 1;
	return column_infos[column].family == FAMILY_TEXT || column == COLUMN_DEPTH || column == COLUMN_ID ||
	       column == COLUMN_PARENT || column == COLUMN_HOT || column == COLUMN_LINE;
}

int html_has_nodes_more(const struct html *html)
{
	return html->profiles[HTML_PATHS]->n_rows <= MORE_MOST;
}

/* The same rows: extremes, percentiles, events of the system. */
void html_write_nodes_more(struct html *html)
{
	struct html_rows rows;

	in_order(&rows, html->profiles[HTML_PATHS]);
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (column_in_view(rows.profile, (enum column)i) && !is_in_nodes((enum column)i))
			html_column(html, &rows, (enum column)i);
	free(rows.rows);
}
