/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff.c - see diff.h: keeps the values of the runs, and compares them. */
#include "diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff_processes.h"
#include "diff_shares.h"
#include "rows/mixed_rows.h"
#include "rows/uncertainty.h"

const char *const diff_verdicts[2][6] = { { "same", "noise", "faster", "slower", "added", "removed" },
					  { "same", "noise", "less", "more", "added", "removed" } };

void diff_init(struct diff *diff, enum profile_by by, enum column column, size_t n_a, size_t n_b)
{
	*diff = (struct diff){
		.by = by, .column = column, .n_runs = n_a + n_b, .n_a = n_a, .alpha = DIFF_ALPHA
	};
	diff->totals = xcalloc(diff->n_runs, sizeof(*diff->totals));
}

void diff_release(struct diff *diff)
{
	free(diff->totals);
	free(diff->rows);
	free(diff->cells);
	free(diff->row_of_exact);
	free(diff->group_list);
	map_release(&diff->exact);
	map_release(&diff->groups);
	map_release(&diff->strings);
	base_names_release(&diff->bases);
	*diff = (struct diff){ 0 };
}

struct diff_cell *diff_cell(const struct diff *diff, uint32_t row, size_t run)
{
	return &diff->cells[row * diff->n_runs + run];
}

uint32_t diff_row_new(struct diff *diff)
{
	if (diff->n_rows == diff->size_rows) {
		size_t size = diff->size_rows ? 2 * diff->size_rows : 64;

		diff->rows = xrealloc(diff->rows, size, sizeof(*diff->rows));
		diff->cells = xrealloc(diff->cells, size, diff->n_runs * sizeof(*diff->cells));
		memset(diff->cells + diff->size_rows * diff->n_runs, 0,
		       (size - diff->size_rows) * diff->n_runs * sizeof(*diff->cells));
		diff->size_rows = size;
	}
	diff->rows[diff->n_rows] = (struct diff_row){ .parent = DIFF_NONE, .next_in_group = DIFF_NONE };
	return (uint32_t)diff->n_rows++;
}

/* ---- values ---------------------------------------------------------------------------------- */

int diff_total_of(enum column column)
{
	switch (column) {
	case COLUMN_ELAPSED_INCLUSIVE:
	case COLUMN_ELAPSED_EXCLUSIVE:
		return 1;
	case COLUMN_APPLICATION_INCLUSIVE:
	case COLUMN_APPLICATION_EXCLUSIVE:
		return 2;
	default:
		return 0;
	}
}

int diff_is_time(enum column column)
{
	const char *key = column_infos[column].key;
	size_t n = strlen(key);

	return n > 3 && !strcmp(key + n - 3, "_ns");
}

static double number(const struct profile *profile, const struct row *row, enum column column)
{
	struct value value = column_value(profile, row, column);

	return value.type == VALUE_COUNT			       ? (double)value.count
	       : value.type == VALUE_NS || value.type == VALUE_PERCENT ? (double)value.number
								       : 0;
}

/* The value that is compared; `preempted` is a part of the elapsed time. */
static double compared_number(const struct diff *diff, const struct profile *profile, const struct row *row)
{
	double value = number(profile, row, diff->column);
	const struct sums *s = &row->sums;

	if (!diff->is_unpreempted)
		return value;
	return fmax(0, value - (double)(diff->column == COLUMN_ELAPSED_INCLUSIVE ? s->preempted_inclusive
										 : s->preempted_exclusive));
}

/* Of the column: 1, of a mean the calls; 0: it is no time, and so certain. */
static double divisor(const struct row *row, enum column column)
{
	if (column_infos[column].family == FAMILY_AVERAGE)
		return (double)(row->calls ? row->calls : 1);
	return diff_total_of(column) ? 1 : 0;
}

/* As far as it is an estimate from samples. */
static double variance(const struct row *row, enum column column)
{
	double n = divisor(row, column);

	return n > 0 ? (double)uncertainty_variance(&row->sums, column_infos[column].which) / (n * n) : 0;
}

/* Half the width of the error bar of a corrected time; of a mean, that of a call. */
static double uncertainty(const struct row *row, enum column column)
{
	int is_exclusive = column == COLUMN_ELAPSED_EXCLUSIVE || column == COLUMN_APPLICATION_EXCLUSIVE ||
			   column == COLUMN_AVERAGE_EXCLUSIVE ||
			   column == COLUMN_AVERAGE_APPLICATION_EXCLUSIVE;
	const struct sums *s = &row->sums;
	long double low = is_exclusive ? s->overhead_exclusive - s->overhead_low_exclusive
				       : s->overhead_inclusive - s->overhead_low_inclusive;
	long double high = is_exclusive ? s->overhead_high_exclusive - s->overhead_exclusive
					: s->overhead_high_inclusive - s->overhead_inclusive;

	return divisor(row, column) > 0 ? (double)(low > high ? low : high) / divisor(row, column) : 0;
}

/* Of the run: what its column's values are parts of. */
static double whole_of(const struct diff *diff, size_t run)
{
	const struct diff_total *total = &diff->totals[run];

	return diff_total_of(diff->column) == 2 ? total->application : total->elapsed;
}

static double percent_of(double value, double total)
{
	return total > 0 ? 100 * value / total : 0;
}

static void cell_set(const struct diff *diff, struct diff_cell *cell, size_t run,
		     const struct profile *profile, const struct row *row)
{
	static const enum column columns[] = { COLUMN_CALLS, COLUMN_ELAPSED_INCLUSIVE,
					       COLUMN_ELAPSED_EXCLUSIVE, COLUMN_APPLICATION_INCLUSIVE,
					       COLUMN_APPLICATION_EXCLUSIVE };
	double whole = whole_of(diff, run);
	double *values = cell->values;

	cell->is_there = 1;
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		values[i] = number(profile, row, columns[i]);
	values[DIFF_COLUMN] = compared_number(diff, profile, row);
	values[DIFF_UNCERTAINTY] = uncertainty(row, diff->column);
	values[DIFF_VARIANCE] = variance(row, diff->column);
	values[DIFF_SHARE] =
		percent_of(diff_total_of(diff->column) ? values[DIFF_COLUMN] : values[DIFF_ELAPSED_INCLUSIVE],
			   whole);
	if (diff->is_relative) {
		values[DIFF_COLUMN] = percent_of(values[DIFF_COLUMN], whole);
		values[DIFF_UNCERTAINTY] = percent_of(values[DIFF_UNCERTAINTY], whole);
		values[DIFF_VARIANCE] = percent_of(percent_of(values[DIFF_VARIANCE], whole), whole);
	}
}

static struct diff_total total_of(const struct totals *totals)
{
	long double low = totals->overhead - totals->overhead_low;
	long double high = totals->overhead_high - totals->overhead;

	return (struct diff_total){ (double)totals->elapsed, (double)totals->application,
				    (double)(low > high ? low : high) };
}

const char diff_estimate_legend[] = OUTPUT_ESTIMATE ": estimate from samples";

void diff_note_source(struct diff *diff, uint32_t row, int side, const struct row *from, enum value_kind kind)
{
	diff->rows[row].are_calls_least[side] |= from->are_calls_least;
	diff->rows[row].source[side] |= (uint8_t)mixed_row_source(from, kind);
}

int diff_has_estimates(const struct diff *diff, const uint32_t *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++)
		if ((diff->rows[rows[i]].source[0] | diff->rows[rows[i]].source[1]) & SOURCE_ESTIMATE)
			return 1;
	return 0;
}

void diff_add(struct diff *diff, size_t run, const struct profile *profile, const char *exe)
{
	FREED uint32_t *rows = diff_match(diff, run, profile, exe);

	diff->totals[run] = total_of(&profile->totals);
	for (size_t i = 0; i < profile->n_rows && diff->is_unpreempted; i++)
		diff->totals[run].elapsed -= (double)profile->rows[i].sums.preempted_exclusive;
	for (size_t i = 0; i < profile->n_rows; i++)
		if (rows[i] != DIFF_NONE) {
			cell_set(diff, diff_cell(diff, rows[i], run), run, profile, &profile->rows[i]);
			diff_note_source(diff, rows[i], run >= diff->n_a, &profile->rows[i],
					 diff_total_of(diff->column) ? column_infos[diff->column].which
								     : VALUE_ELAPSED_INCLUSIVE);
		}
	if (diff->processes)
		diff_processes_take(diff, run, profile, rows);
}

int diff_has_interval(const struct diff *diff)
{
	return diff->n_runs > 2 || diff->is_single || diff->processes;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void means_of(const struct diff *diff, uint32_t number)
{
	struct diff_row *row = &diff->rows[number];
	size_t n[2] = { diff->n_a, diff->n_runs - diff->n_a };

	for (size_t run = 0; run < diff->n_runs; run++)
		for (int value = 0; value < DIFF_VALUES; value++)
			row->means[run >= diff->n_a][value] +=
				diff_cell(diff, number, run)->values[value] / (double)n[run >= diff->n_a];
	row->share = fmax(row->means[0][DIFF_SHARE], row->means[1][DIFF_SHARE]);
}

static struct difference difference(const struct diff *diff, const double *values, double alpha)
{
	return difference_of(values, diff->n_a, values + diff->n_a, diff->n_runs - diff->n_a, alpha);
}

static enum diff_verdict verdict_of(const struct difference *d)
{
	if (d->change == 0)
		return DIFF_SAME;
	if (fabs(d->change) <= d->half)
		return DIFF_NOISE;
	return d->change > 0 ? DIFF_MORE : DIFF_LESS;
}

static size_t runs_with(const struct diff *diff, uint32_t row, size_t first, size_t end)
{
	size_t n = 0;

	for (size_t run = first; run < end; run++)
		n += diff_cell(diff, row, run)->is_there != 0;
	return n;
}

/*
 * In all runs of one side and in none of the other: new or gone, for certain, however much its time
 * varies. If it is in some of the runs, its value decides, as for a change.
 */
static enum diff_verdict verdict_of_row(const struct diff *diff, uint32_t number)
{
	const struct diff_row *row = &diff->rows[number];
	size_t n_b = diff->n_runs - diff->n_a;
	size_t in_a = runs_with(diff, number, 0, diff->n_a);
	size_t in_b = runs_with(diff, number, diff->n_a, diff->n_runs);
	enum diff_verdict verdict = verdict_of(&row->difference);

	if (!in_a && (in_b == n_b || verdict == DIFF_MORE))
		return DIFF_ADDED;
	if (!in_b && (in_a == diff->n_a || verdict == DIFF_LESS))
		return DIFF_REMOVED;
	return verdict;
}

/*
 * What the correction is wrong by is much the same in all runs of a side, so no spread shows it; it
 * is a part of the change as far as the sides have different numbers of probes; so in processes of
 * one program. Of single runs all of it counts.
 */
static double correction_error(const struct diff *diff, const struct diff_row *row)
{
	double a = row->means[0][DIFF_UNCERTAINTY], b = row->means[1][DIFF_UNCERTAINTY];

	return diff->n_runs == 2 && !diff->processes ? a + b : fabs(b - a);
}

double diff_variance(const struct diff *diff, uint32_t row, int side)
{
	size_t n = side ? diff->n_runs - diff->n_a : diff->n_a;

	return diff->rows[row].means[side][DIFF_VARIANCE] / (double)n;
}

/* What samples make of it: several runs have that in their spread, too, but few may hide it. */
static double chance(const struct diff *diff, uint32_t number, double alpha)
{
	return shares_normal(alpha / 2) *
	       sqrt(diff_variance(diff, number, 0) + diff_variance(diff, number, 1));
}

/* Of calls that are known in part it is not known that they differ. */
static int is_unknown(const struct diff *diff, const struct diff_row *row)
{
	return diff->column == COLUMN_CALLS && (row->are_calls_least[0] || row->are_calls_least[1]);
}

/*
 * --single: how much single runs may differ by chance. Nobody knows; this is what is taken for it.
 * Short parts of a session vary by more of themselves than long ones: so there is a least part of
 * the session, too, where the column is a part of it.
 */
static double floor_of(const struct diff *diff, const struct difference *d)
{
	double of_value = fmax(fabs(d->a), fabs(d->b)) * diff->floor / 100, whole = 0;

	if (!diff->is_single || diff->n_runs != 2)
		return 0;
	for (size_t run = 0; run < 2 && diff_total_of(diff->column); run++)
		whole = fmax(whole, whole_of(diff, run));
	if (diff->is_relative)
		whole = 100;
	return fmax(of_value, whole * diff->floor / 100 / DIFF_FLOOR_PART);
}

static void compare_row(struct diff *diff, uint32_t number, double *values, double alpha)
{
	struct diff_row *row = &diff->rows[number];

	for (size_t run = 0; run < diff->n_runs; run++)
		values[run] = diff_cell(diff, number, run)->values[DIFF_COLUMN];
	row->difference =
		diff->processes ? diff_processes_row(diff, number, alpha) : difference(diff, values, alpha);
	row->difference.half = fmax(row->difference.half, chance(diff, number, alpha));
	row->difference.half += correction_error(diff, row) + floor_of(diff, &row->difference);
	if (is_unknown(diff, row))
		row->difference.half = fmax(row->difference.half, fabs(row->difference.change));
	row->verdict = verdict_of_row(diff, number);
}

static void compare_totals(struct diff *diff, double *values)
{
	for (size_t run = 0; run < diff->n_runs; run++)
		values[run] = whole_of(diff, run);
	diff->total = diff->processes ? diff_processes_total(diff, diff->alpha)
				      : difference(diff, values, diff->alpha);
	if (diff->n_runs == 2 && !diff->processes)
		diff->total.half +=
			diff->totals[0].uncertainty + diff->totals[1].uncertainty +
			fmax(diff->total.a, diff->total.b) * (diff->is_single ? diff->floor / 100 : 0);
	diff->total_verdict = verdict_of(&diff->total);
}

/* Gives a row of a column that is no time the larger of its shares: of the time, and of what the
 * column counts. */
static void share_of_counts(struct diff *diff, size_t run)
{
	double sum = 0;

	for (uint32_t i = 0; i < diff->n_rows; i++)
		sum += diff_cell(diff, i, run)->values[DIFF_COLUMN];
	for (uint32_t i = 0; i < diff->n_rows; i++) {
		double *values = diff_cell(diff, i, run)->values;

		values[DIFF_SHARE] = fmax(values[DIFF_SHARE], percent_of(values[DIFF_COLUMN], sum));
	}
}

void diff_compare(struct diff *diff, double threshold)
{
	FREED double *values = xcalloc(diff->n_runs, sizeof(*values));

	for (size_t run = 0; run < diff->n_runs && !diff_total_of(diff->column); run++)
		share_of_counts(diff, run);
	diff->n_compared = 0;
	for (uint32_t i = 0; i < diff->n_rows; i++) {
		means_of(diff, i);
		diff->n_compared += !diff->rows[i].is_left_out && diff->rows[i].share >= threshold;
	}
	for (uint32_t i = 0; i < diff->n_rows; i++)
		compare_row(diff, i, values, diff->alpha / (double)(diff->n_compared ? diff->n_compared : 1));
	compare_totals(diff, values);
}
