/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_waiting.c - rules on time in which threads wait for one another: CF01xx. */
#include "known_functions.h"
#include "rules.h"

#define WAITS_LEAST 2

static const char *lock_word(enum known_function known)
{
	return known == KNOWN_READ_LOCK	   ? "to read under a read-write lock"
	       : known == KNOWN_WRITE_LOCK ? "to write under a read-write lock"
	       : known == KNOWN_SEMAPHORE  ? "for a semaphore"
					   : "for a lock";
}

static uint64_t waits_in(const struct row *row)
{
	return row->os ? row->os->inclusive.of[OS_VOLUNTARY] : 0;
}

static void put_waits(const struct finder *finder, struct strbuf *text, const struct row *edge)
{
	uint32_t threads = finder_threads(finder, edge);

	strbuf_duration(text, edge->sums.off_cpu_inclusive);
	strbuf_puts(text, " in ");
	output_plural(text, threads, "thread", "s");
	strbuf_puts(text, ", ");
	output_plural(text, waits_in(edge), "wait", "s");
	strbuf_puts(text, " of up to ");
	strbuf_duration(text, edge->longest[VALUE_ELAPSED_INCLUSIVE]);
}

static void lock_wait(struct finder *finder, const struct finding_rule *rule, const struct row *edge)
{
	struct finding *finding = finding_new(finder, rule);

	finding->about = call_graph_caller(edge);
	finding->edge = edge;
	finding->gain = finder_on_one_thread(finder, edge, edge->sums.off_cpu_inclusive, SHARE_OFF_CPU);
	finding->verb = "callers --sites";
	finding->look_at = edge->entity;
	strbuf_printf(&finding->text,
		      "waits %s: ", lock_word((enum known_function)finder->known[edge->entity]));
	put_waits(finder, &finding->text, edge);
}

static void lock_waits(struct finder *finder, const struct finding_rule *rule)
{
	for (uint32_t e = 0; e < finder->graph->n_entities; e++) {
		size_t n = 0;
		const struct row **in = finder->known[e] >= KNOWN_LOCK && finder->known[e] <= KNOWN_SEMAPHORE
						? call_graph_in(finder->graph, e, &n)
						: NULL;

		for (size_t i = 0; i < n; i++)
			if (waits_in(in[i]) >= WAITS_LEAST && call_graph_caller(in[i]) != NAMES_NONE)
				lock_wait(finder, rule, in[i]);
	}
}

const struct finding_rule findings_waiting_rules[] = {
	{ "CF0101", "waits for a lock", OF_TIMED | OF_WAITING, 80, 3, lock_waits,
	  "Time off the processor in functions that take a lock (pthread_mutex_lock and the like), by the "
	  "place that calls, from two waits on.",
	  "What the one thread that waits there longest has waited.",
	  "Threads that wait for each other do the work of one.",
	  "Hold the lock for less time: do input, output, sleeping and allocation before or behind it. Give "
	  "each part of the data a lock of its own, or each thread a part of the data.",
	  "A lock as a gate: threads are meant to wait there until there is work." },
};
const size_t findings_n_waiting_rules = ARRAY_SIZE(findings_waiting_rules);
