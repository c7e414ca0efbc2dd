/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lanes of calls, and time by bins: what is joined keeps its sums. */
#include <stdlib.h>

#include "course/bins.h"
#include "course/lanes.h"
#include "lib/array.h"
#include "tests.h"

#define CALLS 5000

struct made {
	struct lane_call list[CALLS];
	size_t n;
};

/* Calls one behind the other, mostly short ones. */
static void make_calls(struct made *made, unsigned seed)
{
	uint64_t at = 0;

	for (made->n = 0; made->n < CALLS; made->n++) {
		uint64_t length;

		seed = seed * 1103515245u + 12345u;
		length = seed >> 16 & 63;
		if ((seed >> 24 & 31) == 7)
			length *= 1000;
		at += seed >> 8 & 15;
		made->list[made->n] = (struct lane_call){
			.begin = at, .end = at + length, .duration = length, .function = seed >> 28
		};
		at += length;
	}
}

/* By the rule alone: items of one lane for a cell of this length. */
static size_t joined_by_hand(const struct made *made, uint64_t cell, struct lane_item *items)
{
	size_t n = 0;

	for (size_t i = 0; i < made->n; i++) {
		const struct lane_call *call = &made->list[i];
		uint64_t length = lane_call_length(call);
		struct lane_item *last = n ? &items[n - 1] : NULL;

		if (last && length < cell && lane_call_length(&last->longest) < cell &&
		    last->begin / cell == call->begin / cell) {
			last->end = call->end;
			last->calls++;
			last->busy += length;
			if (length > lane_call_length(&last->longest))
				last->longest = *call;
		} else {
			items[n++] = (struct lane_item){ call->begin, call->end, 1, length, *call };
		}
	}
	return n;
}

static int is_same(const struct lane_item *a, const struct lane_item *b)
{
	return a->begin == b->begin && a->end == b->end && a->calls == b->calls && a->busy == b->busy &&
	       a->longest.begin == b->longest.begin && a->longest.end == b->longest.end &&
	       a->longest.function == b->longest.function;
}

static void lanes_are_what_the_rule_says(void)
{
	static struct made made;
	static struct lane_item by_hand[CALLS];

	for (unsigned seed = 1; seed <= 20; seed++) {
		struct lanes lanes;
		size_t n;

		make_calls(&made, seed);
		lanes_init(&lanes, seed * 20);
		for (size_t i = 0; i < made.n; i++)
			lanes_add(&lanes, 2, 3, &made.list[i]);
		lanes_reduce(&lanes, seed * 10);
		n = joined_by_hand(&made, lanes.cell, by_hand);
		CU_ASSERT(lanes.n_items == n && n <= seed * 10 && lanes.cell > 1);
		CU_ASSERT(lanes.calls == made.n && lanes.end == made.list[made.n - 1].end);
		CU_ASSERT_FATAL(lanes.threads[2][3].n == n);
		for (size_t i = 0; i < n; i++)
			CU_ASSERT(is_same(&lanes.threads[2][3].items[i], &by_hand[i]));
		lanes_release(&lanes);
	}
}

static void lanes_end_at_one_item_each(void)
{
	struct lanes lanes;
	struct lane_call call = { .begin = 5, .end = 9, .duration = 4 };

	lanes_init(&lanes, 10);
	for (size_t depth = 0; depth < 50; depth++)
		lanes_add(&lanes, 0, depth, &call);
	lanes_add(&lanes, 0, LANES_DEEPEST, &call);
	CU_ASSERT(lanes.n_items == 50 && lanes.calls == 50 && lanes.too_deep == 1);
	lanes_release(&lanes);
}

static double sum_of(const struct bins *bins, size_t thread, enum time_kind kind)
{
	double sum = 0;

	for (size_t i = 0; i < bins->threads[thread].n; i++)
		sum += bins->threads[thread].list[i].ns[kind];
	return sum;
}

static void bins_keep_sums(void)
{
	struct bins bins;
	double at = 0, computing = 0, waiting = 0;
	unsigned seed = 7;

	bins_init(&bins);
	for (int i = 0; i < 20000; i++) {
		double length, part;

		seed = seed * 1103515245u + 12345u;
		length = (double)(seed >> 8 & 0xfffff);
		part = length * (double)(seed >> 28) / 16;
		bins_add(&bins, 1, TIME_COMPUTING, at, at + length, length - part);
		bins_add(&bins, 1, TIME_LOCK, at, at + length, part);
		computing += length - part;
		waiting += part;
		at += length;
	}
	CU_ASSERT(bins.threads[1].n <= BINS_OF_THREAD && bins.threads[1].n >= BINS_OF_THREAD / 2);
	CU_ASSERT((double)bins.threads[1].n * bins.width >= at);
	CU_ASSERT_DOUBLE_EQUAL(sum_of(&bins, 1, TIME_COMPUTING), computing, 1);
	CU_ASSERT_DOUBLE_EQUAL(sum_of(&bins, 1, TIME_LOCK), waiting, 1);
	/* no bin has more than its width, as no two intervals are at one time */
	for (size_t i = 0; i < bins.threads[1].n; i++) {
		const struct bin *bin = &bins.threads[1].list[i];

		CU_ASSERT(bin->ns[TIME_COMPUTING] + bin->ns[TIME_LOCK] <= bins.width + 1);
	}
	bins_release(&bins);
}

static void bins_of_many_threads_are_few(void)
{
	struct bins bins;

	bins_init(&bins);
	for (size_t thread = 0; thread < 2000; thread++)
		bins_add(&bins, thread, TIME_SLEEP, 0, 1e9, 1e9);
	CU_ASSERT(bins.n_all <= 2 * BINS_OF_ALL && bins.most < BINS_OF_THREAD);
	CU_ASSERT_DOUBLE_EQUAL(sum_of(&bins, 3, TIME_SLEEP), 1e9, 1);
	CU_ASSERT_DOUBLE_EQUAL(sum_of(&bins, 1999, TIME_SLEEP), 1e9, 1);
	bins_release(&bins);
}

static void bins_are_widened_for_few_values(void)
{
	struct bins bins;

	bins_init(&bins);
	for (int i = 0; i < 600; i++)
		bins_add(&bins, 2, TIME_COMPUTING, i * 1e6, i * 1e6, 1);
	bins_widen(&bins, 100);
	CU_ASSERT(bins.n_all <= 100 && bins.n_all > 40 && bins.n_all == bins.threads[2].n);
	CU_ASSERT_DOUBLE_EQUAL(sum_of(&bins, 2, TIME_COMPUTING), 600, 0);
	CU_ASSERT((double)bins.n_all * bins.width >= 599e6);
	/* not to nothing, however few there are */
	bins_widen(&bins, 0);
	CU_ASSERT(bins.n_all > 8);
	bins_release(&bins);
}

static void waiting_has_a_kind(void)
{
	CU_ASSERT(time_kind_of(CINSTR_OS_VOLUNTARY, KNOWN_LOCK) == TIME_LOCK);
	CU_ASSERT(time_kind_of(CINSTR_OS_VOLUNTARY, KNOWN_NOT) == TIME_OTHER);
	CU_ASSERT(time_kind_of(CINSTR_OS_VOLUNTARY | CINSTR_OS_BLOCK_IN, KNOWN_INPUT) == TIME_DISK);
	CU_ASSERT(time_kind_of(CINSTR_OS_MAJOR_FAULT, KNOWN_LOCK) == TIME_PAGE);
	CU_ASSERT(time_kind_of(CINSTR_OS_INVOLUNTARY, KNOWN_SLEEP) == TIME_PREEMPTED);
	for (int kind = 0; kind < TIME_KINDS; kind++)
		CU_ASSERT(time_kinds[kind].key && time_kinds[kind].title && time_kinds[kind].meaning);
}

CU_TestInfo course_tests[] = {
	{ "lanes are what the rule says", lanes_are_what_the_rule_says },
	{ "lanes end at one item each", lanes_end_at_one_item_each },
	{ "bins keep sums", bins_keep_sums },
	{ "bins of many threads are few", bins_of_many_threads_are_few },
	{ "bins are widened for few values", bins_are_widened_for_few_values },
	{ "waiting has a kind", waiting_has_a_kind },
	CU_TEST_INFO_NULL,
};
