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

/* Of all nodes; asked for in an order in which nothing is at hand. The caller frees it. */
static struct node_values *all_values(const struct counting *counting)
{
	const struct data_thread *thread = &data.threads[0];
	struct values *values = values_make(&data, thread, counting);
	struct node_values *all = xcalloc(thread->n_nodes, sizeof(*all));

	for (size_t i = thread->n_nodes; i-- > 0;)
		all[i] = *values_at(values, i);
	values_release(values);
	return all;
}

static struct node_values *values_of_n(const struct counting *counting, size_t nodes)
{
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	CU_ASSERT_EQUAL_FATAL(data.n_threads, 1);
	CU_ASSERT_EQUAL_FATAL(data.threads[0].n_nodes, nodes);
	return all_values(counting);
}

static struct node_values *values_of(const struct counting *counting)
{
	return values_of_n(counting, NODES);
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
	/* ENTER, RETURN of work, AFTER usleep */
	CU_ASSERT_EQUAL(v[1].exclusive.overhead, 13 + 10 * 5 + 2 * 11);
	CU_ASSERT_EQUAL(v[2].exclusive.overhead, 10 * 3 + 10 * 11); /* CALL, AFTER read */
	CU_ASSERT_EQUAL(v[3].exclusive.overhead, 10 * 7);
	CU_ASSERT_EQUAL(v[1].exclusive.elapsed, 1000 - 85);
	CU_ASSERT_EQUAL(v[1].inclusive.overhead, 85 + 140 + 70 + 14);
	CU_ASSERT_EQUAL(v[1].inclusive.elapsed + v[1].inclusive.overhead, 6700);
	CU_ASSERT_EQUAL(v[3].exclusive.overhead_low, 60);
	CU_ASSERT_EQUAL(v[3].exclusive.overhead_high, 80);
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

/* A call costs 20 ticks in the loop, 24 alone and 12 beside other work: times 1.05, at least 0.75,
 * at most 1.5; late 3. */
static void contexts(void)
{
	struct cinstr_calibration *c = &maker_header(&maker)->calibration;

	for (int kind = 0; kind < CINSTR_COST_KINDS; kind++)
		cost((enum cinstr_cost)kind, 10);
	c->call_squares = 2ull * 20 * 1024 * 20 * 1024;
	c->contexts = 4;
	c->alone_sum = 4 * 24 * 1024;
	c->beside_sum = 4 * 12 * 1024;
}

static void the_bar_spans_the_contexts(void)
{
	struct node_values *v;

	make_tree();
	contexts();
	v = values_of(&default_counting);
	/* read: 10 intervals. Its own work can be measured late, whoever looks. */
	CU_ASSERT_EQUAL(v[3].exclusive.overhead, 105);
	CU_ASSERT_EQUAL(v[3].exclusive.overhead_low, 75 - 30);
	CU_ASSERT_EQUAL(v[3].exclusive.overhead_high, 150 + 30);
	CU_ASSERT_EQUAL(v[3].inclusive.overhead_low, 45);
	CU_ASSERT_EQUAL(v[3].inclusive.overhead_high, 180);
	/* work: 20 intervals; with read 30, of which only the 10 of its calls have neighbours
	 * outside. */
	CU_ASSERT_EQUAL(v[2].exclusive.overhead, 210);
	CU_ASSERT_EQUAL(v[2].exclusive.overhead_low, 150 - 60);
	CU_ASSERT_EQUAL(v[2].exclusive.overhead_high, 300 + 60);
	CU_ASSERT_EQUAL(v[2].inclusive.overhead, 315);
	CU_ASSERT_EQUAL(v[2].inclusive.overhead_low, 225 - 30);
	CU_ASSERT_EQUAL(v[2].inclusive.overhead_high, 450 + 30);
	/* read is a system call */
	CU_ASSERT_EQUAL(v[2].inclusive.application_uncertainty, 90 + 30);
	done(v);
	maker_header(&maker)->calibration.call_squares =
		2ull * 25 * 1024 * 25 * 1024; /* they differ by 0.75 */
	v = values_of(&default_counting);
	CU_ASSERT_EQUAL(v[3].exclusive.overhead, 105);
	CU_ASSERT_EQUAL(v[3].exclusive.overhead_low, 105 - 81 - 24); /* hypot(0.3, 0.75) = 0.808 */
	done(v);
	maker_release(&maker);
}

static void the_bar_ends_where_nothing_is_left(void)
{
	struct node_values *v;

	make_tree();
	contexts();
	maker_cell_at(&maker, cells[READ])->ticks = 130;
	maker_cell_at(&maker, cells[USLEEP])->ticks = 15;
	v = values_of(&default_counting);
	CU_ASSERT_EQUAL(v[3].exclusive.elapsed, 25);
	CU_ASSERT_EQUAL(v[3].exclusive.overhead_high, 130);
	CU_ASSERT_EQUAL(v[4].exclusive.elapsed, 0); /* 21 to be subtracted */
	CU_ASSERT_EQUAL(v[4].exclusive.overhead, 15);
	CU_ASSERT_EQUAL(v[4].exclusive.overhead_low, 15 - 6);
	CU_ASSERT_EQUAL(v[4].exclusive.overhead_high, 15);
	done(v);
	maker_release(&maker);
}

/* On another path work measures less than its overhead: the rest is taken where it has more. */
static void paths_of_a_function_even_out(void)
{
	struct node_values *v;

	make_tree();
	cost(CINSTR_COST_CALL, 30);
	maker_frame(&maker, 0, cells[READ], maker_code(MAIN_WORK), maker_code(WORK_ENTER), 10, 220);
	v = values_of_n(&default_counting, NODES + 1);
	for (size_t i = 0; i < data.threads[0].n_nodes; i++) {
		const struct cinstr_cell *cell = data.threads[0].nodes[i].cell;

		if (cell->func != maker_code(WORK_ENTER))
			continue;
		CU_ASSERT_EQUAL(v[i].exclusive.overhead, cell->ticks == 220 ? 220 : 380);
		CU_ASSERT_EQUAL(v[i].exclusive.elapsed, cell->ticks == 220 ? 0 : 20);
	}
	done(v);
	maker_release(&maker);
}

/* In ticks, in every node, also where the correction takes everything. */
static void the_sums_hold_after_correction(void)
{
	for (uint64_t ticks = 1; ticks < 2000; ticks = ticks * 3 + 1) {
		struct node_values *v;

		make_tree();
		contexts();
		maker_bucket(&maker, 0, cells[MAIN], CINSTR_OS_VOLUNTARY, 1000, 1000);
		maker_header(&maker)->calibration.sum[CINSTR_COST_AFTER] = 2 * 1024 * ticks;
		maker_header(&maker)->calibration.sum[CINSTR_COST_RETURN] = 2 * 1024 * ticks;
		v = values_of(&default_counting);
		CU_ASSERT_EQUAL(v[0].inclusive.elapsed, v[0].exclusive.elapsed + v[1].inclusive.elapsed);
		CU_ASSERT_EQUAL(v[1].inclusive.elapsed,
				v[1].exclusive.elapsed + v[2].inclusive.elapsed + v[4].inclusive.elapsed);
		CU_ASSERT_EQUAL(v[2].inclusive.elapsed, v[2].exclusive.elapsed + v[3].inclusive.elapsed);
		CU_ASSERT_EQUAL(v[0].inclusive.elapsed + v[0].inclusive.overhead, 6750);
		for (int i = 0; i < NODES; i++) {
			const struct ticks *t[2] = { &v[i].exclusive, &v[i].inclusive };

			for (int j = 0; j < 2; j++) {
				CU_ASSERT(t[j]->overhead_low <= t[j]->overhead);
				CU_ASSERT(t[j]->overhead <= t[j]->overhead_high);
				CU_ASSERT(t[j]->overhead_high <= t[j]->overhead + t[j]->elapsed);
				CU_ASSERT(t[j]->off_cpu <= t[j]->elapsed);
			}
		}
		CU_ASSERT_EQUAL(values_conservation(&data.threads[0]), 0);
		done(v);
		maker_release(&maker);
	}
}

/* Of main's 13 intervals one is left out: its overhead goes with it. */
static void an_interval_left_out_takes_its_overhead(void)
{
	struct node_values *v;

	make_tree();
	cost(CINSTR_COST_RETURN, 13);
	maker_bucket(&maker, 0, cells[MAIN], CINSTR_OS_VOLUNTARY, 600, 100);
	v = values_of(&default_counting);
	CU_ASSERT_EQUAL(v[1].exclusive.overhead, 130);
	CU_ASSERT_EQUAL(v[1].exclusive.application, 1000 - 600 - (130 - 10));
	CU_ASSERT_EQUAL(v[1].exclusive.application_uncertainty, 10 * 12 / 13 + 10);
	done(v);
	maker_release(&maker);
}

/* Of an interval in which it only lost its processor: not of one with another event, too. */
static void work_that_was_preempted_is_known(void)
{
	struct node_values *v;

	make_tree();
	maker_bucket(&maker, 0, cells[MAIN], CINSTR_OS_INVOLUNTARY, 300, 100);
	maker_bucket(&maker, 0, cells[MAIN], CINSTR_OS_INVOLUNTARY | CINSTR_OS_VOLUNTARY, 200, 50);
	v = values_of(&default_counting);
	CU_ASSERT_EQUAL(v[1].exclusive.application, 1000 - 300 - 200);
	CU_ASSERT_EQUAL(v[1].exclusive.preempted_work, 300 - 100);
	CU_ASSERT_EQUAL(v[0].inclusive.preempted_work, 300 - 100);
	done(v);
	v = values_of(&(struct counting){ .os_mask = CINSTR_OS_DEFAULT_MASK, .on_cpu = 1 });
	CU_ASSERT_EQUAL(v[1].exclusive.preempted_work, 0);
	done(v);
	maker_release(&maker);
}

static void the_rest_has_the_rest_of_the_bar(void)
{
	struct ticks whole = { 100, 90, 50, 8, 30, 80, 25, 9, 7, 0 };
	struct ticks part = { 60, 60, 20, 3, 15, 30, 10, 4, 1, 0 };

	values_subtract(&whole, &part);
	CU_ASSERT_EQUAL(whole.elapsed, 40);
	CU_ASSERT_EQUAL(whole.application, 30);
	CU_ASSERT_EQUAL(whole.overhead, 30);
	CU_ASSERT_EQUAL(whole.off_cpu, 5);
	CU_ASSERT_EQUAL(whole.overhead_low, 30 - 15);
	CU_ASSERT_EQUAL(whole.overhead_high, 30 + 20);
	CU_ASSERT_EQUAL(whole.application_uncertainty, 15);
	CU_ASSERT_EQUAL(whole.preempted_work, 5);
	CU_ASSERT_EQUAL(whole.preempted, 5); /* of what is left off the processor */
	/* estimates: more than there is, and wider */
	part = (struct ticks){ 41, 31, 5, 9, 0, 50, 16, 6, 2, 0 };
	values_subtract(&whole, &part);
	CU_ASSERT_EQUAL(whole.elapsed, 0);
	CU_ASSERT_EQUAL(whole.application, 0);
	CU_ASSERT_EQUAL(whole.off_cpu, 0);
	CU_ASSERT_EQUAL(whole.overhead, 25);
	CU_ASSERT_EQUAL(whole.overhead_low, 25 - 10);
	CU_ASSERT_EQUAL(whole.overhead_high, 25);
	CU_ASSERT_EQUAL(whole.application_uncertainty, 0);
	CU_ASSERT_EQUAL(whole.preempted_work, 0);
	CU_ASSERT_EQUAL(whole.preempted, 0);
}

static void raw_values_have_no_bar(void)
{
	struct counting raw = { .os_mask = CINSTR_OS_DEFAULT_MASK, .raw = 1 };
	struct node_values *v;

	make_tree();
	contexts();
	v = values_of(&raw);
	for (int i = 0; i < NODES; i++) {
		CU_ASSERT_EQUAL(v[i].inclusive.overhead_low, v[i].inclusive.overhead);
		CU_ASSERT_EQUAL(v[i].inclusive.overhead_high, v[i].inclusive.overhead);
		CU_ASSERT_EQUAL(v[i].exclusive.overhead_low, v[i].exclusive.overhead);
		CU_ASSERT_EQUAL(v[i].exclusive.overhead_high, v[i].exclusive.overhead);
		CU_ASSERT_EQUAL(v[i].inclusive.application_uncertainty, 0);
	}
	CU_ASSERT_EQUAL(v[0].inclusive.elapsed, 6750);
	CU_ASSERT(v[0].inclusive.overhead > 0);
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
	v = all_values(&default_counting);
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

/* Nodes in preorder; from some on up to four levels are left. */
static void nodes_make(struct data_node *nodes, struct cinstr_cell *made, uint32_t n)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		made[i] = (struct cinstr_cell){ .tag = i ? CINSTR_CELL_FRAME : CINSTR_CELL_ROOT,
						.calls = i != 0,
						.ticks = 1000 + 7 * (uint64_t)i };
		nodes[i] = (struct data_node){ &made[i], at, i };
		for (uint32_t up = at; up != nodes[up].parent; up = nodes[up].parent)
			nodes[up].last = i;
		nodes[0].last = i;
		at = i;
		for (uint32_t depth = i % 3 ? 0 : i % 5; depth; depth--)
			at = nodes[at].parent;
	}
}

/* More than a word of those that have called something tells. */
static void values_of_many_nodes(void)
{
	enum { MANY = 500 };
	static struct data_node nodes[MANY];
	static struct cinstr_cell made[MANY];
	struct data_thread thread = { .nodes = nodes, .n_nodes = MANY };
	struct counting raw = { .os_mask = CINSTR_OS_DEFAULT_MASK, .raw = 1 };
	struct values *values;

	make_tree();
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	nodes_make(nodes, made, MANY);
	values = values_make(&data, &thread, &raw);
	for (size_t i = 0; i < MANY; i++) {
		uint64_t sum = 0;

		for (size_t j = i; j <= nodes[i].last; j++)
			sum += made[j].ticks;
		CU_ASSERT_EQUAL(values_at(values, i)->exclusive.elapsed, made[i].ticks);
		CU_ASSERT_EQUAL(values_at(values, i)->inclusive.elapsed, sum);
	}
	values_release(values);
	data_release(&data);
	maker_release(&maker);
}

CU_TestInfo values_tests[] = {
	{ "R5 inclusive is the sum of the subtree", inclusive_is_the_sum_of_the_subtree },
	{ "R9 overhead by the kind of each begin", overhead_by_the_kind_of_each_begin },
	{ "R9 overhead never takes more than there is", overhead_never_takes_more_than_there_is },
	{ "R9 --raw subtracts nothing", raw_subtracts_nothing },
	{ "R9 the bar spans the contexts", the_bar_spans_the_contexts },
	{ "R9 the bar ends where nothing is left", the_bar_ends_where_nothing_is_left },
	{ "R9 paths of a function even out", paths_of_a_function_even_out },
	{ "R9 the sums hold after correction", the_sums_hold_after_correction },
	{ "R9 an interval left out takes its overhead", an_interval_left_out_takes_its_overhead },
	{ "R9 the rest has the rest of the bar", the_rest_has_the_rest_of_the_bar },
	{ "R12 work that was preempted is known", work_that_was_preempted_is_known },
	{ "R9 raw values have no bar", raw_values_have_no_bar },
	{ "R9 a tail call returns once", a_tail_call_returns_once },
	{ "R12 interval mode drops whole intervals", interval_mode_drops_whole_intervals },
	{ "R12 on-cpu mode drops time off the processor", on_cpu_mode_drops_time_off_the_processor },
	{ "R12 application stays within elapsed", application_stays_within_elapsed },
	{ "values of many nodes", values_of_many_nodes },
	{ "R10 conservation is exact", conservation_is_exact },
	CU_TEST_INFO_NULL,
};
