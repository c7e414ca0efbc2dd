/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scale.h"

#include <float.h>
#include <math.h>

struct scale scale_of(long double factor)
{
	struct scale scale = { .factor = factor };
	long double fraction;

	for (unsigned n = 1; n < SCALE_SMALL; n++)
		scale.small[n] = util_rounded((long double)n * factor);
	if (LDBL_MANT_DIG != 64 || !(factor > 0) || !isnormal(factor))
		return scale;
	fraction = frexpl(factor, &scale.exponent);
	scale.mantissa = (uint64_t)ldexpl(fraction, 64);
	scale.exponent -= 64;
	return scale;
}
