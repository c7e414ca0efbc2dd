/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules.h - the tables of rules that findings.c evaluates, and the input of a rule.
 *
 * A family of rules is a file findings_NAME.c with a table, and a row in `families` (findings.c):
 * CF01xx waiting, CF02xx computing, CF03xx system calls and the operating system, CF04xx threads,
 * CF05xx processes, CF06xx ranks of a parallel job. Rules examine struct finder, which is made once
 * for all of them, and call finding_new() for each place where they apply.
 */
#ifndef REPORT_FINDINGS_RULES_H
#define REPORT_FINDINGS_RULES_H

#include "computing.h"
#include "findings.h"
#include "operating.h"

/* The recordings that a rule is for, and the kind of time that it reports: one rule only reports
 * the same time of a function. */
enum {
	OF_TIMED = 1,
	OF_SAMPLED = 2,
	OF_WAITING = 4,
	OF_COMPUTING = 8,
	OF_SINGLE = 16,	   /* looks at single threads or processes: not for merged files */
	OF_PROCESSOR = 32, /* its time is time on a processor */
	OF_FAULT = 64,	   /* the program has a fault: listed first, whatever its time is */
};

struct kernel_site;

struct finder {
	const struct findings_input *input;
	const struct totals *t;
	struct computing computing;	/* includes the graph of calls */
	const struct call_graph *graph; /* the graph in `computing` */
	uint8_t *known;			/* by entity: enum known_function (known_functions.h) */
	struct operating *operating;	/* calls that enter the kernel */
	long double wall;		/* duration of the run, ns */
	long double at_once;		/* average number of processes at a time; at least 1 */
	/* most working threads at a time; INFINITY in merged files */
	long double threads_at_once;
	long double alive_at_once; /* most threads at a time; INFINITY in merged files */
	struct findings *findings;
};

struct finding_rule {
	const char *id, *title;
	unsigned of;	      /* OF_... */
	int precedence;	      /* the highest of the rules that report the same time remains */
	double least_percent; /* percent of the run; less is not reported */
	void (*find)(struct finder *finder, const struct finding_rule *rule);
	/* for --explain: what is measured, and from when on it is reported; what time the
	 * percentage is, and what is known of possible savings; why it matters; the usual remedy;
	 * when it is a false alarm */
	const char *measured, *time, *matters, *remedy, *false_alarm;
};

struct finding_family {
	const struct finding_rule *rules;
	const size_t *n;
};

extern const struct finding_family findings_families[];
extern const size_t findings_n_families;

#define FINDING_FAMILY(name) \
	extern const struct finding_rule findings_##name##_rules[]; \
	extern const size_t findings_n_##name##_rules;
/* clang-format off */
FINDING_FAMILY(hangs)
FINDING_FAMILY(waiting)
FINDING_FAMILY(rare)
FINDING_FAMILY(tags)
FINDING_FAMILY(memory)
FINDING_FAMILY(threads)
FINDING_FAMILY(anew)
FINDING_FAMILY(rounds)
FINDING_FAMILY(pools)
FINDING_FAMILY(computing)
FINDING_FAMILY(growth)
FINDING_FAMILY(system)
FINDING_FAMILY(long_calls)
FINDING_FAMILY(kernel)
FINDING_FAMILY(network)
FINDING_FAMILY(processes)
FINDING_FAMILY(ranks)
/* clang-format on */

/* Adds a finding, to be filled in. Valid until the next one is added. */
struct finding *finding_new(struct finder *finder, const struct finding_rule *rule);
/* Does so for the calls of the kernel at one place, of which `amount` ns are told. */
struct finding *finding_at_site(struct finder *finder, const struct finding_rule *rule,
				const struct kernel_site *site, long double amount);

void finding_set_path(struct finding *finding, const uint32_t *path, size_t n);

/* Scales `amount`, a part of the sums over all threads of a row of input->edges, to the thread that
 * has most of it; but not below an equal part for each of the threads that are there at a time.
 * Adds up processes that run one after another. */
long double finder_on_one_thread(const struct finder *finder, const struct row *row, long double amount,
				 enum share_of of);
/* Returns the factor by which threads were slowed because others had the processors: runnable time
 * divided by running time. */
long double finder_slowed(const struct finder *finder);
/* Returns the number of threads with time in the row. */
uint32_t finder_threads(const struct finder *finder, const struct row *row);

/* Appends "thread 'worker'"; of a merged session "all threads". */
void finding_put_thread(struct strbuf *text, const char *thread);
/* Appends "12 %". */
void finding_put_percent(struct strbuf *text, long double percent);
void finding_put_name(const struct finder *finder, struct strbuf *text, uint32_t entity);
/* Appends "f (a.c:3)": the function that makes the call, and the place of the call. */
void finding_put_call(const struct finder *finder, struct strbuf *text, const struct row *edge);

#endif
