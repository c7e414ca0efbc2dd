/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_scale.c - products with one factor, and shares, as slower ways have them. */
#include "lib/scale.h"
#include "lib/share.h"
#include "tests.h"

static uint64_t random_bits = 88172645463325252u;

/* Of any length. */
static uint64_t random_number(void)
{
	random_bits ^= random_bits << 13;
	random_bits ^= random_bits >> 7;
	random_bits ^= random_bits << 17;
	return random_bits >> (random_bits >> 5 & 63);
}

static void is_rounded_as(long double factor, uint64_t n)
{
	const struct scale scale = scale_of(factor);

	if (scale_rounded(&scale, n) != util_rounded((long double)n * factor)) {
		printf("%llu * %La\n", (unsigned long long)n, factor);
		CU_FAIL("rounded otherwise");
	}
}

static void products_are_rounded_as_long_double_is(void)
{
	for (int i = 0; i < 200000; i++) {
		long double factor = (long double)random_number() / (long double)(random_number() | 1);
		long double half = (long double)random_number() + 0.5L;

		is_rounded_as(factor, random_number());
		is_rounded_as(factor, random_number() % 16);
		is_rounded_as(1 / (long double)(1 + random_number() % 4096), random_number());
		if (factor > 0 && half / factor < 1e19L) /* near where it goes up or down */
			is_rounded_as(factor, (uint64_t)(half / factor) + random_number() % 2);
	}
	for (int i = 0; i < 64; i++) {
		is_rounded_as(1, (1ull << i) - 1);
		is_rounded_as(0.5L, (1ull << i) + 1);
		is_rounded_as(65536, UINT64_MAX >> i);
		is_rounded_as(0, 1ull << i);
	}
}

static void shares_are_rounded_down(void)
{
	for (int i = 0; i < 200000; i++) {
		uint64_t whole = random_number(), all = random_number() | 1, part = random_number() % all;

		CU_ASSERT_EQUAL(share(whole, part, all),
				(uint64_t)((unsigned __int128)whole * part / all));
	}
	CU_ASSERT_EQUAL(share(5, 5, 0), 0);
}

CU_TestInfo scale_tests[] = {
	{ "products are rounded as long double is", products_are_rounded_as_long_double_is },
	{ "shares are rounded down", shares_are_rounded_down },
	CU_TEST_INFO_NULL,
};
