/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records with what was executed in the place of time (runtime/fold/fold_sums.c). */
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "runtime/fold/fold_sums.h"
#include "tests.h"

#define N 16
#define SLED(n, kind) ((uint32_t)(n) << 3 | (uint32_t)(kind))
#define BIG (UINT64_C(3) << 32)

static struct cinstr_record made[2 * N];
static char *memory;
static uint32_t n_from;
static struct fold_sums sums;

static struct cinstr_record *from(void)
{
	return (struct cinstr_record *)(void *)memory;
}

static void begin(void)
{
	memory = xcalloc(1, CINSTR_CALL_SUMS_AT + N * sizeof(struct cinstr_record));
	n_from = 0;
	sums = (struct fold_sums){ .last = 1 };
}

static void put(uint32_t code, uint64_t value, uint64_t sum)
{
	struct cinstr_record *r = &from()[n_from++];

	*r = (struct cinstr_record){
		.code = code, .time_lo = 77, .extra = (uint32_t)value, .second = (uint32_t)(value >> 32)
	};
	*fold_sum_of(r) = sum;
}

static size_t make(void)
{
	size_t n = fold_sums_records(&sums, made, from(), n_from);

	free(memory);
	return n;
}

static void stamps_become_sums(void)
{
	begin();
	put(CINSTR_SPECIAL(CINSTR_SP_START, 0), 1000, 1);
	put(SLED(1, CINSTR_EV_BEFORE), 5, 40);
	put(SLED(2, CINSTR_EV_EXIT), 6, 90);
	CU_ASSERT_EQUAL(make(), 3);
	CU_ASSERT_EQUAL(CINSTR_SPECIAL_VALUE(&made[0]), 1);
	CU_ASSERT_EQUAL(made[1].time_lo, 40);
	CU_ASSERT_EQUAL(made[1].extra, 5);
	CU_ASSERT_EQUAL(made[2].time_lo, 90);
	CU_ASSERT_EQUAL(sums.last, 90);
	CU_ASSERT_EQUAL(sums.missing, 0);
}

/* The system's part of a slow event is left out, and no bit of it stays. */
static void the_systems_part_is_left_out(void)
{
	begin();
	put(CINSTR_SPECIAL(CINSTR_SP_SLOW, 5), 1000, 20);
	put(CINSTR_SPECIAL(CINSTR_SP_OS, 0), 400, 20);
	put(CINSTR_SPECIAL(CINSTR_SP_SWITCHES, 0), 1, 20);
	put(SLED(1, CINSTR_EV_EXIT), 6, 20);
	CU_ASSERT_EQUAL(make(), 2);
	CU_ASSERT_EQUAL(made[0].code, CINSTR_SPECIAL(CINSTR_SP_SLOW, 0));
	CU_ASSERT_EQUAL(CINSTR_SPECIAL_VALUE(&made[0]), 20);
	CU_ASSERT_EQUAL(made[1].time_lo, 20);
}

/* What has a new high half needs a full stamp, which a slow event has already. */
static void high_halves_are_told(void)
{
	begin();
	put(SLED(1, CINSTR_EV_BEFORE), 5, BIG + 7);
	put(SLED(2, CINSTR_EV_EXIT), 6, BIG + 9);
	CU_ASSERT_EQUAL(make(), 3);
	CU_ASSERT_EQUAL(made[0].code, CINSTR_SPECIAL(CINSTR_SP_SLOW, 0));
	CU_ASSERT_EQUAL(CINSTR_SPECIAL_VALUE(&made[0]), BIG + 7);
	CU_ASSERT_EQUAL(made[1].time_lo, 7);
	begin();
	put(CINSTR_SPECIAL(CINSTR_SP_SLOW, 0), 1000, BIG + 7);
	put(SLED(1, CINSTR_EV_BEFORE), 5, BIG + 7);
	CU_ASSERT_EQUAL(make(), 2);
}

/* In a handler a segment may have added too much; at a line, within a segment, too. */
static void nothing_runs_backward(void)
{
	begin();
	put(SLED(1, CINSTR_EV_BEFORE), 5, 50);
	put(SLED(2, CINSTR_EV_ENTER), 5, 45);
	put(SLED(3, CINSTR_EV_LINE), 5, 80);
	put(SLED(4, CINSTR_EV_EXIT), 6, 60);
	CU_ASSERT_EQUAL(make(), 4);
	CU_ASSERT_EQUAL(made[1].time_lo, 50);
	CU_ASSERT_EQUAL(made[2].time_lo, 50);
	CU_ASSERT_EQUAL(made[3].time_lo, 60);
}

static void missing_sums_are_counted(void)
{
	begin();
	put(SLED(1, CINSTR_EV_BEFORE), 5, 50);
	put(CINSTR_SPECIAL(CINSTR_SP_TARGET, 0), 5, 0);
	put(SLED(2, CINSTR_EV_EXIT), 5, 0);
	CU_ASSERT_EQUAL(make(), 3);
	CU_ASSERT_EQUAL(sums.missing, 1);
	CU_ASSERT_EQUAL(made[2].time_lo, 50);
}

CU_TestInfo fold_sums_tests[] = {
	{ "stamps become sums", stamps_become_sums },
	{ "the system's part is left out", the_systems_part_is_left_out },
	{ "high halves are told", high_halves_are_told },
	{ "nothing runs backward", nothing_runs_backward },
	{ "missing sums are counted", missing_sums_are_counted },
	CU_TEST_INFO_NULL,
};
