/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shares.h - what the processes of a job have of something, how evenly, and who has least and most:
 * the table, and what scripts get.
 */
#ifndef REPORT_RANKS_SHARES_H
#define REPORT_RANKS_SHARES_H

#include "file/merged.h"
#include "output/format.h"

/* A call path: times in ns, over all processes; who does not have it counts as 0. Several builds of
 * a program have a path each, which no process shares with another build: these are one. Or a
 * function: executed instructions. */
struct share {
	const char *name, *caller; /* caller "": not known */
	double sum, squares;
	uint64_t calls;
	double mean, deviation, cost, imbalance;
	double least, most;
	const struct merged_contributor *who_least, *who_most;
	uint32_t n; /* processes that have it */
	int is_estimate;
};

struct shares {
	struct share *list;
	size_t n;
	uint32_t n_processes;
	int are_instructions; /* of functions; else times of call paths */
};

/* What follows from the sums over n processes. */
void share_complete(struct share *share, double n);
/* Sorts them, and prints the first `limit` (0: all), of which there is one at least. */
void shares_print_table(struct shares *shares, uint64_t limit);
void shares_print_items(struct shares *shares, uint64_t limit, const struct sheet_format *format);

#endif
