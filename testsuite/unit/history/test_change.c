/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "history/change.h"
#include "tests.h"

static struct change_null null;
static uint64_t state = 21;

static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
}

/* Most runs alike, one of twenty far off, to the slow side: as machines of a CI are. */
static double crooked(void)
{
	return uniform() < 0.05 ? 10 * uniform() : 0.1 * uniform();
}

static double even(void)
{
	return floor(4 * uniform());
}

/* Of so many series without a change, the share in which one is found. */
static double false_alarms(double (*draw)(void), size_t n, double level, int series)
{
	double values[200];
	int found = 0;

	for (int i = 0; i < series; i++) {
		struct change *changes;
		size_t n_changes;

		for (size_t k = 0; k < n; k++)
			values[k] = 100 + draw();
		changes = changes_find(&null, values, n, level, &n_changes);
		found += n_changes != 0;
		free(changes);
	}
	return (double)found / series;
}

/* With 2,000 series a rate of 5 % is seen as 3.1 to 6.9 % (four standard deviations). */
static void as_many_false_alarms_as_said(void)
{
	static const size_t lengths[] = { 6, 20, 60 };

	for (size_t i = 0; i < 3; i++) {
		double of_normal = false_alarms(normal, lengths[i], 0.05, 2000);
		double of_crooked = false_alarms(crooked, lengths[i], 0.05, 2000);

		CU_ASSERT(of_normal <= 0.0695);
		CU_ASSERT(of_crooked <= 0.0695);
		if (lengths[i] > 6) { /* of six values few orders are rare enough */
			CU_ASSERT(of_normal >= 0.025);
			CU_ASSERT(of_crooked >= 0.025);
		}
	}
	CU_ASSERT(false_alarms(even, 60, 0.05, 2000) <= 0.0695);
	/* one of ten thousand: where simulation ends and the bound begins */
	CU_ASSERT(false_alarms(normal, 40, 0.0001, 2000) <= 0.0015);
}

/* A step of 5 % in noise of 2 %: found in so many of 1,000 series, at its place or beside it. */
static void step(size_t before, size_t after, double level, double *found, double *at_place)
{
	double values[200];

	*found = *at_place = 0;
	for (int i = 0; i < 1000; i++) {
		struct change *changes;
		size_t n;

		for (size_t k = 0; k < before + after; k++)
			values[k] = (k < before ? 100 : 105) + 2 * normal();
		changes = changes_find(&null, values, before + after, level, &n);
		for (size_t k = 0; k < n; k++)
			if (changes[k].after > changes[k].before + 3) {
				*found += 0.001;
				*at_place += fabs((double)changes[k].at - (double)before) <= 2 ? 0.001 : 0;
				break;
			}
		free(changes);
	}
}

static void five_percent_in_noise_of_two(void)
{
	double found, at_place;

	step(30, 10, 0.01, &found, &at_place);
	CU_ASSERT(found >= 0.97);
	CU_ASSERT(at_place >= 0.85);
	step(50, 8, 0.01, &found, &at_place);
	CU_ASSERT(found >= 0.85);
	step(50, 14, 0.0002, &found, &at_place); /* one of fifty functions */
	CU_ASSERT(found >= 0.97);
}

static void steps_that_are_plain(void)
{
	double values[60];
	struct change *changes;
	size_t n;

	for (size_t i = 0; i < 60; i++)
		values[i] = i < 20 ? 7 : i < 40 ? 9 : 8;
	changes = changes_find(&null, values, 60, 0.001, &n);
	CU_ASSERT_FATAL(n == 2);
	CU_ASSERT(changes[0].at == 20 && changes[0].before == 7 && changes[0].after == 9);
	CU_ASSERT(changes[1].at == 40 && changes[1].before == 9 && changes[1].after == 8);
	free(changes);
	for (size_t i = 0; i < 60; i++)
		values[i] = 7;
	changes = changes_find(&null, values, 60, 0.5, &n);
	CU_ASSERT(n == 0);
	free(changes);
	values[59] = 1e9; /* a single one */
	changes = changes_find(&null, values, 60, 0.05, &n);
	CU_ASSERT(n == 0);
	free(changes);
	changes = changes_find(&null, values, 5, 1, &n);
	CU_ASSERT(n == 0);
	free(changes);
	CU_ASSERT(change_median(values, 2) == 7);
	change_null_release(&null);
}

CU_TestInfo change_tests[] = {
	{ "as many false alarms as said", as_many_false_alarms_as_said },
	{ "5 % in noise of 2 %", five_percent_in_noise_of_two },
	{ "steps that are plain", steps_that_are_plain },
	CU_TEST_INFO_NULL,
};
