/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scale.h - whole numbers times one factor, rounded: what util_rounded((long double)n * factor)
 * gives, to the bit, many times as fast. Conversions of long double to whole numbers switch the
 * processor's rounding back and forth; here it is done with whole numbers.
 */
#ifndef REPORT_LIB_SCALE_H
#define REPORT_LIB_SCALE_H

#include <stdint.h>

#include "util.h"

#define SCALE_SMALL 8u

struct scale {
	long double factor;
	uint64_t mantissa; /* factor = mantissa * 2^exponent, its highest bit set; 0: not so */
	int exponent;
	uint64_t small[SCALE_SMALL]; /* of the first numbers, of which there are many */
};

struct scale scale_of(long double factor);

static inline uint64_t scale_rounded(const struct scale *scale, uint64_t n)
{
	unsigned __int128 product = (unsigned __int128)n * scale->mantissa, sum;
	uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product, rest;
	int up, shift;

	if (n < SCALE_SMALL)
		return scale->small[n];
	if (!high) /* of a large number times less than 1 */
		return util_rounded((long double)n * scale->factor);
	/* The product, as long double has it: 64 bits, to the nearest, ties to even. */
	up = __builtin_clzll(high);
	product <<= up;
	high = (uint64_t)(product >> 64);
	rest = (uint64_t)product;
	(void)low;
	if (rest > 1ull << 63 || (rest == 1ull << 63 && high & 1))
		high++;
	shift = -(scale->exponent + 64 - up);
	if (!high || shift < 2 || shift > 63)
		return util_rounded((long double)n * scale->factor);
	/* One half more, as long double again, and its whole part. */
	sum = (unsigned __int128)high + (1ull << (shift - 1));
	if (sum >> 64 && sum & 1)
		sum += sum & 2 ? 1 : -(unsigned __int128)1;
	return (uint64_t)(sum >> shift);
}

#endif
