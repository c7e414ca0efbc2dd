/* SPDX-License-Identifier: MIT */
/*
 * clock.c - which clock, how fast it runs, and what a probe costs (R9).
 */
#include "runtime.h"

/* Taken by one thread at a time; who finds it taken leaves it. */
static uint32_t marking, calibrating;

/* In a forked child: another thread of the parent may have held them. */
void clock_forked(void)
{
	marking = calibrating = 0;
}

#define CALIBRATION_RECORDS 256
#define CALIBRATION_LOOPS 60 /* two records each, well below the size */

void clock_choose(void)
{
	static const char *const words[] = { "auto", "tsc", "monotonic", NULL };
	int word = option_word(CINSTR_OPTION_CLOCK, words);

	cinstr.clock = CINSTR_CLOCK_TSC;
	if (word == 2) {
		cinstr.clock = CINSTR_CLOCK_MONOTONIC_RAW;
	} else if (word == 0 && !arch_ticks_invariant()) {
		cinstr.clock = CINSTR_CLOCK_MONOTONIC_RAW;
		cinstr_say("the TSC of this processor is not invariant: CLOCK_MONOTONIC_RAW is used instead, "
			   "probes cost more (CINSTR_CLOCK=tsc uses it all the same)",
			   NULL, 0);
	}
}

/*
 * Reads both clocks at one moment: the tightest of some tries. which: enum of header.clock_ticks. Two threads may do
 * it at once: the loser leaves it.
 */
void clock_mark(int which)
{
	uint64_t best = UINT64_MAX, ticks = 0, ns = 0;

	if (__atomic_exchange_n(&marking, 1, __ATOMIC_ACQUIRE))
		return;
	for (int i = 0; i < 5; i++) {
		uint64_t before = clock_now();
		uint64_t now = sys_clock_ns(CLOCK_MONOTONIC_RAW);
		uint64_t after = clock_now();

		if (after - before < best) {
			best = after - before;
			ticks = before + best / 2;
			ns = now;
		}
	}
	cinstr.header->clock_ticks[which] = ticks;
	cinstr.header->clock_ns[which] = ns;
	if (which > 0 && ns > cinstr.header->clock_ns[0])
		cinstr.ticks_per_ns =
			(uint64_t)(((unsigned __int128)(ticks - cinstr.header->clock_ticks[0]) << 20) /
				   (ns - cinstr.header->clock_ns[0]));
	__atomic_store_n(&marking, 0, __ATOMIC_RELEASE);
}

/* ---- calibration -------------------------------------------------------------------------------------- */

struct series {
	uint32_t ticks[CALIBRATION_RECORDS];
	uint32_t n;
};

static void sort(struct series *s)
{
	for (uint32_t i = 1; i < s->n; i++) {
		uint32_t value = s->ticks[i], j = i;

		for (; j > 0 && s->ticks[j - 1] > value; j--)
			s->ticks[j] = s->ticks[j - 1];
		s->ticks[j] = value;
	}
}

/* Mean of the lower three quarters, in 1/1024 ticks: what lies above was interrupted. */
static uint64_t typical(struct series *s)
{
	uint64_t sum = 0;
	uint32_t n = s->n * 3 / 4;

	if (n < 8)
		return 0;
	sort(s);
	for (uint32_t i = 0; i < n; i++)
		sum += s->ticks[i];
	return sum * 1024 / n;
}

static void book(unsigned cost, uint64_t value)
{
	struct cinstr_calibration *c = &cinstr.header->calibration;

	c->sum[cost] += value;
	if (!c->rounds || value < c->minimum[cost])
		c->minimum[cost] = value;
	if (value > c->maximum[cost])
		c->maximum[cost] = value;
}

/* One loop of the template on a scratch buffer; splits its intervals by the kind of the record that begins them. */
static void measure(uint32_t routine, struct cinstr_record *scratch, uint64_t *own, uint64_t *other)
{
	static struct series first, second; /* one thread at a time, see calibrate */
	struct probe_state *probe = &cinstr_probe;
	struct probe_state saved = *probe;
	const struct cinstr_record *end;
	void (*loop)(long) = (void (*)(long))(uintptr_t)(thunks_code(cinstr.any_thunks) + routine);

	first.n = second.n = 0;
	scratch[0] = (struct cinstr_record){ .second = CINSTR_SECOND_PLAIN };
	probe->end = scratch + CALIBRATION_RECORDS - SLOW_RECORDS;
	probe->threshold = UINT64_MAX;
	probe->skip = 0;
	for (int pass = 0; pass < 2; pass++) { /* the first one warms up */
		probe->high = (uint32_t)(arch_ticks() >> 32);
		probe->cursor = scratch + 1;
		thread_arm(probe);
		loop(CALIBRATION_LOOPS);
	}
	end = probe->cursor;
	saved.busy = probe->busy;
	*probe = saved;
	thread_arm(probe); /* or not, if recording is off */
	for (const struct cinstr_record *r = scratch + 3; r < end; r++) {
		uint32_t kind = CINSTR_CODE_KIND(r[-1].code);
		struct series *s = kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_ENTER ? &first : &second;

		if (CINSTR_CODE_KIND(r->code) != kind || kind == CINSTR_EV_LINE)
			s->ticks[s->n++] = r->time_lo - r[-1].time_lo;
	}
	*own = typical(&first);
	*other = typical(&second);
}

static void calibrate_lines(struct cinstr_record *scratch)
{
	uint64_t none, line;

	measure(thunk_calibrate_line, scratch, &none, &line);
	if (line)
		book(CINSTR_COST_LINE, line);
}

/*
 * Measures what an empty interval measures, by the kind of its begin, in this thread, with the thunks themselves. With
 * signals blocked and probe->busy set: a slow path within it returns at once.
 */
void calibrate(unsigned rounds)
{
	static const uint8_t costs[3][2] = { { CINSTR_COST_CALL, CINSTR_COST_RETURN },
					     { CINSTR_COST_BEFORE, CINSTR_COST_AFTER },
					     { CINSTR_COST_ENTER, CINSTR_COST_EXIT } };
	const uint32_t routines[3] = { thunk_calibrate_call, thunk_calibrate_plain, thunk_calibrate_bare };
	static struct cinstr_record scratch[CALIBRATION_RECORDS];
	uint64_t value[3][2];

	if (cinstr.clock != CINSTR_CLOCK_TSC || !cinstr.any_thunks ||
	    __atomic_exchange_n(&calibrating, 1, __ATOMIC_ACQUIRE))
		return;
	for (unsigned round = 0; round < rounds; round++) {
		int good = 1;

		for (int i = 0; i < 3; i++) {
			measure(routines[i], scratch, &value[i][0], &value[i][1]);
			good &= value[i][0] && value[i][1];
		}
		for (int i = 0; good && i < 3; i++) {
			book(costs[i][0], value[i][0]);
			book(costs[i][1], value[i][1]);
		}
		if (good && cinstr.has_lines)
			calibrate_lines(scratch);
		cinstr.header->calibration.rounds += (uint64_t)good;
	}
	__atomic_store_n(&calibrating, 0, __ATOMIC_RELEASE);
}
