/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shares.h - how values are distributed among the processes of a job, and which have least and
 * most: the table, and the output for scripts.
 */
#ifndef REPORT_RANKS_SHARES_H
#define REPORT_RANKS_SHARES_H

#include "file/merged.h"
#include "output/format.h"

/* A call path, with times in ns over all processes; a process without it counts as 0. Several
 * builds of a program have a path each, and no process has two of them: they are one share. Or a
 * function, with executed instructions. */
struct share {
	const char *name, *caller; /* caller "": not known */
	double sum, squares;
	uint64_t calls;
	double mean, deviation, cost, imbalance;
	double least, most;
	const struct merged_contributor *who_least, *who_most;
	uint32_t n; /* number of processes that have it */
	int is_estimate;
};

struct shares {
	struct share *list;
	size_t n;
	uint32_t n_processes;
	int has_jobs;	      /* several: a rank's number alone does not tell who it is */
	int are_instructions; /* of functions; 0: times of call paths */
};

/* Computes the other members from the sums over n processes. */
void share_complete(struct share *share, double n);
/* Sorts the shares and prints the first `limit` (0: all). There must be at least one. */
void shares_print_table(struct shares *shares, uint64_t limit);
/* Like shares_print_table(), in a format for scripts. */
void shares_print_items(struct shares *shares, uint64_t limit, const struct items_format *format);

#endif
