/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counted calls: read by block and thread, as parts of functions' calls; damaged ones. */
#include <string.h>

#include "file/data.h"
#include "rows/caller_rows.h"
#include "lib/util.h"
#include "maker/maker.h"
#include "tests.h"

static struct maker maker;
static struct data data;

static struct cinstr_segment *segment(uint32_t type, uint32_t owner, uint64_t sequence, size_t pages,
				      const void *payload, size_t bytes)
{
	size_t at = maker_segment(&maker, type, owner, pages);
	struct cinstr_segment *header = (struct cinstr_segment *)(void *)(maker.bytes + at) - 1;

	memcpy(maker.bytes + at, payload, bytes);
	header->sequence = sequence;
	header->used = bytes;
	return header;
}

/* Two threads: main calls work, which is counted in both of them. */
static void begin(void)
{
	const uint32_t codes[] = { maker_code(WORK_ENTER), maker_code(REC_ENTER) };
	const uint64_t first[] = { 100, 0 }, second[] = { 1000, 3 };
	uint32_t frame;

	maker_init(&maker);
	maker_thread(&maker, "first");
	maker_thread(&maker, "second");
	frame = maker_frame(&maker, 0, maker_root(&maker, 0), 0, maker_code(MAIN_ENTER), 1, 500);
	maker_frame(&maker, 0, frame, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 7, 70);
	maker_call(&maker, 0, frame, maker_code(MAIN_WORK), 5, 10);
	segment(CINSTR_SEG_COUNTED, 0, 77, 1, codes, sizeof(codes));
	segment(CINSTR_SEG_COUNTERS, 0, 0, 1, first, sizeof(first));
	segment(CINSTR_SEG_COUNTERS, 1, 0, 1, second, sizeof(second));
}

/* Returns the sum over all threads of the file, including those that a selection has left out. */
static uint64_t sum_of(uint32_t code)
{
	const struct counters *c = data.counters;
	uint64_t sum = 0;

	for (size_t i = 0; c && i < c->n_threads; i++)
		for (size_t k = 0; k < c->threads[i].n; k++)
			sum += c->threads[i].list[k].code == code ? c->threads[i].list[k].n : 0;
	return sum;
}

static void counters_are_read_by_thread(void)
{
	const struct data_counter *list;
	size_t n;

	begin();
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(data.counters);
	list = counters_of_thread(&data, &data.threads[0], &n);
	CU_ASSERT_EQUAL_FATAL(n, 1);
	CU_ASSERT_EQUAL(list[0].code, maker_code(WORK_ENTER));
	CU_ASSERT_EQUAL(list[0].n, 100);
	counters_of_thread(&data, &data.threads[1], &n);
	CU_ASSERT_EQUAL(n, 2);
	CU_ASSERT_EQUAL(sum_of(maker_code(WORK_ENTER)), 1100);
	CU_ASSERT_EQUAL(sum_of(maker_code(REC_ENTER)), 3);
	CU_ASSERT(counters_have(&data, maker_code(REC_ENTER)));
	CU_ASSERT_FALSE(counters_have(&data, maker_code(MAIN_ENTER)));
	CU_ASSERT(counters_are_whole(&data));
	data_release(&data);
	maker_release(&maker);
}

static void counted_calls_are_calls(void)
{
	struct profile profile;

	begin();
	profile_of(&profile, &maker, BY_FUNCTION, &default_counting);
	CU_ASSERT_EQUAL(row_named(&profile, "work")->calls, 7 + 1100);
	CU_ASSERT_EQUAL(row_named(&profile, "work")->untimed, 1100 - 5);
	CU_ASSERT_EQUAL(row_named(&profile, "rec")->calls, 3);
	CU_ASSERT_EQUAL(row_named(&profile, "main")->calls, 1);
	profile_release(&profile);
	maker_release(&maker);
	begin();
	profile_of(&profile, &maker, BY_PROCESS, &default_counting);
	CU_ASSERT_EQUAL(profile.rows[0].calls, 1 + 7 + 1103);
	profile_release(&profile);
	maker_release(&maker);
}

/* As begin(), and sites: main's calls of work, puts and through a pointer, work's of read and, by a
 * jump, of tail, which has frames. */
static void begin_sites(void)
{
	const enum maker_site sites[] = {
		WORK_ENTER, MAIN_WORK, MAIN_PUTS, MAIN_POINTER, WORK_READ, WORK_TAIL
	};
	const uint64_t counts[] = { 1000, 900, 30, 40, 500, 6 };
	uint32_t codes[ARRAY_SIZE(sites)], frame;

	for (size_t i = 0; i < ARRAY_SIZE(sites); i++)
		codes[i] = maker_code(sites[i]);
	maker_init(&maker);
	maker_thread(&maker, "first");
	frame = maker_frame(&maker, 0, maker_root(&maker, 0), 0, maker_code(MAIN_ENTER), 1, 500);
	maker_frame(&maker, 0, frame, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 7, 70);
	maker_call(&maker, 0, frame, maker_code(MAIN_WORK), 5, 10);
	maker_call(&maker, 0, frame, maker_code(MAIN_PUTS), 2, 10);
	/* work jumped to it, or who? */
	maker_frame(&maker, 0, frame, 0, maker_code(TAIL_ENTER), 8, 70);
	segment(CINSTR_SEG_COUNTED, 0, 0, 1, codes, sizeof(codes));
	segment(CINSTR_SEG_COUNTERS, 0, 0, 1, counts, sizeof(counts));
}

static void sites_are_no_functions(void)
{
	begin_sites();
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	CU_ASSERT_EQUAL(data.counters->n_functions, 1);
	CU_ASSERT_EQUAL(data.counters->n_sites, 5);
	CU_ASSERT_EQUAL(counters_sum_all(&data, 0), 1000);
	CU_ASSERT_EQUAL(counters_sum_all(&data, 1), 900 + 30 + 40 + 500 + 6);
	CU_ASSERT(counters_have_site(&data, maker_code(MAIN_PUTS)));
	CU_ASSERT_FALSE(counters_have_site(&data, maker_code(MAIN_REC)));
	CU_ASSERT_FALSE(counters_have(&data, maker_code(MAIN_PUTS)));
	data_release(&data);
	maker_release(&maker);
}

/* main's call of work was counted by its sled, and where it led; so was work's jump to tail. One of
 * rec was moved to the function, and then not made: it is in no sum. */
static void led_calls_count_for_both(void)
{
	const uint32_t codes[] = { maker_code(WORK_ENTER),
				   maker_code(MAIN_WORK),
				   CINSTR_LED_CODE(maker_code(MAIN_WORK)),
				   maker_code(TAIL_ENTER),
				   CINSTR_LED_CODE(maker_code(WORK_TAIL)),
				   maker_code(REC_ENTER),
				   CINSTR_LED_CODE(maker_code(MAIN_REC)) };
	const uint32_t entered[] = { maker_code(WORK_ENTER), maker_code(TAIL_ENTER), maker_code(REC_ENTER) };
	const uint64_t counts[] = { 100, 30, 900, 0, 6, 5, (uint64_t)-1 };
	const struct data_counter *list;
	size_t n;

	maker_init(&maker);
	maker_thread(&maker, "first");
	segment(CINSTR_SEG_COUNTED, 0, 0, 1, codes, sizeof(codes));
	segment(CINSTR_SEG_LED, 0, 0, 1, entered, sizeof(entered));
	segment(CINSTR_SEG_COUNTERS, 0, 0, 1, counts, sizeof(counts));
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	CU_ASSERT_EQUAL(data.counters->n_functions, 3);
	CU_ASSERT_EQUAL(sum_of(maker_code(WORK_ENTER)), 1000);
	CU_ASSERT_EQUAL(sum_of(maker_code(MAIN_WORK)), 930);
	CU_ASSERT_EQUAL(sum_of(maker_code(TAIL_ENTER)), 6);
	CU_ASSERT_EQUAL(sum_of(maker_code(WORK_TAIL)), 6);
	CU_ASSERT_EQUAL(sum_of(maker_code(REC_ENTER)), 4);
	CU_ASSERT_EQUAL(sum_of(maker_code(MAIN_REC)), 0);
	CU_ASSERT(counters_have_site(&data, maker_code(MAIN_REC)));
	list = counters_of_thread(&data, &data.threads[0], &n);
	CU_ASSERT_EQUAL_FATAL(n, 5);
	for (size_t i = 1; i < n; i++)
		CU_ASSERT(list[i - 1].code < list[i].code);
	data_release(&data);
	maker_release(&maker);
}

static uint64_t calls_of_site(const struct profile *profile, const char *function, const char *callee)
{
	for (size_t i = 0; i < profile->n_rows; i++)
		if (!strcmp(profile->rows[i].name, function) && !strcmp(profile->rows[i].callee, callee))
			return profile->rows[i].calls;
	return 0;
}

static void sites_tell_who_called(void)
{
	struct profile profile;

	begin_sites();
	profile_of(&profile, &maker, BY_FUNCTION, &default_counting);
	CU_ASSERT_EQUAL(row_named(&profile, "work")->calls, 7 + 1000);
	CU_ASSERT_EQUAL(row_named(&profile, "puts")->calls, 2 + 30);
	CU_ASSERT_EQUAL(row_named(&profile, "read")->calls, 500);
	CU_ASSERT_EQUAL(row_named(&profile, "tail")->calls, 8);
	profile_release(&profile);
	maker_release(&maker);
	begin_sites();
	profile_of(&profile, &maker, BY_PROCESS, &default_counting);
	CU_ASSERT_EQUAL(profile.rows[0].calls, 1 + 7 + 1000 + 2 + 30 + 500 + 8);
	profile_release(&profile);
	maker_release(&maker);
	begin_sites();
	profile_of(&profile, &maker, BY_SITE, &default_counting);
	CU_ASSERT_EQUAL(calls_of_site(&profile, "main", "work"), 7 + 5 + 900);
	CU_ASSERT_EQUAL(calls_of_site(&profile, "main", "puts"), 2 + 30);
	CU_ASSERT_EQUAL(calls_of_site(&profile, "main", "[unknown]"), 40);
	CU_ASSERT_EQUAL(calls_of_site(&profile, "work", "read"), 500);
	CU_ASSERT_EQUAL(calls_of_site(&profile, "work", "tail"), 6);
	profile_release(&profile);
	maker_release(&maker);
}

/* What hangs below main without a site may be work's call, which its site tells of. */
static void sites_make_edges(void)
{
	struct caller_rows_wish wish = { .function = "tail", .session = "s", .functions = 1 };
	struct profile profile;

	begin_sites();
	profile_of(&profile, &maker, BY_CALLERS, &default_counting);
	CU_ASSERT_EQUAL(caller_rows_select(&profile, &wish), 1);
	CU_ASSERT_EQUAL_FATAL(profile.n_rows, 3);
	CU_ASSERT_EQUAL(row_named(&profile, "main")->calls, 0);
	CU_ASSERT(row_named(&profile, "main")->are_calls_least);
	CU_ASSERT_EQUAL(row_named(&profile, "work")->calls, 6);
	CU_ASSERT_FALSE(row_named(&profile, "work")->are_calls_least);
	CU_ASSERT_EQUAL(row_named(&profile, "tail")->calls, 8);
	profile_release(&profile);
	maker_release(&maker);
}

/* Slot 504 is the first one of block 1. */
static void blocks_follow_one_another(void)
{
	uint32_t codes[506];
	const uint64_t counts[] = { 11, 12 };

	maker_init(&maker);
	maker_thread(&maker, "first");
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		codes[i] = maker_code(WORK_ENTER);
	codes[504] = maker_code(REC_ENTER);
	codes[505] = maker_code(TAIL_ENTER);
	segment(CINSTR_SEG_COUNTED, 0, 9, 1, codes + 500, 6 * sizeof(*codes));
	segment(CINSTR_SEG_COUNTED, 0, 3, 1, codes, 500 * sizeof(*codes));
	segment(CINSTR_SEG_COUNTERS, 0, 1, 2, counts, sizeof(counts));
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	CU_ASSERT_EQUAL(sum_of(maker_code(REC_ENTER)), 11);
	CU_ASSERT_EQUAL(sum_of(maker_code(TAIL_ENTER)), 12);
	CU_ASSERT_EQUAL(sum_of(maker_code(WORK_ENTER)), 0);
	data_release(&data);
	maker_release(&maker);
}

static void damage_does_no_harm(void)
{
	const uint32_t codes[] = { 0xdeadbee1, maker_code(WORK_ENTER), maker_code(WORK_EXIT) };
	const uint64_t counts[] = { 1, 2, 3, 4, 5 };

	maker_init(&maker);
	maker_thread(&maker, "first");
	segment(CINSTR_SEG_COUNTED, 0, 1, 1, codes, sizeof(codes) - 1); /* the last is cut off */
	segment(CINSTR_SEG_COUNTERS, 0, 0, 1, counts, sizeof(counts));
	/* being made: */
	segment(CINSTR_SEG_COUNTERS, 0, 4711, 1, counts, sizeof(counts));
	segment(CINSTR_SEG_COUNTERS, 4711 << 16, 0, 1, counts, sizeof(counts));
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	CU_ASSERT_EQUAL(data.n_problems, 2);
	CU_ASSERT_EQUAL(sum_of(maker_code(WORK_ENTER)), 2);
	CU_ASSERT_EQUAL(data.counters->n_codes, 2);
	CU_ASSERT_FALSE(counters_have(&data, 0xdeadbee1));
	data_release(&data);
	maker_release(&maker);
}

CU_TestInfo counters_tests[] = {
	{ "counters are read by thread", counters_are_read_by_thread },
	{ "counted calls are calls", counted_calls_are_calls },
	{ "sites are no functions", sites_are_no_functions },
	{ "led calls count for both", led_calls_count_for_both },
	{ "sites tell who called", sites_tell_who_called },
	{ "sites make edges", sites_make_edges },
	{ "blocks follow one another", blocks_follow_one_another },
	{ "damage does no harm", damage_does_no_harm },
	CU_TEST_INFO_NULL,
};
