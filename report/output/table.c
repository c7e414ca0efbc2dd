/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table.c - the table for people. Every cell is formatted first; then columns get the width
 * they need, and where the terminal is too narrow, names are shortened in the middle and the least
 * needed columns go.
 */
#include <stdlib.h>
#include <string.h>

#include "table_cells.h"

#define ARROW " -> "	  /* of call sites */
#define ARROW_JUMP " => " /* ... whose calls are jumps: as wide */
#define SITE_MIN 16	  /* cut in the middle as a whole below this */
#define NAME_MIN 24	  /* a name is shortened to this before columns go */
#define NAME_TINY 8	  /* ... and to this where no column can go */
#define NAME_LEAST 16	  /* ... or this, if columns were chosen: lines get longer */
#define MODULE_MAX 20
#define GAP 2

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

struct grid_column {
	enum column column;
	/* the other end of the interval that begins with it; else the column itself */
	enum column to;
	struct heading heading;
	int is_gone; /* there is no room */
	int drop;    /* the highest goes first; 0: stays */
	size_t width;
};

struct grid {
	const struct view *view;
	struct grid_column columns[COLUMN_COUNT];
	size_t n;
	char **cells; /* [n_rows][n] */
	struct unit unit;
	int colour;
};

/* ---- the grid -------------------------------------------------------------------------------- */

/* Low and high side by side become one column: 12.5-17.8. */
static int is_other_end(struct grid *grid, enum column column)
{
	const struct column_info *info = &column_infos[column], *before;
	struct grid_column *last = grid->n ? &grid->columns[grid->n - 1] : NULL;

	if (!last || info->family != FAMILY_SHARE_HIGH)
		return 0;
	before = &column_infos[last->column];
	if (before->family != FAMILY_SHARE_LOW || before->which != info->which)
		return 0;
	last->to = column;
	last->heading.text = "95 % CI";
	return 1;
}

static int is_percent_of(enum column column, enum column before)
{
	const struct column_info *a = &column_infos[before], *b = &column_infos[column];

	return a->which == b->which && ((a->family == FAMILY_TOTAL && b->family == FAMILY_PERCENT) ||
					(a->family == FAMILY_SAMPLES && b->family == FAMILY_SHARE));
}

static void grid_column_add(struct grid *grid, enum column column, int drop)
{
	struct grid_column *c = &grid->columns[grid->n];

	if (!column_in_view(grid->view->profile, column) || is_other_end(grid, column))
		return;
	*c = (struct grid_column){ .column = column,
				   .to = column,
				   .heading = heading_of(column, grid->view->profile),
				   .drop = drop };
	if (grid->n && is_percent_of(column, c[-1].column))
		c->heading.text = "%";
	grid->n++;
}

static void grid_columns(struct grid *grid, unsigned terminal)
{
	const struct view *view = grid->view;
	struct column_list columns;

	if (view->columns)
		columns = *view->columns;
	else
		column_list_default(&columns, view->profile, view->set, terminal);
	/* without it no row could be told from the others */
	column_list_add(&columns, COLUMN_NAME);
	for (size_t i = 0; i < columns.n; i++) {
		enum column column = columns.list[i];

		grid_column_add(grid, column,
				columns.stays[column] ? 0 : column_drop(column, view->set, view->profile));
	}
}

static char *cell_text(const struct grid *grid, const struct grid_column *column, const struct row *row)
{
	struct strbuf buf = { 0 };

	strbuf_clear(&buf);
	cell_put(&buf, grid->view, column->column, row, &grid->unit);
	if (column->to != column->column) {
		strbuf_puts(&buf, "-");
		cell_put(&buf, grid->view, column->to, row, &grid->unit);
	}
	return buf.text;
}

static void grid_cells(struct grid *grid)
{
	const struct view *view = grid->view;

	grid->cells = xcalloc(view->n_rows * grid->n, sizeof(*grid->cells));
	for (size_t c = 0; c < grid->n; c++)
		grid->columns[c].width = strlen(grid->columns[c].heading.text) +
					 (size_t)cell_has_mark(view, grid->columns[c].column, &grid->unit);
	for (size_t r = 0; r < view->n_rows; r++)
		for (size_t c = 0; c < grid->n; c++) {
			char *text = cell_text(grid, &grid->columns[c], view->rows[r]);
			size_t width = util_columns(text);

			grid->cells[r * grid->n + c] = text;
			if (width > grid->columns[c].width)
				grid->columns[c].width = width;
		}
}

/* Of the columns that nobody asked for, those in which no row has anything go. */
static void grid_drop_empty(struct grid *grid)
{
	const struct view *view = grid->view;

	for (size_t c = 0; view->n_rows && c < grid->n; c++) {
		struct grid_column *column = &grid->columns[c];
		size_t r = 0;

		while (r < view->n_rows &&
		       !grid->cells[r * grid->n + c][strspn(grid->cells[r * grid->n + c], " ")])
			r++;
		column->is_gone = r == view->n_rows && column->drop;
	}
}

/* The end of the columns side by side that share the group of the one at `first`; *n: how many of
 * them are shown. */
static size_t group_end(const struct grid *grid, size_t first, size_t *width, size_t *n)
{
	const char *group = grid->columns[first].heading.group;
	size_t c = first;

	*width = *n = 0;
	do {
		*width += grid->columns[c].is_gone ? 0 : grid->columns[c].width + GAP;
		*n += !grid->columns[c].is_gone;
		c++;
	} while (group && c < grid->n && grid->columns[c].heading.group &&
		 !strcmp(grid->columns[c].heading.group, group));
	return c;
}

/* "Elapsed, ms" */
static void put_title(struct strbuf *title, const struct grid *grid, size_t first, size_t end)
{
	int has_unit = 0;

	strbuf_clear(title);
	strbuf_puts(title, grid->columns[first].heading.group);
	for (size_t c = first; c < end; c++)
		has_unit |= !grid->columns[c].is_gone && grid->columns[c].heading.form == FORM_TIME;
	if (has_unit)
		strbuf_printf(title, ", %s", grid->unit.name);
}

/* Makes the first column of each group so wide that the group's title fits above. */
static void grid_titles(struct grid *grid)
{
	struct strbuf title = { 0 };

	for (size_t c = 0, end, width, n; c < grid->n; c = end) {
		end = group_end(grid, c, &width, &n);
		if (!grid->columns[c].heading.group || !n)
			continue;
		put_title(&title, grid, c, end);
		while (grid->columns[c].is_gone)
			c++;
		if (title.length + GAP > width)
			grid->columns[c].width += title.length + GAP - width;
	}
	strbuf_release(&title);
}

static size_t grid_width(const struct grid *grid)
{
	size_t width = 0;

	for (size_t c = 0; c < grid->n; c++)
		if (!grid->columns[c].is_gone)
			width += grid->columns[c].width + GAP;
	return width;
}

/* Makes text columns narrower, down to `least`. */
static void grid_narrow(struct grid *grid, enum form form, size_t least, size_t wanted)
{
	for (size_t c = 0; c < grid->n; c++) {
		size_t width = grid_width(grid), over = width > wanted ? width - wanted : 0;
		struct grid_column *column = &grid->columns[c];

		if (column->is_gone || column->heading.form != form || column->width <= least)
			continue;
		column->width = column->width > least + over ? column->width - over : least;
	}
}

/* The percentages of a column that has gone must say themselves of what they are. */
static void grid_name_percent(struct grid *grid, const struct grid_column *gone)
{
	struct grid_column *next = &grid->columns[gone - grid->columns + 1];
	size_t width;

	if (next == &grid->columns[grid->n] || !is_percent_of(next->column, gone->column))
		return;
	next->heading = heading_of(next->column, grid->view->profile);
	width = strlen(next->heading.text);
	next->width = next->width > width ? next->width : width;
}

/* Drops the column that is needed least, if it is of those above `limit`. */
static int grid_drop_one(struct grid *grid, int limit)
{
	struct grid_column *worst = NULL;

	for (size_t c = 0; c < grid->n; c++) {
		struct grid_column *column = &grid->columns[c];

		if (!column->is_gone && column->drop && (!worst || column->drop > worst->drop))
			worst = column;
	}
	if (!worst || worst->drop <= limit)
		return 0;
	worst->is_gone = 1;
	grid_name_percent(grid, worst);
	return 1;
}

static void grid_fit(struct grid *grid, unsigned terminal)
{
	if (!terminal)
		return;
	grid_narrow(grid, FORM_MODULE, MODULE_MAX, terminal);
	grid_narrow(grid, FORM_TEXT, MODULE_MAX, terminal);
	grid_narrow(grid, FORM_SOURCE, MODULE_MAX, terminal);
	while (grid_width(grid) > terminal && grid_drop_one(grid, COLUMN_DROP_WIDE))
		grid_titles(grid);
	grid_narrow(grid, FORM_NAME, NAME_MIN, terminal);
	while (grid_width(grid) > terminal && grid_drop_one(grid, 0))
		grid_titles(grid);
	grid_narrow(grid, FORM_NAME, grid->view->columns ? NAME_LEAST : NAME_TINY, terminal);
}

/* What was dropped may have left room that names were shortened for. */
static void grid_widen_names(struct grid *grid, unsigned terminal)
{
	size_t width = grid_width(grid);

	for (size_t c = 0; terminal && c < grid->n && width < terminal; c++) {
		struct grid_column *column = &grid->columns[c];
		size_t most = 0;

		if (column->is_gone || column->heading.form != FORM_NAME)
			continue;
		for (size_t r = 0; r < grid->view->n_rows; r++) {
			size_t columns = util_columns(grid->cells[r * grid->n + c]);

			most = columns > most ? columns : most;
		}
		if (most > column->width + (terminal - width))
			most = column->width + (terminal - width);
		if (most > column->width)
			column->width = most;
	}
}

static int grid_has_intervals(const struct grid *grid)
{
	for (size_t c = 0; c < grid->n; c++)
		if (grid->columns[c].to != grid->columns[c].column && !grid->columns[c].is_gone)
			return 1;
	return 0;
}

static void grid_release(struct grid *grid)
{
	for (size_t i = 0; i < grid->view->n_rows * grid->n; i++)
		free(grid->cells[i]);
	free(grid->cells);
}

/* ---- printing -------------------------------------------------------------------------------- */

/* Bytes of the first n code points. */
static size_t bytes_of(const char *text, size_t n)
{
	size_t i = 0;

	while (text[i] && n) {
		i++;
		while ((text[i] & 0xc0) == 0x80)
			i++;
		n--;
	}
	return i;
}

static void put_cut(struct strbuf *line, const char *text, size_t width)
{
	size_t columns = util_columns(text), head = (width - 1) / 2, tail = width - 2 - head;

	if (columns <= width) {
		strbuf_puts(line, text);
		return;
	}
	strbuf_add(line, text, bytes_of(text, head));
	strbuf_puts(line, "..");
	strbuf_puts(line, text + bytes_of(text, columns - tail));
}

/* A call site: each of the two is cut by itself, the longer one first. */
static void put_site(struct strbuf *line, const char *text, const char *arrow, size_t width)
{
	char *caller = xstrdup(text);
	const char *callee = arrow + strlen(ARROW);
	size_t left, right = util_columns(callee), room = width - strlen(ARROW);

	caller[arrow - text] = '\0';
	left = util_columns(caller);
	if (right <= room / 2)
		left = room - right;
	else if (left > room / 2)
		left = room / 2;
	put_cut(line, caller, left);
	strbuf_add(line, arrow, strlen(ARROW));
	put_cut(line, callee, room - left);
	free(caller);
}

void output_fitted(struct strbuf *line, const char *text, size_t width, int right)
{
	size_t columns = util_columns(text);
	const char *arrow = strstr(text, ARROW);

	arrow = arrow ? arrow : strstr(text, ARROW_JUMP);

	if (columns > width && width >= SITE_MIN && arrow) {
		put_site(line, text, arrow, width);
		return;
	}
	if (columns > width && width > 4) {
		put_cut(line, text, width);
		return;
	}
	if (right && columns < width)
		strbuf_fill(line, ' ', width - columns);
	strbuf_puts(line, text);
	if (!right && columns < width)
		strbuf_fill(line, ' ', width - columns);
}

static int is_right(const struct grid_column *column)
{
	return column->heading.form < FORM_RELATION;
}

static void print_line(FILE *out, struct strbuf *line)
{
	while (line->length && line->text[line->length - 1] == ' ')
		line->text[--line->length] = '\0';
	fprintf(out, "%s\n", line->text);
	strbuf_clear(line);
}

/* The groups' titles over their columns: "----- Elapsed, ms -----". */
static void print_groups(FILE *out, const struct grid *grid, struct strbuf *line)
{
	struct strbuf title = { 0 };

	for (size_t c = 0, end, width, n, dashes; c < grid->n; c = end) {
		end = group_end(grid, c, &width, &n);
		if (!grid->columns[c].heading.group || !n) {
			strbuf_fill(line, ' ', width);
			continue;
		}
		put_title(&title, grid, c, end);
		dashes = width - GAP - title.length;
		if (dashes >= 4) {
			strbuf_fill(line, '-', dashes / 2 - 1);
			strbuf_printf(line, " %s ", title.text);
			strbuf_fill(line, '-', dashes - dashes / 2 - 1);
		} else {
			strbuf_fill(line, ' ', dashes);
			strbuf_puts(line, title.text);
		}
		strbuf_fill(line, ' ', GAP);
	}
	print_line(out, line);
	strbuf_release(&title);
}

static void print_headings(FILE *out, const struct grid *grid, struct strbuf *line)
{
	for (size_t c = 0; c < grid->n; c++) {
		const struct grid_column *column = &grid->columns[c];
		struct strbuf heading = { 0 };

		if (column->is_gone)
			continue;
		strbuf_puts(&heading, column->heading.text);
		strbuf_fill(&heading, ' ', (size_t)cell_has_mark(grid->view, column->column, &grid->unit));
		output_fitted(line, heading.text, column->width, is_right(column));
		strbuf_fill(line, ' ', GAP);
		strbuf_release(&heading);
	}
	print_line(out, line);
}

static void print_row(FILE *out, const struct grid *grid, size_t r, struct strbuf *line)
{
	int is_root = grid->colour && grid->view->rows[r]->relation == RELATION_ROOT;

	strbuf_puts(line, is_root ? BOLD : "");
	for (size_t c = 0; c < grid->n; c++) {
		const struct grid_column *column = &grid->columns[c];
		int dim = grid->colour && !is_root && column->heading.form > FORM_NAME;

		if (column->is_gone)
			continue;
		strbuf_puts(line, dim ? DIM : "");
		output_fitted(line, grid->cells[r * grid->n + c], column->width, is_right(column));
		strbuf_puts(line, dim ? PLAIN : "");
		strbuf_fill(line, ' ', GAP);
	}
	strbuf_puts(line, is_root ? PLAIN : "");
	print_line(out, line);
}

/* The rows of one function after those of another. */
static int begins_group(const struct view *view, size_t r)
{
	return r && view->rows[r]->root != view->rows[r - 1]->root;
}

void output_table(FILE *out, const struct view *view)
{
	struct grid grid = { .view = view, .unit = unit_of(view), .colour = output_is_coloured(out) };
	struct strbuf line = { 0 };
	unsigned terminal = output_width(out);
	struct view shown;

	output_heading(out, view);
	grid_columns(&grid, terminal);
	grid_cells(&grid);
	grid_drop_empty(&grid);
	grid_titles(&grid);
	grid_fit(&grid, terminal ? terminal + GAP : 0); /* the last gap is not printed */
	grid_widen_names(&grid, terminal ? terminal + GAP : 0);
	strbuf_clear(&line);
	fputs(grid.colour ? BOLD : "", out);
	print_groups(out, &grid, &line);
	print_headings(out, &grid, &line);
	fputs(grid.colour ? PLAIN : "", out);
	for (size_t r = 0; r < view->n_rows; r++) {
		fputs(begins_group(view, r) ? "\n" : "", out);
		print_row(out, &grid, r, &line);
	}
	strbuf_release(&line);
	shown = *view;
	shown.has_intervals = grid_has_intervals(&grid);
	grid_release(&grid);
	output_totals(out, &shown);
}
