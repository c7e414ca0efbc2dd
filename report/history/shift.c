/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shift.h"

#include <stdlib.h>
#include <string.h>

#include "series.h"

/* Of fewer functions a change of some is one of most. */
#define FUNCTIONS_LEAST 8

static int is_judge(const struct series *s)
{
	return s->is_tested && s->median > 0 && strcmp(s->name, SERIES_ALL) != 0;
}

static uint32_t runs_of(const struct series_set *set)
{
	uint32_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		if (set->list[i].n && set->list[i].runs[set->list[i].n - 1] >= n)
			n = set->list[i].runs[set->list[i].n - 1] + 1;
	return n;
}

/* The median of how each function's value in the run is to its own median; 0: too few have one. */
static double factor_of(const struct series_set *set, uint32_t run, size_t *at, double *ratios)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->list[i];

		while (at[i] < s->n && s->runs[at[i]] < run)
			at[i]++;
		if (is_judge(s) && at[i] < s->n && s->runs[at[i]] == run)
			ratios[n++] = s->values[at[i]] / s->median;
	}
	return n < FUNCTIONS_LEAST ? 0 : change_median(ratios, n);
}

static void divide(struct series *s, const double *factors)
{
	for (size_t i = 0; i < s->n; i++)
		if (factors[s->runs[i]] > 0)
			s->values[i] /= factors[s->runs[i]];
	s->median = change_median(s->values, s->n);
}

static double median_of_all(const struct series_set *set)
{
	double sum = 0;

	for (size_t i = 0; i < set->n; i++)
		if (is_judge(&set->list[i]))
			sum += set->list[i].median;
	return sum;
}

void shift_separate(struct series_set *set)
{
	uint32_t n_runs = runs_of(set);
	FREED double *factors = xcalloc(n_runs + 1, sizeof(*factors));
	double all = median_of_all(set);
	FREED double *ratios = xcalloc(set->n + 1, sizeof(*ratios));
	FREED size_t *at = xcalloc(set->n + 1, sizeof(*at));
	size_t n_judges = 0;
	struct series *shift;

	for (size_t i = 0; i < set->n; i++)
		n_judges += (size_t)is_judge(&set->list[i]);
	for (uint32_t run = 0; run < n_runs && n_judges >= FUNCTIONS_LEAST; run++)
		factors[run] = factor_of(set, run, at, ratios);
	if (n_judges >= FUNCTIONS_LEAST) {
		for (size_t i = 0; i < set->n; i++)
			divide(&set->list[i], factors);
		shift = series_add(set, SERIES_SHIFT);
		for (uint32_t run = 0; run < n_runs; run++)
			if (factors[run] > 0)
				series_put(shift, run, factors[run] * all);
		shift->median = change_median(shift->values, shift->n);
		shift->is_tested = shift->n >= CHANGE_LEAST;
		shift->is_shift = 1;
	}
}
