/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * grid.h - text in rows and columns, aligned, for the tables for people. Line 0 is the headings'.
 * What a cell says, and which column goes first where the terminal is too narrow, the table knows.
 */
#ifndef REPORT_OUTPUT_GRID_H
#define REPORT_OUTPUT_GRID_H

#include <stddef.h>
#include <stdio.h>

#include "lib/ink.h"
#include "lib/util.h"

/* `text` in `width` columns: shortened in the middle, or padded. */
void output_fitted(struct strbuf *line, const char *text, size_t width, int right);

#define GRID_GAP 2 /* between columns */

struct grid_column {
	size_t width;
	int is_text; /* begins at the left */
	int is_gone; /* there is no room, or nothing to show */
	int is_dim;  /* where there is colour */
};

struct grid {
	size_t n_lines, n;
	struct grid_column *columns; /* [n] */
	struct strbuf *cells;	     /* [n_lines][n] */
	unsigned char *inks;	     /* [n_lines][n]: enum ink */
};

void grid_init(struct grid *grid, size_t n_lines, size_t n);
void grid_release(struct grid *grid);
struct strbuf *grid_cell(const struct grid *grid, size_t line, size_t column);
/* Never NULL. */
const char *grid_text(const struct grid *grid, size_t line, size_t column);
/* Leaves these columns, in this order; each but once. */
void grid_choose(struct grid *grid, const size_t *columns, size_t n);
/* The width of the widest cell of the lines from `first` on. */
size_t grid_widest(const struct grid *grid, size_t first, size_t column);
/* Makes all columns as wide as their widest cell. */
void grid_measure(struct grid *grid);
/* Of the columns that are shown, with a gap behind each. */
size_t grid_width(const struct grid *grid);
/*
 * Leaves columns out in this order until the rest fits on the terminal; 0: any width. If it is
 * still too wide, `name` becomes narrower, not below `least`.
 */
void grid_fit(struct grid *grid, unsigned terminal, const int *order, size_t n_order, size_t name,
	      size_t least);

/* What the cell is printed in; without: its column's, or that of the line. */
void grid_ink(const struct grid *grid, size_t line, size_t column, enum ink ink);
/* `of_line`: of all its cells; INK_PLAIN: each has its own. */
/* Appends a line, with the spaces at its end. */
void grid_put(const struct grid *grid, struct strbuf *text, size_t line, int is_coloured, enum ink of_line);
void grid_print(const struct grid *grid, FILE *out, size_t line, int is_coloured, enum ink of_line);

/* Where lines go that are no rows of a grid. */
struct printer {
	FILE *out;
	unsigned width; /* 0: any */
	int is_coloured;
};
struct printer printer_of(FILE *out);
/* Prints the line, cut to the width, without the spaces at its end; and clears it. */
void printer_line(const struct printer *printer, struct strbuf *line, enum ink ink);
/* Prints the line without the spaces at its end, and clears it. */
void grid_print_line(FILE *out, struct strbuf *line);

#endif
