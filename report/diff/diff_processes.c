/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "diff_processes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "output/items.h"
#include "rows/spread.h"

#define PROCESSES_LEAST 4 /* of a side whose deviation is held against one process of the other */
#define DEVIATIONS_LEAST 6.

int diff_processes_value(enum column column)
{
	switch (column) {
	case COLUMN_CALLS:
		return SPREAD_CALLS;
	case COLUMN_ELAPSED_INCLUSIVE:
		return SPREAD_ELAPSED_INCLUSIVE;
	case COLUMN_ELAPSED_EXCLUSIVE:
		return SPREAD_ELAPSED_EXCLUSIVE;
	case COLUMN_APPLICATION_INCLUSIVE:
		return SPREAD_APPLICATION_INCLUSIVE;
	case COLUMN_APPLICATION_EXCLUSIVE:
		return SPREAD_APPLICATION_EXCLUSIVE;
	case COLUMN_CPU_EXCLUSIVE:
		return SPREAD_CPU;
	default:
		return -1;
	}
}

/* ---- what is known of a side ----------------------------------------------------------------- */

/* From that of all there are to that of a sample: the next run's ranks will be others. */
static double sampled(double deviation, uint32_t n)
{
	return n > 1 ? deviation * sqrt((double)n / (n - 1)) : 0;
}

static struct process_spread spread_of(const struct profile *profile, const struct row *row, uint32_t n,
				       struct map *strings)
{
	struct process_spread to = { 0 };
	struct spread spread;
	long double bound;

	if (n == 1)
		return (struct process_spread){ .is_known = 1 };
	if (!spread_of_row(profile, row, &spread)) {
		to = (struct process_spread){ .is_known = 1,
					      .deviation = sampled((double)spread_deviation(&spread), n),
					      .n = spread.n,
					      .most = (double)spread.most,
					      .imbalance = (double)spread_imbalance(&spread),
					      .who = map_keep(strings, spread.who_most) };
		return to;
	}
	bound = spread_bound_of_row(profile, row);
	if (bound >= 0)
		to = (struct process_spread){ .is_known = 1,
					      .is_bound = 1,
					      .deviation = sampled((double)bound, n) };
	return to;
}

void diff_processes_take(struct diff *diff, size_t run, const struct profile *profile, const uint32_t *rows)
{
	struct diff_processes *p = diff->processes;
	const struct spreads *spreads = &profile->spreads;
	int is_application = diff_total_of(diff->column) == 2;

	p->n[run] = (uint32_t)spreads->n;
	p->is_merged[run] = spreads->n_merged == 1 && !spreads->n_alone;
	p->total_deviation[run] =
		sampled(sqrt((double)spread_variance_of_total(profile, is_application)), p->n[run]);
	if (diff->n_rows)
		ARRAY_REACH_ZEROED(p->rows, diff->n_rows - 1, p->size);
	for (size_t i = 0; i < profile->n_rows; i++)
		if (rows[i] != DIFF_NONE)
			p->rows[rows[i]][run] =
				spread_of(profile, &profile->rows[i], p->n[run], &diff->strings);
}

void diff_processes_release(struct diff_processes *processes)
{
	free(processes->rows);
	*processes = (struct diff_processes){ 0 };
}

/* ---- comparing ------------------------------------------------------------------------------- */

void diff_processes_apply(struct diff *diff)
{
	struct diff_processes *p = diff->processes;

	if (diff->n_rows)
		ARRAY_REACH_ZEROED(p->rows, diff->n_rows - 1, p->size);
	for (size_t run = 0; run < 2; run++) {
		double n = p->n[run] ? p->n[run] : 1;

		for (uint32_t row = 0; row < diff->n_rows; row++) {
			double *values = diff_cell(diff, row, run)->values;

			for (int value = 0; value < DIFF_VALUES; value++)
				values[value] /= value == DIFF_SHARE ? 1 : value == DIFF_VARIANCE ? n * n : n;
		}
		diff->totals[run].elapsed /= n;
		diff->totals[run].application /= n;
		diff->totals[run].uncertainty /= n;
	}
}

static struct moments moments_of(const struct diff_processes *p, int side, double mean, double deviation)
{
	return (struct moments){ mean, deviation * deviation, p->n[side] };
}

/*
 * Welch's degrees of freedom are an estimate, which is too good far out in the tails where one side
 * has few processes: of 30 rows of equal jobs of 4 and 48 it calls one changed in 24 % of all
 * comparisons, not in 5. Those of the smaller side are a bound that always holds.
 */
static struct difference compared(const struct moments of[2], double alpha)
{
	struct difference d = difference_of_moments(&of[0], &of[1], alpha);
	double freedom = (of[0].n < of[1].n ? of[0].n : of[1].n) - 1;

	if (freedom < 1 || freedom >= d.freedom)
		return d;
	d.half *= student_quantile(1 - alpha / 2, freedom) / student_quantile(1 - alpha / 2, d.freedom);
	d.freedom = freedom;
	return d;
}

/* Returns the moments of the processes of both sides, without the one that has most on one side. */
static struct moments others_of(const struct moments of[2], double most)
{
	struct moments others = { .n = of[0].n + of[1].n - 1 };
	double sum = of[0].mean * of[0].n + of[1].mean * of[1].n - most, squares = -most * most;

	for (int i = 0; i < 2; i++)
		squares += (of[i].n - 1) * of[i].variance + of[i].n * of[i].mean * of[i].mean;
	others.mean = sum / others.n;
	others.variance = fmax(squares - sum * others.mean, 0) / (others.n - 1);
	return others;
}

/*
 * One slow process hides in the mean, as it makes the deviation that the mean is judged by. So it
 * counts by itself, if it has more than all others of both sides let expect of the one with most,
 * by Student's distribution and by DEVIATIONS_LEAST, and would have if it varied as much of itself
 * as they do. Then the mean has grown by its part of what is beyond: the others may be as they
 * were. What varies by a sixth and more, as waits do, never counts.
 */
static void judge_by_most(const struct diff_processes *p, uint32_t row, const struct moments of[2],
			  double alpha, struct difference *d)
{
	int side = d->change > 0;
	const struct process_spread *spread = p->rows[row];
	double most = spread[side].most, least, deviations, deviation;
	struct moments others;

	if (spread[!side].n < PROCESSES_LEAST || spread[!side].n != p->n[!side] || !spread[side].n)
		return;
	others = others_of(of, most);
	deviation = sqrt(others.variance);
	deviations = fmax(student_quantile(1 - alpha / 2 / of[side].n, others.n - 1), DEVIATIONS_LEAST);
	least = most * (1 - deviations * deviation / others.mean) - others.mean - deviations * deviation;
	if (others.mean > 0 && least > 0)
		d->half = fmin(d->half, fmax(fabs(d->change) - least / of[side].n, 0));
}

/* A side that does not have the row has it 0 times in each process. */
struct difference diff_processes_row(const struct diff *diff, uint32_t row, double alpha)
{
	const struct diff_processes *p = diff->processes;
	struct moments of[2];
	struct difference d;
	int is_known = 1;

	for (int side = 0; side < 2; side++) {
		const struct diff_cell *cell = diff_cell(diff, row, (size_t)side);
		const struct process_spread *spread = &p->rows[row][side];

		of[side] = moments_of(p, side, cell->values[DIFF_COLUMN], spread->deviation);
		is_known &= !cell->is_there || spread->is_known;
	}
	d = compared(of, alpha);
	if (is_known)
		judge_by_most(p, row, of, alpha, &d);
	else
		d.half = INFINITY;
	return d;
}

struct difference diff_processes_total(const struct diff *diff, double alpha)
{
	struct moments of[2];

	for (int side = 0; side < 2; side++) {
		const struct diff_total *total = &diff->totals[side];

		of[side] = moments_of(diff->processes, side,
				      diff_total_of(diff->column) == 2 ? total->application : total->elapsed,
				      diff->processes->total_deviation[side]);
	}
	return compared(of, alpha);
}

/* ---- shown ----------------------------------------------------------------------------------- */

void diff_processes_put_most(struct strbuf *text, const struct diff *diff, uint32_t row, int side)
{
	const struct process_spread *spread = &diff->processes->rows[row][side];
	const char *who = spread->who;

	if (!spread->n)
		return;
	strbuf_printf(text, "%.0f %%", 100 * spread->imbalance);
	/* "rank 3", "pid 812" */
	strbuf_printf(text, " @%s", who && !strncmp(who, "rank ", 5) ? who + 5 : who ? who : "");
}

static const char *const keys[2][DIFF_PROCESSES_KEYS / 2] = {
	{ "processes_a", "deviation_a", "deviation_bound_a", "most_a", "most_who_a", "imbalance_percent_a" },
	{ "processes_b", "deviation_b", "deviation_bound_b", "most_b", "most_who_b", "imbalance_percent_b" },
};

size_t diff_processes_columns(const char **names)
{
	memcpy(names, keys, sizeof(keys));
	return DIFF_PROCESSES_KEYS;
}

static void put_number(struct items *items, const char *key, int is_known, double number, int decimals)
{
	if (is_known)
		items_decimal(items, key, number, number != rint(number) ? decimals : 0);
	else
		items_none(items, key);
}

void diff_processes_put(struct items *items, const struct diff *diff, uint32_t row)
{
	int decimals = diff_is_time(diff->column) ? 0 : 6;

	for (int side = 0; side < 2; side++) {
		const struct process_spread *s = &diff->processes->rows[row][side];

		/* that have it, as far as that is known */
		put_number(items, keys[side][0], s->n, s->n, 0);
		put_number(items, keys[side][1], s->is_known, s->deviation, decimals);
		items_text(items, keys[side][2], s->is_bound ? "most" : NULL);
		put_number(items, keys[side][3], s->n, s->most, decimals);
		items_text(items, keys[side][4], s->n ? s->who : NULL);
		put_number(items, keys[side][5], s->n, 100 * s->imbalance, 6);
	}
}

static size_t count_bounds(const struct diff_view *view)
{
	const struct diff_processes *p = view->diff->processes;
	size_t n = 0;

	for (size_t i = 0; i < view->n_rows; i++)
		n += p->rows[view->rows[i]][0].is_bound || p->rows[view->rows[i]][1].is_bound;
	return n;
}

void diff_processes_foot(FILE *out, const struct diff_view *view, int label)
{
	const struct diff_processes *p = view->diff->processes;
	size_t n = count_bounds(view);

	fprintf(out,
		"%u and %u processes: means of a process are compared%s; +- is by how much processes "
		"differ, and holds for all rows at once (%g %%); noise: may be 0\n",
		p->n[0], p->n[1], p->n[0] == p->n[1] ? "" : ", as the numbers differ",
		100 * (1 - view->diff->alpha));
	if (p->n[0] < 2 || p->n[1] < 2)
		fprintf(out, "%*sOne process on one side: the other side's spread is taken for both\n", label,
			"");
	if (n)
		fprintf(out,
			"%*s%zu row%s of several call paths: +- may be less than that (--by=path is exact)\n",
			label, "", n, n == 1 ? "" : "s");
}
