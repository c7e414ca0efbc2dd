/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * grid.h - aligns text in rows and columns for the tables for people. Line 0 holds the headings.
 * The caller decides what cells say, and which column is left out first on a narrow terminal.
 */
#ifndef REPORT_OUTPUT_GRID_H
#define REPORT_OUTPUT_GRID_H

#include <stddef.h>
#include <stdio.h>

#include "lib/ink.h"
#include "lib/util.h"

/* Appends `text` in `width` columns: shortened in the middle, or padded. right: aligned right. */
void output_fitted(struct strbuf *line, const char *text, size_t width, int right);

#define GRID_GAP 2 /* columns between two columns of the grid */

/* Destination of lines. */
struct printer {
	FILE *out;
	unsigned width; /* in columns; 0: unlimited */
	int is_coloured;
};

struct grid_column {
	size_t width;
	int is_text; /* aligned left */
	int is_gone; /* not shown: no room, or empty */
	int is_dim;  /* dimmed if there is colour */
};

struct grid {
	size_t n_lines, n;
	struct grid_column *columns;   /* [n] */
	struct strbuf *cells;	       /* [n_lines][n] */
	unsigned char *inks;	       /* [n_lines][n]: enum ink */
	unsigned char *line_inks;      /* [n_lines]: of all cells of a line, for grid_end() */
	const struct grid_head *heads; /* [n], of grid_begin() */
};

void grid_init(struct grid *grid, size_t n_lines, size_t n);
void grid_release(struct grid *grid);
struct strbuf *grid_cell(const struct grid *grid, size_t line, size_t column);
/* Returns the cell's text, "" if it is empty. */
const char *grid_text(const struct grid *grid, size_t line, size_t column);
/* Reduces the grid to these columns, in this order. No column may occur twice. */
void grid_choose(struct grid *grid, const size_t *columns, size_t n);
/* Returns the width of the widest cell from line `first` on. */
size_t grid_widest(const struct grid *grid, size_t first, size_t column);
/* Sets the width of each column to that of its widest cell. */
void grid_measure(struct grid *grid);
/* Returns the width of all columns shown, each with a gap after it. */
size_t grid_width(const struct grid *grid);
/* Leaves out columns in this order until the others fit on a terminal of `terminal` columns (0:
 * unlimited). If they still do not fit, narrows column `name`, to `least` at the lowest. */
void grid_fit(struct grid *grid, unsigned terminal, const int *order, size_t n_order, size_t name,
	      size_t least);

/* Sets the ink of a cell. Without it, a cell is dimmed if its column is. */
void grid_ink(const struct grid *grid, size_t line, size_t column, enum ink ink);
/* Appends a line with the spaces at its end. of_line: ink of all its cells; INK_PLAIN: each cell
 * has its own. */
void grid_put(const struct grid *grid, struct strbuf *text, size_t line, int is_coloured, enum ink of_line);
void grid_print(const struct grid *grid, FILE *out, size_t line, int is_coloured, enum ink of_line);

struct printer printer_of(FILE *out);

/* A column of a table whose columns are always the same. */
struct grid_head {
	const char *heading;
	unsigned char is_text; /* aligned left */
	unsigned char drop;    /* on a narrow terminal 1 is left out first, then 2; 0: never */
	unsigned char least;   /* of the one column that is narrowed last: its least width */
};
/* Begins a table with room for `n_rows` below the headings. `heads` must live as long as it. */
void grid_begin(struct grid *grid, size_t n_rows, const struct grid_head *heads, size_t n,
		enum ink of_headings);
/* Prints a table that grid_begin() has begun, fitted to the width of `out`, and releases it. */
void grid_end(struct grid *grid, FILE *out);

/* Prints the line, cut to the width and without the spaces at its end, and clears it. */
void printer_line(const struct printer *printer, struct strbuf *line, enum ink ink);
/* Prints the line without the spaces at its end, and clears it. */
void grid_print_line(FILE *out, struct strbuf *line);

#endif
