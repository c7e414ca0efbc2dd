/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gains.c - see gains.h. */
#include "gains.h"

#include <math.h>

#include "rows/uncertainty.h"

#define ALL 0.995L  /* of the run: it is shown as all of it */
#define OFTEN 0.5L  /* of the calls of a loop's call */

static void add(const struct finder *finder, struct finding *finding, const struct sums *sums,
		enum value_kind kind, long double off_cpu)
{
	long double elapsed = uncertainty_value(sums, kind);

	if (!finder->findings->is_sampled)
		elapsed += uncertainty_of(sums, kind);
	finding_avoids_ns(finding, elapsed, fmaxl(0, elapsed - off_cpu));
}

/* Of a call that was counted at times only, samples may have taken another one for it: the function's
 * calls are all that is known. */
static const struct row *whole_of(const struct finder *finder, const struct row *row)
{
	const struct row *node =
		row->entity < finder->graph->n_entities ? finder->graph->nodes[row->entity] : NULL;

	return node && row->are_calls_least ? node : row;
}

void finding_avoids(const struct finder *finder, struct finding *finding, const struct row *row)
{
	row = whole_of(finder, row);
	add(finder, finding, &row->sums, VALUE_ELAPSED_INCLUSIVE, row->sums.off_cpu_inclusive);
}

void finding_avoids_own(const struct finder *finder, struct finding *finding, const struct row *row)
{
	add(finder, finding, &row->sums, VALUE_ELAPSED_EXCLUSIVE, row->sums.off_cpu_exclusive);
}

void finding_avoids_ns(struct finding *finding, long double elapsed, long double cpu)
{
	finding->gain.kind = GAIN_BOUND;
	finding->gain.elapsed += elapsed;
	finding->gain.cpu += cpu;
}

void finding_avoids_loop(const struct finder *finder, struct finding *finding, const struct row *edge)
{
	uint32_t caller = call_graph_caller(edge);
	size_t n;
	const struct row **out = call_graph_out(finder->graph, caller, &n);

	if (caller < finder->graph->n_entities && finder->graph->nodes[caller])
		finding_avoids_own(finder, finding, finder->graph->nodes[caller]);
	for (size_t i = 0; i < n; i++)
		if (out[i] == edge || (out[i]->entity != caller &&
				       (long double)out[i]->calls >= OFTEN * (long double)edge->calls))
			finding_avoids(finder, finding, out[i]);
}

void finding_saves_at_most(struct finding *finding, long double most)
{
	finding->gain = (struct gain){ .kind = GAIN_BOUND, .most = most };
}

void finding_saves_about(struct finding *finding, long double least, long double most)
{
	finding->gain = (struct gain){ .kind = GAIN_ESTIMATE, .least = least, .most = most };
}

/* What the thread with most of it computes; 0: what was merged does not keep threads. */
static long double longest_thread(const struct finder *finder)
{
	const struct thread_facts *facts = &finder->input->edges->thread_facts;
	long double most = 0;

	for (size_t i = 0; i < facts->n && !finder->t->merged; i++)
		most = fmaxl(most, facts->list[i].elapsed - facts->list[i].off_cpu);
	return most;
}

/* The run takes at least as long as what is left to compute without so much of it. */
static long double left_to_do(const struct finder *finder, long double avoided)
{
	long double all = fmaxl(0, uncertainty_lower_end_of_whole(finder->t));
	long double cpu = totals_cpu(finder->t);
	long double longest = cpu > 0 ? longest_thread(finder) * all / cpu : 0;
	uint64_t processors = finder->input->edges->system.processors * finder->t->hosts.n;

	return fmaxl(0, fmaxl(longest - avoided, processors ? (all - avoided) / (long double)processors : 0));
}

void finding_complete_gain(const struct finder *finder, struct finding *finding)
{
	struct gain *gain = &finding->gain;
	long double whole = finder->findings->whole;

	if (gain->kind == GAIN_BOUND && gain->elapsed > 0) {
		gain->most = gain->elapsed;
		if (!finder->findings->is_sampled) {
			gain->most = fmaxl(gain->most, gain->cpu * finder_slowed(finder));
			gain->most = fminl(gain->most, whole - left_to_do(finder, gain->cpu));
		}
	}
	gain->most = fminl(gain->most, whole);
	gain->least = fminl(gain->least, gain->most);
	gain->least_percent = whole > 0 ? 100 * gain->least / whole : 0;
	gain->most_percent = whole > 0 ? 100 * gain->most / whole : 0;
	if (gain->kind == GAIN_BOUND && gain->most >= ALL * whole)
		*gain = (struct gain){ 0 };
}
