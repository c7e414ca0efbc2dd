/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_decimal.c - digits are those of printf, whatever the number. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/decimal.h"
#include "tests.h"

#define NUMBERS 200000

static uint64_t random_bits = 88172645463325252u;

static uint64_t random_word(void)
{
	random_bits ^= random_bits << 13;
	random_bits ^= random_bits >> 7;
	random_bits ^= random_bits << 17;
	return random_bits;
}

static void expect(long double number, int decimals)
{
	static char is[DECIMAL_BYTES], is_to_be[DECIMAL_BYTES];

	decimal_number(is, number, decimals);
	snprintf(is_to_be, sizeof(is_to_be), "%.*Lf", decimals, number);
	if (strcmp(is, is_to_be))
		printf("%.25Lg with %d decimals: %s, not %s\n", number, decimals, is, is_to_be);
	CU_ASSERT_STRING_EQUAL_FATAL(is, is_to_be);
}

static void numbers_of_any_size(void)
{
	for (int i = 0; i < NUMBERS; i++) {
		long double number = ldexpl((long double)random_word(), -(int)(random_word() >> 32) % 140);

		expect(random_word() & 1 ? -number : number, (int)((random_word() >> 20) % 11));
	}
}

/* Halves are exact: they go to the even neighbour. What is next to one does not. */
static void halves_and_what_is_next_to_them(void)
{
	for (int i = 0; i < NUMBERS; i++) {
		int decimals = (int)((random_word() >> 20) % 7), bits = 1 + (int)((random_word() >> 20) % 60);
		long double half =
			((long double)(random_word() >> bits) + 0.5L) / (decimals ? ldexpl(1, decimals) : 1);
		/* of decimals n, n + 1 binary places end in 5 behind the last one that is told */

		expect(half, decimals);
		expect(nextafterl(half, 0), decimals);
		expect(nextafterl(half, INFINITY), decimals);
	}
}

static void numbers_at_the_ends(void)
{
	static const long double numbers[] = { 0,	    -0.0L,
					       0.5L,	    1.5L,
					       2.5L,	    0x1p63L,
					       0x1p63L - 1, 0x1p64L,
					       0x1.8p62L,   1e30L,
					       LDBL_MAX,    LDBL_MIN,
					       INFINITY,    -INFINITY,
					       NAN,	    0.9999999,
					       99.9999995,  -0.3L,
					       0.0000005L,  0x1p-64L,
					       0x1.8p-64L,  0.999999499999999999L };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		for (int decimals = 0; decimals <= 12; decimals++)
			expect(numbers[i], decimals);
}

static void integers(void)
{
	char is[DECIMAL_BYTES_COUNT], is_to_be[32];

	for (int i = 0; i < 1000; i++) {
		uint64_t n = i < 2 ? -(uint64_t)i : random_word() >> (random_word() >> 20) % 64;

		decimal_count(is, n);
		snprintf(is_to_be, sizeof(is_to_be), "%llu", (unsigned long long)n);
		CU_ASSERT_STRING_EQUAL(is, is_to_be);
		n = i == 2 ? 1ull << 63 : n;
		decimal_signed(is, (int64_t)n);
		snprintf(is_to_be, sizeof(is_to_be), "%lld", (long long)n);
		CU_ASSERT_STRING_EQUAL(is, is_to_be);
	}
}

CU_TestInfo decimal_tests[] = {
	{ "numbers of any size", numbers_of_any_size },
	{ "halves, and what is next to them", halves_and_what_is_next_to_them },
	{ "numbers at the ends", numbers_at_the_ends },
	{ "integers", integers },
	CU_TEST_INFO_NULL,
};
