/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * name_cut.h - names of functions, shortened in the middle, so that a text for people has few
 * lines, and names in a column differ where their functions do.
 */
#ifndef REPORT_NAME_CUT_H
#define REPORT_NAME_CUT_H

#include "lib/util.h"

/* Appends `text` in at most `width` columns: its begin and its end. Returns the columns used. */
size_t name_cut(struct strbuf *line, const char *text, size_t width);
/* The same for a text that looks like another one when it is cut: shows where they differ, too. */
void name_cut_apart(struct strbuf *line, const char *text, const char *other, size_t width);
/*
 * Returns a new string: `text`, with the names in it so short that it has at most `most` lines of
 * `width` columns, if names of 20 columns suffice for that. The first line has `used` columns
 * already, the others an indent. Width 0: any, nothing is cut.
 */
char *names_cut_to_lines(const char *text, size_t most, size_t used, size_t indent, size_t width);

#endif
