/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * diff_processes.h - two sessions of many processes each (ranks of a job), compared by what a
 * process has in the mean, and by how much processes differ, instead of by sums.
 */
#ifndef REPORT_DIFF_PROCESSES_H
#define REPORT_DIFF_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "diff.h"

/* --per */
enum diff_per { DIFF_PER_AUTO, DIFF_PER_SESSION, DIFF_PER_PROCESS };

/* A row on one side. */
struct process_spread {
	int is_known;	  /* the deviation; else the difference is not known to be any */
	int is_bound;	  /* it is at most that */
	double deviation; /* of the processes' values, n - 1 */
	/* who has most; n 0: not known */
	uint32_t n;		/* processes that have it */
	double most, imbalance; /* most / mean - 1 */
	const char *who;
};

struct diff_processes {
	uint32_t n[2];	  /* processes */
	int is_merged[2]; /* the session is one of cinstr merge */
	double total_deviation[2];
	struct process_spread (*rows)[2];
	size_t size;
};

/* The value of rows that --column says; -1: it is not known of processes. */
int diff_processes_value(enum column column);
/* What a run's profile knows of processes; rows: of the diff. Both sides are single runs. */
void diff_processes_take(struct diff *diff, size_t run, const struct profile *profile, const uint32_t *rows);
/* From sums to means of a process: before diff_compare(). */
void diff_processes_apply(struct diff *diff);
void diff_processes_release(struct diff_processes *processes);

/* The interval of a row's difference. */
struct difference diff_processes_row(const struct diff *diff, uint32_t row, double alpha);
struct difference diff_processes_total(const struct diff *diff, double alpha);

/* ---- shown ----------------------------------------------------------------------------------- */

/* "12 % @3" of who has most; nothing where that is not known. */
void diff_processes_put_most(struct strbuf *text, const struct diff *diff, uint32_t row, int side);
/* For scripts: names of what each row has besides, at most DIFF_PROCESSES_KEYS; the values. */
#define DIFF_PROCESSES_KEYS 12
size_t diff_processes_columns(const char **names);
void diff_processes_put(struct sheet *sheet, const struct diff *diff, uint32_t row);
/* What the verdicts stand on, for the foot. */
void diff_processes_foot(FILE *out, const struct diff_view *view, int label);

#endif
