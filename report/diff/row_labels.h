/* SPDX-License-Identifier: GPL-3.0-or-later */
/* row_labels.h - what rows of cinstr diff are called in csv and json, and how its foot is written,
 * whatever is compared. */
#ifndef REPORT_DIFF_ROW_LABELS_H
#define REPORT_DIFF_ROW_LABELS_H

#include <stdio.h>

#include "diff.h"
#include "lib/util.h"

/* "name,module,...,line,verdict"; by address also whether the row was matched by guess. */
void diff_texts_csv_head(FILE *out, const struct diff *diff);
void diff_texts_csv(FILE *out, const struct diff *diff, uint32_t row, const char *verdict,
		    struct strbuf *scratch);
/* The same as members of an object. */
void diff_texts_json(FILE *out, const struct diff *diff, uint32_t row, const char *verdict,
		     struct strbuf *scratch);
/* The sessions first ... end - 1, as a member of an object. */
void diff_sources_json(FILE *out, const struct diff_view *view, const char *key, size_t first, size_t end);

/* How wide names are in a table that is `over` too wide. */
size_t diff_name_width(size_t width, size_t over);
/* A line of the foot, where rows were matched by guess. */
void diff_put_guessed(FILE *out, const struct diff_view *view, int label);

/* What stands below the table, lines that end with \n, as wide as the terminal; broken ones go on
 * at `indent`. Writes into the text. */
void diff_foot_put(FILE *out, char *text, size_t indent);

#endif
