/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spread.h - how evenly the processes of a session share a row: for each row's exclusive time on a
 * processor (or another value) the least and the most with their processes, the mean, and the
 * standard deviation. A process without the row counts as 0 in the mean and the deviation; the
 * least is of those that have it.
 *
 * For merged files (cinstr merge) this is known of call paths: for rows that are one path, or one
 * in each of several builds. For a row of several paths there is an upper bound of the deviation:
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

/* The value of a row to compare. */
enum spread_value {
	SPREAD_CPU, /* exclusive time on a processor */
	SPREAD_CALLS,
	SPREAD_ELAPSED_INCLUSIVE,
	SPREAD_ELAPSED_EXCLUSIVE,
	SPREAD_APPLICATION_INCLUSIVE,
	SPREAD_APPLICATION_EXCLUSIVE,
};

struct spread {
	uint32_t n;			  /* processes that have the row; 0: not known */
	uint32_t of;			  /* processes */
	long double mean, least, most;	  /* ns, or calls */
	long double squares;		  /* their sum */
	const char *who_least, *who_most; /* "rank 3", "pid 812" */
};

/* Sums of one row while processes are added. */
struct spread_sums {
	long double before;	      /* value of the row without the current process */
	long double inclusive_before; /* Elapsed time */
	long double squares, least, most;
	long double bound; /* merged files: the sum of the paths' deviations */
	uint64_t calls_before;
	/* merged files: a bit for each build whose path is in the row */
	uint64_t builds;
	uint32_t n;
	uint32_t who_least, who_most; /* indices of processes */
	uint8_t is_unknown, has_no_bound;
};

/* Sums of the session's totals, like those of a row. */
struct spread_totals {
	long double elapsed, application; /* so far */
	long double elapsed_squares, application_squares;
};

/* A process and its name: "rank 3", "pid 812". */
struct spread_process {
	const char *who, *host;	  /* in profile->strings; host NULL: not known */
	uint32_t rank_after, pid; /* rank_after: rank + 1; 0: not a rank */
};

/* The part of a row that is from one process of an unmerged file. */
struct spread_part {
	uint32_t row, process;
	long double value;
};

struct spreads {
	int is_wanted; /* set before data are added; so is: */
	enum spread_value of;
	struct spread_sums *list; /* by row */
	size_t size;
	struct spread_process *processes;
	size_t n, size_processes;
	int keeps_parts; /* set before data are added; in order of processes: */
	struct spread_part *parts;
	size_t n_parts, size_parts;
	int has_merged;	 /* `merged` is set for the current file */
	uint32_t merged; /* index of the current file's first process in `processes` */
	size_t n_merged; /* merged files */
	size_t n_alone;	 /* files of a single process */
	struct spread_totals totals;
};

/* Takes the process that has just been added to the rows into account. */
void spreads_process_end(struct profile *profile, const struct data *data);
/* Adds a thread of a merged file. */
void spreads_add_merged(const struct addition *a);
/* BY_PATH, a row at a time: numbers the merged processes; empties a row; adds a node to it. */
void spreads_merged_begin(const struct addition *a);
void spreads_row_begin(struct spreads *spreads, uint32_t row);
void spreads_add_node(const struct addition *a, size_t node, uint32_t row);
/* Finds the spread of a row. Returns 0, or -1 if it is not known. */
int spread_of_row(const struct profile *profile, const struct row *row, struct spread *spread);
/* Return the standard deviation; most / mean - 1; and (most - mean) * processes. */
long double spread_deviation(const struct spread *spread);
long double spread_imbalance(const struct spread *spread);
long double spread_cost(const struct spread *spread);
/* Returns an upper bound of the deviation, ns, for where spread_of_row() fails; < 0: there is
 * none. */
long double spread_bound_of_row(const struct profile *profile, const struct row *row);
/* Returns the variance of the processes' totals of elapsed or application time, ns^2. */
long double spread_variance_of_total(const struct profile *profile, int is_application);
void spreads_release(struct spreads *spreads);

#endif
