/* SPDX-License-Identifier: GPL-3.0-or-later */
/* thread_facts.h - facts about each thread for rules on threads: the functions that it began with,
 * and the use of its time. Part of a profile by callers, in order of threads. */
#ifndef REPORT_ROWS_THREAD_FACTS_H
#define REPORT_ROWS_THREAD_FACTS_H

#include <stddef.h>
#include <stdint.h>

struct addition;

#define THREAD_CHAIN 8

struct thread_fact {
	uint32_t pid, tid;
	/* the function it began with, then from callee to callee the one with most of its time */
	uint32_t chain[THREAD_CHAIN];
	uint32_t n_chain;
	/* chain by time on a processor */
	uint32_t work[THREAD_CHAIN];
	uint32_t n_work;
	long double begin, end;	      /* ns since the session's begin */
	long double elapsed, off_cpu; /* ns, or samples */
	/* part of off_cpu in which it waited for others to do something */
	long double for_others;
	long double in_once;   /* part of off_cpu in pthread_once */
	uint64_t waits;	       /* times that it gave up its processor */
	long double preempted; /* part of off_cpu in which others had the processor */
};

struct thread_facts {
	struct thread_fact *list;
	size_t n;
};

void thread_facts_add(const struct addition *a);
void thread_facts_release(struct thread_facts *facts);

#endif
