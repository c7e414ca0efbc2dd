/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sql_text.h - parts of SQL as text: strings, and tables of the program's own values
 * (own_values.h). */
#ifndef REPORT_EXPORT_SQL_TEXT_H
#define REPORT_EXPORT_SQL_TEXT_H

#include "own_values.h"

/* Appends the string as csv has it, in quotes. */
void sql_text_quote(struct strbuf *text, const char *string);
/* Writes the statement that creates the table. */
void sql_text_own_schema(struct sink *sink, enum own_table table);
/* Appends a row of the table: "('request',17,...)". */
void sql_text_own_row(struct strbuf *text, const struct export_tree *tree, enum own_table table, size_t row);

#endif
