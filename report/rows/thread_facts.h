/* SPDX-License-Identifier: GPL-3.0-or-later */
/* thread_facts.h - what rules on threads need to know of each: with which functions it began, and
 * what it did with its time. Of a profile by callers, in the order of threads. */
#ifndef REPORT_ROWS_THREAD_FACTS_H
#define REPORT_ROWS_THREAD_FACTS_H

#include <stddef.h>
#include <stdint.h>

struct addition;

#define THREAD_CHAIN 8

struct thread_fact {
	uint32_t pid, tid;
	/* the function it began with, and from callee to callee those with most of its time */
	uint32_t chain[THREAD_CHAIN];
	uint32_t n_chain;
	/* the same with most of its time on a processor */
	uint32_t work[THREAD_CHAIN];
	uint32_t n_work;
	long double begin, end;	      /* ns since the session's begin */
	long double elapsed, off_cpu; /* ns; samples, if that is what there is */
	long double for_others;	      /* of off_cpu: until others have done something */
	uint64_t waits;		      /* times that it gave its processor away */
	long double preempted;	      /* of off_cpu: others had the processor */
};

struct thread_facts {
	struct thread_fact *list;
	size_t n;
};

void thread_facts_add(const struct addition *a);
void thread_facts_release(struct thread_facts *facts);

#endif
