/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random_budget.c - prints what the limit on overhead makes of buffers of random programs
 * (runtime/choice/budget_sample.c, budget_out.c), for a golden file: what their probes cost whom,
 * what is taken out for it, and when that may be tried again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maker/random_events.h"
#include "runtime/choice/budget.h"
#include "tests.h"

#define STREAMS 24u
#define BUFFERS 4
#define PICKS 6

static struct budget_sample sample;
static struct budget_outs outs;

static void print_sample(void)
{
	for (uint32_t i = 0; i < BUDGET_FUNCTIONS; i++) {
		const struct budget_function *f = &sample.functions[i];

		if (f->func)
			printf("  %x level %u: sites %llu, events %llu, work %lld, entered %u, returned %u, "
			       "ended %u, "
			       "inclusive %llu\n",
			       f->func, f->level, (unsigned long long)f->sites, (unsigned long long)f->events,
			       (long long)f->work, f->entered, f->returned, f->ended,
			       (unsigned long long)f->inclusive);
	}
}

static void print_outs(uint64_t now)
{
	const struct budget_out *due = budget_due(&outs, now);

	for (uint32_t i = 0; i < outs.n; i++) {
		const struct budget_out *out = &outs.list[i];

		printf("  out %x level %u: cost %llu since %llu waits %llu, %u times, %llu calls at %llu\n",
		       out->func, out->level, (unsigned long long)out->cost, (unsigned long long)out->since,
		       (unsigned long long)out->wait, out->changes, (unsigned long long)out->calls,
		       (unsigned long long)out->looked);
	}
	printf("  %u out, due %x\n", outs.n_out, due ? due->func : 0);
}

/* Takes out what costs too much, and looks at it, or puts it back, now and then. */
static void choose(uint64_t limit, uint64_t now)
{
	const struct budget_rate rate = { 900, limit, 1 + random_below(40) };
	struct budget_pick picks[PICKS];
	unsigned n;

	for (uint32_t i = 0; i < BUDGET_FUNCTIONS; i++) {
		const struct budget_out *out =
			sample.functions[i].func ? budget_find(&outs, sample.functions[i].func) : NULL;

		if (out)
			sample.functions[i].level = out->level;
	}
	n = budget_choose(&sample, limit, picks, PICKS);
	for (unsigned i = 0; i < n; i++) {
		printf("  pick %x to %u: %llu\n", picks[i].func, picks[i].level,
		       (unsigned long long)picks[i].cost);
		budget_take_out(&outs, &picks[i], picks[i].cost, now);
	}
	for (uint32_t i = 0; i < outs.n; i++) {
		if (random_below(3) == 0)
			budget_look(&outs.list[i], &rate, outs.list[i].calls + random_below(900), now);
		if (random_below(4) == 0 && outs.list[i].level != 2)
			budget_put_back(&outs, &outs.list[i], now);
	}
	print_outs(now);
}

static void print_stream(uint32_t number)
{
	const struct random_manners manners = { .missing = number % 3 * 20,
						.broken = number % 5 ? 0 : 30,
						.slow = 6,
						.late = 15,
						.pauses = number % 4 ? 0 : 40,
						.counted = number % 2 };
	struct budget_prices prices = { .fold = 1024 * (number % 7), .slow = 100, .slow_max = 1000 };
	uint64_t costs[CINSTR_COST_KINDS];
	struct random_events events;

	for (uint32_t i = 0; i < CINSTR_COST_KINDS; i++)
		costs[i] = 1024 * (7 + 3 * i) + 100 * i;
	budget_set_prices(&prices, costs);
	random_events_begin(&events, &manners, number + 1);
	memset(&sample, 0, sizeof(sample));
	memset(&outs, 0, sizeof(outs));
	outs.first_wait = 1000;
	outs.longest_wait = 16000;
	printf("program %u\n", number);
	for (int i = 0; i < BUFFERS; i++) {
		uint64_t cost;

		random_events_next(&events);
		cost = budget_cost(&prices, events.records, events.n);
		sample.counts = (int)number % 2;
		sample.probes += cost;
		sample.own += cost / (1 + number % 5);
		budget_add(&sample, &prices, events.sites, events.records, events.n);
		printf(" buffer of %zu costs %llu\n", events.n, (unsigned long long)cost);
		print_sample();
		choose(100000 * (1 + number % 6), 3000 + 1700 * (uint64_t)i);
		if (i == 2)
			budget_clear(&sample);
	}
}

int random_budget(void)
{
	for (uint32_t number = 0; number < STREAMS; number++)
		print_stream(number);
	return 0;
}
