/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What single threads and processes tell findings on the system: calls that take much of a thread,
 * what ran outside of main, page faults. */
#include <string.h>

#include "rows/system_facts.h"
#include "tests.h"

static struct profile profile;

static void add(struct maker *m)
{
	struct data data;

	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(m)), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	profile_add(&profile, &data);
	data_release(&data);
	maker_release(m);
}

static const struct system_facts *facts_of(struct maker *m)
{
	profile_init(&profile, BY_FUNCTION, &default_counting);
	profile.system.is_wanted = 1;
	add(m);
	return &profile.system;
}

static int is_named(uint32_t entity, const char *name)
{
	return entity != NAMES_NONE && !strcmp(profile.names->list[entity].name, name);
}

/* main, which calls usleep, and is called back, when it does again; work, which reads, 10 % of all
 * with this many ticks. */
static uint32_t make_calls(struct maker *m, uint64_t read_ticks)
{
	uint32_t top, at;

	maker_init(m);
	maker_thread(m, "sleepy");
	maker_root_ticks(m, 0, 100);
	top = maker_frame(m, 0, maker_root(m, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	at = maker_call(m, 0, top, maker_code(MAIN_USLEEP), 2, 200);
	maker_bucket(m, 0, at, CINSTR_OS_VOLUNTARY, 190, 150);
	at = maker_frame(m, 0, top, maker_code(MAIN_REC), maker_code(REC_ENTER), 7, 50);
	at = maker_frame(m, 0, at, 0, maker_code(MAIN_ENTER), 4, 50);
	maker_call(m, 0, at, maker_code(MAIN_USLEEP), 3, 300);
	maker_call(m, 0, at, maker_code(MAIN_PUTS), 9, 100); /* no system call */
	at = maker_frame(m, 0, top, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 1, 200 - read_ticks);
	maker_call(m, 0, at, maker_code(WORK_READ), 5, read_ticks);
	return at;
}

static void calls_that_take_a_tenth(void)
{
	const struct system_facts *facts;
	struct maker m;

	make_calls(&m, 110);
	facts = facts_of(&m);
	CU_ASSERT_EQUAL_FATAL(facts->n, 2);
	CU_ASSERT(is_named(facts->list[0].caller, "main") && is_named(facts->list[0].callee, "usleep"));
	CU_ASSERT_EQUAL(facts->list[0].calls, 5);
	CU_ASSERT_EQUAL(facts->list[0].caller_calls, 5);
	CU_ASSERT(nearly(facts->list[0].taken, 500));
	CU_ASSERT(nearly(facts->list[0].elapsed, 1100));
	CU_ASSERT(nearly(facts->list[0].on_cpu, 950));
	CU_ASSERT(facts->list[0].is_alone);
	CU_ASSERT_STRING_EQUAL(facts->list[0].thread, "sleepy");
	CU_ASSERT(is_named(facts->list[1].caller, "work") && is_named(facts->list[1].callee, "read"));
	CU_ASSERT(nearly(facts->list[1].taken, 110));
	profile_release(&profile);
	make_calls(&m, 109);
	maker_thread(&m, "other");
	facts = facts_of(&m);
	CU_ASSERT_EQUAL_FATAL(facts->n, 1);
	CU_ASSERT(is_named(facts->list[0].callee, "usleep"));
	CU_ASSERT(!facts->list[0].is_alone);
	profile_release(&profile);
}

/* Of a line: calls are those of its function. */
static void calls_of_lines(void)
{
	const struct system_facts *facts;
	struct maker m;
	uint32_t at;

	maker_init(&m);
	maker_thread(&m, "t");
	at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(LINED_ENTER), 3, 100);
	at = maker_line(&m, 0, at, maker_code(LINED_81), 3, 100);
	maker_call(&m, 0, at, maker_code(WORK_READ), 2, 300);
	facts = facts_of(&m);
	CU_ASSERT_EQUAL_FATAL(facts->n, 1);
	CU_ASSERT(is_named(facts->list[0].caller, "lined"));
	CU_ASSERT_EQUAL(facts->list[0].caller_calls, 3);
	profile_release(&profile);
}

/* What nobody has called is before main or after it, in the order of the cells. */
static void make_outside(struct maker *m)
{
	uint32_t at;

	maker_init(m);
	maker_thread(m, "app");
	maker_thread_at(m, 0)->tid = maker_header(m)->pid;
	maker_root_ticks(m, 0, 7);
	at = maker_frame(m, 0, maker_root(m, 0), 0, maker_code(CLONE_ENTER), 1, 100);
	maker_bucket(m, 0, at, CINSTR_OS_INVOLUNTARY, 60, 40); /* others had the processor */
	at = maker_frame(m, 0, maker_root(m, 0), 0, maker_code(WORK_ENTER), 1, 50);
	at = maker_call(m, 0, at, maker_code(WORK_READ), 1, 30);
	maker_bucket(m, 0, at, CINSTR_OS_VOLUNTARY, 30, 30);
	maker_frame(m, 0, maker_root(m, 0), 0, maker_code(MAIN_ENTER), 1, 1000);
	maker_frame(m, 0, maker_root(m, 0), 0, maker_code(TAIL_ENTER), 1, 20);
	maker_frame(m, 0, maker_root(m, 0), 0, maker_code(OMP_ENTER), 1, 10);
}

static void outside_of_main(void)
{
	const struct system_facts *facts;
	struct maker m;

	make_outside(&m);
	facts = facts_of(&m);
	CU_ASSERT(nearly(facts->before.ns, 60 + 80));
	CU_ASSERT(nearly(facts->before.most, 80));
	CU_ASSERT(is_named(facts->before.entity, "work"));
	CU_ASSERT(nearly(facts->after.ns, 30));
	CU_ASSERT(nearly(facts->after.most, 20));
	CU_ASSERT(is_named(facts->after.entity, "tail"));
	CU_ASSERT(nearly(facts->main_threads, 7 + 60 + 80 + 1000 + 30));
	profile_release(&profile);
	make_outside(&m);
	maker_thread_at(&m, 0)->states[1].orphans = 1; /* it switches stacks */
	facts = facts_of(&m);
	CU_ASSERT(nearly(facts->before.ns, 0) && nearly(facts->after.ns, 0));
	CU_ASSERT(nearly(facts->main_threads, 1177));
	profile_release(&profile);
	make_outside(&m);
	maker_thread_at(&m, 0)->tid++; /* another thread's main */
	facts = facts_of(&m);
	CU_ASSERT(nearly(facts->main_threads, 0) && nearly(facts->before.ns, 0));
	profile_release(&profile);
}

static void faults_and_processors(void)
{
	const struct system_facts *facts;
	uint64_t pages;
	struct maker m;

	maker_init(&m);
	maker_property(&m, "cpus", "8");
	for (uint32_t i = 0; i < 3; i++) {
		maker_thread(&m, "t");
		maker_thread_at(&m, i)->counters_first.minor_faults = 500;
		maker_thread_at(&m, i)->counters_last.minor_faults = i == 2 ? 400 : 1000 * (i + 1);
	}
	facts = facts_of(&m);
	pages = 500 + 1500 - facts->minor_faults; /* those of the file */
	CU_ASSERT(pages > 10 && pages < 40);
	CU_ASSERT_EQUAL(facts->processors, 8);
	maker_init(&m);
	maker_property(&m, "cpus", "8");
	add(&m);
	CU_ASSERT_EQUAL(facts->processors, 8);
	CU_ASSERT_EQUAL(facts->minor_faults, 2000 - pages); /* less is none */
	maker_init(&m);
	maker_property(&m, "cpus", "4");
	add(&m);
	CU_ASSERT_EQUAL(facts->processors, 0);
	profile_release(&profile);
}

/* ---- limits of a group of processors --------------------------------------------------------- */

/* The least of all processes; ranks are counted. */
static void limits_and_ranks(void)
{
	static const char *const limits[] = { "1500", "0", "500", "700" };
	struct strbuf text = { 0 };
	struct maker m;

	profile_init(&profile, BY_PROCESS, &default_counting);
	for (uint32_t i = 0; i < 4; i++) {
		maker_init(&m);
		maker_header(&m)->pid = 100 + i;
		maker_property(&m, "cpu_limit", limits[i]);
		maker_property(&m, "rank", i == 1 ? "x" : i == 2 ? "" : i ? "7" : "0");
		maker_property(&m, "job", i == 3 ? "b" : "a");
		add(&m);
	}
	CU_ASSERT_EQUAL(profile.totals.cpu_limit, 500);
	totals_put_cpu_limit(&text, &profile.totals);
	CU_ASSERT_STRING_EQUAL(text.text, "the limit of 0.5 processors");
	strbuf_release(&text);
	CU_ASSERT_EQUAL(profile.totals.ranked, 2);
	CU_ASSERT_EQUAL(profile.totals.jobs.n, 2);
	CU_ASSERT_EQUAL_FATAL(profile.n_rows, 4);
	CU_ASSERT_EQUAL(profile.rows[0].rank_after, 1);
	CU_ASSERT_EQUAL(profile.rows[1].rank_after, 0);
	CU_ASSERT_EQUAL(profile.rows[2].rank_after, 0);
	CU_ASSERT_EQUAL(profile.rows[3].rank_after, 8);
	profile_release(&profile);
}

CU_TestInfo system_facts_tests[] = {
	{ "calls that take a tenth of a thread", calls_that_take_a_tenth },
	{ "calls of lines are their function's", calls_of_lines },
	{ "what nobody has called is outside of main", outside_of_main },
	{ "faults of threads, processors of machines", faults_and_processors },
	{ "limits and ranks of processes", limits_and_ranks },
	CU_TEST_INFO_NULL,
};
