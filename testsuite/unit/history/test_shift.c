/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/shift.h"
#include "lib/util.h"
#include "tests.h"

#define RUNS 60
#define SHIFTED 30 /* from here on the machine is slower by 4 % */
#define CHANGED 40 /* from here on function 3 has 10 % more to do */

static uint64_t state = 5;

/* A factor near 1: noise of 0.5 %. */
static double noise(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return 1 + 0.01 * ((double)(state >> 11) / 9007199254740992.0 - 0.5);
}

/* n functions, and the sum of all. */
static void set_make(struct series_set *set, size_t n)
{
	double sums[RUNS] = { 0 };
	struct series *s;
	char name[16];

	*set = (struct series_set){ .status = 0 };
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "f%zu", i);
		s = series_add(set, name);
		for (uint32_t run = 0; run < RUNS; run++) {
			double value = 1000.0 * (double)(i + 1) * noise() * (run < SHIFTED ? 1 : 1.04) *
				       (i == 3 && run >= CHANGED ? 1.1 : 1);

			series_put(s, run, value);
			sums[run] += value;
		}
		s->median = change_median(s->values, s->n);
	}
	s = series_add(set, SERIES_ALL);
	for (uint32_t run = 0; run < RUNS; run++)
		series_put(s, run, sums[run]);
	s->median = change_median(s->values, s->n);
}

static void a_shift_of_all_is_one_line(void)
{
	const struct series_choice choice = { .measure = HISTORY_UNPREEMPTED,
					      .level = 0.01,
					      .least_percent = 1 };
	struct series_set set;

	set_make(&set, 20);
	series_test(&set, &choice);
	CU_ASSERT_FATAL(set.n == 22);
	for (size_t i = 0; i < set.n; i++) {
		const struct series *s = &set.list[i];

		if (!strcmp(s->name, SERIES_SHIFT)) {
			CU_ASSERT_FATAL(s->is_shift && s->n_changes == 1);
			CU_ASSERT(s->changes[0].at == SHIFTED);
			CU_ASSERT(fabs(s->changes[0].after / s->changes[0].before - 1.04) < 0.005);
		} else if (!strcmp(s->name, "f3")) {
			CU_ASSERT_FATAL(s->n_changes == 1);
			CU_ASSERT(s->changes[0].at == CHANGED);
			CU_ASSERT(fabs(s->changes[0].after / s->changes[0].before - 1.1) < 0.005);
		} else if (strcmp(s->name, SERIES_ALL) != 0) {
			CU_ASSERT(!s->n_changes);
		}
	}
	series_release(&set);
}

static void eight_functions_are_enough(void)
{
	const struct series_choice choice = { .measure = HISTORY_UNPREEMPTED,
					      .level = 0.01,
					      .least_percent = 1 };
	struct series_set set;
	size_t n = 0;

	set_make(&set, 8);
	series_test(&set, &choice);
	for (size_t i = 0; i < set.n; i++)
		n += set.list[i].is_shift && set.list[i].n_changes == 1 &&
		     set.list[i].changes[0].at == SHIFTED;
	CU_ASSERT(set.n == 10 && n == 1);
	series_release(&set);
}

/* What most of seven do may be what the program does. */
static void few_functions_are_judged_alone(void)
{
	const struct series_choice choice = { .measure = HISTORY_UNPREEMPTED,
					      .level = 0.01,
					      .least_percent = 1 };
	struct series_set set;

	set_make(&set, 7);
	series_test(&set, &choice);
	CU_ASSERT_FATAL(set.n == 8);
	CU_ASSERT(set.list[0].n_changes == 1 && set.list[0].changes[0].at == SHIFTED);
	series_release(&set);
}

/* Calls do not depend on the machine. */
static void only_times_are_divided(void)
{
	const struct series_choice choice = { .measure = HISTORY_CALLS, .level = 0.01, .least_percent = 1 };
	struct series_set set;

	set_make(&set, 20);
	series_test(&set, &choice);
	CU_ASSERT(set.n == 21 && set.list[0].n_changes == 1);
	series_release(&set);
}

CU_TestInfo shift_tests[] = {
	{ "a shift of all is one line", a_shift_of_all_is_one_line },
	{ "eight functions are enough", eight_functions_are_enough },
	{ "few functions are judged alone", few_functions_are_judged_alone },
	{ "only times are divided", only_times_are_divided },
	CU_TEST_INFO_NULL,
};
