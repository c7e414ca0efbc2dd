/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shortest and longest calls: chosen less what their own probes cost, which are counted, and
 * corrected with that (R8). */
#include "file/cell_details.h"
#include "runtime/fold/fold.h"
#include "tests.h"
#include "values/values.h"

#define FIRST 1000000u
#define COST 10u /* ticks an event */

static struct maker maker;
static struct data data;

static struct cinstr_record records[250];
static size_t n_records;

static void put(enum maker_site site, uint32_t ticks, uint32_t second)
{
	records[n_records++] = (struct cinstr_record){ maker_code(site), FIRST + ticks, 0x111, second };
}

/* work from `begin` to `end`, with n calls of rec right at its begin, each of `ticks`. */
static void put_work(uint32_t begin, uint32_t end, uint32_t n, uint32_t ticks)
{
	put(WORK_ENTER, begin, 0x7001);
	for (uint32_t i = 0; i < n; i++) {
		put(REC_ENTER, begin + i * ticks, 0x6001);
		put(REC_EXIT, begin + (i + 1) * ticks, CINSTR_SECOND_EXIT);
	}
	put(WORK_EXIT, end, CINSTR_SECOND_EXIT);
}

static void records_begin(uint32_t event_cost)
{
	uint64_t value = FIRST | 1ull << 63;
	struct cinstr_calibration *c;

	maker_init(&maker);
	maker_header(&maker)->event_cost = event_cost * 1024;
	c = &maker_header(&maker)->calibration;
	c->rounds = 1;
	for (int kind = 0; kind < CINSTR_COST_KINDS; kind++)
		c->sum[kind] = c->minimum[kind] = c->maximum[kind] = COST * 1024;
	maker_thread(&maker, "t");
	records[0] = (struct cinstr_record){ CINSTR_SPECIAL(CINSTR_SP_START, 0), 0, (uint32_t)value,
					     (uint32_t)(value >> 32) };
	n_records = 1;
}

static void open_data(void)
{
	maker_records(&maker, 0, records, n_records);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	CU_ASSERT_EQUAL_FATAL(data.n_threads, 1);
	CU_ASSERT_EQUAL(values_conservation(&data.threads[0]), 0);
}

static void close_data(void)
{
	data_release(&data);
	maker_release(&maker);
}

static size_t work_node(void)
{
	const struct data_thread *t = &data.threads[0];

	for (size_t i = 0; i < t->n_nodes; i++)
		if (t->nodes[i].cell->func == maker_code(WORK_ENTER))
			return i;
	CU_FAIL_FATAL("work has no node");
	return 0;
}

static void extremes_of_work(struct details_extremes *raw, struct extremes *corrected, int is_raw)
{
	const struct counting counting = { CINSTR_OS_DEFAULT_MASK, 0, is_raw };
	const struct data_thread *t = &data.threads[0];
	struct values *values = values_make(&data, t, &counting);

	details_extremes(data.memory, t->nodes[work_node()].cell, CINSTR_DIRTY_ELAPSED, raw);
	values_extremes(&data, t, work_node(), values, &counting, corrected);
	values_release(values);
}

/*
 * Of 1000 ticks without an event; of 1200 with 30 calls, 60 events, 600 ticks of probes; of 900
 * with 10 calls: 700 without. So the first is the longest, and the second the shortest.
 */
static void put_three(void)
{
	put_work(1000, 2000, 0, 0);
	put_work(3000, 4200, 30, 25);
	put_work(5000, 5900, 10, 25);
}

static void chosen_without_their_probes(void)
{
	struct details_extremes raw;
	struct extremes corrected;

	records_begin(COST);
	put_three();
	open_data();
	extremes_of_work(&raw, &corrected, 0);
	CU_ASSERT_EQUAL(raw.longest[CINSTR_INCLUSIVE], 1000);
	CU_ASSERT_EQUAL(raw.longest_events[CINSTR_INCLUSIVE], 0);
	CU_ASSERT_EQUAL(raw.shortest[CINSTR_INCLUSIVE], 1200);
	CU_ASSERT_EQUAL(raw.shortest_events[CINSTR_INCLUSIVE], 60);
	/* By themselves: 1000; 450 less 60 own events; 650 less 20. */
	CU_ASSERT_EQUAL(raw.longest[CINSTR_EXCLUSIVE], 1000);
	CU_ASSERT_EQUAL(raw.shortest[CINSTR_EXCLUSIVE], 450);
	CU_ASSERT_EQUAL(raw.shortest_events[CINSTR_EXCLUSIVE], 60);
	CU_ASSERT_EQUAL(corrected.longest[VALUE_ELAPSED_INCLUSIVE], 990);
	CU_ASSERT_EQUAL(corrected.shortest[VALUE_ELAPSED_INCLUSIVE], 590);
	CU_ASSERT_EQUAL(corrected.longest[VALUE_APPLICATION_INCLUSIVE], 990);
	CU_ASSERT_EQUAL(corrected.shortest[VALUE_APPLICATION_INCLUSIVE], 590);
	CU_ASSERT_EQUAL(corrected.longest[VALUE_ELAPSED_EXCLUSIVE], 990);
	/* 30 intervals behind calls */
	CU_ASSERT_EQUAL(corrected.shortest[VALUE_ELAPSED_EXCLUSIVE], 140);
	extremes_of_work(&raw, &corrected, 1);
	CU_ASSERT_EQUAL(corrected.longest[VALUE_ELAPSED_INCLUSIVE], 1200);
	CU_ASSERT_EQUAL(corrected.shortest[VALUE_ELAPSED_INCLUSIVE], 1000);
	close_data();
}

/* Older runtimes: by the clock, less the mean. */
static void without_events_by_the_clock(void)
{
	struct details_extremes raw;
	struct extremes corrected;

	records_begin(0);
	put_three();
	open_data();
	extremes_of_work(&raw, &corrected, 0);
	CU_ASSERT_EQUAL(raw.longest[CINSTR_INCLUSIVE], 1200);
	CU_ASSERT_EQUAL(raw.shortest[CINSTR_INCLUSIVE], 900);
	CU_ASSERT_EQUAL(raw.longest_events[CINSTR_INCLUSIVE], 0);
	close_data();
}

/* A call has all of the overhead, if it is the only one. */
static void the_only_one(void)
{
	struct details_extremes raw;
	struct extremes corrected;

	records_begin(COST);
	put_work(1000, 9000, 100, 25);
	open_data();
	extremes_of_work(&raw, &corrected, 0);
	CU_ASSERT_EQUAL(raw.longest[CINSTR_INCLUSIVE], 8000);
	CU_ASSERT_EQUAL(raw.longest_events[CINSTR_INCLUSIVE], 200);
	CU_ASSERT_EQUAL(corrected.shortest[VALUE_ELAPSED_INCLUSIVE], 8000 - 2010);
	CU_ASSERT_EQUAL(corrected.longest[VALUE_ELAPSED_INCLUSIVE], 8000 - 2010);
	CU_ASSERT_EQUAL(corrected.longest[VALUE_APPLICATION_INCLUSIVE], 8000 - 2010);
	close_data();
}

/* The first call of a node is kept in the cell itself, others not: which one it is makes no
 * difference. */
static void first_or_not(void)
{
	struct details_extremes raw;
	struct extremes corrected;

	records_begin(COST);
	put_work(1000, 2200, 30, 25);
	put_work(3000, 4000, 0, 0);
	open_data();
	extremes_of_work(&raw, &corrected, 0);
	CU_ASSERT_EQUAL(raw.longest[CINSTR_INCLUSIVE], 1000);
	CU_ASSERT_EQUAL(raw.shortest[CINSTR_INCLUSIVE], 1200);
	CU_ASSERT_EQUAL(raw.shortest_events[CINSTR_INCLUSIVE], 60);
	CU_ASSERT_EQUAL(raw.shortest_events[CINSTR_EXCLUSIVE], 60);
	CU_ASSERT_EQUAL(corrected.shortest[VALUE_ELAPSED_INCLUSIVE], 590);
	close_data();
}

static int is_near(uint64_t value, uint64_t truth, unsigned digits)
{
	return (value > truth ? value - truth : truth - value) <= truth >> digits;
}

static void numbers_of_events_are_rounded(void)
{
	for (uint64_t n = 1; n <= UINT32_MAX; n = n * 17 / 16 + 1)
		for (uint32_t digits = 7; digits <= 11; digits += 2) {
			uint32_t word = fold_events_pack((uint32_t)n, digits);

			CU_ASSERT_EQUAL(word >> (digits + 5), 0);
			CU_ASSERT(is_near(fold_events_unpack(word, digits), n, digits));
			CU_ASSERT(n >> digits || word == n);
		}
	CU_ASSERT_EQUAL(fold_events_unpack(fold_events_pack(UINT32_MAX, 11), 11), 1ull << 32);
}

static void extremes_are_in_order(void)
{
	const uint64_t ticks[] = { 0, 1, 40, 2047, 2048, 1000000, 1ull << 40, 3ull << 45 };
	uint64_t events, before = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ticks); i++) {
		uint64_t word = fold_extreme(ticks[i], 7, COST * 1024);

		CU_ASSERT(word > before && word != UINT64_MAX);
		CU_ASSERT_EQUAL(fold_extreme_ticks(word, COST * 1024, &events), ticks[i]);
		CU_ASSERT_EQUAL(events, 7);
		before = word;
	}
	/* More is subtracted than there is. */
	CU_ASSERT(fold_extreme(10, 100, COST * 1024) < fold_extreme(0, 0, COST * 1024));
	CU_ASSERT_EQUAL(fold_extreme(12345, 100, 0), 12345);
	CU_ASSERT(fold_extreme(UINT64_MAX >> 2, 0, COST * 1024) != UINT64_MAX);
}

CU_TestInfo extremes_tests[] = {
	{ "chosen without their probes", chosen_without_their_probes },
	{ "without events by the clock", without_events_by_the_clock },
	{ "the only call has all of the overhead", the_only_one },
	{ "the first call is as any other", first_or_not },
	{ "numbers of events are rounded", numbers_of_events_are_rounded },
	{ "extremes are in order", extremes_are_in_order },
	CU_TEST_INFO_NULL,
};
