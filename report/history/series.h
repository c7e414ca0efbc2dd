/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * series.h - what functions took, run by run, and where that has changed.
 */
#ifndef REPORT_HISTORY_SERIES_H
#define REPORT_HISTORY_SERIES_H

#include "change.h"
#include "store.h"

#define SERIES_ALL "[all functions]"

/* Of a function; runs that have none of it are left out. */
struct series {
	const char *name, *module; /* "": none */
	double *values;
	uint32_t *runs; /* numbers of history.runs, ascending */
	size_t n, size;
	double median;
	struct change *changes; /* those that are large enough */
	size_t n_changes;
	int is_tested; /* else it is too short, or too small to matter */
};

struct series_choice {
	enum history_measure measure;
	const char *function; /* NULL: all of them */
	double level;	      /* false alarms among all series together */
	double least_percent; /* by which a change is one */
};

struct series_set {
	struct series *list;
	size_t n, size, n_tested;
	struct map numbers; /* by name and module */
	struct map strings;
	int status;
};

/* Reads them of runs `first` and later. */
void series_read(struct series_set *set, const struct history *history, size_t first,
		 const struct series_choice *choice);
void series_test(struct series_set *set, const struct series_choice *choice);
void series_release(struct series_set *set);

#endif
