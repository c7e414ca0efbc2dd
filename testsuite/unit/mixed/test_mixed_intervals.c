/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixed sessions: samples in long intervals, whose begins tell more than the stacks; samples that
 * threads have taken of themselves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/self_samples.h"
#include "pair.h"

/* ---- the file tells in whose time a sample was taken ----------------------------------------- */

/* One that ends behind the thread's last stamp does not count. */
static void long_interval(struct pair *p, uint64_t from_ms, uint64_t to_ms, uint32_t cell)
{
	const struct cinstr_long_interval interval = { MAKER_BEGIN + to_ms * MS,
						       (uint32_t)((to_ms - from_ms) * MS), cell };
	size_t at = maker_segment(&p->timed, CINSTR_SEG_LONG_INTERVALS, p->thread, 1);

	memcpy(p->timed.bytes + at, &interval, sizeof(interval));
	((struct cinstr_segment *)(void *)(p->timed.bytes + at))[-1].used = sizeof(interval);
}

/* An activation of work that was counted goes on, although work is timed by now, and recursion is
 * in it. */
static void guided(void)
{
	struct pair p;
	uint32_t main;

	pair_begin(&p);
	main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 60 * MS);
	pair_frame(&p, main, maker_code(MAIN_WORK), WORK_ENTER, 1, 20 * MS);
	long_interval(&p, 0, 45, main);
	pair_samples(&p, STACK(&p, 0x3008, CALL_AT(MAIN_WORK), IN(WORK_ENTER)), 30);
	pair_samples(&p, STACK(&p, 0x3008, CALL_AT(MAIN_WORK), CALL_AT(WORK_REC), IN(REC_ENTER)), 10);
	pair_samples(&p, STACK(&p, 0x3008, IN(MAIN_ENTER)), 20);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "main", 1, 80 * MS, 20 * MS);
	pair_expect(&p, "work", 1, 60 * MS, 50 * MS);
	pair_expect(&p, "rec", 0, 10 * MS, 10 * MS);
	CU_ASSERT_EQUAL(p.data.mixed->samples.joined, 60);
	pair_rows_end(&p);
	pair_end(&p);
}

/* No event has told that work is over: its time goes to where the samples were. */
static void guided_past_its_end(void)
{
	struct pair p;
	uint32_t main, work;

	pair_begin(&p);
	main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 5 * MS);
	work = pair_frame(&p, main, maker_code(MAIN_WORK), WORK_ENTER, 1, 40 * MS);
	long_interval(&p, 0, 45, work);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_REC), IN(REC_ENTER)), 30);
	pair_samples(&p, STACK(&p, IN(MAIN_ENTER)), 10);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "rec", 0, 30 * MS, 30 * MS);
	pair_expect(&p, "work", 1, 0, 0);
	CU_ASSERT(row_named(&p.profile, "main")->sums.elapsed_exclusive == 15 * MS);
	pair_rows_end(&p);
	pair_end(&p);
}

/* Calls through a pointer, of a function that is counted: the call's node is the function's. */
static void guided_pointer(void)
{
	struct pair p;
	uint32_t main, call;

	pair_begin(&p);
	main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 5 * MS);
	call = maker_indirect(&p.timed, p.thread, main, maker_code(MAIN_POINTER), MAKER_TEXT + 8 * WORK_ENTER,
			      7, 40 * MS);
	pair_mark(&p, 0, WORK_ENTER, COUNTED);
	pair_count(&p, WORK_ENTER, 7);
	long_interval(&p, 0, 45, call);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_POINTER), IN(WORK_ENTER)), 30);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_POINTER), CALL_AT(WORK_REC), IN(REC_ENTER)), 10);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "work", 7, 40 * MS, 30 * MS);
	pair_expect(&p, "rec", 0, 10 * MS, 10 * MS);
	pair_expect(&p, "main", 1, 45 * MS, 5 * MS);
	pair_rows_end(&p);
	pair_end(&p);
}

/* The call has no end of its own, as its callee came to be counted: the thread is elsewhere by
 * then. Samples of puts are in another function of libc. */
static void guided_past_a_call(void)
{
	struct pair p;
	uint32_t main, call;

	pair_begin(&p);
	main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 5 * MS);
	call = maker_call(&p.timed, p.thread, main, maker_code(MAIN_PUTS), 7, 40 * MS);
	pair_mark(&p, 0, WORK_ENTER, COUNTED);
	pair_count(&p, WORK_ENTER, 7);
	long_interval(&p, 0, 45, call);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_WORK), IN(WORK_ENTER)), 20);
	pair_samples(&p, STACK(&p, IN(MAIN_ENTER)), 5);
	pair_samples(&p, pair_in_libc(&p, STACK(&p, CALL_AT(MAIN_PUTS)), 0x1408), 15);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "work", 7, 20 * MS, 20 * MS);
	pair_expect(&p, "main", 1, 45 * MS, 10 * MS);
	pair_expect(&p, "puts", 7, 15 * MS, 15 * MS);
	pair_rows_end(&p);
	pair_end(&p);
}

/* The outer end of the stack is missing: it begins in the middle of the path, or below it. */
static void guided_truncated(void)
{
	struct pair p;
	uint32_t main, work;

	pair_begin(&p);
	main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 5 * MS);
	work = pair_frame(&p, main, maker_code(MAIN_WORK), WORK_ENTER, 1, 40 * MS);
	long_interval(&p, 0, 45, work);
	pair_samples(&p,
		     maker_stack(&p.sampled, maker_stack(&p.sampled, 0, CINSTR_NODE_TRUNCATED, 0), APP,
				 IN(REC_ENTER)),
		     10);
	pair_samples(&p,
		     maker_stack(&p.sampled, maker_stack(&p.sampled, 0, CINSTR_NODE_TRUNCATED, 0), APP,
				 IN(WORK_ENTER)),
		     30);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "work", 1, 40 * MS, 30 * MS);
	pair_expect(&p, "rec", 0, 10 * MS, 10 * MS);
	CU_ASSERT_EQUAL(p.data.mixed->samples.joined, 40);
	pair_rows_end(&p);
	pair_end(&p);
}

/* A cell that is none: marks tell, as without. */
static void guided_by_nothing(void)
{
	struct pair p;
	uint32_t main;

	pair_begin(&p);
	main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 60 * MS);
	(void)main;
	long_interval(&p, 0, 45, 0x7fffffff);
	pair_mark(&p, 0, WORK_ENTER, COUNTED);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_WORK), IN(WORK_ENTER)), 30);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "work", 0, 60 * MS, 60 * MS);
	pair_rows_end(&p);
	pair_end(&p);
}

/* ---- without a collector --------------------------------------------------------------------- */

static size_t elements(struct pair *p, uint32_t type, uint32_t owner, const void *list, size_t bytes)
{
	size_t at = maker_segment(&p->timed, type, owner, 1);

	memcpy(p->timed.bytes + at, list, bytes);
	((struct cinstr_segment *)(void *)(p->timed.bytes + at))[-1].used = bytes;
	return at;
}

/* From `begin_ms` on, for `ms`, of a node: a sample each millisecond. */
static void interval(struct pair *p, uint64_t begin_ms, uint64_t ms, uint32_t cell)
{
	const struct cinstr_long_interval interval = { MAKER_BEGIN + (begin_ms + ms) * MS,
						       (uint32_t)(ms * MS), cell };

	elements(p, CINSTR_SEG_LONG_INTERVALS, p->thread, &interval, sizeof(interval));
}

static size_t own_samples(struct pair *p, uint32_t owner, uint64_t begin_ms, uint64_t address, unsigned n)
{
	struct cinstr_self_sample list[100];

	for (unsigned i = 0; i < n; i++)
		list[i] = (struct cinstr_self_sample){ MAKER_BEGIN + (begin_ms + i) * MS,
						       address & UINT64_MAX >> 8, 0 };
	return elements(p, CINSTR_SEG_SELF_SAMPLES, owner, list, n * sizeof(*list));
}

/* As own_samples(), one for each 10 ms. */
static void rare_samples(struct pair *p, uint64_t begin_ms, uint64_t address, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		size_t at = own_samples(p, p->thread, begin_ms + 10 * i, address, 1);

		((struct cinstr_self_sample *)(void *)(p->timed.bytes + at))->more_ms = 9;
	}
}

static void join_own(struct pair *p)
{
	CU_ASSERT_EQUAL_FATAL(data_open(&p->data, maker_write(&p->timed)), 0);
	mixed_join_own(&p->data);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p->data.mixed);
	CU_ASSERT_EQUAL(values_conservation(&p->data.threads[0]), 0);
}

#define APP_IN(function) (MAKER_BASE + IN(function))

/* main (0 to 60 ms) has work, which is counted, and calls tail (to 100 ms), which has rec. */
static void make_alone(struct pair *p)
{
	uint32_t tail;

	pair_begin(p);
	pair_own_code(p);
	maker_header(&p->timed)->self_sampled = 1;
	p->main = pair_frame(p, maker_root(&p->timed, p->thread), 0, MAIN_ENTER, 1, 60 * MS);
	tail = pair_frame(p, p->main, maker_code(MAIN_TWIN), TAIL_ENTER, 1, 40 * MS);
	pair_count(p, WORK_ENTER, 1234);
	interval(p, 0, 60, p->main);
	interval(p, 60, 40, tail);
}

static void alone(void)
{
	struct pair p;

	make_alone(&p);
	own_samples(&p, p.thread, 0, APP_IN(MAIN_ENTER), 15);
	own_samples(&p, p.thread, 15, MAKER_LIBC + 0x208, 5); /* no symbols */
	own_samples(&p, p.thread, 20, APP_IN(WORK_ENTER), 30);
	own_samples(&p, p.thread, 50, THUNKS + 8, 5);
	own_samples(&p, p.thread, 55, STUBS + 8, 5);
	own_samples(&p, p.thread, 60, RUNTIME + 8, 10);
	own_samples(&p, p.thread, 70, APP_IN(WORK_ENTER), 10);
	own_samples(&p, p.thread, 80, APP_IN(TAIL_ENTER), 15);
	own_samples(&p, p.thread, 95, APP_IN(MAIN_ENTER), 5);
	join_own(&p);
	CU_ASSERT_EQUAL(p.data.mixed->samples.kept, 100);
	CU_ASSERT_EQUAL(p.data.mixed->samples.joined, 90);
	CU_ASSERT_EQUAL(p.data.mixed->samples.runtime, 10);
	CU_ASSERT_EQUAL(p.data.mixed->samples.stubs, 5);
	CU_ASSERT_EQUAL(p.data.mixed->samples.probes, 5);
	pair_rows(&p, BY_FUNCTION);
	/* 5 of tail's 30 are in main's code: back there, though no event told */
	pair_expect(&p, "work", 1234, 30 * MS + 40 * MS / 3, 30 * MS + 40 * MS / 3);
	CU_ASSERT_EQUAL(p.profile.totals.mixed.own, 1);
	CU_ASSERT(p.profile.totals.runtime == 5 * MS);
	pair_rows_end(&p);
	mixed_undo(&p.data);
	mixed_redo(&p.data, MAKER_BEGIN + 20 * MS, MAKER_BEGIN + 50 * MS);
	CU_ASSERT_EQUAL(p.data.mixed->samples.joined, 30);
	CU_ASSERT_EQUAL(p.data.mixed->samples.out_of_time, 60 + 10);
	pair_end(&p);
}

/* A thread is sampled each ms, and from a moment on each 10 ms: five samples stand for 50 ms. */
static void alone_rarely(void)
{
	struct pair p;

	make_alone(&p);
	own_samples(&p, p.thread, 0, APP_IN(MAIN_ENTER), 17);
	own_samples(&p, p.thread, 17, APP_IN(WORK_ENTER), 13);
	rare_samples(&p, 39, APP_IN(WORK_ENTER), 2);
	own_samples(&p, 7, 0, APP_IN(WORK_ENTER), 3); /* of nobody */
	join_own(&p);
	CU_ASSERT_EQUAL(self_samples_rare(&p.data), 1);
	CU_ASSERT_EQUAL(p.data.mixed->samples.kept, 5 + 3);
	CU_ASSERT_EQUAL(p.data.mixed->samples.no_thread, 3);
	CU_ASSERT_EQUAL(p.data.mixed->samples.joined, 5);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "work", 1234, 60 * MS * 4 / 5, 60 * MS * 4 / 5);
	CU_ASSERT_EQUAL(p.profile.totals.mixed.rare, 1);
	pair_rows_end(&p);
	pair_end(&p);
}

/* Nothing of the segments is trusted. */
static void alone_damaged(void)
{
	struct pair p;
	struct cinstr_segment *s;

	make_alone(&p);
	interval(&p, 100, 10, UINT32_MAX); /* no such cell, */
	interval(&p, 110, 10, 65);	   /* none of the tree, */
	interval(&p, 120, 10, 0);	   /* none */
	pair_frame(&p, p.main, 0, REC_ENTER, 1, 30 * MS);
	own_samples(&p, p.thread, 100, APP_IN(WORK_ENTER), 30);
	own_samples(&p, p.thread, 200, APP_IN(WORK_ENTER), 7); /* behind the last stamp */
	own_samples(&p, 7, 0, APP_IN(WORK_ENTER), 3);	       /* of nobody */
	own_samples(&p, UINT32_MAX, 0, APP_IN(WORK_ENTER), 2);
	own_samples(&p, p.thread, 0, UINT64_MAX, 1); /* in no module */
	own_samples(&p, p.thread, 1, 0, 1);
	s = (void *)(p.timed.bytes + own_samples(&p, p.thread, 2, APP_IN(WORK_ENTER), 2));
	s[-1].used -= 9; /* one, and a part of one */
	join_own(&p);
	CU_ASSERT_EQUAL(p.data.mixed->samples.kept, 45);
	CU_ASSERT_EQUAL(p.data.mixed->samples.no_interval, 30);
	CU_ASSERT_EQUAL(p.data.mixed->samples.out_of_time, 7);
	CU_ASSERT_EQUAL(p.data.mixed->samples.no_thread, 5);
	CU_ASSERT_EQUAL(p.data.mixed->samples.joined, 3);
	pair_end(&p);

	make_alone(&p);
	s = (void *)(p.timed.bytes + own_samples(&p, p.thread, 0, APP_IN(WORK_ENTER), 2));
	s[-1].used = UINT64_MAX;
	CU_ASSERT_EQUAL_FATAL(data_open(&p.data, maker_write(&p.timed)), 0);
	mixed_join_own(&p.data);
	CU_ASSERT(!p.data.mixed || p.data.mixed->samples.kept <= CINSTR_PAGE / 16);
	pair_end(&p);
}

CU_TestInfo mixed_intervals_tests[] = {
	{ "an activation that was counted goes on", guided },
	{ "an activation that no event has ended", guided_past_its_end },
	{ "calls through a pointer of what is counted", guided_pointer },
	{ "a call that no event has ended", guided_past_a_call },
	{ "stacks without their outer end, in a long interval", guided_truncated },
	{ "a long interval of no cell", guided_by_nothing },
	{ "samples without stacks, that threads have taken of themselves", alone },
	{ "... more rarely from a moment on", alone_rarely },
	{ "... damaged", alone_damaged },
	CU_TEST_INFO_NULL,
};
