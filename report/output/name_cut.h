/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * name_cut.h - shortens functions' names in the middle, so that texts for people take few lines and
 * different functions stay distinguishable in a column.
 */
#ifndef REPORT_NAME_CUT_H
#define REPORT_NAME_CUT_H

#include "lib/util.h"

/* Appends at most `width` columns of `text`, beginning and end with ".." between them. Returns the
 * columns used. */
size_t name_cut(struct strbuf *line, const char *text, size_t width);
/* Like name_cut(), for a text that would equal `other` when cut: also shows where they differ. */
void name_cut_apart(struct strbuf *line, const char *text, const char *other, size_t width);
/* Returns a new string: `text` with its names shortened so that it takes at most `most` lines of
 * `width` columns, if names of 20 columns suffice for that. `used` columns of the first line are
 * taken already; the others have an indent. width 0: unlimited, nothing is cut. */
char *names_cut_to_lines(const char *text, size_t most, size_t used, size_t indent, size_t width);

#endif
