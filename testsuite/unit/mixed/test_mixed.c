/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixed sessions: samples projected onto the tree of a timed thread, ticks divided, rows of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maker/maker_samples.h"
#include "mixed/mixed_join.h"
#include "rows/caller_rows.h"
#include "rows/uncertainty.h"
#include "tests.h"

#define APP MAKER_SAMPLED_APP
#define LIBC MAKER_SAMPLED_LIBC
#define MS 1000000ull
#define TID 1000 /* of the maker's first thread */
#define COUNTED 3
#define TIMED 2

/* Link address of a sled. */
#define AT(site) (0x1000 + 8u * (site))
/* The last byte of the call behind it. */
#define CALL_AT(site) (AT(site) + 7)
#define IN(function) (AT(function) + 6)
#define PUTS 0x1010 /* in libc */
#define THUNKS 0x600000000000ull
#define STUBS 0x600000001000ull
#define RUNTIME 0x600000002000ull

/* ---- the two files --------------------------------------------------------------------------- */

struct pair {
	struct maker timed, sampled;
	uint32_t thread, main, task;
	struct data data;
	struct profile profile;
};

static int by_address(const void *a, const void *b)
{
	const struct maker_symbol *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->address < y->address ? -1 : 1;
}

/* Every address that tests have on a stack. */
static void symbols(struct maker *m)
{
	struct maker_symbol list[] = {
		{ APP, IN(MAIN_ENTER), AT(MAIN_ENTER), "main" },
		{ APP, CALL_AT(MAIN_WORK), AT(MAIN_ENTER), "main" },
		{ APP, CALL_AT(MAIN_REC), AT(MAIN_ENTER), "main" },
		{ APP, CALL_AT(MAIN_PUTS), AT(MAIN_ENTER), "main" },
		{ APP, CALL_AT(MAIN_POINTER), AT(MAIN_ENTER), "main" },
		{ APP, CALL_AT(MAIN_TWIN), AT(MAIN_ENTER), "main" },
		{ APP, IN(WORK_ENTER), AT(WORK_ENTER), "work" },
		{ APP, 0x2100, AT(WORK_ENTER), "work" }, /* its cold part */
		{ APP, CALL_AT(WORK_READ), AT(WORK_ENTER), "work" },
		{ APP, CALL_AT(WORK_REC), AT(WORK_ENTER), "work" },
		{ APP, IN(REC_ENTER), AT(REC_ENTER), "rec" },
		{ APP, CALL_AT(REC_REC), AT(REC_ENTER), "rec" },
		{ APP, IN(TWIN_A_ENTER), AT(TWIN_A_ENTER), "twin" },
		{ APP, IN(TWIN_B_ENTER), AT(TWIN_B_ENTER), "twin" },
		{ APP, IN(TAIL_ENTER), AT(TAIL_ENTER), "tail" },
		{ APP, 0x3008, 0x3000, "_start" },
		{ LIBC, PUTS, 0x1010, "puts" },
		{ LIBC, 0x1208, 0x1200, "inner" },
		{ LIBC, 0x1308, 0x1300, "read_in_libc" },
		{ LIBC, 0x1408, 0x1400, "memcpy_fast" },
	};
	size_t n = sizeof(list) / sizeof(list[0]);

	qsort(list, n, sizeof(list[0]), by_address);
	maker_symbols(m, list, n);
}

static void begin(struct pair *p)
{
	maker_init(&p->timed);
	p->thread = maker_thread(&p->timed, "app");
	maker_thread_at(&p->timed, p->thread)->first_ticks = MAKER_BEGIN;
	maker_header(&p->timed)->mixed = 1;
	maker_header(&p->timed)->clock = CINSTR_CLOCK_MONOTONIC_RAW;
	maker_sampled_init(&p->sampled);
	symbols(&p->sampled);
	p->task = maker_task(&p->sampled, TID, "app");
}

static uint32_t frame(struct pair *p, uint32_t parent, uint32_t site, enum maker_site function,
		      uint64_t calls, uint64_t ticks)
{
	return maker_frame(&p->timed, p->thread, parent, site, maker_code(function), calls, ticks);
}

static void mark(struct pair *p, uint64_t ms, enum maker_site function, int64_t level)
{
	struct cinstr_mark *mark =
		maker_mark(&p->timed, TID, MAKER_BEGIN + ms * MS, maker_code(function) & ~7u, "probes");

	mark->kind = level == TIMED ? CINSTR_MARK_RESTORED : CINSTR_MARK_DEMOTED;
	mark->id = level;
}

/* What slot 0 counts. */
static void count(struct pair *p, enum maker_site function, uint64_t n)
{
	uint32_t code = maker_code(function);
	size_t at = maker_segment(&p->timed, CINSTR_SEG_COUNTED, 0, 1);

	memcpy(p->timed.bytes + at, &code, sizeof(code));
	((struct cinstr_segment *)(void *)(p->timed.bytes + at))[-1].used = sizeof(code);
	at = maker_segment(&p->timed, CINSTR_SEG_COUNTERS, p->thread, 1);
	memcpy(p->timed.bytes + at, &n, sizeof(n));
}

static void own_code(struct pair *p)
{
	const struct cinstr_probe_code list[] = {
		{ THUNKS, THUNKS + 0x1000, CINSTR_PROBE_CODE_THUNKS, 0 },
		{ STUBS, STUBS + 0x1000, CINSTR_PROBE_CODE_COUNTING, 0 },
		{ RUNTIME, RUNTIME + 0x1000, CINSTR_PROBE_CODE_RUNTIME, 0 },
	};
	size_t at = maker_segment(&p->timed, CINSTR_SEG_PROBE_CODE, 0, 1);

	memcpy(p->timed.bytes + at, list, sizeof(list));
	((struct cinstr_segment *)(void *)(p->timed.bytes + at))[-1].used = sizeof(list);
}

/* The stack of n addresses of app, outermost first. */
static uint32_t stack(struct pair *p, const uint64_t *addresses, size_t n)
{
	uint32_t at = 0;

	for (size_t i = 0; i < n; i++)
		at = maker_stack(&p->sampled, at, APP, addresses[i]);
	return at;
}
#define STACK(p, ...) \
	stack(p, (const uint64_t[]){ __VA_ARGS__ }, \
	      sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static uint32_t in_libc(struct pair *p, uint32_t at, uint64_t address)
{
	return maker_stack(&p->sampled, at, LIBC, address);
}

/* From 1 ms on, n of them. */
static void samples(struct pair *p, uint32_t stack, unsigned n)
{
	maker_samples(&p->sampled, p->task, stack, 1, n);
}

static void join(struct pair *p)
{
	struct data *sampled = calloc(1, sizeof(*sampled));

	CU_ASSERT_EQUAL_FATAL(data_open(&p->data, maker_write(&p->timed)), 0);
	CU_ASSERT_EQUAL_FATAL(data_open(sampled, maker_write(&p->sampled)), 0);
	for (size_t i = 0; i < p->data.n_problems; i++)
		printf("problem: %s\n", p->data.problems[i].reason);
	CU_ASSERT_EQUAL(p->data.n_problems, 0);
	CU_ASSERT_EQUAL(sampled->n_problems, 0);
	mixed_join(&p->data, sampled);
	CU_ASSERT_EQUAL(values_conservation(&p->data.threads[0]), 0); /* R10 */
}

static void rows(struct pair *p, enum profile_by by)
{
	profile_init(&p->profile, by, &default_counting);
	profile_add(&p->profile, &p->data);
	if (by == BY_PATH) {
		long double hidden;

		CU_ASSERT_EQUAL(paths_choose(&p->profile, &every_path, &hidden), 0);
		profile_add(&p->profile, &p->data);
	}
}

static void rows_end(struct pair *p)
{
	profile_release(&p->profile);
}

static void end(struct pair *p)
{
	data_release(&p->data);
	maker_release(&p->timed);
	maker_release(&p->sampled);
}

static void expect(const struct pair *p, const char *name, uint64_t calls, uint64_t inclusive,
		   uint64_t exclusive)
{
	const struct row *row = row_named(&p->profile, name);

	CU_ASSERT_EQUAL(row->calls, calls);
	CU_ASSERT(row->sums.elapsed_inclusive == (long double)inclusive);
	CU_ASSERT(row->sums.elapsed_exclusive == (long double)exclusive);
	if (row->calls != calls || row->sums.elapsed_inclusive != (long double)inclusive ||
	    row->sums.elapsed_exclusive != (long double)exclusive)
		printf("%s: %llu calls, %Lf %Lf\n", name, (unsigned long long)row->calls,
		       row->sums.elapsed_inclusive, row->sums.elapsed_exclusive);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* main (80 ms on the processor, 20 ms off) calls work, which is counted; work calls puts. */
static void make_plain(struct pair *p)
{
	uint32_t at;

	begin(p);
	p->main = frame(p, maker_root(&p->timed, p->thread), 0, MAIN_ENTER, 1, 100 * MS + 7);
	maker_bucket(&p->timed, p->thread, p->main, CINSTR_OS_VOLUNTARY, 20 * MS, 20 * MS);
	mark(p, 0, WORK_ENTER, COUNTED);
	count(p, WORK_ENTER, 1234);
	samples(p, STACK(p, 0x3008, IN(MAIN_ENTER)), 40);
	samples(p, STACK(p, 0x3008, CALL_AT(MAIN_WORK), IN(WORK_ENTER)), 30);
	at = STACK(p, 0x3008, CALL_AT(MAIN_WORK), CALL_AT(WORK_READ));
	samples(p, in_libc(p, in_libc(p, at, 0x1308), 0x1208), 10);
}

static void divides(void)
{
	struct pair p;

	make_plain(&p);
	join(&p);
	rows(&p, BY_FUNCTION);
	/* 80 000 007 in 80 samples: 40 for main, which comes first, then 30, then 10 */
	expect(&p, "main", 1, 100 * MS + 7, 60 * MS + 3);
	expect(&p, "work", 1234, 40 * MS + 4, 30 * MS + 3);
	expect(&p, "read", 0, 10 * MS + 1, 10 * MS + 1);
	CU_ASSERT_EQUAL(p.data.mixed->samples.joined, 80);
	CU_ASSERT(p.profile.totals.is_mixed);
	CU_ASSERT_EQUAL(p.profile.totals.mixed.counted, 1234);
	CU_ASSERT_EQUAL(row_named(&p.profile, "main")->source[CINSTR_INCLUSIVE], SOURCE_TIMED);
	CU_ASSERT_EQUAL(row_named(&p.profile, "main")->source[CINSTR_EXCLUSIVE],
			SOURCE_TIMED | SOURCE_ESTIMATE);
	CU_ASSERT_EQUAL(row_named(&p.profile, "work")->source[CINSTR_EXCLUSIVE], SOURCE_ESTIMATE);
	CU_ASSERT(!row_named(&p.profile, "work")->are_calls_least);
	CU_ASSERT(row_named(&p.profile, "read")->are_calls_least);
	rows_end(&p);
	rows(&p, BY_MODULE);
	expect(&p, "app", 1235, 100 * MS + 7, 100 * MS + 7);
	rows_end(&p);
	rows(&p, BY_THREAD);
	expect(&p, "main", 1235, 100 * MS + 7, 100 * MS + 7);
	rows_end(&p);
	end(&p);
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
	join(&p);
	rows(&p, BY_FUNCTION);
	for (size_t i = 0; i < p.profile.n_rows; i++)
		sum += p.profile.rows[i].sums.application_exclusive;
	read = row_named(&p.profile, "read")->sums.elapsed_exclusive;
	CU_ASSERT(sum == 77 * MS + 7 - read);
	CU_ASSERT(p.profile.totals.application == sum);
	row = row_named(&p.profile, "work");
	CU_ASSERT(row->sums.application_exclusive == row->sums.elapsed_exclusive);
	CU_ASSERT(row->sums.off_cpu_exclusive == 0);
	rows_end(&p);
	end(&p);
}

/* The row's interval is the binomial one; of all of them together there is none. */
static void uncertainty(void)
{
	struct pair p;
	long double half;

	make_plain(&p);
	join(&p);
	rows(&p, BY_FUNCTION);
	half = uncertainty_of(&row_named(&p.profile, "work")->sums, VALUE_ELAPSED_EXCLUSIVE);
	/* 1.96 * 80 ms * sqrt(32 / 84 * 52 / 84 / 84) */
	CU_ASSERT(fabsl(half - 8.308e6L) < 2e4L);
	CU_ASSERT(uncertainty_of(&row_named(&p.profile, "main")->sums, VALUE_ELAPSED_INCLUSIVE) == 0);
	rows_end(&p);
	end(&p);
}

/* Where functions begin and end a part of a cycle of each call is somebody's. */
static void edges(void)
{
	struct pair p;
	long double edge = 5e7L * 0.35L * 1.959964L / sqrtl(12), half;

	make_plain(&p);
	count(&p, WORK_ENTER, 50000000);
	join(&p);
	rows(&p, BY_FUNCTION);
	half = uncertainty_of(&row_named(&p.profile, "work")->sums, VALUE_ELAPSED_EXCLUSIVE);
	CU_ASSERT(fabsl(half - hypotl(8.308e6L, edge)) < 2e4L);
	half = uncertainty_of(&row_named(&p.profile, "main")->sums, VALUE_ELAPSED_EXCLUSIVE);
	CU_ASSERT(half > edge);
	CU_ASSERT(uncertainty_of(&row_named(&p.profile, "main")->sums, VALUE_ELAPSED_INCLUSIVE) == 0);
	rows_end(&p);
	rows(&p, BY_MODULE);
	CU_ASSERT(uncertainty_of(&row_named(&p.profile, "app")->sums, VALUE_ELAPSED_EXCLUSIVE) < edge);
	rows_end(&p);
	end(&p);
}

/* What was timed and called through a counted function hangs below it; so does a call that waits,
 * without any sample. */
static void chains(void)
{
	struct pair p;

	make_plain(&p);
	maker_call(&p.timed, p.thread, p.main, maker_code(WORK_READ), 3, 50 * MS);
	frame(&p, p.main, 0, REC_ENTER, 500, 5 * MS);
	samples(&p, STACK(&p, CALL_AT(MAIN_WORK), CALL_AT(WORK_REC), IN(REC_ENTER)), 5);
	join(&p);
	rows(&p, BY_FUNCTION);
	expect(&p, "main", 1, 155 * MS + 7,
	       60 * MS + 3 + 8 * MS + 4 - 8 * MS - 4 + (80 * MS + 7) * 40 / 70 - 40 * MS - 3);
	expect(&p, "rec", 500, 5 * MS, 5 * MS);
	CU_ASSERT(row_named(&p.profile, "work")->sums.elapsed_inclusive ==
		  55 * MS + row_named(&p.profile, "work")->sums.elapsed_exclusive);
	CU_ASSERT_EQUAL(row_named(&p.profile, "work")->source[CINSTR_INCLUSIVE],
			SOURCE_TIMED | SOURCE_ESTIMATE);
	rows_end(&p);
	rows(&p, BY_PATH);
	CU_ASSERT_EQUAL(row_named(&p.profile, "rec")->depth, 3);
	CU_ASSERT_EQUAL(row_named(&p.profile, "read")->depth, 3);
	CU_ASSERT_EQUAL(row_named(&p.profile, "work")->calls, 0);
	CU_ASSERT(row_named(&p.profile, "work")->are_calls_least);
	rows_end(&p);
	end(&p);
}

/* No sample of work at all: a call that waits still tells that it was there. */
static void waits_alone(void)
{
	struct pair p;

	begin(&p);
	p.main = frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 10 * MS);
	maker_call(&p.timed, p.thread, p.main, maker_code(WORK_READ), 3, 50 * MS);
	mark(&p, 0, WORK_ENTER, COUNTED);
	count(&p, WORK_ENTER, 3);
	samples(&p, STACK(&p, IN(MAIN_ENTER)), 4);
	join(&p);
	rows(&p, BY_FUNCTION);
	expect(&p, "main", 1, 60 * MS, 10 * MS);
	expect(&p, "work", 3, 50 * MS, 0);
	expect(&p, "read", 3, 50 * MS, 50 * MS);
	rows_end(&p);
	end(&p);
}

/* Timed until 5 ms, counted until 10 ms, timed again: marks tell. */
static void levels(void)
{
	struct pair p;
	uint32_t main, at;

	begin(&p);
	main = frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 20 * MS);
	frame(&p, main, maker_code(MAIN_WORK), WORK_ENTER, 100, 10 * MS);
	mark(&p, 5, WORK_ENTER, COUNTED);
	mark(&p, 10, WORK_ENTER, TIMED);
	count(&p, WORK_ENTER, 50);
	at = STACK(&p, CALL_AT(MAIN_WORK), IN(WORK_ENTER));
	maker_samples(&p.sampled, p.task, at, 1, 3);
	maker_samples(&p.sampled, p.task, at, 6, 3);
	maker_samples(&p.sampled, p.task, at, 11, 4);
	maker_samples(&p.sampled, p.task, STACK(&p, IN(MAIN_ENTER)), 1, 1);
	join(&p);
	rows(&p, BY_FUNCTION);
	/* main: 4 samples, of which 3 are work's */
	expect(&p, "main", 1, 30 * MS, 5 * MS);
	expect(&p, "work", 150, 25 * MS, 25 * MS);
	CU_ASSERT_EQUAL(row_named(&p.profile, "work")->source[CINSTR_EXCLUSIVE],
			SOURCE_TIMED | SOURCE_ESTIMATE);
	rows_end(&p);
	end(&p);
}

/* Static functions of one name, a cold part, a function without symbol for the stack's begin. */
static void identity(void)
{
	struct pair p;
	uint32_t main;

	begin(&p);
	main = frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 60 * MS);
	frame(&p, main, maker_code(MAIN_TWIN), TWIN_A_ENTER, 1, MS);
	mark(&p, 0, TWIN_B_ENTER, COUNTED);
	mark(&p, 0, WORK_ENTER, COUNTED);
	samples(&p, STACK(&p, 0x3008, CALL_AT(MAIN_TWIN), IN(TWIN_B_ENTER)), 10);
	samples(&p, STACK(&p, 0x3008, CALL_AT(MAIN_TWIN), IN(TWIN_A_ENTER)), 7);
	samples(&p, STACK(&p, 0x3008, CALL_AT(MAIN_WORK), 0x2100), 20);
	samples(&p, STACK(&p, 0x3008), 5);
	join(&p);
	rows(&p, BY_FUNCTION);
	expect(&p, "work", 0, 40 * MS, 40 * MS);
	CU_ASSERT(row_named(&p.profile, "work")->are_calls_least); /* no counter */
	for (size_t i = 0; i < p.profile.n_rows; i++) {
		const struct row *row = &p.profile.rows[i];

		if (row->name && !strcmp(row->name, "twin"))
			CU_ASSERT(row->sums.elapsed_exclusive == (row->line == 40 ? MS : 20 * MS));
	}
	rows_end(&p);
	end(&p);
}

/* Code of the recording is no function's: stubs are its own work, what probes execute is part of
 * who executes them, and the rest is in no interval. */
static void own(void)
{
	struct pair p;
	uint32_t main, call;

	begin(&p);
	own_code(&p);
	main = frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 50 * MS);
	(void)main;
	mark(&p, 0, WORK_ENTER, COUNTED);
	count(&p, WORK_ENTER, 9);
	call = STACK(&p, CALL_AT(MAIN_WORK));
	samples(&p, maker_stack(&p.sampled, call, APP, IN(WORK_ENTER)), 20);
	samples(&p, maker_stack(&p.sampled, maker_stack(&p.sampled, call, APP, IN(WORK_ENTER)), 0, STUBS + 8),
		10);
	samples(&p, maker_stack(&p.sampled, call, 0, THUNKS + 8), 20);
	samples(&p, maker_stack(&p.sampled, call, 0, RUNTIME + 8), 40);
	samples(&p, in_libc(&p, maker_stack(&p.sampled, 0, CINSTR_NODE_TRUNCATED, 0), 0x1208), 6);
	join(&p);
	CU_ASSERT_EQUAL(p.data.mixed->samples.stubs, 10);
	CU_ASSERT_EQUAL(p.data.mixed->samples.probes, 20);
	CU_ASSERT_EQUAL(p.data.mixed->samples.runtime, 40);
	CU_ASSERT_EQUAL(p.data.mixed->samples.truncated, 6);
	rows(&p, BY_FUNCTION);
	expect(&p, "main", 1, 40 * MS, 20 * MS);
	expect(&p, "work", 9, 20 * MS, 20 * MS);
	CU_ASSERT(p.profile.totals.runtime == 10 * MS);
	rows_end(&p);
	end(&p);
}

/* A stack without its outer end goes by its first function with probes, if that was always called
 * by the same one. */
static void truncated(void)
{
	struct pair p;
	uint32_t main, work, missing;

	begin(&p);
	main = frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 10 * MS);
	work = frame(&p, main, maker_code(MAIN_WORK), WORK_ENTER, 1, 40 * MS);
	frame(&p, main, maker_code(MAIN_TWIN), TAIL_ENTER, 1, MS);
	frame(&p, work, maker_code(WORK_TAIL), TAIL_ENTER, 1, MS);
	mark(&p, 0, REC_ENTER, COUNTED);
	count(&p, REC_ENTER, 5);
	missing = maker_stack(&p.sampled, 0, CINSTR_NODE_TRUNCATED, 0);
	samples(&p, maker_stack(&p.sampled, missing, APP, IN(WORK_ENTER)), 1);
	samples(&p,
		maker_stack(&p.sampled, maker_stack(&p.sampled, missing, APP, CALL_AT(WORK_REC)), APP,
			    IN(REC_ENTER)),
		3);
	samples(&p, maker_stack(&p.sampled, missing, APP, IN(TAIL_ENTER)), 7);
	join(&p);
	CU_ASSERT_EQUAL(p.data.mixed->samples.truncated, 7);
	rows(&p, BY_FUNCTION);
	expect(&p, "work", 1, 41 * MS, 10 * MS);
	expect(&p, "rec", 5, 30 * MS, 30 * MS);
	rows_end(&p);
	end(&p);
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
	join(&p);
	CU_ASSERT_EQUAL(values_conservation(&p.data.threads[1]), 0);
	CU_ASSERT_EQUAL(p.data.mixed->samples.no_thread, 4);
	rows(&p, BY_FUNCTION);
	expect(&p, "rec", 1, 30 * MS, 20 * MS);
	rows_end(&p);
	end(&p);
}

/* Before the first stamp nothing was measured. */
static void out_of_time(void)
{
	struct pair p;

	make_plain(&p);
	maker_samples(&p.sampled, p.task, STACK(&p, IN(MAIN_ENTER)), 500, 3);
	join(&p);
	CU_ASSERT_EQUAL(p.data.mixed->samples.out_of_time, 3);
	CU_ASSERT_EQUAL(p.data.mixed->samples.joined, 80);
	mixed_undo(&p.data);
	CU_ASSERT_EQUAL(p.data.threads[0].n_nodes, 2);
	CU_ASSERT_EQUAL(values_conservation(&p.data.threads[0]), 0);
	mixed_redo(&p.data, MAKER_BEGIN, MAKER_BEGIN + 20 * MS);
	CU_ASSERT_EQUAL(values_conservation(&p.data.threads[0]), 0);
	CU_ASSERT(p.data.mixed->samples.joined < 80);
	end(&p);
}

/* A function without probes that was timed has its samples by its call site, whatever its code is
 * called; a caller that left by a jump is looked through. */
static void sites(void)
{
	struct pair p;
	uint32_t main, work, at;

	begin(&p);
	main = frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 10 * MS);
	maker_call(&p.timed, p.thread, main, maker_code(MAIN_PUTS), 2, 6 * MS);
	work = frame(&p, main, maker_code(MAIN_WORK), WORK_ENTER, 1, MS);
	frame(&p, work, maker_code(WORK_TAIL), TAIL_ENTER, 1, 2 * MS);
	mark(&p, 0, REC_ENTER, COUNTED);
	count(&p, REC_ENTER, 5);
	at = STACK(&p, CALL_AT(MAIN_PUTS));
	samples(&p, in_libc(&p, at, 0x1408), 8);
	samples(&p, STACK(&p, CALL_AT(MAIN_WORK), IN(TAIL_ENTER)), 4);
	samples(&p, STACK(&p, IN(MAIN_ENTER)), 4);
	samples(&p, STACK(&p, CALL_AT(MAIN_REC), IN(REC_ENTER)), 1);
	join(&p);
	rows(&p, BY_FUNCTION);
	expect(&p, "puts", 2, 6 * MS, 6 * MS);
	expect(&p, "tail", 1, 2 * MS, 2 * MS);
	expect(&p, "rec", 5, 2 * MS, 2 * MS);
	expect(&p, "main", 1, 19 * MS, 8 * MS);
	rows_end(&p);
	end(&p);
}

/* Recursion that is counted: inclusive once. */
static void recursion(void)
{
	struct pair p;

	begin(&p);
	frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 30 * MS);
	mark(&p, 0, REC_ENTER, COUNTED);
	count(&p, REC_ENTER, 99);
	samples(&p, STACK(&p, CALL_AT(MAIN_REC), CALL_AT(REC_REC), CALL_AT(REC_REC), IN(REC_ENTER)), 2);
	samples(&p, STACK(&p, CALL_AT(MAIN_REC), IN(REC_ENTER)), 1);
	join(&p);
	rows(&p, BY_FUNCTION);
	expect(&p, "rec", 99, 30 * MS, 30 * MS);
	expect(&p, "main", 1, 30 * MS, 0);
	rows_end(&p);
	end(&p);
}

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

	begin(&p);
	main = frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 60 * MS);
	frame(&p, main, maker_code(MAIN_WORK), WORK_ENTER, 1, 20 * MS);
	long_interval(&p, 0, 45, main);
	samples(&p, STACK(&p, 0x3008, CALL_AT(MAIN_WORK), IN(WORK_ENTER)), 30);
	samples(&p, STACK(&p, 0x3008, CALL_AT(MAIN_WORK), CALL_AT(WORK_REC), IN(REC_ENTER)), 10);
	samples(&p, STACK(&p, 0x3008, IN(MAIN_ENTER)), 20);
	join(&p);
	rows(&p, BY_FUNCTION);
	expect(&p, "main", 1, 80 * MS, 20 * MS);
	expect(&p, "work", 1, 60 * MS, 50 * MS);
	expect(&p, "rec", 0, 10 * MS, 10 * MS);
	CU_ASSERT_EQUAL(p.data.mixed->samples.joined, 60);
	rows_end(&p);
	end(&p);
}

/* No event has told that work is over: its time goes to where the samples were. */
static void guided_past_its_end(void)
{
	struct pair p;
	uint32_t main, work;

	begin(&p);
	main = frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 5 * MS);
	work = frame(&p, main, maker_code(MAIN_WORK), WORK_ENTER, 1, 40 * MS);
	long_interval(&p, 0, 45, work);
	samples(&p, STACK(&p, CALL_AT(MAIN_REC), IN(REC_ENTER)), 30);
	samples(&p, STACK(&p, IN(MAIN_ENTER)), 10);
	join(&p);
	rows(&p, BY_FUNCTION);
	expect(&p, "rec", 0, 30 * MS, 30 * MS);
	expect(&p, "work", 1, 0, 0);
	CU_ASSERT(row_named(&p.profile, "main")->sums.elapsed_exclusive == 15 * MS);
	rows_end(&p);
	end(&p);
}

/* Calls through a pointer, of a function that is counted: the call's node is the function's. */
static void guided_pointer(void)
{
	struct pair p;
	uint32_t main, call;

	begin(&p);
	main = frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 5 * MS);
	call = maker_indirect(&p.timed, p.thread, main, maker_code(MAIN_POINTER), MAKER_TEXT + 8 * WORK_ENTER,
			      7, 40 * MS);
	mark(&p, 0, WORK_ENTER, COUNTED);
	count(&p, WORK_ENTER, 7);
	long_interval(&p, 0, 45, call);
	samples(&p, STACK(&p, CALL_AT(MAIN_POINTER), IN(WORK_ENTER)), 30);
	samples(&p, STACK(&p, CALL_AT(MAIN_POINTER), CALL_AT(WORK_REC), IN(REC_ENTER)), 10);
	join(&p);
	rows(&p, BY_FUNCTION);
	expect(&p, "work", 7, 40 * MS, 30 * MS);
	expect(&p, "rec", 0, 10 * MS, 10 * MS);
	expect(&p, "main", 1, 45 * MS, 5 * MS);
	rows_end(&p);
	end(&p);
}

/* The call has no end of its own, as its callee came to be counted: the thread is elsewhere by
 * then. Samples of puts are in another function of libc. */
static void guided_past_a_call(void)
{
	struct pair p;
	uint32_t main, call;

	begin(&p);
	main = frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 5 * MS);
	call = maker_call(&p.timed, p.thread, main, maker_code(MAIN_PUTS), 7, 40 * MS);
	mark(&p, 0, WORK_ENTER, COUNTED);
	count(&p, WORK_ENTER, 7);
	long_interval(&p, 0, 45, call);
	samples(&p, STACK(&p, CALL_AT(MAIN_WORK), IN(WORK_ENTER)), 20);
	samples(&p, STACK(&p, IN(MAIN_ENTER)), 5);
	samples(&p, in_libc(&p, STACK(&p, CALL_AT(MAIN_PUTS)), 0x1408), 15);
	join(&p);
	rows(&p, BY_FUNCTION);
	expect(&p, "work", 7, 20 * MS, 20 * MS);
	expect(&p, "main", 1, 45 * MS, 10 * MS);
	expect(&p, "puts", 7, 15 * MS, 15 * MS);
	rows_end(&p);
	end(&p);
}

/* The outer end of the stack is missing: it begins in the middle of the path, or below it. */
static void guided_truncated(void)
{
	struct pair p;
	uint32_t main, work;

	begin(&p);
	main = frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 5 * MS);
	work = frame(&p, main, maker_code(MAIN_WORK), WORK_ENTER, 1, 40 * MS);
	long_interval(&p, 0, 45, work);
	samples(&p,
		maker_stack(&p.sampled, maker_stack(&p.sampled, 0, CINSTR_NODE_TRUNCATED, 0), APP,
			    IN(REC_ENTER)),
		10);
	samples(&p,
		maker_stack(&p.sampled, maker_stack(&p.sampled, 0, CINSTR_NODE_TRUNCATED, 0), APP,
			    IN(WORK_ENTER)),
		30);
	join(&p);
	rows(&p, BY_FUNCTION);
	expect(&p, "work", 1, 40 * MS, 30 * MS);
	expect(&p, "rec", 0, 10 * MS, 10 * MS);
	CU_ASSERT_EQUAL(p.data.mixed->samples.joined, 40);
	rows_end(&p);
	end(&p);
}

/* A cell that is none: marks tell, as without. */
static void guided_by_nothing(void)
{
	struct pair p;
	uint32_t main;

	begin(&p);
	main = frame(&p, maker_root(&p.timed, p.thread), 0, MAIN_ENTER, 1, 60 * MS);
	(void)main;
	long_interval(&p, 0, 45, 0x7fffffff);
	mark(&p, 0, WORK_ENTER, COUNTED);
	samples(&p, STACK(&p, CALL_AT(MAIN_WORK), IN(WORK_ENTER)), 30);
	join(&p);
	rows(&p, BY_FUNCTION);
	expect(&p, "work", 0, 60 * MS, 60 * MS);
	rows_end(&p);
	end(&p);
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
		list[i] = (struct cinstr_self_sample){ MAKER_BEGIN + (begin_ms + i) * MS, address };
	return elements(p, CINSTR_SEG_SELF_SAMPLES, owner, list, n * sizeof(*list));
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

	begin(p);
	own_code(p);
	maker_header(&p->timed)->self_sampled = 1;
	p->main = frame(p, maker_root(&p->timed, p->thread), 0, MAIN_ENTER, 1, 60 * MS);
	tail = frame(p, p->main, maker_code(MAIN_TWIN), TAIL_ENTER, 1, 40 * MS);
	count(p, WORK_ENTER, 1234);
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
	rows(&p, BY_FUNCTION);
	/* 5 of tail's 30 are in main's code: back there, though no event told */
	expect(&p, "work", 1234, 30 * MS + 40 * MS / 3, 30 * MS + 40 * MS / 3);
	CU_ASSERT_EQUAL(p.profile.totals.mixed.own, 1);
	CU_ASSERT(p.profile.totals.runtime == 5 * MS);
	rows_end(&p);
	mixed_undo(&p.data);
	mixed_redo(&p.data, MAKER_BEGIN + 20 * MS, MAKER_BEGIN + 50 * MS);
	CU_ASSERT_EQUAL(p.data.mixed->samples.joined, 30);
	CU_ASSERT_EQUAL(p.data.mixed->samples.out_of_time, 60 + 10);
	end(&p);
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
	frame(&p, p.main, 0, REC_ENTER, 1, 30 * MS);
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
	end(&p);

	make_alone(&p);
	s = (void *)(p.timed.bytes + own_samples(&p, p.thread, 0, APP_IN(WORK_ENTER), 2));
	s[-1].used = UINT64_MAX;
	CU_ASSERT_EQUAL_FATAL(data_open(&p.data, maker_write(&p.timed)), 0);
	mixed_join_own(&p.data);
	CU_ASSERT(!p.data.mixed || p.data.mixed->samples.kept <= CINSTR_PAGE / 16);
	end(&p);
}

CU_TestInfo mixed_tests[] = {
	{ "time on the processor is divided by samples, to the tick", divides },
	{ "application time", application },
	{ "intervals of confidence", uncertainty },
	{ "a cycle where functions begin and end", edges },
	{ "timed calls of counted functions hang below them", chains },
	{ "calls that wait tell of functions without samples", waits_alone },
	{ "marks tell when a function was counted", levels },
	{ "functions of one name, cold parts", identity },
	{ "the recording's own code", own },
	{ "stacks without their outer end", truncated },
	{ "threads go together by their numbers", threads },
	{ "samples beyond the thread's stamps; undone, and anew", out_of_time },
	{ "call sites, jumps", sites },
	{ "recursion", recursion },
	{ "an activation that was counted goes on", guided },
	{ "an activation that no event has ended", guided_past_its_end },
	{ "calls through a pointer of what is counted", guided_pointer },
	{ "a call that no event has ended", guided_past_a_call },
	{ "stacks without their outer end, in a long interval", guided_truncated },
	{ "a long interval of no cell", guided_by_nothing },
	{ "samples without stacks, that threads have taken of themselves", alone },
	{ "... damaged", alone_damaged },
	CU_TEST_INFO_NULL,
};
