/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gains.c - see gains.h. */
#include "gains.h"

#include <math.h>

#include "rows/uncertainty.h"

#define ALL 0.995L     /* of the run: it is shown as all of it */
#define COLD_NS 50000L /* what caches have lost by one wait, at most */

void finding_waits(struct finding *finding, long double elapsed, long double waits)
{
	finding->gain.kind = GAIN_BOUND;
	finding->gain.most += elapsed + waits * COLD_NS;
}

void finding_waits_at(struct finding *finding, const struct row *edge)
{
	long double elapsed = uncertainty_value(&edge->sums, VALUE_ELAPSED_INCLUSIVE) +
			      uncertainty_of(&edge->sums, VALUE_ELAPSED_INCLUSIVE);

	if (!edge->are_calls_least)
		finding_waits(finding, elapsed, (long double)edge->calls);
}

void finding_saves_about(struct finding *finding, long double least, long double most)
{
	finding->gain = (struct gain){ .kind = GAIN_ESTIMATE, .least = least, .most = most };
}

/* The run, if all that is uncertain of it was the recording's. */
static long double shortest_run(const struct finder *finder)
{
	const struct totals *t = finder->t;
	long double part = t->elapsed > 0 ? uncertainty_of_whole(t) / t->elapsed : 0;

	return finder->findings->whole * fmaxl(0, 1 - part);
}

void finding_complete_gain(const struct finder *finder, struct finding *finding)
{
	struct gain *gain = &finding->gain;
	long double whole = finder->findings->whole, of = whole;

	if (gain->kind == GAIN_BOUND)
		of = shortest_run(finder);
	if (gain->kind == GAIN_BOUND && gain->most >= ALL * of)
		*gain = (struct gain){ 0 };
	gain->most = fminl(gain->most, whole);
	gain->least = fminl(gain->least, gain->most);
	gain->least_percent = whole > 0 ? 100 * gain->least / whole : 0;
	gain->most_percent = of > 0 ? 100 * gain->most / of : 0;
}
