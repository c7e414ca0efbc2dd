/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary_facts.c - computes the facts of a summary other than its lists, for people and
 * scripts. */
#include "summary.h"

/* Whether more was subtracted for probes than is left on the processor: what threads wait does not
 * count, however many there are. The recording's own work is in no number, and says nothing. */
static int is_mostly_probes(const struct summary *s)
{
	const struct profile *functions = &s->profiles[SUMMARY_FUNCTIONS];
	const struct totals *t = &functions->totals;

	return !profile_is_sampled(functions) && !s->view.profile->counting.raw &&
	       t->overhead > totals_cpu(t);
}

/* By what the advice says of the numbers, and by what is left of them. */
const char *summary_reliability(const struct summary *s)
{
	const struct advices *advices = &s->advices;

	if (s->is_rough || is_mostly_probes(s) || (advices->n && advices->list[0].severity == SEVERITY_ERROR))
		return "poor";
	return advices->n && advices->list[0].severity == SEVERITY_WARNING ? "fair" : "good";
}

long double summary_waiting_percent(long double elapsed, long double off)
{
	long double percent = elapsed > 0 ? 100 * off / elapsed : 0;

	return percent > 100 ? 100 : percent;
}

static int waits_for_threads(const char *name)
{
	return waits_for_others(name) && !waits_for_processes(name);
}

/* Off the processor, in functions of this kind. */
static long double waited_in(const struct summary *s, int (*is_of)(const char *name))
{
	const struct profile *sites = &s->profiles[SUMMARY_SITES];
	long double ns = 0;

	for (size_t i = 0; i < sites->n_rows; i++)
		if (sites->rows[i].callee && is_of(sites->rows[i].callee))
			ns += output_waited(&sites->rows[i]);
	return ns;
}

struct summary_waits summary_waits_of(const struct summary *s)
{
	const struct waits *waits = &s->profiles[SUMMARY_FUNCTIONS].totals.facts.waits;

	return (struct summary_waits){
		.all = waits_sum(waits),
		.threads = waited_in(s, waits_for_threads),
		.processes = waited_in(s, waits_for_processes),
		.signals = waited_in(s, waits_for_signals),
		.processor = waits->off_cpu[WAIT_PREEMPTED],
	};
}
