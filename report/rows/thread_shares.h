/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * thread_shares.h - of each row of a profile by function or by callers: what the one thread with
 * the most of it has. What could be saved by doing without it is that, and not the sum over all
 * threads, as these run side by side.
 */
#ifndef REPORT_ROWS_THREAD_SHARES_H
#define REPORT_ROWS_THREAD_SHARES_H

#include <stddef.h>
#include <stdint.h>

struct addition;

/* What of a row's sums is told by thread, ns or samples, inclusive. */
enum share_of { SHARE_ELAPSED, SHARE_OFF_CPU, SHARE_APPLICATION, SHARE_CPU, SHARE_KINDS };

struct thread_share {
	long double before[SHARE_KINDS]; /* the row's sums when the last thread had been added */
	long double most[SHARE_KINDS];	 /* of a thread of the process at hand */
	long double ended[SHARE_KINDS];	 /* sums over the processes before it of their `most` */
	uint32_t process;		 /* that `most` is of */
	uint32_t threads;		 /* that have some, in all processes */
};

struct thread_shares {
	int is_wanted;
	struct thread_share *list; /* by row */
	size_t size;
	uint32_t process;
};

/* A thread was added to the rows of its nodes. */
void thread_shares_add(const struct addition *a);
/* Sum over the processes of what the thread with the most of it has there. */
long double thread_shares_most(const struct thread_shares *shares, uint32_t row, enum share_of of);
uint32_t thread_shares_threads(const struct thread_shares *shares, uint32_t row);
void thread_shares_release(struct thread_shares *shares);

#endif
