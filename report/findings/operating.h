/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operating.h - what the findings on the operating system reckon with: calls that enter the kernel,
 * by the place that makes them, and time on a processor. (Of single threads and processes:
 * rows/system_facts.h.)
 */
#ifndef REPORT_FINDINGS_OPERATING_H
#define REPORT_FINDINGS_OPERATING_H

#include "call_graph.h"
#include "system_calls.h"

/* A place that calls a function which enters the kernel, always or at times. */
struct kernel_site {
	const struct row *edge;
	uint32_t caller;
	enum call_kind kind;
	uint64_t calls, entered; /* entered: the kernel */
	uint64_t voluntary, involuntary;
	long double elapsed, on_cpu, off_cpu; /* ns */
	long double usual;		      /* half of the calls took no longer, ns */
};

struct operating {
	struct kernel_site *sites; /* most time first; of sampled sessions none */
	size_t n_sites;
	long double on_cpu; /* of all threads, ns */
	uint64_t polls;	    /* calls that wait for events, or take a connection */
	uint64_t reads, writes;
};

/* `graph`: of calls by call site; `known`: of its functions, enum known_function. */
void operating_make(struct operating *operating, const struct call_graph *graph, const uint8_t *known);
void operating_release(struct operating *operating);

/*
 * Do calls at this site come as others send: each after a wait for it, or as one of a server's,
 * which waits for events? Then how many there are is not in the program's hands.
 */
int kernel_site_is_answer(const struct operating *operating, const struct kernel_site *site);

#endif
