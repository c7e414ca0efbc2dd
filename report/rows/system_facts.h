/* SPDX-License-Identifier: GPL-3.0-or-later */
/* system_facts.h - facts for findings on the operating system that no row has, as they are about
 * single threads or processes: system calls that take much of a thread's time, the number of page
 * faults, functions before main and at exit. Part of a profile; collected if wanted. */
#ifndef REPORT_ROWS_SYSTEM_FACTS_H
#define REPORT_ROWS_SYSTEM_FACTS_H

#include "file/data.h"
#include "names/names.h"

/* System calls of one kind, made by one function, that take much of a thread's time. */
struct thread_calls {
	uint32_t pid, tid;
	const char *thread;		    /* its name */
	uint32_t caller, callee;	    /* entities */
	uint64_t calls;			    /* calls of the callee by the caller */
	uint64_t caller_calls;		    /* calls of the caller in this thread */
	long double taken, elapsed, on_cpu; /* ns; taken: by these calls; others: of the thread */
	int is_alone;			    /* the process has no other thread */
};

/* A thread's calls that tell with whom it exchanges data. */
struct thread_peers {
	uint32_t pid, tid;
	uint64_t accepts, connects;
	uint64_t pairs;	 /* pipes and pairs of sockets that it made */
	uint64_t writes; /* pieces of data that it wrote to a descriptor */
};

/* Time before main, or after it, without waits for a processor; and the function with most of
 * it. */
struct outside_main {
	long double ns, most;
	uint32_t entity; /* NAMES_NONE: none */
};

struct system_facts {
	int is_wanted;
	struct thread_calls *list;
	size_t n, size;
	struct thread_peers *peers; /* of each thread, in order of processes */
	size_t n_peers, size_peers;
	uint64_t minor_faults; /* without those that the recording may have caused */
	struct outside_main before, after;
	long double main_threads; /* time of the main threads, without waits for a processor, ns */
	/* number in each machine; 0: not known, or not the same for all */
	uint64_t processors;
	int has_processors;
};

/* Adds a process. A sampled process only adds its number of processors. */
void system_facts_add(struct system_facts *facts, struct names *names, const struct data *data);
void system_facts_release(struct system_facts *facts);

#endif
