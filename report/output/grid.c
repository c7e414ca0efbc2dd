/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "grid.h"

#include <stdlib.h>
#include <string.h>

#include "lib/terminal.h"
#include "name_cut.h"

#define ARROW " -> "	  /* of call sites */
#define ARROW_JUMP " => " /* ... whose calls are jumps: as wide */
#define SITE_MIN 16	  /* cut in the middle as a whole below this */

void grid_init(struct grid *grid, size_t n_lines, size_t n)
{
	*grid = (struct grid){ .n_lines = n_lines,
			       .n = n,
			       .columns = xcalloc(n, sizeof(*grid->columns)),
			       .cells = xcalloc(n_lines * n, sizeof(*grid->cells)),
			       .inks = xcalloc(n_lines * n, 1),
			       .line_inks = xcalloc(n_lines, 1) };
}

void grid_release(struct grid *grid)
{
	for (size_t i = 0; i < grid->n_lines * grid->n; i++)
		strbuf_release(&grid->cells[i]);
	free(grid->cells);
	free(grid->inks);
	free(grid->line_inks);
	free(grid->columns);
}

struct strbuf *grid_cell(const struct grid *grid, size_t line, size_t column)
{
	return &grid->cells[line * grid->n + column];
}

const char *grid_text(const struct grid *grid, size_t line, size_t column)
{
	const char *text = grid_cell(grid, line, column)->text;

	return text ? text : "";
}

void grid_choose(struct grid *grid, const size_t *columns, size_t n)
{
	struct grid chosen;

	grid_init(&chosen, grid->n_lines, n);
	for (size_t line = 0; line < grid->n_lines; line++)
		for (size_t c = 0; c < n; c++) {
			*grid_cell(&chosen, line, c) = *grid_cell(grid, line, columns[c]);
			*grid_cell(grid, line, columns[c]) = (struct strbuf){ 0 };
			chosen.inks[line * n + c] = grid->inks[line * grid->n + columns[c]];
		}
	for (size_t c = 0; c < n; c++)
		chosen.columns[c] = grid->columns[columns[c]];
	grid_release(grid);
	*grid = chosen;
}

/* ---- widths ---------------------------------------------------------------------------------- */

size_t grid_widest(const struct grid *grid, size_t first, size_t column)
{
	size_t most = 0;

	for (size_t line = first; line < grid->n_lines; line++) {
		size_t width = util_columns(grid_text(grid, line, column));

		most = width > most ? width : most;
	}
	return most;
}

void grid_measure(struct grid *grid)
{
	for (size_t c = 0; c < grid->n; c++)
		grid->columns[c].width = grid_widest(grid, 0, c);
}

size_t grid_width(const struct grid *grid)
{
	size_t width = 0;

	for (size_t c = 0; c < grid->n; c++)
		if (!grid->columns[c].is_gone)
			width += grid->columns[c].width + GRID_GAP;
	return width;
}

/* Cells that would look the same when they are cut, though they are not. */
struct alike {
	struct map texts, cuts; /* of the former: whole, of the latter: cut */
	size_t *partner;	/* by text: one that looks the same; MAP_NONE: none does */
	size_t *first;		/* by cut: the first text */
};

static int is_to_be_cut(const struct grid *grid, size_t line, size_t column)
{
	const char *text = grid_text(grid, line, column);

	return util_columns(text) > grid->columns[column].width && !strstr(text, ARROW) &&
	       !strstr(text, ARROW_JUMP);
}

static void alike_add(struct alike *alike, const char *text, size_t width)
{
	STRBUF(cut);
	size_t number, group;
	int is_new;

	number = map_add(&alike->texts, text, strlen(text), &is_new);
	if (!is_new)
		return;
	name_cut(&cut, text, width);
	group = map_add(&alike->cuts, cut.text, cut.length, &is_new);
	alike->partner[number] = is_new ? MAP_NONE : alike->first[group];
	if (is_new)
		alike->first[group] = number;
	else if (alike->partner[alike->first[group]] == MAP_NONE)
		alike->partner[alike->first[group]] = number;
}

static void cut_apart(struct grid *grid, size_t column)
{
	size_t width = grid->columns[column].width;
	struct alike alike = { .partner = xcalloc(grid->n_lines + 1, sizeof(size_t)),
			       .first = xcalloc(grid->n_lines + 1, sizeof(size_t)) };

	for (size_t line = 1; line < grid->n_lines; line++)
		if (is_to_be_cut(grid, line, column))
			alike_add(&alike, grid_text(grid, line, column), width);
	for (size_t line = 1; line < grid->n_lines && alike.cuts.n < alike.texts.n; line++) {
		struct strbuf *cell = grid_cell(grid, line, column), cut = { 0 };
		size_t partner;

		if (!is_to_be_cut(grid, line, column))
			continue;
		partner = alike.partner[map_find(&alike.texts, cell->text, cell->length)];
		if (partner == MAP_NONE)
			continue;
		name_cut_apart(&cut, cell->text, alike.texts.keys[partner], width);
		strbuf_release(cell);
		*cell = cut;
	}
	map_release(&alike.texts);
	map_release(&alike.cuts);
	free(alike.partner);
	free(alike.first);
}

void grid_fit(struct grid *grid, unsigned terminal, const int *order, size_t n_order, size_t name,
	      size_t least)
{
	size_t room = terminal + GRID_GAP, *width = &grid->columns[name].width, over;

	for (size_t i = 0; terminal && i < n_order && grid_width(grid) > room; i++)
		grid->columns[order[i]].is_gone = 1;
	if (!terminal || grid_width(grid) <= room)
		return;
	over = grid_width(grid) - room;
	least = *width < least ? *width : least;
	*width = *width > least + over ? *width - over : least;
	if (*width > 4)
		cut_apart(grid, name);
}

/* ---- printing -------------------------------------------------------------------------------- */

/* A wide character that is cut leaves a column empty. */
static void put_cut(struct strbuf *line, const char *text, size_t width)
{
	int is_cut = util_columns(text) > width;
	size_t used = name_cut(line, text, width);

	strbuf_fill(line, ' ', is_cut && used < width ? width - used : 0);
}

/* A call site: each of the two is cut by itself, the longer one first. */
static void put_site(struct strbuf *line, const char *text, const char *arrow, size_t width)
{
	FREED char *caller = xstrdup(text);
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

void grid_print_line(FILE *out, struct strbuf *line)
{
	while (line->length && line->text[line->length - 1] == ' ')
		line->text[--line->length] = '\0';
	fprintf(out, "%s\n", line->text);
	strbuf_clear(line);
}

struct printer printer_of(FILE *out)
{
	return (struct printer){ out, terminal_width(out), terminal_is_coloured(out) };
}

void printer_line(const struct printer *printer, struct strbuf *line, enum ink of_line)
{
	while (line->length && line->text[line->length - 1] == ' ')
		line->text[--line->length] = '\0';
	if (printer->width && util_columns(line->text) > printer->width) {
		line->length = util_head(line->text, printer->width - 2);
		line->text[line->length] = '\0';
		strbuf_puts(line, "..");
	}
	fprintf(printer->out, "%s%s%s\n", ink(printer->is_coloured, of_line), line->text ? line->text : "",
		ink_end(printer->is_coloured, of_line));
	strbuf_clear(line);
}

void grid_ink(const struct grid *grid, size_t line, size_t column, enum ink ink)
{
	grid->inks[line * grid->n + column] = (unsigned char)ink;
}

static enum ink ink_of(const struct grid *grid, size_t line, size_t column)
{
	enum ink own = (enum ink)grid->inks[line * grid->n + column];

	return own == INK_PLAIN && grid->columns[column].is_dim ? INK_DIM : own;
}

void grid_put(const struct grid *grid, struct strbuf *text, size_t line, int is_coloured, enum ink of_line)
{
	strbuf_puts(text, ink(is_coloured, of_line));
	for (size_t c = 0; c < grid->n; c++) {
		const struct grid_column *column = &grid->columns[c];
		enum ink own = of_line == INK_PLAIN ? ink_of(grid, line, c) : INK_PLAIN;

		if (column->is_gone)
			continue;
		strbuf_puts(text, ink(is_coloured, own));
		output_fitted(text, grid_text(grid, line, c), column->width, !column->is_text);
		strbuf_puts(text, ink_end(is_coloured, own));
		strbuf_fill(text, ' ', GRID_GAP);
	}
	strbuf_puts(text, ink_end(is_coloured, of_line));
}

void grid_print(const struct grid *grid, FILE *out, size_t line, int is_coloured, enum ink of_line)
{
	STRBUF(text);

	grid_put(grid, &text, line, is_coloured, of_line);
	grid_print_line(out, &text);
}

/* ---- tables whose columns are always the same ------------------------------------------------ */

void grid_begin(struct grid *grid, size_t n_rows, const struct grid_head *heads, size_t n,
		enum ink of_headings)
{
	grid_init(grid, n_rows + 1, n);
	grid->heads = heads;
	grid->line_inks[0] = (unsigned char)of_headings;
	for (size_t c = 0; c < n; c++) {
		strbuf_visible(grid_cell(grid, 0, c), heads[c].heading);
		grid->columns[c].is_text = heads[c].is_text;
	}
}

/* Returns the number of columns that may be left out, in this order, and sets the one that is
 * narrowed. */
static size_t drops_of(const struct grid *grid, int *order, size_t *narrowed)
{
	size_t n = 0;

	for (size_t c = 0; c < grid->n; c++) {
		if (grid->heads[c].drop) {
			order[grid->heads[c].drop - 1] = (int)c;
			n++;
		}
		if (grid->heads[c].least)
			*narrowed = c;
	}
	return n;
}

void grid_end(struct grid *grid, FILE *out)
{
	FREED int *order = xcalloc(grid->n, sizeof(*order));
	size_t narrowed = 0, n = drops_of(grid, order, &narrowed);
	int is_coloured = terminal_is_coloured(out);

	grid_measure(grid);
	grid_fit(grid, terminal_width(out), order, n, narrowed, grid->heads[narrowed].least);
	for (size_t line = 0; line < grid->n_lines; line++)
		grid_print(grid, out, line, is_coloured, (enum ink)grid->line_inks[line]);
	grid_release(grid);
}
