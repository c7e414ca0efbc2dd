/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * comparison.h - what `cinstr diff` says of the runs of two programs: of calls, of executed
 * instructions, of time. One of them decides. All statistics are diff's.
 */
#ifndef REPORT_COMPARE_COMPARISON_H
#define REPORT_COMPARE_COMPARISON_H

#include <stdio.h>

#include "json/json.h"
#include "lib/util.h"

enum measured { BY_CALLS, BY_INSTRUCTIONS, BY_TIME, N_MEASURED };

/* Two sets of runs, as diff has them. */
struct comparison {
	char **sessions[2]; /* [n_runs] of each side */
	size_t n_runs;
	const char *fail_over; /* NULL: no gate */
	/* enum measured; N_MEASURED: instructions if they are known, else time */
	int decides;
	struct json_object *results[N_MEASURED]; /* NULL: not known */
	int status;				 /* of the diff that decides */
};

/* Has them compared; diff says on stderr what was wrong. 0, or -1: nothing can be decided. */
int comparison_make(struct comparison *comparison);
void comparison_release(struct comparison *comparison);

/* Names of the two programs, and the order of their runs. */
struct compared_programs {
	char *names[2];	   /* command lines */
	const char *order; /* "ABBA" */
	uint64_t seed;
};

enum compare_format { COMPARE_TEXT, COMPARE_MARKDOWN, COMPARE_GITHUB, COMPARE_JSON };
/* Writes it (comparison_writers.c). */
void comparison_write(FILE *out, enum compare_format format, const struct comparison *comparison,
		      const struct compared_programs *programs);

#endif
