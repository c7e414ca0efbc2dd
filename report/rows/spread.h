/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spread.h - how evenly the processes of a session share a row: of each row's exclusive time on a
 * processor the least and the most and whose that is, the mean, the standard deviation. A process
 * that does not have the row counts as 0 in the mean and the deviation; least is of those who have
 * it.
 *
 * Of what was merged (cinstr merge) this is known of call paths: of rows that are one path, or one
 * in each of several builds.
 */
#ifndef REPORT_ROWS_SPREAD_H
#define REPORT_ROWS_SPREAD_H

#include <stddef.h>
#include <stdint.h>

struct profile;
struct row;
struct addition;
struct data;

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
	uint32_t n;
	long double squares, least, most;
	uint32_t who_least, who_most; /* numbers of processes */
	uint64_t builds;	      /* of what was merged: whose path is in it, a bit each */
	int is_unknown;
};

struct spreads {
	int is_wanted;		  /* set before anything is added */
	struct spread_sums *list; /* by row */
	size_t size;
	const char **who; /* by process; profile->strings */
	size_t n, size_who;
	int has_merged;	 /* the processes of the data at hand are numbered: */
	uint32_t merged; /* ... from this one on */
};

/* A process has been added to the rows. */
void spreads_process_end(struct profile *profile, const struct data *data);
/* A thread of what was merged is being added. */
void spreads_add_merged(const struct addition *a);
/* 0, or -1: nothing is known. */
int spread_of_row(const struct profile *profile, const struct row *row, struct spread *spread);
void spreads_release(struct spreads *spreads);

#endif
