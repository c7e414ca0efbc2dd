/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Views of sampled sessions: shares and how well they are known, columns by method, advice
 * (semantics S4, S5). */
#include <stdlib.h>
#include <string.h>

#include "advice/advice_rules.h"
#include "output/columns.h"
#include "output/output.h"
#include "tests.h"
#include "values/wilson_interval.h"

/* ---- shares ---------------------------------------------------------------------------------- */

static int is_share(long double samples, long double all, long double low, long double high)
{
	struct share share = share_of(samples, all);
	long double a = 100 * share.low - low, b = 100 * share.high - high;

	return a > -0.01L && a < 0.01L && b > -0.01L && b < 0.01L;
}

/* Published values of Wilson's interval without correction of continuity. */
static void intervals_of_shares(void)
{
	CU_ASSERT(is_share(10, 100, 5.52L, 17.44L));
	CU_ASSERT(is_share(50, 100, 40.38L, 59.62L));
	CU_ASSERT(is_share(0, 10, 0, 27.75L));
	CU_ASSERT(is_share(10, 10, 72.25L, 100));
	CU_ASSERT(is_share(1, 1000, 0.02L, 0.56L));
	CU_ASSERT(is_share(100, 1000, 8.29L, 12.01L));
	CU_ASSERT(is_share(1, 1, 20.65L, 100));
	CU_ASSERT(is_share(0, 1, 0, 79.35L));
	CU_ASSERT(is_share(0, 0, 0, 100));
}

/* Of so many samples the true share lies in the interval as often as it says: over all that can
 * happen, exactly. */
static void intervals_hold_what_they_say(void)
{
	const int n = 200;
	const double shares[] = { 0.05, 0.15, 0.3, 0.5 };

	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		long double p = shares[i], chance = 1, inside = 0;

		for (int k = 0; k < n; k++)
			chance *= 1 - p; /* of none */
		for (int k = 0; k <= n; k++) {
			struct share share = share_of(k, n);

			inside += share.low <= p && p <= share.high ? chance : 0;
			chance *= p / (1 - p) * (long double)(n - k) / (long double)(k + 1);
		}
		CU_ASSERT(inside > 0.92L && inside < 0.98L);
	}
}

/* ---- measures -------------------------------------------------------------------------------- */

/* A tick is time by the file's clock, or one sample whatever the clock. */
static void measures_of_a_tick(void)
{
	struct cinstr_header header = { .clock_ticks = { 100, 100, 300 }, .clock_ns = { 50, 50, 150 } };
	struct data data = { .header = &header };
	const struct measure *time = measure_of(CINSTR_METHOD_INSTRUMENTATION),
			     *samples = measure_of(CINSTR_METHOD_SAMPLING);
	int known = 0;

	CU_ASSERT(nearly(time->per_tick(&data, &known), 0.5L));
	CU_ASSERT_EQUAL(known, 1);
	CU_ASSERT(nearly(samples->per_tick(&data, &known), 1));
	header.clock_ticks[2] = 0;
	CU_ASSERT(nearly(samples->per_tick(&data, &known), 1));
	CU_ASSERT_EQUAL(known, 0); /* the stamps of samples are told by the clock, too */
}

static int is_put(enum cinstr_method method, long double amount, const char *wanted)
{
	struct strbuf text = { 0 };
	int is_wanted;

	measure_of(method)->put(&text, amount, "exclusive");
	is_wanted = !strcmp(text.text, wanted);
	strbuf_release(&text);
	return is_wanted;
}

static void measures_in_words(void)
{
	CU_ASSERT(is_put(CINSTR_METHOD_INSTRUMENTATION, 1200000, "1.20 ms of exclusive time"));
	CU_ASSERT(is_put(CINSTR_METHOD_SAMPLING, 1, "1 exclusive sample"));
	CU_ASSERT(is_put(CINSTR_METHOD_SAMPLING, 1199.6L, "1,200 exclusive samples"));
}

/* ---- columns --------------------------------------------------------------------------------- */

static struct profile sampled(enum profile_by by, long double all)
{
	return (struct profile){ .by = by, .totals = { .method = CINSTR_METHOD_SAMPLING, .elapsed = all } };
}

static void columns_by_method(void)
{
	struct profile s = sampled(BY_FUNCTION, 2000), i = { .by = BY_FUNCTION };

	for (int c = 0; c < COLUMN_COUNT; c++) {
		int of_samples = column_in_view(&s, c), of_probes = column_in_view(&i, c);
		const char *key = column_infos[c].key;

		if (strstr(key, "samples") || !strncmp(key, "inclusive_percent", 17) ||
		    !strncmp(key, "exclusive_percent", 17))
			CU_ASSERT(of_samples && !of_probes);
		if (strstr(key, "_ns") || strstr(key, "calls") || strstr(key, "switches"))
			CU_ASSERT(!of_samples);
		if (!strcmp(key, "name") || !strcmp(key, "module") || !strcmp(key, "address"))
			CU_ASSERT(of_samples && of_probes);
	}
	s.by = BY_THREAD;
	CU_ASSERT(column_in_view(&s, COLUMN_BEGIN) && column_in_view(&s, COLUMN_END));
	CU_ASSERT(!column_in_view(&s, COLUMN_ON_CPU_PERCENT));
}

/* The four stand right behind what a row is named by, in csv. */
static void samples_come_after_names(void)
{
	CU_ASSERT_EQUAL(COLUMN_INCLUSIVE_SAMPLES, COLUMN_ADDRESS + 1);
	CU_ASSERT_EQUAL(COLUMN_EXCLUSIVE_SAMPLES, COLUMN_ADDRESS + 2);
	CU_ASSERT_EQUAL(COLUMN_INCLUSIVE_PERCENT, COLUMN_ADDRESS + 3);
	CU_ASSERT_EQUAL(COLUMN_EXCLUSIVE_PERCENT, COLUMN_ADDRESS + 4);
}

static void values_of_samples(void)
{
	struct profile p = sampled(BY_FUNCTION, 200);
	struct row row = { .name = "f", .sums = { .elapsed_inclusive = 100, .elapsed_exclusive = 20 } };
	struct value v = column_value(&p, &row, COLUMN_INCLUSIVE_SAMPLES);

	CU_ASSERT(v.type == VALUE_COUNT && v.count == 100);
	CU_ASSERT_EQUAL(column_value(&p, &row, COLUMN_EXCLUSIVE_SAMPLES).count, 20);
	CU_ASSERT(nearly(column_value(&p, &row, COLUMN_INCLUSIVE_PERCENT).number, 50));
	CU_ASSERT(nearly(column_value(&p, &row, COLUMN_EXCLUSIVE_PERCENT).number, 10));
	v = column_value(&p, &row, COLUMN_EXCLUSIVE_LOW);
	CU_ASSERT(v.type == VALUE_PERCENT && v.number > 6 && v.number < 7);
	v = column_value(&p, &row, COLUMN_EXCLUSIVE_HIGH);
	CU_ASSERT(v.number > 14 && v.number < 16);
	p.totals.method = CINSTR_METHOD_INSTRUMENTATION;
	CU_ASSERT_EQUAL(column_value(&p, &row, COLUMN_INCLUSIVE_SAMPLES).type, VALUE_NONE);
}

static int is_list(const struct column_list *columns, size_t n, const enum column *wanted)
{
	return columns->n == n && !memcmp(columns->list, wanted, n * sizeof(*wanted));
}

static void lists_of_a_sampled_session(void)
{
	const struct column_list defaults = { .list = { COLUMN_INCLUSIVE_SAMPLES, COLUMN_NAME }, .n = 2 };
	struct profile s = sampled(BY_FUNCTION, 2000), i = { .by = BY_FUNCTION };
	struct column_list c;

	CU_ASSERT_EQUAL(column_list_parse(&c, "exclusive,inclusive,name", &defaults, &s), 0);
	CU_ASSERT(
		is_list(&c, 3,
			(enum column[]){ COLUMN_EXCLUSIVE_SAMPLES, COLUMN_INCLUSIVE_SAMPLES, COLUMN_NAME }));
	CU_ASSERT_EQUAL(column_list_parse(&c, "exclusive", &defaults, &i), 0);
	CU_ASSERT(is_list(&c, 1, (enum column[]){ COLUMN_ELAPSED_EXCLUSIVE }));
	CU_ASSERT_EQUAL(column_list_parse(&c, "samples", &defaults, &s), 0);
	CU_ASSERT_EQUAL(c.n, 4);
	CU_ASSERT_EQUAL(column_list_parse(&c, "uncertainty", &defaults, &s), 0);
	CU_ASSERT_EQUAL(c.n, 4);
	CU_ASSERT_EQUAL(column_list_parse(&c, "all", &defaults, &i), 0);
	CU_ASSERT(!column_list_has(&c, COLUMN_INCLUSIVE_LOW));
	quiet_begin();
	CU_ASSERT_EQUAL(column_list_parse(&c, "calls", &defaults, &s), -1);
	CU_ASSERT_EQUAL(column_list_parse(&c, "elapsed_exclusive_ns", &defaults, &s), -1);
	CU_ASSERT_EQUAL(column_list_parse(&c, "elapsed", &defaults, &s), -1);
	CU_ASSERT_EQUAL(column_list_parse(&c, "samples", &defaults, &i), -1);
	CU_ASSERT_EQUAL(column_check_sort(&s, COLUMN_AVERAGE), -1);
	CU_ASSERT_EQUAL(column_check_sort(&i, COLUMN_INCLUSIVE_PERCENT), -1);
	quiet_end();
	CU_ASSERT_EQUAL(column_check_sort(&s, COLUMN_ELAPSED_EXCLUSIVE), 0);
	s.any_method = 1; /* before the session is known */
	CU_ASSERT_EQUAL(column_list_parse(&c, "calls,samples", &defaults, &s), 0);
}

static void order_of_a_sampled_session(void)
{
	struct profile p = sampled(BY_FUNCTION, 200);
	struct row rows[] = { { .name = "a", .sums = { .elapsed_exclusive = 1 } },
			      { .name = "b", .sums = { .elapsed_exclusive = 3 } } };
	const struct row *list[] = { &rows[0], &rows[1] };
	struct order order;

	CU_ASSERT_EQUAL(order_parse(&order, "exclusive"), 0);
	order_rows(&p, list, 2, &order);
	CU_ASSERT(list[0] == &rows[1]);
	CU_ASSERT_EQUAL(order_parse(&order, "exclusive_samples:asc"), 0);
	order_rows(&p, list, 2, &order);
	CU_ASSERT(list[0] == &rows[0]);
	rows[0].sums.elapsed_exclusive = 3; /* equal: what has more inclusive ones */
	rows[0].sums.elapsed_inclusive = 10;
	rows[1].sums.elapsed_inclusive = 20;
	order_rows(&p, list, 2, &order);
	CU_ASSERT(list[0] == &rows[1]);
	p.totals.method = CINSTR_METHOD_INSTRUMENTATION; /* by name */
	CU_ASSERT_EQUAL(order_parse(&order, "exclusive"), 0);
	order_rows(&p, list, 2, &order);
	CU_ASSERT(list[0] == &rows[0]);
}

/* How well shares are known is shown where they are not known well. */
static void intervals_of_thin_sessions(void)
{
	struct profile p = sampled(BY_FUNCTION, SHARE_ENOUGH - 1);
	struct column_list c;

	column_list_default(&c, &p, COLUMNS_FULL, 120);
	CU_ASSERT(column_list_has(&c, COLUMN_EXCLUSIVE_LOW) && column_list_has(&c, COLUMN_INCLUSIVE_HIGH));
	p.totals.elapsed = SHARE_ENOUGH;
	column_list_default(&c, &p, COLUMNS_FULL, 120);
	CU_ASSERT(!column_list_has(&c, COLUMN_EXCLUSIVE_LOW) && !column_list_has(&c, COLUMN_INCLUSIVE_HIGH));
	for (size_t i = 0; i < c.n; i++)
		CU_ASSERT(column_in_view(&p, c.list[i]));
}

/* ---- advice ---------------------------------------------------------------------------------- */

static struct samples_totals healthy(void)
{
	return (struct samples_totals){ .processes = 1,
					.kept = 5000,
					.chosen = 5000,
					.with_kernel = 1,
					.interval = 1000000,
					.unit = CINSTR_SAMPLING_NS,
					.source = CINSTR_SOURCE_PERF,
					.stacks = CINSTR_STACKS_CFI };
}

static struct profile healthy_profile(struct row *rows, size_t n)
{
	struct profile p = sampled(BY_FUNCTION, 5000);

	p.totals.samples = healthy();
	p.totals.processes = 1;
	p.rows = rows;
	p.n_rows = n;
	return p;
}

/* Whether there is advice of this id; `action`: and what to do has this in it. */
static int advises(const struct profile *p, const char *id, const char *action)
{
	struct advices advices;
	int found = 0;

	advices_make(&advices, p, 0);
	for (size_t i = 0; i < advices.n; i++)
		found |= !strcmp(advices.list[i].id, id) &&
			 (!action || strstr(advices.list[i].action, action) ||
			  strstr(advices.list[i].text, action));
	advices_release(&advices);
	return found;
}

static size_t count_advice(const struct profile *p)
{
	struct advices advices;
	size_t n;

	advices_make(&advices, p, 0);
	n = advices.n;
	advices_release(&advices);
	return n;
}

static void advice_on_counts(void)
{
	struct profile p = healthy_profile(NULL, 0), h = p;

	CU_ASSERT_EQUAL(count_advice(&p), 0);
	p.totals.samples.lost = 60;
	CU_ASSERT(advises(&p, "CI0114", "--sample="));
	p.totals.samples.lost = 40; /* less than one percent */
	CU_ASSERT_EQUAL(count_advice(&p), 0);
	p = h;
	p.totals.samples.truncated = 300;
	CU_ASSERT(advises(&p, "CI0115", "--stack-bytes"));
	p.totals.samples.stacks = CINSTR_STACKS_FRAME_POINTERS;
	CU_ASSERT(advises(&p, "CI0115", "--stacks=dwarf"));
	p = h;
	p.totals.samples.incomplete = 1;
	CU_ASSERT(advises(&p, "CI0117", NULL));
	p = h;
	p.totals.samples.is_mixed = 1;
	CU_ASSERT(advises(&p, "CI0118", "--process"));
	p = h;
	p.totals.samples.silent = 2;
	CU_ASSERT(advises(&p, "CI0214", "2 processes"));
	p = h;
	p.totals.samples.stacks = CINSTR_STACKS_NONE;
	CU_ASSERT(advises(&p, "CI0215", NULL));
	p = h;
	p.totals.samples.throttled = 1;
	CU_ASSERT(advises(&p, "CI0213", "max_sample_rate"));
}

static void advice_on_few_samples(void)
{
	struct profile p = healthy_profile(NULL, 0);

	p.totals.elapsed = 400;
	CU_ASSERT(advises(&p, "CI0113", "within 7.4-13.3 %"));
	p.totals.elapsed = 0;
	CU_ASSERT(advises(&p, "CI0003", "--sample=") && !advises(&p, "CI0113", NULL));
	p.totals.samples.paused = 10;
	CU_ASSERT(advises(&p, "CI0003", "paused"));
}

static void advice_on_the_kernel(void)
{
	struct profile p = healthy_profile(NULL, 0);

	p.totals.samples.counted_samples = 6000;
	p.totals.samples.counted_taken = 5000;
	CU_ASSERT(advises(&p, "CI0212", "Sample more often"));
	p.totals.samples.with_kernel = 0;
	CU_ASSERT(advises(&p, "CI0212", "perf_event_paranoid"));
	CU_ASSERT(advises(&p, "CI0212", "16.7 %"));
	p.totals.samples.counted_samples = 5100;
	CU_ASSERT_EQUAL(count_advice(&p), 0);
}

static void advice_on_names(void)
{
	struct row rows[] = {
		{ .name = "main", .module = "/bin/app", .sums = { .elapsed_exclusive = 4000 } },
		{ .name = "liba.so.1+0x100",
		  .module = "/lib/liba.so.1",
		  .sums = { .elapsed_exclusive = 300 } },
		{ .name = "libb.so+0x10", .module = "/lib/libb.so", .sums = { .elapsed_exclusive = 600 } },
		{ .name = "libb.so+0x90", .module = "/lib/libb.so", .sums = { .elapsed_exclusive = 100 } },
	};
	struct profile p = healthy_profile(rows, ARRAY_SIZE(rows));

	CU_ASSERT(advises(&p, "CI0116", "(libb.so 14 %, liba.so.1 6 %)"));
	CU_ASSERT(advises(&p, "CI0116", "-dbgsym"));
	p.n_rows = 1;
	CU_ASSERT_EQUAL(count_advice(&p), 0);
}

/* ---- words ----------------------------------------------------------------------------------- */

static int says_interval(uint32_t unit, uint64_t interval, const char *wanted)
{
	struct strbuf text = { 0 };
	int is_equal;

	output_sampling_interval(&text, unit, interval);
	is_equal = !strcmp(text.text, wanted);
	strbuf_release(&text);
	return is_equal;
}

static void intervals_in_words(void)
{
	CU_ASSERT(says_interval(CINSTR_SAMPLING_NS, 1000000, "1 ms of CPU time"));
	CU_ASSERT(says_interval(CINSTR_SAMPLING_NS, 250000, "250 us of CPU time"));
	CU_ASSERT(says_interval(CINSTR_SAMPLING_NS, 1500001, "1,500,001 ns of CPU time"));
	CU_ASSERT(says_interval(CINSTR_SAMPLING_CYCLES, 10000000, "10,000,000"));
	CU_ASSERT(says_interval(CINSTR_SAMPLING_EVENTS, 1, "1"));
}

CU_TestInfo shares_tests[] = {
	{ "intervals of shares", intervals_of_shares },
	{ "intervals hold what they say", intervals_hold_what_they_say },
	{ "measures of a tick", measures_of_a_tick },
	{ "measures in words", measures_in_words },
	{ "columns by method", columns_by_method },
	{ "S4 samples come after names", samples_come_after_names },
	{ "S4 values of samples", values_of_samples },
	{ "lists of columns", lists_of_a_sampled_session },
	{ "order", order_of_a_sampled_session },
	{ "intervals are shown of thin sessions", intervals_of_thin_sessions },
	{ "advice on counts", advice_on_counts },
	{ "advice on few samples", advice_on_few_samples },
	{ "S5 advice on the kernel", advice_on_the_kernel },
	{ "advice on names", advice_on_names },
	{ "intervals in words", intervals_in_words },
	CU_TEST_INFO_NULL,
};
