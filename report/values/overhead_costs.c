/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * overhead_costs.c - what the calibration says that probes cost (overhead.h).
 *
 * What a probe costs depends on what the program does around it. The calibration has three figures
 * for all probes of one call:
 *
 *   beside   within work that has to wait: the processor does half of the probe meanwhile
 *   loop     one behind the other, which hides a little
 *   alone    nothing hides anything
 *
 * Measured on programs with known truth (testsuite/e2e/truth.py), lua and sqlite3, loops of calls
 * cost what `loop` says or a little more, chains of dependent steps are between `beside` and
 * `loop`, and the nearer to `beside` the more the processor hides (Intel: half, AMD: nearly all of
 * a probe); programs that use caches and branch predictors themselves are at `alone` at the most,
 * and beyond if they find everything cold. So
 *
 *   mean = (3 loop + alone) / 4,   low = harmonic mean of beside and loop,
 *   high = alone + (alone - beside) / 2
 *
 * and the error is the same for all calls of a function: it adds up linearly. How much the rounds
 * of the calibration differ (the processor's frequency, other virtual machines) does not depend on
 * that: the two are added as squares.
 *
 * Half of what can be hidden, (alone - beside) / 2, can also be work of the program that is done
 * while the next probe runs already, and is measured behind it: `late`. It moves time between
 * neighbours; sums over both are not touched.
 */
#include <math.h>

#include "lib/util.h"
#include "overhead.h"

/* Cost of one call's probes by circumstances, in units of `loop`. */
struct contexts {
	long double mean, low, high, late;
};

/* A file may say anything: 0 ... 10. */
static long double relative(uint64_t sum, uint64_t n, long double loop)
{
	long double value = (long double)sum / (long double)n / loop;

	return value < 10 ? value : 10;
}

/* Standard deviation of the rounds, in units of their mean. */
static long double deviation(const struct cinstr_calibration *c, long double loop)
{
	long double square = (long double)c->call_squares / (long double)c->rounds / loop / loop - 1;

	return square > 0 ? fminl(sqrtl(square), 1) : 0;
}

static int contexts_get(struct contexts *contexts, const struct cinstr_calibration *c)
{
	long double loop, alone, beside, least, noise;

	if (!c->rounds || !c->contexts)
		return 0;
	loop = ((long double)c->sum[CINSTR_COST_CALL] + (long double)c->sum[CINSTR_COST_RETURN]) /
	       (long double)c->rounds;
	if (loop <= 0)
		return 0;
	alone = relative(c->alone_sum, c->contexts, loop);
	beside = fminl(relative(c->beside_sum, c->contexts, loop), alone);
	noise = deviation(c, loop);
	contexts->late = (alone - beside) / 2;
	contexts->mean = (3 + alone) / 4;
	least = 2 * beside / (beside + 1);
	contexts->low = contexts->mean - hypotl(fmaxl(contexts->mean - least, 0), noise);
	contexts->high = contexts->mean + hypotl(fmaxl(alone + contexts->late - contexts->mean, 0), noise);
	contexts->low = fmaxl(contexts->low, 0);
	return 1;
}

static uint64_t scaled(long double cost)
{
	return util_rounded(fminl(cost, 1e18L));
}

void overhead_costs(struct overhead_costs *costs, const struct cinstr_calibration *c)
{
	struct contexts contexts = { 0 };
	int known = contexts_get(&contexts, c);

	*costs = (struct overhead_costs){ 0 };
	for (int kind = 0; c->rounds && kind < CINSTR_COST_KINDS; kind++) {
		uint64_t mean = c->sum[kind] / c->rounds;

		costs->of[OVERHEAD_MEAN][kind] = known ? scaled(contexts.mean * mean) : mean;
		costs->of[OVERHEAD_LOW][kind] = known			  ? scaled(contexts.low * mean)
						: c->minimum[kind] < mean ? c->minimum[kind]
									  : mean;
		costs->of[OVERHEAD_HIGH][kind] = known			   ? scaled(contexts.high * mean)
						 : c->maximum[kind] > mean ? c->maximum[kind]
									   : mean;
	}
	if (known)
		costs->late = scaled(contexts.late *
				     (long double)(c->sum[CINSTR_COST_CALL] / c->rounds +
						   c->sum[CINSTR_COST_RETURN] / c->rounds) /
				     2);
}
