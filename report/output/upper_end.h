/* SPDX-License-Identifier: GPL-3.0-or-later */
/* upper_end.h - upper ends of values whose uncertainty is as large as they are: tables for people
 * show `<= x` (semantics R9). Numbers of calls of which only some are known are shown as `>= n`. */
#ifndef REPORT_OUTPUT_UPPER_END_H
#define REPORT_OUTPUT_UPPER_END_H

#include "columns.h"

#define UPPER_END_MARK "<= "
#define LOWER_END_MARK ">= "

/* Returns the upper end in the unit of the column's value: of a time, its percentage, or its
 * average; < 0: the value is known better than that. least: uncertainty in ns from which on
 * Application times get one; they can be close to 0 in code that waits. */
long double upper_end_of(const struct profile *profile, const struct row *row, enum column column,
			 long double least);
/* Rounds x up to this number of decimals. */
long double upper_end_shown(long double x, int decimals);
/* Whether the value is only a lower bound. */
int lower_end_is_all(const struct row *row, enum column column);
/* Explain the marks, for a foot or notes. */
extern const char upper_end_legend[], lower_end_legend[];

#endif
