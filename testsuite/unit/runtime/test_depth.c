/* SPDX-License-Identifier: MIT */
/*
 * test_depth.c - which events are recorded when only so many levels of functions are
 * (runtime/choice/depth.c): random programs whose stack is known, which jump, and have handlers of
 * signals on a stack of their own.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* not tests.h: what the command calls a module is another thing */
#include "choice_stubs.h"
#include "choice/rules.h"

extern CU_TestInfo depth_tests[];

#define FRAMES 40
#define ALTERNATE_BYTES 65536

struct frame {
	uint64_t sp;   /* as its entry and exit have it */
	uint64_t size; /* callees are so far below */
};

static struct frame frames[FRAMES];
static uint32_t n;	    /* frames that are open */
static uint32_t n_handlers; /* from that frame on they are a handler's; 0: there is none */
static uint64_t state, main_stack;
static char alternate[ALTERNATE_BYTES];
static struct thread thread;
static struct probe_state probe;
static struct cinstr_thread record;

static uint32_t below(uint32_t max)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % max;
}

/* Runs the event, as the slow path does, unless its probe leaves at once. Returns whether it is
 * recorded. */
static int event(uint32_t kind, uint64_t sp)
{
	struct control_event e = { .code = 0x100 + kind, .sp = sp };

	if (probe.skip && sp < probe.skip)
		return 0;
	depth_open(&probe);
	e.silent = !depth_before(&probe, &e);
	depth_behind(&probe, &e);
	depth_close(&probe);
	return !e.silent;
}

static void enter(uint32_t depth)
{
	struct frame *f = &frames[n];
	int is_recorded;

	f->sp = n ? frames[n - 1].sp - frames[n - 1].size : main_stack;
	f->size = 16 + 16 * below(20);
	is_recorded = event(CINSTR_EV_ENTER, f->sp);
	CU_ASSERT_EQUAL(is_recorded, !depth || n < depth);
	n++;
}

static void leave(uint32_t depth)
{
	int is_recorded = event(below(4) ? CINSTR_EV_EXIT : CINSTR_EV_TAIL, frames[n - 1].sp);

	n--;
	CU_ASSERT_EQUAL(is_recorded, !depth || n < depth);
	if (n < n_handlers)
		n_handlers = 0;
}

/* A call of a function without probes: an event within the innermost frame. */
static void call(uint32_t depth)
{
	int is_recorded = event(CINSTR_EV_BEFORE, frames[n - 1].sp - frames[n - 1].size / 2);

	CU_ASSERT_EQUAL(is_recorded, !depth || n < depth);
}

/* A handler on a stack of its own, which is above the program's, or below it. */
static void interrupt(uint32_t depth)
{
	struct frame *f = &frames[n];

	f->sp = (uint64_t)alternate + ALTERNATE_BYTES - 256;
	f->size = 64;
	n_handlers = n;
	CU_ASSERT_EQUAL(event(CINSTR_EV_ENTER, f->sp), !depth || n < depth);
	n++;
}

static void step(uint32_t depth)
{
	uint32_t what = below(100);

	if (!n || (what < 40 && n < FRAMES - 2))
		enter(depth);
	else if (what < 75)
		leave(depth);
	else if (what < 85)
		call(depth);
	else if (what < 90 && !n_handlers && n > 1 && n < FRAMES - 2)
		interrupt(depth);
	else if (what < 95 && n > 1) { /* longjmp; what follows tells */
		n -= below(n);
		if (n <= n_handlers)
			n_handlers = 0;
		call(depth);
	}
}

static void begin(uint64_t seed, uint32_t depth, int is_above)
{
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };

	state = seed * 77 + 5;
	CU_ASSERT_EQUAL(sigaltstack(&stack, NULL), 0);
	main_stack = is_above ? (uint64_t)alternate + 16 * ALTERNATE_BYTES : (uint64_t)alternate - 4096;
	memset(&thread, 0, sizeof(thread));
	memset(&probe, 0, sizeof(probe));
	thread.record = &record;
	thread.probe = &probe;
	probe.thread = &thread;
	rules_depth = depth;
	n = n_handlers = 0;
}

static void random_programs(void)
{
	for (uint64_t seed = 1; seed <= 400; seed++) {
		uint32_t depth = below(5);

		begin(seed, depth, seed % 2);
		for (int i = 0; i < 300; i++)
			step(depth);
	}
	rules_depth = 0;
}

/* In a forked child the thread is as deep as its parent's. */
static void forked(void)
{
	static struct thread child;
	static struct probe_state child_probe;

	begin(7, 3, 1);
	for (int i = 0; i < 6; i++)
		enter(3);
	memset(&child, 0, sizeof(child));
	child_probe.thread = &child;
	depth_forked(&child_probe, &thread);
	CU_ASSERT_EQUAL(child.n_levels, 3);
	CU_ASSERT_EQUAL(child.depth, 3);
	CU_ASSERT_EQUAL(memcmp(child.levels, thread.levels, 3 * sizeof(child.levels[0])), 0);
	CU_ASSERT_EQUAL(child_probe.control.deep, frames[2].sp);
	depth_forked(&child_probe, NULL);
	CU_ASSERT_EQUAL(child_probe.control.deep, 0);
	rules_depth = 0;
}

CU_TestInfo depth_tests[] = {
	{ "levels of random programs", random_programs },
	{ "a forked child is as deep", forked },
	CU_TEST_INFO_NULL,
};
