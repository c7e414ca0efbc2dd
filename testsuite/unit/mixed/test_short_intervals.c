/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time of functions whose intervals are short for what their probes cost: as samples say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"

#define CALLS 2000000

static void cost(struct pair *p, enum cinstr_cost kind, uint64_t ticks)
{
	struct cinstr_calibration *c = &maker_header(&p->timed)->calibration;

	c->rounds = 1;
	c->sum[kind] = c->minimum[kind] = c->maximum[kind] = 1024 * ticks;
}

/* main calls work, and probes cost half of what either has measured. */
static void make_loop(struct pair *p, uint64_t main_ms, uint64_t work_ms)
{
	pair_begin(p);
	pair_own_code(p);
	cost(p, CINSTR_COST_CALL, 30);
	cost(p, CINSTR_COST_RETURN, 20);
	p->main = pair_frame(p, maker_root(&p->timed, p->thread), 0, MAIN_ENTER, 1, main_ms * MS);
	pair_frame(p, p->main, maker_code(MAIN_WORK), WORK_ENTER, CALLS, work_ms * MS);
}

static void probes(struct pair *p, uint32_t stack, unsigned n)
{
	pair_samples(p, maker_stack(&p->sampled, stack, 0, THUNKS + 8), n);
}

/* Samples in the code of main and work, and in their probes. */
static void loop_samples(struct pair *p, unsigned in_main, unsigned in_work, unsigned probes_main,
			 unsigned probes_work)
{
	uint32_t work = STACK(p, CALL_AT(MAIN_WORK), IN(WORK_ENTER));

	pair_samples(p, STACK(p, IN(MAIN_ENTER)), in_main);
	pair_samples(p, work, in_work);
	probes(p, STACK(p, CALL_AT(MAIN_WORK)), probes_main);
	probes(p, work, probes_work);
}

static void expect_overhead(const struct pair *p, const char *name, uint64_t ticks)
{
	const struct sums *sums = &row_named(&p->profile, name)->sums;

	CU_ASSERT(sums->overhead_exclusive == (long double)ticks);
	CU_ASSERT(sums->overhead_low_exclusive == sums->overhead_high_exclusive);
	if (sums->overhead_exclusive != (long double)ticks)
		printf("%s: overhead %Lf\n", name, sums->overhead_exclusive);
}

/* 200 ms, 200 samples. */
static void shares(void)
{
	struct pair p;

	make_loop(&p, 80, 120);
	loop_samples(&p, 20, 60, 60, 60);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "main", 1, 80 * MS, 20 * MS);
	pair_expect(&p, "work", CALLS, 60 * MS, 60 * MS);
	expect_overhead(&p, "main", 60 * MS);
	expect_overhead(&p, "work", 60 * MS);
	CU_ASSERT_EQUAL(p.data.mixed->samples.joined, 200);
	CU_ASSERT_EQUAL(p.data.mixed->samples.probes, 120);
	CU_ASSERT_EQUAL(row_named(&p.profile, "main")->source[CINSTR_INCLUSIVE], SOURCE_TIMED);
	CU_ASSERT_EQUAL(row_named(&p.profile, "work")->source[CINSTR_INCLUSIVE],
			SOURCE_TIMED | SOURCE_ESTIMATE);
	pair_rows_end(&p);
	pair_end(&p);
}

/* The processor did main's work beside probes, and in intervals of work. */
static void gains(void)
{
	struct pair p;

	make_loop(&p, 100, 100);
	loop_samples(&p, 50, 10, 20, 20);
	loop_samples(&p, 50, 0, 0, 0);
	loop_samples(&p, 50, 0, 0, 0);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "main", 1, 160 * MS, 150 * MS);
	pair_expect(&p, "work", CALLS, 10 * MS, 10 * MS);
	expect_overhead(&p, "main", 0);
	expect_overhead(&p, "work", 40 * MS);
	pair_rows_end(&p);
	pair_end(&p);
}

/* Not one tick is lost where nothing divides evenly: pair_join() adds up. */
static void uneven(void)
{
	struct pair p;
	long double sum = 0;

	make_loop(&p, 80, 120);
	pair_frame(&p, p.main, maker_code(MAIN_TWIN), TWIN_A_ENTER, 70000, 4 * MS + 1);
	pair_frame(&p, p.main, maker_code(MAIN_REC), REC_ENTER, 80000, 5 * MS + 2);
	loop_samples(&p, 23, 59, 41, 43);
	loop_samples(&p, 0, 17, 11, 7);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_TWIN), IN(TWIN_A_ENTER)), 3);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	for (size_t i = 0; i < p.profile.n_rows; i++)
		sum += p.profile.rows[i].sums.elapsed_exclusive + p.profile.rows[i].sums.overhead_exclusive;
	CU_ASSERT(sum == 209 * MS + 3);
	CU_ASSERT(row_named(&p.profile, "twin")->sums.elapsed_exclusive >
		  row_named(&p.profile, "rec")->sums.elapsed_exclusive);
	pair_rows_end(&p);
	pair_end(&p);
}

/* Then the calibration knows better. */
static void too_few(void)
{
	struct pair p;

	make_loop(&p, 80, 120);
	loop_samples(&p, 2, 30, 25, 42); /* 99, of which 100 / 4 would do */
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "main", 1, 100 * MS, 40 * MS);
	pair_expect(&p, "work", CALLS, 60 * MS, 60 * MS);
	expect_overhead(&p, "main", 40 * MS);
	CU_ASSERT_EQUAL(row_named(&p.profile, "work")->source[CINSTR_EXCLUSIVE], SOURCE_TIMED);
	pair_rows_end(&p);
	pair_end(&p);
}

/* A call that takes long for its probes keeps what it has measured. */
static void long_ones(void)
{
	struct pair p;

	make_loop(&p, 80, 120);
	pair_frame(&p, p.main, maker_code(MAIN_TWIN), TWIN_A_ENTER, 10, 50 * MS + 300);
	loop_samples(&p, 20, 60, 60, 60);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_TWIN), IN(TWIN_A_ENTER)), 3);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "twin", 10, 50 * MS, 50 * MS);
	pair_expect(&p, "work", CALLS, 60 * MS, 60 * MS);
	pair_rows_end(&p);
	pair_end(&p);
}

/* Of a call that takes long what is below trades with nobody else. */
static void regions(void)
{
	struct pair p;
	uint32_t tail, rec;

	make_loop(&p, 80, 120);
	tail = pair_frame(&p, p.main, maker_code(MAIN_TWIN), TWIN_A_ENTER, 1, 40 * MS);
	pair_frame(&p, tail, maker_code(REC_REC), REC_ENTER, 1000000, 60 * MS);
	loop_samples(&p, 20, 60, 60, 60);
	rec = STACK(&p, CALL_AT(MAIN_TWIN), IN(TWIN_A_ENTER), IN(REC_ENTER));
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_TWIN), IN(TWIN_A_ENTER)), 50);
	pair_samples(&p, rec, 25);
	probes(&p, rec, 50);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	/* 100 ms, 125 samples */
	pair_expect(&p, "twin", 1, 60 * MS, 40 * MS);
	pair_expect(&p, "rec", 1000000, 20 * MS, 20 * MS);
	pair_expect(&p, "work", CALLS, 60 * MS, 60 * MS);
	CU_ASSERT_EQUAL(row_named(&p.profile, "twin")->source[CINSTR_INCLUSIVE], SOURCE_TIMED);
	pair_rows_end(&p);
	pair_end(&p);
}

/* What was called seldom has no sample, and took some time all the same. */
static void seldom(void)
{
	struct pair p;
	long double ticks;

	make_loop(&p, 80, 120);
	pair_frame(&p, p.main, maker_code(MAIN_TWIN), TWIN_A_ENTER, 10, 1000);
	loop_samples(&p, 20, 60, 60, 60);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	ticks = row_named(&p.profile, "twin")->sums.elapsed_exclusive;
	CU_ASSERT(ticks > 400 && ticks < 1400); /* 700 by the calibration */
	pair_rows_end(&p);
	pair_end(&p);
}

/* The rows' bars are those of chance, of all samples in the region that are not in probes. Late
 * work of probes (10 ms here, by the calibration) adds nothing: samples see it where it is. */
static void uncertain(void)
{
	struct pair p;
	struct cinstr_calibration *c;
	long double half;

	make_loop(&p, 80, 120);
	c = &maker_header(&p.timed)->calibration;
	c->contexts = 1;
	c->alone_sum = 1024 * 50;
	c->beside_sum = 1024 * 30;
	loop_samples(&p, 20, 60, 60, 60);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	/* 1.96 * 80 ms * sqrt(62 / 84 * 22 / 84 / 84) */
	half = uncertainty_of(&row_named(&p.profile, "work")->sums, VALUE_ELAPSED_EXCLUSIVE);
	CU_ASSERT(half > 7.51e6L && half < 7.53e6L);
	half = uncertainty_of(&row_named(&p.profile, "work")->sums, VALUE_ELAPSED_INCLUSIVE);
	CU_ASSERT(half > 7.51e6L && half < 7.53e6L);
	pair_rows_end(&p);
	pair_end(&p);
}

/* Returns ticks of the nth of the function's nodes for itself, without its probes. */
static uint64_t own_ticks(const struct pair *p, enum maker_site function, unsigned nth)
{
	const struct mixed_thread *mixed = p->data.threads[0].mixed;

	for (uint32_t i = 0; i < mixed->n_cells; i++)
		if (mixed->cells[i].func == maker_code(function) && !nth--)
			return mixed->about[i].kept - mixed->about[i].probes;
	return 0;
}

/* Samples of a recursion without the outer end of their stack are all at its first path. */
static void cut_stacks(void)
{
	struct pair p;
	uint32_t work, missing;

	pair_begin(&p);
	pair_own_code(&p);
	cost(&p, CINSTR_COST_CALL, 30);
	cost(&p, CINSTR_COST_RETURN, 20);
	p.main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 80 * MS);
	work = pair_frame(&p, p.main, maker_code(MAIN_WORK), WORK_ENTER, CALLS, 120 * MS - 1);
	pair_frame(&p, work, maker_code(REC_REC), WORK_ENTER, 1000000, 60 * MS - 1);
	missing = maker_stack(&p.sampled, 0, CINSTR_NODE_TRUNCATED, 0);
	pair_samples(&p, maker_stack(&p.sampled, missing, APP, IN(WORK_ENTER)), 70);
	pair_samples(&p, STACK(&p, IN(MAIN_ENTER)), 20);
	probes(&p, STACK(&p, CALL_AT(MAIN_WORK)), 170);
	pair_join(&p);
	/* 40 and 30 ms by the calibration, of 70 by the samples */
	CU_ASSERT(own_ticks(&p, WORK_ENTER, 0) / MS >= 39 && own_ticks(&p, WORK_ENTER, 0) / MS <= 40);
	CU_ASSERT(own_ticks(&p, WORK_ENTER, 1) / MS >= 29 && own_ticks(&p, WORK_ENTER, 1) / MS <= 30);
	CU_ASSERT(own_ticks(&p, MAIN_ENTER, 0) / MS >= 19 && own_ticks(&p, MAIN_ENTER, 0) / MS <= 20);
	pair_end(&p);
}

/* ---- samples without stacks ------------------------------------------------------------------ */

#define APP_IN(function) (MAKER_BASE + IN(function))

static void self_samples(struct pair *p, uint64_t address, unsigned n)
{
	struct cinstr_self_sample list[100];
	size_t at = maker_segment(&p->timed, CINSTR_SEG_SELF_SAMPLES, p->thread, 1);

	for (unsigned i = 0; i < n; i++)
		list[i] = (struct cinstr_self_sample){ MAKER_BEGIN + (1 + i) * MS, address & UINT64_MAX >> 8,
						       0 };
	memcpy(p->timed.bytes + at, list, n * sizeof(*list));
	((struct cinstr_segment *)(void *)(p->timed.bytes + at))[-1].used = n * sizeof(*list);
}

/* Two paths of work share what its samples say as the calibration does: 30 and 10. */
static void by_function(void)
{
	struct pair p;

	make_loop(&p, 80, 90);
	maker_header(&p.timed)->self_sampled = 1;
	pair_frame(&p, p.main, maker_code(MAIN_REC), WORK_ENTER, 666666, 30 * MS);
	self_samples(&p, APP_IN(MAIN_ENTER), 20);
	self_samples(&p, APP_IN(WORK_ENTER), 60);
	self_samples(&p, THUNKS + 8, 100);
	self_samples(&p, THUNKS + 8, 20);
	self_samples(&p, APP_IN(REC_ENTER), 7); /* of no node */
	CU_ASSERT_EQUAL_FATAL(data_open(&p.data, maker_write(&p.timed)), 0);
	mixed_join_own(&p.data);
	CU_ASSERT_EQUAL(values_conservation(&p.data.threads[0]), 0);
	CU_ASSERT_EQUAL(p.data.mixed->samples.joined, 200);
	CU_ASSERT_EQUAL(p.data.mixed->samples.probes, 120);
	CU_ASSERT_EQUAL(p.data.mixed->samples.no_interval, 7);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "main", 1, 80 * MS, 20 * MS);
	pair_expect(&p, "work", CALLS + 666666, 60 * MS, 60 * MS);
	pair_rows_end(&p);
	pair_end(&p);
}

CU_TestInfo short_intervals_tests[] = {
	{ "time is what samples in the program's own code say", shares },
	{ "a function may have more than it has measured", gains },
	{ "not a tick is lost", uneven },
	{ "the calibration, where samples are few", too_few },
	{ "long intervals keep what they have measured", long_ones },
	{ "long calls are regions", regions },
	{ "a function without a sample", seldom },
	{ "uncertainty", uncertain },
	{ "stacks without their outer end, by function", cut_stacks },
	{ "samples without stacks, by function", by_function },
	CU_TEST_INFO_NULL,
};
