/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The index of numbers by which the runtime finds slots and stubs. */
#include <stdlib.h>

#include "system/index.h"
#include "tests.h"

#define N 5000
#define BITS 13 /* 8192 places */

static uint32_t places[1 << BITS], array[N];

static void all_are_found(void)
{
	const struct index index = { places, BITS }, none = { NULL, 0 };
	size_t wrong = 0;

	for (uint32_t i = 0; i < N; i++) {
		array[i] = i * 24 & ~7u; /* as words of sleds */
		wrong += index_find(&index, array, array[i]) != INDEX_NONE;
		index_add(&index, array, i);
	}
	for (uint32_t i = 0; i < N; i++) {
		wrong += index_find(&index, array, array[i]) != i;
		wrong += index_find(&index, array, array[i] + 8) != INDEX_NONE;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(index_find(&none, array, 0), INDEX_NONE);
	CU_ASSERT_EQUAL(INDEX_BYTES(BITS), sizeof(places));
}

CU_TestInfo index_tests[] = {
	{ "all are found", all_are_found },
	CU_TEST_INFO_NULL,
};
