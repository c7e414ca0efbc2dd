/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measure.h - what the ticks of a session's cells measure: time, samples, or executed instructions.
 * Values, rows and totals are sums of so many of a unit, whatever it is; who scales them, writes
 * them or puts them into words asks here. What else a session has because of the way it was
 * recorded (calls, Application time, intervals of confidence) is not of the measure:
 * profile_is_sampled().
 */
#ifndef REPORT_VALUES_MEASURE_H
#define REPORT_VALUES_MEASURE_H

#include "file/data.h"
#include "lib/util.h"

struct measure {
	const char *what;     /* "time", "samples" */
	const char *is;	      /* "is", "are": the verb behind it */
	const char *that;     /* "that", "those" */
	const char *whole;    /* what 100 % is of: "Elapsed", "samples" */
	const char *happened; /* to a function that has some: "called", "sampled" */
	const char *unit;     /* in csv and json; NULL: ns, which names of columns tell */
	int is_count;	      /* of things, so many are equal: whole numbers */
	/* How many units one tick of a cell is. *known: 0 if the file does not tell and it is a
	 * guess. */
	long double (*per_tick)(const struct data *data, int *known);
	/* "1.20 ms of exclusive time", "3 exclusive samples". */
	void (*put)(struct strbuf *text, long double amount, const char *kind);
};

const struct measure *measure_of(enum cinstr_method method);

#endif
