/* SPDX-License-Identifier: GPL-3.0-or-later */
/* advice_rules.h - the table of rules for advice.c. */
#ifndef REPORT_ADVICE_RULES_H
#define REPORT_ADVICE_RULES_H

#include "advice.h"

/* The data that rules check. */
struct advised {
	const struct profile *profile;
	const struct totals *t;
	long double on_cpu;	  /* time on the processor without probes */
	long double cost_of_call; /* mean cost of its probes, ns */
	int is_live;
};

/* A rule. `applies` sets text and action and returns 1, or returns 0 if the rule does not apply. */
struct rule {
	const char *id;
	enum severity severity;
	int (*applies)(const struct advised *session, struct strbuf *text, struct strbuf *action);
	int is_in_foot; /* also shown below a table */
};

extern const struct rule advice_rules[];
extern const size_t advice_n_rules;

/* advice_samples.c: rules for sampled sessions. */
extern const struct rule advice_sampled_rules[];
extern const size_t advice_n_sampled_rules;

/* advice_stacks.c */
int advice_stacks(const struct advised *session, struct strbuf *text, struct strbuf *action);
/* A rule for both methods. */
int advice_stopped(const struct advised *session, struct strbuf *text, struct strbuf *action);

#endif
