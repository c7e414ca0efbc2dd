/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * system_facts.h - what findings on the operating system need and no row has, as it is a matter of
 * single threads or processes: which system calls take much of a thread's time, how many page
 * faults there were, what ran before main and at the exit. Part of a profile; gathered if wanted.
 */
#ifndef REPORT_ROWS_SYSTEM_FACTS_H
#define REPORT_ROWS_SYSTEM_FACTS_H

#include "file/data.h"
#include "names/names.h"

/* System calls of one kind, made by one function, that take much of a thread's time. */
struct thread_calls {
	const char *thread;		    /* its name */
	uint32_t caller, callee;	    /* entities */
	uint64_t calls;			    /* of the callee by the caller */
	uint64_t caller_calls;		    /* of the caller in this thread */
	long double taken, elapsed, on_cpu; /* ns; taken: by these calls; else of the thread */
	int is_alone;			    /* the process has no other thread */
};

/* What ran before main, or behind it, without waits for a processor; and the function that took
 * most of it. */
struct outside_main {
	long double ns, most;
	uint32_t entity; /* NAMES_NONE: none */
};

struct system_facts {
	int is_wanted;
	struct thread_calls *list;
	size_t n, size;
	uint64_t minor_faults; /* less those that the recording may have caused */
	struct outside_main before, after;
	long double main_threads; /* time of the main threads, likewise, ns */
	uint64_t processors;	  /* of each machine; 0: not known, or not the same in all */
	int has_processors;
};

/* Adds a process's. Of one that was sampled there is none. */
void system_facts_add(struct system_facts *facts, struct names *names, const struct data *data);
void system_facts_release(struct system_facts *facts);

#endif
