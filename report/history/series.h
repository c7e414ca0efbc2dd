/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * series.h - values of functions by run, and where they have changed.
 */
#ifndef REPORT_HISTORY_SERIES_H
#define REPORT_HISTORY_SERIES_H

#include "change.h"
#include "run_builds.h"
#include "store.h"

#define SERIES_ALL "[all functions]"
#define SERIES_SHIFT "[what most functions share]" /* shift.h */

/* How the values of a function are compared. Executed instructions are the same whenever the
 * program does the same, and need no statistics: a function is EXACT if its number was constant
 * within each build, and some build had two runs. Every difference is then one of the program. */
enum series_kind {
	SERIES_STATISTICS, /* times, calls, samples: by statistics */
	SERIES_EXACT,
	SERIES_VARIES, /* varies between runs of one build: by statistics */
	SERIES_SINGLE, /* no build has two runs, so that it may vary: by statistics */
	SERIES_KINDS
};

/* Values of a function. Runs without the function are left out, except for executed instructions,
 * where it has 0. */
struct series {
	const char *name, *module; /* "": none */
	double *values;
	uint32_t *runs; /* indices of history.runs, ascending */
	size_t n, size;
	double median, most;
	struct change *changes; /* those that are large enough */
	size_t n_changes;
	int is_tested; /* 0: too short, or too small to matter */
	enum series_kind kind;
	int is_shift;	 /* SERIES_SHIFT: more of it is no fault of the program */
	int is_estimate; /* executed instructions: some run's number is an estimate */
	uint32_t seen;	 /* while runs are read: the last run that has the function + 1 */
};

struct series_choice {
	enum history_measure measure;
	const char *function; /* NULL: all functions */
	double level;	      /* probability of any false alarm in all series together */
	double least_percent; /* least size of a change */
	/* For executed instructions; else NULL. */
	struct run_builds *builds;
};

struct series_set {
	struct series *list;
	size_t n, size, n_tested;
	size_t n_of_kind[SERIES_KINDS]; /* number of tested series of each kind */
	struct map numbers;		/* by name and module */
	struct map strings;
	int status;
};

/* Reads the values of runs `first` and later. */
void series_read(struct series_set *set, const struct history *history, size_t first,
		 const struct series_choice *choice);
/* Adds a series of this name, which must not be in the set yet, and returns it. */
struct series *series_add(struct series_set *set, const char *name);
/* Adds the value of a run, which must be later than those that the series has. */
void series_put(struct series *series, uint32_t run, double value);
/* Finds the changes of each series. If the set has the times of all functions, a change that most
 * of them share is no change of a single function (shift.h). */
void series_test(struct series_set *set, const struct series_choice *choice);
void series_release(struct series_set *set);

#endif
