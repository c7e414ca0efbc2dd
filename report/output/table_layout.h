/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_layout.h - a table for people, laid out: its columns, and the text of each cell. table.c
 * makes it and prints it; who draws it by himself (ui) can have a part of the rows.
 */
#ifndef REPORT_OUTPUT_TABLE_LAYOUT_H
#define REPORT_OUTPUT_TABLE_LAYOUT_H

#include "grid.h"
#include "table_cells.h"

struct table_column {
	enum column column;
	/* the other end of the interval that begins with it; else the column itself */
	enum column to;
	struct heading heading;
	int drop; /* the highest goes first; 0: stays */
	int is_bar;
};

/*
 * What parts of the same rows have in common, so that one table can be looked at in parts: the
 * unit of all rows, columns that no row has, the widths of the parts so far. Zero-initialised:
 * nothing is known yet.
 */
struct table_memory {
	int is_known;
	struct unit unit;
	long double bar_most; /* the value of the longest bar; < 0: not known yet */
	uint8_t is_empty[COLUMN_COUNT];
	size_t least[COLUMN_COUNT], least_bar;
};

struct table {
	const struct view *view;
	size_t first, n_rows; /* the part of the view's rows */
	struct table_memory *memory;
	struct table_column columns[COLUMN_COUNT + 1]; /* and a bar */
	struct grid grid; /* has the same columns; line 1 is the first row of the part */
	struct unit unit;
	int has_bars;
	long double bar_most; /* as in the memory */
};

/* Rows first to first + n of the view, in a table that is `width` wide (0: no limit). memory: NULL,
 * or of the parts before. */
void table_make(struct table *table, const struct view *view, size_t first, size_t n, unsigned width,
		int has_bars, struct table_memory *memory);
void table_release(struct table *table);
/* The groups' titles over their columns: "----- Elapsed, ms -----"; nothing: no group is shown. */
void table_put_groups(struct strbuf *line, const struct table *table);
/* Where a column is on the line. 0: it is not shown. */
int table_span(const struct table *table, enum column column, size_t *at, size_t *width);

#endif
