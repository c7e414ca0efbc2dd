/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges of time and traces of a program whose every tick is known (tape.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "selection/event_stream.h"
#include "selection/time_range.h"
#include "maker/tape.h"
#include "tests.h"

static const struct counting raw = { .os_mask = CINSTR_OS_DEFAULT_MASK, .raw = 1 };

static const struct row *row_or_zeros(const struct profile *profile, const char *name)
{
	static const struct row zeros;
	const struct row *row = row_named(profile, name);

	return row->calls == UINT64_MAX ? &zeros : row;
}

/* The profile of [from, to) of the program. */
static void profile_range_of(void (*make)(struct maker *m), struct profile *profile, uint64_t from,
			     uint64_t to)
{
	struct maker m;
	struct data data;

	maker_init(&m);
	maker_thread(&m, "app");
	make(&m);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
	CU_ASSERT_EQUAL(range_select(&data, TAPE_BEGIN + from, TAPE_BEGIN + to, 0), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	profile_init(profile, BY_FUNCTION, &raw);
	profile_add(profile, &data);
	data_release(&data);
	maker_release(&m);
}

static void profile_range(struct profile *profile, uint64_t from, uint64_t to)
{
	profile_range_of(tape_program, profile, from, to);
}

struct expected {
	const char *name;
	uint64_t calls, exclusive, inclusive, off_cpu;
	long double shortest; /* < 0: none that lies within as a whole */
};

static void range_is(uint64_t from, uint64_t to, const struct expected *expected, size_t n)
{
	struct profile p;

	profile_range(&p, from, to);
	CU_ASSERT_EQUAL(p.totals.conservation_ticks_off, 0);
	CU_ASSERT_EQUAL(p.totals.unbalanced, 0);
	for (size_t i = 0; i < n; i++) {
		const struct row *row = row_named(&p, expected[i].name);

		CU_ASSERT_EQUAL(row->calls, expected[i].calls);
		CU_ASSERT(nearly(row->sums.elapsed_exclusive, expected[i].exclusive));
		CU_ASSERT(nearly(row->sums.elapsed_inclusive, expected[i].inclusive));
		CU_ASSERT(nearly(row->sums.off_cpu_exclusive, expected[i].off_cpu));
		CU_ASSERT(nearly(row->shortest[VALUE_ELAPSED_INCLUSIVE], expected[i].shortest));
	}
	profile_release(&p);
}

/* Cut in the middle of the read; what was off the processor is taken to lie at its end. */
static void an_interval_is_cut(void)
{
	range_is(350, 1400,
		 (const struct expected[]){ { "main", 0, 0, 1050, 0, -1 },
					    { "work", 0, 50, 1050, 0, -1 },
					    { "read", 1, 1000, 1000, 900, -1 } },
		 3);
	range_is(1400, 2650,
		 (const struct expected[]){ { "main", 0, 100, 1250, 0, -1 },
					    { "work", 0, 100, 1100, 0, -1 },
					    { "read", 0, 1000, 1000, 1000, -1 },
					    { "rec", 1, 50, 50, 0, -1 } },
		 4);
	range_is(1000, 1001,
		 (const struct expected[]){ { "main", 0, 0, 1, 0, -1 },
					    { "work", 0, 0, 1, 0, -1 },
					    { "read", 0, 1, 1, 0 + (1900 - 1399 > 0), -1 } },
		 3);
}

/* Calls that lie within as a whole have extremes; those that were open at the begin have none. */
static void whole_calls_have_extremes(void)
{
	range_is(200, 2550,
		 (const struct expected[]){ { "main", 0, 150, 2350, 0, -1 },
					    { "work", 1, 200, 2200, 0, 2200 },
					    { "read", 1, 2000, 2000, 1900, 2000 } },
		 3);
}

/* An event at the very bound is behind it. */
static void bounds_are_begins(void)
{
	range_is(300, 2500,
		 (const struct expected[]){ { "main", 0, 0, 2200, 0, -1 },
					    { "work", 1, 200, 2200, 0, -1 },
					    { "read", 1, 2000, 2000, 1900, 2000 } },
		 3);
}

/* main calls work from 300 to 500, from 600 to 700, and, its enter alone behind 50 of the
 * recording's own time, from 800 to 1000. */
static void make_repeated(struct maker *m)
{
	struct tape tape;

	tape_begin(&tape, 0);
	tape_enter(&tape, 100, MAIN_ENTER, 0x8000);
	tape_call(&tape, 300, MAIN_WORK, WORK_ENTER, 0x7f00);
	tape_return(&tape, 500, WORK_EXIT, 0x7f08);
	tape_call(&tape, 600, MAIN_WORK, WORK_ENTER, 0x7f00);
	tape_return(&tape, 700, WORK_EXIT, 0x7f08);
	tape_split_call(&tape, 800, 850, MAIN_WORK, WORK_ENTER, 0x7f00);
	tape_return(&tape, 1000, WORK_EXIT, 0x7f08);
	tape_exit(&tape, 1100, MAIN_EXIT);
	tape_put(&tape, m, 0, 0);
	maker_root_ticks(m, 0, 1100);
}

/* A call that was open at the begin does not mix with those of the same path that follow. */
static void open_calls_stay_apart(void)
{
	struct profile p;
	const struct row *work;

	profile_range_of(make_repeated, &p, 350, 750);
	work = row_named(&p, "work");
	CU_ASSERT_EQUAL(work->calls, 1);
	CU_ASSERT(nearly(work->sums.elapsed_inclusive, 250));
	CU_ASSERT(nearly(work->shortest[VALUE_ELAPSED_INCLUSIVE], 100));
	CU_ASSERT(nearly(work->longest[VALUE_ELAPSED_INCLUSIVE], 100));
	profile_release(&p);
}

/* A call and its enter that stands alone are one, also when the bound lies between them: it begins
 * with the call. */
static void a_split_call_begins_once(void)
{
	struct profile p;

	profile_range_of(make_repeated, &p, 750, 820);
	CU_ASSERT_EQUAL(row_named(&p, "work")->calls, 1);
	CU_ASSERT_EQUAL(p.totals.open_frames, 2); /* not a call without probes */
	CU_ASSERT_EQUAL(p.totals.conservation_ticks_off, 0);
	CU_ASSERT_EQUAL(p.totals.unbalanced, 0);
	profile_release(&p);
	profile_range_of(make_repeated, &p, 852, 858);
	CU_ASSERT_EQUAL(row_named(&p, "work")->calls, 0);
	CU_ASSERT(nearly(row_named(&p, "work")->sums.elapsed_exclusive, 6));
	CU_ASSERT_EQUAL(p.totals.conservation_ticks_off, 0);
	profile_release(&p);
	profile_range_of(make_repeated, &p, 820, 1050);
	CU_ASSERT_EQUAL(row_named(&p, "work")->calls, 0);
	CU_ASSERT(nearly(p.totals.runtime, 30));
	CU_ASSERT(nearly(row_named(&p, "work")->sums.elapsed_inclusive, 150));
	CU_ASSERT_EQUAL(p.totals.conservation_ticks_off, 0);
	profile_release(&p);
}

/* R4: the interval that a jump ends is that of the function jumped to, also its part before the
 * jump. */
static void the_end_says_whose_a_part_is(void)
{
	range_is(2650, 2750,
		 (const struct expected[]){ { "main", 0, 50, 100, 0, -1 }, { "rec", 1, 50, 50, 0, -1 } }, 2);
}

static void pauses_and_own_work_are_cut(void)
{
	struct profile p;

	profile_range(&p, 2850, 3000);
	CU_ASSERT(nearly(p.totals.elapsed, 50));
	CU_ASSERT(nearly(p.totals.paused, 100));
	profile_release(&p);
	profile_range(&p, 4050, 4500);
	CU_ASSERT(nearly(p.totals.elapsed, 50));
	CU_ASSERT(nearly(p.totals.runtime, 400));
	CU_ASSERT_EQUAL(p.totals.open_frames, 0);
	profile_release(&p);
}

/* Whatever the cuts: parts add up to the whole. */
static void parts_add_up(void)
{
	static const struct expected whole[] = {
		{ "main", 1, 700, 4000 - 1000, 0, 0 },
		{ "work", 2, 400, 2400, 0, 0 },
		{ "read", 1, 2000, 2000, 1900, 0 },
		{ "rec", 2, 100, 100, 0, 0 },
	};
	uint64_t seed = 7;

	for (int round = 0; round < 60; round++) {
		struct expected sum[4] = { { 0 } };
		uint64_t from = 0, to, exits = 0, lost = 0;
		long double runtime = 0, paused = 0, outside = 0;

		while (from < 5301) {
			struct profile p;

			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			to = from + 1 + (seed >> 33) % (round < 30 ? 300 : 2000);
			to = from || to < 5301 ? to : 5300; /* all of it is not folded again */
			profile_range(&p, from, to);
			CU_ASSERT_EQUAL(p.totals.conservation_ticks_off, 0);
			CU_ASSERT_EQUAL(p.totals.unbalanced, 0);
			for (int i = 0; i < 4; i++) {
				const struct row *row = row_or_zeros(&p, whole[i].name);

				sum[i].calls += row->calls;
				sum[i].exclusive += (uint64_t)row->sums.elapsed_exclusive;
				sum[i].inclusive += (uint64_t)row->sums.elapsed_inclusive;
				sum[i].off_cpu += (uint64_t)row->sums.off_cpu_exclusive;
			}
			runtime += p.totals.runtime;
			paused += p.totals.paused;
			outside += p.totals.outside;
			exits += p.totals.exits + p.totals.implicit_exits;
			lost += p.totals.lost_events;
			profile_release(&p);
			from = to;
		}
		for (int i = 0; i < 4; i++) {
			CU_ASSERT_EQUAL(sum[i].calls, whole[i].calls);
			CU_ASSERT_EQUAL(sum[i].exclusive, whole[i].exclusive);
			CU_ASSERT_EQUAL(sum[i].inclusive, whole[i].inclusive);
			CU_ASSERT_EQUAL(sum[i].off_cpu, whole[i].off_cpu);
		}
		CU_ASSERT(nearly(runtime, 900));
		CU_ASSERT(nearly(paused, 1000));
		CU_ASSERT(nearly(outside, 200));
		CU_ASSERT_EQUAL(exits, 5);
		CU_ASSERT_EQUAL(lost, 7);
	}
}

/*
 * main calls work at 300; on the way into it the thread waits, and is off the processor for 400 of
 * the 500 until work's enter, which stands alone; work goes on until 1000, main until 1100.
 */
static void make_waiting(struct maker *m)
{
	struct tape tape;

	tape_begin(&tape, 0);
	tape_enter(&tape, 100, MAIN_ENTER, 0x8000);
	tape_before(&tape, 300, MAIN_WORK);
	tape_os(&tape, 800, CINSTR_OS_VOLUNTARY, 400, 1);
	tape_late_enter(&tape, 800, WORK_ENTER, 0x7f00);
	tape_return(&tape, 1000, WORK_EXIT, 0x7f08);
	tape_exit(&tape, 1100, MAIN_EXIT);
	tape_put(&tape, m, 0, 0);
	maker_root_ticks(m, 0, 1100);
}

/* What lies in [from, to) of work: elapsed, off the processor, Application; and the thread's
 * switches. */
static void waiting_is(uint64_t from, uint64_t to, uint64_t elapsed, uint64_t off_cpu, uint64_t application,
		       uint64_t switches)
{
	const struct row *work;
	struct profile p;

	profile_range_of(make_waiting, &p, from, to);
	work = row_named(&p, "work");
	CU_ASSERT(nearly(work->sums.elapsed_exclusive, elapsed));
	CU_ASSERT(nearly(work->sums.off_cpu_exclusive, off_cpu));
	CU_ASSERT(nearly(work->sums.application_exclusive, application));
	CU_ASSERT_EQUAL(p.totals.voluntary, switches);
	CU_ASSERT_EQUAL(p.totals.conservation_ticks_off, 0);
	CU_ASSERT_EQUAL(p.totals.unbalanced, 0);
	profile_release(&p);
}

/*
 * A cut between a call and its entry, in an interval in which the operating system acted: it acted
 * in both parts, which are no Application time; what lies behind the entry is. Off the processor
 * was the interval's end.
 */
static void the_system_acts_on_the_way_in(void)
{
	for (uint64_t cut = 301; cut < 800; cut += 7) {
		uint64_t behind = 800 - cut < 400 ? 800 - cut : 400;

		waiting_is(1, cut, cut - 300, 400 - behind, 0, 1);
		waiting_is(cut, 1101, 1000 - cut, behind, 200, 0);
		waiting_is(cut, 900, 900 - cut, behind, 100, 0);
	}
}

/* Not from a timeline that leaves something out. */
/* main runs from 100 to 1000, off from 300 to 800; the recording's own work ends at 500 within
 * that. */
static void make_paused(struct maker *m)
{
	struct tape tape;

	tape_begin(&tape, 0);
	tape_enter(&tape, 100, MAIN_ENTER, 0x8000);
	tape_special(&tape, 300, CINSTR_SP_PAUSE, 0, TAPE_BEGIN + 300);
	tape_special(&tape, 500, CINSTR_SP_RESUME, 0, TAPE_BEGIN + 500);
	tape_special(&tape, 800, CINSTR_SP_CONTINUE, 0, TAPE_BEGIN + 800);
	tape_exit(&tape, 1000, MAIN_EXIT);
	tape_put(&tape, m, 0, 0);
	maker_root_ticks(m, 0, 1000);
}

/* At every moment: also within the recording's own work that stands before an enter, and within a
 * pause. */
static void both_sides_of_any_cut_add_up(void)
{
	static const struct {
		void (*make)(struct maker *m);
		uint64_t end;
		long double elapsed, runtime, paused;
	} cases[] = { { make_repeated, 1100, 1050, 50, 0 }, { make_paused, 1000, 500, 0, 500 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (uint64_t cut = 1; cut < cases[i].end; cut += 3) {
			struct profile p[2];

			profile_range_of(cases[i].make, &p[0], 0, cut);
			profile_range_of(cases[i].make, &p[1], cut, cases[i].end + 1);
			CU_ASSERT(nearly(p[0].totals.elapsed + p[1].totals.elapsed, cases[i].elapsed));
			CU_ASSERT(nearly(p[0].totals.runtime + p[1].totals.runtime, cases[i].runtime));
			CU_ASSERT(nearly(p[0].totals.paused + p[1].totals.paused, cases[i].paused));
			for (int side = 0; side < 2; side++) {
				CU_ASSERT_EQUAL(p[side].totals.conservation_ticks_off, 0);
				profile_release(&p[side]);
			}
		}
}

static void what_is_not_known_is_told(void)
{
	struct maker m;
	struct data data;

	maker_init(&m);
	maker_thread(&m, "app");
	tape_program(&m);
	maker_header(&m)->timeline_min_ns = 100;
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
	quiet_begin();
	CU_ASSERT_EQUAL(range_select(&data, TAPE_BEGIN + 10, TAPE_BEGIN + 20, 0), -1);
	data_release(&data);
	maker_header(&m)->timeline_min_ns = 0;
	maker_thread_at(&m, 0)->timeline_lost = 1; /* the budget ended behind the last piece */
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
	CU_ASSERT_EQUAL(range_select(&data, TAPE_BEGIN + 10, UINT64_MAX, 0), -1);
	quiet_end();
	data_release(&data);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
	CU_ASSERT_EQUAL(range_select(&data, TAPE_BEGIN + 10, TAPE_BEGIN + 1000, 0), 0);
	data_release(&data);
	maker_release(&m);
}

/* ---- traces ---------------------------------------------------------------------------------- */

static void trace_of(void (*make)(struct maker *m), uint64_t from, uint64_t min, const char *expected)
{
	static const char *const words[STREAM_KINDS] = { "none",	    "enter", "running", "exit",
							"implicit", "call",  "return",	"implicit-return",
							"line",	    "off",   "on",	"lost",
							"missing",  "begin", "end" };
	struct strbuf text = { 0 };
	struct event_stream trace;
	struct stream_event event;
	struct maker m;
	struct data data;

	maker_init(&m);
	maker_thread(&m, "app");
	make(&m);
	maker_thread_at(&m, 0)->state = CINSTR_THREAD_ENDED;
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
	CU_ASSERT_EQUAL(stream_open(&trace, &data, &data.threads[0], TAPE_BEGIN + from, min), 0);
	strbuf_clear(&text);
	while (stream_next(&trace, &event)) {
		strbuf_printf(&text, "%s%llu %s", text.length ? ", " : "",
			      (unsigned long long)(event.ticks - TAPE_BEGIN), words[event.kind]);
		if (event.function.tag)
			strbuf_printf(&text, " %u", event.depth);
		if (event.duration_ticks)
			strbuf_printf(&text, " (%llu)", (unsigned long long)event.duration_ticks);
		if (event.os_bits)
			strbuf_puts(&text, "!");
	}
	CU_ASSERT_STRING_EQUAL(text.text, expected);
	if (strcmp(text.text, expected))
		printf("trace: %s\n", text.text);
	stream_release(&trace);
	strbuf_release(&text);
	data_release(&data);
	maker_release(&m);
}

static void trace_is(uint64_t from, uint64_t min, const char *expected)
{
	trace_of(tape_program, from, min, expected);
}

/* What was announced as a call without probes turns out to have them. */
static void a_split_call_is_an_enter(void)
{
	trace_of(make_repeated, 750, 0, "800 enter 2, 1000 exit 2 (150), 1100 exit 1 (950), 1100 end");
}

static void a_trace_tells_all(void)
{
	trace_is(0, 0,
		 "0 begin, 100 enter 1, 300 enter 2, 400 call 3, 2400 return 3 (2000)!, 2500 exit 2 (2200), "
		 "2600 enter 2, 2700 enter 3, 2700 implicit 3, 2700 implicit 2 (100), 2900 off, "
		 "3900 on (1000), 3900 lost, 4100 exit 1 (3000), 5100 enter 1, 5300 exit 1 (200), 5300 end");
}

static void short_calls_are_left_out(void)
{
	trace_is(0, 2001,
		 "0 begin, 100 enter 1, 300 enter 2, 2500 exit 2 (2200), 2900 off, 3900 on (1000), "
		 "3900 lost, 4100 exit 1 (3000), 5300 end");
}

static void a_trace_begins_within(void)
{
	trace_is(2450, 0,
		 "2500 exit 2 (2200), 2600 enter 2, 2700 enter 3, 2700 implicit 3, 2700 implicit 2 (100), "
		 "2900 off, 3900 on (1000), 3900 lost, 4100 exit 1 (3000), 5100 enter 1, 5300 exit 1 (200), "
		 "5300 end");
}

CU_TestInfo range_tests[] = {
	{ "an interval is cut", an_interval_is_cut },
	{ "whole calls have extremes", whole_calls_have_extremes },
	{ "bounds are begins", bounds_are_begins },
	{ "open calls stay apart", open_calls_stay_apart },
	{ "a split call begins once", a_split_call_begins_once },
	{ "a split call is an enter", a_split_call_is_an_enter },
	{ "the end says whose a part is", the_end_says_whose_a_part_is },
	{ "pauses and own work are cut", pauses_and_own_work_are_cut },
	{ "parts add up", parts_add_up },
	{ "the system acts on the way in", the_system_acts_on_the_way_in },
	{ "both sides of any cut add up", both_sides_of_any_cut_add_up },
	{ "what is not known is told", what_is_not_known_is_told },
	{ "a trace tells all", a_trace_tells_all },
	{ "short calls are left out", short_calls_are_left_out },
	{ "a trace begins within", a_trace_begins_within },
	CU_TEST_INFO_NULL,
};
