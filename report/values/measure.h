/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measure.h - the unit of a session's ticks: time, samples or executed instructions. Values, rows
 * and totals are sums in this unit; code that scales, prints or names them uses struct measure.
 * Other properties of the recording method (calls, Application time, confidence intervals) are not
 * part of it: see profile_is_sampled().
 */
#ifndef REPORT_VALUES_MEASURE_H
#define REPORT_VALUES_MEASURE_H

#include "file/data.h"
#include "lib/util.h"

struct measure {
	const char *what;     /* "time", "samples" */
	const char *is;	      /* its verb: "is", "are" */
	const char *that;     /* its pronoun: "that", "those" */
	const char *whole;    /* name of the 100 %: "Elapsed", "samples" */
	const char *happened; /* said of a function that has some: "called", "sampled" */
	const char *unit;     /* in csv and json; NULL: ns, which is part of the column names */
	int is_count;	      /* counts things: values are integers */
	/* Returns the number of units per tick of a cell. *known: 0 if the file does not contain
	 * it, and the result is a guess. */
	long double (*per_tick)(const struct data *data, int *known);
	/* Appends "1.20 ms of exclusive time", "3 exclusive samples". */
	void (*put)(struct strbuf *text, long double amount, const char *kind);
};

const struct measure *measure_of(enum cinstr_method method);

#endif
