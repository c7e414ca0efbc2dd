/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table_cells.h - makes a column's heading and the text of its cells in a table. */
#ifndef REPORT_OUTPUT_TABLE_CELLS_H
#define REPORT_OUTPUT_TABLE_CELLS_H

#include "output.h"

struct heading cell_heading(enum column column, const struct profile *profile);
/* Returns the short heading used in tables of COLUMNS_CPU for columns that were not requested: one
 * word, and values that each have a unit. */
struct heading cell_heading_brief(enum column column, const struct profile *profile);

/* The unit of all times in a table, so that they are easily compared. */
struct unit {
	long double ns;
	const char *name;
	int decimals;
	unsigned rough;	    /* bits by enum value_kind: the value of some row is rough (R9) */
	int has_upper_ends; /* the value of some row is shown as `<= x` */
	/* Like `rough`, of time on the processor. */
	unsigned rough_cpu;
	unsigned shares; /* bits by enum value_kind: executed instructions are estimates */
};
struct unit cell_unit(const struct view *view);
/* Returns upper_end_of() in a table of this unit, in the unit of the column's value; < 0: no upper
 * end is shown. */
long double cell_upper_end(const struct view *view, enum column column, const struct row *row,
			   const struct unit *unit);

void cell_put(struct strbuf *buf, const struct view *view, enum column column, const struct heading *heading,
	      const struct row *row, const struct unit *unit);
/* Returns the marks in the cell: bits of enum output_mark; none for texts and time off the
 * processor. */
unsigned cell_marks(const struct view *view, enum column column, const struct row *row,
		    const struct unit *unit);
/* Returns " (jump)" if the row's calls were tail calls (R15), " (part jump)" if some were, else
 * "". */
const char *cell_jump_mark(const struct row *row);
/* Whether the column is followed by a place for a mark (~ * +). */
int cell_has_mark(const struct view *view, enum column column, const struct unit *unit);

#endif
