/* SPDX-License-Identifier: GPL-3.0-or-later */
/* R6, R7, R8, R17: rows of every level. */
#include <string.h>

#include "file/cell_details.h"
#include "tests.h"

/*
 * main(100) -> rec x1 (10) -> rec x1 (20) -> rec x2 (30); rec3 -> puts x2 (40): rec is on the path
 * three times
 */
static void make_recursion(struct maker *m)
{
	uint32_t at;

	maker_init(m);
	maker_thread(m, "first");
	maker_root_ticks(m, 0, 5);
	at = maker_frame(m, 0, maker_root(m, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	at = maker_frame(m, 0, at, maker_code(MAIN_REC), maker_code(REC_ENTER), 1, 10);
	at = maker_frame(m, 0, at, maker_code(REC_REC), maker_code(REC_ENTER), 1, 20);
	at = maker_frame(m, 0, at, maker_code(REC_REC), maker_code(REC_ENTER), 2, 30);
	maker_call(m, 0, at, maker_code(MAIN_PUTS), 2, 40);
}

static void recursion_counts_once(void)
{
	struct maker m;
	struct profile p;
	const struct row *rec;

	make_recursion(&m);
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	rec = row_named(&p, "rec");
	CU_ASSERT_EQUAL(rec->calls, 4);
	CU_ASSERT(nearly(rec->sums.elapsed_inclusive, 100)); /* not 100 + 90 + 70 */
	CU_ASSERT(nearly(rec->sums.elapsed_exclusive, 60));
	CU_ASSERT(nearly(rec->sums.application_inclusive, 100));
	CU_ASSERT(nearly(rec->activations_elapsed, 100 + 90 + 70)); /* R8: every activation */
	CU_ASSERT(nearly(rec->activations_application, 100 + 90 + 70));
	CU_ASSERT(nearly(row_named(&p, "main")->sums.elapsed_inclusive, 200));
	profile_release(&p);
	maker_release(&m);
}

static void a_module_counts_once(void)
{
	struct maker m;
	struct profile p;
	const struct row *app;

	make_recursion(&m);
	profile_of(&p, &m, BY_MODULE, &default_counting);
	app = row_named(&p, "app");
	CU_ASSERT_EQUAL(app->calls, 5);
	CU_ASSERT(nearly(app->sums.elapsed_inclusive, 200));
	CU_ASSERT(nearly(app->sums.elapsed_exclusive, 160));
	CU_ASSERT(nearly(row_named(&p, "libc.so")->sums.elapsed_inclusive, 40));
	CU_ASSERT_STRING_EQUAL(app->module, "/nowhere/app");
	profile_release(&p);
	maker_release(&m);
}

/* a callback: main -> puts -> rec: libc inside app inside libc ... */
static void a_function_is_left_and_entered_again(void)
{
	struct maker m;
	struct profile p;
	uint32_t main_cell, at;

	maker_init(&m);
	maker_thread(&m, "t");
	main_cell = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(MAIN_ENTER), 1, 1);
	at = maker_call(&m, 0, main_cell, maker_code(MAIN_PUTS), 1, 10);
	at = maker_frame(&m, 0, at, 0, maker_code(REC_ENTER), 1, 100);
	maker_call(&m, 0, at, maker_code(MAIN_PUTS), 1, 1000);
	maker_call(&m, 0, main_cell, maker_code(MAIN_PUTS), 1, 10000); /* again, beside: counts */
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	CU_ASSERT(nearly(row_named(&p, "puts")->sums.elapsed_inclusive, 11110));
	CU_ASSERT(nearly(row_named(&p, "puts")->sums.elapsed_exclusive, 11010));
	profile_release(&p);
	profile_of(&p, &m, BY_MODULE, &default_counting);
	CU_ASSERT(nearly(row_named(&p, "libc.so")->sums.elapsed_inclusive, 11110));
	CU_ASSERT(nearly(row_named(&p, "app")->sums.elapsed_inclusive, 11111));
	profile_release(&p);
	maker_release(&m);
}

static void threads_and_processes(void)
{
	struct maker m;
	struct profile p;

	make_recursion(&m);
	maker_thread(&m, "second");
	maker_root_ticks(&m, 1, 7);
	maker_frame(&m, 1, maker_root(&m, 1), 0, maker_code(WORK_ENTER), 3, 300);
	profile_of(&p, &m, BY_THREAD, &default_counting);
	CU_ASSERT_EQUAL(p.n_rows, 2);
	CU_ASSERT(nearly(row_named(&p, "first")->sums.elapsed_inclusive,
			 205)); /* with what lies outside functions */
	CU_ASSERT(nearly(row_named(&p, "second")->sums.elapsed_exclusive, 307));
	CU_ASSERT_EQUAL(row_named(&p, "second")->tid, 1001);
	CU_ASSERT_EQUAL(row_named(&p, "second")->pid, 4242);
	CU_ASSERT(nearly(p.totals.elapsed, 512));
	CU_ASSERT(nearly(p.totals.outside, 12));
	profile_release(&p);
	profile_of(&p, &m, BY_PROCESS, &default_counting);
	CU_ASSERT_EQUAL(p.n_rows, 1);
	CU_ASSERT(nearly(row_named(&p, "app")->sums.elapsed_inclusive, 512));
	CU_ASSERT_EQUAL(row_named(&p, "app")->calls, 10);
	profile_release(&p);
	maker_release(&m);
}

/* A profile in which threads of one name are one row; two processes of one name. */
static void profile_of_names(struct profile *p, struct maker *m, struct maker *other)
{
	struct data data;

	profile_init(p, BY_THREAD, &default_counting);
	p->merge_threads = 1;
	for (int i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(i ? other : m)), 0);
		profile_add(p, &data);
		data_release(&data);
	}
}

/* main: first 205 ns, 3 x worker 307, 311, 313 (the last stands for 4 threads), idle; another
 * process has a worker of 308. */
static void make_workers(struct maker *m, struct maker *other)
{
	static const uint64_t outside[] = { 7, 11, 13 };

	make_recursion(m);
	for (uint32_t i = 1; i <= 3; i++) {
		maker_thread(m, "worker");
		maker_root_ticks(m, i, outside[i - 1]);
		maker_frame(m, i, maker_root(m, i), 0, maker_code(WORK_ENTER), i, 300);
	}
	maker_thread_at(m, 3)->members = 4;
	maker_thread(m, "idle");
	maker_init(other);
	maker_header(other)->pid = 4243;
	maker_thread(other, "worker");
	maker_root_ticks(other, 0, 8);
	maker_frame(other, 0, maker_root(other, 0), 0, maker_code(WORK_ENTER), 10, 300);
}

static void threads_of_one_name_are_a_row(void)
{
	long double elapsed = 0, application = 0;
	struct maker m, other;
	struct profile p;
	const struct row *row;

	make_workers(&m, &other);
	profile_of_names(&p, &m, &other);
	CU_ASSERT_EQUAL(p.n_rows, 3);
	row = row_named(&p, "worker");
	CU_ASSERT_EQUAL(row->n_threads, 1 + 1 + 4 + 1);
	CU_ASSERT_EQUAL(row->calls, 1 + 2 + 3 + 10);
	CU_ASSERT(row->sums.elapsed_inclusive == 307 + 311 + 313 + 308); /* to the tick */
	CU_ASSERT(row->sums.elapsed_exclusive == row->sums.elapsed_inclusive);
	CU_ASSERT_EQUAL(row->pid, 0); /* of two processes */
	CU_ASSERT_EQUAL(row->tid, 0);
	CU_ASSERT_STRING_EQUAL(row->process, "app");
	row = row_named(&p, "first");
	CU_ASSERT_EQUAL(row->n_threads, 1);
	CU_ASSERT_EQUAL(row->tid, 1000);
	CU_ASSERT_EQUAL(row->pid, 4242);
	CU_ASSERT_EQUAL(row_named(&p, "idle")->n_threads, 1);
	for (size_t i = 0; i < p.n_rows; i++) {
		elapsed += p.rows[i].sums.elapsed_inclusive;
		application += p.rows[i].sums.application_inclusive;
	}
	CU_ASSERT(elapsed == p.totals.elapsed && application == p.totals.application);
	CU_ASSERT(elapsed == 205 + 307 + 311 + 313 + 308);
	profile_release(&p);
	maker_release(&m);
	maker_release(&other);
}

static void paths_are_merged_over_threads(void)
{
	struct maker m;
	struct profile p;
	const struct row *rec = NULL;
	uint32_t at;

	make_recursion(&m);
	maker_thread(&m, "second");
	at = maker_frame(&m, 1, maker_root(&m, 1), 0, maker_code(MAIN_ENTER), 1, 1000);
	maker_frame(&m, 1, at, maker_code(MAIN_REC), maker_code(REC_ENTER), 5, 500);
	profile_of(&p, &m, BY_PATH, &default_counting);
	CU_ASSERT_EQUAL(p.n_rows, 1 + 5); /* root, main, rec, rec, rec, puts */
	for (size_t i = 1; i < p.n_rows; i++) {
		CU_ASSERT(p.rows[i].parent < i);
		if (p.rows[i].depth == 2)
			rec = &p.rows[i];
	}
	CU_ASSERT_PTR_NOT_NULL_FATAL(rec);
	CU_ASSERT_STRING_EQUAL(rec->name, "rec");
	CU_ASSERT_EQUAL(rec->calls, 6);
	CU_ASSERT(nearly(rec->sums.elapsed_inclusive, 600));
	CU_ASSERT(nearly(rec->sums.elapsed_exclusive, 510));
	profile_release(&p);
	maker_release(&m);
}

static void shortest_and_longest_activation(void)
{
	struct maker m;
	struct profile p;
	struct cinstr_calibration *c;
	uint32_t at;

	maker_init(&m);
	c = &maker_header(&m)->calibration;
	c->rounds = 1;
	c->sum[CINSTR_COST_ENTER] = c->minimum[CINSTR_COST_ENTER] = c->maximum[CINSTR_COST_ENTER] = 10 * 1024;
	maker_thread(&m, "t");
	at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(WORK_ENTER), 4, 400);

	maker_extremes(&m, 0, at, 15, 200);
	maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(REC_ENTER), 1, 5); /* not finished */
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	CU_ASSERT(nearly(row_named(&p, "work")->shortest[VALUE_ELAPSED_INCLUSIVE], 5));
	CU_ASSERT(nearly(row_named(&p, "work")->longest[VALUE_ELAPSED_INCLUSIVE], 190));
	CU_ASSERT(row_named(&p, "rec")->shortest[VALUE_ELAPSED_INCLUSIVE] < 0);
	profile_release(&p);
	maker_release(&m);
}

static void ticks_become_nanoseconds(void)
{
	struct maker m;
	struct profile p;
	struct cinstr_header *h;

	make_recursion(&m);
	h = maker_header(&m);
	h->clock_ticks[0] = 1000;
	h->clock_ns[0] = 5000;
	h->clock_ticks[1] = 2000;
	h->clock_ns[1] = 99999; /* not used while there is a later pair */
	h->clock_ticks[2] = 3001000;
	h->clock_ns[2] = 1005000; /* 3 ticks a ns */
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	CU_ASSERT(nearly(row_named(&p, "main")->sums.elapsed_exclusive, 100 / 3.0L));
	CU_ASSERT(nearly(p.totals.elapsed, 205 / 3.0L));
	CU_ASSERT_EQUAL(p.totals.no_frequency, 0);
	profile_release(&p);
	maker_header(&m)->clock_ticks[2] = 0;
	maker_header(&m)->clock_ticks[1] = 3000;
	maker_header(&m)->clock_ns[1] = 6000; /* 2 ticks a ns */
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	CU_ASSERT(nearly(row_named(&p, "main")->sums.elapsed_exclusive, 50));
	profile_release(&p);
	maker_header(&m)->clock = CINSTR_CLOCK_MONOTONIC_RAW;
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	CU_ASSERT(nearly(row_named(&p, "main")->sums.elapsed_exclusive, 100));
	profile_release(&p);
	maker_release(&m);
}

static void what_does_not_add_up_is_told(void)
{
	struct maker m;
	struct profile p;
	struct data data;
	struct cinstr_fold_state *s;

	make_recursion(&m);
	s = &maker_thread_at(&m, 0)->states[1];
	s->enters = 10;
	s->exits = 7;
	s->implicit_exits = 2;
	s->events = 30;
	s->lost_events = 4;
	maker_write(&m);
	maker_thread_at(&m, 0)->states[1].time += 9;
	maker_write_raw(&m, m.n);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, m.path), 0);
	profile_init(&p, BY_FUNCTION, &default_counting);
	profile_add(&p, &data);
	CU_ASSERT_EQUAL(p.totals.conservation_ticks_off, 9);
	CU_ASSERT_EQUAL(p.totals.threads_off, 1);
	CU_ASSERT_EQUAL(p.totals.unbalanced, 1);
	CU_ASSERT_EQUAL(p.totals.lost_events, 4);
	CU_ASSERT_EQUAL(p.totals.left_out_by_need, 1);
	CU_ASSERT_EQUAL(p.totals.left_out_by_choice, 3);
	CU_ASSERT_STRING_EQUAL(p.totals.title, "./app --size 'a b'");
	profile_release(&p);
	data_release(&data);
	maker_release(&m);
}

/* 96 calls of 1,000 ticks, 3 of about 5,000 in another cell, one of 100,000; a path that was called
 * once. */
static void durations_of_calls(void)
{
	struct maker m;
	struct profile p;
	struct durations *d;
	struct cinstr_detail *detail;
	uint32_t at;

	maker_init(&m);
	maker_thread(&m, "t");
	at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(WORK_ENTER), 96, 96000);
	detail = maker_detail(&m, 0, at);
	detail->shortest[0] = detail->longest[0] = detail->shortest[1] = detail->longest[1] = 1000;
	detail->window = 20;
	maker_cell_at(&m, at)->recent[3] = 96; /* from (4 + 3) * 2^7 - 16 = 880 up to 1008 */
	at = maker_frame(&m, 0, at, maker_code(WORK_REC), maker_code(WORK_ENTER), 3, 15000);
	detail = maker_detail(&m, 0, at);
	detail->shortest[0] = detail->shortest[1] = 4700;
	detail->longest[0] = detail->longest[1] = 5100;
	detail->window = 32;
	maker_cell_at(&m, at)->recent[0] = 3; /* 4,080 to 5,104 */
	at = maker_frame(&m, 0, at, maker_code(WORK_REC), maker_code(WORK_ENTER), 1, 100000);
	maker_cell_at(&m, at)->first_ticks = 100000;
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	d = &p.rows[row_named(&p, "work") - p.rows].durations;
	CU_ASSERT_EQUAL(d->n, 100);
	CU_ASSERT(durations_quantile(d, 0.5) > 955 && durations_quantile(d, 0.5) < 1045);
	CU_ASSERT(durations_quantile(d, 0.96) < 1045);
	CU_ASSERT(durations_quantile(d, 0.97) > 4700 / 1.045L && durations_quantile(d, 0.99) < 5100 * 1.045L);
	CU_ASSERT(durations_quantile(d, 1) > 95500 && durations_quantile(d, 1) < 104500);
	CU_ASSERT(nearly(row_named(&p, "work")->longest[VALUE_ELAPSED_EXCLUSIVE], 100000));
	CU_ASSERT(nearly(row_named(&p, "work")->shortest[VALUE_APPLICATION_INCLUSIVE], 1000));
	profile_release(&p);
	maker_release(&m);
}

/* R8: wherever in a slot of the file the calls are. */
static void percentiles_are_within_twelve_percent(void)
{
	for (uint32_t slot = 32; slot + 1 < CINSTR_SLOTS; slot++) {
		long double low = (long double)details_slot_begin(slot);
		long double high = (long double)details_slot_begin(slot + 1);

		for (int percents = 1; percents <= 100; percents += 33) {
			struct durations d = { 0 };
			long double value;

			durations_add_between(&d, low, high, 100);
			value = durations_quantile(&d, percents / 100.0);
			CU_ASSERT(value <= 1.12L * low && value >= 0.88L * high);
			CU_ASSERT_EQUAL(d.n, 100);
			durations_release(&d);
		}
	}
}

CU_TestInfo profile_tests[] = {
	{ "R8 percentiles are within 12 %", percentiles_are_within_twelve_percent },
	{ "durations of calls", durations_of_calls },
	{ "R6 recursion counts once", recursion_counts_once },
	{ "R6 a module counts once", a_module_counts_once },
	{ "R6 a function is left and entered again", a_function_is_left_and_entered_again },
	{ "R6 R17 threads and processes", threads_and_processes },
	{ "R17 threads of one name are a row", threads_of_one_name_are_a_row },
	{ "paths are merged over threads", paths_are_merged_over_threads },
	{ "R8 shortest and longest activation", shortest_and_longest_activation },
	{ "ticks become nanoseconds", ticks_become_nanoseconds },
	{ "R10 what does not add up is told", what_does_not_add_up_is_told },
	CU_TEST_INFO_NULL,
};
