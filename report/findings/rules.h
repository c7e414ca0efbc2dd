/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules.h - the tables of rules that findings.c goes through, and what a rule gets.
 *
 * A family of rules is a file findings_NAME.c with a table, and a row in `families` (findings.c):
 * CF01xx waiting, CF02xx computing, CF03xx system calls and the operating system, CF04xx threads,
 * CF05xx processes, CF06xx ranks of a parallel job. Rules look at what is in struct finder, which
 * is made once for all of them, and call finding_new() for each place where they apply.
 */
#ifndef REPORT_FINDINGS_RULES_H
#define REPORT_FINDINGS_RULES_H

#include "computing.h"
#include "findings.h"
#include "operating.h"

/* Which recordings a rule is for, and which kind of time it tells of: the same time of a function
 * is told of by one rule only. */
enum {
	OF_TIMED = 1,
	OF_SAMPLED = 2,
	OF_WAITING = 4,
	OF_COMPUTING = 8,
	OF_SINGLE = 16,	   /* looks at single threads or processes: not of what was merged */
	OF_PROCESSOR = 32, /* the time that it tells of is time on a processor */
	OF_FAULT = 64,	   /* the program does not do what it should: first, whatever time it is */
};

struct finder {
	const struct findings_input *input;
	const struct totals *t;
	struct computing computing;	/* with the graph of calls */
	const struct call_graph *graph; /* of it */
	uint8_t *known;			/* by entity: enum known_function (known_functions.h) */
	struct operating *operating;	/* calls that enter the kernel */
	long double wall;		/* ns */
	long double at_once;		/* processes, on the average; at least 1 */
	long double threads_at_once;	/* at most, of those that work */
	long double alive_at_once;	/* at most, of all threads */
	struct findings *findings;
};

struct finding_rule {
	const char *id, *title;
	unsigned of;	      /* OF_... */
	int precedence;	      /* of the rules that tell of the same time the highest stays */
	double least_percent; /* of the run: less is not told */
	void (*find)(struct finder *finder, const struct finding_rule *rule);
	/* of --explain: what is measured, and from when on it is told; which time the
	 * percentage is, and what is known of how much could be saved; why it matters; what
	 * people do about it; when it is a false alarm */
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
FINDING_FAMILY(threads)
FINDING_FAMILY(computing)
FINDING_FAMILY(system)
FINDING_FAMILY(kernel)
FINDING_FAMILY(network)
FINDING_FAMILY(processes)
FINDING_FAMILY(ranks)
/* clang-format on */

/* A new finding, to be filled in; it is where it is until the next one. */
struct finding *finding_new(struct finder *finder, const struct finding_rule *rule);

void finding_set_path(struct finding *finding, const uint32_t *path, size_t n);

/*
 * Of a row of input->edges: `amount`, which is a part of the row's sums over all threads, on the
 * one thread that has the most of it; of processes one after another, of these together; what
 * threads compute or wait one after another, at least its part of as many as there are at a time.
 */
long double finder_on_one_thread(const struct finder *finder, const struct row *row, long double amount,
				 enum share_of of);
/* So many times as long as their work the program's threads were able to run: others had the
 * processors meanwhile. */
long double finder_slowed(const struct finder *finder);
/* So many threads have some of the row. */
uint32_t finder_threads(const struct finder *finder, const struct row *row);

/* "12 %" */
void finding_put_percent(struct strbuf *text, long double percent);
void finding_put_name(const struct finder *finder, struct strbuf *text, uint32_t entity);
/* "f (a.c:3)": the function whose call it is, and where that is. */
void finding_put_call(const struct finder *finder, struct strbuf *text, const struct row *edge);

#endif
