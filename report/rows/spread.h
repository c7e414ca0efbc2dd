/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spread.h - how evenly the processes of a session share a row: of each row's exclusive time on a
 * processor (or another value) the least and the most and whose that is, the mean, the standard
 * deviation. A process that does not have the row counts as 0 in the mean and the deviation; least
 * is of those who have it.
 *
 * Of what was merged (cinstr merge) this is known of call paths: of rows that are one path, or one
 * in each of several builds. Of a row of several paths there is an upper bound of the deviation:
 * that of a sum is at most the sum of theirs.
 */
#ifndef REPORT_ROWS_SPREAD_H
#define REPORT_ROWS_SPREAD_H

#include <stddef.h>
#include <stdint.h>

struct profile;
struct row;
struct addition;
struct data;

/* Which value of a row. */
enum spread_value {
	SPREAD_CPU, /* exclusive time on a processor */
	SPREAD_CALLS,
	SPREAD_ELAPSED_INCLUSIVE,
	SPREAD_ELAPSED_EXCLUSIVE,
	SPREAD_APPLICATION_INCLUSIVE,
	SPREAD_APPLICATION_EXCLUSIVE,
};

struct spread {
	uint32_t n; /* processes that have it; 0: not known */
	/* ns; imbalance: most / mean - 1 */
	long double mean, deviation, least, most, imbalance, cost;
	const char *who_least, *who_most; /* "rank 3", "pid 812" */
};

/* Of one row, while processes are added. */
struct spread_sums {
	long double before; /* the row's, without the process at hand */
	uint64_t calls_before;
	long double inclusive_before; /* Elapsed time */
	uint32_t n;
	long double squares, least, most;
	uint32_t who_least, who_most; /* numbers of processes */
	uint64_t builds;	      /* of what was merged: whose path is in it, a bit each */
	int is_unknown;
	long double bound; /* of what was merged: the sum of the paths' deviations */
	int has_no_bound;
};

/* Of the sessions' totals, as of a row. */
struct spread_totals {
	long double elapsed, application; /* so far */
	long double elapsed_squares, application_squares;
};

/* A process: "rank 3", "pid 812". */
struct spread_process {
	const char *who, *host;	  /* profile->strings; host NULL: not known */
	uint32_t rank_after, pid; /* rank_after: its rank + 1; 0: it is none */
};

/* What a process that was not merged has of a row. */
struct spread_part {
	uint32_t row, process;
	long double value;
};

struct spreads {
	int is_wanted; /* set before anything is added; so is: */
	enum spread_value of;
	struct spread_sums *list; /* by row */
	size_t size;
	struct spread_process *processes;
	size_t n, size_processes;
	int keeps_parts; /* set before anything is added; in order of processes: */
	struct spread_part *parts;
	size_t n_parts, size_parts;
	int has_merged;	 /* the processes of the data at hand are numbered: */
	uint32_t merged; /* ... from this one on */
	size_t n_merged; /* files that were merged */
	size_t n_alone;	 /* files of a process each */
	struct spread_totals totals;
};

/* A process has been added to the rows. */
void spreads_process_end(struct profile *profile, const struct data *data);
/* A thread of what was merged is being added. */
void spreads_add_merged(const struct addition *a);
/* 0, or -1: nothing is known. */
int spread_of_row(const struct profile *profile, const struct row *row, struct spread *spread);
/* Where spread_of_row knows nothing: an upper bound of the deviation, ns; < 0: there is none. */
long double spread_bound_of_row(const struct profile *profile, const struct row *row);
/* The variance of the processes' totals, ns^2: of elapsed, or of application time. */
long double spread_variance_of_total(const struct profile *profile, int is_application);
void spreads_release(struct spreads *spreads);

#endif
