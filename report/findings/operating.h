/* SPDX-License-Identifier: GPL-3.0-or-later */
/* operating.h - amounts for the findings on the operating system: calls that enter the kernel, by
 * the place that makes them, and time on a processor. (Of single threads and processes:
 * rows/system_facts.h.) */
#ifndef REPORT_FINDINGS_OPERATING_H
#define REPORT_FINDINGS_OPERATING_H

#include "call_graph.h"
#include "system_calls.h"

/* A place that calls a function which enters the kernel, always or at times. */
struct kernel_site {
	const struct row *edge;
	uint32_t caller;
	enum call_kind kind;
	uint64_t calls, entered; /* entered: those that entered the kernel */
	uint64_t voluntary, involuntary;
	long double elapsed, on_cpu, off_cpu; /* ns */
	long double usual;		      /* median duration of the calls, ns */
};

struct operating {
	struct kernel_site *sites; /* most time first; none in sampled sessions */
	size_t n_sites;
	long double on_cpu; /* sum over all threads, ns */
	uint64_t polls;	    /* calls that wait for events, or accept a connection */
	uint64_t reads, writes;
};

/* Finds the places that enter the kernel. `graph`: of calls by call site; `known`: enum
 * known_function of its functions. */
void operating_make(struct operating *operating, const struct call_graph *graph, const uint8_t *known);
void operating_release(struct operating *operating);

#define KERNEL_SITE_MANY 1000 /* calls */
/* Whether there are many calls, and most of them enter the kernel: of a stream, nothing is gained
 * by its buffer. */
int kernel_site_enters(const struct kernel_site *site);
/* Whether they neither read nor write. */
int kernel_site_is_question(const struct kernel_site *site);
/* Whether calls at this site depend on what others send: many of them wait for it, or they are a
 * server's, which waits for events. Their number is then not under the program's control. */
int kernel_site_is_answer(const struct operating *operating, const struct kernel_site *site);

#endif
