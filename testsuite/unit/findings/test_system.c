/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings on system calls, pages and processors: each with what is just enough for it, and with a
 * little less. The thread computes for a second, so that 50 ms are much. */
#include "finding_lab.h"

static void second(struct advised *s)
{
	begin(s, 1000);
	thread(s, 1000, 1000, 0);
}

/* ---- small reads and writes ------------------------------------------------------------------ */

/* 1,000 calls and more, half of them within 2.5 us, which take 5 % of the time on a processor. */
static void small_reads(void)
{
	struct advised s = { 0 };

	second(&s);
	makes(&s, WORKER, READ, 1000, 50, 2000);
	tells(&s, "CF0301", "reads little at a time: 1,000 calls of read, 50.0 us each");
	takes_part(&s, "CF0301", 5);
	likely_saves(&s, "CF0301", 4.5L, 6.5L);
	second(&s);
	makes(&s, WORKER, READ, 999, 50, 2000);
	silent(&s, "CF0301");
	second(&s);
	makes(&s, WORKER, READ, 1000, 49.9L, 2000);
	silent(&s, "CF0301");
	second(&s);
	makes(&s, WORKER, READ, 1000, 50, 3000);
	silent(&s, "CF0301");
	end(&s);
}

/* Where a stream's buffer has most of what is asked for, nothing is gained by another one. */
static void reads_of_streams(void)
{
	struct advised s = { 0 };

	second(&s);
	makes(&s, WORKER, FGETS, 2000, 50, 2000)->os->exclusive.of[OS_SYSCALL] = 1000;
	tells(&s, "CF0301", "reads little at a time: 2,000 calls of fgets, 25.0 us each");
	second(&s);
	makes(&s, WORKER, FGETS, 2001, 50, 2000)->os->exclusive.of[OS_SYSCALL] = 1000;
	silent(&s, "CF0301");
	second(&s);
	makes(&s, WORKER, WRITE, 2000, 50, 2000); /* another rule's */
	silent(&s, "CF0301");
	end(&s);
}

static void small_writes(void)
{
	struct advised s = { 0 };

	second(&s);
	makes(&s, WORKER, WRITE, 1000, 100, 4000);
	tells(&s, "CF0302", "writes little at a time: 1,000 calls of write, 100 us each");
	silent(&s, "CF0301");
	second(&s);
	makes(&s, WORKER, WRITE, 1000, 100, 6000);
	silent(&s, "CF0302");
	second(&s);
	makes(&s, WORKER, WRITE, 1000, 100, 4000)->os->exclusive.of[OS_INVOLUNTARY] = 99;
	tells(&s, "CF0302", "writes little at a time: 1,000 calls of write, 100 us each");
	s.counts[0].exclusive.of[OS_INVOLUNTARY] = 100; /* who waits for it gets the processor */
	silent(&s, "CF0302");
	second(&s);
	makes(&s, WORKER, READ, 1000, 100, 2000)->os->exclusive.of[OS_INVOLUNTARY] = 100;
	tells(&s, "CF0301", "reads little at a time: 1,000 calls of read, 100 us each");
	second(&s); /* each but one in ten, and half of the reads, wait for what comes then */
	makes(&s, WORKER, WRITE, 1000, 100, 4000);
	makes(&s, MAIN, READ, 900, 100, 2000)->os->exclusive.of[OS_VOLUNTARY] = 450;
	silent(&s, "CF0302");
	s.counts[1].exclusive.of[OS_VOLUNTARY] = 449;
	tells(&s, "CF0302", "writes little at a time: 1,000 calls of write, 100 us each");
	s.counts[1].exclusive.of[OS_VOLUNTARY] = 450;
	s.rows[0].calls = 1001;
	tells(&s, "CF0302", "writes little at a time: 1,001 calls of write, 99.9 us each");
	end(&s);
}

/* How many calls there are is not in the program's hands if one in ten waits, or one in ten waits
 * for events; or if a server reads and writes about as often, for up to 1,000 clients at a look. */
static void answers(void)
{
	struct advised s = { 0 };

	second(&s);
	makes(&s, WORKER, READ, 1000, 100, 2000)->os->exclusive.of[OS_VOLUNTARY] = 99;
	makes(&s, MAIN, POLL, 99, 1, 2000);
	tells(&s, "CF0301", "reads little at a time: 1,000 calls of read, 100 us each");
	s.rows[1].calls = 100;
	silent(&s, "CF0301");
	s.rows[1].calls = 0;
	s.counts[0].exclusive.of[OS_VOLUNTARY] = 100;
	silent(&s, "CF0301");
	second(&s);
	makes(&s, WORKER, READ, 1000, 100, 2000);
	makes(&s, HOT, WRITE, 900, 1, 2000);
	makes(&s, MAIN, POLL, 1, 1, 2000);
	silent(&s, "CF0301");
	s.rows[1].calls = 899;
	tells(&s, "CF0301", "reads little at a time: 1,000 calls of read, 100 us each");
	s.rows[1].calls = 1001;
	tells(&s, "CF0301", "reads little at a time: 1,000 calls of read, 100 us each");
	end(&s);
}

/* ---- waits as long as a delayed acknowledgement ---------------------------------------------- */

/* Returns the row of so many calls of read that take `ms` each, beside as many calls of write. */
static struct row *answers_after(struct advised *s, uint64_t calls, long double ms, uint64_t writes)
{
	struct row *row;

	begin(s, 1000);
	thread(s, 1000, 10, 990);
	row = makes(s, WORKER, READ, calls, (long double)calls * ms, ms * 1e6L);
	row->sums.off_cpu_inclusive = row->sums.off_cpu_exclusive = (long double)calls * ms * 1e6L;
	makes(s, WORKER, WRITE, writes, 1, 2000);
	return row;
}

static void delayed_acknowledgements(void)
{
	struct advised s = { 0 };
	struct row *row;

	answers_after(&s, 20, 44, 20);
	tells(&s, "CF0331",
	      "20 calls of read wait 44.0 ms each: likely for a delayed acknowledgement (TCP_NODELAY)");
	answers_after(&s, 19, 44, 20);
	silent(&s, "CF0331");
	answers_after(&s, 20, 44, 19); /* they come unasked */
	silent(&s, "CF0331");
	answers_after(&s, 20, 36, 20);
	silent(&s, "CF0331");
	answers_after(&s, 20, 51, 20);
	silent(&s, "CF0331");
	row = answers_after(&s, 20, 44, 20);
	durations_add(&row->durations, 5e6L, 6);
	durations_add(&row->durations, 9e5L, 100); /* nothing to wait for */
	tells(&s, "CF0331",
	      "20 calls of read wait 44.0 ms each: likely for a delayed acknowledgement (TCP_NODELAY)");
	durations_add(&row->durations, 5e6L, 1);
	silent(&s, "CF0331");
	row = answers_after(&s, 20, 44, 20);
	durations_add(&row->durations, 30e6L, 2);
	tells(&s, "CF0331",
	      "20 calls of read wait 44.0 ms each: likely for a delayed acknowledgement (TCP_NODELAY)");
	durations_add(&row->durations, 30e6L, 1); /* they do not begin at 40 ms */
	silent(&s, "CF0331");
	end(&s);
}

/* On a busy machine the thread runs later than the packet came. */
static void delayed_acknowledgements_when_busy(void)
{
	struct advised s = { 0 };
	struct row *row = answers_after(&s, 10, 44, 25);

	row->sums.off_cpu_inclusive = row->sums.off_cpu_exclusive = 2e9L;
	durations_add(&row->durations, 70e6L, 15);
	tells(&s, "CF0331",
	      "25 calls of read wait 58.9 ms each: likely for a delayed acknowledgement (TCP_NODELAY)");
	durations_add(&row->durations, 70e6L, 1); /* they are answers that take as long */
	silent(&s, "CF0331");
	end(&s);
}

/* ---- streams --------------------------------------------------------------------------------- */

/* A flush by a jump is not seen to enter the kernel: from 150 ns on it did. */
static void flushes(void)
{
	struct advised s = { 0 };

	second(&s);
	makes(&s, WORKER, FFLUSH, 1000, 50, 100);
	tells(&s, "CF0303", "flushes a stream again and again: 1,000 calls of fflush, 50.0 us each");
	takes_part(&s, "CF0303", 5);
	s.counts[0].exclusive.of[OS_SYSCALL] = 0;
	silent(&s, "CF0303");
	second(&s);
	makes(&s, WORKER, FFLUSH, 1000, 50, 200)->os->exclusive.of[OS_SYSCALL] = 0;
	tells(&s, "CF0303", "flushes a stream again and again: 1,000 calls of fflush, 50.0 us each");
	end(&s);
}

static void prints_without_a_buffer(void)
{
	struct advised s = { 0 };

	second(&s);
	makes(&s, WORKER, FWRITE, 1000, 50, 4000);
	tells(&s, "CF0303", "prints without a buffer: 1,000 calls of fwrite, 50.0 us each");
	s.counts[0].exclusive.of[OS_SYSCALL] = 999;
	silent(&s, "CF0303");
	second(&s);
	makes(&s, WORKER, FWRITE, 1000, 50, 6000); /* of much data it is right */
	silent(&s, "CF0303");
	second(&s);
	makes(&s, WORKER, FWRITE, 1000, 49, 4000);
	silent(&s, "CF0303");
	end(&s);
}

static void syncs(void)
{
	struct advised s = { 0 };
	struct row *row;

	second(&s);
	row = makes(&s, WORKER, FSYNC, 10, 100, 10e6L);
	takes(row, 100, 100, 0);
	tells(&s, "CF0304", "waits for the disk: 10 calls of fsync, 10.0 ms each");
	takes_part(&s, "CF0304", 10);
	saves(&s, "CF0304", 11); /* 1 ms for each */
	likely_saves(&s, "CF0304", 0, 0);
	row->are_calls_least = 1;
	saves(&s, "CF0304", 0);
	likely_saves(&s, "CF0304", 9, 13);
	row->are_calls_least = 0;
	row->calls = 9;
	silent(&s, "CF0304");
	second(&s);
	makes(&s, WORKER, WRITE, 10, 100, 10e6L);
	silent(&s, "CF0304");
	end(&s);
}

/* ---- the same calls again and again ---------------------------------------------------------- */

/* What reads a byte at a time for longer than all questions take is told of by itself. */
static void reads_beside_questions(void)
{
	struct advised s = { 0 };

	second(&s);
	makes(&s, WORKER, STAT, 1000, 100, 2000);
	makes(&s, WORKER, READ, 9000, 99, 2000);
	tells(&s, "CF0305",
	      "asks the kernel again and again: 1,000 calls of stat, 100 us each; 9,000 of read");
	silent(&s, "CF0301");
	second(&s);
	makes(&s, WORKER, STAT, 1000, 100, 2000);
	makes(&s, WORKER, READ, 9000, 101, 2000);
	tells(&s, "CF0305", "asks the kernel again and again: 1,000 calls of stat, 100 us each");
	tells(&s, "CF0301", "reads little at a time: 9,000 calls of read, 11.2 us each");
	end(&s);
}

/* Of worker, and of main, which calls it and closes. */
static void connects(struct advised *s, uint64_t calls, uint64_t closed)
{
	second(s);
	s->entities[HOT].assembler = "connect";
	s->entities[OPEN].assembler = "socket";
	s->entities[FSYNC].assembler = "close";
	makes(s, EDGE_NO_CALLER, FSYNC, closed, 50, 2000);
	makes(s, MAIN, WORKER, calls, 400, 2000);
	makes(s, WORKER, HOT, calls, 100, 2000);
	makes(s, WORKER, OPEN, calls, 30, 2000);
	makes(s, MAIN, FSYNC, closed, 50, 2000);
}

/* 100 of them, most of which are closed again. */
static void connections(void)
{
	struct advised s = { 0 };

	connects(&s, 1000, 800);
	tells(&s, "CF0332",
	      "makes a connection again and again: 1,000 calls of connect; with what makes and closes a "
	      "socket 180 us each");
	takes_part(&s, "CF0332", 18);
	connects(&s, 1000, 799);
	silent(&s, "CF0332");
	connects(&s, 100, 100);
	tells(&s, "CF0332",
	      "makes a connection again and again: 100 calls of connect; with what makes and closes a socket "
	      "1.80 ms each");
	connects(&s, 99, 99);
	silent(&s, "CF0332");
	end(&s);
}

/* Of one function, with its reads and writes; the one that takes most is named. */
static void questions(void)
{
	struct advised s = { 0 };

	second(&s);
	makes(&s, WORKER, STAT, 1000, 20, 2000);
	makes(&s, WORKER, OPEN, 2000, 25, 2000);
	makes(&s, WORKER, READ, 3000, 30, 2000);
	makes(&s, MAIN, STAT, 4000, 40, 2000);
	tells(&s, "CF0305",
	      "opens files again and again: 2,000 calls of open, 12.5 us each; 3,000 of read, 1,000 of stat");
	takes_part(&s, "CF0305", 7.5L);
	silent(&s, "CF0301");
	s.rows[0].calls = s.counts[0].exclusive.of[OS_SYSCALL] = 999; /* too few of it */
	tells(&s, "CF0305", "opens files again and again: 2,000 calls of open, 12.5 us each; 3,000 of read");
	takes_part(&s, "CF0305", 5.5L);
	second(&s);
	makes(&s, WORKER, STAT, 1000, 50, 2000);
	tells(&s, "CF0305", "asks the kernel again and again: 1,000 calls of stat, 50.0 us each");
	second(&s);
	makes(&s, WORKER, STAT, 1000, 49, 2000);
	silent(&s, "CF0305");
	end(&s);
}

/* ---- waiting by the clock -------------------------------------------------------------------- */

static void polling(void)
{
	struct advised s = { 0 };

	second(&s);
	makes(&s, WORKER, NANOSLEEP, 200, 30, 1e6L)->os->exclusive.of[OS_VOLUNTARY] = 100;
	tells(&s, "CF0306", "looks again and again instead of waiting: 200 calls of nanosleep, 150 us each");
	takes_part(&s, "CF0306", 3);
	s.counts[0].exclusive.of[OS_VOLUNTARY] = 99; /* it does not sleep */
	silent(&s, "CF0306");
	s.counts[0].exclusive.of[OS_VOLUNTARY] = 199;
	s.rows[0].calls = 199;
	silent(&s, "CF0306");
	second(&s);
	makes(&s, WORKER, NANOSLEEP, 200, 30, 2.5e6L)->os->exclusive.of[OS_VOLUNTARY] = 200;
	silent(&s, "CF0306");
	end(&s);
}

/* ... in vain: next to nothing is read or written. */
static void polling_of_files(void)
{
	struct advised s = { 0 };

	second(&s);
	makes(&s, WORKER, POLL, 1000, 30, 1e6L);
	makes(&s, WORKER, READ, 50, 1, 2000);
	makes(&s, MAIN, WRITE, 49, 1, 2000);
	tells(&s, "CF0306", "looks again and again instead of waiting: 1,000 calls of poll, 30.0 us each");
	s.rows[2].calls = 50;
	silent(&s, "CF0306");
	s.rows[2].calls = 0;
	s.rows[0].calls = 999;
	silent(&s, "CF0306");
	end(&s);
}

/* A thread slept `ms` of its second in so many calls, and computed; in a function that it called so
 * many times. */
static struct thread_calls *sleeper(struct advised *s, const char *name, uint64_t calls, long double ms,
				    uint64_t caller_calls)
{
	struct thread_calls *one = &s->calls[s->edges.system.n++];

	*one = (struct thread_calls){ .thread = name,
				      .caller = WORKER,
				      .callee = NANOSLEEP,
				      .calls = calls,
				      .caller_calls = caller_calls,
				      .taken = ms * MS,
				      .elapsed = 1000 * MS,
				      .on_cpu = 10 * MS };
	return one;
}

static void sleeps(void)
{
	struct advised s = { 0 };

	second(&s);
	makes(&s, WORKER, NANOSLEEP, 100, 500, 5e6L);
	sleeper(&s, "first", 50, 200, 5);
	tells(&s, "CF0307",
	      "sleeps: 100 calls of nanosleep, 5.00 ms each, 20 % of the time of thread 'first'");
	takes_part(&s, "CF0307", 20);
	saves(&s, "CF0307", 60); /* of all threads, and 1 ms for each */
	s.rows[0].are_calls_least = 1;
	saves(&s, "CF0307", 0);
	likely_saves(&s, "CF0307", 0, 0); /* what the sleep waits for is not known */
	s.rows[0].are_calls_least = 0;
	sleeper(&s, "second", 50, 300, 5); /* the one in which it takes most */
	tells(&s, "CF0307",
	      "sleeps: 100 calls of nanosleep, 5.00 ms each, 30 % of the time of thread 'second'");
	s.calls[1].taken = 200 * MS;
	tells(&s, "CF0307",
	      "sleeps: 100 calls of nanosleep, 5.00 ms each, 20 % of the time of thread 'first'");
	s.calls[1].callee = POLL;
	s.calls[1].taken = 300 * MS;
	tells(&s, "CF0307",
	      "sleeps: 100 calls of nanosleep, 5.00 ms each, 20 % of the time of thread 'first'");
	end(&s);
}

/* Two threads that work for so long, and sleep 200 times: so long each in all of a second. */
static void pollers(struct advised *s, long double work_ms, long double first_ms, long double second_ms)
{
	struct row *sleep;

	begin(s, 1000);
	s->edges.totals.processes = 1;
	thread(s, 1000, work_ms, 0);
	thread(s, 1000, work_ms, 0);
	sleep = makes(s, WORKER, NANOSLEEP, 200, first_ms + second_ms, 1e6L);
	sleep->sums.off_cpu_exclusive = sleep->sums.off_cpu_inclusive = sleep->sums.elapsed_exclusive;
	sleep->os->exclusive.of[OS_VOLUNTARY] = 200;
	sleeper(s, "first", 100, first_ms, 1);
	sleeper(s, "second", 100, second_ms, 1);
}

/* Half of the time of each, and 10 us of work for each sleep: then all of it is lost time. */
static void polling_one_another(void)
{
	struct advised s = { 0 };

	pollers(&s, 1, 500, 500);
	tells(&s, "CF0306",
	      "looks again and again instead of waiting: 200 calls of nanosleep, 5.00 ms each, while the "
	      "others do so, too");
	takes_part(&s, "CF0306", 50);
	s.edges.totals.processes = 2; /* it may wait for the other process */
	silent(&s, "CF0306");
	pollers(&s, 1, 501, 499);
	silent(&s, "CF0306");
	pollers(&s, 0.99L, 500, 500);
	silent(&s, "CF0306");
	pollers(&s, 1, 500, 500);
	makes(&s, WORKER, POLL, 1, 0, 1000); /* it waits for something else, too */
	silent(&s, "CF0306");
	pollers(&s, 1, 500, 500);
	s.entities[NANOSLEEP].assembler = "poll"; /* with a limit, of no files that say something */
	makes(&s, WORKER, READ, 19, 0, 1000);
	takes_part(&s, "CF0306", 50);
	s.rows[1].calls = 20;
	silent(&s, "CF0306");
	end(&s);
}

static void sleeps_that_are_none(void)
{
	struct advised s = { 0 };
	struct thread_calls *one;

	second(&s);
	makes(&s, WORKER, NANOSLEEP, 100, 500, 5e6L);
	one = sleeper(&s, "first", 50, 199, 5); /* less than a fifth */
	silent(&s, "CF0307");
	*one = (struct thread_calls){ 0 };
	s.edges.system.n = 0;
	one = sleeper(&s, "first", 200, 200, 5); /* 1 ms each */
	silent(&s, "CF0307");
	one->calls = 199;
	takes_part(&s, "CF0307", 20);
	one->on_cpu = 9.9L * MS; /* it does next to nothing else */
	silent(&s, "CF0307");
	one->on_cpu = 50 * MS;
	one->caller_calls = 4; /* a loop of its own */
	silent(&s, "CF0307");
	one->is_alone = 1;
	takes_part(&s, "CF0307", 20);
	one->on_cpu = 49.9L * MS;
	silent(&s, "CF0307");
	end(&s);
}

/* ---- pages, processors ----------------------------------------------------------------------- */

/* The function with most time in calls that have faults. */
static void first_touches(void)
{
	struct advised s = { 0 };

	second(&s);
	makes(&s, EDGE_NO_CALLER, WORKER, 100, 300, 2000)->os->exclusive.of[OS_MINOR_FAULT] = 50;
	makes(&s, EDGE_NO_CALLER, HOT, 100, 200, 2000)->os->exclusive.of[OS_MINOR_FAULT] = 100;
	s.edges.system.minor_faults = 100000;
	tells(&s, "CF0308", "likely has most of 100,000 page faults, at the first use of 410 MB of memory");
	takes_part(&s, "CF0308", 13.75L);
	proposes(&s, "CF0308", "annotate");
	s.entities[HOT].file = NULL; /* has no lines, and no file to look in */
	s.entities[HOT].image = "";
	proposes(&s, "CF0308", "callers");
	s.edges.system.minor_faults = 99999; /* two times 250 ns each are less than 5 % */
	silent(&s, "CF0308");
	begin(&s, 200);
	thread(&s, 200, 200, 0);
	makes(&s, EDGE_NO_CALLER, WORKER, 100, 100, 2000)->os->exclusive.of[OS_MINOR_FAULT] = 1;
	s.edges.system.minor_faults = 20000;
	takes_part(&s, "CF0308", 13.75L);
	s.edges.system.minor_faults = 19999;
	silent(&s, "CF0308");
	end(&s);
}

static void samples(struct advised *s, uint64_t n, uint64_t ms_each)
{
	s->edges.code.taken = n;
	s->edges.code.ms = n * ms_each;
	s->edges.code.squares = n * ms_each * ms_each;
}

/* Of what the processor did, samples are not in the kernel. */
static void kernel_of_first_touches(void)
{
	struct advised s = { 0 };
	struct row *row;

	second(&s);
	row = makes(&s, EDGE_NO_CALLER, WORKER, 100, 900, 2000);
	row->os->exclusive.of[OS_MINOR_FAULT] = 100;
	row->os->exclusive.of[OS_SYSCALL] = 0;
	makes(&s, EDGE_NO_CALLER, READ, 200, 100, 2000)->os->exclusive.of[OS_SYSCALL] = 100;
	s.edges.system.minor_faults = 500000;
	samples(&s, 400, 1);
	takes_part(&s, "CF0308", 55); /* half of the reads are calls of the kernel */
	s.edges.code.lost = 1;	      /* the middle of 125 ms and of what the function takes */
	takes_part(&s, "CF0308", 51.25L);
	s.edges.code.lost = 0;
	samples(&s, 19, 1);
	takes_part(&s, "CF0308", 51.25L);
	samples(&s, 20, 1);
	takes_part(&s, "CF0308", 93);
	likely_saves(&s, "CF0308", 83.7L, 99); /* something is left */
	s.edges.system.minor_faults = 200000;  /* 2.5 us each */
	takes_part(&s, "CF0308", 50);
	samples(&s, 900, 1); /* 50 ms, give or take 61 */
	takes_part(&s, "CF0308", 27.5L);
	samples(&s, 80, 10); /* 150 ms, give or take 180 */
	takes_part(&s, "CF0308", 27.5L);
	end(&s);
}

static void pages_of_files(void)
{
	struct advised s = { 0 };
	struct row *row;

	second(&s);
	row = makes(&s, EDGE_NO_CALLER, WORKER, 100, 300, 2000);
	row->os->exclusive.of[OS_MAJOR_FAULT] = 50;
	row->sums.off_cpu_exclusive = 100 * MS;
	s.edges.totals.facts.waits.off_cpu[WAIT_PAGE] = 100 * MS;
	tells(&s, "CF0309", "likely has most of 100 ms of waiting for pages that are read from a disk");
	takes_part(&s, "CF0309", 10);
	saves(&s, "CF0309", 15);
	row->os->exclusive.of[OS_MAJOR_FAULT] = 0;
	silent(&s, "CF0309");
	end(&s);
}

/* The program's threads have lost their processors so many times. */
static void loses(struct advised *s, uint64_t times)
{
	makes(s, EDGE_NO_CALLER, WORKER, 1, 0, 0)->os->exclusive.of[OS_INVOLUNTARY] = times;
}

/* A quarter of the time in which threads can run they wait for one another, and half as many again
 * as there are processors can run at a time. */
static void processors(void)
{
	struct advised s = { 0 };

	begin(&s, 1000);
	for (int i = 0; i < 4; i++)
		thread(&s, 1000, 562.5L, 187.5L);
	loses(&s, 400);
	takes_part(&s, "CF0310", 1); /* 50 us each, on two processors */
	tells(&s, "CF0310",
	      "3.0 threads at a time are ready to run, on 2 processors: they wait for one 25 % of that time");
	begin(&s, 1000);
	for (int i = 0; i < 4; i++)
		thread(&s, 1000, 562.6L, 187.4L);
	loses(&s, 400);
	silent(&s, "CF0310");
	begin(&s, 1001); /* fewer at a time */
	for (int i = 0; i < 4; i++)
		thread(&s, 1000, 500, 250);
	loses(&s, 400);
	silent(&s, "CF0310");
	begin(&s, 1000);
	for (int i = 0; i < 4; i++)
		thread(&s, 1000, 400, 600);
	loses(&s, 400);
	s.edges.totals.cpu_limit = 1000;
	tells(&s, "CF0310",
	      "4.0 threads at a time are ready to run, on 2 processors: they wait for one 60 % of that time, "
	      "at most 50 % for one another, the rest for other programs or for their limit");
	begin(&s, 1000);
	for (int i = 0; i < 4; i++)
		thread(&s, 1000, 400.4L, 599.6L);
	loses(&s, 400);
	tells(&s, "CF0310",
	      "4.0 threads at a time are ready to run, on 2 processors: they wait for one 60 % of that time");
	end(&s);
}

/* ---- a call, calls --------------------------------------------------------------------------- */

static void one_call(void)
{
	struct advised s = { 0 };
	struct row *row;

	second(&s);
	row = makes(&s, WORKER, SYSTEM, 1, 300, 300e6L);
	takes(row, 300, 300, 0);
	tells(&s, "CF0504", "waits for a program that was not recorded: 1 call of system, 300 ms");
	end(&s);
}

CU_TestInfo findings_system_tests[] = {
	{ "small reads are many that take much", small_reads },
	{ "reads of streams that enter the kernel every second time", reads_of_streams },
	{ "small writes are none if somebody waits for them", small_writes },
	{ "answers are none of the program's choice", answers },
	{ "flushes enter the kernel, seen or not", flushes },
	{ "prints without a buffer are of little data", prints_without_a_buffer },
	{ "delayed acknowledgements are waited for", delayed_acknowledgements },
	{ "delayed acknowledgements on a busy machine", delayed_acknowledgements_when_busy },
	{ "syncs are ten and more", syncs },
	{ "reads that outweigh questions", reads_beside_questions },
	{ "a connection for each request", connections },
	{ "questions of one function are told together", questions },
	{ "polling sleeps often and shortly", polling },
	{ "polling of files is in vain", polling_of_files },
	{ "sleeps are of the thread that has most", sleeps },
	{ "threads that look for one another", polling_one_another },
	{ "sleeps of timers and of idle threads are none", sleeps_that_are_none },
	{ "first touches are of who has most time with some", first_touches },
	{ "first touches take what the kernel does without being called", kernel_of_first_touches },
	{ "pages of files are waited for", pages_of_files },
	{ "processors are too few from half as many threads again on", processors },
	{ "one call is one call", one_call },
	CU_TEST_INFO_NULL,
};
