/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings on functions of which few calls are slow (CF0105): each with what is just enough for it,
 * and with a little less. */
#include <string.h>

#include "finding_lab.h"

/* ... of the program, or of the system. */
static void hot_is(struct advised *s, const char *name, const char *module)
{
	struct entity *hot = &s->entities[HOT];

	hot->name = hot->assembler = name;
	hot->module = module;
	hot->file = strcmp(module, "/app") ? "libc.c" : "/src/main.c";
}

/* worker is called 1,000 times, for 1 us each, but `slow` of them take `slow_ms` each, in hot. */
static struct row *rare(struct advised *s, uint64_t slow, long double slow_ms)
{
	long double all = (long double)slow * slow_ms, rest = (long double)(1000 - slow) / 1000;
	struct row *cause, *node;

	begin(s, 1000);
	thread(s, 1000, 1000, 0);
	node = row_of(s, EDGE_NO_CALLER, WORKER, 1000, 1, NULL);
	takes(node, all + rest, 0, 0);
	node->activations_elapsed = (all + rest) * MS;
	node->longest[VALUE_ELAPSED_INCLUSIVE] = slow_ms * MS;
	durations_add(&node->durations, 1000, 1000 - slow);
	durations_add(&node->durations, slow_ms * MS, slow);
	s->shares[0].most[SHARE_ELAPSED] = (all + rest) * MS;
	node->os = &s->counts[0];
	cause = row_of(s, WORKER, HOT, slow, 1, NULL);
	takes(cause, all, 0, 0);
	cause->os = &s->counts[1];
	hot_is(s, "hot", "/app");
	return cause;
}

/* Waits of 5 ms together, however short the run is. */
static void runs_of_some_ms(void)
{
	struct advised s = { 0 };

	for (int i = 0; i < 2; i++) {
		struct row *cause = rare(&s, 5, i ? 0.9L : 1.2L);

		cause->sums.off_cpu_inclusive = cause->sums.elapsed_inclusive;
		cause->os->inclusive.of[OS_VOLUNTARY] = 5;
		s.edges.totals.end_realtime_ns = (uint64_t)(8 * MS);
		if (i)
			silent(&s, "CF0105");
		else
			takes_part(&s, "CF0105", 100 * (6 - 0.005L) / 8);
	}
	end(&s);
}

/* At most 5 % of the calls, and 30 % of the time. */
static void few_calls_take_much(void)
{
	struct advised s = { 0 };

	rare(&s, 50, 6);
	tells(&s, "CF0105",
	      "rare slow calls: half take at most 1.00 us, but 50 of 1,000 take 6.00 ms on the average, up "
	      "to "
	      "6.00 ms; most of it in hot");
	rare(&s, 51, 6);
	silent(&s, "CF0105");
	rare(&s, 10, 10);
	s.rows[0].activations_elapsed = 320 * MS;
	tells(&s, "CF0105",
	      "rare slow calls: half take at most 1.00 us, but 10 of 1,000 take 10.0 ms on the average, up "
	      "to "
	      "10.0 ms; most of it in hot");
	s.rows[0].activations_elapsed = 345 * MS;
	silent(&s, "CF0105");
	s.rows[0].activations_elapsed = 320 * MS;
	s.rows[0].is_recursive = 1;
	silent(&s, "CF0105");
	end(&s);
}

/* What takes the time is called by slow calls, up to three times each; or it waits each time, and
 * is the system's. */
static void whose_choice(void)
{
	struct advised s = { 0 };
	struct row *cause = rare(&s, 10, 10);

	cause->calls = 30;
	CU_ASSERT_TRUE(s.rows[0].calls == 1000);
	tells(&s, "CF0105",
	      "rare slow calls: half take at most 1.00 us, but 10 of 1,000 take 10.0 ms on the average, up "
	      "to "
	      "10.0 ms; most of it in hot");
	cause->calls = 31;
	silent(&s, "CF0105");
	hot_is(&s, "read", "/lib/libc.so.6");
	cause->sums.off_cpu_inclusive = 60 * MS;
	cause->os->inclusive.of[OS_VOLUNTARY] = 5;
	tells(&s, "CF0105",
	      "rare slow calls: half take at most 1.00 us, but 10 of 1,000 take 10.0 ms on the average, up "
	      "to "
	      "10.0 ms; most of it in read");
	cause->os->inclusive.of[OS_VOLUNTARY] = 4;
	silent(&s, "CF0105");
	end(&s);
}

/* Without a callee that takes 60 % of it: the function itself has waited, in half of them. */
static void slow_by_themselves(void)
{
	struct advised s = { 0 };

	takes(rare(&s, 10, 10), 50, 0, 0);
	s.counts[0].exclusive.of[OS_VOLUNTARY] = 5;
	tells(&s, "CF0105",
	      "rare slow calls: half take at most 1.00 us, but 10 of 1,000 take 10.0 ms on the average, up "
	      "to "
	      "10.0 ms");
	s.counts[0].exclusive.of[OS_VOLUNTARY] = 4;
	silent(&s, "CF0105");
	end(&s);
}

/* Over 80 % of the session's computing is what the program is for; so is over half of the
 * function's, where no call takes 5 ms. */
static void work_is_none(void)
{
	struct advised s = { 0 };

	rare(&s, 10, 10);
	s.edges.totals.elapsed = 125 * MS;
	s.edges.totals.end_realtime_ns = (uint64_t)(125 * MS);
	tells(&s, "CF0105",
	      "rare slow calls: half take at most 1.00 us, but 10 of 1,000 take 10.0 ms on the average, up "
	      "to "
	      "10.0 ms; most of it in hot");
	s.edges.totals.elapsed = 124.9L * MS;
	silent(&s, "CF0105");
	rare(&s, 20, 4);
	silent(&s, "CF0105");
	s.rows[1].sums.off_cpu_inclusive = 79 * MS; /* it waits: that is no work */
	s.counts[1].inclusive.of[OS_VOLUNTARY] = 20;
	tells(&s, "CF0105",
	      "rare slow calls: half take at most 1.00 us, but 20 of 1,000 take 3.93 ms on the average, up "
	      "to "
	      "4.00 ms; most of it in hot");
	end(&s);
}

/* One call that computes for less than 5 ms sets up what the others use. */
static void one_call_sets_up(void)
{
	struct advised s = { 0 };

	rare(&s, 1, 20);
	s.edges.totals.elapsed = 200 * MS;
	tells(&s, "CF0105",
	      "rare slow calls: half take at most 1.00 us, but 1 of 1,000 takes 20.0 ms; most of it in hot");
	rare(&s, 1, 4.5L);
	s.rows[0].sums.elapsed_inclusive = 30 * MS;
	silent(&s, "CF0105");
	end(&s);
}

/* Whose callee waits for others to do something, or for work. */
static void waits_on_purpose(void)
{
	struct advised s = { 0 };
	struct row *cause = rare(&s, 10, 10);

	cause->sums.off_cpu_inclusive = 100 * MS;
	cause->os->inclusive.of[OS_VOLUNTARY] = 10;
	hot_is(&s, "poll", "/lib/libc.so.6");
	silent(&s, "CF0105");
	hot_is(&s, "read", "/lib/libc.so.6");
	tells(&s, "CF0105",
	      "rare slow calls: half take at most 1.00 us, but 10 of 1,000 take 10.0 ms on the average, up "
	      "to "
	      "10.0 ms; most of it in read");
	end(&s);
}

/* Another thread, which may be who answers, had no processor for half as long; a disk is none. */
static void answered_late(void)
{
	struct advised s = { 0 };
	struct row *cause;

	for (int i = 0; i < 3; i++) {
		cause = rare(&s, 10, 10);
		thread(&s, 1000, 100, i ? 50.1L : 49.9L);
		cause->sums.off_cpu_inclusive = 100 * MS;
		cause->os->inclusive.of[OS_VOLUNTARY] = 10;
		cause->os->inclusive.of[OS_BLOCK_IN] = i == 2;
		hot_is(&s, "read", "/lib/libc.so.6");
		if (i == 1)
			silent(&s, "CF0105");
		else
			tells(&s, "CF0105",
			      "rare slow calls: half take at most 1.00 us, but 10 of 1,000 take 10.0 ms on the "
			      "average, up to 10.0 ms; most of it in read");
	}
	end(&s);
}

CU_TestInfo findings_rare_tests[] = {
	{ "who answers had no processor", answered_late },
	{ "few calls take 5 ms together", runs_of_some_ms },
	{ "few calls take much", few_calls_take_much },
	{ "the function has the choice", whose_choice },
	{ "calls that are slow by themselves have waited", slow_by_themselves },
	{ "what the program is for is none", work_is_none },
	{ "one call may set up what others use", one_call_sets_up },
	{ "waits on purpose are none", waits_on_purpose },
	CU_TEST_INFO_NULL,
};
