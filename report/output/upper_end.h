/* SPDX-License-Identifier: GPL-3.0-or-later */
/* upper_end.h - what a value may be at most, where its uncertainty is as large as itself: tables
 * for people show `<= x` there (semantics R9); and `>= n` where only a part of the calls is
 * known. */
#ifndef REPORT_OUTPUT_UPPER_END_H
#define REPORT_OUTPUT_UPPER_END_H

#include "columns.h"

#define UPPER_END_MARK "<= "
#define LOWER_END_MARK ">= "

/*
 * In the unit of the column's value: one of the four values, its percentage, or its average. < 0:
 * more is known of it than that. least: the ns of uncertainty from which on that counts for
 * Application times, which can be nearly 0 of what waits.
 */
long double upper_end_of(const struct profile *profile, const struct row *row, enum column column,
			 long double least);
/* Not below x: as many decimals as a table shows. */
long double upper_end_shown(long double x, int decimals);
/* Is the value only known to be at least what it is? */
int lower_end_is_all(const struct row *row, enum column column);
/* For a foot or notes: what the marks mean. */
extern const char upper_end_legend[], lower_end_legend[];

#endif
