/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff_fields.h - --columns and --sort of cinstr diff, for every kind of comparison. */
#ifndef REPORT_DIFF_FIELDS_H
#define REPORT_DIFF_FIELDS_H

#include "diff.h"
#include "output/field_choice.h"
#include "output/grid.h"
#include "output/items.h"

/* The columns, in the order of --columns=help: id, name, heading in the table of times and counts
 * (NULL: it depends), keys in csv and json. */
/* clang-format off */
#define DIFF_FIELD_LIST(FIELD) \
	FIELD(VERDICT, "verdict", "Verdict", "verdict") \
	FIELD(A, "a", "A", "a") \
	FIELD(B, "b", "B", "b") \
	FIELD(CHANGE, "change", "Change", "change") \
	FIELD(PERCENT, "change_percent", "%", "change_percent") \
	FIELD(INTERVAL, "interval", "+-", "interval_low interval_high") \
	FIELD(CALLS_A, "calls_a", "Calls A", "calls_a") \
	FIELD(CALLS_B, "calls_b", "Calls B", "calls_b") \
	FIELD(ELAPSED_INCLUSIVE, "elapsed_inclusive", "El.incl", DIFF_FIELD_SIDES("elapsed_inclusive")) \
	FIELD(ELAPSED_EXCLUSIVE, "elapsed_exclusive", "El.excl", DIFF_FIELD_SIDES("elapsed_exclusive")) \
	FIELD(APPLICATION_INCLUSIVE, "application_inclusive", "App.incl", DIFF_FIELD_SIDES("application_inclusive")) \
	FIELD(APPLICATION_EXCLUSIVE, "application_exclusive", "App.excl", DIFF_FIELD_SIDES("application_exclusive")) \
	FIELD(NAME, "name", NULL, "name callee path file line") \
	FIELD(MODULE, "module", "Module", "module") \
	FIELD(IMBALANCE_A, "imbalance_a", "Imbal. A", "imbalance_percent_a most_who_a") \
	FIELD(IMBALANCE_B, "imbalance_b", "Imbal. B", "imbalance_percent_b most_who_b")
/* clang-format on */
#define DIFF_FIELD_SIDES(name) name "_a_ns " name "_b_ns"
#define DIFF_FIELD_ID(id, ...) DIFF_FIELD_##id,
enum diff_field { DIFF_FIELD_LIST(DIFF_FIELD_ID) DIFF_FIELDS };
#undef DIFF_FIELD_ID
#define DIFF_FIELD_OTHERS DIFF_FIELD_ELAPSED_INCLUSIVE /* the four times, as in enum diff_value */
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
 * by field; NULL: the grid has a column for each field. */
void diff_grid_choose(struct grid *grid, const struct field_choice *choice, const struct diff_cells *cells,
		      unsigned terminal);

/* Restricts rows of csv and json to the chosen items. `keys`: by field, names separated by spaces;
 * NULL: the field has none. */
void diff_sheet_choose(struct items *items, const struct field_choice *choice,
		       const char *const keys[DIFF_FIELDS]);

#endif
