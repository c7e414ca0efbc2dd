/* SPDX-License-Identifier: MIT */
/*
 * clock.c - chooses the clock, and measures its rate and the cost of a probe (R9).
 */
#include <sys/prctl.h>

#include "runtime.h"

/* Taken by one thread at a time; who finds it taken leaves it. */
static uint32_t marking, calibrating;

/* In a forked child: another thread of the parent may have held them. */
void clock_forked(void)
{
	marking = calibrating = 0;
}

/* Of the first pair of stamps, which forked children have from their parents. */
static struct origin {
	uint64_t realtime_ns;
	char space[32]; /* the time name space then, as the kernel calls it */
} origin;

static void read_space(char *space, size_t bytes)
{
	long n = SYS4(SYS_readlinkat, AT_FDCWD, "/proc/self/ns/time", space, bytes - 1);

	space[n > 0 ? n : 0] = '\0';
}

/* How far this process's CLOCK_MONOTONIC_RAW is ahead of the one of the first pair: a child may be
 * in another time name space. */
static int64_t shift_ns(const struct cinstr_header *parent)
{
	uint64_t ns = sys_clock_ns(CLOCK_MONOTONIC_RAW), since;
	char space[sizeof(origin.space)];

	read_space(space, sizeof(space));
	if (!ns || string_equal(space, origin.space)) /* 0: a filter forbids to ask */
		return 0;
	arch_copy(origin.space, space, sizeof(space));
	since = cinstr.clock != CINSTR_CLOCK_TSC
			? sys_clock_ns(CLOCK_REALTIME) - origin.realtime_ns
			: (uint64_t)(((unsigned __int128)(clock_now() - parent->clock_ticks[0]) << 20) /
				     ticks_per_ns());
	return (int64_t)(ns - parent->clock_ns[0] - since);
}

void clock_inherit(const struct cinstr_header *parent)
{
	int64_t shift = shift_ns(parent);

	cinstr.header->clock_ticks[0] = parent->clock_ticks[0];
	cinstr.header->clock_ns[0] = parent->clock_ns[0] + (uint64_t)shift;
	if (cinstr.clock != CINSTR_CLOCK_TSC)
		cinstr.header->clock_ticks[0] += (uint64_t)shift;
}

#define CALIBRATION_LOOPS 40 /* two records each, well below the size */
#define CONTEXT_LOOPS 8
#define CONTEXT_PASSES 16

/* By whoever started the program. */
static int is_forbidden(void)
{
	int mode = PR_TSC_ENABLE;

	return !SYS2(SYS_prctl, PR_GET_TSC, &mode) && mode == PR_TSC_SIGSEGV;
}

void clock_choose(void)
{
	static const char *const words[] = { "auto", "tsc", "monotonic", NULL };
	int word = option_word(CINSTR_OPTION_CLOCK, words);

	cinstr.clock = CINSTR_CLOCK_TSC;
#ifdef CINSTR_VIRTUAL
	virtual_begin();
	return;
#endif
	if (word != 2 && is_forbidden()) {
		cinstr.clock = CINSTR_CLOCK_MONOTONIC_RAW;
		cinstr_say("the program may not read the TSC (PR_SET_TSC): CLOCK_MONOTONIC_RAW is used "
			   "instead, probes cost more",
			   NULL, 0);
	} else if (word == 2) {
		cinstr.clock = CINSTR_CLOCK_MONOTONIC_RAW;
	} else if (word == 0 && !arch_ticks_invariant()) {
		cinstr.clock = CINSTR_CLOCK_MONOTONIC_RAW;
		cinstr_say("the TSC of this processor is not invariant: CLOCK_MONOTONIC_RAW is used instead, "
			   "probes cost more (CINSTR_CLOCK=tsc uses it all the same)",
			   NULL, 0);
	}
}

/*
 * Reads both clocks at one moment: the tightest of some tries. which: enum of header.clock_ticks.
 * Two threads may do it at once: the loser leaves it.
 */
void clock_mark(int which)
{
	uint64_t best = UINT64_MAX, ticks = 0, ns = 0;

	if (atomic_swap(&marking, 1))
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
	if (!ns) /* a filter forbids to ask */
		goto out;
	cinstr.header->clock_ticks[which] = ticks;
	cinstr.header->clock_ns[which] = ns;
	if (which == 0) {
		origin.realtime_ns = sys_clock_ns(CLOCK_REALTIME);
		read_space(origin.space, sizeof(origin.space));
	}
	if (which > 0 && ns > cinstr.header->clock_ns[0])
		atomic_store_relaxed(&cinstr.ticks_per_ns,
				     (uint64_t)(((unsigned __int128)(ticks - cinstr.header->clock_ticks[0])
						 << 20) /
						(ns - cinstr.header->clock_ns[0])));
out:
	atomic_store_release(&marking, 0); /* the swap above */
}

/* ---- calibration ----------------------------------------------------------------------------- */

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

	/* lines came with a library: for the rounds before, too */
	if (c->rounds && !c->sum[cost]) {
		c->sum[cost] = value * c->rounds;
		c->minimum[cost] = value;
	}
	c->sum[cost] += value;
	if (!c->rounds || value < c->minimum[cost])
		c->minimum[cost] = value;
	if (value > c->maximum[cost])
		c->maximum[cost] = value;
}

/* The thread's probes write into the scratch buffer, from its begin; returns what they did
 * before. */
static struct probe_state begin_scratch(struct cinstr_record *scratch)
{
	struct probe_state *probe = &cinstr_probe;
	struct probe_state saved = *probe;

	scratch[0] = (struct cinstr_record){ .second = CINSTR_SECOND_PLAIN };
	probe->end = scratch + CALIBRATION_RECORDS - SLOW_RECORDS;
	probe->threshold = UINT64_MAX;
	probe->skip = 0;
	return saved;
}

static void rewind_scratch(struct cinstr_record *scratch)
{
	cinstr_probe.high = (uint32_t)(arch_ticks() >> 32);
	cinstr_probe.cursor = scratch + 1;
	thread_arm(&cinstr_probe);
}

static void end_scratch(struct probe_state *saved)
{
	saved->busy = cinstr_probe.busy;
	saved->control.tasks = cinstr_probe.control.tasks; /* another one may have set it */
	cinstr_probe = *saved;
	thread_arm(&cinstr_probe); /* or not, if recording is off */
}

typedef void (*loop_function)(long rounds);

static loop_function loop_of(uint32_t routine)
{
	return (loop_function)(uintptr_t)(thunks_code(cinstr.any_thunks) + routine);
}

/* One loop of the template on a scratch buffer; splits its intervals by the kind of the record that
 * begins them. */
static void measure(uint32_t routine, struct cinstr_record *scratch, uint64_t *own, uint64_t *other)
{
	static struct series first, second; /* one thread at a time, see calibrate */
	struct probe_state saved = begin_scratch(scratch);
	const struct cinstr_record *end;

	first.n = second.n = 0;
	for (int pass = 0; pass < 2; pass++) { /* the first one warms up */
		rewind_scratch(scratch);
		loop_of(routine)(CALIBRATION_LOOPS);
	}
	end = cinstr_probe.cursor;
	end_scratch(&saved);
	/* by a task that uses this memory */
	if (end < scratch || end > scratch + CALIBRATION_RECORDS)
		end = scratch;
	for (const struct cinstr_record *r = scratch + 3; r < end; r++) {
		uint32_t kind = CINSTR_CODE_KIND(r[-1].code);
		struct series *s = kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_ENTER ? &first : &second;

		if (CINSTR_CODE_KIND(r->code) != kind || kind == CINSTR_EV_LINE)
			s->ticks[s->n++] = r->time_lo - r[-1].time_lo;
	}
	*own = typical(&first);
	*other = typical(&second);
}

/* Time of `loops` rounds of a routine, in 1/1024 ticks a round. */
static uint64_t time_of(uint32_t routine, struct cinstr_record *scratch, uint32_t loops)
{
	static struct series times;
	struct probe_state saved = begin_scratch(scratch);

	times.n = 0;
	for (int pass = 0; pass < CONTEXT_PASSES; pass++) {
		uint64_t begin;

		rewind_scratch(scratch);
		begin = arch_ticks_between();
		loop_of(routine)((long)loops);
		times.ticks[times.n++] = (uint32_t)(arch_ticks_between() - begin);
	}
	end_scratch(&saved);
	return typical(&times) / loops;
}

/* One round, measured: 0 where something disturbed it. */
struct round {
	uint64_t own[3], other[3]; /* by routine */
	uint64_t line;
	uint64_t alone, beside; /* see measure_contexts */
};

/* What probes cost a program depends on what it does around them. The two ends: nothing, and what
 * can wait. */
static void measure_contexts(struct cinstr_record *scratch, struct round *round)
{
	uint64_t alone = time_of(thunk_calibrate_call, scratch, 1);
	uint64_t alone_bare = time_of(thunk_calibrate_call_bare, scratch, 1);
	uint64_t beside = time_of(thunk_calibrate_serial, scratch, CONTEXT_LOOPS);
	uint64_t beside_bare = time_of(thunk_calibrate_serial_bare, scratch, CONTEXT_LOOPS);

	if (alone <= alone_bare || beside <= beside_bare)
		return;
	round->alone = alone - alone_bare;
	round->beside = beside - beside_bare;
}

/* 0, or -1: disturbed. */
static int measure_round(struct cinstr_record *scratch, struct round *round)
{
	const uint32_t routines[3] = { thunk_calibrate_call, thunk_calibrate_plain, thunk_calibrate_bare };
	uint64_t none;

	*round = (struct round){ 0 };
	for (int i = 0; i < 3; i++) {
		measure(routines[i], scratch, &round->own[i], &round->other[i]);
		if (!round->own[i] || !round->other[i])
			return -1;
	}
	measure_contexts(scratch, round);
	if (atomic_load_relaxed(&cinstr.has_lines))
		measure(thunk_calibrate_line, scratch, &none, &round->line);
	return 0;
}

static uint64_t pair_ticks[2];

static uint64_t pair_of(enum cinstr_cost both, enum cinstr_cost one)
{
	const struct cinstr_calibration *c = &cinstr.header->calibration;

	return c->sum[both] > c->sum[one] ? (c->sum[both] - c->sum[one]) / c->rounds / 1024 : 0;
}

/* For other threads: sums are whole between two rounds only. */
static void tell_pairs(void)
{
	atomic_store_relaxed(&pair_ticks[0], pair_of(CINSTR_COST_CALL, CINSTR_COST_ENTER));
	atomic_store_relaxed(&pair_ticks[1], pair_of(CINSTR_COST_RETURN, CINSTR_COST_AFTER));
}

uint64_t clock_pair_ticks(int is_return)
{
	return atomic_load_relaxed(&pair_ticks[is_return]);
}

/* Nothing is measured in between: a kill there leaves sums that have one round more than is
 * counted. */
static void book_round(const struct round *round)
{
	static const uint8_t costs[3][2] = { { CINSTR_COST_CALL, CINSTR_COST_RETURN },
					     { CINSTR_COST_BEFORE, CINSTR_COST_AFTER },
					     { CINSTR_COST_ENTER, CINSTR_COST_EXIT } };
	struct cinstr_calibration *c = &cinstr.header->calibration;
	uint64_t call = round->own[0] + round->other[0];

	for (int i = 0; i < 3; i++) {
		book(costs[i][0], round->own[i]);
		book(costs[i][1], round->other[i]);
	}
	if (round->line)
		book(CINSTR_COST_LINE, round->line);
	c->call_squares += call * call;
	c->rounds++;
	tell_pairs();
	if (!round->alone)
		return;
	c->alone_sum += round->alone;
	c->beside_sum += round->beside;
	c->contexts++;
}

/*
 * Measures what an empty interval measures, by the kind of its begin, in this thread, with the
 * thunks themselves. With signals blocked and probe->busy set: a slow path within it returns at
 * once.
 *
 * The thread's scratch lies behind its buffer, so that a task that uses this memory, too, and is
 * not known of (tasks.c), comes to an end in both of them, whichever of two values of `cursor` and
 * `end` it sees.
 */
void calibrate(unsigned rounds)
{
	static struct cinstr_record without_thread[CALIBRATION_RECORDS];
	struct thread *thread = cinstr_probe.thread;
	struct cinstr_record *scratch = thread ? thread->buffer_end + SLOW_RECORDS : without_thread;
	struct round round;

	if (cinstr.clock != CINSTR_CLOCK_TSC || !cinstr.any_thunks ||
	    tasks_are_active(&cinstr_probe.control) || atomic_swap(&calibrating, 1))
		return;
	while (rounds-- > 0)
		if (!measure_round(scratch, &round))
			book_round(&round);
	atomic_store_release(&calibrating, 0); /* the swap above */
}

/* A call has four events, at (3 loop + alone) / 4: report/values/overhead.c. */
void clock_set_event_cost(void)
{
	const struct cinstr_calibration *c = &cinstr.header->calibration;
	uint64_t call, alone;

	if (!c->rounds)
		return;
	call = (c->sum[CINSTR_COST_CALL] + c->sum[CINSTR_COST_RETURN]) / c->rounds;
	alone = c->contexts ? c->alone_sum / c->contexts : call;
	cinstr.header->event_cost = (uint32_t)((3 * call + alone) / 16);
}
