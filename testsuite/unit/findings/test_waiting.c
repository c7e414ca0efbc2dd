/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings on what waits in loops, or is woken for nothing: where each of their limits lies. */
#include <string.h>

#include "finding_lab.h"

static void hot_is(struct advised *s, const char *name)
{
	s->entities[HOT].name = s->entities[HOT].assembler = name;
	s->entities[HOT].module = "/lib/libc.so.6";
}

/* Four threads for a second; worker, called so often, calls hot so often: all of its calls take
 * 400 ms together. Returns that row. */
static struct row *loop(struct advised *s, const char *hot, uint64_t calls, uint64_t of_worker)
{
	struct row *edge;

	begin(s, 1000);
	hot_is(s, hot);
	for (int i = 0; i < 4; i++)
		thread(s, 1000, 500, 0);
	row_of(s, EDGE_NO_CALLER, WORKER, of_worker, 4, NULL);
	edge = makes(s, WORKER, HOT, calls, 400, 100);
	return edge;
}

static void waits_in_a_loop(void)
{
	struct advised s = { 0 };

	loop(&s, "sched_yield", 1000, 50);
	tells(&s, "CF0104", "waits in a loop: sched_yield is called 1,000 times, 400 ms");
	takes_part(&s, "CF0104", 40);
	proposes(&s, "CF0104", "callers --sites");
	loop(&s, "pthread_mutex_trylock", 1000, 50);
	tells(&s, "CF0104", "waits in a loop: pthread_mutex_trylock is called 1,000 times, 400 ms");
	end(&s);
}

/* It takes 1,000 at one place, and 20 for each call of the function around it. */
static void is_no_loop(void)
{
	struct advised s = { 0 };

	loop(&s, "sched_yield", 999, 1);
	silent(&s, "CF0104");
	loop(&s, "sched_yield", 1019, 51);
	silent(&s, "CF0104");
	loop(&s, "sched_yield", 1020, 51);
	tells(&s, "CF0104", "waits in a loop: sched_yield is called 1,020 times, 400 ms");
	loop(&s, "sched_yield", 1000, 0); /* nobody knows how often it was called */
	silent(&s, "CF0104");
	loop(&s, "hot", 1000, 50);
	silent(&s, "CF0104");
	end(&s);
}

/* Who takes the lock `locks` times, and waits so often. */
static struct row *herd(struct advised *s, uint64_t waits, uint64_t locks)
{
	struct row *edge = loop(s, "pthread_cond_wait", waits, 4);

	edge->sums.application_inclusive = edge->sums.application_exclusive = 400 * MS;
	makes(s, WORKER, LOCK, locks, 1, 100);
	return edge;
}

static void woken_for_nothing(void)
{
	struct advised s = { 0 };

	herd(&s, 1000, 500);
	tells(&s, "CF0106",
	      "is woken for nothing: 1,000 waits of pthread_cond_wait for 500 locks; likely all are woken, "
	      "not one");
	takes_part(&s, "CF0106", 20);
	herd(&s, 1000, 250);
	takes_part(&s, "CF0106", 30);
	proposes(&s, "CF0106", "callers --sites");
	herd(&s, 999, 10);
	silent(&s, "CF0106");
	herd(&s, 1001, 501);
	silent(&s, "CF0106");
	end(&s);
}

/* How often is not known exactly, or no lock is taken. */
static void woken_by_whom(void)
{
	struct advised s = { 0 };

	herd(&s, 1000, 10)->are_calls_least = 1;
	silent(&s, "CF0106");
	herd(&s, 1000, 10)[1].are_calls_least = 1;
	silent(&s, "CF0106");
	loop(&s, "pthread_cond_wait", 1000, 4);
	silent(&s, "CF0106");
	herd(&s, 1000, 10);
	hot_is(&s, "hot");
	silent(&s, "CF0106");
	end(&s);
}

/* Who takes a lock to write so often; with `read`, another function is called, too, 5 times. */
static void writers(struct advised *s, uint64_t calls, const char *read)
{
	struct row *edge = loop(s, "pthread_rwlock_wrlock", calls, 4);

	edge->sums.application_inclusive = edge->sums.application_exclusive = 400 * MS;
	if (!read)
		return;
	s->entities[LOCK].name = s->entities[LOCK].assembler = read;
	makes(s, WORKER, LOCK, 5, 1, 100);
}

static void only_writes(void)
{
	struct advised s = { 0 };

	writers(&s, 1000, NULL);
	tells(&s, "CF0110",
	      "takes a read-write lock only to write: 1,000 calls, none in the program to read; a mutex "
	      "costs "
	      "less");
	proposes(&s, "CF0110", "callers --sites");
	writers(&s, 999, NULL);
	silent(&s, "CF0110");
	writers(&s, 1000, "pthread_rwlock_rdlock");
	silent(&s, "CF0110");
	writers(&s, 1000, "pthread_rwlock_tryrdlock");
	silent(&s, "CF0110");
	end(&s);
}

CU_TestInfo findings_waiting_tests[] = {
	{ "waits in a loop", waits_in_a_loop },
	{ "less is no loop", is_no_loop },
	{ "threads woken for nothing", woken_for_nothing },
	{ "not known to be woken for nothing", woken_by_whom },
	{ "read-write locks without readers", only_writes },
	CU_TEST_INFO_NULL,
};
