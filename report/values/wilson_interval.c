/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wilson_interval.h"

#include <math.h>

#define Z 1.959964L /* standard errors: 95 % */

struct share share_of(long double samples, long double all)
{
	long double p = all > 0 ? samples / all : 0, z = all > 0 ? Z * Z / all : 0, middle, half;
	struct share share = { 0, 1 };

	if (all <= 0)
		return share;
	middle = (p + z / 2) / (1 + z);
	half = sqrtl(z * p * (1 - p) + z * z / 4) / (1 + z);
	/* At the ends both are the same but for rounding. */
	share.low = samples > 0 && middle > half ? middle - half : 0;
	share.high = samples < all && middle + half < 1 ? middle + half : 1;
	return share;
}
