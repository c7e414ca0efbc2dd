/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table.c - the table for people. Every cell is formatted first; then columns get the width
 * they need, and where the terminal is too narrow, names are shortened in the middle and the least
 * needed columns go.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "lib/ink.h"
#include "lib/terminal.h"
#include "table_cells.h"
#include "table_layout.h"

#define NAME_WHOLE 44 /* columns go before names of so many columns are shortened */
#define PATH_WHOLE 56 /* ... of call paths, which are indented */
#define NAME_MIN 24   /* a name is shortened to this before columns go that say most */
#define NAME_TINY 8   /* ... and to this where no column can go */
#define NAME_LEAST 16 /* ... or this, if columns were chosen: lines get longer */
#define MODULE_MAX 20

#define BAR 8 /* of the share of the time */
#define BAR_DROP 6

/* ---- columns --------------------------------------------------------------------------------- */

/* Low and high side by side become one column: 12.5-17.8. */
static int is_other_end(struct table *table, enum column column)
{
	const struct column_info *info = &column_infos[column], *before;
	struct table_column *last = table->grid.n ? &table->columns[table->grid.n - 1] : NULL;

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
					(a->family == FAMILY_CPU && b->family == FAMILY_CPU_PERCENT) ||
					(a->family == FAMILY_SAMPLES && b->family == FAMILY_SHARE));
}

static void column_add(struct table *table, enum column column, int drop, int is_brief)
{
	const struct profile *profile = table->view->profile;
	struct table_column *c = &table->columns[table->grid.n];

	if (!column_in_view(profile, column) || is_other_end(table, column))
		return;
	*c = (struct table_column){ .column = column,
				    .to = column,
				    .heading = is_brief ? cell_heading_brief(column, profile)
							: cell_heading(column, profile),
				    .drop = drop };
	if (table->grid.n && is_percent_of(column, c[-1].column))
		c->heading = (struct heading){ c[-1].heading.group, "%", FORM_PERCENT };
	table->grid.n++;
}

/* Behind the percentages by which the rows are in order. */
static void bar_add(struct table *table)
{
	const struct table_column *last = &table->columns[table->grid.n - 1];
	enum column column = last->column;

	if (!table->has_bars || (column != COLUMN_CPU_EXCLUSIVE_PERCENT && column != COLUMN_CPU_PERCENT &&
				 column != COLUMN_EXCLUSIVE_PERCENT))
		return;
	table->columns[table->grid.n++] =
		(struct table_column){ .column = column,
				       .to = column,
				       .heading = { last->heading.group, "", FORM_TEXT },
				       .drop = BAR_DROP,
				       .is_bar = 1 };
	table->has_bars = 0; /* one is enough */
}

/* Of a default; what says nothing in this session has none. */
static void default_add(struct table *table, enum column column)
{
	const struct view *view = table->view;
	const struct profile *profile = view->profile;
	int drop = column_drop(column, view->set, profile);
	enum column shown = view->set == COLUMNS_CPU ? column_for(profile, column) : column;

	if (view->set == COLUMNS_CPU && column_infos[column].family == FAMILY_OFF_CPU &&
	    !totals_has_application(&profile->totals))
		return;
	for (size_t c = 0; c < table->grid.n; c++)
		if (table->columns[c].column == shown)
			return;
	column_add(table, shown, drop, view->set == COLUMNS_CPU);
	bar_add(table);
}

static void choose_columns(struct table *table, unsigned terminal)
{
	const struct view *view = table->view;
	struct column_list columns;

	if (view->columns)
		columns = *view->columns;
	else
		column_list_default(&columns, view->profile, view->set, terminal);
	/* without it no row could be told from the others */
	column_list_add(&columns, COLUMN_NAME);
	for (size_t i = 0; i < columns.n; i++) {
		enum column column = columns.list[i];

		if (columns.stays[column])
			column_add(table, column, 0, 0);
		else
			default_add(table, column);
	}
}

static void put_heading(struct table *table, size_t c)
{
	struct strbuf *cell = grid_cell(&table->grid, 0, c);
	const struct table_column *column = &table->columns[c];

	strbuf_clear(cell);
	strbuf_puts(cell, column->heading.text);
	if (!column->is_bar)
		strbuf_fill(cell, ' ', (size_t)cell_has_mark(table->view, column->column, &table->unit));
}

/* As long as the bar of the row that has most is BAR. */
static void put_bar(struct strbuf *cell, struct table *table, enum column column, const struct row *row)
{
	const struct view *view = table->view;
	long double own = column_value(view->profile, row, column).number, most = table->bar_most;

	for (size_t r = 0; most < 0 && r < view->n_rows; r++)
		table->bar_most =
			fmaxl(table->bar_most, column_value(view->profile, view->rows[r], column).number);
	most = table->bar_most;
	strbuf_fill(cell, '#', most > 0 && own > 0 ? util_rounded(own * BAR / most) : 0);
}

/* By the share that the row's own time has of the session's; threads and processes are what they
 * are. */
static enum ink heat_of(const struct view *view, const struct row *row)
{
	const struct profile *profile = view->profile;
	int by_cpu = view->set == COLUMNS_CPU && profile->by != BY_PATH && profile->by != BY_CALLERS;
	enum column column = by_cpu ? COLUMN_CPU_EXCLUSIVE_PERCENT : COLUMN_ELAPSED_EXCLUSIVE_PERCENT;
	struct value share = column_value(profile, row, column_for(profile, column));

	return share.type == VALUE_PERCENT ? ink_of_share(share.number) : INK_PLAIN;
}

/* The name, and the shares of the row's own time, are hot. */
static enum ink ink_of_cell(const struct view *view, enum column column, const struct row *row)
{
	const struct profile *profile = view->profile;
	const struct column_info *info = &column_infos[column];
	int is_share = (info->family == FAMILY_PERCENT || info->family == FAMILY_SHARE ||
			info->family == FAMILY_CPU_PERCENT) &&
		       (info->which == VALUE_ELAPSED_EXCLUSIVE || info->which == VALUE_APPLICATION_EXCLUSIVE);

	if (profile->by == BY_THREAD || profile->by == BY_PROCESS || profile->by == BY_MARK)
		return INK_PLAIN;
	if (column == COLUMN_NAME && row->is_hot)
		return INK_STRONG;
	return is_share || column == COLUMN_NAME ? heat_of(view, row) : INK_PLAIN;
}

static void put_cell(struct table *table, size_t r, size_t c)
{
	struct strbuf *cell = grid_cell(&table->grid, r + 1, c);
	const struct table_column *column = &table->columns[c];
	const struct row *row = table->view->rows[table->first + r];

	if (column->is_bar) {
		put_bar(cell, table, column->column, row);
		return;
	}
	cell_put(cell, table->view, column->column, &column->heading, row, &table->unit);
	grid_ink(&table->grid, r + 1, c, ink_of_cell(table->view, column->column, row));
	if (column->to == column->column)
		return;
	strbuf_puts(cell, "-");
	cell_put(cell, table->view, column->to, &column->heading, row, &table->unit);
}

static void put_cells(struct table *table)
{
	grid_init(&table->grid, table->n_rows + 1, table->grid.n);
	for (size_t c = 0; c < table->grid.n; c++) {
		enum form form = table->columns[c].heading.form;

		table->grid.columns[c].is_text = form >= FORM_RELATION;
		table->grid.columns[c].is_dim = form > FORM_NAME;
		put_heading(table, c);
		for (size_t r = 0; r < table->n_rows; r++)
			put_cell(table, r, c);
	}
	grid_measure(&table->grid);
}

static int is_empty(const struct table *table, size_t c)
{
	const struct grid *grid = &table->grid;
	size_t line = 1;

	while (line < grid->n_lines && !grid_text(grid, line, c)[strspn(grid_text(grid, line, c), " ")])
		line++;
	return line == grid->n_lines;
}

/* The same of the rows beyond the part that is laid out. */
static int is_empty_beyond(const struct table *table, size_t c)
{
	STRBUF(cell);
	int is_blank = 1;

	for (size_t r = 0; is_blank && r < table->view->n_rows; r++) {
		strbuf_clear(&cell);
		cell_put(&cell, table->view, table->columns[c].column, &table->columns[c].heading,
			 table->view->rows[r], &table->unit);
		is_blank = !cell.text[strspn(cell.text, " ")];
	}
	return is_blank;
}

/* Of the columns that nobody asked for, those in which no row has anything go. */
static void drop_empty(struct table *table)
{
	struct table_memory *memory = table->memory;

	for (size_t c = 0; table->grid.n_lines > 1 && c < table->grid.n; c++) {
		int is_blank = table->columns[c].drop && is_empty(table, c);

		if (table->columns[c].is_bar)
			continue;

		if (is_blank && memory && !memory->is_known)
			memory->is_empty[table->columns[c].column] = (uint8_t)is_empty_beyond(table, c);
		if (memory)
			is_blank &= memory->is_empty[table->columns[c].column];
		table->grid.columns[c].is_gone = is_blank;
	}
}

/* No column becomes narrower while one looks at another part of the same rows. */
static void remember_widths(struct table *table)
{
	for (size_t c = 0; table->memory && c < table->grid.n; c++) {
		size_t *least = &table->memory->least[table->columns[c].column];
		size_t *width = &table->grid.columns[c].width;

		if (table->columns[c].is_bar)
			least = &table->memory->least_bar;
		*least = *width > *least ? *width : *least;
		*width = *least;
	}
}

/* The end of the columns side by side that share the group of the one at `first`; *n: how many of
 * them are shown. */
static size_t group_end(const struct table *table, size_t first, size_t *width, size_t *n)
{
	const struct table_column *columns = table->columns;
	const char *group = columns[first].heading.group;
	size_t c = first;

	*width = *n = 0;
	do {
		const struct grid_column *shown = &table->grid.columns[c];

		*width += shown->is_gone ? 0 : shown->width + GRID_GAP;
		*n += !shown->is_gone;
		c++;
	} while (group && c < table->grid.n && columns[c].heading.group &&
		 !strcmp(columns[c].heading.group, group));
	return c;
}

/* "Elapsed, ms" */
static void put_title(struct strbuf *title, const struct table *table, size_t first, size_t end)
{
	int has_unit = 0;

	strbuf_clear(title);
	strbuf_puts(title, table->columns[first].heading.group);
	for (size_t c = first; c < end; c++)
		has_unit |= !table->grid.columns[c].is_gone && table->columns[c].heading.form == FORM_TIME;
	if (has_unit)
		strbuf_printf(title, ", %s", table->unit.name);
}

/* Makes the first column of each group so wide that the group's title fits above. */
static void fit_titles(struct table *table)
{
	STRBUF(title);

	for (size_t c = 0, end, width, n; c < table->grid.n; c = end) {
		end = group_end(table, c, &width, &n);
		if (!table->columns[c].heading.group || !n)
			continue;
		put_title(&title, table, c, end);
		while (table->grid.columns[c].is_gone)
			c++;
		if (title.length + GRID_GAP > width)
			table->grid.columns[c].width += title.length + GRID_GAP - width;
	}
}

/* Makes text columns narrower, down to `least`. */
static void narrow(struct table *table, enum form form, size_t least, size_t wanted)
{
	for (size_t c = 0; c < table->grid.n; c++) {
		size_t width = grid_width(&table->grid), over = width > wanted ? width - wanted : 0;
		struct grid_column *column = &table->grid.columns[c];

		if (column->is_gone || table->columns[c].heading.form != form || column->width <= least)
			continue;
		column->width = column->width > least + over ? column->width - over : least;
	}
}

/* The percentages of a column that has gone must say themselves of what they are. */
static void name_percent(struct table *table, size_t gone)
{
	struct table_column *next = &table->columns[gone + 1];
	size_t *shown = &table->grid.columns[gone + 1].width, width;

	if (gone + 1 == table->grid.n || !is_percent_of(next->column, next[-1].column))
		return;
	next->heading = cell_heading(next->column, table->view->profile);
	put_heading(table, gone + 1);
	width = strlen(next->heading.text);
	*shown = *shown > width ? *shown : width;
}

/* Drops the column that is needed least, if it is of those above `limit`. */
static int drop_one(struct table *table, int limit)
{
	size_t worst = table->grid.n;
	int most = limit > 0 ? limit : 0;

	for (size_t c = 0; c < table->grid.n; c++)
		if (!table->grid.columns[c].is_gone && table->columns[c].drop > most) {
			worst = c;
			most = table->columns[c].drop;
		}
	if (worst == table->grid.n)
		return 0;
	table->grid.columns[worst].is_gone = 1;
	name_percent(table, worst);
	return 1;
}

static void fit(struct table *table, unsigned terminal)
{
	if (!terminal)
		return;
	narrow(table, FORM_MODULE, MODULE_MAX, terminal);
	narrow(table, FORM_TEXT, MODULE_MAX, terminal);
	narrow(table, FORM_SOURCE, MODULE_MAX, terminal);
	narrow(table, FORM_NAME, table->view->profile->by == BY_PATH ? PATH_WHOLE : NAME_WHOLE, terminal);
	while (grid_width(&table->grid) > terminal && drop_one(table, COLUMN_DROP_SOON))
		fit_titles(table);
	narrow(table, FORM_NAME, NAME_MIN, terminal);
	while (grid_width(&table->grid) > terminal && drop_one(table, 0))
		fit_titles(table);
	narrow(table, FORM_NAME, table->view->columns ? NAME_LEAST : NAME_TINY, terminal);
}

/* What was dropped may have left room that names were shortened for. */
static void widen_names(struct table *table, unsigned terminal)
{
	size_t width = grid_width(&table->grid);

	for (size_t c = 0; terminal && c < table->grid.n && width < terminal; c++) {
		struct grid_column *column = &table->grid.columns[c];
		size_t most, room = column->width + (terminal - width);

		if (column->is_gone || table->columns[c].heading.form != FORM_NAME)
			continue;
		most = grid_widest(&table->grid, 1, c);
		most = most < room ? most : room;
		column->width = most > column->width ? most : column->width;
	}
}

static int has_intervals(const struct table *table)
{
	for (size_t c = 0; c < table->grid.n; c++)
		if (table->columns[c].to != table->columns[c].column && !table->grid.columns[c].is_gone)
			return 1;
	return 0;
}

/* ---- printing -------------------------------------------------------------------------------- */

/* The groups' titles over their columns: "----- Elapsed, ms -----". */
void table_put_groups(struct strbuf *line, const struct table *table)
{
	STRBUF(title);
	int has_title = 0;

	for (size_t c = 0, end, width, n, dashes; c < table->grid.n; c = end) {
		end = group_end(table, c, &width, &n);
		if (!table->columns[c].heading.group || !n) {
			strbuf_fill(line, ' ', width);
			continue;
		}
		put_title(&title, table, c, end);
		dashes = width - GRID_GAP - title.length;
		if (dashes >= 4) {
			strbuf_fill(line, '-', dashes / 2 - 1);
			strbuf_printf(line, " %s ", title.text);
			strbuf_fill(line, '-', dashes - dashes / 2 - 1);
		} else {
			strbuf_fill(line, ' ', dashes);
			strbuf_puts(line, title.text);
		}
		strbuf_fill(line, ' ', GRID_GAP);
		has_title = 1;
	}
	if (!has_title)
		strbuf_clear(line);
}

/* The rows of one function after those of another. */
static int begins_group(const struct view *view, size_t r)
{
	return r && view->rows[r]->root != view->rows[r - 1]->root;
}

static void print_rows(FILE *out, const struct table *table, int colour)
{
	const struct view *view = table->view;

	for (size_t r = 0; r < view->n_rows; r++) {
		int is_root = view->rows[r]->relation == RELATION_ROOT;

		fputs(begins_group(view, r) ? "\n" : "", out);
		grid_print(&table->grid, out, r + 1, colour, is_root ? INK_STRONG : INK_PLAIN);
	}
}

void table_make(struct table *table, const struct view *view, size_t first, size_t n, unsigned width,
		int has_bars, struct table_memory *memory)
{
	unsigned room = width ? width + GRID_GAP : 0; /* the last gap is not printed */

	*table = (struct table){ .view = view,
				 .first = first,
				 .n_rows = n,
				 .has_bars = has_bars,
				 .bar_most = memory && memory->is_known ? memory->bar_most : -1,
				 .memory = memory };
	if (!memory || !memory->is_known)
		table->unit = cell_unit(view);
	else
		table->unit = memory->unit;
	choose_columns(table, width);
	put_cells(table);
	remember_widths(table);
	drop_empty(table);
	if (memory) {
		memory->unit = table->unit;
		memory->bar_most = table->bar_most;
		memory->is_known = 1;
	}
	fit_titles(table);
	fit(table, room);
	widen_names(table, room);
}

void table_release(struct table *table)
{
	grid_release(&table->grid);
}

int table_span(const struct table *table, enum column column, size_t *at, size_t *width)
{
	*at = 0;
	for (size_t c = 0; c < table->grid.n; c++) {
		const struct grid_column *shown = &table->grid.columns[c];

		if (shown->is_gone)
			continue;
		*width = shown->width;
		if (table->columns[c].column == column && !table->columns[c].is_bar)
			return 1;
		*at += shown->width + GRID_GAP;
	}
	return 0;
}

/* The marks in numbers that are shown. */
static unsigned marks_of(const struct table *table)
{
	unsigned marks = 0;

	for (size_t c = 0; c < table->grid.n; c++) {
		if (table->grid.columns[c].is_gone || table->columns[c].heading.form >= FORM_RELATION)
			continue;
		for (size_t line = 1; line < table->grid.n_lines; line++)
			marks |= output_marks_in(grid_text(&table->grid, line, c));
	}
	return marks;
}

void output_table(struct items *items, const struct view *view)
{
	FILE *out = items->out;
	int colour = terminal_is_coloured(out);
	STRBUF(groups);
	struct table table;
	struct view shown;

	output_heading(out, view, WHOLE_OF_COLUMNS);
	table_make(&table, view, 0, view->n_rows, terminal_width(out), out == stdout && terminal_is_watched(),
		   NULL);
	table_put_groups(&groups, &table);
	if (groups.length) {
		fputs(ink(colour, INK_HEADING), out);
		grid_print_line(out, &groups);
		fputs(ink_end(colour, INK_HEADING), out);
	}
	grid_print(&table.grid, out, 0, colour, INK_HEADING);
	print_rows(out, &table, colour);
	shown = *view;
	shown.has_intervals = has_intervals(&table);
	shown.marks = marks_of(&table);
	table_release(&table);
	output_waits(out, &shown);
	output_foot(out, &shown);
}
