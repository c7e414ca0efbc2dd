/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scale.h - multiplies integers by one factor and rounds: same result as util_rounded((long
 * double)n * factor) to the bit, many times as fast. Conversions of long double to integers switch
 * the processor's rounding mode back and forth; this code uses integers only.
 */
#ifndef REPORT_LIB_SCALE_H
#define REPORT_LIB_SCALE_H

#include <stdint.h>

#include "util.h"

#define SCALE_SMALL 8u

struct scale {
	long double factor;
	/* factor = mantissa * 2^exponent, highest bit set; 0: not representable */
	uint64_t mantissa;
	int exponent;
	uint64_t small[SCALE_SMALL]; /* results for the first integers, which are frequent */
};

struct scale scale_of(long double factor);

static inline uint64_t scale_rounded(const struct scale *scale, uint64_t n)
{
	unsigned __int128 product = (unsigned __int128)n * scale->mantissa, sum;
	uint64_t high = (uint64_t)(product >> 64), rest;
	int up, shift;

	if (n < SCALE_SMALL)
		return scale->small[n];
	if (!high) /* large number, factor below 1 */
		return util_rounded((long double)n * scale->factor);
	/* The product as a long double has it: 64 bits, rounded to nearest, ties to even. */
	up = __builtin_clzll(high);
	product <<= up;
	high = (uint64_t)(product >> 64);
	rest = (uint64_t)product;
	if (rest > 1ull << 63 || (rest == 1ull << 63 && high & 1))
		high++;
	shift = -(scale->exponent + 64 - up);
	if (!high || shift < 2 || shift > 63)
		return util_rounded((long double)n * scale->factor);
	/* Adds one half, rounded as a long double again, and takes the integer part. */
	sum = (unsigned __int128)high + (1ull << (shift - 1));
	if (sum >> 64 && sum & 1)
		sum += sum & 2 ? 1 : -(unsigned __int128)1;
	return (uint64_t)(sum >> shift);
}

#endif
