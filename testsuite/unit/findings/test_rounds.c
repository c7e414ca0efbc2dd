/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings on many small pieces of work with a wait after each: each with what is just enough for
 * it, and with a little less. */
#include "finding_lab.h"

/* ---- questions without an answer ------------------------------------------------------------- */

/* worker asks `asked` times, and waits by poll: for 2 ms, `vain` times for so long. */
static void asks(struct advised *s, uint64_t asked, uint64_t vain, long double limit_ms)
{
	struct row *poll;

	begin(s, 1000);
	thread(s, 1000, 10, 0);
	poll = makes(s, WORKER, POLL, 100 - vain, 0, 2e6L);
	durations_add(&poll->durations, limit_ms * MS, vain);
	poll->calls = 100;
	takes(poll, 2 * (100 - (long double)vain) + limit_ms * (long double)vain,
	      2 * (100 - (long double)vain) + limit_ms * (long double)vain, 0);
	makes(s, WORKER, WRITE, asked, 1, 1000);
	makes(s, WORKER, READ, 100 - vain, 1, 1000);
}

static void unanswered(void)
{
	struct advised s = { 0 };

	asks(&s, 100, 5, 50);
	tells(&s, "CF0334",
	      "5 of 100 questions get no answer: poll waits 50.7 ms for each, until its limit; ask first who "
	      "has answered before");
	asks(&s, 100, 4, 50);
	silent(&s, "CF0334");
	asks(&s, 84, 50, 10);
	takes_part(&s, "CF0334", 50.173964L);
	asks(&s, 83, 50, 10); /* it waits for something else, too */
	silent(&s, "CF0334");
	asks(&s, 121, 50, 10);
	silent(&s, "CF0334");
	asks(&s, 100, 50, 3); /* some answers are not read */
	silent(&s, "CF0334");
	asks(&s, 100, 50, 10);
	durations_add(&s.rows[0].durations, 6e6L, 20); /* not all of the longest are as long */
	silent(&s, "CF0334");
	asks(&s, 100, 0, 10); /* a read that fails has no answer: recv with a limit of its own */
	s.counts[2].inclusive.moved[CINSTR_AMOUNT_READ].failed = 5;
	durations_add(&s.rows[0].durations, 80e6L, 5);
	s.rows[0].sums.off_cpu_exclusive = 600 * MS;
	takes_part(&s, "CF0334", 41.330532L);
	end(&s);
}

/* ---- parallel regions ------------------------------------------------------------------------ */

/* worker begins so many regions in 200 ms, in which two threads compute for so long. */
static void begins(struct advised *s, uint64_t regions, long double work_ms)
{
	struct row *region;

	begin(s, 1000);
	thread(s, 1000, 1000, 0);
	s->entities[HOT].name = s->entities[HOT].assembler = "GOMP_parallel";
	makes(s, WORKER, HOT, regions, 200, 1000);
	region = row_of(s, EDGE_NO_CALLER, REGION, 2 * regions, 2, NULL);
	takes(region, work_ms, 0, 0);
}

static void regions(void)
{
	struct advised s = { 0 };

	begins(&s, 1000, 0.2L);
	tells(&s, "CF0407",
	      "begins a parallel region 1,000 times, 200 us each for 100 ns of computing in a thread; share "
	      "out "
	      "the loop around it");
	takes_part(&s, "CF0407", 19.99L);
	begins(&s, 999, 0.2L);
	silent(&s, "CF0407");
	begins(&s, 1000, 20);
	takes_part(&s, "CF0407", 19);
	begins(&s, 1000, 20.1L); /* of 10 us */
	silent(&s, "CF0407");
	begins(&s, 20000, 200);
	takes_part(&s, "CF0407", 10);
	begins(&s, 20000, 201); /* of half of the time */
	silent(&s, "CF0407");
	begins(&s, 1000, 0.2L);
	s.rows[1].calls = 999; /* it is another one */
	silent(&s, "CF0407");
	end(&s);
}

/* worker, in two threads, waits so often at a barrier, 200 ms in all, and computes for so long. */
static void meets(struct advised *s, uint64_t barriers, long double work_ms)
{
	struct row *worker;

	begin(s, 1000);
	thread(s, 1000, 1000, 0);
	s->entities[HOT].name = s->entities[HOT].assembler = "GOMP_barrier";
	worker = row_of(s, EDGE_NO_CALLER, WORKER, 2, 2, NULL);
	takes(worker, 200 + work_ms, 0, 0);
	worker->place = NAMES_NONE;
	makes(s, WORKER, HOT, barriers, 200, 1000);
}

static void barriers(void)
{
	struct advised s = { 0 };

	meets(&s, 1000, 10);
	tells(&s, "CF0407",
	      "waits for the other threads 1,000 times, 200 us each, and computes 10.0 us in between; share "
	      "out "
	      "the loop around it");
	takes_part(&s, "CF0407", 20);
	meets(&s, 1000, 10.1L);
	silent(&s, "CF0407");
	meets(&s, 999, 1);
	silent(&s, "CF0407");
	meets(&s, 100000, 200);
	takes_part(&s, "CF0407", 20);
	meets(&s, 100000, 201); /* it computes most of the time */
	silent(&s, "CF0407");
	end(&s);
}

/* ---- processes that hand over one thing at a time -------------------------------------------- */

static struct wait_object objects[] = {
	{ .address = 0x1000, .pid = 1, .kind = CINSTR_OBJECT_SEMAPHORE, .n = 1 },
	{ .address = 0x1020, .pid = 2, .kind = CINSTR_OBJECT_SEMAPHORE, .n = 1 },
};
static struct wait_fact waits[2];

/* Two processes wait so often, 400 ms each, and compute for so long. */
static void exchange(struct advised *s, uint64_t first, uint64_t second, long double work_ms)
{
	begin(s, 1000);
	for (uint32_t i = 0; i < 2; i++) {
		thread(s, 1000, work_ms, 0);
		s->threads[i].pid = i + 1;
		waits[i] = (struct wait_fact){ .object = i,
					       .waiter = { .entity = WORKER },
					       .giver = { .entity = NAMES_NONE },
					       .waiter_tid = i + 2,
					       .waits = i ? second : first,
					       .ns = 400 * MS };
	}
	s->edges.waits = (struct wait_facts){ .objects = objects, .n_objects = 2, .list = waits, .n = 2 };
	objects[1].address = 0x1020;
	row_of(s, WORKER, LOCK, 1000, 1, NULL)->sums.off_cpu_inclusive = 400 * MS;
}

static void processes_by_turns(void)
{
	struct advised s = { 0 };

	exchange(&s, 500, 1000, 20);
	tells(&s, "CF0111",
	      "exchanges one thing at a time with another process: 500 waits of 800 us for it, 1,000 of its "
	      "own; "
	      "let more than one be under way");
	takes_part(&s, "CF0111", 40);
	exchange(&s, 499, 900, 10);
	silent(&s, "CF0111");
	exchange(&s, 500, 1001, 10);
	silent(&s, "CF0111");
	exchange(&s, 500, 1000, 20.1L);
	silent(&s, "CF0111");
	exchange(&s, 500, 1000, 20);
	objects[1].address = 0x8000; /* the same place, mapped elsewhere: a lock */
	silent(&s, "CF0111");
	exchange(&s, 500, 1000, 20);
	waits[1].known = WAIT_KNOWN_THREAD; /* a thread of its own */
	silent(&s, "CF0111");
	end(&s);
}

/* Semaphores that nobody in the process is known to have posted are no locks: CF0103 is silent. */
static void semaphores_of_processes(void)
{
	exchange(&(struct advised){ 0 }, 500, 500, 20);
	CU_ASSERT(wait_facts_is_signal(&(struct wait_facts){ .objects = objects, .list = waits, .n = 2 },
				       WORKER));
	waits[0].known = waits[1].known = WAIT_KNOWN_CALL;
	waits[0].giver.entity = waits[1].giver.entity = WORKER;
	CU_ASSERT(!wait_facts_is_signal(&(struct wait_facts){ .objects = objects, .list = waits, .n = 2 },
					WORKER));
}

CU_TestInfo findings_rounds_tests[] = {
	{ "questions without an answer", unanswered },
	{ "parallel regions that hardly work", regions },
	{ "barriers with little in between", barriers },
	{ "processes by turns", processes_by_turns },
	{ "semaphores that other processes post", semaphores_of_processes },
	CU_TEST_INFO_NULL,
};
