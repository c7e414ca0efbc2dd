/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "uncertainty.h"

#include <math.h>

#define Z 1.959964L    /* standard deviations: 95 % */
#define ROUNDING 1e-9L /* what sums of long doubles may be off by, as a part of them */

long double uncertainty_value(const struct sums *s, enum value_kind kind)
{
	switch (kind) {
	case VALUE_ELAPSED_INCLUSIVE:
		return s->elapsed_inclusive;
	case VALUE_ELAPSED_EXCLUSIVE:
		return s->elapsed_exclusive;
	case VALUE_APPLICATION_INCLUSIVE:
		return s->application_inclusive;
	default:
		return s->application_exclusive;
	}
}

/* As fmaxl(), without its call: tables have millions of values. */
static long double more_of(long double a, long double b)
{
	return a > b ? a : b;
}

/* As far as the probes' cost is not known. */
static long double of_probes(const struct sums *sums, enum value_kind kind)
{
	switch (kind) {
	case VALUE_ELAPSED_INCLUSIVE:
		return more_of(sums->overhead_inclusive - sums->overhead_low_inclusive,
			       sums->overhead_high_inclusive - sums->overhead_inclusive);
	case VALUE_ELAPSED_EXCLUSIVE:
		return more_of(sums->overhead_exclusive - sums->overhead_low_exclusive,
			       sums->overhead_high_exclusive - sums->overhead_exclusive);
	case VALUE_APPLICATION_INCLUSIVE:
		return sums->application_uncertainty_inclusive;
	default:
		return sums->application_uncertainty_exclusive;
	}
}

long double uncertainty_variance(const struct sums *sums, enum value_kind kind)
{
	return kind == VALUE_ELAPSED_INCLUSIVE || kind == VALUE_APPLICATION_INCLUSIVE
		       ? sums->variance_inclusive
		       : sums->variance_exclusive;
}

/* The samples have nothing to do with the probes' cost. */
long double uncertainty_of(const struct sums *sums, enum value_kind kind)
{
	long double variance = uncertainty_variance(sums, kind);

	return variance > 0 ? hypotl(of_probes(sums, kind), Z * sqrtl(variance)) : of_probes(sums, kind);
}

long double uncertainty_end(long double value, long double uncertainty)
{
	/* a bar ends at 0, so it is as long as the value where it would go on below */
	if (uncertainty <= 0 || uncertainty < value * (1 - ROUNDING))
		return -1;
	return value + uncertainty;
}

/* Application time is a part of Elapsed time. */
long double uncertainty_upper_end(const struct sums *sums, enum value_kind kind)
{
	enum value_kind whole = kind == VALUE_APPLICATION_INCLUSIVE   ? VALUE_ELAPSED_INCLUSIVE
				: kind == VALUE_APPLICATION_EXCLUSIVE ? VALUE_ELAPSED_EXCLUSIVE
								      : kind;

	return fminl(uncertainty_end(uncertainty_value(sums, kind), uncertainty_of(sums, kind)),
		     uncertainty_value(sums, whole) + uncertainty_of(sums, whole));
}

/* Of an Application value only the overhead of its own intervals counts: that of the elapsed value,
 * in proportion. */
int uncertainty_is_rough(const struct sums *s, enum value_kind kind)
{
	int is_inclusive = kind == VALUE_ELAPSED_INCLUSIVE || kind == VALUE_APPLICATION_INCLUSIVE;
	int is_application = kind == VALUE_APPLICATION_INCLUSIVE || kind == VALUE_APPLICATION_EXCLUSIVE;
	long double elapsed = is_inclusive ? s->elapsed_inclusive : s->elapsed_exclusive;
	long double application = is_inclusive ? s->application_inclusive : s->application_exclusive;
	long double overhead = is_inclusive ? s->overhead_inclusive : s->overhead_exclusive;

	return (overhead > elapsed && (!is_application || application > 0)) ||
	       2 * uncertainty_of(s, kind) > (is_application ? application : elapsed);
}

int uncertainty_is_mostly_correction(const struct sums *sums)
{
	return uncertainty_is_rough(sums, VALUE_ELAPSED_EXCLUSIVE);
}

/* ---- time on the processor ------------------------------------------------------------------- */

static enum value_kind elapsed_kind(int inclusive)
{
	return inclusive ? VALUE_ELAPSED_INCLUSIVE : VALUE_ELAPSED_EXCLUSIVE;
}

long double uncertainty_cpu(const struct sums *s, int inclusive)
{
	long double cpu = inclusive ? s->elapsed_inclusive - s->off_cpu_inclusive
				    : s->elapsed_exclusive - s->off_cpu_exclusive;

	return more_of(cpu, 0);
}

long double uncertainty_cpu_upper_end(const struct sums *s, int inclusive)
{
	return uncertainty_end(uncertainty_cpu(s, inclusive), uncertainty_of(s, elapsed_kind(inclusive)));
}

int uncertainty_cpu_is_rough(const struct sums *s, int inclusive)
{
	long double cpu = uncertainty_cpu(s, inclusive);
	long double overhead = inclusive ? s->overhead_inclusive : s->overhead_exclusive;

	return (overhead > cpu && cpu > 0) || 2 * uncertainty_of(s, elapsed_kind(inclusive)) > cpu;
}

/* ---- a session's time on the processor ------------------------------------------------------- */

#define ROUGH 0.5L	   /* uncertain by so much of it */
#define MOSTLY_PROBES 0.5L /* of the recorded time is theirs */

long double uncertainty_of_whole(const struct totals *t)
{
	return fmaxl(t->overhead - t->overhead_low, t->overhead_high - t->overhead);
}

long double uncertainty_lower_end_of_whole(const struct totals *t)
{
	return fmaxl(totals_cpu(t) - uncertainty_of_whole(t), 0);
}

long double uncertainty_upper_end_of_whole(const struct totals *t)
{
	return totals_cpu(t) + uncertainty_of_whole(t);
}

/* Of what was computed: threads that wait, however many, tell nothing of the probes. */
int uncertainty_of_whole_is_rough(const struct totals *t)
{
	long double probes = t->overhead + t->runtime;
	long double own = totals_cpu(t);

	return uncertainty_of_whole(t) > ROUGH * totals_cpu(t) && probes >= MOSTLY_PROBES * (own + probes);
}
