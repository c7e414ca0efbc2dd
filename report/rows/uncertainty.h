/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uncertainty.h - how far a row's values can be from the truth, because probes took part of the
 * time (semantics R9). */
#ifndef REPORT_UNCERTAINTY_H
#define REPORT_UNCERTAINTY_H

#include "profile.h"

/* One of the four values, ns. */
long double uncertainty_value(const struct sums *sums, enum value_kind kind);
/* Its square of one standard deviation, ns, as far as it is an estimate from samples, or what
 * these have left: the probes' cost is not in it. */
long double uncertainty_variance(const struct sums *sums, enum value_kind kind);
/* To either side, ns, with 95 % confidence. 0 of raw values that are intervals. */
long double uncertainty_of(const struct sums *sums, enum value_kind kind);

/* value + uncertainty, where the uncertainty is all of the value or more, so that nothing else is
 * known (of Application time: not more than Elapsed can be); < 0: more is known of it. */
long double uncertainty_upper_end(const struct sums *sums, enum value_kind kind);
/* The same of any value. */
long double uncertainty_end(long double value, long double uncertainty);
/* Whether a value of the row is more the correction's than the measurement's, which `~` says. Not
 * for raw values. */
int uncertainty_is_rough(const struct sums *sums, enum value_kind kind);
/* Whether the row's exclusive time is more the correction's than the measurement's. Not for raw
 * values. */
int uncertainty_is_mostly_correction(const struct sums *sums);

/*
 * Elapsed less the time off the processor: all of the probes' overhead lies in it. Exclusive, or
 * inclusive; what is known of it as of the four values above.
 */
long double uncertainty_cpu(const struct sums *sums, int inclusive);
long double uncertainty_cpu_upper_end(const struct sums *sums, int inclusive);
int uncertainty_cpu_is_rough(const struct sums *sums, int inclusive);

/*
 * Of a session's time on the processor, ns: what it may be off by to either side, because of the
 * probes; between which bounds it is; and whether that is more than half of it, and the probes took
 * most of the time, so that little is known of functions that are short.
 */
long double uncertainty_of_whole(const struct totals *totals);
int uncertainty_of_whole_is_rough(const struct totals *totals);
long double uncertainty_lower_end_of_whole(const struct totals *totals);
long double uncertainty_upper_end_of_whole(const struct totals *totals);

#endif
