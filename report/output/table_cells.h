/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table_cells.h - how a column looks in a table: its heading, and its cells as text. */
#ifndef REPORT_OUTPUT_TABLE_CELLS_H
#define REPORT_OUTPUT_TABLE_CELLS_H

#include "output.h"

struct heading heading_of(enum column column, const struct profile *profile);
/* The same in a table of COLUMNS_CPU, where nobody has asked for the column: in a word, and values
 * that each have a unit. */
struct heading heading_brief(enum column column, const struct profile *profile);

/* One unit for all times, so that they compare at a glance. */
struct unit {
	long double ns;
	const char *name;
	int decimals;
	unsigned rough;	    /* bits by enum value_kind: some row's value of it is rough (R9) */
	int has_upper_ends; /* some row's value is shown as `<= x` */
	/* the same of time on the processor */
	unsigned rough_cpu;
	unsigned shares; /* of executed instructions: that are estimates */
};
struct unit unit_of(const struct view *view);
/* As upper_end_of(), in a table of this unit. */
long double cell_upper_end(const struct view *view, enum column column, const struct row *row,
			   const struct unit *unit);

void cell_put(struct strbuf *buf, const struct view *view, enum column column, const struct heading *heading,
	      const struct row *row, const struct unit *unit);
/* The marks in it: bits of enum output_mark. Not of texts, nor of time off the processor. */
unsigned cell_marks(const struct view *view, enum column column, const struct row *row,
		    const struct unit *unit);
/* " (jump)": the row's calls were tail calls (R15); of some of them " (part jump)", else "". */
const char *cell_jump_mark(const struct row *row);
/* Whether a place for a mark (~ * +) stands behind the column. */
int cell_has_mark(const struct view *view, enum column column, const struct unit *unit);

#endif
