/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uncertainty.c - see uncertainty.h. */
#include "uncertainty.h"

#include <math.h>

long double uncertainty_of(const struct sums *sums, enum value_kind kind)
{
	switch (kind) {
	case VALUE_ELAPSED_INCLUSIVE:
		return fmaxl(sums->overhead_inclusive - sums->overhead_low_inclusive,
			     sums->overhead_high_inclusive - sums->overhead_inclusive);
	case VALUE_ELAPSED_EXCLUSIVE:
		return fmaxl(sums->overhead_exclusive - sums->overhead_low_exclusive,
			     sums->overhead_high_exclusive - sums->overhead_exclusive);
	case VALUE_APPLICATION_INCLUSIVE:
		return sums->application_uncertainty_inclusive;
	default:
		return sums->application_uncertainty_exclusive;
	}
}

int uncertainty_is_mostly_correction(const struct sums *sums)
{
	return sums->overhead_exclusive > sums->elapsed_exclusive ||
	       2 * uncertainty_of(sums, VALUE_ELAPSED_EXCLUSIVE) > sums->elapsed_exclusive;
}
