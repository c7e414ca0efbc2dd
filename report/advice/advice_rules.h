/* SPDX-License-Identifier: GPL-3.0-or-later */
/* advice_rules.h - the table of rules that advice.c goes through. */
#ifndef REPORT_ADVICE_RULES_H
#define REPORT_ADVICE_RULES_H

#include "advice.h"

/* What the rules look at. */
struct session {
	const struct profile *profile;
	const struct totals *t;
	long double on_cpu;	  /* time on the processor, without probes */
	long double cost_of_call; /* of its probes, on the average; ns */
	int is_live;
};

/* Puts its text and what to do, and returns 1; or 0: it does not apply. */
struct rule {
	const char *id;
	enum severity severity;
	int (*applies)(const struct session *session, struct strbuf *text, struct strbuf *action);
	int is_in_foot; /* whether the text below a table says it, too */
};

extern const struct rule advice_rules[];
extern const size_t advice_n_rules;

/* advice_samples.c: those of sampled sessions. */
extern const struct rule advice_sampled_rules[];
extern const size_t advice_n_sampled_rules;

/* advice_stacks.c */
int advice_stacks(const struct session *session, struct strbuf *text, struct strbuf *action);
/* A rule of both. */
int advice_stopped(const struct session *session, struct strbuf *text, struct strbuf *action);

#endif
