/* SPDX-License-Identifier: GPL-3.0-or-later */
/* R14, R16: source lines, call sites, pauses. */
#include <stdlib.h>
#include <string.h>

#include "output/columns.h"
#include "tests.h"

/*
 * main(100) -> lined x2 (10 before its first line)
 *   line 81 x3 (20) -> puts x3 (5)
 *   line 82 x4 (30) -> lined x1 (1)
 *     line 82 x6 (40) -> lined x3 (2)
 *       line 82 x3 (50)
 *     line 80 x1 (7)
 *   line b.c:5 x8 (60), inlined
 *   line b.c:5 x2 (70), inlined another way -> puts x1 (3)
 * `with` lines, or as the same run without them: what a line holds is its function's, what hangs
 * below it hangs below that.
 */
static uint32_t line(struct maker *m, int with, uint32_t frame, enum maker_site site, uint64_t calls,
		     uint64_t ticks)
{
	if (with)
		return maker_line(m, 0, frame, maker_code(site), calls, ticks);
	maker_cell_at(m, frame)->ticks += ticks;
	m->ticks[0] += ticks;
	return frame;
}

static uint32_t lined(struct maker *m, uint32_t parent, enum maker_site site, uint64_t calls, uint64_t ticks)
{
	uint32_t frame = maker_frame(m, 0, parent, maker_code(site), maker_code(LINED_ENTER), calls, ticks);

	maker_extremes(m, 0, frame, 3 + ticks, 100 + ticks);
	return frame;
}

static void make_lines(struct maker *m, int with)
{
	uint32_t main_cell, first, second, third, at;

	maker_init(m);
	maker_header(m)->probes = 3;
	maker_thread(m, "first");
	maker_root_ticks(m, 0, 1000);
	main_cell = maker_frame(m, 0, maker_root(m, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	first = lined(m, main_cell, MAIN_POINTER, 2, 10);
	at = line(m, with, first, LINED_81, 3, 20);
	maker_call(m, 0, at, maker_code(LINED_PUTS), 3, 5);
	at = line(m, with, first, LINED_82, 4, 30);
	second = lined(m, at, LINED_LINED, 1, 1);
	at = line(m, with, second, LINED_82, 6, 40);
	maker_bucket(m, 0, at, CINSTR_OS_VOLUNTARY, 15, 12);
	third = lined(m, at, LINED_LINED, 3, 2);
	line(m, with, third, LINED_82, 3, 50);
	line(m, with, second, LINED_80, 1, 7);
	line(m, with, first, LINED_INLINED, 8, 60);
	at = line(m, with, first, LINED_AGAIN, 2, 70);
	maker_call(m, 0, at, maker_code(LINED_PUTS), 1, 3);
	maker_open(m, 0, main_cell);
	maker_open(m, 0, at);
}

static int sums_equal(const struct sums *a, const struct sums *b)
{
	return nearly(a->elapsed_inclusive, b->elapsed_inclusive) &&
	       nearly(a->elapsed_exclusive, b->elapsed_exclusive) &&
	       nearly(a->application_inclusive, b->application_inclusive) &&
	       nearly(a->application_exclusive, b->application_exclusive) &&
	       nearly(a->off_cpu_inclusive, b->off_cpu_inclusive);
}

static int rows_equal(const struct row *a, const struct row *b)
{
	return a->calls == b->calls && a->open_calls == b->open_calls && a->depth == b->depth &&
	       a->parent == b->parent && sums_equal(&a->sums, &b->sums) &&
	       nearly(a->shortest[0], b->shortest[0]) && nearly(a->longest[0], b->longest[0]) &&
	       nearly(a->activations_elapsed, b->activations_elapsed);
}

/* Rows in another order are other rows: both trees come to the functions in the same order. */
static void lines_are_part_of_their_function(void)
{
	static const enum profile_by views[] = { BY_FUNCTION, BY_MODULE, BY_THREAD,
						 BY_PROCESS,  BY_PATH,	 BY_SITE };
	struct maker m;
	struct profile with, without;

	for (size_t v = 0; v < ARRAY_SIZE(views); v++) {
		make_lines(&m, 1);
		profile_of(&with, &m, views[v], &default_counting);
		maker_release(&m);
		make_lines(&m, 0);
		profile_of(&without, &m, views[v], &default_counting);
		maker_release(&m);
		CU_ASSERT_EQUAL_FATAL(with.n_rows, without.n_rows);
		for (size_t i = 0; i < with.n_rows; i++)
			CU_ASSERT(rows_equal(&with.rows[i], &without.rows[i]));
		CU_ASSERT_EQUAL(with.totals.conservation_ticks_off, 0);
		CU_ASSERT_EQUAL(with.totals.open_frames, 2);
		CU_ASSERT_EQUAL(with.totals.lines, 7);
		CU_ASSERT_EQUAL(without.totals.lines, 0);
		CU_ASSERT(nearly(with.totals.elapsed, without.totals.elapsed));
		profile_release(&with);
		profile_release(&without);
	}
}

static void the_function_view_of_lines(void)
{
	struct maker m;
	struct profile p;
	const struct row *row;

	make_lines(&m, 1);
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	row = row_named(&p, "lined");
	CU_ASSERT_EQUAL(row->calls, 6);
	CU_ASSERT_EQUAL(row->open_calls, 1);
	CU_ASSERT(nearly(row->sums.elapsed_exclusive, 10 + 20 + 30 + 1 + 40 + 2 + 50 + 7 + 60 + 70));
	CU_ASSERT(nearly(row->sums.elapsed_inclusive, 290 + 5 + 3));
	CU_ASSERT(nearly(row->sums.application_exclusive, 290 - 15));
	CU_ASSERT(nearly(row->shortest[VALUE_ELAPSED_INCLUSIVE], 4));
	profile_release(&p);
	maker_release(&m);
}

static uint64_t calls_of(const struct profile *p, const struct row *row)
{
	return column_value(p, row, COLUMN_CALLS).count;
}

static void rows_of_lines(void)
{
	struct maker m;
	struct profile p;
	const struct row *row;

	make_lines(&m, 1);
	profile_of(&p, &m, BY_LINE, &default_counting);
	row = row_named(&p, "a.c:81");
	CU_ASSERT_EQUAL(calls_of(&p, row), 3);
	CU_ASSERT(nearly(row->sums.elapsed_exclusive, 20));
	CU_ASSERT(nearly(row->sums.elapsed_inclusive, 25));
	CU_ASSERT_STRING_EQUAL(row->file, "/src/a.c");
	CU_ASSERT_EQUAL(row->line, 81);
	CU_ASSERT_STRING_EQUAL(row->function, "lined");
	CU_ASSERT_STRING_EQUAL(row->inlined_from, "");
	CU_ASSERT_STRING_EQUAL(row->module, "/nowhere/app");
	/* main has no lines of its own: what it calls has the line of the call */
	row = row_named(&p, "a.c:10");
	CU_ASSERT_EQUAL(calls_of(&p, row), 1);
	CU_ASSERT(nearly(row->sums.elapsed_exclusive, 100));
	CU_ASSERT(nearly(row->sums.elapsed_inclusive, 100));
	row = row_named(&p, "a.c:15");
	CU_ASSERT_EQUAL(calls_of(&p, row), 2);
	CU_ASSERT(nearly(row->sums.elapsed_exclusive, 0));
	CU_ASSERT(nearly(row->sums.elapsed_inclusive, 298));
	row = row_named(&p, "puts"); /* its lines are not known */
	CU_ASSERT_EQUAL(calls_of(&p, row), 4);
	CU_ASSERT(nearly(row->sums.elapsed_exclusive, 8));
	CU_ASSERT_EQUAL(row->line, 0);
	profile_release(&p);
	maker_release(&m);
}

/* R6 */
static void a_line_counts_once(void)
{
	struct maker m;
	struct profile p;
	const struct row *row;

	make_lines(&m, 1);
	profile_of(&p, &m, BY_LINE, &default_counting);
	row = row_named(&p, "a.c:82");
	CU_ASSERT_EQUAL(calls_of(&p, row), 4 + 6 + 3);
	CU_ASSERT(nearly(row->sums.elapsed_exclusive, 30 + 40 + 50));
	CU_ASSERT(nearly(row->sums.elapsed_inclusive, 30 + 1 + 40 + 2 + 50 + 7));
	CU_ASSERT(nearly(row->sums.application_exclusive, 120 - 15));
	/*
	 * The line of the definition: what passes from an entry to the first line, and its own
	 * event. Once lined was called from line 82 it is that line, not the definition's, which is
	 * on the stack.
	 */
	row = row_named(&p, "a.c:80");
	CU_ASSERT_EQUAL(calls_of(&p, row), 1);
	CU_ASSERT(nearly(row->sums.elapsed_exclusive, 10 + 1 + 2 + 7));
	CU_ASSERT(nearly(row->sums.elapsed_inclusive, 10 + 1 + 2 + 7));
	profile_release(&p);
	maker_release(&m);
}

static void inlined_lines(void)
{
	struct maker m;
	struct profile p;
	const struct row *row;

	make_lines(&m, 1);
	profile_of(&p, &m, BY_LINE, &default_counting);
	row = row_named(&p, "b.c:5");
	CU_ASSERT_EQUAL(calls_of(&p, row), 10);
	CU_ASSERT_STRING_EQUAL(row->file, "/abs/b.c");
	CU_ASSERT(nearly(row->sums.elapsed_exclusive, 130));
	CU_ASSERT(nearly(row->sums.elapsed_inclusive, 133));
	CU_ASSERT_STRING_EQUAL(row->function, "lined");
	CU_ASSERT_STRING_EQUAL(row->inlined_from, "helper at a.c:83; helper at b.c:9, outer at a.c:84");
	profile_release(&p);
	maker_release(&m);
}

/* Of many chains three are shown. */
static void many_ways_to_a_line(void)
{
	struct maker m;
	struct profile p;
	uint32_t frame;

	maker_init(&m);
	maker_thread(&m, "t");
	frame = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(LINED_ENTER), 1, 100);
	for (int round = 0; round < 2; round++)
		for (uint32_t site = LINED_INLINED; site <= LINED_FIFTH; site++)
			maker_line(&m, 0, frame, maker_code((enum maker_site)site), 1, 1);
	profile_of(&p, &m, BY_LINE, &default_counting);
	CU_ASSERT_STRING_EQUAL(row_named(&p, "b.c:5")->inlined_from,
			       "helper at a.c:83; helper at b.c:9, outer at a.c:84; third at a.c:3; "
			       "\xe2\x80\xa6");
	CU_ASSERT_EQUAL(row_named(&p, "b.c:5")->calls, 10);
	profile_release(&p);
	maker_release(&m);
}

/* Exclusive times of all rows and what lies outside functions are all there is. */
static void lines_add_up(const struct counting *counting, uint64_t cost)
{
	struct maker m;
	struct profile p;
	long double elapsed, application = 0, overhead = 0;

	make_lines(&m, 1);
	maker_header(&m)->calibration.rounds = 1;
	for (int i = 0; i < CINSTR_COST_KINDS; i++)
		maker_header(&m)->calibration.sum[i] = cost * 1024;
	profile_of(&p, &m, BY_LINE, counting);
	elapsed = p.totals.outside;
	for (size_t i = 0; i < p.n_rows; i++) {
		elapsed += p.rows[i].sums.elapsed_exclusive;
		application += p.rows[i].sums.application_exclusive;
		overhead += p.rows[i].sums.overhead_exclusive;
		CU_ASSERT(p.rows[i].sums.elapsed_inclusive >= p.rows[i].sums.elapsed_exclusive);
		CU_ASSERT(p.rows[i].sums.elapsed_inclusive <= p.totals.elapsed);
	}
	CU_ASSERT(nearly(elapsed, p.totals.elapsed));
	CU_ASSERT(nearly(application + p.totals.outside, p.totals.application));
	CU_ASSERT(overhead <= p.totals.overhead);
	profile_release(&p);
	maker_release(&m);
}

static void exclusive_times_of_lines_add_up(void)
{
	struct counting raw = default_counting;

	raw.raw = 1;
	lines_add_up(&default_counting, 0);
	lines_add_up(&default_counting, 3);
	lines_add_up(&raw, 3);
}

/* R9: each event of a line costs. */
static void overhead_of_lines(void)
{
	struct maker m;
	struct profile p;

	make_lines(&m, 1);
	maker_header(&m)->calibration.rounds = 1;
	maker_header(&m)->calibration.sum[CINSTR_COST_LINE] = 2 * 1024;
	profile_of(&p, &m, BY_LINE, &default_counting);
	CU_ASSERT(nearly(row_named(&p, "a.c:81")->sums.elapsed_exclusive, 20 - 3 * 2));
	CU_ASSERT(nearly(row_named(&p, "a.c:81")->sums.overhead_exclusive, 6));
	CU_ASSERT(nearly(row_named(&p, "puts")->sums.overhead_exclusive, 0));
	profile_release(&p);
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	CU_ASSERT(nearly(row_named(&p, "lined")->sums.overhead_exclusive, 2 * (3 + 4 + 6 + 3 + 1 + 8 + 2)));
	CU_ASSERT(nearly(row_named(&p, "lined")->sums.elapsed_exclusive, 290 - 54));
	profile_release(&p);
	maker_release(&m);
}

/* A file may say anything. */
static void lines_of_no_table(void)
{
	struct maker m;
	struct profile p;
	uint32_t main_cell, at;

	maker_init(&m);
	maker_thread(&m, "t");
	main_cell = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	maker_frame(&m, 0, main_cell, 0, maker_code(REC_ENTER), 1, 100);
	at = maker_frame(&m, 0, main_cell, 0, maker_code(LINED_ENTER), 1, 100);
	maker_line(&m, 0, at, maker_code(LINED_INLINED), 1, 1);
	/* no line's sled: a place like any other */
	maker_line(&m, 0, at, maker_code(MAIN_WORK), 1, 1);
	maker_line(&m, 0, at, 0x777777, 1, 1); /* in no table: its function's */
	profile_of(&p, &m, BY_LINE, &default_counting);
	CU_ASSERT_STRING_EQUAL(row_named(&p, "a.c:11")->function, "main");
	CU_ASSERT(nearly(row_named(&p, "a.c:80")->sums.elapsed_exclusive, 101));
	profile_release(&p);
	maker_release(&m);
}

static const struct row *site_named(const struct profile *p, const char *callee, uint32_t line_number)
{
	for (size_t i = 0; i < p->n_rows; i++)
		if (!strcmp(p->rows[i].callee, callee) && p->rows[i].line == line_number)
			return &p->rows[i];
	return row_named(p, "");
}

static void rows_of_call_sites(void)
{
	struct maker m;
	struct profile p;
	const struct row *row;

	make_lines(&m, 1);
	maker_frame(&m, 0, maker_root(&m, 0) + 1, maker_code(WORK_TAIL), maker_code(TAIL_ENTER), 9, 11);
	maker_frame(&m, 0, maker_root(&m, 0) + 1, 0, maker_code(REC_ENTER), 1,
		    1); /* not called from a site */
	maker_indirect(&m, 0, maker_root(&m, 0) + 1, maker_code(MAIN_POINTER), MAKER_LIBC + 0x10, 4, 6);
	profile_of(&p, &m, BY_SITE, &default_counting);
	CU_ASSERT_EQUAL(p.n_rows, 5);
	row = site_named(&p, "puts", 81);
	CU_ASSERT_EQUAL(row->calls, 4);
	CU_ASSERT_STRING_EQUAL(row->name, "lined");
	CU_ASSERT_STRING_EQUAL(row->file, "/src/a.c");
	CU_ASSERT_STRING_EQUAL(row->module, "/nowhere/app");
	CU_ASSERT_STRING_EQUAL(row->address, "0x111d"); /* 0x1000 + 8 * LINED_PUTS + 5 */
	CU_ASSERT(nearly(row->sums.elapsed_exclusive, 8));
	row = site_named(&p, "lined", 82);
	CU_ASSERT_EQUAL(row->calls, 4);
	CU_ASSERT(nearly(row->sums.elapsed_exclusive, 1 + 40 + 2 + 50 + 7));
	CU_ASSERT(nearly(row->sums.elapsed_inclusive, 100)); /* once */
	CU_ASSERT(nearly(row->shortest[VALUE_ELAPSED_INCLUSIVE], 4));
	row = site_named(&p, "lined", 15);
	CU_ASSERT_EQUAL(row->calls, 2);
	CU_ASSERT_EQUAL(row->open_calls, 1);
	CU_ASSERT(nearly(row->sums.elapsed_inclusive, 298));
	row = site_named(&p, "0x1010", 15); /* the same site, another callee */
	CU_ASSERT_EQUAL(row->calls, 4);
	row = site_named(&p, "tail", 23);
	CU_ASSERT_EQUAL(row->calls, 9);
	CU_ASSERT_STRING_EQUAL(row->name, "work");
	profile_release(&p);
	maker_release(&m);
}

/* A cell that is no part of the tree: ticks, inclusive ticks. */
static void flat(struct maker *m, uint32_t kind, enum maker_site site, uint64_t calls, uint64_t ticks,
		 uint64_t inclusive)
{
	int is_frame = kind == CINSTR_CELL_FLAT_FRAME;
	struct cinstr_cell *cell =
		maker_cell_at(m, maker_frame(m, 0, 1, is_frame ? 0 : maker_code(site),
					     is_frame ? maker_code(site) : 0, calls, ticks));

	cell->tag = kind;
	cell->flat_ticks = inclusive;
	cell->flat_calls = 0;
	m->ticks[0] -= ticks;
}

/* Below a line, as below any node: what lies beyond the budget of paths is known by function
 * only. */
static void calls_beyond_the_budget(void)
{
	struct maker m;
	struct profile p;
	uint32_t at;
	long double sum = 0;

	maker_init(&m);
	maker_thread(&m, "t");
	at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(LINED_ENTER), 1, 100);
	at = maker_line(&m, 0, at, maker_code(LINED_82), 2, 10);
	at = maker_frame(&m, 0, at, 0, 0, 5, 50);
	maker_cell_at(&m, at)->tag = CINSTR_CELL_MERGED;
	flat(&m, CINSTR_CELL_FLAT_FRAME, REC_ENTER, 2, 30, 50);
	flat(&m, CINSTR_CELL_FLAT_CALL, LINED_PUTS, 3, 20, 20);
	profile_of(&p, &m, BY_LINE, &default_counting);
	for (size_t i = 0; i < p.n_rows; i++)
		sum += p.rows[i].sums.elapsed_exclusive;
	CU_ASSERT(nearly(sum, 160));
	CU_ASSERT(nearly(row_named(&p, "a.c:82")->sums.elapsed_inclusive, 60));
	CU_ASSERT_EQUAL(calls_of(&p, row_named(&p, "a.c:30")), 2);
	CU_ASSERT(nearly(row_named(&p, "puts")->sums.elapsed_inclusive, 20));
	profile_release(&p);
	profile_of(&p, &m, BY_SITE, &default_counting);
	CU_ASSERT_EQUAL(p.n_rows, 1);
	CU_ASSERT_EQUAL(site_named(&p, "puts", 81)->calls, 3);
	profile_release(&p);
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	CU_ASSERT(nearly(row_named(&p, "rec")->sums.elapsed_inclusive, 50));
	CU_ASSERT(nearly(row_named(&p, "lined")->sums.elapsed_inclusive, 160));
	profile_release(&p);
	maker_release(&m);
}

/* Adds three MERGED nodes, and FLAT cells that have the same calls and ticks by function. */
static void beyond_by_chance(struct maker *m)
{
	static const enum maker_site sites[] = { REC_ENTER, WORK_ENTER, LINED_PUTS };
	struct cinstr_cell *merged;
	uint64_t calls[3], ticks[3];
	uint32_t above = maker_frame(m, 0, maker_root(m, 0), 0, maker_code(MAIN_ENTER), 1, 100000);

	for (int i = 0; i < 3; i++) {
		calls[i] = 1 + (uint64_t)(random_uniform() * 100);
		ticks[i] = (uint64_t)(random_uniform() * 3000);
		above = maker_frame(m, 0, above, maker_code(WORK_REC), maker_code(REC_ENTER), 200, 30000);
		flat(m, i < 2 ? CINSTR_CELL_FLAT_FRAME : CINSTR_CELL_FLAT_CALL, sites[i], calls[i], ticks[i],
		     ticks[i]);
		merged = maker_cell_at(m, maker_frame(m, 0, above, 0, 0, calls[i], ticks[i]));
		merged->tag = CINSTR_CELL_MERGED;
		merged->flat_calls = (uint64_t)(random_uniform() * (double)calls[i]);
	}
}

/* What is beyond the budget of paths is corrected by path and by function: both have the same
 * sum, though on some paths there is less time than probes have cost elsewhere. */
static void calls_beyond_the_budget_add_up(void)
{
	for (random_seed = 1000; random_seed < 1100000; random_seed += 11000) {
		uint64_t seed = random_seed;
		struct maker m;
		struct profile p;
		long double by_function = 0, by_path = 0;

		maker_init(&m);
		maker_thread(&m, "t");
		beyond_by_chance(&m);
		maker_header(&m)->calibration.rounds = 1;
		for (int i = 0; i < CINSTR_COST_KINDS; i++)
			maker_header(&m)->calibration.sum[i] = (uint64_t)(random_uniform() * 40) * 1024;
		profile_of(&p, &m, BY_FUNCTION, &default_counting);
		for (size_t i = 0; i < p.n_rows; i++)
			by_function += p.rows[i].sums.application_exclusive;
		by_path = p.totals.application;
		/* three nodes are rounded */
		CU_ASSERT(is_within((double)by_function, (double)by_path, 3));
		profile_release(&p);
		maker_release(&m);
		random_seed = seed;
	}
}

/* R10, R16 */
static void pauses_are_outside(void)
{
	struct maker m;
	struct profile p;
	struct cinstr_fold_state *s;

	make_lines(&m, 1);
	s = &maker_thread_at(&m, 0)->states[1];
	s->paused_ticks = 5000;
	s->pauses = 2;
	s->repaired = 1;
	s->enters = 2;
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	CU_ASSERT_EQUAL(p.totals.conservation_ticks_off, 0);
	CU_ASSERT_EQUAL(p.totals.unbalanced, 0);
	CU_ASSERT(nearly(p.totals.elapsed, 1000 + 100 + 298));
	CU_ASSERT(nearly(p.totals.paused, 5000));
	CU_ASSERT_EQUAL(p.totals.pauses, 2);
	CU_ASSERT_EQUAL(p.totals.repaired, 1);
	profile_release(&p);
	maker_release(&m);
}

/*
 * Recording was off in the middle for 5000; and beyond any stamp: the process began 700 before its
 * main thread's first one, and ends 20,000 after its begin. Before, that is known of the main
 * thread of a process that began paused; behind, of threads that are off, and have not ended.
 */
static void pauses_beyond_stamps_count(void)
{
	static const struct {
		int began_paused, is_main, is_off, has_ended;
		uint64_t before;
		int is_behind;
	} cases[] = {
		{ 0, 1, 0, 0, 0, 0 }, { 1, 1, 0, 0, 700, 0 }, { 1, 0, 0, 0, 0, 0 },
		{ 0, 1, 1, 0, 0, 1 }, { 1, 1, 1, 0, 700, 1 }, { 1, 1, 1, 1, 700, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cinstr_fold_state *s;
		uint64_t behind;
		struct maker m;
		struct data data;

		make_lines(&m, 1);
		if (cases[i].began_paused)
			maker_property(&m, "options", "CINSTR=on CINSTR_START=paused");
		s = &maker_thread_at(&m, 0)->states[1];
		s->paused_ticks = 5000;
		s->pauses = 1;
		s->paused = (uint32_t)cases[i].is_off;
		maker_thread_at(&m, 0)->state = cases[i].has_ended ? CINSTR_THREAD_ENDED : CINSTR_THREAD_LIVE;
		maker_thread_at(&m, 0)->tid = maker_header(&m)->pid + (cases[i].is_main ? 0 : 1);
		maker_header(&m)->clock_ticks[0] = maker_thread_at(&m, 0)->first_ticks - 700;
		CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
		behind = 20000 - (data.threads[0].state->time - data.header->clock_ticks[0]);
		CU_ASSERT(behind > 0 && behind < 20000 - 5000 - 700);
		CU_ASSERT(nearly(totals_paused_beyond(&data, 1, 20000),
				 cases[i].before + (cases[i].is_behind ? behind : 0)));
		data_release(&data);
		maker_release(&m);
	}
}

CU_TestInfo lines_tests[] = {
	{ "R14 lines are part of their function", lines_are_part_of_their_function },
	{ "R14 the function view of lines", the_function_view_of_lines },
	{ "R14 rows of lines", rows_of_lines },
	{ "R6 a line counts once", a_line_counts_once },
	{ "inlined lines", inlined_lines },
	{ "many ways to a line", many_ways_to_a_line },
	{ "R10 exclusive times of lines add up", exclusive_times_of_lines_add_up },
	{ "R9 overhead of lines", overhead_of_lines },
	{ "lines that no table has", lines_of_no_table },
	{ "rows of call sites", rows_of_call_sites },
	{ "calls beyond the budget of paths", calls_beyond_the_budget },
	{ "R10 calls beyond the budget of paths add up", calls_beyond_the_budget_add_up },
	{ "R10 R16 pauses are outside", pauses_are_outside },
	{ "R10 pauses beyond the stamps count", pauses_beyond_stamps_count },
	CU_TEST_INFO_NULL,
};
