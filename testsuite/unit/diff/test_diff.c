/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What cinstr diff takes for the same thing, and what it takes for a change. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff.h"
#include "tests.h"

/* ---- statistics ------------------------------------------------------------------------------ */

/* Against printed tables, and the closed form for 1 and 2 degrees of freedom. */
static void quantiles_of_student(void)
{
	static const struct {
		double p, freedom, t;
	} table[] = {
		{ 0.975, 1, 12.7062 },	 { 0.975, 2, 4.30265 },	  { 0.975, 4, 2.77645 },
		{ 0.975, 10, 2.22814 },	 { 0.975, 30, 2.04227 },  { 0.995, 5, 4.03214 },
		{ 0.95, 7, 1.89458 },	 { 0.9995, 8, 5.04131 },  { 0.999, 3, 10.2145 },
		{ 0.975, 1e7, 1.95996 }, { 0.995, 120, 2.61742 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		CU_ASSERT(is_within(student_quantile(table[i].p, table[i].freedom), table[i].t,
				    table[i].t * 1e-5));
	for (double p = 0.51; p < 1; p += 0.01) {
		double q = 2 * p - 1;

		CU_ASSERT(is_within(student_quantile(p, 1), tan(M_PI * (p - 0.5)), 1e-6));
		CU_ASSERT(is_within(student_quantile(p, 2), q * sqrt(2 / (1 - q * q)), 1e-6));
	}
	CU_ASSERT(student_quantile(0.975, 2.5) < 4.30265 && student_quantile(0.975, 2.5) > 3.18245);
	CU_ASSERT(student_quantile(0.9999999, 1) > 3e6);
}

/* A published example of Welch's test: t = -2.46 at 25.0 degrees of freedom. */
static void welch(void)
{
	static const double a[] = { 27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1,
				    21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4 };
	static const double b[] = { 27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0,
				    24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4 };
	struct difference d = difference_of(a, 15, b, 15, 0.05);
	double t = d.change / (d.half / student_quantile(0.975, d.freedom));

	CU_ASSERT(is_within(d.freedom, 25.0, 0.05));
	CU_ASSERT(is_within(t, 2.46, 0.005));
	CU_ASSERT(d.change > d.half); /* p = 0.021 */
	d = difference_of(a, 15, b, 15, 0.01);
	CU_ASSERT(d.change < d.half);
}

static void few_and_equal_values(void)
{
	static const double one[] = { 5 }, other[] = { 7 }, equal[] = { 3, 3, 3 }, spread[] = { 6, 7, 8 };
	struct difference d = difference_of(one, 1, other, 1, 0.05);

	CU_ASSERT(d.change == 2 && d.half == 0 && d.freedom == 0);
	d = difference_of(equal, 3, equal, 3, 0.05);
	CU_ASSERT(d.change == 0 && d.half == 0);
	d = difference_of(one, 1, spread, 3, 0.05); /* s = 1, both sides */
	CU_ASSERT(is_within(d.half, 4.30265 * sqrt(1 + 1 / 3.0), 1e-4));
	d = difference_of(spread, 3, one, 1, 0.05);
	CU_ASSERT(is_within(d.half, 4.30265 * sqrt(1 + 1 / 3.0), 1e-4));
	CU_ASSERT(d.change == -2);
}

#define RUNS 4
#define ROWS 30

/* Functions of 1 to 30 us, each measured with 5 % of noise; number 7 takes `factor` as long on the
 * other side. */
static void synthetic(struct diff *diff, double factor)
{
	diff_init(diff, BY_FUNCTION, COLUMN_ELAPSED_EXCLUSIVE, RUNS, RUNS);
	for (uint32_t row = 0; row < ROWS; row++) {
		diff_row_new(diff);
		for (size_t run = 0; run < 2 * RUNS; run++) {
			struct diff_cell *cell = diff_cell(diff, row, run);
			double truth = 1000 * (row + 1) * (row == 7 && run >= RUNS ? factor : 1);

			cell->is_there = 1;
			cell->values[DIFF_COLUMN] = truth * (1 + 0.05 * random_normal());
			cell->values[DIFF_SHARE] = 100.0 / ROWS;
			diff->totals[run].elapsed += cell->values[DIFF_COLUMN];
		}
	}
	diff_compare(diff, 0.1);
}

/* Of sessions of the same program, at most one of twenty shows any change at all. */
static void equal_programs_have_no_findings(void)
{
	unsigned with_findings = 0, seeds = 400;

	for (unsigned i = 0; i < seeds; i++) {
		struct diff diff;
		unsigned found = 0;

		random_seed = 1000 + i;
		synthetic(&diff, 1);
		for (size_t row = 0; row < diff.n_rows; row++)
			found += diff.rows[row].verdict != DIFF_NOISE;
		with_findings += found > 0;
		diff_release(&diff);
	}
	CU_ASSERT(with_findings <= seeds / 20);
}

/* Five runs a side, with 1 % of noise, in the row, which takes `factor` as long in B, and in the
 * total. Returns how many comparisons find that B takes more. */
static unsigned alarms_of(double alpha, double factor, unsigned comparisons)
{
	unsigned alarms = 0;

	random_seed = 4711;
	for (unsigned i = 0; i < comparisons; i++) {
		struct diff diff;

		diff_init(&diff, BY_FUNCTION, COLUMN_ELAPSED_EXCLUSIVE, 5, 5);
		diff.alpha = alpha;
		diff_row_new(&diff);
		for (size_t run = 0; run < 10; run++) {
			struct diff_cell *cell = diff_cell(&diff, 0, run);

			cell->is_there = 1;
			cell->values[DIFF_COLUMN] = (run < 5 ? 100 : 100 * factor) + random_normal();
			diff.totals[run].elapsed = 100 + random_normal();
		}
		diff_compare(&diff, 0);
		alarms += diff.rows[0].verdict == DIFF_MORE || diff.total_verdict == DIFF_MORE;
		diff_release(&diff);
	}
	return alarms;
}

/* A half of alpha is of B that takes more; the row and the total each have one. */
static void alpha_is_the_rate_of_alarms(void)
{
	unsigned often = alarms_of(0.05, 1, 4000), seldom = alarms_of(0.01, 1, 4000);

	CU_ASSERT(often > 120 && often <= 220);
	CU_ASSERT(seldom > 15 && seldom <= 50);
	CU_ASSERT(alarms_of(0.0001, 1, 10000) <= 3);
	CU_ASSERT(alarms_of(0.01, 1.05, 400) >= 360);
}

static void changes_are_found(void)
{
	unsigned found = 0, covered = 0, seeds = 200;

	for (unsigned i = 0; i < seeds; i++) {
		const struct diff_row *row;
		struct diff diff;

		random_seed = 77 + i;
		synthetic(&diff, 2);
		row = &diff.rows[7];
		found += row->verdict == DIFF_MORE;
		covered += fabs(row->difference.change - 8000) <= row->difference.half;
		CU_ASSERT_EQUAL(diff.n_compared, ROWS);
		diff_release(&diff);
	}
	CU_ASSERT(found >= seeds * 95 / 100);
	CU_ASSERT(covered >= seeds * 99 / 100);
}

/* ---- what is the same ------------------------------------------------------------------------ */

/* Profiles by hand. */
static struct profile profile_by_hand(struct row *rows, size_t n)
{
	struct profile profile = { .rows = rows,
				   .n_rows = n,
				   .totals = { .elapsed = 1000, .application = 1000 } };

	for (size_t i = 0; i < n; i++) {
		rows[i].calls = rows[i].calls ? rows[i].calls : 1;
		rows[i].sums.elapsed_inclusive = rows[i].sums.elapsed_exclusive =
			rows[i].sums.elapsed_exclusive ? rows[i].sums.elapsed_exclusive : 100;
	}
	return profile;
}

/* Two runs; returns how many rows come of them. */
static size_t two_runs(struct diff *diff, enum profile_by by, struct row *a, size_t n_a, struct row *b,
		       size_t n_b)
{
	struct profile p = profile_by_hand(a, n_a), q = profile_by_hand(b, n_b);

	diff_init(diff, by, COLUMN_ELAPSED_EXCLUSIVE, 1, 1);
	diff_add(diff, 0, &p, "/old/app");
	diff_add(diff, 1, &q, "/new/application");
	diff_compare(diff, 0);
	return diff->n_rows;
}

static const struct diff_row *row_of(const struct diff *diff, const char *name, const char *file)
{
	static const struct diff_row none = { .verdict = 99 };

	for (size_t i = 0; i < diff->n_rows; i++)
		if (!strcmp(diff->rows[i].name, name) && (!file || !strcmp(diff->rows[i].file, file)))
			return &diff->rows[i];
	return &none;
}

#define TIME(ns) .sums = { .elapsed_exclusive = (ns) }

static void functions_by_name(void)
{
	struct row a[] = {
		{ .name = "main", .module = "/old/app", .file = "/old/src/main.c", .line = 10, TIME(100) },
		{ .name = "init", .module = "/old/app", .file = "/old/src/x/i.c", .line = 1, TIME(10) },
		{ .name = "init", .module = "/old/app", .file = "/old/src/y/i.c", .line = 1, TIME(20) },
		{ .name = "moved", .module = "/old/app", .file = "/old/src/a.c", .line = 5, TIME(30) },
		{ .name = "gone", .module = "/old/app", .file = "/old/src/a.c", .line = 9, TIME(40) },
		{ .name = "_Z1fi", .module = "/lib/libf.so.1.2", TIME(50) },
	};
	struct row b[] = {
		{ .name = "_Z1fi", .module = "/usr/lib/libf.so.2", TIME(75) },
		{ .name = "init",
		  .module = "/new/application",
		  .file = "/new/src/y/i.c",
		  .line = 7,
		  TIME(22) },
		{ .name = "init",
		  .module = "/new/application",
		  .file = "/new/src/x/i.c",
		  .line = 7,
		  TIME(11) },
		{ .name = "moved",
		  .module = "/new/application",
		  .file = "/new/src/b.c",
		  .line = 99,
		  TIME(33) },
		{ .name = "main",
		  .module = "/new/application",
		  .file = "/new/src/main.c",
		  .line = 30,
		  TIME(100) },
		{ .name = "fresh",
		  .module = "/new/application",
		  .file = "/new/src/a.c",
		  .line = 9,
		  TIME(44) },
		{ .name = "_Z1fd", .module = "/usr/lib/libf.so.2", TIME(5) },
	};
	struct diff diff;

	CU_ASSERT_EQUAL(two_runs(&diff, BY_FUNCTION, a, ARRAY_SIZE(a), b, ARRAY_SIZE(b)), 8);
	CU_ASSERT_EQUAL(row_of(&diff, "main", NULL)->verdict, DIFF_SAME);
	CU_ASSERT_EQUAL(row_of(&diff, "main", NULL)->line, 30);
	CU_ASSERT(row_of(&diff, "init", "/new/src/x/i.c")->difference.change == 1);
	CU_ASSERT(row_of(&diff, "init", "/new/src/y/i.c")->difference.change == 2);
	CU_ASSERT(row_of(&diff, "moved", NULL)->difference.change == 3);
	CU_ASSERT_EQUAL(row_of(&diff, "gone", NULL)->verdict, DIFF_REMOVED);
	CU_ASSERT(row_of(&diff, "gone", NULL)->difference.change == -40);
	CU_ASSERT_EQUAL(row_of(&diff, "fresh", NULL)->verdict, DIFF_ADDED);
	CU_ASSERT_EQUAL(row_of(&diff, "_Z1fi", NULL)->verdict, DIFF_MORE);
	CU_ASSERT_EQUAL(row_of(&diff, "_Z1fd", NULL)->verdict, DIFF_ADDED);
	diff_release(&diff);
}

/* Two of one name on one side, one on the other: it is that of its own file. */
static void a_file_decides_among_several(void)
{
	struct row a[] = { { .name = "f", .module = "/m", .file = "/p/x.c", TIME(1) },
			   { .name = "f", .module = "/m", .file = "/p/y.c", TIME(2) } };
	struct row b[] = { { .name = "f", .module = "/m", .file = "/q/y.c", TIME(5) },
			   { .name = "f", .module = "/m", .file = "/q/z.c", TIME(7) } };
	struct diff diff;

	CU_ASSERT_EQUAL(two_runs(&diff, BY_FUNCTION, a, 2, b, 2), 3);
	CU_ASSERT(row_of(&diff, "f", "/q/y.c")->difference.change == 3);
	CU_ASSERT_EQUAL(row_of(&diff, "f", "/p/x.c")->verdict, DIFF_REMOVED);
	CU_ASSERT_EQUAL(row_of(&diff, "f", "/q/z.c")->verdict, DIFF_ADDED);
	diff_release(&diff);
}

static void lines_move_with_their_function(void)
{
	struct row a[] = {
		{ .name = "a.c:10", .function = "f", .module = "/m", .file = "/p/a.c", .line = 10, TIME(1) },
		{ .name = "a.c:12", .function = "f", .module = "/m", .file = "/p/a.c", .line = 12, TIME(2) },
	};
	struct row b[] = {
		{ .name = "a.c:42", .function = "f", .module = "/m", .file = "/q/a.c", .line = 42, TIME(9) },
		{ .name = "a.c:40", .function = "f", .module = "/m", .file = "/q/a.c", .line = 40, TIME(1) },
		{ .name = "a.c:43", .function = "f", .module = "/m", .file = "/q/a.c", .line = 43, TIME(4) },
	};
	struct diff diff;

	CU_ASSERT_EQUAL(two_runs(&diff, BY_LINE, a, 2, b, 3), 3);
	CU_ASSERT_EQUAL(row_of(&diff, "a.c:40", NULL)->verdict, DIFF_SAME);
	CU_ASSERT(row_of(&diff, "a.c:42", NULL)->difference.change == 7);
	CU_ASSERT_EQUAL(row_of(&diff, "a.c:43", NULL)->verdict, DIFF_ADDED);
	diff_release(&diff);
}

static void calls_in_order_of_lines(void)
{
	struct row a[] = {
		{ .name = "f",
		  .callee = "g",
		  .module = "/m",
		  .file = "/p/a.c",
		  .line = 5,
		  .address = "0x9",
		  TIME(1) },
		{ .name = "f",
		  .callee = "g",
		  .module = "/m",
		  .file = "/p/a.c",
		  .line = 8,
		  .address = "0x8",
		  TIME(2) },
		{ .name = "f",
		  .callee = "h",
		  .module = "/m",
		  .file = "/p/a.c",
		  .line = 9,
		  .address = "0x20",
		  TIME(3) },
	};
	struct row b[] = {
		{ .name = "f",
		  .callee = "h",
		  .module = "/m",
		  .file = "/p/a.c",
		  .line = 6,
		  .address = "0x1",
		  TIME(4) },
		{ .name = "f",
		  .callee = "g",
		  .module = "/m",
		  .file = "/p/a.c",
		  .line = 27,
		  .address = "0x10",
		  TIME(20) },
		{ .name = "f",
		  .callee = "g",
		  .module = "/m",
		  .file = "/p/a.c",
		  .line = 27,
		  .address = "0x9",
		  TIME(10) },
	};
	struct diff diff;

	CU_ASSERT_EQUAL(two_runs(&diff, BY_SITE, a, 3, b, 3), 3);
	CU_ASSERT(diff.rows[0].difference.change == 9);
	CU_ASSERT(diff.rows[1].difference.change == 18);
	CU_ASSERT(diff.rows[2].difference.change == 1);
	diff_release(&diff);
}

static void paths_by_all_functions_on_them(void)
{
	struct row a[] = { { .name = "main", .module = "/m", .parent = UINT32_MAX, TIME(1) },
			   { .name = "f", .module = "/m", .parent = 0, TIME(2) },
			   { .name = "g", .module = "/m", .parent = 1, TIME(3) },
			   { .name = "g", .module = "/m", .parent = 0, TIME(4) } };
	struct row b[] = { { .name = "main", .module = "/m", .parent = UINT32_MAX, TIME(1) },
			   { .name = "g", .module = "/m", .parent = 0, TIME(6) },
			   { .name = "f", .module = "/m", .parent = 0, TIME(2) },
			   { .name = "h", .module = "/m", .parent = 2, TIME(9) } };
	struct diff diff;

	CU_ASSERT_EQUAL(two_runs(&diff, BY_PATH, a, 4, b, 4), 5);
	CU_ASSERT_EQUAL(diff.rows[2].verdict, DIFF_REMOVED); /* main > f > g */
	CU_ASSERT(diff.rows[3].difference.change == 2);	     /* main > g */
	CU_ASSERT_EQUAL(diff.rows[4].verdict, DIFF_ADDED);   /* main > f > h */
	CU_ASSERT_EQUAL(diff.rows[4].parent, 1);
	diff_release(&diff);
}

/* One run on each side: what is less than the correction may be wrong by is no finding. */
static void the_correction_makes_noise(void)
{
	struct row a[] = { { .name = "f", .module = "/m", TIME(100) } };
	struct row b[] = { { .name = "f", .module = "/m", TIME(108) } };
	struct diff diff;

	a[0].sums.overhead_exclusive = b[0].sums.overhead_exclusive = 20;
	a[0].sums.overhead_low_exclusive = b[0].sums.overhead_low_exclusive = 15;
	a[0].sums.overhead_high_exclusive = b[0].sums.overhead_high_exclusive = 21;
	two_runs(&diff, BY_FUNCTION, a, 1, b, 1);
	CU_ASSERT(diff.rows[0].difference.half == 10);
	CU_ASSERT_EQUAL(diff.rows[0].verdict, DIFF_NOISE);
	diff_release(&diff);
	b[0].sums.elapsed_exclusive = 111;
	two_runs(&diff, BY_FUNCTION, a, 1, b, 1);
	CU_ASSERT_EQUAL(diff.rows[0].verdict, DIFF_MORE);
	diff_release(&diff);
}

/* --single: 10 % of the larger value, and 1 % of the larger session, are taken for chance; without
 * it nothing is. */
static void single_runs_have_a_floor(void)
{
	static const double times[][2] = { { 100, 112 }, { 1000, 1100 }, { 1000, 1120 }, { 8900, 8668 } };
	static const enum diff_verdict with[] = { DIFF_NOISE, DIFF_NOISE, DIFF_MORE, DIFF_NOISE };

	for (int is_single = 0; is_single < 2; is_single++) {
		struct diff diff;

		diff_init(&diff, BY_FUNCTION, COLUMN_ELAPSED_EXCLUSIVE, 1, 1);
		diff.is_single = is_single;
		diff.floor = 10;
		for (uint32_t row = 0; row < 4; row++) {
			diff_row_new(&diff);
			for (size_t run = 0; run < 2; run++) {
				struct diff_cell *cell = diff_cell(&diff, row, run);

				cell->is_there = 1;
				cell->values[DIFF_COLUMN] = times[row][run];
				diff.totals[run].elapsed += times[row][run];
			}
		}
		diff_compare(&diff, 0);
		CU_ASSERT_EQUAL(diff_has_interval(&diff), is_single);
		/* 1 % of 11,000 */
		CU_ASSERT(is_within(diff.rows[0].difference.half, is_single ? 110 : 0, 1e-9));
		CU_ASSERT(is_within(diff.rows[3].difference.half, is_single ? 890 : 0, 1e-9));
		for (uint32_t row = 0; row < 4; row++)
			CU_ASSERT_EQUAL(diff.rows[row].verdict, is_single  ? with[row]
								: row == 3 ? DIFF_LESS
									   : DIFF_MORE);
		CU_ASSERT_EQUAL(diff.total_verdict, DIFF_SAME);
		diff_release(&diff);
	}
}

/* The first row is in every run of the second side, the next only in two of the three; both take
 * 10, 10, 900, or 0. */
static void appears(struct diff *diff, int back)
{
	static const double times[] = { 10, 10, 900 };

	diff_init(diff, BY_FUNCTION, COLUMN_ELAPSED_EXCLUSIVE, 3, 3);
	for (uint32_t row = 0; row < 2; row++) {
		diff_row_new(diff);
		for (uint32_t i = row; i < 3; i++) {
			struct diff_cell *cell = diff_cell(diff, row, back ? i : 3 + i);

			cell->is_there = 1;
			cell->values[DIFF_COLUMN] = times[i];
		}
	}
	diff_compare(diff, 0);
}

/* Its time may be 0, by its spread; its calls are not: what all runs of one side have, and none of
 * the other, is new. */
static void presence_is_certain(void)
{
	for (int back = 0; back < 2; back++) {
		struct diff diff;

		appears(&diff, back);
		CU_ASSERT_EQUAL(diff.rows[0].verdict, back ? DIFF_REMOVED : DIFF_ADDED);
		CU_ASSERT(diff.rows[0].difference.half > fabs(diff.rows[0].difference.change));
		CU_ASSERT_EQUAL(diff.rows[1].verdict, DIFF_NOISE);
		diff_release(&diff);
	}
}

CU_TestInfo diff_tests[] = {
	{ "quantiles of Student's distribution", quantiles_of_student },
	{ "Welch's test", welch },
	{ "few values, equal values", few_and_equal_values },
	{ "equal programs have no findings", equal_programs_have_no_findings },
	{ "alpha is the rate of alarms", alpha_is_the_rate_of_alarms },
	{ "changes are found", changes_are_found },
	{ "functions by name", functions_by_name },
	{ "a file decides among several", a_file_decides_among_several },
	{ "lines move with their function", lines_move_with_their_function },
	{ "calls in order of lines", calls_in_order_of_lines },
	{ "paths by all functions on them", paths_by_all_functions_on_them },
	{ "the correction makes noise", the_correction_makes_noise },
	{ "single runs have a floor", single_runs_have_a_floor },
	{ "presence is certain", presence_is_certain },
	CU_TEST_INFO_NULL,
};
