/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uncertainty.h - the error that a row's values may have because probes took part of the time
 * (semantics R9). */
#ifndef REPORT_UNCERTAINTY_H
#define REPORT_UNCERTAINTY_H

#include "profile.h"

/* Returns one of the four values, ns. */
long double uncertainty_value(const struct sums *sums, enum value_kind kind);
/* Returns the variance of a value, ns^2, as far as it is estimated from samples, or what these
 * left; without the error of the probes' cost. */
long double uncertainty_variance(const struct sums *sums, enum value_kind kind);
/* Returns the uncertainty in either direction, ns, with 95 % confidence. 0 for raw values that are
 * intervals. */
long double uncertainty_of(const struct sums *sums, enum value_kind kind);

/* Returns value + uncertainty if the uncertainty is the whole value or more, so that only this
 * bound is known (for Application time, at most that of Elapsed); < 0: more is known. */
long double uncertainty_upper_end(const struct sums *sums, enum value_kind kind);
/* Returns this bound for any value and uncertainty. */
long double uncertainty_end(long double value, long double uncertainty);
/* Whether a value of the row comes more from the correction than from the measurement, which `~`
 * marks. Not for raw values. */
int uncertainty_is_rough(const struct sums *sums, enum value_kind kind);
/* Whether the row's exclusive time comes more from the correction than from the measurement. Not
 * for raw values. */
int uncertainty_is_mostly_correction(const struct sums *sums);

/* Return elapsed time less time off the processor, exclusive or inclusive, ns; its bound; and
 * whether it is rough, as for the four values above. It bears the error of all overhead. */
long double uncertainty_cpu(const struct sums *sums, int inclusive);
long double uncertainty_cpu_upper_end(const struct sums *sums, int inclusive);
int uncertainty_cpu_is_rough(const struct sums *sums, int inclusive);

/* For a session's time on the processor, ns: the uncertainty in either direction because of probes;
 * whether that is more than half of it, and probes took most of the time, so that little is known
 * of short functions; and its bounds. */
long double uncertainty_of_whole(const struct totals *totals);
int uncertainty_of_whole_is_rough(const struct totals *totals);
long double uncertainty_lower_end_of_whole(const struct totals *totals);
long double uncertainty_upper_end_of_whole(const struct totals *totals);

#endif
