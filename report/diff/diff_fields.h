/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff_fields.h - --columns and --sort of cinstr diff, for every kind of comparison. */
#ifndef REPORT_DIFF_FIELDS_H
#define REPORT_DIFF_FIELDS_H

#include "diff.h"
#include "output/field_choice.h"
#include "output/grid.h"
#include "output/items.h"

enum diff_field {
	DIFF_FIELD_VERDICT,
	DIFF_FIELD_A,
	DIFF_FIELD_B,
	DIFF_FIELD_CHANGE,
	DIFF_FIELD_PERCENT,
	DIFF_FIELD_INTERVAL,
	DIFF_FIELD_CALLS_A,
	DIFF_FIELD_CALLS_B,
	DIFF_FIELD_OTHERS, /* the four times, as in enum diff_value */
	DIFF_FIELD_NAME = DIFF_FIELD_OTHERS + 4,
	DIFF_FIELD_MODULE,
	DIFF_FIELD_IMBALANCE_A, /* between processes (diff_processes.h) */
	DIFF_FIELD_IMBALANCE_B,
	DIFF_FIELDS
};
extern const struct field_list diff_fields;
/* The default, which +NAME and -NAME change. */
extern const struct field_choice diff_fields_default;

/* Checks --column; is_counted: it is what the processor counted that is compared. Returns 0, or -1
 * after an error message. */
int diff_check_column(enum column column, int is_counted, int is_relative);
/* Checks --alpha and --unpreempted. Returns 0, or -1 after an error message. */
int diff_check_certainty(enum column column, double alpha, int is_unpreempted);
/* Checks that neither is given where samples are compared. Returns 0, or -1 after an error
 * message. */
int diff_check_of_shares(double alpha, int is_unpreempted);
/* Removes the four times from the choice. Returns how many columns are left. */
size_t diff_drop_times(struct field_choice *columns);

/* Sorts row numbers in this order; NULL: the largest change first. */
void diff_order_rows(const struct diff *diff, uint32_t *rows, size_t n, const struct field_order *order);

/* The cells of a table that show a field: n of them from `first` on, or none. */
struct diff_cells {
	size_t first, n;
};
/* Keeps only the chosen columns in the grid, in this order, and fits them to the terminal. `cells`:
 * by field. */
void diff_grid_choose(struct grid *grid, const struct field_choice *choice,
		      const struct diff_cells cells[DIFF_FIELDS], unsigned terminal);

/* Restricts rows of csv and json to the chosen items. `keys`: by field, names separated by spaces;
 * NULL: the field has none. */
void diff_sheet_choose(struct items *items, const struct field_choice *choice,
		       const char *const keys[DIFF_FIELDS]);

#endif
