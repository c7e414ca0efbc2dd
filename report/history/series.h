/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * series.h - what functions took, run by run, and where that has changed.
 */
#ifndef REPORT_HISTORY_SERIES_H
#define REPORT_HISTORY_SERIES_H

#include "change.h"
#include "run_builds.h"
#include "store.h"

#define SERIES_ALL "[all functions]"

/*
 * How the values of a function are compared. Executed instructions are the same whenever the
 * program does the same, and need no statistics: a function is EXACT if it had as many in all runs
 * of each build, and if there were two of some build. Then every difference is one of the program.
 */
enum series_kind {
	SERIES_STATISTICS, /* times, calls, samples */
	SERIES_EXACT,
	SERIES_VARIES, /* it differs by itself between runs of one build: statistics */
	SERIES_SINGLE, /* no build had it in two runs: whether it varies is not known: statistics */
	SERIES_KINDS
};

/* Of a function; runs that have none of it are left out, except of executed instructions, where it
 * has 0 of them. */
struct series {
	const char *name, *module; /* "": none */
	double *values;
	uint32_t *runs; /* numbers of history.runs, ascending */
	size_t n, size;
	double median, most;
	struct change *changes; /* those that are large enough */
	size_t n_changes;
	int is_tested; /* else it is too short, or too small to matter */
	enum series_kind kind;
	int is_estimate; /* of executed instructions: some run's number is one */
	uint32_t seen;	 /* while runs are read: the last one that has it + 1 */
};

struct series_choice {
	enum history_measure measure;
	const char *function; /* NULL: all of them */
	double level;	      /* false alarms among all series together */
	double least_percent; /* by which a change is one */
	/* of executed instructions; else NULL */
	struct run_builds *builds;
};

struct series_set {
	struct series *list;
	size_t n, size, n_tested;
	size_t n_of_kind[SERIES_KINDS]; /* of these */
	struct map numbers;		/* by name and module */
	struct map strings;
	int status;
};

/* Reads them of runs `first` and later. */
void series_read(struct series_set *set, const struct history *history, size_t first,
		 const struct series_choice *choice);
void series_test(struct series_set *set, const struct series_choice *choice);
void series_release(struct series_set *set);

#endif
