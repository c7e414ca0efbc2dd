/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings on threads: what each has done, and what is told of them. */
#include <stdlib.h>
#include <string.h>

#include "finding_lab.h"

/* ---- unequal work ---------------------------------------------------------------------------- */

/* Four threads; the others wait for the first one, or for a processor. */
static void four(struct advised *s, int are_kept_from_it)
{
	begin(s, 1000);
	thread(s, 1000, 850, 50);
	for (int i = 0; i < 3; i++)
		thread(s, 1000, 200, are_kept_from_it ? 700 : 50);
}

static void unequal_work(void)
{
	struct advised s = { 0 };

	four(&s, 0);
	tells(&s, "CF0401",
	      "the 4 threads that began with it have unequal work: the one with most computes 850 ms, the "
	      "mean "
	      "is 362 ms, the least 200 ms");
	four(&s, 1);
	silent(&s, "CF0401");
}

static void unequal_samples(void)
{
	struct advised s = { 0 };

	four(&s, 0);
	sampled(&s);
	tells(&s, "CF0401",
	      "the 4 threads that began with it have unequal work: the one with most has 59 % of the "
	      "samples, "
	      "the mean is 25 %, the least 14 %");
	begin(&s, 1000); /* who has most was waiting for a while, for whatever it was */
	thread(&s, 1000, 700, 300);
	for (int i = 0; i < 3; i++)
		thread(&s, 1000, 100, 900);
	sampled(&s);
	silent(&s, "CF0401");
	for (int i = 1; i < 4; i++)
		s.threads[i].end = 400 * MS;
	tells(&s, "CF0401",
	      "the 4 threads that began with it have unequal work: the one with most has 70 % of the "
	      "samples, "
	      "the mean is 25 %, the least 10 %");
}

/* Four that have the same, as there are pieces for each, and two that are for something else. */
static void some_idle(void)
{
	struct advised s = { 0 };

	begin(&s, 1000);
	s.edges.system.processors = 8;
	for (int i = 0; i < 4; i++)
		thread(&s, 1000, 900 - i, 0);
	for (int i = 0; i < 2; i++)
		thread(&s, 1000, 3, 0);
	silent(&s, "CF0401");
	silent(&s, "CF0402");
	s.threads[0].off_cpu = 800 * MS;
	s.threads[1].off_cpu = 800 * MS;
	s.threads[2].off_cpu = 800 * MS;
	tells(&s, "CF0401",
	      "the 6 threads that began with it have unequal work: the one with most computes 897 ms, the "
	      "mean "
	      "is 250 ms, the least 3.00 ms");
}

/* ---- one works, the others wait -------------------------------------------------------------- */

/* main works for 300 ms, and two others do for 600 ms while it waits `waits` times. */
static void serial(struct advised *s, uint64_t waits)
{
	begin(s, 1000);
	for (int i = 0; i < 3; i++) {
		thread(s, 1000, i ? 600 : 300, 0);
		s->threads[i].for_others = (i ? 400 : 700) * MS;
	}
	s->threads[0].tid = s->threads[0].pid;
	s->threads[0].chain[0] = MAIN;
	s->threads[0].waits = waits;
}

static void serial_parts(void)
{
	struct advised s = { 0 };

	serial(&s, 10);
	tells(&s, "CF0403", "computes 300 ms, 30 % of its time, while 2 other threads wait or have ended");
	row_of(&s, EDGE_NO_CALLER, MAIN, 1, 1, NULL)->sums.application_inclusive = 300 * MS;
	tells(&s, "CF0403", "computes 300 ms, 30 % of its time, while 2 other threads wait or have ended");
	row_of(&s, EDGE_NO_CALLER, WORKER, 1, 1, NULL)->sums.application_inclusive = 150 * MS;
	row_of(&s, MAIN, WORKER, 1, 1, "0x10")->sums.application_inclusive = 150 * MS;
	tells(&s, "CF0403",
	      "computes 300 ms, 30 % of its time, while 2 other threads wait or have ended; most of it in "
	      "worker");
	s.rows[2].sums.application_inclusive = 149 * MS;
	tells(&s, "CF0403", "computes 300 ms, 30 % of its time, while 2 other threads wait or have ended");
	serial(&s, 20000); /* it gives them work, a little at a time */
	silent(&s, "CF0403");
}

/* A fifth of its work and that of the thread with most; the others wait for four fifths of it, and
 * it for them; what they do at other times is a fifth of it. */
static void serial_limits(void)
{
	static const char *const text =
		"computes 150 ms, 15 % of its time, while 2 other threads wait or have ended";
	struct advised s = { 0 };

	serial(&s, 750); /* 200 us between two waits */
	s.threads[0].off_cpu = 850 * MS;
	s.threads[0].for_others = 850 * MS;
	tells(&s, "CF0403", text);
	s.threads[0].waits = 751;
	silent(&s, "CF0403");
	s.threads[0].waits = 750;
	s.threads[0].off_cpu = 850.1L * MS;
	silent(&s, "CF0403");
	s.threads[0].off_cpu = 850 * MS;
	s.threads[1].for_others = 120 * MS;
	s.threads[2].for_others = 300 * MS;
	s.threads[0].for_others = 850 * MS;
	tells(&s, "CF0403", text);
	s.threads[1].for_others = 119 * MS;
	silent(&s, "CF0403");
	s.threads[1].for_others = 119 * MS;
	s.threads[1].begin = 1 * MS; /* it was not there either */
	tells(&s, "CF0403", text);
	serial(&s, 1);
	s.threads[0].off_cpu = 500 * MS;
	s.threads[0].for_others = 500 * MS;
	s.threads[1].off_cpu = s.threads[2].off_cpu = 950 * MS;
	tells(&s, "CF0403", "computes 500 ms, 50 % of its time, while 2 other threads wait or have ended");
	s.threads[2].off_cpu = 950.1L * MS;
	silent(&s, "CF0403");
	serial(&s, 1);
	s.edges.thread_facts.n = 2; /* one other thread is no team */
	silent(&s, "CF0403");
	end(&s);
}

/* ---- rounds, jobs ---------------------------------------------------------------------------- */

/* Two at a time, three times: one of them has three times as much. */
static void rounds(struct advised *s)
{
	begin(s, 600);
	for (int i = 0; i < 6; i++) {
		thread(s, 200, i % 2 ? 60 : 180, 0);
		s->threads[i].begin = 200 * (i / 2) * MS;
		s->threads[i].end = s->threads[i].begin + 200 * MS;
	}
}

static void rounds_of_threads(void)
{
	struct advised s = { 0 };

	rounds(&s);
	tells(&s, "CF0401",
	      "2 threads at a time, 3 times, share the work unevenly: the longest computes 1.5 times the "
	      "mean, 180 "
	      "ms, the others wait for it");
	takes_part(&s, "CF0401", 30);
	s.entities[HOT].assembler = "_ZNSt13__future_base17_Async_state_implIFvvEE6_M_runEv";
	for (int i = 0; i < 6; i++) { /* tasks are no shares */
		s.threads[i].n_chain = 2;
		s.threads[i].chain[1] = HOT;
	}
	silent(&s, "CF0401");
	s.entities[HOT].assembler = "hot";
	tells(&s, "CF0401",
	      "2 threads at a time, 3 times, share the work unevenly: the longest computes 1.5 times the "
	      "mean, 180 "
	      "ms, the others wait for it");
	s.threads[0].n_work = s.threads[1].n_work = 2; /* they are for different things */
	s.threads[0].work[1] = HOT;
	s.threads[1].work[1] = WORKER;
	s.entities[HOT].module = "/app";
	s.threads[1].work[1] = MAIN;
	silent(&s, "CF0401");
	s.threads[1].off_cpu = 195 * MS; /* but one hardly does anything */
	s.threads[3].off_cpu = s.threads[5].off_cpu = 195 * MS;
	tells(&s, "CF0402",
	      "2 threads at a time, 3 times, of which 50 in 100 do next to nothing: the longest computes 1.9 "
	      "times the "
	      "mean, 180 ms, the others wait for it");
	end(&s);
}

/* ---- teams ----------------------------------------------------------------------------------- */

/* A parallel region of two threads, which compute, of which one has `most` of all. */
static void team(struct advised *s, long double all_ms, long double most_ms)
{
	struct row *row;

	begin(s, 1000);
	thread(s, 1000, 1000, 0);
	process(s, 1, 0, 0, 1000);
	row = row_of(s, EDGE_NO_CALLER, REGION, 2, 2, NULL);
	takes(row, all_ms, 0, 0);
	s->shares[0].most[SHARE_ELAPSED] = s->shares[0].most[SHARE_CPU] = most_ms * MS;
}

static void teams(void)
{
	struct advised s = { 0 };

	team(&s, 400, 250); /* 1.25 times the mean */
	tells(&s, "CF0401",
	      "its 2 threads have unequal work, and wait for the one with most: that computes 250 ms, the "
	      "mean is "
	      "200 ms");
	takes_part(&s, "CF0401", 5);
	s.shares[0].most[SHARE_ELAPSED] = 249 * MS; /* others had the processor of the others */
	silent(&s, "CF0401");
	team(&s, 400, 249);
	silent(&s, "CF0401");
	team(&s, 400, 250);
	s.shares[0].threads = 1;
	silent(&s, "CF0401");
	team(&s, 400, 250);
	process(&s, 2, 1, 0, 10);
	silent(&s, "CF0401");
	end(&s);
}

/* ---- processors ------------------------------------------------------------------------------ */

static void more_threads_than_processors(void)
{
	struct advised s = { 0 };

	begin(&s, 1000);
	for (int i = 0; i < 4; i++)
		thread(&s, 1000, 480, 510);
	makes(&s, EDGE_NO_CALLER, WORKER, 1, 0, 0)->os->exclusive.of[OS_INVOLUNTARY] = 400;
	tells(&s, "CF0310",
	      "4.0 threads at a time are ready to run, on 2 processors: they wait for one 52 % of that time");
	begin(&s, 1000);
	for (int i = 0; i < 4; i++)
		thread(&s, 1000, 190, 800);
	makes(&s, EDGE_NO_CALLER, WORKER, 1, 0, 0)->os->exclusive.of[OS_INVOLUNTARY] = 400;
	tells(&s, "CF0310",
	      "4.0 threads at a time are ready to run, on 2 processors: they wait for one 81 % of that time, "
	      "at most 50 % for one another, the rest for other programs");
	begin(&s, 1000); /* another program has the processors */
	thread(&s, 1000, 100, 900);
	thread(&s, 1000, 100, 900);
	thread(&s, 1000, 100, 900);
	s.edges.system.processors = 3;
	silent(&s, "CF0310");
}

/* ---- what one thread has --------------------------------------------------------------------- */

/* A function that all threads are in for long has no time without an event of the system. */
static void of_the_thread_with_most(void)
{
	static const uint32_t callers[] = { EDGE_NO_CALLER, EDGE_NO_CALLER, EDGE_NO_CALLER, WORKER };
	static const uint32_t callees[] = { MAIN, WORKER, HOT, HOT };
	struct advised s = { 0 };
	long double percent = 0;
	char *text;

	begin(&s, 1000);
	for (int i = 0; i < 4; i++)
		thread(&s, 1000, 250, 700);
	for (size_t i = 0; i < ARRAY_SIZE(callees); i++) {
		struct row *row = &s.rows[s.edges.n_rows++];

		*row = (struct row){ .name = s.entities[callees[i]].name,
				     .module = s.entities[callees[i]].module,
				     .entity = callees[i],
				     .caller = callers[i],
				     .place = callers[i],
				     .calls = 100,
				     .sums = { .elapsed_inclusive = 4000 * MS,
					       .off_cpu_inclusive = 3000 * MS,
					       .elapsed_exclusive = MS } };
		if (callees[i] == HOT) {
			row->sums.elapsed_exclusive = 3980 * MS;
			row->sums.off_cpu_exclusive = 3000 * MS;
		}
		s.shares[i] = (struct thread_share){
			.most = { [SHARE_ELAPSED] = 1000 * MS, [SHARE_CPU] = 250 * MS }, .threads = 4
		};
	}
	s.edges.shares.size = s.edges.n_rows;
	text = told(&s, "CF0209", &percent);
	CU_ASSERT_PTR_NOT_NULL(text);
	CU_ASSERT(percent > 80 && percent < 110);
	free(text);
	for (size_t i = 0; i < 4; i++) { /* one after another: each has a quarter of the time */
		s.threads[i].begin = 250 * MS * (long double)i;
		s.threads[i].end = s.threads[i].begin + 250 * MS;
		s.threads[i].elapsed = 250 * MS;
		s.threads[i].off_cpu = s.threads[i].preempted = 0;
	}
	s.edges.totals.facts.waits.off_cpu[WAIT_PREEMPTED] = 0;
	takes_part(&s, "CF0209", 98);
	s.threads[3].begin -= MS; /* two at a time */
	takes_part(&s, "CF0209", 49);
}

/* ---- locks ----------------------------------------------------------------------------------- */

/* worker takes a lock and calls hot, in so many threads, and computes by itself elsewhere; all of
 * it loses its processor now and then. */
static void locked(struct advised *s, uint32_t threads, uint64_t waits, long double waited_ms)
{
	struct row *lock;

	begin(s, 1000);
	for (uint32_t i = 0; i < threads; i++)
		thread(s, 1000, 100, 200);
	takes(row_of(s, EDGE_NO_CALLER, WORKER, 4, threads, NULL), 600, 500, 500);
	takes(row_of(s, EDGE_NO_CALLER, HOT, 100000, threads, NULL), 200, 0, 0);
	takes(row_of(s, EDGE_NO_CALLER, LOCK, 100000, threads, NULL), waited_ms, waited_ms, 0);
	row_of(s, EDGE_NO_CALLER, UNLOCK, 100000, threads, NULL);
	lock = row_of(s, WORKER, LOCK, 100000, threads, "0x10");
	takes(lock, waited_ms, waited_ms, 0);
	lock->os = &s->os;
	s->os.inclusive.of[OS_VOLUNTARY] = waits;
	s->shares[s->edges.n_rows - 1].most[SHARE_OFF_CPU] = waited_ms * MS / threads;
	takes(row_of(s, WORKER, HOT, 100000, threads, "0x20"), 200, 0, 0);
	row_of(s, WORKER, UNLOCK, 100000, threads, "0x30");
}

/* What one thread has: not what another one waits at another place. */
static void gain_of_locks(void)
{
	struct advised s = { 0 };
	long double percent = 0;
	struct row *lock;

	locked(&s, 4, 500, 900);
	lock = row_of(&s, MAIN, LOCK, 1000, 1, "0x50");
	takes(lock, 100, 100, 0);
	lock->os = &s.os;
	s.shares[s.edges.n_rows - 1].most[SHARE_OFF_CPU] = 100 * MS;
	free(told(&s, "CF0101", &percent));
	CU_ASSERT(percent > 22 && percent < 23);
}

static void holders_of_locks(void)
{
	struct advised s = { 0 };

	locked(&s, 4, 500, 900);
	tells(&s, "CF0101",
	      "waits for a lock: 900 ms in 4 threads, 500 waits; likely held by worker while it is in hot");
	locked(&s, 1, 2000, 900); /* who waits alone does not hold it meanwhile */
	tells(&s, "CF0101", "waits for a lock: 900 ms in 1 thread, 2,000 waits");
	locked(&s, 4, 7, 900);
	takes(&s.rows[5], 2, 0, 0); /* next to nothing: who held it had lost its processor */
	takes(&s.rows[0], 600, 590, 590);
	silent(&s, "CF0101");
	locked(&s, 4, 7, 900); /* held for long */
	takes(&s.rows[0], 600, 590, 590);
	tells(&s, "CF0101",
	      "waits for a lock: 900 ms in 4 threads, 7 waits; likely held by worker while it is in hot");
}

/* ---- threads that hardly live ---------------------------------------------------------------- */

/* worker starts so many threads in 300 ms and waits for their ends for 100 ms; together they
 * compute for so long. */
static void starts(struct advised *s, uint64_t threads, long double work_ms)
{
	begin(s, 1000);
	thread(s, 1000, 1000, 0);
	s->threads[0].tid = s->threads[0].pid; /* the first one is not started */
	thread(s, 1000, work_ms, 0);
	s->entities[HOT].assembler = "pthread_create";
	s->entities[OPEN].assembler = "pthread_join";
	makes(s, WORKER, HOT, threads, 300, 2000);
	makes(s, WORKER, OPEN, threads, 100, 2000);
}

/* 200, of less than 1 ms, which is less than half of what they cost. */
static void threads_that_hardly_live(void)
{
	struct advised s = { 0 };

	starts(&s, 1000, 20);
	tells(&s, "CF0404",
	      "starts 1,000 threads that hardly live: each computes 20.0 us, and takes 400 us to start and to "
	      "end");
	takes_part(&s, "CF0404", 40);
	starts(&s, 199, 20);
	silent(&s, "CF0404");
	starts(&s, 200, 199);
	tells(&s, "CF0404",
	      "starts 200 threads that hardly live: each computes 995 us, and takes 2.00 ms to start and to "
	      "end");
	starts(&s, 200, 201);
	silent(&s, "CF0404");
	starts(&s, 1000, 399); /* of two at once */
	tells(&s, "CF0404",
	      "starts 1,000 threads that hardly live: each computes 399 us, and takes 400 us to start and to "
	      "end");
	starts(&s, 1000, 401);
	silent(&s, "CF0404");
	end(&s);
}

/* ---- threads one after another --------------------------------------------------------------- */

/* worker starts n threads, each when the one before has ended, which live for 80 ms each, and waits
 * for others for so long. */
static void starts_in_turn(struct advised *s, size_t n, long double awaited_ms)
{
	begin(s, 1000);
	thread(s, 1000, 400, 0);
	s->threads[0].tid = s->threads[0].pid;
	s->threads[0].for_others = awaited_ms * MS;
	for (size_t i = 0; i < n; i++) {
		thread(s, 80, 80, 0);
		s->threads[1 + i].begin = 90 * MS * (long double)i;
		s->threads[1 + i].end = s->threads[1 + i].begin + 80 * MS;
	}
	s->entities[HOT].assembler = "pthread_create";
	takes(row_of(s, EDGE_NO_CALLER, HOT, n, 1, NULL), 1, 0, 0);
	makes(s, WORKER, HOT, n, 1, 2000);
}

/* Ten, and as long as 80 % of them are waited for and side by side with no other one. */
static void threads_in_turn(void)
{
	struct advised s = { 0 };

	starts_in_turn(&s, 10, 640);
	tells(&s, "CF0405",
	      "starts 10 threads one after another, 80.0 ms each: waits for each before it starts the next; "
	      "start several, then wait");
	takes_part(&s, "CF0405", 80);
	proposes(&s, "CF0405", "callers --sites");
	s.threads[0].preempted = MS; /* it has work beside that of the threads */
	silent(&s, "CF0405");
	s.threads[0].preempted = 0;
	s.threads[0].for_others = 40 * MS;
	s.threads[0].in_once = 600 * MS; /* of std::async */
	takes_part(&s, "CF0405", 80);
	s.threads[0].in_once = 599 * MS;
	silent(&s, "CF0405");
	starts_in_turn(&s, 9, 640);
	silent(&s, "CF0405");
	starts_in_turn(&s, 10, 639);
	silent(&s, "CF0405");
	starts_in_turn(&s, 11, 720); /* two of eleven together, and nine are too few alone */
	s.threads[2].begin = s.threads[1].end - 1;
	silent(&s, "CF0405");
	starts_in_turn(&s, 11, 800);
	s.threads[2].begin = s.threads[1].end; /* one has ended when the next begins */
	tells(&s, "CF0405",
	      "starts 11 threads one after another, 80.9 ms each: waits for each before it starts the next; "
	      "start several, then wait");
	s.threads[2].begin = 0; /* it is there all along */
	s.threads[2].end = 500 * MS;
	tells(&s, "CF0405",
	      "starts 10 threads one after another, 80.0 ms each: waits for each before it starts the next; "
	      "start several, then wait");
	s.threads[2].end = 499 * MS;
	silent(&s, "CF0405");
	end(&s);
}

/* ---- few threads that only wait -------------------------------------------------------------- */

/* n threads of worker wait in poll, 100 times, for so long, and for others for so long; main waits
 * for others for 800 ms. */
static void pool(struct advised *s, int n, long double answers_ms, long double for_others_ms)
{
	begin(s, 1000);
	thread(s, 1000, 0, 0);
	s->threads[0].tid = s->threads[0].pid;
	s->threads[0].for_others = 800 * MS;
	for (int i = 0; i < n; i++) {
		thread(s, 1000, 1000 - answers_ms - for_others_ms, 0);
		s->threads[1 + i].for_others = for_others_ms * MS;
	}
	takes(row_of(s, WORKER, POLL, 100, 2, "0x10"), 2 * answers_ms, 2 * answers_ms, 0);
	takes(row_of(s, WORKER, LOCK, 100, 2, "0x20"), 1, 0, 0);
}

static void threads_that_only_wait(void)
{
	static const char *const text = "its 2 threads wait 80 % of their time (poll), and never for work: have "
					"more threads, or more requests at a time";
	struct thread_peers peers = { .pid = 1, .tid = 1, .accepts = 1 };
	struct advised s = { 0 };

	pool(&s, 2, 800, 50);
	tells(&s, "CF0406", text);
	takes_part(&s, "CF0406", 80);
	s.rows[0].calls = 99;
	silent(&s, "CF0406");
	s.rows[0].calls = 101; /* more than locks: nobody gives them work */
	silent(&s, "CF0406");
	pool(&s, 2, 799, 50);
	silent(&s, "CF0406");
	pool(&s, 2, 800, 51);
	silent(&s, "CF0406");
	pool(&s, 1, 800, 50);
	silent(&s, "CF0406");
	pool(&s, 4, 800, 50); /* two for each processor */
	takes_part(&s, "CF0406", 80);
	s.threads[0].for_others = 639 * MS;
	silent(&s, "CF0406");
	pool(&s, 5, 800, 50);
	silent(&s, "CF0406");
	pool(&s, 2, 800, 50);
	s.entities[POLL].assembler = "fsync";
	silent(&s, "CF0406");
	pool(&s, 2, 800, 50);
	s.edges.system.peers = &peers;
	s.edges.system.n_peers = 1;
	silent(&s, "CF0406");
	peers.accepts = 0;
	tells(&s, "CF0406", text);
	end(&s);
}

/* ---- locks that are taken often -------------------------------------------------------------- */

/* worker takes a lock so often; of the 1,000 ms all such calls take so long. */
static void often(struct advised *s, uint64_t locks, long double ms, uint32_t threads)
{
	begin(s, 1000);
	thread(s, 1000, 500, 0);
	thread(s, 1000, 500, 0);
	takes(row_of(s, EDGE_NO_CALLER, LOCK, locks, threads, NULL), ms / 2, 0, 0);
	takes(row_of(s, EDGE_NO_CALLER, UNLOCK, locks, threads, NULL), ms / 2, 0, 0);
	takes(row_of(s, EDGE_NO_CALLER, WORKER, 2, threads, NULL), 1000, 0, 0);
	takes(row_of(s, WORKER, LOCK, locks, threads, "0x10"), ms / 2, 0, 0);
	takes(row_of(s, WORKER, UNLOCK, locks, threads, "0x30"), ms / 2, 0, 0);
	for (size_t i = 0; i < s->edges.n_rows; i++)
		s->rows[i].sums.application_inclusive = s->rows[i].sums.elapsed_inclusive;
}

/* 15 % of the time, 30 % where one thread takes it, and 50,000 times. */
static void locks_taken_often(void)
{
	static const char *const text = "takes a lock 4,000,000 times in 2 threads, 4.0 million a second: "
					"15 % of the computing";
	struct advised s = { 0 };
	struct wait_object object = { .kind = CINSTR_OBJECT_MUTEX, .name = (char *)"cache_lock" };
	struct wait_fact fact = { .waiter = { .entity = WORKER }, .waits = 1, .ns = 10 };

	often(&s, 4000000, 150, 2);
	tells(&s, "CF0211", text);
	s.edges.waits = (struct wait_facts){ .objects = &object, .n_objects = 1, .list = &fact, .n = 1 };
	tells(&s, "CF0211",
	      "takes a lock (cache_lock) 4,000,000 times in 2 threads, 4.0 million a second: 15 % of the "
	      "computing");
	often(&s, 4000000, 149, 2);
	silent(&s, "CF0211");
	often(&s, 4000000, 299, 1);
	silent(&s, "CF0211");
	often(&s, 4000000, 300, 1);
	tells(&s, "CF0211", "takes a lock 4,000,000 times, 4.0 million a second: 30 % of the computing");
	often(&s, 50000, 150, 2);
	tells(&s, "CF0211", "takes a lock 50,000 times in 2 threads: 15 % of the computing");
	often(&s, 49999, 150, 2);
	silent(&s, "CF0211");
	end(&s);
}

/* worker calls rand, which takes 50 ms of 1,000, in so many threads; samples have found random for
 * 200 ms, what waits for a lock for so long, and another library's function for 300. */
static void throws_dice(struct advised *s, long double waits_ms, uint32_t threads)
{
	static const struct {
		uint32_t function;
		const char *name, *module;
		uint64_t calls;
		long double ms;
	} libraries[] = {
		{ HOT, "rand", "/lib/libc.so.6", 4000, 50 },
		{ OPEN, "__lll_lock_wait_private", "/lib/libc.so.6", 0, 0 },
		{ READ, "random", "/lib/libc.so.6", 0, 200 },
		{ STAT, "inflate", "/lib/libz.so.1", 0, 300 },
		{ WRITE, "strlen", "/lib/libc.so.6", 9000, 100 },
	};

	begin(s, 1000);
	thread(s, 1000, 1000, 0);
	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++) {
		uint32_t function = libraries[i].function;
		long double ms = libraries[i].ms > 0 ? libraries[i].ms : waits_ms;

		s->entities[function].assembler = libraries[i].name;
		s->entities[function].module = libraries[i].module;
		takes(row_of(s, EDGE_NO_CALLER, function, libraries[i].calls, threads, NULL), ms, 0, 0);
		takes(row_of(s, WORKER, function, libraries[i].calls, threads, "0x10"), ms, 0, 0);
	}
	takes(row_of(s, EDGE_NO_CALLER, WORKER, 2, threads, NULL), 1000, 0, 0);
	for (size_t i = 0; i < s->edges.n_rows; i++)
		s->rows[i].sums.application_inclusive = s->rows[i].sums.elapsed_inclusive;
}

/* From 5 % of the computing on, and a quarter of what the call and samples of its library have. */
static void locks_of_the_library(void)
{
	struct advised s = { 0 };

	throws_dice(&s, 84, 2);
	tells(&s, "CF0219",
	      "calls hot 4,000 times, which takes a lock that 2 threads share: 33 % of the computing");
	takes_part(&s, "CF0219", 33.4L);
	proposes(&s, "CF0219", "callers");
	throws_dice(&s, 83, 2);
	silent(&s, "CF0219");
	throws_dice(&s, 84, 1);
	silent(&s, "CF0219");
	throws_dice(&s, 84, 2);
	s.entities[HOT].assembler = "rand_r";
	silent(&s, "CF0219");
	throws_dice(&s, 50, 2);
	s.entities[READ].module = "/lib/libz.so.1";
	tells(&s, "CF0219",
	      "calls hot 4,000 times, which takes a lock that 2 threads share: 10 % of the computing");
	throws_dice(&s, 49, 2);
	s.entities[READ].module = "/lib/libz.so.1";
	silent(&s, "CF0219");
	end(&s);
}

CU_TestInfo threads_tests[] = {
	{ "threads that are started for next to nothing", threads_that_hardly_live },
	{ "threads that are waited for one after another", threads_in_turn },
	{ "few threads that wait for answers only", threads_that_only_wait },
	{ "locks that are taken very often", locks_taken_often },
	{ "locks that the C library takes for itself", locks_of_the_library },
	{ "who holds a lock, and who does not", holders_of_locks },
	{ "waits of different threads for a lock are no sum", gain_of_locks },
	{ "unequal work is told where others wait for it", unequal_work },
	{ "of samples where one thread was at work", unequal_samples },
	{ "threads that idle beside equal ones", some_idle },
	{ "who gives work to others is no serial part", serial_parts },
	{ "a serial part waits and is waited for", serial_limits },
	{ "rounds of threads are one pool", rounds_of_threads },
	{ "teams of parallel regions have unequal work", teams },
	{ "processors that other programs have", more_threads_than_processors },
	{ "what could be saved is what one thread has", of_the_thread_with_most },
	CU_TEST_INFO_NULL,
};
