/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * own_values.h - the program's tags and counts as two tables, the same in all formats of tables:
 * the columns of cinstr report --by=tag --format=csv, and what was counted at each call path.
 */
#ifndef REPORT_EXPORT_OWN_VALUES_H
#define REPORT_EXPORT_OWN_VALUES_H

#include "export_tree.h"

enum own_table { OWN_TAGS, OWN_COUNTS, OWN_TABLES };

struct own_column {
	const char *name;
	int is_text, is_optional;
};
#define OWN_COLUMNS_MOST 11

struct own_schema {
	const char *name;
	const struct own_column *columns;
	size_t n;
};
extern const struct own_schema own_values_schemas[OWN_TABLES];

struct own_cell {
	const char *text; /* of a text; NULL: none */
	int64_t number;
	int is_known; /* of a number */
};

/* Adds a process's values to the tree's. The caller calls names_next_process() afterwards. */
void own_values_add(struct export_tree *tree, const struct data *data);
void own_values_sort(struct export_tree *tree);
size_t own_values_rows(const struct export_tree *tree, enum own_table table);
/* Sets the cells of a row, one for each column of the table. */
void own_values_row(const struct export_tree *tree, enum own_table table, size_t row, struct own_cell *cells);
void own_values_release(struct export_tree *tree);

#endif
