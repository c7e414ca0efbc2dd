/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bounds.c - see bounds.h. */
#include "bounds.h"

#include <math.h>
#include <string.h>

#include "rows/uncertainty.h"

#define ALL 0.995L   /* of the run: it is shown as all of it */
#define MOST 99.0L   /* percent of the run: something is left of it */
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

/* Parts of the time that a finding is about, which go with the work that it tells of. */
#define WORK 0.9L, 1.3L	  /* also what it does to caches */
#define LOOP 0.65L, 1.05L /* the loop stays, and reads as much in another order */

static const struct {
	const char *id;
	long double low, high;
} estimates[] = {
	{ "CF0201", WORK }, { "CF0204", WORK }, { "CF0205", WORK }, { "CF0206", WORK }, { "CF0210", WORK },
	{ "CF0212", WORK }, { "CF0213", LOOP }, { "CF0215", WORK }, { "CF0217", WORK }, { "CF0218", WORK },
	{ "CF0220", WORK }, { "CF0231", WORK }, { "CF0301", WORK }, { "CF0302", WORK }, { "CF0303", WORK },
	{ "CF0304", WORK }, { "CF0305", WORK }, { "CF0308", WORK }, { "CF0331", WORK }, { "CF0404", WORK },
};

void finding_complete_estimate(const struct finder *finder, struct finding *finding)
{
	if (finding->bound > 0 || finder->computing.is_rough)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(estimates); i++)
		if (!strcmp(estimates[i].id, finding->rule->id)) {
			finding->estimate_low = fminl(MOST, estimates[i].low * finding->percent);
			finding->estimate_high = fminl(MOST, estimates[i].high * finding->percent);
		}
}
