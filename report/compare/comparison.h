/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * comparison.h - the results of `cinstr diff` for the runs of two programs: by calls, by executed
 * instructions, by time. One of them decides. All statistics are diff's.
 */
#ifndef REPORT_COMPARE_COMPARISON_H
#define REPORT_COMPARE_COMPARISON_H

#include <stdio.h>

#include "json/json.h"
#include "lib/util.h"

enum measured { BY_CALLS, BY_INSTRUCTIONS, BY_TIME, N_MEASURED };

/* Two sets of runs, as for diff. */
struct comparison {
	char **sessions[2]; /* [n_runs] of each side */
	size_t n_runs;
	size_t n_first;	       /* of these: before it seemed that B is slower */
	const char *fail_over; /* NULL: no gate */
	/* enum measured; N_MEASURED: instructions if they are known, else time. */
	int decides;
	struct json_object *results[N_MEASURED]; /* NULL: not known */
	int status;				 /* exit status of the deciding diff */
};

/* By time, if it decides, B seems to fail: more runs are to tell. Sets what decides. */
int comparison_suspects(struct comparison *comparison);
/* By time a gate is wrong in this many of 100 comparisons of equal programs at most. */
#define COMPARISON_ALPHA "0.01"
/* Runs diff, which reports problems on stderr. Returns 0, or -1 if nothing can be decided. */
int comparison_make(struct comparison *comparison);
void comparison_release(struct comparison *comparison);

/* Returns a number by name from diff's output; NAN: there is none. */
double comparison_number(struct json_object *object, const char *name);
/* Returns the value of a row or of the session, of side 'a' or 'b'; NAN: there is none. */
double comparison_value(struct json_object *object, char side);

/* Totals of both programs, or of the functions of one name. */
struct compared_totals {
	double of[2]; /* calls, instructions, or ns of the mean run */
	int is_worse; /* B's is certainly larger */
};
/* Adds up the deciding values. function NULL: all. Returns 0, or -1 if they are not known. */
int comparison_totals(const struct comparison *comparison, const char *function,
		      struct compared_totals *totals);

/* Returns, as a diff of instructions would, the comparison of the sides B of two such results, to
 * be put by the caller. The programs need not exist any more. NULL: one of the results is not
 * known. */
struct json_object *comparison_join(struct json_object *before, struct json_object *after);

/* Names of the two programs, and the order of their runs. */
struct compared_programs {
	char *names[2];	   /* command lines */
	const char *order; /* "ABBA"; NULL: not alternating */
	uint64_t seed;
};

enum compare_format { COMPARE_TEXT, COMPARE_MARKDOWN, COMPARE_GITHUB, COMPARE_JSON };
/* Writes the comparison (comparison_writers.c). */
void comparison_write(FILE *out, enum compare_format format, const struct comparison *comparison,
		      const struct compared_programs *programs);

#endif
