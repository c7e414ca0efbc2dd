/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * output_table.c - the table for people. Every cell is formatted first; then columns get the width
 * they need, and where the terminal is too narrow, names are shortened in the middle and the least
 * needed columns go.
 */
#include <stdlib.h>
#include <string.h>

#include "output.h"

#define GRID_COLUMNS 20
#define NAME_MIN 24 /* a name is shortened to this before columns go */
#define MODULE_MAX 20
#define DEPTH_SHOWN 40 /* deeper levels are not indented further */
#define GAP 2

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

/* How a cell is written. */
enum form {
	FORM_COUNT,
	FORM_ID,
	FORM_TIME,
	FORM_PERCENT,
	FORM_AVERAGE,
	FORM_NAME,
	FORM_MODULE,
	FORM_SOURCE,
	FORM_TEXT
};

struct text_column {
	enum column column;
	enum form form;
	const char *heading;
	const char *group; /* NULL: none */
	int drop;	   /* the highest goes first when there is no room; 0: stays */
	unsigned views;	   /* bits 1 << enum profile_by */
};

#define ALL_VIEWS 127u
#define VIEWS(by) (1u << (by))
#define ELAPSED "Elapsed"
#define APPLICATION "Application"

static const struct text_column text_columns[] = {
	{ COLUMN_CALLS, FORM_COUNT, "Calls", NULL, 0, ALL_VIEWS },
	{ COLUMN_ELAPSED_INCLUSIVE, FORM_TIME, "inclusive", ELAPSED, 0, ALL_VIEWS },
	{ COLUMN_ELAPSED_INCLUSIVE_PERCENT, FORM_PERCENT, "%", ELAPSED, 2, ALL_VIEWS },
	{ COLUMN_ELAPSED_EXCLUSIVE, FORM_TIME, "exclusive", ELAPSED, 0, ALL_VIEWS },
	{ COLUMN_ELAPSED_EXCLUSIVE_PERCENT, FORM_PERCENT, "%", ELAPSED, 1, ALL_VIEWS },
	{ COLUMN_APPLICATION_INCLUSIVE, FORM_TIME, "inclusive", APPLICATION, 3, ALL_VIEWS },
	{ COLUMN_APPLICATION_INCLUSIVE_PERCENT, FORM_PERCENT, "%", APPLICATION, 6, ALL_VIEWS },
	{ COLUMN_APPLICATION_EXCLUSIVE, FORM_TIME, "exclusive", APPLICATION, 0, ALL_VIEWS },
	{ COLUMN_APPLICATION_EXCLUSIVE_PERCENT, FORM_PERCENT, "%", APPLICATION, 5, ALL_VIEWS },
	{ COLUMN_AVERAGE, FORM_AVERAGE, "Avg", NULL, 7,
	  VIEWS(BY_FUNCTION) | VIEWS(BY_MODULE) | VIEWS(BY_LINE) | VIEWS(BY_SITE) | VIEWS(BY_PATH) },
	{ COLUMN_PID, FORM_ID, "pid", NULL, 4, VIEWS(BY_THREAD) | VIEWS(BY_PROCESS) },
	{ COLUMN_HOST, FORM_TEXT, "Host", NULL, 3, VIEWS(BY_THREAD) | VIEWS(BY_PROCESS) },
	{ COLUMN_TID, FORM_ID, "tid", NULL, 0, VIEWS(BY_THREAD) },
	{ COLUMN_NAME, FORM_NAME, "Function", NULL, 0, VIEWS(BY_FUNCTION) },
	{ COLUMN_NAME, FORM_NAME, "Call path", NULL, 0, VIEWS(BY_PATH) },
	{ COLUMN_NAME, FORM_NAME, "Module", NULL, 0, VIEWS(BY_MODULE) },
	{ COLUMN_NAME, FORM_NAME, "Thread", NULL, 0, VIEWS(BY_THREAD) },
	{ COLUMN_NAME, FORM_NAME, "Process", NULL, 0, VIEWS(BY_PROCESS) },
	{ COLUMN_NAME, FORM_NAME, "Line", NULL, 0, VIEWS(BY_LINE) },
	{ COLUMN_NAME, FORM_NAME, "Call site", NULL, 0, VIEWS(BY_SITE) },
	{ COLUMN_FUNCTION, FORM_TEXT, "Function", NULL, 2, VIEWS(BY_LINE) },
	{ COLUMN_MODULE, FORM_MODULE, "Module", NULL, 4,
	  VIEWS(BY_FUNCTION) | VIEWS(BY_LINE) | VIEWS(BY_SITE) | VIEWS(BY_PATH) },
	{ COLUMN_FILE, FORM_SOURCE, "Source", NULL, 8, VIEWS(BY_FUNCTION) | VIEWS(BY_SITE) | VIEWS(BY_PATH) },
	{ COLUMN_ADDRESS, FORM_TEXT, "Address", NULL, 9, VIEWS(BY_SITE) },
	{ COLUMN_INLINED_FROM, FORM_TEXT, "Inlined", NULL, 8, VIEWS(BY_LINE) },
};

struct unit {
	long double ns;
	const char *name;
	int decimals;
};

struct grid {
	const struct view *view;
	const struct text_column *columns[GRID_COLUMNS];
	size_t widths[GRID_COLUMNS];
	size_t n;
	char **cells; /* [n_rows][n] */
	struct unit unit;
	int colour;
};

/* ---- cells ----------------------------------------------------------------------------------- */

/* One unit for the four times, so that they compare at a glance. */
static struct unit unit_choose(const struct view *view)
{
	static const struct unit units[] = {
		{ 1, "ns", 0 }, { 1e3L, "us", 3 }, { 1e6L, "ms", 3 }, { 1e9L, "s", 3 }
	};
	long double most = 0;
	size_t i = 0;

	for (size_t k = 0; k < view->n_rows; k++)
		if (view->rows[k]->sums.elapsed_inclusive > most)
			most = view->rows[k]->sums.elapsed_inclusive;
	while (i + 1 < ARRAY_SIZE(units) && most >= 10000 * units[i].ns)
		i++;
	return units[i];
}

static void put_time(struct strbuf *buf, const struct unit *unit, long double ns)
{
	char digits[64];
	size_t point;

	snprintf(digits, sizeof(digits), "%.*Lf", unit->decimals, ns / unit->ns);
	point = strcspn(digits, ".");
	strbuf_thousands(buf, strtoull(digits, NULL, 10));
	strbuf_puts(buf, digits + point);
}

static void put_name(struct strbuf *buf, const struct row *row)
{
	uint32_t depth = row->depth ? row->depth - 1 : 0;

	if (depth > DEPTH_SHOWN) {
		strbuf_fill(buf, ' ', (size_t)2 * DEPTH_SHOWN);
		strbuf_printf(buf, "(%u) ", row->depth);
	} else {
		strbuf_fill(buf, ' ', (size_t)2 * depth);
	}
	strbuf_visible(buf, row->name);
	if (!row->callee)
		return;
	if (row->line)
		strbuf_printf(buf, ":%u", row->line);
	strbuf_puts(buf, " -> ");
	strbuf_visible(buf, row->callee);
}

static void put_source(struct strbuf *buf, const struct row *row)
{
	if (!row->file)
		return;
	strbuf_visible(buf, util_basename(row->file));
	if (row->line)
		strbuf_printf(buf, ":%u", row->line);
}

/* R9: more was taken off than is left. */
static int is_mostly_correction(const struct view *view, const struct row *row)
{
	return !view->profile->counting.raw && row->sums.overhead_exclusive > row->sums.elapsed_exclusive;
}

/* Its calls and times cover a part of the run only. */
static int is_partial(const struct view *view, const struct row *row)
{
	return row->entity != UINT32_MAX && taken_outs_have(&view->profile->taken_outs, row->entity);
}

static size_t has_mark(const struct view *view, const struct text_column *column)
{
	return column->form == FORM_AVERAGE || column->column == COLUMN_ELAPSED_EXCLUSIVE ||
	       (column->column == COLUMN_CALLS && view->profile->taken_outs.n);
}

static void put_cell(struct strbuf *buf, const struct grid *grid, const struct text_column *c,
		     const struct row *row)
{
	struct value value = column_value(grid->view->profile, row, c->column);

	if (c->form == FORM_NAME)
		put_name(buf, row);
	else if (c->form == FORM_SOURCE)
		put_source(buf, row);
	else if (c->form == FORM_MODULE)
		strbuf_visible(buf, row->module ? util_basename(row->module) : "");
	else if (c->form == FORM_TEXT)
		strbuf_visible(buf, value.text ? value.text : "");
	else if (value.type == VALUE_NONE)
		strbuf_puts(buf, c->group ? "n/a" : "");
	else if (c->form == FORM_TIME)
		put_time(buf, &grid->unit, value.number);
	else if (c->form == FORM_PERCENT)
		strbuf_printf(buf, "%.1Lf", value.number);
	else if (c->form == FORM_AVERAGE)
		strbuf_duration(buf, value.number);
	else if (c->form == FORM_ID)
		strbuf_printf(buf, "%llu", (unsigned long long)value.count);
	else
		strbuf_thousands(buf, value.count);
	if (c->column == COLUMN_CALLS && grid->view->profile->taken_outs.n)
		strbuf_puts(buf, is_partial(grid->view, row) ? "*" : " ");
	if (c->column == COLUMN_ELAPSED_EXCLUSIVE)
		strbuf_puts(buf, is_mostly_correction(grid->view, row) ? "~" : " ");
	if (c->form == FORM_AVERAGE)
		strbuf_puts(buf, row->open_calls ? "+" : " ");
}

/* ---- the grid -------------------------------------------------------------------------------- */

static void grid_columns(struct grid *grid)
{
	for (size_t i = 0; i < ARRAY_SIZE(text_columns); i++)
		if ((text_columns[i].views & VIEWS(grid->view->profile->by)) &&
		    (text_columns[i].column != COLUMN_HOST || grid->view->profile->totals.hosts.n > 1))
			grid->columns[grid->n++] = &text_columns[i];
}

static void grid_cells(struct grid *grid)
{
	const struct view *view = grid->view;

	grid->cells = xcalloc(view->n_rows * grid->n, sizeof(*grid->cells));
	for (size_t c = 0; c < grid->n; c++)
		grid->widths[c] = strlen(grid->columns[c]->heading) + has_mark(grid->view, grid->columns[c]);
	for (size_t r = 0; r < view->n_rows; r++)
		for (size_t c = 0; c < grid->n; c++) {
			struct strbuf buf = { 0 };
			size_t width;

			strbuf_clear(&buf);
			put_cell(&buf, grid, grid->columns[c], view->rows[r]);
			grid->cells[r * grid->n + c] = buf.text;
			width = util_columns(buf.text);
			if (width > grid->widths[c])
				grid->widths[c] = width;
		}
}

static size_t grid_width(const struct grid *grid)
{
	size_t width = 0;

	for (size_t c = 0; c < grid->n; c++)
		if (grid->columns[c])
			width += grid->widths[c] + GAP;
	return width;
}

/* Makes text columns narrower, down to `least`. */
static void grid_narrow(struct grid *grid, enum form form, size_t least, size_t wanted)
{
	for (size_t c = 0; c < grid->n; c++) {
		size_t width = grid_width(grid), over = width > wanted ? width - wanted : 0;

		if (!grid->columns[c] || grid->columns[c]->form != form || grid->widths[c] <= least)
			continue;
		grid->widths[c] = grid->widths[c] > least + over ? grid->widths[c] - over : least;
	}
}

static int grid_drop_one(struct grid *grid)
{
	size_t worst = grid->n;

	for (size_t c = 0; c < grid->n; c++)
		if (grid->columns[c] && grid->columns[c]->drop &&
		    (worst == grid->n || grid->columns[c]->drop > grid->columns[worst]->drop))
			worst = c;
	if (worst == grid->n)
		return 0;
	grid->columns[worst] = NULL;
	return 1;
}

static void grid_fit(struct grid *grid, unsigned terminal)
{
	if (!terminal)
		return;
	grid_narrow(grid, FORM_MODULE, MODULE_MAX, terminal);
	grid_narrow(grid, FORM_TEXT, MODULE_MAX, terminal);
	grid_narrow(grid, FORM_SOURCE, MODULE_MAX, terminal);
	grid_narrow(grid, FORM_NAME, NAME_MIN, terminal);
	while (grid_width(grid) > terminal && grid_drop_one(grid))
		;
	grid_narrow(grid, FORM_NAME, 8, terminal);
}

/* What was dropped may have left room that names were shortened for. */
static void grid_widen_names(struct grid *grid, unsigned terminal)
{
	size_t width = grid_width(grid);

	for (size_t c = 0; terminal && c < grid->n && width < terminal; c++) {
		size_t most = 0;

		if (!grid->columns[c] || grid->columns[c]->form != FORM_NAME)
			continue;
		for (size_t r = 0; r < grid->view->n_rows; r++) {
			size_t columns = util_columns(grid->cells[r * grid->n + c]);

			most = columns > most ? columns : most;
		}
		if (most > grid->widths[c] + (terminal - width))
			most = grid->widths[c] + (terminal - width);
		if (most > grid->widths[c])
			grid->widths[c] = most;
	}
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

/* `text` in `width` columns: shortened in the middle, or padded. */
static void put_fitted(struct strbuf *line, const char *text, size_t width, int right)
{
	size_t columns = util_columns(text), head = (width - 1) / 2, tail = width - 2 - head;

	if (columns > width && width > 4) {
		strbuf_add(line, text, bytes_of(text, head));
		strbuf_puts(line, "..");
		strbuf_puts(line, text + bytes_of(text, columns - tail));
		return;
	}
	if (right && columns < width)
		strbuf_fill(line, ' ', width - columns);
	strbuf_puts(line, text);
	if (!right && columns < width)
		strbuf_fill(line, ' ', width - columns);
}

static int is_right(const struct text_column *column)
{
	return column->form < FORM_NAME;
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

	for (size_t c = 0; c < grid->n;) {
		const char *group = grid->columns[c] ? grid->columns[c]->group : NULL;
		size_t width = 0, dashes;

		do {
			width += grid->columns[c] ? grid->widths[c] + GAP : 0;
			c++;
		} while (group && c < grid->n && (!grid->columns[c] || grid->columns[c]->group == group));
		if (!group) {
			strbuf_fill(line, ' ', width);
			continue;
		}
		strbuf_clear(&title);
		strbuf_printf(&title, " %s, %s ", group, grid->unit.name);
		dashes = width > GAP + 2 + title.length ? width - GAP - 2 - title.length : 0;
		strbuf_fill(line, ' ', 2);
		strbuf_fill(line, '-', dashes / 2);
		strbuf_puts(line, title.text);
		strbuf_fill(line, '-', dashes - dashes / 2);
		strbuf_fill(line, ' ', GAP);
	}
	print_line(out, line);
	strbuf_release(&title);
}

static void print_headings(FILE *out, const struct grid *grid, struct strbuf *line)
{
	for (size_t c = 0; c < grid->n; c++) {
		struct strbuf heading = { 0 };

		if (!grid->columns[c])
			continue;
		strbuf_puts(&heading, grid->columns[c]->heading);
		strbuf_fill(&heading, ' ', has_mark(grid->view, grid->columns[c]));
		put_fitted(line, heading.text, grid->widths[c], is_right(grid->columns[c]));
		strbuf_fill(line, ' ', GAP);
		strbuf_release(&heading);
	}
	print_line(out, line);
}

static void print_row(FILE *out, const struct grid *grid, size_t r, struct strbuf *line)
{
	for (size_t c = 0; c < grid->n; c++) {
		int dim;

		if (!grid->columns[c])
			continue;
		dim = grid->colour && grid->columns[c]->form > FORM_NAME;
		strbuf_puts(line, dim ? DIM : "");
		put_fitted(line, grid->cells[r * grid->n + c], grid->widths[c], is_right(grid->columns[c]));
		strbuf_puts(line, dim ? PLAIN : "");
		strbuf_fill(line, ' ', GAP);
	}
	print_line(out, line);
}

void output_table(FILE *out, const struct view *view)
{
	struct grid grid = { .view = view, .unit = unit_choose(view), .colour = output_is_coloured(out) };
	struct strbuf line = { 0 };
	unsigned terminal = output_width(out);

	output_heading(out, view);
	grid_columns(&grid);
	grid_cells(&grid);
	grid_fit(&grid, terminal ? terminal + GAP : 0); /* the last gap is not printed */
	grid_widen_names(&grid, terminal ? terminal + GAP : 0);
	strbuf_clear(&line);
	fputs(grid.colour ? BOLD : "", out);
	print_groups(out, &grid, &line);
	print_headings(out, &grid, &line);
	fputs(grid.colour ? PLAIN : "", out);
	for (size_t r = 0; r < view->n_rows; r++)
		print_row(out, &grid, r, &line);
	strbuf_release(&line);
	grid_release(&grid);
	output_totals(out, view);
}
