/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff_shares.c - see diff_shares.h: keeps the shares of the runs, and compares them. */
#include "diff_shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rows/uncertainty.h"
#include "values/wilson_interval.h"

#define BISECTIONS 100

const char *const shares_verdicts[2][6] = {
	{ "same", "noise", "less", "more", "added", "removed" },
	{ "agrees", "agrees", "lower", "higher", "only probes", "only samples" },
};

void shares_init(struct shares *shares, enum shares_kind kind, size_t n_runs)
{
	*shares = (struct shares){ .kind = kind, .most = DIFF_NONE, .sees_kernel = 1 };
	shares->samples = xcalloc(n_runs, sizeof(*shares->samples));
}

void shares_release(struct shares *shares)
{
	free(shares->samples);
	free(shares->rows);
	free(shares->edges);
	free(shares->jumps);
	map_release(&shares->jump_keys);
	map_release(&shares->edge_keys);
	*shares = (struct shares){ 0 };
}

/* ---- adding runs ----------------------------------------------------------------------------- */

static double percent_of(long double value, long double whole)
{
	return whole > 0 ? (double)(100 * value / whole) : 0;
}

/* Rows come with each run. */
void shares_rows_grow(struct diff *diff)
{
	struct shares *shares = diff->shares;

	if (diff->n_rows <= shares->n_rows)
		return;
	shares->rows = xrealloc(shares->rows, diff->n_rows, sizeof(*shares->rows));
	memset(shares->rows + shares->n_rows, 0, (diff->n_rows - shares->n_rows) * sizeof(*shares->rows));
	shares->n_rows = diff->n_rows;
}

/* The value that is compared, of those that there are. */
void shares_cell_finish(const struct diff *diff, struct diff_cell *cell)
{
	double *values = cell->values;

	cell->is_there = 1;
	values[DIFF_COLUMN] =
		values[diff->shares->is_inclusive ? DIFF_ELAPSED_INCLUSIVE : DIFF_ELAPSED_EXCLUSIVE];
	values[DIFF_SHARE] = values[DIFF_COLUMN];
}

static void add_sampled(const struct diff *diff, struct diff_cell *cell, const struct profile *profile,
			const struct row *row)
{
	const struct sums *sums = &row->sums;

	cell->values[DIFF_ELAPSED_INCLUSIVE] = percent_of(sums->elapsed_inclusive, profile->totals.elapsed);
	cell->values[DIFF_ELAPSED_EXCLUSIVE] = percent_of(sums->elapsed_exclusive, profile->totals.elapsed);
	shares_cell_finish(diff, cell);
}

/* The variance of the share, in points squared, as far as it is an estimate of a mixed session. */
static double estimate_variance(const struct shares *shares, const struct sums *s, long double whole)
{
	enum value_kind kind = shares->is_inclusive ? VALUE_ELAPSED_INCLUSIVE : VALUE_ELAPSED_EXCLUSIVE;

	return whole > 0 ? (double)(10000 * uncertainty_variance(s, kind) / (whole * whole)) : 0;
}

/* What the share may be wrong by, as the probes' cost is not known better. */
static double uncertainty(const struct shares *shares, const struct sums *s, long double whole)
{
	long double low = s->overhead_exclusive - s->overhead_low_exclusive;
	long double high = s->overhead_high_exclusive - s->overhead_exclusive;

	if (shares->is_inclusive) {
		low = s->overhead_inclusive - s->overhead_low_inclusive;
		high = s->overhead_high_inclusive - s->overhead_inclusive;
	}
	if (!shares->is_elapsed)
		low = high = shares->is_inclusive ? s->application_uncertainty_inclusive
						  : s->application_uncertainty_exclusive;
	return percent_of(low > high ? low : high, whole);
}

static void add_instrumented(const struct diff *diff, struct diff_cell *cell, const struct profile *profile,
			     const struct row *row)
{
	const struct shares *shares = diff->shares;
	const struct sums *s = &row->sums;
	long double whole = shares->is_elapsed ? profile->totals.elapsed : profile->totals.application;

	cell->values[DIFF_CALLS] = (double)row->calls;
	cell->values[DIFF_ELAPSED_INCLUSIVE] =
		percent_of(shares->is_elapsed ? s->elapsed_inclusive : s->application_inclusive, whole);
	cell->values[DIFF_ELAPSED_EXCLUSIVE] =
		percent_of(shares->is_elapsed ? s->elapsed_exclusive : s->application_exclusive, whole);
	cell->values[DIFF_UNCERTAINTY] = uncertainty(shares, s, whole);
	cell->values[DIFF_VARIANCE] = estimate_variance(shares, s, whole);
	shares_cell_finish(diff, cell);
}

void shares_add(struct diff *diff, size_t run, const struct profile *profile, const char *exe,
		const struct profile *paths)
{
	const struct map *instrumented = &profile->totals.facts.instrumented;
	FREED uint32_t *rows = diff_match(diff, run, profile, exe);

	shares_rows_grow(diff);
	if (profile_is_sampled(profile))
		shares_run_note(diff, run, profile);
	else if (run == diff->n_a)
		diff->shares->is_elapsed = !totals_has_application(&profile->totals);
	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct row *row = &profile->rows[i];

		if (rows[i] == DIFF_NONE)
			continue;
		if (profile_is_sampled(profile)) {
			add_sampled(diff, diff_cell(diff, rows[i], run), profile, row);
			continue;
		}
		add_instrumented(diff, diff_cell(diff, rows[i], run), profile, row);
		diff_note_source(diff, rows[i], 1, row,
				 diff->shares->is_inclusive ? VALUE_ELAPSED_INCLUSIVE
							    : VALUE_ELAPSED_EXCLUSIVE);
		if (row->module && map_find(instrumented, row->module, strlen(row->module)) != MAP_NONE)
			diff->shares->rows[rows[i]].has_probes = 1;
	}
	if (paths)
		shares_edges_add(diff, profile, rows, paths);
}

void shares_run_note(struct diff *diff, size_t run, const struct profile *profile)
{
	const struct totals *totals = &profile->totals;

	diff->shares->samples[run] = (double)totals->elapsed;
	diff->shares->sees_kernel &= totals->samples.with_kernel == totals->samples.processes;
}

/* ---- intervals ------------------------------------------------------------------------------- */

double shares_normal(double p)
{
	double low = 0, high = 40;

	for (int i = 0; i < BISECTIONS; i++) {
		double middle = (low + high) / 2;

		if (erfc(middle / sqrt(2)) / 2 > p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

static size_t side_first(const struct diff *diff, int side)
{
	return side ? diff->n_a : 0;
}

static size_t side_end(const struct diff *diff, int side)
{
	return side ? diff->n_runs : diff->n_a;
}

double shares_samples(const struct diff *diff, int side)
{
	double sum = 0;

	for (size_t run = side_first(diff, side); run < side_end(diff, side); run++)
		sum += diff->shares->samples[run];
	return sum;
}

/* Samples of a side that are a row's. */
static double count_of(const struct diff *diff, uint32_t row, int side, enum diff_value value)
{
	double sum = 0;

	for (size_t run = side_first(diff, side); run < side_end(diff, side); run++)
		sum += diff_cell(diff, row, run)->values[value] * diff->shares->samples[run] / 100;
	return rint(sum);
}

struct shares_range shares_range_of(const struct diff *diff, uint32_t row, int side, enum diff_value value)
{
	double n = shares_samples(diff, side), mean = diff->rows[row].means[side][value], error;
	struct share share;

	if (n > 0) {
		share = share_of(count_of(diff, row, side, value), n);
		return (struct shares_range){ (double)(100 * share.low), (double)(100 * share.high) };
	}
	error = value == (diff->shares->is_inclusive ? DIFF_ELAPSED_INCLUSIVE : DIFF_ELAPSED_EXCLUSIVE)
			? hypot(diff->rows[row].means[side][DIFF_UNCERTAINTY],
				shares_normal(DIFF_ALPHA / 2) * sqrt(diff_variance(diff, row, side)))
			: 0;
	return (struct shares_range){ fmax(0, mean - error), fmin(100, mean + error) };
}

/* The variance of a side's share by chance, in points squared; of few samples none is certain
 * (Agresti and Coull). */
static double variance_of(const struct diff *diff, uint32_t row, int side, double z)
{
	double n = shares_samples(diff, side), share;

	if (n <= 0)
		return diff_variance(diff, row, side);
	share = (count_of(diff, row, side, DIFF_COLUMN) + z * z / 2) / (n + z * z);
	return 10000 * share * (1 - share) / (n + z * z);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static int is_on_side(const struct diff *diff, uint32_t row, int side)
{
	for (size_t run = side_first(diff, side); run < side_end(diff, side); run++)
		if (diff_cell(diff, row, run)->is_there)
			return 1;
	return 0;
}

/* What only samples know of counts by itself: that it is below main() as well is not what is asked
 * for. */
static void share_of_row(const struct diff *diff, uint32_t number)
{
	struct diff_row *row = &diff->rows[number];

	if (diff->shares->kind == SHARES_BESIDE && !is_on_side(diff, number, 1))
		row->share = row->means[0][DIFF_ELAPSED_EXCLUSIVE];
	else
		row->share = fmax(row->means[0][DIFF_SHARE], row->means[1][DIFF_SHARE]);
}

static void means_of(const struct diff *diff, uint32_t number)
{
	struct diff_row *row = &diff->rows[number];

	for (int side = 0; side < 2; side++) {
		size_t n = side_end(diff, side) - side_first(diff, side);

		for (int value = 0; value < DIFF_VALUES; value++)
			row->means[side][value] = 0;
		for (size_t run = side_first(diff, side); run < side_end(diff, side); run++)
			for (int value = 0; value < DIFF_VALUES; value++)
				row->means[side][value] +=
					diff_cell(diff, number, run)->values[value] / (double)n;
	}
	share_of_row(diff, number);
}

/* One side does not know it: a share that is smaller than what chance may hide is not reported. */
static enum diff_verdict verdict_of(const struct diff *diff, uint32_t number)
{
	const struct difference *d = &diff->rows[number].difference;
	int is_a = is_on_side(diff, number, 0), is_b = is_on_side(diff, number, 1);

	if (is_a != is_b && fabs(d->change) > d->half)
		return is_b ? DIFF_ADDED : DIFF_REMOVED;
	if (fabs(d->change) <= d->half)
		return d->change == 0 ? DIFF_SAME : DIFF_NOISE;
	return d->change > 0 ? DIFF_MORE : DIFF_LESS;
}

static void compare_row(struct diff *diff, uint32_t number, double *values, double alpha)
{
	struct diff_row *row = &diff->rows[number];
	size_t n_b = diff->n_runs - diff->n_a;
	double z = shares_normal(alpha / 2), chance;

	for (size_t run = 0; run < diff->n_runs; run++)
		values[run] = diff_cell(diff, number, run)->values[DIFF_COLUMN];
	row->difference = difference_of(values, diff->n_a, values + diff->n_a, n_b, alpha);
	chance = sqrt(variance_of(diff, number, 0, z) + variance_of(diff, number, 1, z));
	diff->shares->rows[number].by_chance = chance * sqrt(2 / M_PI);
	row->difference.half = fmax(row->difference.half, z * chance) + row->means[0][DIFF_UNCERTAINTY] +
			       row->means[1][DIFF_UNCERTAINTY];
	row->verdict = verdict_of(diff, number);
}

/* Exclusive shares add up to the whole, so half of what they differ by is in other functions. */
static void distortion_find(struct diff *diff)
{
	struct shares *shares = diff->shares;
	double most = 0, z2 = 1.96 * 1.96;

	for (uint32_t i = 0; i < diff->n_rows; i++) {
		const struct diff_row *row = &diff->rows[i];
		double a = row->means[0][DIFF_ELAPSED_EXCLUSIVE], b = row->means[1][DIFF_ELAPSED_EXCLUSIVE];
		double n[2] = { shares_samples(diff, 0), shares_samples(diff, 1) }, variance = 0;
		double share = (a + b) / 200;

		for (int side = 0; side < 2; side++)
			variance += n[side] > 0		   ? share * (1 - share) / (n[side] + z2)
				    : shares->is_inclusive ? 0
							   : diff_variance(diff, i, side) / 10000;
		shares->by_chance += 100 * sqrt(variance * 2 / M_PI) / 2;
		shares->distortion += fabs(b - a) / 2;
		if (fabs(b - a) > most) {
			most = fabs(b - a);
			shares->most = i;
		}
		shares->folded += shares->rows[i].folded;
		shares->n_folded += shares->rows[i].folded > 0;
	}
}

void shares_compare(struct diff *diff, double threshold)
{
	FREED double *values = xcalloc(diff->n_runs, sizeof(*values));

	shares_rows_grow(diff);
	diff->n_compared = 0;
	for (uint32_t i = 0; i < diff->n_rows; i++) {
		means_of(diff, i);
		diff->n_compared += !diff->rows[i].is_left_out && diff->rows[i].share >= threshold;
	}
	for (uint32_t i = 0; i < diff->n_rows; i++)
		compare_row(diff, i, values, DIFF_ALPHA / (double)(diff->n_compared ? diff->n_compared : 1));
	distortion_find(diff);
}
