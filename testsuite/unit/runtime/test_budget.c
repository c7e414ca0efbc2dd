/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_budget.c - the budget of overhead: where the probes' cost is, whose go, who may come
 * back. */
#include <stdlib.h>
#include <string.h>

#include "runtime/choice/budget.h"
#include "tests.h"

/* Functions at words 1 (loop), 2 (leaf), 3 (big), 4 (deep); calls at words 11, 13 (in loop; 12, 14:
 * behind them). */
enum { LOOP = 1 << 3 | CINSTR_EV_ENTER, LEAF = 2 << 3 | CINSTR_EV_ENTER, BIG = 3 << 3 | CINSTR_EV_ENTER };
enum { CALL_LEAF = 11 << 3 | CINSTR_EV_BEFORE, CALL_BIG = 13 << 3 | CINSTR_EV_BEFORE };
enum { AFTER_LEAF = 12 << 3 | CINSTR_EV_AFTER, LINE_OF_LOOP = 15 << 3 | CINSTR_EV_LINE };
enum {
	LOOP_EXIT = 21 << 3 | CINSTR_EV_EXIT,
	LEAF_EXIT = 22 << 3 | CINSTR_EV_EXIT,
	BIG_EXIT = 23 << 3 | CINSTR_EV_EXIT
};

static uint32_t words[2048] = {
	[1] = LOOP,  [2] = LEAF,  [3] = BIG,   [11] = LOOP, [12] = CALL_LEAF,
	[13] = LOOP, [15] = LOOP, [21] = LOOP, [22] = LEAF, [23] = BIG,
};
static const struct fold_sites sites = { words, 2048, NULL, NULL, NULL };
static struct budget_prices prices;
static struct budget_sample sample;
static struct budget_outs outs;

/* Ticks: a call 20, a return 10, before 8, after 6, enter 7, exit 5, line 3. */
static void begin(uint64_t fold)
{
	static const uint64_t costs[CINSTR_COST_KINDS] = {
		[CINSTR_COST_CALL] = 20 * 1024,	 [CINSTR_COST_RETURN] = 10 * 1024,
		[CINSTR_COST_BEFORE] = 8 * 1024, [CINSTR_COST_AFTER] = 6 * 1024,
		[CINSTR_COST_ENTER] = 7 * 1024,	 [CINSTR_COST_EXIT] = 5 * 1024,
		[CINSTR_COST_LINE] = 3 * 1024,
	};

	prices = (struct budget_prices){ .fold = fold * 1024, .slow = 100, .slow_max = 1000 };
	budget_set_prices(&prices, costs);
	memset(&sample, 0, sizeof(sample));
	memset(&outs, 0, sizeof(outs));
}

static struct cinstr_record special(uint32_t type, uint64_t stamp, uint64_t value)
{
	return (struct cinstr_record){ CINSTR_SPECIAL(type, 0), (uint32_t)stamp, (uint32_t)value,
				       (uint32_t)(value >> 32) | 1u << 31 };
}

static const struct budget_function *function(uint32_t func)
{
	static const struct budget_function none;

	for (int i = 0; i < BUDGET_FUNCTIONS; i++)
		if (sample.functions[i].func == func)
			return &sample.functions[i];
	return &none;
}

static void add(const struct cinstr_record *records, size_t n)
{
	budget_add(&sample, &prices, &sites, records, n);
}

/* ---- what records cost ----------------------------------------------------------------------- */

static void each_kind_has_its_price(void)
{
	const struct cinstr_record records[] = {
		special(CINSTR_SP_START, 1000, 1000),
		{ CALL_LEAF, 1100, 0x10, LEAF },
		{ LEAF_EXIT, 1200, 0x20, CINSTR_SECOND_FUSED_EXIT },
		{ CALL_BIG, 1300, 0x10, 0 },
		{ AFTER_LEAF, 1400, 0x10, CINSTR_SECOND_PLAIN },
		{ BIG, 1500, 0x10, 0x7001 },
		{ BIG_EXIT, 1600, 0x10, CINSTR_SECOND_EXIT },
		{ LINE_OF_LOOP, 1700, 0x10, CINSTR_SECOND_PLAIN },
	};

	begin(0);
	for (size_t n = 1; n <= ARRAY_SIZE(records); n++) {
		static const uint64_t sums[] = { 0, 20, 30, 38, 44, 51, 56, 59 };

		CU_ASSERT_EQUAL(budget_cost(&prices, records, n), sums[n - 1]);
	}
}

/* By kind of event, then by the two bits of `second`: a call and a tail call of a function with
 * probes, and an exit that returns into one, are one event for two. */
static void each_shape_has_its_price(void)
{
	static const uint64_t expected[BUDGET_SHAPES] = {
		[CINSTR_EV_ENTER * 4] = 7,  7,	7, 7, [CINSTR_EV_EXIT * 4] = 5,	   10, 5, 5,
		[CINSTR_EV_BEFORE * 4] = 8, 20, 8, 8, [CINSTR_EV_AFTER * 4] = 6,   6,  6, 6,
		[CINSTR_EV_TAIL * 4] = 8,   20, 8, 8, [CINSTR_EV_LANDING * 4] = 6, 6,  6, 6,
		[CINSTR_EV_LINE * 4] = 3,   3,	3, 3,
	};

	begin(0);
	for (uint32_t shape = 4; shape < BUDGET_SHAPES; shape++)
		CU_ASSERT_EQUAL(prices.event[shape], expected[shape] * 1024);
}

static void slow_path_costs_up_to_its_resume(void)
{
	struct cinstr_record records[] = {
		special(CINSTR_SP_START, 1000, 1000),
		special(CINSTR_SP_SLOW, 1500, 1500),
		{ CALL_LEAF, 1500, 0x10, 0 },
		special(CINSTR_SP_RESUME, 1700, 1700),
	};

	begin(0);
	CU_ASSERT_EQUAL(budget_cost(&prices, records, 4), 8 + 100 + 200);
	records[3] = special(CINSTR_SP_RESUME, 501500, 501500); /* interrupted */
	CU_ASSERT_EQUAL(budget_cost(&prices, records, 4), 8 + 100 + 1000);
	records[3] = special(CINSTR_SP_RESUME, 1700, 1700);
	add(records, 4);
	CU_ASSERT_EQUAL(function(LOOP)->sites, 308 * 1024);
}

/* ---- whose cost it is ------------------------------------------------------------------------ */

static void pair_is_paid_by_both(void)
{
	const struct cinstr_record records[] = {
		special(CINSTR_SP_START, 1000, 1000),
		{ CALL_LEAF, 1100, 0x10, LEAF },
		{ LEAF_EXIT, 1150, 0x20, CINSTR_SECOND_FUSED_EXIT },
		{ LOOP_EXIT, 1250, 0x10, CINSTR_SECOND_EXIT },
	};

	begin(2);
	add(records, ARRAY_SIZE(records));
	CU_ASSERT_EQUAL(function(LEAF)->sites, 0);
	CU_ASSERT_EQUAL(function(LEAF)->events, (11 + 6) * 1024);
	CU_ASSERT_EQUAL(function(LEAF)->work, (50 - 22) * 1024);
	CU_ASSERT_EQUAL(function(LOOP)->sites, (11 + 6) * 1024);
	CU_ASSERT_EQUAL(function(LOOP)->events, 7 * 1024);
	CU_ASSERT_EQUAL(function(LOOP)->work, (100 + 100 - 12) * 1024);
}

static void callee_without_probes_is_its_callers_work(void)
{
	const struct cinstr_record records[] = {
		special(CINSTR_SP_START, 1000, 1000),
		{ CALL_LEAF, 1100, 0x10, 0 },
		{ AFTER_LEAF, 9100, 0x10, CINSTR_SECOND_PLAIN },
	};

	begin(0);
	add(records, ARRAY_SIZE(records));
	CU_ASSERT_EQUAL(function(LOOP)->work, (100 + 8000 - 8) * 1024);
	CU_ASSERT_EQUAL(function(LOOP)->sites, 14 * 1024);
}

/* Where calls have no probes an ENTER does not say who was running. */
static void caller_is_known_without_its_calls(void)
{
	const struct cinstr_record records[] = {
		special(CINSTR_SP_START, 1000, 1000),
		{ LOOP, 1100, 0x10, 0x7001 },
		{ LEAF, 1300, 0x10, 0x6001 },
		{ LEAF_EXIT, 1400, 0x10, CINSTR_SECOND_EXIT },
		{ LEAF, 1700, 0x10, 0x6001 },
		{ LEAF_EXIT, 1800, 0x10, CINSTR_SECOND_EXIT },
		{ LOOP_EXIT, 1900, 0x10, CINSTR_SECOND_EXIT },
	};

	begin(0);
	add(records, ARRAY_SIZE(records));
	CU_ASSERT_EQUAL(function(LOOP)->work, (200 - 7 + 300 - 5 + 100 - 5) * 1024);
	CU_ASSERT_EQUAL(function(LEAF)->work, (200 - 14) * 1024);
}

static void pauses_and_waits_are_no_work(void)
{
	const struct cinstr_record records[] = {
		special(CINSTR_SP_START, 1000, 1000),
		special(CINSTR_SP_PAUSE, 1100, 1100),
		special(CINSTR_SP_CONTINUE, 9000, 9000),
		special(CINSTR_SP_SLOW, 9500, 9500),
		special(CINSTR_SP_OS, 9500, 450),
		special(CINSTR_SP_SWITCHES, 9500, 1),
		{ LOOP_EXIT, 9500, 0x10, CINSTR_SECOND_EXIT },
		{ LOOP_EXIT, 9700, 0x10, CINSTR_SECOND_EXIT },
	};

	begin(0);
	add(records, ARRAY_SIZE(records));
	CU_ASSERT_EQUAL(function(LOOP)->work, (100 + 500 - 450 + 200 - 5) * 1024);
}

static void more_than_there_is_room_for(void)
{
	struct cinstr_record records[1800] = { special(CINSTR_SP_START, 0, 0) };
	size_t n = 1;

	begin(0);
	for (uint32_t i = 100; i < 1800; i++, n++) {
		words[i] = i << 3 | CINSTR_EV_ENTER;
		records[n] = (struct cinstr_record){ words[i], i, 0x10, 0x7001 };
	}
	add(records, n);
	CU_ASSERT_EQUAL(sample.n, BUDGET_FUNCTIONS * 3 / 4);
	CU_ASSERT_EQUAL(function(100 << 3 | CINSTR_EV_ENTER)->events, 7 * 1024);
	records[1].code = 0x7ffffff9; /* of no module */
	add(records, 2);
	budget_clear(&sample);
	CU_ASSERT_EQUAL(sample.n, 0);
	CU_ASSERT_EQUAL(function(100 << 3 | CINSTR_EV_ENTER)->func, 0);
}

/* ---- whose probes go ------------------------------------------------------------------------- */

static void put(uint32_t func, uint64_t calls, uint64_t events, int64_t work)
{
	static uint32_t n;

	n = sample.n;
	sample.functions[n] = (struct budget_function){ .func = func,
							.level = BUDGET_ALL,
							.sites = calls * 1024,
							.events = events * 1024,
							.work = work * 1024,
							.entered = 10,
							.returned = 10,
							.ended = 10 };
	sample.n++;
	sample.probes += calls + events;
	sample.own += (uint64_t)work;
}

static unsigned choose(unsigned percent, struct budget_pick *picks)
{
	return budget_choose(&sample, percent * 10000, picks, 8);
}

static void hot_leaf_goes_big_ones_stay(void)
{
	struct budget_pick picks[8];

	begin(0);
	put(BIG, 10, 10, 100000);
	put(LOOP, 20000, 10, 3000);
	put(LEAF, 0, 20000, 1000);
	CU_ASSERT_EQUAL_FATAL(choose(5, picks), 2);
	CU_ASSERT_EQUAL(picks[0].func, LEAF);
	CU_ASSERT_EQUAL(picks[0].level, BUDGET_NONE);
	CU_ASSERT_EQUAL(picks[0].cost, 20000);
	CU_ASSERT_EQUAL(picks[1].func, LOOP);
	CU_ASSERT_EQUAL(picks[1].level, BUDGET_ENTRY);
}

static void as_few_as_it_takes(void)
{
	struct budget_pick picks[8];

	begin(0);
	put(BIG, 3000, 0, 50000);
	put(LOOP, 3000, 0, 40000);
	put(LEAF, 3000, 0, 10000);
	CU_ASSERT_EQUAL(choose(9, picks), 0); /* exactly that */
	CU_ASSERT_EQUAL_FATAL(choose(8, picks), 1);
	CU_ASSERT_EQUAL(picks[0].func, LEAF);
}

static void calls_go_first(void)
{
	struct budget_pick picks[8];

	begin(0);
	put(LOOP, 1000, 9000, 10000);
	put(BIG, 0, 10, 90000);
	/* the calls would do with a bare limit of 9.1 %, without margin */
	CU_ASSERT_EQUAL_FATAL(choose(10, picks), 1);
	CU_ASSERT_EQUAL(picks[0].level, BUDGET_NONE);
	CU_ASSERT_EQUAL(picks[0].cost, 10000);
	begin(0);
	put(LOOP, 9000, 1000, 10000);
	put(BIG, 0, 10, 90000);
	CU_ASSERT_EQUAL_FATAL(choose(5, picks), 1);
	CU_ASSERT_EQUAL(picks[0].level, BUDGET_ENTRY);
}

/* What it calls hangs below it: of what runs long only the probes at its calls go. */
static void long_ones_stay_timed(void)
{
	struct budget_pick picks[8];

	begin(0);
	sample.counts = 1;
	put(LOOP, 9000, 1000, 10000);
	sample.functions[0].returned = sample.functions[0].ended = 4; /* the others go on */
	put(BIG, 8000, 1000, 90000);
	sample.functions[1].inclusive = 64001;
	CU_ASSERT_EQUAL_FATAL(choose(1, picks), 2);
	CU_ASSERT_EQUAL(picks[0].level, BUDGET_ENTRY);
	CU_ASSERT_EQUAL(picks[0].cost, 9000);
	CU_ASSERT_EQUAL(picks[1].level, BUDGET_ENTRY);
	CU_ASSERT_EQUAL(choose(1, picks), 0);
}

/* A recursion deeper than buffers reach: on its way up no activation has begun in the buffer. On
 * its way down none ends there, as of what longjmp() leaves: that stays timed. */
static void deep_recursion(int is_down)
{
	struct cinstr_record records[70] = { special(CINSTR_SP_START, 1000, 1000) };
	struct budget_pick picks[8];
	uint32_t n = 1;

	begin(0);
	sample.counts = 1;
	for (; n <= 64; n++)
		records[n] = is_down ? (struct cinstr_record){ CALL_BIG, 1000 + 30 * n, 0, BIG }
				     : (struct cinstr_record){ BIG_EXIT, 1000 + 30 * n, 0, 0 };
	add(records, n - 1);
	sample.probes = sample.own = 10000;
	CU_ASSERT_EQUAL(budget_choose(&sample, 10000, picks, 8), 0); /* 63: may be long ones */
	begin(0);
	sample.counts = 1;
	add(records, n);
	sample.probes = sample.own = 10000;
	if (is_down) {
		CU_ASSERT_EQUAL(budget_choose(&sample, 10000, picks, 8), 0);
		return;
	}
	CU_ASSERT_EQUAL_FATAL(budget_choose(&sample, 10000, picks, 8), 1);
	CU_ASSERT_EQUAL(picks[0].func, BIG);
	CU_ASSERT_EQUAL(picks[0].level, BUDGET_COUNT);
}

static void deep_recursions_are_counted(void)
{
	deep_recursion(1);
	deep_recursion(0);
}

/* A tail call ends a call as an exit does: nothing is deep. */
static void tail_calls_are_no_recursion(void)
{
	struct cinstr_record records[202] = { special(CINSTR_SP_START, 1000, 1000) };

	words[24] = BIG;
	begin(0);
	for (uint32_t i = 0; i < 100; i++) {
		records[1 + 2 * i] = (struct cinstr_record){ CALL_BIG, 1000 + 30 * i, 0, BIG };
		records[2 + 2 * i] =
			(struct cinstr_record){ 24 << 3 | CINSTR_EV_TAIL, 1010 + 30 * i, 0, LEAF };
	}
	add(records, 201);
	CU_ASSERT_EQUAL(function(BIG)->entered, 100);
	CU_ASSERT_EQUAL(function(BIG)->ended, 100);
}

/* Both sides of its calls are saved when a function is counted. */
static void counted_pays_its_calls(void)
{
	struct cinstr_record records[] = {
		special(CINSTR_SP_START, 1000, 1000),
		{ CALL_LEAF, 1010, 0x10, LEAF },
		{ LEAF_EXIT, 1040, 0x20, CINSTR_SECOND_FUSED_EXIT },
		{ CALL_LEAF, 1050, 0x10, LEAF },
	};

	begin(0);
	sample.counts = 1;
	add(records, ARRAY_SIZE(records));
	CU_ASSERT_EQUAL(function(LOOP)->sites, 0);
	CU_ASSERT_EQUAL(function(LEAF)->events, (20 + 10 + 20) * 1024);
}

static void counted_goes_at_once(void)
{
	struct budget_pick picks[8];

	begin(0);
	sample.counts = 1;
	put(LOOP, 9000, 1000, 10000);
	put(LEAF, 10, 20000, 5000);
	put(BIG, 20, 100, 90000);
	CU_ASSERT_EQUAL_FATAL(choose(20, picks), 1);
	CU_ASSERT_EQUAL(picks[0].func, LEAF);
	CU_ASSERT_EQUAL(picks[0].level, BUDGET_COUNT);
	CU_ASSERT_EQUAL(picks[0].cost, 20010);
	CU_ASSERT_EQUAL_FATAL(choose(1, picks), 2); /* what is counted has nothing more to give */
	CU_ASSERT_EQUAL(picks[0].func, LOOP);
	CU_ASSERT_EQUAL(picks[0].level, BUDGET_COUNT);
	CU_ASSERT_EQUAL(choose(1, picks), 0);
}

static void out_already_is_not_chosen(void)
{
	struct budget_pick picks[8];

	begin(0);
	put(LEAF, 500, 5000, 100);
	put(LOOP, 4000, 100, 10000);
	sample.functions[0].level = BUDGET_NONE; /* what the buffer held when it went */
	CU_ASSERT_EQUAL_FATAL(choose(50, picks), 1);
	CU_ASSERT_EQUAL(picks[0].func, LOOP);
	sample.functions[1].level = BUDGET_NONE;
	CU_ASSERT_EQUAL(choose(1, picks), 0);
}

static void many_that_cost_little(void)
{
	struct budget_pick picks[100];

	begin(0);
	for (uint32_t i = 0; i < 100; i++)
		put((100 + i) << 3 | CINSTR_EV_ENTER, 0, 100, 100);
	CU_ASSERT_EQUAL(budget_choose(&sample, 100000, picks, 100),
			92); /* 9.1 of 100 stay: 10 % less the margin */
	CU_ASSERT_EQUAL(budget_choose(&sample, 100000, picks, 5), 5);
}

/* ---- who comes back -------------------------------------------------------------------------- */

static struct budget_out *take(uint32_t func, uint64_t cost, uint64_t now)
{
	return budget_take_out(&outs, &(struct budget_pick){ func, BUDGET_NONE, 0 }, cost, now);
}

static void the_cheapest_comes_back_first(void)
{
	begin(0);
	outs.first_wait = 100;
	outs.longest_wait = 1000;
	take(LOOP, 7, 1000);
	take(LEAF, 5, 1000);
	take(BIG, 1, 1050);
	CU_ASSERT_EQUAL(outs.n_out, 3);
	CU_ASSERT_PTR_NULL(budget_due(&outs, 1099));
	CU_ASSERT_EQUAL_FATAL(budget_due(&outs, 1100)->func, LEAF);
	CU_ASSERT_EQUAL(budget_due(&outs, 1150)->func, BIG);
	budget_find(&outs, BIG)->is_stuck = 1;
	budget_put_back(&outs, budget_find(&outs, LEAF), 1150);
	CU_ASSERT_EQUAL(budget_due(&outs, 1150)->func, LOOP);
	CU_ASSERT_EQUAL(outs.n_out, 2);
	CU_ASSERT_PTR_NULL(budget_find(&outs, 99 << 3 | CINSTR_EV_ENTER));
}

static void what_fails_waits_twice_as_long(void)
{
	uint64_t now = 1000, waits[] = { 100, 200, 400, 800, 1000, 1000 };

	begin(0);
	outs.first_wait = 100;
	outs.longest_wait = 1000;
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		take(LEAF, 5, now);
		CU_ASSERT_PTR_NULL(budget_due(&outs, now + waits[i] - 1));
		now += waits[i];
		CU_ASSERT_PTR_NOT_NULL_FATAL(budget_due(&outs, now));
		budget_put_back(&outs, budget_due(&outs, now), now);
		now += 10; /* fails at once */
	}
	now += 5000; /* it was all right for long */
	take(LEAF, 5, now);
	CU_ASSERT_PTR_NOT_NULL(budget_due(&outs, now + 100));
}

/* Its calls are so rare by now that their probes may cost what they cost. */
static void what_is_rare_need_not_wait(void)
{
	/* 1 of 100 ticks, and of that a 128th: a call of 10 ticks in 128,000 */
	struct budget_rate rate = { .window = 1000, .limit = 10000, .cost = 10 };
	struct budget_out *out;

	begin(0);
	outs.first_wait = outs.longest_wait = 100000000;
	out = budget_take_out(&outs, &(struct budget_pick){ LEAF, BUDGET_COUNT, 0 }, 5, 1000);
	budget_look(out, &rate, 70, 2000); /* from now on */
	budget_look(out, &rate, 71, 2900);
	CU_ASSERT_EQUAL(out->calls, 70);
	budget_look(out, &rate, 75, 2000 + 500000);
	CU_ASSERT_PTR_NULL(budget_due(&outs, 502000));
	CU_ASSERT_EQUAL(out->calls, 75);
	budget_look(out, &rate, 75, 702000); /* in a long one, or not called at all */
	CU_ASSERT_PTR_NULL(budget_due(&outs, 702000));
	budget_look(out, &rate, 3, 802000); /* threads have ended */
	CU_ASSERT_PTR_NULL(budget_due(&outs, 802000));
	budget_look(out, &rate, 7, 802000 + 4 * 128000);
	CU_ASSERT_PTR_EQUAL(budget_due(&outs, 802000 + 4 * 128000), out);
}

static void two_steps_are_one_absence(void)
{
	struct budget_out *out;

	begin(0);
	outs.first_wait = 100;
	budget_take_out(&outs, &(struct budget_pick){ LOOP, BUDGET_ENTRY, 0 }, 5, 1000);
	out = take(LOOP, 7, 1050);
	CU_ASSERT_EQUAL(out->cost, 12);
	CU_ASSERT_EQUAL(outs.n_out, 1);
	budget_put_back(&outs, out, 1200);
	CU_ASSERT_EQUAL(outs.n_out, 0);
	CU_ASSERT_EQUAL(out->level, BUDGET_ALL);
}

static void room_for_so_many(void)
{
	begin(0);
	for (uint32_t i = 1; i <= BUDGET_OUTS; i++)
		CU_ASSERT_PTR_NOT_NULL(take(i << 3 | CINSTR_EV_ENTER, i, 0));
	CU_ASSERT_PTR_NULL(take((BUDGET_OUTS + 1) << 3 | CINSTR_EV_ENTER, 1, 0));
	CU_ASSERT_EQUAL(budget_find(&outs, 77 << 3 | CINSTR_EV_ENTER)->cost, 77);
}

/* ---- what the report says -------------------------------------------------------------------- */

static void mark(struct maker *maker, uint32_t ticks, enum maker_site site, uint32_t kind, int64_t level)
{
	struct cinstr_mark *mark =
		maker_mark(maker, 1, 1000000 + ticks, CINSTR_CODE_WORD(maker_code(site)), "");

	mark->kind = kind;
	mark->id = level;
}

static void marks_tell_what_was_out(void)
{
	struct exclusions list = { 0 };
	struct names names = { 0 };
	struct strbuf text = { 0 };
	struct maker maker;
	struct data data;

	maker_init(&maker);
	maker_thread(&maker, "main");
	mark(&maker, 100, WORK_ENTER, CINSTR_MARK_DEMOTED, BUDGET_ENTRY);
	mark(&maker, 200, REC_ENTER, CINSTR_MARK_DEMOTED, BUDGET_NONE);
	mark(&maker, 300, WORK_ENTER, CINSTR_MARK_DEMOTED, BUDGET_NONE);
	mark(&maker, 400, WORK_ENTER, CINSTR_MARK_RESTORED, BUDGET_ALL);
	mark(&maker, 500, TAIL_ENTER, CINSTR_MARK_CHOICE, 0);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	exclusions_add(&list, &names, &data);
	CU_ASSERT_EQUAL_FATAL(list.n, 2);
	CU_ASSERT_STRING_EQUAL(names.list[list.list[0].entity].name, "work");
	CU_ASSERT_EQUAL(list.list[0].times, 2);
	CU_ASSERT_EQUAL(list.list[0].level, BUDGET_ALL);
	CU_ASSERT_EQUAL(list.list[0].lowest, BUDGET_NONE);
	CU_ASSERT(nearly(list.list[0].last - list.list[0].first, 300));
	CU_ASSERT_EQUAL(list.list[1].level, BUDGET_NONE);
	CU_ASSERT(exclusions_have(&list, list.list[1].entity));
	CU_ASSERT_FALSE(exclusions_have(&list, 4711));
	strbuf_clear(&text);
	exclusion_put(&text, &list.list[0], &names);
	CU_ASSERT_PTR_NOT_NULL(strstr(text.text, "(all probes, 2 times), back at "));
	strbuf_release(&text);
	exclusions_release(&list);
	names_release(&names);
	data_release(&data);
	maker_release(&maker);
}

CU_TestInfo budget_tests[] = {
	{ "each shape has its price", each_shape_has_its_price },
	{ "each kind of record has its price", each_kind_has_its_price },
	{ "the slow path costs up to its RESUME", slow_path_costs_up_to_its_resume },
	{ "a pair is paid by both", pair_is_paid_by_both },
	{ "a callee without probes is its caller's work", callee_without_probes_is_its_callers_work },
	{ "the caller is known without probes at its calls", caller_is_known_without_its_calls },
	{ "pauses and waits are no work", pauses_and_waits_are_no_work },
	{ "more functions than there is room for", more_than_there_is_room_for },
	{ "the hot leaf goes, the big ones stay", hot_leaf_goes_big_ones_stay },
	{ "as few as it takes", as_few_as_it_takes },
	{ "a function's calls go first", calls_go_first },
	{ "what is counted pays both sides of its calls", counted_pays_its_calls },
	{ "what is counted goes at once", counted_goes_at_once },
	{ "what runs long stays timed", long_ones_stay_timed },
	{ "deep recursions are counted", deep_recursions_are_counted },
	{ "tail calls are no recursion", tail_calls_are_no_recursion },
	{ "what is out already is not chosen", out_already_is_not_chosen },
	{ "many that cost little", many_that_cost_little },
	{ "the cheapest comes back first", the_cheapest_comes_back_first },
	{ "what fails its trial waits twice as long", what_fails_waits_twice_as_long },
	{ "what is rare by now need not wait", what_is_rare_need_not_wait },
	{ "two steps out are one absence", two_steps_are_one_absence },
	{ "room for so many", room_for_so_many },
	{ "marks tell what was out", marks_tell_what_was_out },
	CU_TEST_INFO_NULL,
};
