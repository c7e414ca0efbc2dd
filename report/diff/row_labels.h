/* SPDX-License-Identifier: GPL-3.0-or-later */
/* row_labels.h - the labels of cinstr diff's rows for scripts, and its foot, for every kind of
 * comparison. */
#ifndef REPORT_DIFF_ROW_LABELS_H
#define REPORT_DIFF_ROW_LABELS_H

#include <stdio.h>

#include "diff.h"
#include "lib/util.h"
#include "output/grid.h"
#include "output/items.h"

#define DIFF_TEXTS_MAX 8

/* Writes "name", "module", ..., "line", "verdict" to `names`; by address also whether the row was
 * matched by guess. Returns their number, at most DIFF_TEXTS_MAX. */
size_t diff_texts_columns(const struct diff *diff, const char **names);
void diff_texts_put(struct items *items, const struct diff *diff, uint32_t row, const char *verdict,
		    struct strbuf *scratch);
/* Writes the list of the sessions first ... end - 1. */
void diff_sources_put(struct items *items, const struct diff_view *view, const char *key, size_t first,
		      size_t end);

/* Write what diff_note_source() noted of a side, for scripts; and its mark in a table. */
void diff_source_put(struct items *items, const struct diff_row *row, int side, const char *bound_key,
		     const char *source_key);
void diff_mark_put(struct strbuf *cell, const struct diff_row *row, int side, int has_estimates);

typedef void (*diff_row_writer)(struct items *items, const struct diff *diff, uint32_t row,
				struct strbuf *scratch);
/* Writes everything in a nested format. */
void diff_nested_put(struct items *items, const struct diff_view *view,
		     void (*session)(struct items *items, const struct diff_view *view), diff_row_writer row);

/* Returns the heading of the column of names. */
const char *diff_row_heading(const struct diff *diff);
/* Fits the columns to their contents and the terminal; `name`: the column of names. */
void diff_grid_fit(struct grid *grid, unsigned terminal, const int *order, size_t n_order, size_t name);
void diff_grid_print(const struct grid *grid, FILE *out);
/* Prints, for the foot, how many rows are shown, are not shown, and were matched by guess. */
void diff_put_rows(FILE *out, const struct diff_view *view, int label, const char *changes);

/* Prints the foot's last line without --verbose: what is not shown, and marks. */
void diff_put_rest(FILE *out, const struct diff_view *view, int has_upper_ends);

/* Prints the text below the table, each line of which ends with a newline, wrapped to the terminal;
 * wrapped lines go on at `indent`. Modifies the text. */
void diff_foot_put(FILE *out, char *text, size_t indent);
/* Prints the text that `print` writes likewise. */
void diff_put_foot(FILE *out, const struct diff_view *view,
		   void (*print)(FILE *foot, const struct diff_view *view), size_t indent);

#endif
