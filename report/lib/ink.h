/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ink.h - colours by meaning. `is_coloured` is the result of terminal_is_coloured(); if it is 0,
 * all functions return "", so that coloured and plain output are written alike:
 *
 *      fprintf(out, "%s%s%s\n", ink(coloured, INK_HOT), line, ink_end(coloured, INK_HOT));
 *
 * Only the eight colours of the terminal's own palette are used: they are readable on light and
 * dark ones.
 */
#ifndef REPORT_INK_H
#define REPORT_INK_H

enum ink {
	INK_PLAIN,
	INK_HEADING,
	INK_STRONG,  /* the row that a table is about */
	INK_HOT,     /* much of the time */
	INK_WARM,    /* worth a look */
	INK_DIM,     /* secondary: modules, sources */
	INK_BAR,     /* bars of a histogram */
	INK_WARNING, /* as in "warning:" */
	INK_ERROR,
	INK_KINDS
};

/* Return the sequences that begin and end an ink; "" without colours and for INK_PLAIN. */
const char *ink(int is_coloured, enum ink ink);
const char *ink_end(int is_coloured, enum ink ink);

/* Returns the ink of a share of the session's exclusive time or samples, in percent. */
#define INK_HOT_PERCENT 10
#define INK_WARM_PERCENT 2
enum ink ink_of_share(long double percent);

#endif
