/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixed sessions: samples projected onto the tree of a timed thread, ticks divided, rows of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"

/* main (80 ms on the processor, 20 ms off) calls work, which is counted; work calls puts. */
static void make_plain(struct pair *p)
{
	uint32_t at;

	pair_begin(p);
	p->main = pair_frame(p, maker_root(&p->timed, p->thread), 0, MAIN_ENTER, 1, 100 * MS + 7);
	maker_bucket(&p->timed, p->thread, p->main, CINSTR_OS_VOLUNTARY, 20 * MS, 20 * MS);
	pair_mark(p, 0, WORK_ENTER, COUNTED);
	pair_count(p, WORK_ENTER, 1234);
	pair_samples(p, STACK(p, 0x3008, IN(MAIN_ENTER)), 40);
	pair_samples(p, STACK(p, 0x3008, CALL_AT(MAIN_WORK), IN(WORK_ENTER)), 30);
	at = STACK(p, 0x3008, CALL_AT(MAIN_WORK), CALL_AT(WORK_READ));
	pair_samples(p, pair_in_libc(p, pair_in_libc(p, at, 0x1308), 0x1208), 10);
}

static void divides(void)
{
	struct pair p;

	make_plain(&p);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	/* 80 000 007 in 80 samples: 40 for main, which comes first, then 30, then 10 */
	pair_expect(&p, "main", 1, 100 * MS + 7, 60 * MS + 3);
	pair_expect(&p, "work", 1234, 40 * MS + 4, 30 * MS + 3);
	pair_expect(&p, "read", 0, 10 * MS + 1, 10 * MS + 1);
	CU_ASSERT_EQUAL(p.data.mixed->samples.joined, 80);
	CU_ASSERT(p.profile.totals.is_mixed);
	CU_ASSERT_EQUAL(p.profile.totals.mixed.counted, 1234);
	CU_ASSERT_EQUAL(row_named(&p.profile, "main")->source[CINSTR_INCLUSIVE], SOURCE_TIMED);
	CU_ASSERT_EQUAL(row_named(&p.profile, "main")->source[CINSTR_EXCLUSIVE],
			SOURCE_TIMED | SOURCE_ESTIMATE);
	CU_ASSERT_EQUAL(row_named(&p.profile, "work")->source[CINSTR_EXCLUSIVE], SOURCE_ESTIMATE);
	CU_ASSERT(!row_named(&p.profile, "work")->are_calls_least);
	CU_ASSERT(row_named(&p.profile, "read")->are_calls_least);
	pair_rows_end(&p);
	pair_rows(&p, BY_MODULE);
	pair_expect(&p, "app", 1235, 100 * MS + 7, 100 * MS + 7);
	pair_rows_end(&p);
	pair_rows(&p, BY_THREAD);
	pair_expect(&p, "main", 1235, 100 * MS + 7, 100 * MS + 7);
	pair_rows_end(&p);
	pair_end(&p);
}

/* Of what was divided Application time leaves out what was off the processor, and calls of
 * wrappers of system calls, as ever. */
static void application(void)
{
	struct pair p;
	const struct row *row;
	long double sum = 0, read;

	make_plain(&p);
	/* An interval with an event, of which 1 ms was on the processor. */
	maker_bucket(&p.timed, p.thread, p.main, CINSTR_OS_SYSCALL, 4 * MS, 3 * MS);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	for (size_t i = 0; i < p.profile.n_rows; i++)
		sum += p.profile.rows[i].sums.application_exclusive;
	read = row_named(&p.profile, "read")->sums.elapsed_exclusive;
	CU_ASSERT(sum == 77 * MS + 7 - read);
	CU_ASSERT(p.profile.totals.application == sum);
	row = row_named(&p.profile, "work");
	CU_ASSERT(row->sums.application_exclusive == row->sums.elapsed_exclusive);
	CU_ASSERT(row->sums.off_cpu_exclusive == 0);
	pair_rows_end(&p);
	pair_end(&p);
}

/* The row's interval is the binomial one; of all of them together there is none. */
static void uncertainty(void)
{
	struct pair p;
	long double half;

	make_plain(&p);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	half = uncertainty_of(&row_named(&p.profile, "work")->sums, VALUE_ELAPSED_EXCLUSIVE);
	/* 1.96 * 80 ms * sqrt(32 / 84 * 52 / 84 / 84) */
	CU_ASSERT(fabsl(half - 8.308e6L) < 2e4L);
	CU_ASSERT(uncertainty_of(&row_named(&p.profile, "main")->sums, VALUE_ELAPSED_INCLUSIVE) == 0);
	pair_rows_end(&p);
	pair_end(&p);
}

/* Where functions begin and end a part of a cycle of each call is somebody's. */
static void edges(void)
{
	struct pair p;
	long double edge = 5e7L * 0.35L * 1.959964L / sqrtl(12), half;

	make_plain(&p);
	pair_count(&p, WORK_ENTER, 50000000);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	half = uncertainty_of(&row_named(&p.profile, "work")->sums, VALUE_ELAPSED_EXCLUSIVE);
	CU_ASSERT(fabsl(half - hypotl(8.308e6L, edge)) < 2e4L);
	half = uncertainty_of(&row_named(&p.profile, "main")->sums, VALUE_ELAPSED_EXCLUSIVE);
	CU_ASSERT(half > edge);
	CU_ASSERT(uncertainty_of(&row_named(&p.profile, "main")->sums, VALUE_ELAPSED_INCLUSIVE) == 0);
	pair_rows_end(&p);
	pair_rows(&p, BY_MODULE);
	CU_ASSERT(uncertainty_of(&row_named(&p.profile, "app")->sums, VALUE_ELAPSED_EXCLUSIVE) < edge);
	pair_rows_end(&p);
	pair_end(&p);
}

/* What was timed and called through a counted function hangs below it; so does a call that waits,
 * without any sample. */
static void chains(void)
{
	struct pair p;

	make_plain(&p);
	maker_call(&p.timed, p.thread, p.main, maker_code(WORK_READ), 3, 50 * MS);
	pair_frame(&p, p.main, 0, REC_ENTER, 500, 5 * MS);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_WORK), CALL_AT(WORK_REC), IN(REC_ENTER)), 5);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "main", 1, 155 * MS + 7,
		    60 * MS + 3 + 8 * MS + 4 - 8 * MS - 4 + (80 * MS + 7) * 40 / 70 - 40 * MS - 3);
	pair_expect(&p, "rec", 500, 5 * MS, 5 * MS);
	CU_ASSERT(row_named(&p.profile, "work")->sums.elapsed_inclusive ==
		  55 * MS + row_named(&p.profile, "work")->sums.elapsed_exclusive);
	CU_ASSERT_EQUAL(row_named(&p.profile, "work")->source[CINSTR_INCLUSIVE],
			SOURCE_TIMED | SOURCE_ESTIMATE);
	pair_rows_end(&p);
	pair_rows(&p, BY_PATH);
	CU_ASSERT_EQUAL(row_named(&p.profile, "rec")->depth, 3);
	CU_ASSERT_EQUAL(row_named(&p.profile, "read")->depth, 3);
	CU_ASSERT_EQUAL(row_named(&p.profile, "work")->calls, 0);
	CU_ASSERT(row_named(&p.profile, "work")->are_calls_least);
	pair_rows_end(&p);
	pair_end(&p);
}

/* No sample of work at all: a call that waits still tells that it was there. */
static void waits_alone(void)
{
	struct pair p;

	pair_begin(&p);
	p.main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 10 * MS);
	maker_call(&p.timed, p.thread, p.main, maker_code(WORK_READ), 3, 50 * MS);
	pair_mark(&p, 0, WORK_ENTER, COUNTED);
	pair_count(&p, WORK_ENTER, 3);
	pair_samples(&p, STACK(&p, IN(MAIN_ENTER)), 4);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "main", 1, 60 * MS, 10 * MS);
	pair_expect(&p, "work", 3, 50 * MS, 0);
	pair_expect(&p, "read", 3, 50 * MS, 50 * MS);
	pair_rows_end(&p);
	pair_end(&p);
}

/* main calls work, which is counted, and rec 500 times without an event, as these counters say.
 * Returns where rec stands. */
static uint32_t depth_of_rec(const struct pair_counter *sites, size_t n)
{
	struct pair p;
	uint32_t depth;

	pair_begin(&p);
	p.main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 10 * MS);
	pair_frame(&p, p.main, 0, REC_ENTER, 500, 50 * MS);
	pair_mark(&p, 0, WORK_ENTER, COUNTED);
	pair_counts(&p, sites, n);
	pair_samples(&p, STACK(&p, IN(MAIN_ENTER)), 4);
	pair_join(&p);
	pair_rows(&p, BY_PATH);
	depth = row_named(&p.profile, "rec")->depth;
	pair_rows_end(&p);
	pair_end(&p);
	return depth;
}

/* Without any sample of it: who has made all calls has called it. */
static void sole_callers(void)
{
	CU_ASSERT_EQUAL(depth_of_rec((struct pair_counter[]){ { WORK_REC, 500 } }, 1), 3);
	CU_ASSERT_EQUAL(depth_of_rec((struct pair_counter[]){ { WORK_REC, 499 } }, 1), 2);
	CU_ASSERT_EQUAL(depth_of_rec((struct pair_counter[]){ { WORK_REC, 509 }, { REC_ENTER, 9 } }, 2), 3);
	CU_ASSERT_EQUAL(depth_of_rec((struct pair_counter[]){ { WORK_REC, 509 }, { REC_ENTER, 10 } }, 2), 2);
	CU_ASSERT_EQUAL(depth_of_rec((struct pair_counter[]){ { WORK_REC, 500 }, { MAIN_REC, 1 } }, 2), 2);
	CU_ASSERT_EQUAL(depth_of_rec((struct pair_counter[]){ { MAIN_REC, 500 } }, 1), 2);
	CU_ASSERT_EQUAL(depth_of_rec((struct pair_counter[]){ { WORK_READ, 500 } }, 1), 2);
}

/* Timed until 5 ms, counted until 10 ms, timed again: marks tell. */
static void levels(void)
{
	struct pair p;
	uint32_t main, at;

	pair_begin(&p);
	main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 20 * MS);
	pair_frame(&p, main, maker_code(MAIN_WORK), WORK_ENTER, 100, 10 * MS);
	pair_mark(&p, 5, WORK_ENTER, COUNTED);
	pair_mark(&p, 10, WORK_ENTER, TIMED);
	pair_count(&p, WORK_ENTER, 50);
	at = STACK(&p, CALL_AT(MAIN_WORK), IN(WORK_ENTER));
	maker_samples(&p.sampled, p.task, at, 1, 3);
	maker_samples(&p.sampled, p.task, at, 6, 3);
	maker_samples(&p.sampled, p.task, at, 11, 4);
	maker_samples(&p.sampled, p.task, STACK(&p, IN(MAIN_ENTER)), 1, 1);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	/* main: 4 samples, of which 3 are work's */
	pair_expect(&p, "main", 1, 30 * MS, 5 * MS);
	pair_expect(&p, "work", 150, 25 * MS, 25 * MS);
	CU_ASSERT_EQUAL(row_named(&p.profile, "work")->source[CINSTR_EXCLUSIVE],
			SOURCE_TIMED | SOURCE_ESTIMATE);
	pair_rows_end(&p);
	pair_end(&p);
}

/* Static functions of one name, a cold part, a function without symbol for the stack's begin. */
static void identity(void)
{
	struct pair p;
	uint32_t main;

	pair_begin(&p);
	main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 60 * MS);
	pair_frame(&p, main, maker_code(MAIN_TWIN), TWIN_A_ENTER, 1, MS);
	pair_mark(&p, 0, TWIN_B_ENTER, COUNTED);
	pair_mark(&p, 0, WORK_ENTER, COUNTED);
	pair_samples(&p, STACK(&p, 0x3008, CALL_AT(MAIN_TWIN), IN(TWIN_B_ENTER)), 10);
	pair_samples(&p, STACK(&p, 0x3008, CALL_AT(MAIN_TWIN), IN(TWIN_A_ENTER)), 7);
	pair_samples(&p, STACK(&p, 0x3008, CALL_AT(MAIN_WORK), 0x2100), 20);
	pair_samples(&p, STACK(&p, 0x3008), 5);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "work", 0, 40 * MS, 40 * MS);
	CU_ASSERT(row_named(&p.profile, "work")->are_calls_least); /* no counter */
	for (size_t i = 0; i < p.profile.n_rows; i++) {
		const struct row *row = &p.profile.rows[i];

		if (row->name && !strcmp(row->name, "twin"))
			CU_ASSERT(row->sums.elapsed_exclusive == (row->line == 40 ? MS : 20 * MS));
	}
	pair_rows_end(&p);
	pair_end(&p);
}

/* Code of the recording is no function's: stubs are its own work, what probes execute is part of
 * who executes them, and the rest is in no interval. */
static void own(void)
{
	struct pair p;
	uint32_t main, call;

	pair_begin(&p);
	pair_own_code(&p);
	main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 50 * MS);
	(void)main;
	pair_mark(&p, 0, WORK_ENTER, COUNTED);
	pair_count(&p, WORK_ENTER, 9);
	call = STACK(&p, CALL_AT(MAIN_WORK));
	pair_samples(&p, maker_stack(&p.sampled, call, APP, IN(WORK_ENTER)), 20);
	pair_samples(&p,
		     maker_stack(&p.sampled, maker_stack(&p.sampled, call, APP, IN(WORK_ENTER)), 0,
				 STUBS + 8),
		     10);
	pair_samples(&p, maker_stack(&p.sampled, call, 0, THUNKS + 8), 20);
	pair_samples(&p, maker_stack(&p.sampled, call, 0, RUNTIME + 8), 40);
	pair_samples(&p, pair_in_libc(&p, maker_stack(&p.sampled, 0, CINSTR_NODE_TRUNCATED, 0), 0x1208), 6);
	pair_join(&p);
	CU_ASSERT_EQUAL(p.data.mixed->samples.stubs, 10);
	CU_ASSERT_EQUAL(p.data.mixed->samples.probes, 20);
	CU_ASSERT_EQUAL(p.data.mixed->samples.runtime, 40);
	CU_ASSERT_EQUAL(p.data.mixed->samples.truncated, 6);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "main", 1, 40 * MS, 20 * MS);
	pair_expect(&p, "work", 9, 20 * MS, 20 * MS);
	CU_ASSERT(p.profile.totals.runtime == 10 * MS);
	pair_rows_end(&p);
	pair_end(&p);
}

/* A stack without its outer end goes by its first function with probes, if that was always called
 * by the same one. */
static void truncated(void)
{
	struct pair p;
	uint32_t main, work, missing;

	pair_begin(&p);
	main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 10 * MS);
	work = pair_frame(&p, main, maker_code(MAIN_WORK), WORK_ENTER, 1, 40 * MS);
	pair_frame(&p, main, maker_code(MAIN_TWIN), TAIL_ENTER, 1, MS);
	pair_frame(&p, work, maker_code(WORK_TAIL), TAIL_ENTER, 1, MS);
	pair_mark(&p, 0, REC_ENTER, COUNTED);
	pair_count(&p, REC_ENTER, 5);
	missing = maker_stack(&p.sampled, 0, CINSTR_NODE_TRUNCATED, 0);
	pair_samples(&p, maker_stack(&p.sampled, missing, APP, IN(WORK_ENTER)), 1);
	pair_samples(&p,
		     maker_stack(&p.sampled, maker_stack(&p.sampled, missing, APP, CALL_AT(WORK_REC)), APP,
				 IN(REC_ENTER)),
		     3);
	pair_samples(&p, maker_stack(&p.sampled, missing, APP, IN(TAIL_ENTER)), 7);
	pair_join(&p);
	CU_ASSERT_EQUAL(p.data.mixed->samples.truncated, 0);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "work", 1, 41 * MS, 10 * MS);
	pair_expect(&p, "rec", 5, 30 * MS, 30 * MS);
	pair_expect(&p, "tail", 2, 2 * MS, 2 * MS);
	pair_rows_end(&p);
	pair_end(&p);
}

/* A timed function on a stack that the tree does not have, as of a fiber, is its largest node. */
static void elsewhere(void)
{
	struct pair p;
	uint32_t main, work;

	pair_begin(&p);
	main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 10 * MS);
	work = pair_frame(&p, main, maker_code(MAIN_WORK), WORK_ENTER, 1, 40 * MS);
	pair_frame(&p, work, maker_code(WORK_TAIL), TAIL_ENTER, 1, 20 * MS);
	pair_mark(&p, 0, REC_ENTER, COUNTED);
	pair_count(&p, REC_ENTER, 5);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_TWIN), IN(TAIL_ENTER)), 1);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_TWIN), IN(TAIL_ENTER), IN(REC_ENTER)), 3);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "main", 1, 70 * MS, 10 * MS);
	pair_expect(&p, "tail", 1, 20 * MS, 5 * MS);
	pair_expect(&p, "rec", 5, 15 * MS, 15 * MS);
	pair_rows_end(&p);
	pair_end(&p);
}

/* Another thread's samples, and such as no thread's: tids tell. */
static void threads(void)
{
	struct pair p;
	uint32_t other, task;

	make_plain(&p);
	other = maker_thread(&p.timed, "second");
	maker_thread_at(&p.timed, other)->first_ticks = MAKER_BEGIN;
	maker_frame(&p.timed, other, maker_root(&p.timed, other), 0, maker_code(WORK_ENTER), 1, 0);
	maker_frame(&p.timed, other, maker_root(&p.timed, other), 0, maker_code(REC_ENTER), 1, 30 * MS);
	task = maker_task(&p.sampled, TID + 1, "second");
	maker_samples(&p.sampled, task, STACK(&p, CALL_AT(REC_REC), IN(WORK_ENTER)), 1, 10);
	maker_samples(&p.sampled, task, STACK(&p, IN(REC_ENTER)), 1, 20);
	task = maker_task(&p.sampled, 77, "third");
	maker_samples(&p.sampled, task, STACK(&p, IN(MAIN_ENTER)), 1, 4);
	pair_join(&p);
	CU_ASSERT_EQUAL(values_conservation(&p.data.threads[1]), 0);
	CU_ASSERT_EQUAL(p.data.mixed->samples.no_thread, 4);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "rec", 1, 30 * MS, 20 * MS);
	pair_rows_end(&p);
	pair_end(&p);
}

/* Before the first stamp nothing was measured. */
static void out_of_time(void)
{
	struct pair p;

	make_plain(&p);
	maker_samples(&p.sampled, p.task, STACK(&p, IN(MAIN_ENTER)), 500, 3);
	pair_join(&p);
	CU_ASSERT_EQUAL(p.data.mixed->samples.out_of_time, 3);
	CU_ASSERT_EQUAL(p.data.mixed->samples.joined, 80);
	mixed_undo(&p.data);
	CU_ASSERT_EQUAL(p.data.threads[0].n_nodes, 2);
	CU_ASSERT_EQUAL(values_conservation(&p.data.threads[0]), 0);
	mixed_redo(&p.data, MAKER_BEGIN, MAKER_BEGIN + 20 * MS);
	CU_ASSERT_EQUAL(values_conservation(&p.data.threads[0]), 0);
	CU_ASSERT(p.data.mixed->samples.joined < 80);
	pair_end(&p);
}

/* A function without probes that was timed has its samples by its call site, whatever its code is
 * called; a caller that left by a jump is looked through. */
static void sites(void)
{
	struct pair p;
	uint32_t main, work, at;

	pair_begin(&p);
	main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 10 * MS);
	maker_call(&p.timed, p.thread, main, maker_code(MAIN_PUTS), 2, 6 * MS);
	work = pair_frame(&p, main, maker_code(MAIN_WORK), WORK_ENTER, 1, MS);
	pair_frame(&p, work, maker_code(WORK_TAIL), TAIL_ENTER, 1, 2 * MS);
	pair_mark(&p, 0, REC_ENTER, COUNTED);
	pair_count(&p, REC_ENTER, 5);
	at = STACK(&p, CALL_AT(MAIN_PUTS));
	pair_samples(&p, pair_in_libc(&p, at, 0x1408), 8);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_WORK), IN(TAIL_ENTER)), 4);
	pair_samples(&p, STACK(&p, IN(MAIN_ENTER)), 4);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_REC), IN(REC_ENTER)), 1);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "puts", 2, 6 * MS, 6 * MS);
	pair_expect(&p, "tail", 1, 2 * MS, 2 * MS);
	pair_expect(&p, "rec", 5, 2 * MS, 2 * MS);
	pair_expect(&p, "main", 1, 19 * MS, 8 * MS);
	pair_rows_end(&p);
	pair_end(&p);
}

/* A frame at a site that was not timed is looked for among calls by their names; a site may have
 * none. */
static void site_without_name(void)
{
	struct pair p;
	uint32_t main;

	pair_begin(&p);
	main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 10 * MS);
	maker_call(&p.timed, p.thread, main, maker_code(MAIN_POINTER), 1, MS);
	maker_call(&p.timed, p.thread, main, maker_code(MAIN_PUTS), 2, 6 * MS);
	pair_samples(&p, pair_in_libc(&p, STACK(&p, CALL_AT(MAIN_TWIN)), PUTS), 6);
	pair_samples(&p, STACK(&p, IN(MAIN_ENTER)), 4);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "puts", 2, 6 * MS, 6 * MS);
	pair_rows_end(&p);
	pair_end(&p);
}

/* Recursion that is counted: inclusive once. */
static void recursion(void)
{
	struct pair p;

	pair_begin(&p);
	pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 30 * MS);
	pair_mark(&p, 0, REC_ENTER, COUNTED);
	pair_count(&p, REC_ENTER, 99);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_REC), CALL_AT(REC_REC), CALL_AT(REC_REC), IN(REC_ENTER)), 2);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_REC), IN(REC_ENTER)), 1);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "rec", 99, 30 * MS, 30 * MS);
	pair_expect(&p, "main", 1, 30 * MS, 0);
	pair_rows_end(&p);
	pair_end(&p);
}

/* A recursion whose paths have 15, 5 and no samples: work's 10 of 20 are a half of all of them. */
static void few_samples(void)
{
	struct pair p;
	uint32_t first, second;
	const struct row *rec;

	pair_begin(&p);
	p.main = pair_frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 10 * MS);
	first = pair_frame(&p, p.main, maker_code(MAIN_REC), REC_ENTER, 1, 40 * MS);
	second = pair_frame(&p, first, maker_code(REC_REC), REC_ENTER, 2, 30 * MS);
	pair_frame(&p, second, maker_code(REC_REC), REC_ENTER, 2, 20 * MS + 1);
	pair_mark(&p, 0, WORK_ENTER, COUNTED);
	pair_count(&p, WORK_ENTER, 1234);
	pair_samples(&p, STACK(&p, IN(MAIN_ENTER)), 60);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_REC), IN(REC_ENTER)), 5);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_REC), CALL_AT(REC_REC), IN(WORK_ENTER)), 10);
	pair_samples(&p, STACK(&p, CALL_AT(MAIN_REC), CALL_AT(REC_REC), IN(REC_ENTER)), 5);
	pair_join(&p);
	pair_rows(&p, BY_FUNCTION);
	pair_expect(&p, "main", 1, 100 * MS + 1, 10 * MS);
	pair_expect(&p, "rec", 5, 90 * MS + 1, 45 * MS);
	pair_expect(&p, "work", 1234, 45 * MS + 1, 45 * MS + 1);
	rec = row_named(&p.profile, "rec");
	CU_ASSERT_EQUAL(rec->source[CINSTR_EXCLUSIVE], SOURCE_ESTIMATE);
	CU_ASSERT(uncertainty_of(&rec->sums, VALUE_ELAPSED_EXCLUSIVE) > 15 * MS);
	pair_rows_end(&p);
	pair_end(&p);
}

CU_TestInfo mixed_tests[] = {
	{ "time on the processor is divided by samples, to the tick", divides },
	{ "application time", application },
	{ "intervals of confidence", uncertainty },
	{ "a cycle where functions begin and end", edges },
	{ "timed calls of counted functions hang below them", chains },
	{ "calls that wait tell of functions without samples", waits_alone },
	{ "who made all calls of a function has called it", sole_callers },
	{ "marks tell when a function was counted", levels },
	{ "functions of one name, cold parts", identity },
	{ "the recording's own code", own },
	{ "stacks without their outer end", truncated },
	{ "stacks that the tree does not have", elsewhere },
	{ "threads go together by their numbers", threads },
	{ "samples beyond the thread's stamps; undone, and anew", out_of_time },
	{ "call sites, jumps", sites },
	{ "a call site without a name", site_without_name },
	{ "recursion", recursion },
	{ "paths of a function that have few samples", few_samples },
	CU_TEST_INFO_NULL,
};
