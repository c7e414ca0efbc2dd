/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Advice: each rule speaks where it should, and is silent below. */
#include <stdlib.h>
#include <string.h>

#include "advice/advice_rules.h"
#include "tests.h"

/* A recording that nothing is to be said about. */
struct healthy {
	struct profile p;
	struct row rows[8];
	struct entity entities[8];
};

static struct row row_of(const char *name, uint64_t calls, long double exclusive, long double overhead)
{
	return (struct row){ .name = name,
			     .module = "/app",
			     .calls = calls,
			     .entity = UINT32_MAX,
			     .sums = { .elapsed_inclusive = exclusive,
				       .elapsed_exclusive = exclusive,
				       .overhead_exclusive = overhead },
			     .shortest = { -1, -1, -1, -1 },
			     .longest = { -1, -1, -1, -1 } };
}

static void make_healthy(struct healthy *h)
{
	int is_new;

	*h = (struct healthy){ .p = { .by = BY_FUNCTION, .rows = h->rows, .n_rows = 2 } };
	h->p.totals = (struct totals){ .elapsed = 1e9L,
				       .application = 9e8L,
				       .overhead = 1e8L,
				       .overhead_low = 0.9e8L,
				       .overhead_high = 1.1e8L,
				       .events = 4000000,
				       .enters = 1000000,
				       .exits = 1000000,
				       .processes = 1,
				       .threads = 1,
				       .restartable = 1 };
	h->rows[0] = row_of("main", 1, 6e8L, 0);
	h->rows[1] = row_of("work", 999999, 4e8L, 1e8L);
	map_add(&h->p.totals.facts.instrumented, "/app", 4, &is_new);
}

static void release(struct healthy *h)
{
	quality_release(&h->p.totals.facts);
}

/* The advice with this id, and how many there are in all. */
static const struct advice *find(struct advices *a, const struct healthy *h, int is_live, const char *id)
{
	advices_make(a, &h->p, is_live);
	for (size_t i = 0; i < a->n; i++)
		if (!strcmp(a->list[i].id, id))
			return &a->list[i];
	return NULL;
}

static void healthy_is_silent(void)
{
	struct strbuf text = { 0 };
	struct advices a;
	struct healthy h;

	make_healthy(&h);
	CU_ASSERT_PTR_NULL(find(&a, &h, 0, ""));
	CU_ASSERT_EQUAL(a.n, 0);
	for (size_t i = 0; i < a.n; i++)
		printf("%s: %s\n", a.list[i].id, a.list[i].text);
	advices_put_serious(&text, &h.p, 0);
	CU_ASSERT_EQUAL(text.length, 0);
	advices_release(&a);
	release(&h);
}

/* ---- the rules ------------------------------------------------------------------------------- */

#define CHANGE(name, ...) \
	static void name(struct healthy *h) \
	{ \
		struct totals *t = &h->p.totals; \
		struct quality *f = &t->facts; \
		(void)f; \
		__VA_ARGS__ \
	}

/* 4 of 12, not of 14 */
CHANGE(off, t->threads_off = 2; t->conservation_ticks_off = 17;)
CHANGE(unbalanced, t->unbalanced = -3;)
CHANGE(no_events, t->events = 0;)
CHANGE(began_paused, t->events = 0; f->began_paused = 1;)
CHANGE(stop, t->stopped = 1; f->stops[CINSTR_STOP_NO_SPACE] = 1; f->stop_errno = 28;)
CHANGE(lost_some, t->lost_events = 5; t->lost_threads = 1;)
CHANGE(much_overhead, t->overhead = 5e8L; t->overhead_low = 4.9e8L; t->overhead_high = 5.1e8L;)
CHANGE(less_overhead, t->overhead = 4e8L; t->overhead_low = 3.9e8L; t->overhead_high = 4.1e8L;)
CHANGE(overhead_of_waiting, less_overhead(h); f->waits.off_cpu[WAIT_SLEEP] = 2e8L;)
CHANGE(mostly_corrected, h->rows[1].sums.overhead_exclusive = 4.1e8L;)
CHANGE(little_corrected, h->rows[1].sums.overhead_exclusive = 4.1e8L;
       h->rows[1].sums.elapsed_exclusive = 9e7L;)
/* `~` is by elapsed time, so this is, too. */
CHANGE(corrected_of_waiting, struct sums *s = &h->rows[1].sums;
       s->overhead_exclusive = s->overhead_low_exclusive = s->overhead_high_exclusive = 3.5e8L;)
CHANGE(raw_corrected, mostly_corrected(h); h->p.counting.raw = 1;)
CHANGE(mixed, mostly_corrected(h); t->is_mixed = 1;)
CHANGE(full_limited, mostly_corrected(h); f->limited = 1;)
CHANGE(mostly_of_lua, mostly_corrected(h); t->title = (char *)(uintptr_t) "./lua 'a b.lua'";)
CHANGE(far_apart, t->overhead_high = 3e8L;)
CHANGE(quite_near, t->overhead_high = 2.8e8L;)
CHANGE(no_source, t->no_source = 1;)
CHANGE(not_calibrated, t->uncalibrated = 1; t->uncalibrated_ns = 1e9L;)
CHANGE(hardly_uncalibrated, t->processes = 5; t->uncalibrated = 1; t->uncalibrated_ns = 0.009e9L;)
CHANGE(partly_calibrated, t->processes = 5; t->uncalibrated = 4; t->uncalibrated_ns = 0.011e9L;)
CHANGE(not_calibrated_empty, not_calibrated(h); t->events = 0;)
CHANGE(no_clock, t->no_frequency = 1;)
CHANGE(switch_unseen, t->kernel_voluntary = 100; t->voluntary = 98;)
CHANGE(switch_hardly_unseen, t->kernel_voluntary = 1000; t->voluntary = 991;)
CHANGE(switch_all_seen, t->kernel_voluntary = 100; t->voluntary = 103; t->involuntary = 5;)
CHANGE(merged, t->merged_by_number = 1;)
CHANGE(killed, f->killed = 1; f->signal = 11;)
/* Above a limit of 5 %, of 8 %: how long the programs of the session, and of those above it, ran,
 * and their probes. */
#define ABOVE(percent, over_n, over_ns, over_probes, n_, ns, probes) \
	f->limited = (n_); \
	f->over_limit = (struct quality_limit){ over_n, over_ns, over_probes, (over_ns) * (percent) / 100 }; \
	f->all_limited = (struct quality_limit) \
	{ \
		n_, ns, probes, (ns) * (percent) / 100 \
	}
CHANGE(limit, ABOVE(5, 1, 3e8L, 0.93e8L, 1, 3e8L, 0.93e8L);)
CHANGE(limit_held, f->limited = 1;)
/* A parent that lived for 2.78 ms. */
CHANGE(limit_of_a_moment, ABOVE(8, 1, 2.78e6L, 1.64e6L, 3, 6e10L, 4.8e9L);)
CHANGE(limit_of_a_tenth, ABOVE(8, 1, 6.1e9L, 0.6e9L, 3, 6e10L, 4.8e9L);)
/* So much in little time that it is too much of all. */
CHANGE(limit_of_all, ABOVE(8, 1, 1e9L, 2e9L, 3, 6e10L, 6.7e9L);)
CHANGE(refused, t->sleds_refused = 4;)
CHANGE(preempted, f->waits.off_cpu[WAIT_PREEMPTED] = 1.1e8L;)
CHANGE(hardly_preempted, f->waits.off_cpu[WAIT_PREEMPTED] = 0.9e8L;)
CHANGE(brief, t->elapsed = 9e6L; t->overhead = t->overhead_low = t->overhead_high = 0;)
CHANGE(few_events, t->events = 1998;)
CHANGE(enough_events, t->events = 2000;)
CHANGE(unlike, h->rows[0].calls = 2; h->rows[0].shortest[0] = 1; h->rows[0].longest[0] = 3;)
CHANGE(alike, h->rows[0].calls = 2; h->rows[0].shortest[0] = 2; h->rows[0].longest[0] = 4;)
CHANGE(unlike_waits, unlike(h); h->rows[0].sums.off_cpu_exclusive = 5.9e8L;)
CHANGE(left_out, t->left_out_by_choice = 2; t->left_out_by_need = 1;)
CHANGE(fibers, t->orphans = 10000;)
CHANGE(hardly_fibers, t->orphans = 9999;)
CHANGE(fibers_paused, fibers(h); t->pauses = 1;)
CHANGE(implicit, t->implicit_exits = 10000;)
CHANGE(hardly_implicit, t->implicit_exits = 9999;)
CHANGE(no_marks, f->marks_lost = 1;)
CHANGE(cut, f->timelines_cut = 1; t->timeline_lost = 7;)
CHANGE(ring, t->timeline_lost = 7;)
CHANGE(taken_out, h->p.taken_outs.n = 1;)
CHANGE(entries_only, t->functions_only = 1; t->functions_only_ns = 1e9L;)
CHANGE(hardly_entries, t->functions_only = 1; t->functions_only_ns = 0.009e9L;)
CHANGE(paging, f->waits.off_cpu[WAIT_PAGE] = 0.6e8L;)
CHANGE(hardly_paging, f->waits.off_cpu[WAIT_PAGE] = 0.4e8L;)
CHANGE(slow_clock, f->monotonic = 1; t->monotonic_ns = 1e9L;)
CHANGE(hardly_slow, f->monotonic = 1; t->monotonic_ns = 0.009e9L;)
CHANGE(no_end, f->no_end = 2;)

static const struct {
	const char *id;
	enum severity severity;
	void (*speaks)(struct healthy *h), (*silent)(struct healthy *h);
	const char *says; /* part of its text, then of what to do */
	const char *advises;
	int silent_live; /* it is silent while the session is recorded */
} cases[] = {
	{ "CI0001", SEVERITY_ERROR, off, NULL, "In 2 threads", "record again", 1 },
	{ "CI0002", SEVERITY_ERROR, unbalanced, NULL, "-3", "record again", 1 },
	{ "CI0003", SEVERITY_ERROR, no_events, few_events, "no function with probes", "Compile", 0 },
	{ "CI0003", SEVERITY_ERROR, began_paused, NULL, "recording was paused", "cinstr control on", 0 },
	{ "CI0004", SEVERITY_ERROR, stop, NULL, "no space left for the data file (No space left on device)",
	  "Make room", 0 },
	{ "CI0005", SEVERITY_ERROR, lost_some, NULL, "5 events and 1 thread were lost", "cinstr info", 0 },
	{ "CI0101", SEVERITY_WARNING, much_overhead, less_overhead,
	  "33 % of the processor time (500 ms of 1.50 s)",
	  "--max-overhead=10, which takes out the probes that cost most for what they measure, or without "
	  "these "
	  "functions: --probes=functions --not=work (",
	  0 },
	{ "CI0101", SEVERITY_WARNING, overhead_of_waiting, less_overhead, "(400 ms of 1.20 s)",
	  "--max-overhead=10", 0 },
	{ "CI0102", SEVERITY_WARNING, mostly_corrected, little_corrected,
	  "40 % of the processor time is in 1 function", "as rough", 0 },
	{ "CI0102", SEVERITY_WARNING, mostly_corrected, corrected_of_waiting,
	  "40 % of the processor time is in 1 function", "as rough", 0 },
	{ "CI0102", SEVERITY_WARNING, mostly_corrected, raw_corrected, "work.", "as rough", 0 },
	{ "CI0103", SEVERITY_WARNING, far_apart, quite_near, "90.0 ms to 300 ms", "quiet machine", 0 },
	{ "CI0104", SEVERITY_WARNING, no_source, NULL, "n/a", "Use Elapsed", 0 },
	{ "CI0105", SEVERITY_WARNING, not_calibrated, not_calibrated_empty, "not calibrated", "run longer",
	  0 },
	{ "CI0105", SEVERITY_WARNING, partly_calibrated, hardly_uncalibrated,
	  "In 4 processes, with 1.1 % of the time, the probes", "run longer", 0 },
	{ "CI0106", SEVERITY_WARNING, no_clock, NULL, "a tick is shown as a nanosecond", "--clock=monotonic",
	  0 },
	{ "CI0107", SEVERITY_WARNING, switch_unseen, switch_hardly_unseen, "2 of 100 context switches",
	  "cinstr info", 1 },
	{ "CI0107", SEVERITY_WARNING, switch_unseen, switch_all_seen, "2 of 100", "cinstr info", 1 },
	{ "CI0108", SEVERITY_WARNING, merged, NULL, "1 call did not fit", "--paths", 0 },
	{ "CI0109", SEVERITY_WARNING, killed, NULL, "1 process was killed by a signal (SIGSEGV)",
	  "cinstr info", 0 },
	{ "CI0110", SEVERITY_WARNING, limit, limit_held,
	  "was 5 %, the estimate is 31 %: the program ran for only 300 ms", "some seconds", 0 },
	{ "CI0110", SEVERITY_WARNING, limit_of_a_tenth, limit_of_a_moment,
	  "was 8 %, the estimate is 10 % in 1 process, which had 10 % of the time, over the whole run",
	  "cinstr info", 0 },
	{ "CI0110", SEVERITY_WARNING, limit_of_all, limit_of_a_moment, "the estimate is 200 % in 1 process",
	  "cinstr info", 0 },
	{ "CI0111", SEVERITY_WARNING, refused, NULL, "4 probes", "the other tool", 0 },
	{ "CI0112", SEVERITY_WARNING, preempted, hardly_preempted, "110 ms for a processor", "quieter", 0 },
	{ "CI0113", SEVERITY_WARNING, fibers, hardly_fibers, "switches stacks", "exclusive", 0 },
	{ "CI0113", SEVERITY_WARNING, fibers, fibers_paused, "switches stacks", "exclusive", 0 },
	{ "CI0201", SEVERITY_INFORMATION, brief, NULL, "9.00 ms", "more to do", 0 },
	{ "CI0201", SEVERITY_INFORMATION, few_events, enough_events, "999 calls", "more to do", 0 },
	{ "CI0202", SEVERITY_INFORMATION, unlike, alike, "main (fewer than 10 calls each)", "Min and Max",
	  0 },
	{ "CI0202", SEVERITY_INFORMATION, unlike, unlike_waits, "main", "Min and Max", 0 },
	{ "CI0203", SEVERITY_INFORMATION, left_out, NULL, "3 functions have no probes: 2 by choice",
	  "cinstr info", 0 },
	{ "CI0204", SEVERITY_INFORMATION, implicit, hardly_implicit, "1.0 % of the calls (10,000)", "R15",
	  0 },
	{ "CI0205", SEVERITY_INFORMATION, no_marks, NULL, "1 mark", "fewer", 0 },
	{ "CI0206", SEVERITY_INFORMATION, cut, ring, "7 events", "ring:SIZE", 0 },
	{ "CI0207", SEVERITY_INFORMATION, taken_out, NULL, "1 function (*)", "--marks", 0 },
	{ "CI0208", SEVERITY_INFORMATION, entries_only, hardly_entries, "In 1 process calls were not",
	  "--probes=calls", 0 },
	{ "CI0209", SEVERITY_INFORMATION, paging, hardly_paging, "60.0 ms for pages", "first run", 0 },
	{ "CI0210", SEVERITY_INFORMATION, slow_clock, hardly_slow, "In 1 process the time-stamp counter",
	  "--clock=tsc", 0 },
	{ "CI0211", SEVERITY_INFORMATION, no_end, NULL,
	  "2 processes were killed by a signal, or ended by _exit()", "cinstr record", 1 },
	{ "CI0216", SEVERITY_INFORMATION, mostly_of_lua, little_corrected,
	  "74 % of the processor time, with probes", "cinstr record -- ./lua 'a b.lua'", 0 },
	{ "CI0216", SEVERITY_INFORMATION, mostly_corrected, mixed, "mostly correction",
	  "cinstr record -- PROGRAM", 0 },
	{ "CI0216", SEVERITY_INFORMATION, mostly_corrected, full_limited, "mostly correction",
	  "cinstr record", 0 },
	{ "CI0216", SEVERITY_INFORMATION, mostly_corrected, raw_corrected, "mostly correction",
	  "cinstr record", 0 },
};

static int contains(const char *text, const char *part)
{
	int found = strstr(text, part) != NULL;

	if (!found)
		printf("'%s' is not in: %s\n", part, text);
	return found;
}

static void speaks(size_t i)
{
	const struct advice *advice;
	struct advices a;
	struct healthy h;

	make_healthy(&h);
	cases[i].speaks(&h);
	advice = find(&a, &h, 0, cases[i].id);
	if (!advice) {
		CU_FAIL("silent");
		printf("%s, case %zu, is silent\n", cases[i].id, i);
	} else {
		CU_ASSERT_EQUAL(advice->severity, cases[i].severity);
		CU_ASSERT(contains(advice->text, cases[i].says));
		CU_ASSERT(contains(advice->action, cases[i].advises));
	}
	advices_release(&a);
	CU_ASSERT_EQUAL(!find(&a, &h, 1, cases[i].id), cases[i].silent_live);
	advices_release(&a);
	release(&h);
}

static void is_silent(size_t i)
{
	struct advices a;
	struct healthy h;

	make_healthy(&h);
	if (cases[i].silent)
		cases[i].silent(&h);
	if (find(&a, &h, 0, cases[i].id)) {
		CU_FAIL("speaks");
		printf("%s, case %zu, speaks\n", cases[i].id, i);
	}
	advices_release(&a);
	release(&h);
}

static int has_case(const char *id)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (!strcmp(cases[i].id, id))
			return 1;
	return 0;
}

static void rules_speak(void)
{
	for (size_t i = 0; i < advice_n_rules; i++)
		CU_ASSERT(has_case(advice_rules[i].id));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		speaks(i);
}

static void rules_are_silent(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		is_silent(i);
}

/* Errors come first; the foot of a table has no informations; names are not named twice. */
static void in_short(void)
{
	struct strbuf text = { 0 };
	struct advices a;
	struct healthy h;

	make_healthy(&h);
	left_out(&h);
	much_overhead(&h);
	off(&h);
	find(&a, &h, 0, "");
	CU_ASSERT_EQUAL_FATAL(a.n, 3);
	CU_ASSERT_STRING_EQUAL(a.list[0].id, "CI0001");
	CU_ASSERT_STRING_EQUAL(a.list[2].id, "CI0203");
	advices_release(&a);
	advices_put_serious(&text, &h.p, 0);
	CU_ASSERT_STRING_EQUAL(text.text,
			       "In 2 threads the times do not add up to the thread's life (CI0001); Probes "
			       "took 33 % of the processor time (500 ms of 1.50 s) (CI0101). What to do: "
			       "cinstr summary --advice");
	strbuf_release(&text);
	release(&h);
}

/* In a view without functions none are named. */
static void without_functions(void)
{
	const struct advice *advice;
	struct advices a;
	struct healthy h;

	make_healthy(&h);
	much_overhead(&h);
	h.p.by = BY_THREAD;
	advice = find(&a, &h, 0, "CI0101");
	CU_ASSERT_PTR_NOT_NULL_FATAL(advice);
	CU_ASSERT_PTR_NULL(strstr(advice->text, "work"));
	CU_ASSERT(contains(advice->action, "Record with --max-overhead=10"));
	advices_release(&a);
	release(&h);
}

/* What data files say becomes facts. */
static void facts_of_a_file(void)
{
	struct maker m;
	struct profile p;
	struct cinstr_header *h;
	uint32_t at;

	maker_init(&m);
	h = maker_header(&m);
	h->end = CINSTR_END_SIGNAL;
	h->end_status = 6;
	h->marks_lost = 3;
	maker_property(&m, "options", "CINSTR=on CINSTR_START=paused");
	h->stop = CINSTR_STOP_NO_MEMORY;
	h->timeline_mode = CINSTR_TIMELINE_FIRST;
	h->budget = (struct cinstr_budget){ .limit = 50000, .probe_ticks = 56, .own_ticks = 1000 };
	maker_thread(&m, "t");
	maker_thread_at(&m, 0)->timeline_lost = 4;
	at = maker_call(&m, 0, maker_root(&m, 0), maker_code(MAIN_USLEEP), 1, 100000);
	maker_bucket(&m, 0, at, CINSTR_OS_VOLUNTARY, 400, 300);
	maker_bucket(&m, 0, at, CINSTR_OS_VOLUNTARY | CINSTR_OS_BLOCK_IN, 500, 200);
	maker_bucket(&m, 0, at, CINSTR_OS_VOLUNTARY | CINSTR_OS_MAJOR_FAULT | CINSTR_OS_BLOCK_IN, 60, 50);
	maker_bucket(&m, 0, at, CINSTR_OS_INVOLUNTARY, 8, 7);
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	CU_ASSERT_EQUAL(p.totals.facts.killed, 1);
	CU_ASSERT_EQUAL(p.totals.facts.signal, 6);
	CU_ASSERT_EQUAL(p.totals.facts.no_end, 0);
	CU_ASSERT_EQUAL(p.totals.facts.marks_lost, 3);
	CU_ASSERT_EQUAL(p.totals.facts.began_paused, 1);
	CU_ASSERT_EQUAL(p.totals.facts.stops[CINSTR_STOP_NO_MEMORY], 1);
	CU_ASSERT_EQUAL(p.totals.facts.timelines_cut, 1);
	CU_ASSERT_EQUAL(p.totals.facts.over_limit.n, 1); /* 5.6 % of 5 */
	CU_ASSERT(nearly(100 * p.totals.facts.over_limit.probes_ns / p.totals.facts.over_limit.own_ns, 5.6L));
	CU_ASSERT(nearly(100 * p.totals.facts.all_limited.allowed_ns / p.totals.facts.all_limited.own_ns, 5));
	CU_ASSERT(map_find(&p.totals.facts.instrumented, "/nowhere/app", 12) != MAP_NONE);
	CU_ASSERT(map_find(&p.totals.facts.instrumented, "/nowhere/libc.so", 16) == MAP_NONE);
	CU_ASSERT(nearly(p.totals.facts.waits.off_cpu[WAIT_SLEEP], 300));
	CU_ASSERT(nearly(p.totals.facts.waits.off_cpu[WAIT_DISK], 200));
	CU_ASSERT(nearly(p.totals.facts.waits.off_cpu[WAIT_PAGE], 50));
	CU_ASSERT(nearly(p.totals.facts.waits.off_cpu[WAIT_PREEMPTED], 7));
	CU_ASSERT(nearly(waits_sum(&p.totals.facts.waits), 557));
	profile_release(&p);
	maker_header(&m)->budget.probe_ticks = 54; /* within what the estimate is good for */
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	CU_ASSERT_EQUAL(p.totals.facts.over_limit.n, 0);
	CU_ASSERT(!quality_is_over_limit(&p.totals.facts.all_limited));
	CU_ASSERT_EQUAL(p.totals.facts.limited, 1);
	profile_release(&p);
	maker_release(&m);
}

CU_TestInfo advice_tests[] = {
	{ "a good recording: none", healthy_is_silent },
	{ "each rule speaks", rules_speak },
	{ "each rule is silent", rules_are_silent },
	{ "in short", in_short },
	{ "without functions", without_functions },
	{ "facts of a data file", facts_of_a_file },
	CU_TEST_INFO_NULL,
};
