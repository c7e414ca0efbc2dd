/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uncertainty.h - how far a row's values can be from the truth, because probes took part of the
 * time (semantics R9). */
#ifndef REPORT_UNCERTAINTY_H
#define REPORT_UNCERTAINTY_H

#include "profile.h"

/* To either side, ns. 0 of raw values. */
long double uncertainty_of(const struct sums *sums, enum value_kind kind);

/* Whether a value of the row is more the correction's than the measurement's, which `~` says. Not
 * for raw values. */
int uncertainty_is_rough(const struct sums *sums, enum value_kind kind);
/* Whether the row's exclusive time is more the correction's than the measurement's. Not for raw
 * values. */
int uncertainty_is_mostly_correction(const struct sums *sums);

#endif
