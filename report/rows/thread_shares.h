/* SPDX-License-Identifier: GPL-3.0-or-later */
/* thread_shares.h - for each row of a profile by function or by callers, the amount in the thread
 * that has most of it. This is what can be saved by avoiding it, not the sum over all threads, as
 * these run at the same time. */
#ifndef REPORT_ROWS_THREAD_SHARES_H
#define REPORT_ROWS_THREAD_SHARES_H

#include <stddef.h>
#include <stdint.h>

struct addition;

/* Sums of a row that are kept by thread, ns or samples, inclusive. */
enum share_of { SHARE_ELAPSED, SHARE_OFF_CPU, SHARE_APPLICATION, SHARE_CPU, SHARE_KINDS };

struct thread_share {
	/* the row's sums when the previous thread had been added */
	long double before[SHARE_KINDS];
	long double most[SHARE_KINDS];	/* maximum of a thread of the current process */
	long double ended[SHARE_KINDS]; /* sums of `most` over the processes before */
	uint32_t process;		/* the process of `most` */
	uint32_t threads;		/* threads with any of it, in all processes */
};

struct thread_shares {
	int is_wanted;
	struct thread_share *list; /* by row */
	size_t size;
	uint32_t process;
};

/* Updates the shares when a thread has been added to the rows of its nodes. */
void thread_shares_add(const struct addition *a);
/* Returns the sum over processes of the amount in the thread that has most of it. */
long double thread_shares_most(const struct thread_shares *shares, uint32_t row, enum share_of of);
uint32_t thread_shares_threads(const struct thread_shares *shares, uint32_t row);
void thread_shares_release(struct thread_shares *shares);

#endif
