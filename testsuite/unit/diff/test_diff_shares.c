/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shares of samples side by side: what chance explains, and what samples see as probes do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff_shares.h"
#include "tests.h"

#define APP "/nowhere/app"
#define LIBC "/usr/lib/libc.so.6"
#define ROWS 20
#define SAMPLES 4000

static void normal_quantiles(void)
{
	CU_ASSERT(fabs(shares_normal(0.025) - 1.959964) < 1e-5);
	CU_ASSERT(fabs(shares_normal(0.5)) < 1e-9);
	CU_ASSERT(fabs(shares_normal(0.0005) - 3.290527) < 1e-5);
}

/* ---- two sampled sessions -------------------------------------------------------------------- */

/* Function i has a share of 2 (i + 1) / (ROWS (ROWS + 1)); on side B the last one has `more` of
 * what the others have. */
static size_t drawn(double more)
{
	double at = random_uniform(), sum = 0;

	if (random_uniform() < more)
		return ROWS - 1;
	for (size_t i = 0; i < ROWS; i++) {
		sum += 2.0 * (double)(i + 1) / (ROWS * (ROWS + 1));
		if (at < sum)
			return i;
	}
	return ROWS - 1;
}

static void draw(struct diff *diff, size_t run, double more)
{
	diff->shares->samples[run] = SAMPLES;
	for (int i = 0; i < SAMPLES; i++) {
		struct diff_cell *cell = diff_cell(diff, (uint32_t)drawn(more), run);

		cell->values[DIFF_ELAPSED_EXCLUSIVE] += 100.0 / SAMPLES;
		cell->values[DIFF_ELAPSED_INCLUSIVE] += 100.0 / SAMPLES;
	}
	for (uint32_t row = 0; row < ROWS; row++)
		shares_cell_finish(diff, diff_cell(diff, row, run));
}

static void sampled_twice(struct diff *diff, struct shares *shares, double more)
{
	diff_init(diff, BY_FUNCTION, COLUMN_ELAPSED_EXCLUSIVE, 1, 1);
	shares_init(shares, SHARES_SAMPLED, 2);
	diff->shares = shares;
	for (int i = 0; i < ROWS; i++)
		diff_row_new(diff);
	draw(diff, 0, 0);
	draw(diff, 1, more);
	shares_compare(diff, 0.1);
}

static unsigned findings(const struct diff *diff)
{
	unsigned found = 0;

	for (size_t i = 0; i < diff->n_rows; i++)
		found += diff->rows[i].verdict > DIFF_NOISE;
	return found;
}

/* Of sessions of the same program, at most one of twenty shows any change; what has changed is
 * found. */
static void chance_is_no_finding(void)
{
	struct diff diff;
	struct shares shares;
	unsigned with_findings = 0, found = 0;
	double distortion = 0, by_chance = 0;

	for (unsigned i = 0; i < 200; i++) {
		random_seed = 77 + i;
		sampled_twice(&diff, &shares, 0);
		with_findings += findings(&diff) > 0;
		distortion += shares.distortion;
		by_chance += shares.by_chance;
		diff_release(&diff);
		shares_release(&shares);
	}
	CU_ASSERT(with_findings <= 20); /* 10 expected; 0.05 * 200 + 3.2 sigma */
	CU_ASSERT(fabs(distortion - by_chance) < 0.1 * by_chance);
	for (unsigned i = 0; i < 20; i++) {
		random_seed = 99 + i;
		sampled_twice(&diff, &shares, 0.1);
		found += diff.rows[ROWS - 1].verdict == DIFF_MORE;
		CU_ASSERT(shares.distortion > 5);
		CU_ASSERT_EQUAL(shares.most, ROWS - 1);
		diff_release(&diff);
		shares_release(&shares);
	}
	CU_ASSERT_EQUAL(found, 20);
}

/* ---- samples beside probes ------------------------------------------------------------------- */

struct beside {
	struct diff diff;
	struct shares shares;
	struct profile probes, samples;
};

/* A function as probes have it, ns. */
static void probe_row(struct beside *b, const char *module, const char *name, double inclusive,
		      double exclusive)
{
	struct row *row = profile_row(&b->probes, (uint32_t)b->probes.n_rows);

	row->name = name;
	row->module = module;
	row->calls = 7;
	row->sums.elapsed_inclusive = row->sums.application_inclusive = inclusive;
	row->sums.elapsed_exclusive = row->sums.application_exclusive = exclusive;
	b->probes.totals.elapsed += exclusive;
	b->probes.totals.application += exclusive;
}

static uint32_t path_add(struct beside *b, uint32_t parent, const char *module, const char *name,
			 double exclusive)
{
	struct profile *p = &b->samples;
	struct module m = { .path = module };
	struct module_function f = { .name = name };
	uint32_t number = (uint32_t)p->paths.n++;

	p->paths.list[number] = (struct path){ .parent = parent,
					       .entity = names_of_function(p->names, &m, &f),
					       .elapsed_exclusive = exclusive };
	for (uint32_t at = number; at; at = p->paths.list[at].parent)
		p->paths.list[at].elapsed_inclusive += exclusive;
	p->totals.elapsed += exclusive;
	return number;
}

static void beside_init(struct beside *b)
{
	profile_init(&b->probes, BY_FUNCTION, &default_counting);
	profile_init(&b->samples, BY_PATH, &default_counting);
	b->probes.totals.exe = xstrdup(APP "-probes");
	b->samples.totals.exe = xstrdup(APP);
	b->samples.totals.method = CINSTR_METHOD_SAMPLING;
	map_keep(&b->probes.totals.facts.instrumented, APP "-probes");
	b->samples.paths.list = xcalloc(32, sizeof(*b->samples.paths.list));
	b->samples.paths.list[0].entity = PATH_NONE;
	b->samples.paths.n = 1;
	diff_init(&b->diff, BY_FUNCTION, COLUMN_ELAPSED_EXCLUSIVE, 1, 1);
	shares_init(&b->shares, SHARES_BESIDE, 2);
	b->diff.shares = &b->shares;
}

static void beside_compare(struct beside *b)
{
	shares_add(&b->diff, 1, &b->probes, b->probes.totals.exe, NULL);
	shares_fold(&b->diff, 0, &b->samples, b->samples.totals.exe);
	shares_compare(&b->diff, 0);
}

static const struct diff_row *row_of(const struct beside *b, const char *name)
{
	static const struct diff_row none = { .verdict = DIFF_SAME };

	for (size_t i = 0; i < b->diff.n_rows; i++)
		if (!strcmp(b->diff.rows[i].name, name))
			return &b->diff.rows[i];
	CU_FAIL("no such row");
	return &none;
}

static void expect(const struct beside *b, const char *name, double inclusive, double exclusive)
{
	const struct diff_row *row = row_of(b, name);

	CU_ASSERT(fabs(row->means[0][DIFF_ELAPSED_INCLUSIVE] - inclusive) < 1e-9);
	CU_ASSERT(fabs(row->means[0][DIFF_ELAPSED_EXCLUSIVE] - exclusive) < 1e-9);
}

static void beside_release(struct beside *b)
{
	diff_release(&b->diff);
	shares_release(&b->shares);
	profile_release(&b->probes);
	profile_release(&b->samples);
}

/*
 * 1,000 samples:
 *      _start > main 100 > work 200 > small (no probes) 50 > memcpy 30  work's: nobody sees the
 *                                                                       call of memcpy
 *                                   > memcpy 70 > [kernel] 20           memcpy's
 *                        > qsort 100 > msort 80 > order 150 > memcpy 60 order's callee, so a row of
 *                        its own
 *                                    > memcpy 40                        qsort's
 *      start_thread > poll 100                                          nobody's: stays
 */
static void samples_as_probes_see_them(void)
{
	struct beside b;
	uint32_t main_path, work, qsort_path, order;

	beside_init(&b);
	probe_row(&b, APP "-probes", "main", 1000, 100);
	probe_row(&b, APP "-probes", "work", 410, 280);
	probe_row(&b, APP "-probes", "order", 210, 150);
	probe_row(&b, LIBC, "qsort", 430, 220);
	probe_row(&b, LIBC, "memcpy", 150, 150);
	main_path = path_add(&b, path_add(&b, 0, APP, "_start", 0), APP, "main", 100);
	work = path_add(&b, main_path, APP, "work", 200);
	path_add(&b, path_add(&b, work, APP, "small", 50), LIBC, "memcpy", 30);
	path_add(&b, path_add(&b, work, LIBC, "memcpy", 70), "", "[kernel]", 20);
	qsort_path = path_add(&b, main_path, LIBC, "qsort", 100);
	order = path_add(&b, path_add(&b, qsort_path, LIBC, "msort", 80), APP, "order", 150);
	path_add(&b, order, LIBC, "memcpy", 60);
	path_add(&b, qsort_path, LIBC, "memcpy", 40);
	path_add(&b, path_add(&b, 0, LIBC, "start_thread", 0), LIBC, "poll", 100);
	beside_compare(&b);
	expect(&b, "main", 90, 10);
	expect(&b, "work", 37, 28);
	expect(&b, "memcpy", 15, 15);
	expect(&b, "qsort", 43, 22);
	expect(&b, "order", 21, 15);
	expect(&b, "poll", 10, 10);
	expect(&b, "small", 0, 0);
	CU_ASSERT_EQUAL(row_of(&b, "poll")->verdict, DIFF_REMOVED);
	CU_ASSERT(fabs(b.shares.folded - 22) <
		  1e-9); /* small, msort, [kernel], memcpy below small and qsort */
	beside_release(&b);
}

/* The same session by paths, of which edges are made: work calls all three functions of libc. */
static void probe_paths(struct beside *b, struct profile *paths)
{
	static const char *const names[] = { "work", "qsort", "strlen", "puts" };
	static const double times[] = { 0, 400, 100, 50 };

	profile_init(paths, BY_PATH, &default_counting);
	paths->paths.list = xcalloc(8, sizeof(*paths->paths.list));
	paths->paths.n = 1;
	for (uint32_t i = 0; i < 4; i++) {
		struct module m = { .path = i ? LIBC : APP "-probes" };
		struct module_function f = { .name = names[i] };

		b->probes.rows[i].entity = names_of_function(b->probes.names, &m, &f);
		paths->paths.list[paths->paths.n++] =
			(struct path){ .parent = i ? 1 : 0,
				       .entity = names_of_function(paths->names, &m, &f),
				       .elapsed_inclusive = times[i] };
	}
}

static void callees_init(struct beside *b, struct profile *paths)
{
	beside_init(b);
	probe_row(b, APP "-probes", "work", 1000, 450);
	probe_row(b, LIBC, "qsort", 400, 400);
	probe_row(b, LIBC, "strlen", 100, 100);
	probe_row(b, LIBC, "puts", 50, 50);
	probe_paths(b, paths);
}

/* Adds a callee of work's to what probes have seen. */
static void callee_add(struct beside *b, struct profile *paths, const char *module, const char *name,
		       double time)
{
	struct module m = { .path = module };
	struct module_function f = { .name = name };

	probe_row(b, module, name, time, time);
	b->probes.rows[b->probes.n_rows - 1].entity = names_of_function(b->probes.names, &m, &f);
	paths->paths.list[paths->paths.n++] = (struct path){
		.parent = 1, .entity = names_of_function(paths->names, &m, &f), .elapsed_inclusive = time
	};
}

static void callees_compare(struct beside *b, const struct profile *paths)
{
	shares_add(&b->diff, 1, &b->probes, b->probes.totals.exe, paths);
	shares_fold(&b->diff, 0, &b->samples, b->samples.totals.exe);
	shares_compare(&b->diff, 0);
}

/*
 *	work 450 > __qsort_r 300 > msort 100	qsort() left with a jump
 *		 > __strlen_avx2 100		what strlen() is on this processor
 *		 > puts 40			by its name
 *		 > _IO_puts 10			nothing that it may be but qsort, which has most
 */
static void callees_by_other_names(void)
{
	struct beside b;
	struct profile paths;
	uint32_t work;

	callees_init(&b, &paths);
	work = path_add(&b, 0, APP, "work", 450);
	path_add(&b, path_add(&b, work, LIBC, "__qsort_r", 300), LIBC, "msort", 100);
	path_add(&b, work, LIBC, "__strlen_avx2", 100);
	path_add(&b, work, LIBC, "puts", 40);
	path_add(&b, work, LIBC, "_IO_other", 10);
	path_add(&b, work, APP, "inside", 0);
	callees_compare(&b, &paths);
	expect(&b, "work", 100, 45);
	expect(&b, "qsort", 41, 41);
	expect(&b, "strlen", 10, 10);
	expect(&b, "puts", 4, 4);
	profile_release(&paths);
	beside_release(&b);
}

/* `sum` is assembler in a module with probes, and goes on as sum_avx2; `summary` is another. */
static void callees_in_parts(void)
{
	struct beside b;
	struct profile paths;
	uint32_t work;

	callees_init(&b, &paths);
	callee_add(&b, &paths, APP "-probes", "sum", 300);
	work = path_add(&b, 0, APP, "work", 450);
	path_add(&b, work, APP, "sum_avx2", 500);
	path_add(&b, work, APP, "summary", 50);
	callees_compare(&b, &paths);
	expect(&b, "work", 100, 50);
	expect(&b, "sum", 50, 50);
	profile_release(&paths);
	beside_release(&b);
}

/* As probes have it: (j) was a jump. */
static void jumping_paths(struct beside *b, struct profile *paths)
{
	static const struct {
		const char *name;
		uint32_t parent;
		int is_jump;
	} list[] = {
		{ "main", 0, 0 },  { "first", 1, 0 }, { "second", 2, 1 },
		{ "last", 3, 1 },  { "clear", 1, 0 }, { "unclear", 1, 0 },
		{ "twice", 5, 1 }, { "twice", 6, 1 }, { "strlen", 4, 1 },
	};

	profile_init(paths, BY_PATH, &default_counting);
	paths->paths.list = xcalloc(16, sizeof(*paths->paths.list));
	paths->paths.n = 1;
	for (uint32_t i = 0; i < ARRAY_SIZE(list); i++) {
		int is_new = i != 7;
		struct module m = { .path = i == 8 ? LIBC : APP "-probes" };
		struct module_function f = { .name = list[i].name };

		if (is_new) {
			probe_row(b, m.path, list[i].name, 100, 100);
			b->probes.rows[b->probes.n_rows - 1].entity =
				names_of_function(b->probes.names, &m, &f);
		}
		paths->paths.list[paths->paths.n++] =
			(struct path){ .parent = list[i].parent,
				       .entity = names_of_function(paths->names, &m, &f),
				       .calls = 1,
				       .is_jump = list[i].is_jump != 0,
				       .elapsed_inclusive = 100 };
	}
}

/*
 * 1,000 samples; probes have main > first > second (j) > last (j) > strlen (j), main > clear >
 * twice (j), main > unclear > twice (j):
 *      _start > main 100 > second 100 > last 50        first is gone once second runs
 *                        > last 200                    so are first and second
 *                        > __strlen_avx2 150           and so is last
 *                        > twice 300                   who jumped may be clear or unclear
 *                        > clear 100
 */
static void who_jumped(void)
{
	struct beside b;
	struct profile paths;
	uint32_t main_path, second;

	beside_init(&b);
	jumping_paths(&b, &paths);
	main_path = path_add(&b, path_add(&b, 0, APP, "_start", 0), APP, "main", 100);
	second = path_add(&b, main_path, APP, "second", 100);
	path_add(&b, second, APP, "last", 50);
	path_add(&b, main_path, APP, "last", 200);
	path_add(&b, main_path, LIBC, "__strlen_avx2", 150);
	path_add(&b, main_path, APP, "twice", 300);
	path_add(&b, main_path, APP, "clear", 100);
	callees_compare(&b, &paths);
	expect(&b, "main", 100, 10);
	expect(&b, "first", 50, 0);
	expect(&b, "second", 50, 10);
	expect(&b, "last", 40, 25);
	expect(&b, "strlen", 15, 15);
	expect(&b, "twice", 30, 30);
	expect(&b, "clear", 10, 10);
	expect(&b, "unclear", 0, 0);
	CU_ASSERT(fabs(b.shares.jumped - 50) < 1e-9);
	CU_ASSERT(fabs(b.shares.unclear - 30) < 1e-9);
	profile_release(&paths);
	beside_release(&b);
}

/*
 *	work 650 > qsort 10			where it is about to be left with that jump
 *		 > __qsort_r 300		qsort(), too
 *		 > _IO_other 40			strlen() or puts(); the first has more
 */
static void callees_by_both_names(void)
{
	struct beside b;
	struct profile paths;
	uint32_t work;

	callees_init(&b, &paths);
	work = path_add(&b, 0, APP, "work", 650);
	path_add(&b, work, LIBC, "qsort", 10);
	path_add(&b, work, LIBC, "__qsort_r", 300);
	path_add(&b, work, LIBC, "_IO_other", 40);
	callees_compare(&b, &paths);
	expect(&b, "work", 100, 65);
	expect(&b, "qsort", 31, 31);
	expect(&b, "strlen", 4, 4);
	profile_release(&paths);
	beside_release(&b);
}

/*
 *	work 560 > pthread_cond_wait 300	where std::condition_variable::wait() has jumped to,
 *						not strlen(), which nobody has seen
 *		 > free 20			operator delete has
 *		 > libomp.so+0x10 80		GOMP_parallel() has, of that library
 *		 > GOMP_parallel 40		by its name
 */
static void callees_in_other_libraries(void)
{
	static const char cxx[] = "/usr/lib/libstdc++.so.6", omp[] = "/usr/lib/libomp.so";
	struct beside b;
	struct profile paths;
	uint32_t work;

	callees_init(&b, &paths);
	callee_add(&b, &paths, cxx, "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", 60);
	callee_add(&b, &paths, cxx, "_ZdlPvm", 30);
	callee_add(&b, &paths, omp, "GOMP_parallel", 90);
	work = path_add(&b, 0, APP, "work", 560);
	path_add(&b, work, LIBC, "pthread_cond_wait", 300);
	path_add(&b, work, LIBC, "free", 20);
	path_add(&b, work, omp, "libomp.so+0x10", 80);
	path_add(&b, work, omp, "GOMP_parallel", 40);
	callees_compare(&b, &paths);
	expect(&b, "work", 100, 56);
	expect(&b, "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", 30, 30);
	expect(&b, "_ZdlPvm", 2, 2);
	expect(&b, "GOMP_parallel", 12, 12);
	expect(&b, "strlen", 0, 0);
	profile_release(&paths);
	beside_release(&b);
}

/* The same shares agree; what probes have inflated is said, and how much in all. */
static void distortion(void)
{
	struct beside b;
	uint32_t top;

	beside_init(&b);
	probe_row(&b, APP "-probes", "main", 1000, 100);
	probe_row(&b, APP "-probes", "slow", 500, 500);
	probe_row(&b, APP "-probes", "often", 400, 400);
	probe_row(&b, APP "-probes", "never", 0.01, 0.01);
	top = path_add(&b, 0, APP, "main", 1000);
	path_add(&b, top, APP, "slow", 6500);
	path_add(&b, top, APP, "often", 2500);
	beside_compare(&b);
	CU_ASSERT(row_of(&b, "main")->verdict <= DIFF_NOISE);
	CU_ASSERT_EQUAL(row_of(&b, "often")->verdict, DIFF_MORE);
	CU_ASSERT_EQUAL(row_of(&b, "slow")->verdict, DIFF_LESS);
	CU_ASSERT(row_of(&b, "never")->verdict <= DIFF_NOISE);
	CU_ASSERT(fabs(row_of(&b, "often")->difference.change - 15) < 0.01);
	CU_ASSERT(fabs(b.shares.distortion - 15) < 0.01);
	CU_ASSERT(b.shares.by_chance < 1);
	quiet_begin();
	CU_ASSERT(shares_differ(&b.diff, 3, (const uint32_t[]){ 0, 1, 2 }, 0, 10));
	CU_ASSERT(!shares_differ(&b.diff, 3, (const uint32_t[]){ 0, 1, 2 }, 0, 15));
	CU_ASSERT(shares_differ(&b.diff, 0, NULL, 1, 10));
	CU_ASSERT(!shares_differ(&b.diff, 0, NULL, 1, 15));
	quiet_end();
	beside_release(&b);
}

/* Calls beyond the budget of paths have a row that is no function's. */
static void rows_of_no_function(void)
{
	struct beside b;
	struct profile paths;

	beside_init(&b);
	profile_init(&paths, BY_PATH, &default_counting);
	probe_row(&b, APP "-probes", "main", 100, 100);
	CU_ASSERT_EQUAL(b.probes.rows[0].entity, NAMES_NONE);
	shares_add(&b.diff, 1, &b.probes, b.probes.totals.exe, &paths);
	CU_ASSERT_EQUAL(b.diff.n_rows, 1);
	profile_release(&paths);
	beside_release(&b);
}

CU_TestInfo diff_shares_tests[] = {
	{ "normal quantiles", normal_quantiles },
	{ "chance is no finding", chance_is_no_finding },
	{ "samples as probes see them", samples_as_probes_see_them },
	{ "callees by other names", callees_by_other_names },
	{ "callees in parts with names of their own", callees_in_parts },
	{ "callees by both names", callees_by_both_names },
	{ "callees in other libraries", callees_in_other_libraries },
	{ "distortion", distortion },
	{ "rows of no function", rows_of_no_function },
	{ "who jumped has its samples", who_jumped },
	CU_TEST_INFO_NULL,
};
