/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filters: globs, moments, which rows and which data are left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/globs.h"
#include "lib/util.h"
#include "selection/just_my_code.h"
#include "selection/selection.h"
#include "session/session_clock.h"
#include "tests.h"

static enum globs_verdict verdict(const char *text, const char *name)
{
	struct globs globs = { 0 };
	enum globs_verdict v;

	CU_ASSERT_EQUAL(globs_parse(&globs, text), 0);
	v = globs_match(&globs, &name, 1);
	globs_release(&globs);
	return v;
}

static void globs_take_and_exclude(void)
{
	struct globs none = { 0 };
	const char *name = "f";

	CU_ASSERT_EQUAL(globs_match(&none, &name, 1), GLOBS_TAKEN);
	CU_ASSERT_EQUAL(verdict("f", "f"), GLOBS_TAKEN);
	CU_ASSERT_EQUAL(verdict("f", "ff"), GLOBS_OTHER);
	CU_ASSERT_EQUAL(verdict("g,f*", "ff"), GLOBS_TAKEN);
	CU_ASSERT_EQUAL(verdict("!f*", "ff"), GLOBS_EXCLUDED);
	CU_ASSERT_EQUAL(verdict("!f*", "g"), GLOBS_TAKEN);
	CU_ASSERT_EQUAL(verdict("f*,!ff", "ff"), GLOBS_EXCLUDED);
	CU_ASSERT_EQUAL(verdict("!ff,f*", "fg"), GLOBS_TAKEN);
	CU_ASSERT_EQUAL(verdict("!ff,f*", "g"), GLOBS_OTHER);
	CU_ASSERT_EQUAL(verdict("f(int, *),g", "f(int, char)"), GLOBS_TAKEN);
	CU_ASSERT_EQUAL(verdict("f(int, *),g", "g"), GLOBS_TAKEN);
}

static void empty_globs_are_none(void)
{
	static const char *const wrong[] = { "", ",", "a,", ",a", "!", "a,!", "a,,b" };
	struct globs globs = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		CU_ASSERT_EQUAL(globs_parse(&globs, wrong[i]), -1);
	globs_release(&globs);
}

static void globs_that_match_nothing_are_told(void)
{
	struct globs globs = { 0 };
	const char *names[] = { "alpha", NULL };

	quiet_begin();
	globs_parse(&globs, "alp*,!beta");
	globs_match(&globs, names, 2);
	CU_ASSERT_EQUAL(globs_check_matched(&globs, "x"), -1);
	names[1] = "beta";
	globs_match(&globs, names, 2);
	CU_ASSERT_EQUAL(globs_check_matched(&globs, "x"), 0);
	quiet_end();
	globs_release(&globs);
}

/* ---- moments --------------------------------------------------------------------------------- */

static struct cinstr_header machine(uint64_t realtime, uint64_t ticks, uint64_t ns)
{
	return (struct cinstr_header){ .start_realtime_ns = realtime,
				       .clock = CINSTR_CLOCK_TSC,
				       .clock_ticks = { ticks, ticks + 1000, ticks + 3000000 },
				       .clock_ns = { ns, ns + 500, ns + 1500000 } };
}

static void moments_of_one_process(void)
{
	struct session_clock clock;
	struct cinstr_header h = machine(1000000000000, 5000, 70000);

	session_clock_init_file(&clock, &h);
	CU_ASSERT(nearly(session_clock_ns(&clock, &h, 5000), 0));
	CU_ASSERT(nearly(session_clock_ns(&clock, &h, 7000), 1000));
	CU_ASSERT_EQUAL(session_clock_ticks(&clock, &h, 1000), 7000);
	CU_ASSERT_EQUAL(session_clock_ticks(&clock, &h, 1000.25L), 7001);
	CU_ASSERT_EQUAL(session_clock_ticks(&clock, &h, -1e9L), 0);
	CU_ASSERT_EQUAL(session_clock_ticks(&clock, &h, 1e30L), UINT64_MAX);
	for (uint64_t ticks = 5000; ticks < 5100; ticks++)
		CU_ASSERT_EQUAL(session_clock_ticks(&clock, &h, session_clock_ns(&clock, &h, ticks)), ticks);
	session_clock_release(&clock);
}

/* A time of day and a clock that has run for weeks: each tick has its moment. */
static void every_tick_has_its_moment(void)
{
	struct session_clock clock;
	struct cinstr_header h = machine(1763741000123456789, 3341393686317200, 1200345678901234);

	h.clock_ticks[2] = h.clock_ticks[0] + 3000000007;
	h.clock_ns[2] = h.clock_ns[0] + 1200000011;
	session_clock_init_file(&clock, &h);
	for (uint64_t ticks = h.clock_ticks[2]; ticks < h.clock_ticks[2] + 1000; ticks++)
		CU_ASSERT_EQUAL(session_clock_ticks(&clock, &h, session_clock_ns(&clock, &h, ticks)), ticks);
	session_clock_release(&clock);
}

/* A forked child's first pair is its parent's; the time of day may have been changed in between by
 * some milliseconds. */
static void moments_of_a_forked_child(void)
{
	struct session_clock clock;
	struct cinstr_header h = machine(1000000000000, 5000, 70000), child = h;

	session_clock_init_file(&clock, &h);
	child.forked = 1;
	child.clock_ticks[1] = 5000 + 120000000000;
	child.clock_ns[1] = 70000 + 60000000000;
	child.clock_ticks[2] = 5000 + 240000000000;
	child.clock_ns[2] = 70000 + 120000000000;
	child.start_realtime_ns = 1000000000000 + 60000000000 + 3000000;
	CU_ASSERT(nearly(session_clock_ns(&clock, &child, child.clock_ticks[1]), 60e9L));
	session_clock_release(&clock);
}

/* Another machine has another CLOCK_MONOTONIC_RAW: the time of day tells. */
static void moments_of_another_machine(void)
{
	struct session_clock clock;
	struct cinstr_header h = machine(1000000000000, 5000, 70000);
	struct cinstr_header other = machine(1000002000000, 9, 900000000000000);

	session_clock_init_file(&clock, &h);
	CU_ASSERT(nearly(session_clock_ns(&clock, &other, 9), 2000000));
	session_clock_release(&clock);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* main(100) -> work(10) -> puts(3), main -> rec(20) -> puts(40); second thread: work(7) */
static void make_program(struct maker *m)
{
	uint32_t main_cell, at;

	maker_init(m);
	maker_thread(m, "first");
	main_cell = maker_frame(m, 0, maker_root(m, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	at = maker_frame(m, 0, main_cell, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 1, 10);
	maker_call(m, 0, at, maker_code(WORK_READ), 2, 3);
	at = maker_frame(m, 0, main_cell, maker_code(MAIN_REC), maker_code(REC_ENTER), 1, 20);
	maker_call(m, 0, at, maker_code(MAIN_PUTS), 2, 40);
	maker_thread(m, "second");
	maker_frame(m, 1, maker_root(m, 1), 0, maker_code(WORK_ENTER), 3, 7);
}

/* The shown rows' names in order of the profile, with commas. */
static void shown_are(enum profile_by by, struct selection selection, const char *expected, int status)
{
	struct strbuf text = { 0 };
	struct profile p;
	struct maker m;

	make_program(&m);
	profile_of(&p, &m, by, &default_counting);
	CU_ASSERT_EQUAL(selection_check(&selection), 0);
	quiet_begin();
	CU_ASSERT_EQUAL(selection_rows(&selection, &p), status);
	quiet_end();
	strbuf_clear(&text);
	for (size_t i = 0; i < p.n_rows; i++)
		if (p.rows[i].name && !p.rows[i].filtered)
			strbuf_printf(&text, "%s%s", text.length ? "," : "", p.rows[i].name);
	CU_ASSERT_STRING_EQUAL(text.text, expected);
	if (strcmp(text.text, expected))
		printf("shown: %s, expected %s\n", text.text, expected);
	strbuf_release(&text);
	selection_release(&selection);
	profile_release(&p);
	maker_release(&m);
}

static void functions_choose_rows(void)
{
	shown_are(BY_FUNCTION, (struct selection){ 0 }, "main,work,read,rec,puts", 0);
	shown_are(BY_FUNCTION, (struct selection){ .functions = "wor*,rec" }, "work,rec", 0);
	shown_are(BY_FUNCTION, (struct selection){ .functions = "!work" }, "main,read,rec,puts", 0);
	shown_are(BY_FUNCTION, (struct selection){ .modules = "libc.so" }, "puts", 0);
	shown_are(BY_FUNCTION, (struct selection){ .modules = "/nowhere/app", .functions = "!main" },
		  "work,read,rec", 0);
	shown_are(BY_FUNCTION, (struct selection){ .functions = "nothing" }, "", STATUS_DATA);
	shown_are(BY_MODULE, (struct selection){ .modules = "!app" }, "libc.so", 0);
	shown_are(BY_MODULE, (struct selection){ .functions = "work" }, "app,libc.so", STATUS_USAGE);
	shown_are(BY_THREAD, (struct selection){ .modules = "app" }, "first,second", STATUS_USAGE);
}

/* What leads to a chosen function, and what it leads to. */
static void functions_choose_paths(void)
{
	shown_are(BY_PATH, (struct selection){ .functions = "rec" }, "main,rec,puts", 0);
	shown_are(BY_PATH, (struct selection){ .functions = "!rec" }, "main,work,read,work", 0);
	shown_are(BY_PATH, (struct selection){ .functions = "read" }, "main,work,read", 0);
	shown_are(BY_PATH, (struct selection){ .functions = "main,!rec" }, "main,work,read", 0);
}

/* ---- just my code ---------------------------------------------------------------------------- */

static void what_is_the_systems(void)
{
	CU_ASSERT(system_code_is_library("/usr/lib/x86_64-linux-gnu/libc.so.6"));
	CU_ASSERT(system_code_is_library("/lib64/libm.so"));
	CU_ASSERT(!system_code_is_library("/opt/app/lib/libx.so"));
	CU_ASSERT(!system_code_is_library("/library/x"));
	CU_ASSERT(!system_code_is_library(NULL));
	CU_ASSERT(system_code_is_header("/usr/include/c++/12/bits/stl_algo.h"));
	CU_ASSERT(!system_code_is_header("/src/app.c"));
	CU_ASSERT(!system_code_is_header(NULL));
}

CU_TestInfo selection_tests[] = {
	{ "globs take and exclude", globs_take_and_exclude },
	{ "empty globs are none", empty_globs_are_none },
	{ "globs that match nothing are told", globs_that_match_nothing_are_told },
	{ "moments of one process", moments_of_one_process },
	{ "every tick has its moment", every_tick_has_its_moment },
	{ "moments of a forked child", moments_of_a_forked_child },
	{ "moments of another machine", moments_of_another_machine },
	{ "functions choose rows", functions_choose_rows },
	{ "functions choose paths", functions_choose_paths },
	{ "what is the system's", what_is_the_systems },
	CU_TEST_INFO_NULL,
};
