/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decimal.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#define FAST_DECIMALS 9
#define POWERS 20

/* clang-format off */
static const uint64_t powers[POWERS] = {
	1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u, 1000000000u,
	10000000000u, 100000000000u, 1000000000000u, 10000000000000u, 100000000000000u,
	1000000000000000u, 10000000000000000u, 100000000000000000u, 1000000000000000000u,
	10000000000000000000u
};
/* clang-format on */

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";

/* Writes at least `least` digits, with zeros before the number. Returns the end. */
static char *put_digits(char *at, uint64_t n, int least)
{
	char *end = at + least, *to;

	if (n < 10 && least == 1) { /* most numbers of large tables */
		*at = (char)('0' + n);
		return end;
	}
	while (end - at < POWERS && n >= powers[end - at])
		end++;
	for (to = end; to - at > 1; n /= 100)
		memcpy(to -= 2, &pairs[n % 100 * 2], 2);
	if (to > at)
		*at = (char)('0' + n % 10);
	return end;
}

void decimal_count(char digits[DECIMAL_BYTES_COUNT], uint64_t n)
{
	*put_digits(digits, n, 1) = '\0';
}

void decimal_signed(char digits[DECIMAL_BYTES_COUNT], int64_t n)
{
	if (n < 0)
		*digits++ = '-';
	*put_digits(digits, n < 0 ? -(uint64_t)n : (uint64_t)n, 1) = '\0';
}

/* A number: (whole + part / 2^64), and is_cut: a little more than that, by less than 1 / 2^64. */
struct parts {
	uint64_t whole, part;
	int is_negative, is_cut;
};

/* Takes the number apart. Returns -1 if it is too large, no number, or of another machine's form.
 * By its bits: conversions by the processor take ten times as long. */
static int parts_of(struct parts *parts, long double number)
{
#if LDBL_MANT_DIG == 64 && LDBL_MAX_EXP == 16384
	struct {
		uint64_t mantissa;
		uint16_t sign_exponent;
	} bits = { 0, 0 };
	int behind; /* this many bits of the mantissa are behind the point */

	memcpy(&bits, &number, 10);
	behind = 16383 + 63 - (bits.sign_exponent & 0x7fff);
	*parts = (struct parts){ .is_negative = bits.sign_exponent >> 15 };
	if (behind <= 0)
		return -1;
	if (behind < 64) {
		parts->whole = bits.mantissa >> behind;
		parts->part = bits.mantissa << (64 - behind);
	} else if (behind < 128) {
		parts->part = bits.mantissa >> (behind - 64);
		parts->is_cut = parts->part << (behind - 64) != bits.mantissa;
	} else {
		parts->is_cut = bits.mantissa != 0;
	}
	return 0;
#else
	*parts = (struct parts){ .whole = number != number };
	return -1;
#endif
}

/* Rounds what is behind the point, times `power`, to an integer, which is `power` at most, ties to
 * even. Returns -1 if its 64 bits do not tell which one it is. */
static int rounded(uint64_t *scaled, const struct parts *parts, uint64_t power)
{
	const uint64_t half = UINT64_C(1) << 63;
	unsigned __int128 product = (unsigned __int128)parts->part * power;
	uint64_t rest = (uint64_t)product;
	int is_odd;

	*scaled = (uint64_t)(product >> 64);
	if (parts->is_cut && rest <= half && rest + power >= half)
		return -1;
	is_odd = (power > 1 ? *scaled : parts->whole) & 1;
	*scaled += rest > half || (rest == half && is_odd);
	return 0;
}

void decimal_number(char digits[DECIMAL_BYTES], long double number, int decimals)
{
	struct parts parts;
	uint64_t scaled;

	if (decimals < 0 || decimals > FAST_DECIMALS || parts_of(&parts, number) ||
	    rounded(&scaled, &parts, powers[decimals])) {
		snprintf(digits, DECIMAL_BYTES, "%.*Lf", decimals, number);
		return;
	}
	if (scaled == powers[decimals]) {
		parts.whole++;
		scaled = 0;
	}
	if (parts.is_negative)
		*digits++ = '-';
	digits = put_digits(digits, parts.whole, 1);
	if (decimals) {
		*digits++ = '.';
		digits = put_digits(digits, scaled, decimals);
	}
	*digits = '\0';
}
