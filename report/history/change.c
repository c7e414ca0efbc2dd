/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/order.h"
#include "lib/util.h"

/* So many are simulated for each length; more, where the few leave in doubt what the level says. */
#define ORDERS_FEW 9999
#define ORDERS_MANY 199999
#define DOUBT 20   /* levels */
#define LADDER 1.1 /* a length by the one before */
#define CHANCE_LEAST 1e-12
#define SEED UINT64_C(0x9e3779b97f4a7c15)

struct change_ladder {
	size_t n;
	double *reached; /* [n_orders], ascending */
	size_t n_orders;
};

void change_null_release(struct change_null *null)
{
	for (size_t i = 0; i < null->n; i++)
		free(null->steps[i].reached);
	free(null->steps);
	*null = (struct change_null){ 0 };
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static int compare_values(const void *a, const void *b, void *arg)
{
	const double *values = arg, x = values[*(const size_t *)a], y = values[*(const size_t *)b];

	return (x > y) - (x < y);
}

/* From 1; equal values have the mean of theirs. */
static void ranks_of(const double *values, size_t n, double *ranks)
{
	FREED size_t *order = xcalloc(n + 1, sizeof(*order));

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	util_sort(order, n, sizeof(*order), compare_values, (void *)(uintptr_t)values);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && values[order[to]] <= values[order[from]];)
			to++;
		for (size_t i = from; i < to; i++)
			ranks[order[i]] = ((double)from + 1 + (double)to) / 2;
	}
}

static double greatest(const double *ranks, size_t n, size_t *place)
{
	double sum = 0, most = 0, all = (double)n, mean = (all + 1) / 2, scale = (all + 1) / 12;

	*place = 0;
	for (size_t k = 1; k < n; k++) {
		double at = (double)k, off, square;

		sum += ranks[k - 1];
		off = sum - at * mean;
		square = off * off / (at * (all - at) * scale);
		if (square > most) {
			most = square;
			*place = k;
		}
	}
	return sqrt(most);
}

double change_statistic(const double *values, size_t n, size_t *place)
{
	FREED double *ranks = xcalloc(n + 1, sizeof(*ranks));

	ranks_of(values, n, ranks);
	return greatest(ranks, n, place);
}

/* ---- by chance ------------------------------------------------------------------------------- */

/* splitmix64 */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

ORDER_ITEMS(compare_doubles, double, ORDER(*x, *y))

static void simulate(struct change_ladder *step, size_t n, size_t n_orders)
{
	FREED double *ranks = xcalloc(n, sizeof(*ranks));
	uint64_t state = SEED + n;
	size_t place;

	step->n = n;
	step->n_orders = n_orders;
	free(step->reached);
	step->reached = xcalloc(n_orders, sizeof(*step->reached));
	for (size_t i = 0; i < n; i++)
		ranks[i] = (double)(i + 1);
	for (size_t order = 0; order < n_orders; order++) {
		for (size_t i = n; i-- > 1;) {
			size_t other = (size_t)(((random_next(&state) >> 32) * (i + 1)) >> 32);
			double kept = ranks[i];

			ranks[i] = ranks[other];
			ranks[other] = kept;
		}
		step->reached[order] = greatest(ranks, n, &place);
	}
	util_sort(step->reached, n_orders, sizeof(*step->reached), compare_doubles, NULL);
}

/* n itself where it is small, else the next of the ladder. */
static size_t ladder_length(size_t n)
{
	size_t length = CHANGE_LEAST;

	while (length < n) {
		size_t next = (size_t)((double)length * LADDER);

		length = next > length ? next : length + 1;
	}
	return length;
}

static struct change_ladder *ladder_step(struct change_null *null, size_t n)
{
	size_t length = ladder_length(n);

	for (size_t i = 0; i < null->n; i++)
		if (null->steps[i].n == length)
			return &null->steps[i];
	ARRAY_ROOM(null->steps, null->n, null->size, 8);
	null->steps[null->n] = (struct change_ladder){ 0 };
	simulate(&null->steps[null->n], length, ORDERS_FEW);
	return &null->steps[null->n++];
}

/* The share of the orders that reach it, this one among them. */
static double share_of(const struct change_ladder *step, double statistic)
{
	size_t below = 0, above = step->n_orders;

	while (below < above) { /* the first that reaches it */
		size_t middle = (below + above) / 2;

		if (step->reached[middle] < statistic - 1e-9)
			below = middle + 1;
		else
			above = middle;
	}
	return (double)(step->n_orders - below + 1) / (double)(step->n_orders + 1);
}

double change_chance(struct change_null *null, double statistic, size_t n, double level)
{
	double bound = (double)(n - 1) * erfc(statistic / sqrt(2)), simulated;
	struct change_ladder *step;

	if (bound * ORDERS_MANY <= 1)
		return bound < CHANCE_LEAST ? CHANCE_LEAST : bound;
	step = ladder_step(null, n);
	simulated = share_of(step, statistic);
	if (step->n_orders == ORDERS_FEW && simulated < DOUBT * level) {
		simulate(step, step->n, ORDERS_MANY);
		simulated = share_of(step, statistic);
	}
	return bound < simulated ? bound : simulated;
}

/* ---- changes --------------------------------------------------------------------------------- */

double change_median(const double *values, size_t n)
{
	FREED double *sorted = xcalloc(n + 1, sizeof(*sorted));

	memcpy(sorted, values, n * sizeof(*sorted));
	util_sort(sorted, n, sizeof(*sorted), compare_doubles, NULL);
	return n ? (sorted[n / 2] + sorted[(n - 1) / 2]) / 2 : 0;
}

struct finding {
	struct change_null *null;
	const double *values;
	double level;
	struct change *list;
	size_t n, size;
};

static void find(struct finding *f, size_t from, size_t n)
{
	double statistic, chance;
	size_t place;

	if (n < CHANGE_LEAST)
		return;
	statistic = change_statistic(f->values + from, n, &place);
	chance = change_chance(f->null, statistic, n, f->level);
	if (chance > f->level)
		return;
	find(f, from, place);
	ARRAY_ROOM(f->list, f->n, f->size, 8);
	f->list[f->n++] = (struct change){ .at = from + place, .chance = chance };
	find(f, from + place, n - place);
}

struct change *changes_find(struct change_null *null, const double *values, size_t n, double level,
			    size_t *n_changes)
{
	struct finding f = { null, values, level, NULL, 0, 0 };

	find(&f, 0, n);
	for (size_t i = 0; i < f.n; i++) {
		size_t before = i ? f.list[i - 1].at : 0, at = f.list[i].at;
		size_t end = i + 1 < f.n ? f.list[i + 1].at : n;

		f.list[i].before = change_median(values + before, at - before);
		f.list[i].after = change_median(values + at, end - at);
	}
	*n_changes = f.n;
	return f.list;
}
