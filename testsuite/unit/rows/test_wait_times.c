/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits of all kinds, within the time off the processor that rows have. */
#include "rows/wait_times.h"
#include "tests.h"

static void test_within(void)
{
	struct waits waits = { .off_cpu = { 600, 300, 0, 100 }, .intervals = { 6, 3, 0, 1 } };

	waits_within(&waits, 2000);
	CU_ASSERT_EQUAL(waits_sum(&waits), 1000);
	waits_within(&waits, 500);
	CU_ASSERT_DOUBLE_EQUAL((double)waits.off_cpu[WAIT_SLEEP], 300, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL((double)waits.off_cpu[WAIT_PREEMPTED], 150, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL((double)waits.off_cpu[WAIT_DISK], 50, 1e-9);
	CU_ASSERT_EQUAL(waits.off_cpu[WAIT_PAGE], 0);
	CU_ASSERT_EQUAL(waits.intervals[WAIT_SLEEP], 6);
	waits_within(&waits, 0);
	CU_ASSERT_EQUAL(waits_sum(&waits), 0);
	waits_within(&waits, 0);
	CU_ASSERT_EQUAL(waits_sum(&waits), 0);
}

CU_TestInfo wait_times_tests[] = {
	{ "within the time off the processor", test_within },
	CU_TEST_INFO_NULL,
};
