/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_layout.h - lays out a table for people: its columns and the text of each cell. table.c
 * makes and prints it; ui, which draws by itself, can lay out a part of the rows.
 */
#ifndef REPORT_OUTPUT_TABLE_LAYOUT_H
#define REPORT_OUTPUT_TABLE_LAYOUT_H

#include "grid.h"
#include "table_cells.h"

struct table_column {
	enum column column;
	/* Upper end of the confidence interval that begins with `column`; else `column` itself. */
	enum column to;
	struct heading heading;
	int drop; /* the highest is left out first; 0: never */
	int is_bar;
};

/* Keeps what parts of one table share, so that it can be laid out in parts: the unit of all rows,
 * columns without values, widths of the parts so far. Zero-initialised: nothing is known yet. */
struct table_memory {
	int is_known;
	struct unit unit;
	long double bar_most; /* value of the longest bar; < 0: not known yet */
	uint8_t is_empty[COLUMN_COUNT];
	size_t least[COLUMN_COUNT], least_bar;
};

struct table {
	const struct view *view;
	size_t first, n_rows; /* the part of the view's rows */
	struct table_memory *memory;
	struct table_column columns[COLUMN_COUNT + 1]; /* and a bar */
	/* Has the columns above; line 1 is the first row of the part. */
	struct grid grid;
	struct unit unit;
	int has_bars;
	long double bar_most; /* as in table_memory */
};

/* Lays out rows [first, first + n) of the view in a table `width` columns wide (0: unlimited).
 * memory: keeps what the parts share; NULL: there is one part. */
void table_make(struct table *table, const struct view *view, size_t first, size_t n, unsigned width,
		int has_bars, struct table_memory *memory);
void table_release(struct table *table);
/* Appends the groups' titles above their columns: "----- Elapsed, ms -----"; nothing if no group is
 * shown. */
void table_put_groups(struct strbuf *line, const struct table *table);
/* Sets *at and *width to the column's place on the line. Returns 1, or 0 if it is not shown. */
int table_span(const struct table *table, enum column column, size_t *at, size_t *width);

#endif
