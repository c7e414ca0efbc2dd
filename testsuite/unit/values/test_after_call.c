/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * R14 without line events: time after calls.
 *
 * main(1000) -> work x10 at line 11 (400), after it 300 -> read x10 at 21 (100), after it 150
 *            -> rec x2 at line 12 (200), after it 250 -> rec x3 at 31 (60), after it 70 -> rec x3
 *            at 31 (30), after it 20 -> twin x1 at line 16 (5), after it 9; called without a site
 *            x4 (7) -> usleep x2 at 14 (5000), after it 40, 20 of it with a switch
 */
#include <stdlib.h>
#include <string.h>

#include "file/cell_details.h"
#include "output/columns.h"
#include "tests.h"
#include "values/after_call.h"

static struct maker maker;
static uint32_t main_cell, work, slept;

static uint32_t frame(uint32_t parent, enum maker_site site, enum maker_site enter, uint64_t calls,
		      uint64_t ticks, uint64_t after)
{
	uint32_t cell = maker_frame(&maker, 0, parent, maker_code(site), maker_code(enter), calls, ticks);

	maker_cell_at(&maker, cell)->after_ticks = after;
	return cell;
}

static uint32_t call(uint32_t parent, enum maker_site site, uint64_t calls, uint64_t ticks, uint64_t after)
{
	uint32_t cell = maker_call(&maker, 0, parent, maker_code(site), calls, ticks);

	maker_cell_at(&maker, cell)->after_ticks = after;
	return cell;
}

static void make(void)
{
	uint32_t rec;

	maker_init(&maker);
	maker_thread(&maker, "t");
	maker_root_ticks(&maker, 0, 50);
	main_cell = maker_frame(&maker, 0, maker_root(&maker, 0), 0, maker_code(MAIN_ENTER), 1, 1000);
	/* of the root's: outside any function */
	maker_cell_at(&maker, main_cell)->after_ticks = 17;
	work = frame(main_cell, MAIN_WORK, WORK_ENTER, 10, 400, 300);
	call(work, WORK_READ, 10, 100, 150);
	rec = frame(main_cell, MAIN_REC, REC_ENTER, 2, 200, 250);
	rec = frame(rec, REC_REC, REC_ENTER, 3, 60, 70);
	frame(rec, REC_REC, REC_ENTER, 3, 30, 20);
	frame(main_cell, MAIN_TWIN, TWIN_A_ENTER, 1, 5, 9);
	maker_cell_at(&maker, maker_frame(&maker, 0, main_cell, 0, maker_code(TWIN_A_ENTER), 4, 7))
		->after_ticks = 33;
	slept = call(main_cell, MAIN_USLEEP, 2, 5000, 40);
}

/* The bucket of 20 ticks that lies in main, and was after usleep. */
static void make_switch(void)
{
	struct cinstr_detail *detail;

	maker_bucket(&maker, 0, slept, CINSTR_OS_VOLUNTARY, 20, 15);
	detail = maker_detail(&maker, 0, slept);
	detail->after_buckets = detail->buckets;
	detail->buckets = 0;
	maker_bucket(&maker, 0, main_cell, CINSTR_OS_VOLUNTARY, 20, 15);
}

static void costs(uint64_t cost)
{
	maker_header(&maker)->calibration.rounds = 1;
	for (int i = 0; i < CINSTR_COST_KINDS; i++)
		maker_header(&maker)->calibration.sum[i] = cost * (uint64_t)(i + 1) * 1024;
}

/* ---- division -------------------------------------------------------------------------------- */

static int is_sum(const struct after *after, const struct ticks *whole)
{
	struct ticks sum = { 0 };

	for (size_t i = 0; i < after->n; i++) {
		const struct ticks *t = &after->parts[i].ticks;

		if (t->overhead_low > t->overhead || t->overhead > t->overhead_high ||
		    t->overhead_high > t->overhead + t->elapsed || t->application > t->elapsed ||
		    t->elapsed > whole->elapsed || t->overhead > whole->overhead ||
		    t->off_cpu > whole->off_cpu)
			return 0;
		sum.elapsed += t->elapsed;
		sum.application += t->application;
		sum.overhead += t->overhead;
		sum.off_cpu += t->off_cpu;
		sum.overhead_low += t->overhead_low;
		sum.overhead_high += t->overhead_high;
		sum.application_uncertainty += t->application_uncertainty;
	}
	return !memcmp(&sum, whole, sizeof(sum));
}

static void divide_all(const struct counting *counting)
{
	struct data data;
	struct values *values;
	struct overhead_costs overheads;
	struct after after = { 0 };
	const struct data_thread *thread;
	uint32_t *apart;

	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	thread = &data.threads[0];
	overhead_costs(&overheads, &data.header->calibration);
	values = values_make(&data, thread, counting);
	apart = xcalloc(thread->n_nodes, sizeof(*apart));
	for (size_t i = 0; i < thread->n_nodes; i++)
		apart[i] = thread->nodes[i].cell->site ? 1 : ROW_NONE;
	for (uint32_t i = 0; i < thread->n_nodes; i++) {
		struct ticks exclusive = values_at(values, i)->exclusive;

		after_divide(&after,
			     &(struct after_node){ &data, thread, i, &overheads, counting, apart, ROW_NONE, 0 },
			     &exclusive);
		CU_ASSERT(is_sum(&after, &exclusive));
		CU_ASSERT_EQUAL(after.parts[0].child, i);
	}
	after_release(&after);
	free(apart);
	values_release(values);
	data_release(&data);
}

/* Exclusive = from the entry + after the calls, in ticks, whatever is subtracted. */
static void parts_are_the_whole(void)
{
	struct counting counting = default_counting;

	for (uint64_t cost = 0; cost < 400; cost = cost * 3 + 1) {
		for (int mode = 0; mode < 4; mode++) {
			counting.on_cpu = mode & 1;
			counting.raw = mode >> 1;
			make();
			make_switch();
			costs(cost);
			divide_all(&counting);
			maker_release(&maker);
		}
	}
}

/* A file may say anything. */
static void more_after_than_there_is(void)
{
	make();
	maker_cell_at(&maker, work)->after_ticks = UINT64_MAX - 3;
	maker_cell_at(&maker, slept)->after_ticks = UINT64_MAX;
	make_switch();
	costs(2);
	divide_all(&default_counting);
	maker_release(&maker);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void expect(const struct profile *p, const char *name, uint64_t calls, long double inclusive,
		   long double exclusive)
{
	const struct row *row = row_named(p, name);

	CU_ASSERT_EQUAL(column_value(p, row, COLUMN_CALLS).count, calls);
	CU_ASSERT(nearly(row->sums.elapsed_inclusive, inclusive));
	CU_ASSERT(nearly(row->sums.elapsed_exclusive, exclusive));
}

static void rows_of_lines_that_call(void)
{
	struct profile p;

	make();
	profile_of(&p, &maker, BY_LINE, &default_counting);
	CU_ASSERT_EQUAL(p.totals.lines, 0);
	/* and what was called at no line */
	expect(&p, "a.c:10", 1, 401 + 7, 1000 - 300 - 250 - 40 - 9);
	expect(&p, "a.c:11", 10, 300 + 400 + 100, 300);
	expect(&p, "a.c:12", 2, 250 + 290, 250);
	expect(&p, "a.c:14", 2, 5040, 40);
	expect(&p, "a.c:16", 1, 9 + 5, 9);
	expect(&p, "a.c:20", 10, 250, 250);
	expect(&p, "a.c:21", 10, 150 + 100, 150);
	expect(&p, "a.c:30", 2 + 3 + 3, 130 + 40 + 30, 200 - 70 + 60 - 20 + 30);
	/* R6: once, though it is on the path twice */
	expect(&p, "a.c:31", 6, 70 + 60 + 30, 70 + 20);
	expect(&p, "usleep", 2, 5000, 5000);
	profile_release(&p);
	maker_release(&maker);
}

/* Two calls on a line, and the line a function begins in: each interval once. */
static void calls_on_one_line(void)
{
	struct profile p;
	uint32_t lined, again;

	maker_init(&maker);
	maker_thread(&maker, "t");
	lined = maker_frame(&maker, 0, maker_root(&maker, 0), 0, maker_code(LINED_ENTER), 1, 100);
	call(lined, LINED_PUTS, 3, 9, 20);
	again = frame(lined, LINED_LINED, LINED_ENTER, 2, 50, 30);
	call(again, LINED_PUTS, 4, 6, 10);
	frame(again, LINED_LINED, LINED_ENTER, 1, 8, 5);
	frame(lined, LINED_LINED, REC_ENTER, 1, 70, 11); /* through a pointer */
	profile_of(&p, &maker, BY_LINE, &default_counting);
	expect(&p, "a.c:80", 4, (100 - 61) + (50 - 15) + 8, (100 - 61) + (50 - 15) + 8);
	expect(&p, "a.c:81", 7, 29 + 16, 30);
	expect(&p, "a.c:82", 4, 30 + 50 + 6 + 8 + 11 + 70, 30 + 5 + 11);
	profile_release(&p);
	profile_of(&p, &maker, BY_ADDRESS, &default_counting);
	for (size_t i = 0, found = 0; i <= p.n_rows; i++) {
		if (i == p.n_rows)
			CU_ASSERT_EQUAL(found, 1);
		if (i < p.n_rows && p.rows[i].callee && !strcmp(p.rows[i].callee, "lined; rec")) {
			CU_ASSERT(nearly(p.rows[i].sums.elapsed_exclusive, 30 + 5 + 11));
			CU_ASSERT_EQUAL(p.rows[i].line, 82);
			CU_ASSERT_STRING_EQUAL(p.rows[i].function, "lined");
			CU_ASSERT(!strncmp(p.rows[i].name, "lined+0x", 8));
			found++;
		}
	}
	expect(&p, "lined+0x0", 4, (100 - 61) + (50 - 15) + 8, (100 - 61) + (50 - 15) + 8);
	profile_release(&p);
	maker_release(&maker);
}

/* What a tail call has called returns to where its caller was called. */
static void after_a_tail_call(void)
{
	struct profile p;

	maker_init(&maker);
	maker_thread(&maker, "t");
	main_cell = maker_frame(&maker, 0, maker_root(&maker, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	frame(main_cell, MAIN_POINTER, WORK_ENTER, 2, 1, 0);
	frame(main_cell, MAIN_WORK, WORK_ENTER, 3, 40, 0);
	frame(main_cell, MAIN_TWIN, WORK_ENTER, 1, 1, 0); /* the most frequent one is taken */
	frame(main_cell, WORK_TAIL, TAIL_ENTER, 3, 30, 60);
	profile_of(&p, &maker, BY_LINE, &default_counting);
	expect(&p, "a.c:11", 3, 60 + 40 + 30, 60);
	expect(&p, "a.c:10", 1, 40, 40);
	profile_release(&p);
	profile_of(&p, &maker, BY_ADDRESS, &default_counting);
	for (size_t i = 0; i < p.n_rows; i++)
		if (p.rows[i].line == 11)
			CU_ASSERT_STRING_EQUAL(p.rows[i].callee, "work");
	profile_release(&p);
	maker_release(&maker);
}

/* Where lines were recorded they have the time; by instruction calls have theirs of it. */
static void calls_from_recorded_lines(void)
{
	struct profile p;
	uint32_t lined, at;

	maker_init(&maker);
	maker_thread(&maker, "t");
	lined = maker_frame(&maker, 0, maker_root(&maker, 0), 0, maker_code(LINED_ENTER), 1, 100);
	at = maker_line(&maker, 0, lined, maker_code(LINED_81), 2, 50);
	call(at, LINED_PUTS, 2, 7, 30);
	profile_of(&p, &maker, BY_LINE, &default_counting);
	expect(&p, "a.c:81", 2, 57, 50);
	profile_release(&p);
	profile_of(&p, &maker, BY_ADDRESS, &default_counting);
	expect(&p, "lined+0x0", 1, 100, 100);
	for (size_t i = 0; i < p.n_rows; i++)
		if (p.rows[i].line == 81)
			CU_ASSERT(nearly(p.rows[i].sums.elapsed_exclusive, *p.rows[i].callee ? 30 : 20));
	profile_release(&p);
	maker_release(&maker);
}

static void what_the_system_did_after_a_call(void)
{
	struct profile p;
	const struct row *row;

	make();
	make_switch();
	profile_of(&p, &maker, BY_LINE, &default_counting);
	row = row_named(&p, "a.c:14");
	CU_ASSERT(nearly(row->sums.application_exclusive, 20));
	CU_ASSERT(nearly(row->sums.off_cpu_exclusive, 15));
	CU_ASSERT_PTR_NOT_NULL_FATAL(row->os);
	CU_ASSERT_EQUAL(row->os->exclusive.of[OS_VOLUNTARY], 1);
	row = row_named(&p, "a.c:10");
	CU_ASSERT(nearly(row->sums.application_exclusive, 401));
	CU_ASSERT(!row->os || !row->os->exclusive.of[OS_VOLUNTARY]);
	CU_ASSERT(!row->os || !row->os->inclusive.of[OS_VOLUNTARY]);
	profile_release(&p);
	maker_release(&maker);
}

/* Each part by the kind of event that its intervals began with. */
static void overhead_by_where_it_began(void)
{
	struct profile p;

	make();
	maker_header(&maker)->calibration.rounds = 1;
	maker_header(&maker)->calibration.sum[CINSTR_COST_ENTER] = 13 * 1024;
	maker_header(&maker)->calibration.sum[CINSTR_COST_RETURN] = 5 * 1024;
	maker_header(&maker)->calibration.sum[CINSTR_COST_AFTER] = 11 * 1024;
	profile_of(&p, &maker, BY_LINE, &default_counting);
	CU_ASSERT(nearly(row_named(&p, "a.c:10")->sums.overhead_exclusive, 13));
	CU_ASSERT(nearly(row_named(&p, "a.c:11")->sums.overhead_exclusive, 10 * 5));
	CU_ASSERT(nearly(row_named(&p, "a.c:14")->sums.overhead_exclusive, 2 * 11));
	CU_ASSERT(nearly(row_named(&p, "a.c:14")->sums.elapsed_exclusive, 40 - 22));
	profile_release(&p);
	maker_release(&maker);
}

/* R10: in ticks (a tick is a nanosecond). */
static void rows_add_up(void)
{
	static const enum profile_by views[] = { BY_LINE, BY_ADDRESS };
	struct counting counting = default_counting;
	struct profile p;

	for (int round = 0; round < 2 * 2 * 5; round++) {
		long double elapsed, application;

		make();
		make_switch();
		costs((uint64_t)(round / 4));
		counting.on_cpu = round / 2 % 2;
		profile_of(&p, &maker, views[round % 2], &counting);
		elapsed = application = p.totals.outside;
		for (size_t i = 0; i < p.n_rows; i++) {
			elapsed += p.rows[i].sums.elapsed_exclusive;
			application += p.rows[i].sums.application_exclusive;
			CU_ASSERT(p.rows[i].sums.elapsed_inclusive >= p.rows[i].sums.elapsed_exclusive);
			CU_ASSERT(p.rows[i].sums.elapsed_inclusive <= p.totals.elapsed);
		}
		CU_ASSERT(elapsed == p.totals.elapsed);
		CU_ASSERT(application == p.totals.application);
		profile_release(&p);
		maker_release(&maker);
	}
}

CU_TestInfo after_tests[] = {
	{ "R14 exclusive is from the entry and after calls", parts_are_the_whole },
	{ "R14 more after calls than there is", more_after_than_there_is },
	{ "R14 R6 rows of lines that call", rows_of_lines_that_call },
	{ "R14 R6 calls on one line", calls_on_one_line },
	{ "R14 after a tail call", after_a_tail_call },
	{ "R14 calls from recorded lines", calls_from_recorded_lines },
	{ "R11 R14 what the system did after a call", what_the_system_did_after_a_call },
	{ "R9 R14 overhead by where it began", overhead_by_where_it_began },
	{ "R10 R14 rows add up", rows_add_up },
	CU_TEST_INFO_NULL,
};
