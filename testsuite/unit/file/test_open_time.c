/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_open_time.c - what is open at the end of a recording has its time up to there. */
#include <stdlib.h>
#include <string.h>

#include "file/data.h"
#include "file/long_intervals.h"
#include "maker/maker.h"
#include "runtime/buffer.h"
#include "tests.h"
#include "values/values.h"

#define OWN 100 /* ticks of each cell */

static struct maker maker;
static uint32_t frame, call;

/* A thread in a call of read, or in the function that makes it; another one that is done. */
static struct cinstr_thread *make(int is_in_call)
{
	maker_init(&maker);
	maker_thread(&maker, "waits");
	frame = maker_frame(&maker, 0, maker_root(&maker, 0), 0, maker_code(WORK_ENTER), 1, OWN);
	call = maker_call(&maker, 0, frame, maker_code(WORK_READ), 1, OWN);
	maker_open(&maker, 0, frame);
	if (is_in_call)
		maker_open(&maker, 0, call);
	maker_thread(&maker, "other");
	maker_frame(&maker, 1, maker_root(&maker, 1), 0, maker_code(WORK_ENTER), 1, OWN);
	maker_write(&maker);
	return maker_thread_at(&maker, 0);
}

static uint64_t last_stamp(void)
{
	return maker_thread_at(&maker, 0)->states[1].time;
}

/* What is in the file then: ticks beyond OWN of the frame and of its call, and what of the
 * call's was off the processor. */
static void becomes(uint64_t of_frame, uint64_t of_call, uint64_t off_cpu)
{
	const struct counting counting = { .os_mask = CINSTR_OS_DEFAULT_MASK };
	struct values *values;
	struct data data;

	maker_write_raw(&maker, maker.n);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker.path), 0);
	CU_ASSERT_EQUAL_FATAL(data.n_problems, 0);
	CU_ASSERT_EQUAL_FATAL(data.threads[0].n_nodes, 3);
	CU_ASSERT_EQUAL(data.threads[0].nodes[1].cell->ticks, OWN + of_frame);
	CU_ASSERT_EQUAL(data.threads[0].nodes[2].cell->ticks, OWN + of_call);
	for (size_t i = 0; i < data.n_threads; i++)
		CU_ASSERT_EQUAL(values_conservation(&data.threads[i]), 0);
	values = values_make(&data, &data.threads[0], &counting);
	CU_ASSERT_EQUAL(values_at(values, 2)->exclusive.off_cpu, off_cpu);
	values_release(values);
	data_release(&data);
}

static void a_call_lasts_up_to_the_end(void)
{
	make(1);
	becomes(0, 0, 0); /* no end is noted, and nobody was there longer */
	maker_header(&maker)->end_ticks = last_stamp() + 5000;
	becomes(0, 5000, 5000); /* a known wrapper of a system call waits */
	maker_header(&maker)->end_ticks = last_stamp() - 1;
	becomes(0, 0, 0);
	maker_release(&maker);
	make(0);
	maker_header(&maker)->end_ticks = last_stamp() + 5000;
	becomes(5000, 0, 0);
	maker_release(&maker);
}

/* Of a killed process: what the others tell. */
static void another_thread_tells_how_long(void)
{
	make(1);
	maker_root_ticks(&maker, 1, 7000);
	maker_write(&maker);
	becomes(0, 7000 - OWN, 7000 - OWN); /* its time began with that of the other */
	maker_release(&maker);
}

static void processor_time_tells_what_it_waited(void)
{
	struct cinstr_thread *t = make(1);

	maker_header(&maker)->end_ticks = last_stamp() + 5000;
	t->asked_ticks = last_stamp() - 1000;
	t->asked_cpu_ns = 800000;
	t->end_cpu_ns = 804000; /* 4,000 of 6,000 ticks */
	becomes(0, 5000, 2000);
	t->end_cpu_ns = 800100; /* at most as long as the interval is */
	becomes(0, 5000, 5000);
	t->end_cpu_ns = 805900; /* hardly any */
	becomes(0, 5000, 0);
	t->end_cpu_ns = 900000;
	becomes(0, 5000, 0);
	maker_release(&maker);
}

static void not_what_had_ended(void)
{
	struct cinstr_thread *t = make(1);

	maker_header(&maker)->end_ticks = last_stamp() + 5000;
	t->end_cpu_ns = UINT64_MAX; /* nobody saw when */
	becomes(0, 0, 0);
	t->end_cpu_ns = 0;
	t->states[1].paused = 1;
	becomes(0, 0, 0);
	t->states[1].paused = 0;
	maker_header(&maker)->stop = CINSTR_STOP_NO_SPACE;
	becomes(0, 0, 0);
	maker_header(&maker)->stop = CINSTR_STOP_NONE;
	t->state = CINSTR_THREAD_ENDED;
	becomes(0, 0, 0);
	maker_release(&maker);
}

/* What a damaged stamp makes of a mixed file: one problem, and no memory that grows with it. */
static void damaged_by(const char *where)
{
	struct data data;

	maker_header(&maker)->mixed = 1;
	maker_header(&maker)->self_sampled = 1;
	maker_write_raw(&maker, maker.n);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker.path), 0);
	CU_ASSERT_EQUAL_FATAL(data.n_problems, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(data.problems[0].reason, where));
	for (size_t i = 0; i < data.n_threads; i++)
		CU_ASSERT(data.threads[i].longs.n < 4);
	data_release(&data);
	maker_release(&maker);
}

static void stamps_of_other_years(void)
{
	static const uint64_t jumps[] = { 1ull << 61, (1ull << 61) + 1, 1ull << 60, (1ull << 62) - 1 };

	for (size_t i = 0; i < ARRAY_SIZE(jumps); i++) {
		uint64_t stamp;

		make(1);
		stamp = last_stamp();
		maker_records(&maker, 0,
			      (struct cinstr_record[]){ buffer_start(stamp),
							buffer_special(CINSTR_SP_RESUME,
								       (uint32_t)(stamp + jumps[i]) - FIRST,
								       stamp + jumps[i]) },
			      2);
		damaged_by("no event after it");
		make(1);
		maker_records(&maker, 0, (struct cinstr_record[]){ buffer_start(stamp + jumps[i]) }, 1);
		damaged_by("no event after it");
		make(1);
		maker_header(&maker)->end_ticks = stamp + jumps[i];
		damaged_by("not used");
		make(1)->states[1].time += jumps[i];
		damaged_by("left out");
	}
}

/* A kill in a thunk, which has written the second half of an event over a record of an earlier use
 * of the buffer: what is there says nothing of the thread's time. */
static void torn_by_a_kill(void)
{
	struct data data;
	struct cinstr_record torn;
	uint64_t stamp;

	make(1);
	stamp = last_stamp();
	torn = buffer_special(CINSTR_SP_SLOW, 0, stamp - 50);
	torn.extra = 0x7ffe1234;
	torn.second = 1u << 30;
	maker_records(&maker, 0,
		      (struct cinstr_record[]){ buffer_start(stamp), torn,
						buffer_special(CINSTR_SP_RESUME, 0, stamp + 9000) },
		      3);
	maker_header(&maker)->end_ticks = stamp + 500;
	maker_write_raw(&maker, maker.n);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker.path), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	CU_ASSERT_EQUAL(data.threads[0].state->time, stamp + 500);
	data_release(&data);
	maker_release(&maker);
}

/* An interval of weeks is one, not as many as there are pieces of it in a file. */
static void one_long_interval(void)
{
	struct data data;
	uint64_t stamp;

	make(1);
	stamp = last_stamp();
	maker_header(&maker)->mixed = maker_header(&maker)->self_sampled = 1;
	maker_records(&maker, 0,
		      (struct cinstr_record[]){ buffer_start(stamp),
						buffer_special(CINSTR_SP_RESUME, 0, stamp) },
		      2);
	maker_header(&maker)->end_ticks = stamp + (1ull << 50);
	maker_write_raw(&maker, maker.n);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker.path), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	CU_ASSERT_EQUAL_FATAL(data.threads[0].longs.n, 1);
	CU_ASSERT_EQUAL(data.threads[0].longs.list[0].ticks, 1ull << 50);
	CU_ASSERT_EQUAL(long_intervals_cell(&data.threads[0], stamp + (1ull << 49)), call);
	CU_ASSERT_EQUAL(long_intervals_cell(&data.threads[0], stamp + (1ull << 50)), 0);
	data_release(&data);
	maker_release(&maker);
}

/* Stamps of a file become those of another moment by the line through its pairs of clocks. */
static void stamps_of_now(void)
{
	struct cinstr_header h = { .clock = CINSTR_CLOCK_TSC,
				   .clock_ticks = { 1000, 2000, 5000 },
				   .clock_ns = { 100, 600, 2100 } };

	CU_ASSERT_EQUAL(open_time_stamp(&h, 3100), 7000);
	CU_ASSERT_EQUAL(open_time_stamp(&h, 2000), 0); /* before the last */
	h.clock_ns[2] = 0;
	CU_ASSERT_EQUAL(open_time_stamp(&h, 1100), 3000);
	h.clock_ns[1] = 0;
	CU_ASSERT_EQUAL(open_time_stamp(&h, 1100), 0);
	h.clock = CINSTR_CLOCK_MONOTONIC_RAW;
	CU_ASSERT_EQUAL(open_time_stamp(&h, 1100), 1100);
}

CU_TestInfo open_time_tests[] = {
	{ "a call lasts up to the end", a_call_lasts_up_to_the_end },
	{ "another thread tells how long", another_thread_tells_how_long },
	{ "stamps of other years are damaged", stamps_of_other_years },
	{ "a record that a kill has torn", torn_by_a_kill },
	{ "weeks are one long interval", one_long_interval },
	{ "processor time tells what it waited", processor_time_tells_what_it_waited },
	{ "not what had ended", not_what_had_ended },
	{ "stamps of now", stamps_of_now },
	CU_TEST_INFO_NULL,
};
