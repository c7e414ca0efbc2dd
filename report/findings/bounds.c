/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bounds.c - see bounds.h. */
#include "bounds.h"

#include <math.h>

#include "rows/uncertainty.h"

#define ALL 0.995L   /* of the run: it is shown as all of it */
#define COLD_NS 1e6L /* by which a wait can slow what comes after it: 10 MB into a cache */

void finding_waits(struct finding *finding, long double elapsed, long double waits)
{
	finding->bound += elapsed + waits * COLD_NS;
}

void finding_waits_at(struct finding *finding, const struct row *edge)
{
	long double elapsed = uncertainty_value(&edge->sums, VALUE_ELAPSED_INCLUSIVE) +
			      uncertainty_of(&edge->sums, VALUE_ELAPSED_INCLUSIVE);

	if (!edge->are_calls_least)
		finding_waits(finding, elapsed, (long double)edge->calls);
}

/* The run, if all that is uncertain of its other part was the recording's, and nobody else had its
 * processors. */
static long double shortest_run(const struct finder *finder, long double waits)
{
	const struct totals *t = finder->t;
	long double uncertain = t->elapsed > 0 ? uncertainty_of_whole(t) / t->elapsed : 0;
	long double rest = fmaxl(0, finder->findings->whole - waits) / finder_slowed(finder);

	return waits + rest * fmaxl(0, 1 - uncertain);
}

void finding_complete_bound(const struct finder *finder, struct finding *finding)
{
	long double run = shortest_run(finder, finding->time);

	if (finding->bound >= ALL * run)
		finding->bound = 0;
	finding->bound_percent = run > 0 ? 100 * finding->bound / run : 0;
}
