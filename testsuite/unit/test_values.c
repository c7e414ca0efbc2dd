/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * R5, R9, R10, R11, R12 on one tree: root(50) main(1000) -> work x10 (400) -> read x10 (300); main
 * -> usleep x2 (5000)
 */
#include <stdlib.h>

#include "tests.h"

enum { ROOT, MAIN, WORK, READ, USLEEP, NODES };

static struct maker maker;
static struct data data;
static uint32_t cells[NODES];

static void make_tree(void)
{
	maker_init(&maker);
	maker_thread(&maker, "t");
	cells[ROOT] = maker_root(&maker, 0);
	maker_root_ticks(&maker, 0, 50);
	cells[MAIN] = maker_frame(&maker, 0, cells[ROOT], 0, maker_code(MAIN_ENTER), 1, 1000);
	cells[WORK] =
		maker_frame(&maker, 0, cells[MAIN], maker_code(MAIN_WORK), maker_code(WORK_ENTER), 10, 400);
	cells[READ] = maker_call(&maker, 0, cells[WORK], maker_code(WORK_READ), 10, 300);
	cells[USLEEP] = maker_call(&maker, 0, cells[MAIN], maker_code(MAIN_USLEEP), 2, 5000);
}

static struct node_values *values_of(const struct counting *counting)
{
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	CU_ASSERT_EQUAL_FATAL(data.n_threads, 1);
	CU_ASSERT_EQUAL_FATAL(data.threads[0].n_nodes, NODES);
	return values_make(&data, &data.threads[0], counting);
}

static void done(struct node_values *values)
{
	free(values);
	data_release(&data);
}

static void cost(enum cinstr_cost kind, uint64_t ticks)
{
	struct cinstr_calibration *c = &maker_header(&maker)->calibration;

	c->rounds = 2;
	c->sum[kind] = 2 * 1024 * ticks;
	c->minimum[kind] = 1024 * (ticks - 1);
	c->maximum[kind] = 1024 * (ticks + 1);
}

static void inclusive_is_the_sum_of_the_subtree(void)
{
	struct node_values *v;

	make_tree();
	v = values_of(&default_counting);
	CU_ASSERT_EQUAL(v[0].inclusive.elapsed, 6750);
	CU_ASSERT_EQUAL(v[1].inclusive.elapsed, 6700);
	CU_ASSERT_EQUAL(v[2].inclusive.elapsed, 700);
	CU_ASSERT_EQUAL(v[3].inclusive.elapsed, 300);
	CU_ASSERT_EQUAL(v[2].exclusive.elapsed, 400);
	done(v);
	maker_release(&maker);
}

static void overhead_by_the_kind_of_each_begin(void)
{
	struct node_values *v;

	make_tree();
	cost(CINSTR_COST_CALL, 3);
	cost(CINSTR_COST_RETURN, 5);
	cost(CINSTR_COST_BEFORE, 7);
	cost(CINSTR_COST_AFTER, 11);
	cost(CINSTR_COST_ENTER, 13);
	cost(CINSTR_COST_EXIT, 17);
	v = values_of(&default_counting);
	CU_ASSERT_EQUAL(v[0].exclusive.overhead, 17); /* EXIT of main */
	CU_ASSERT_EQUAL(v[1].exclusive.overhead,
			13 + 10 * 5 + 2 * 11);			    /* ENTER, RETURN of work, AFTER usleep */
	CU_ASSERT_EQUAL(v[2].exclusive.overhead, 10 * 3 + 10 * 11); /* CALL, AFTER read */
	CU_ASSERT_EQUAL(v[3].exclusive.overhead, 10 * 7);
	CU_ASSERT_EQUAL(v[1].exclusive.elapsed, 1000 - 85);
	CU_ASSERT_EQUAL(v[1].inclusive.overhead, 85 + 140 + 70 + 14);
	CU_ASSERT_EQUAL(v[1].inclusive.elapsed + v[1].inclusive.overhead, 6700);
	CU_ASSERT_EQUAL(v[3].overhead_low, 60);
	CU_ASSERT_EQUAL(v[3].overhead_high, 80);
	done(v);
	maker_release(&maker);
}

static void overhead_never_takes_more_than_there_is(void)
{
	struct node_values *v;

	make_tree();
	cost(CINSTR_COST_BEFORE, 1000000);
	v = values_of(&default_counting);
	CU_ASSERT_EQUAL(v[3].exclusive.overhead, 300);
	CU_ASSERT_EQUAL(v[3].exclusive.elapsed, 0);
	CU_ASSERT_EQUAL(v[2].exclusive.elapsed, 400);
	done(v);
	maker_cell_at(&maker, cells[READ])->calls = UINT64_MAX / 2; /* saturates */
	v = values_of(&default_counting);
	CU_ASSERT_EQUAL(v[3].exclusive.elapsed, 0);
	done(v);
	maker_release(&maker);
}

static void raw_subtracts_nothing(void)
{
	struct counting raw = { .os_mask = CINSTR_OS_DEFAULT_MASK, .raw = 1 };
	struct node_values *v;

	make_tree();
	cost(CINSTR_COST_CALL, 3);
	v = values_of(&raw);
	CU_ASSERT_EQUAL(v[2].exclusive.elapsed, 400);
	CU_ASSERT_EQUAL(v[2].exclusive.overhead, 30);
	done(v);
	maker_release(&maker);
}

static void a_tail_call_returns_once(void)
{
	struct node_values *v;

	make_tree();
	cost(CINSTR_COST_RETURN, 5);
	maker_frame(&maker, 0, cells[MAIN], maker_code(WORK_TAIL), maker_code(TAIL_ENTER), 10, 100);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	v = values_make(&data, &data.threads[0], &default_counting);
	CU_ASSERT_EQUAL(v[1].exclusive.overhead, 50); /* for work, not for tail again */
	done(v);
	maker_release(&maker);
}

/*
 * main: 600 ticks with a voluntary switch (100 off), 200 with a minor fault; work: 50 with both a
 * fault and a switch
 */
static void os_events(void)
{
	make_tree();
	maker_bucket(&maker, 0, cells[MAIN], CINSTR_OS_VOLUNTARY, 600, 100);
	maker_bucket(&maker, 0, cells[MAIN], CINSTR_OS_MINOR_FAULT, 200, 30);
	maker_bucket(&maker, 0, cells[WORK], CINSTR_OS_MAJOR_FAULT | CINSTR_OS_INVOLUNTARY, 50, 20);
}

static void interval_mode_drops_whole_intervals(void)
{
	struct counting counting = default_counting;
	struct node_values *v;

	os_events();
	v = values_of(&counting);
	CU_ASSERT_EQUAL(v[1].exclusive.application, 400);
	CU_ASSERT_EQUAL(v[2].exclusive.application, 350);
	CU_ASSERT_EQUAL(v[3].exclusive.application, 0); /* read: a wrapper of a system call */
	CU_ASSERT_EQUAL(v[4].exclusive.application, 0);
	CU_ASSERT_EQUAL(v[0].inclusive.application, 50 + 400 + 350);
	CU_ASSERT_EQUAL(v[0].inclusive.off_cpu, 150);
	done(v);
	counting.os_mask = CINSTR_OS_MINOR_FAULT | CINSTR_OS_INVOLUNTARY;
	v = values_of(&counting);
	CU_ASSERT_EQUAL(v[1].exclusive.application, 800);
	CU_ASSERT_EQUAL(v[2].exclusive.application, 350);
	CU_ASSERT_EQUAL(v[3].exclusive.application, 300); /* syscall is not in the mask */
	done(v);
	maker_release(&maker);
}

static void on_cpu_mode_drops_time_off_the_processor(void)
{
	struct counting counting = { .os_mask = CINSTR_OS_DEFAULT_MASK, .on_cpu = 1 };
	struct node_values *v;

	os_events();
	v = values_of(&counting);
	CU_ASSERT_EQUAL(v[1].exclusive.application, 1000 - 130);
	CU_ASSERT_EQUAL(v[2].exclusive.application, 380);
	CU_ASSERT_EQUAL(v[4].exclusive.application, 5000);
	done(v);
	maker_release(&maker);
}

static void application_stays_within_elapsed(void)
{
	struct node_values *v;

	os_events();
	cost(CINSTR_COST_AFTER, 250); /* main: 500 of its 1000 */
	v = values_of(&default_counting);
	CU_ASSERT_EQUAL(v[1].exclusive.elapsed, 500);
	CU_ASSERT_EQUAL(v[1].exclusive.application, 0);
	done(v);
	maker_release(&maker);
}

static void conservation_is_exact(void)
{
	struct node_values *v;

	make_tree();
	maker_thread_at(&maker, 0)->states[1].runtime_ticks = 77;
	v = values_of(&default_counting);
	CU_ASSERT_EQUAL(values_conservation(&data.threads[0]), 0);
	((struct cinstr_cell *)(uintptr_t)data.threads[0].nodes[2].cell)->ticks -= 3;
	CU_ASSERT_EQUAL(values_conservation(&data.threads[0]), -3);
	done(v);
	maker_release(&maker);
}

CU_TestInfo values_tests[] = {
	{ "R5 inclusive is the sum of the subtree", inclusive_is_the_sum_of_the_subtree },
	{ "R9 overhead by the kind of each begin", overhead_by_the_kind_of_each_begin },
	{ "R9 overhead never takes more than there is", overhead_never_takes_more_than_there_is },
	{ "R9 --raw subtracts nothing", raw_subtracts_nothing },
	{ "R9 a tail call returns once", a_tail_call_returns_once },
	{ "R12 interval mode drops whole intervals", interval_mode_drops_whole_intervals },
	{ "R12 on-cpu mode drops time off the processor", on_cpu_mode_drops_time_off_the_processor },
	{ "R12 application stays within elapsed", application_stays_within_elapsed },
	{ "R10 conservation is exact", conservation_is_exact },
	CU_TEST_INFO_NULL,
};
