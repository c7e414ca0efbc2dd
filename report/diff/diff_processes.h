/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff_processes.h - compares two sessions of many processes each (ranks of a job) by the mean of a
 * process, and by how much processes differ, instead of by sums. */
#ifndef REPORT_DIFF_PROCESSES_H
#define REPORT_DIFF_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "diff.h"

/* Values of --per. */
enum diff_per { DIFF_PER_AUTO, DIFF_PER_SESSION, DIFF_PER_PROCESS };

/* How the processes of one side differ in a row. */
struct process_spread {
	int is_known;	  /* the deviation is known; otherwise a difference cannot be established */
	int is_bound;	  /* the deviation is an upper bound */
	double deviation; /* standard deviation of the processes' values (n - 1) */
	/* the process that has most; n 0: not known */
	uint32_t n;		/* processes that have the row */
	double most, imbalance; /* imbalance: most / mean - 1 */
	const char *who;
};

struct diff_processes {
	uint32_t n[2];	  /* number of processes */
	int is_merged[2]; /* the session was made by cinstr merge */
	double total_deviation[2];
	struct process_spread (*rows)[2];
	size_t size;
};

/* Returns the enum spread_value of a column; -1: it is not known by process. */
int diff_processes_value(enum column column);
/* Takes what a run's profile knows of its processes; rows: of the diff. Each side is a single
 * run. */
void diff_processes_take(struct diff *diff, size_t run, const struct profile *profile, const uint32_t *rows);
/* Turns sums into means of a process. To be called before diff_compare(). */
void diff_processes_apply(struct diff *diff);
void diff_processes_release(struct diff_processes *processes);

/* Return the difference of a row, and of the total, with its interval. */
struct difference diff_processes_row(const struct diff *diff, uint32_t row, double alpha);
struct difference diff_processes_total(const struct diff *diff, double alpha);

/* ---- shown ----------------------------------------------------------------------------------- */

/* Appends "12 % @3": the imbalance, and the process with most; nothing if that is not known. */
void diff_processes_put_most(struct strbuf *text, const struct diff *diff, uint32_t row, int side);
/* For scripts: the names of a row's additional items, at most DIFF_PROCESSES_KEYS; and their
 * values. */
#define DIFF_PROCESSES_KEYS 12
size_t diff_processes_columns(const char **names);
void diff_processes_put(struct items *items, const struct diff *diff, uint32_t row);
/* Prints the basis of the verdicts, for the foot. */
void diff_processes_foot(FILE *out, const struct diff_view *view, int label);

#endif
