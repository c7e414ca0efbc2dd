/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings on processes and on the ranks of a job: each with what is just enough for it, and with a
 * little less. */
#include "finding_lab.h"

static void second(struct advised *s)
{
	begin(s, 1000);
	thread(s, 1000, 1000, 0);
	process(s, 1, 0, 0, 1000);
}

/* ---- before and after main ------------------------------------------------------------------- */

static void outside_main(void)
{
	struct advised s = { 0 };

	second(&s);
	s.edges.system.main_threads = 1000 * MS;
	s.edges.system.before = (struct outside_main){ 100 * MS, 80 * MS, WORKER };
	tells(&s, "CF0501",
	      "takes 80.0 ms before main, with all that runs then 10 % of the main thread's time");
	takes_part(&s, "CF0501", 10);
	silent(&s, "CF0502");
	s.edges.system.after = (struct outside_main){ 200 * MS, 80 * MS, WORKER };
	tells(&s, "CF0502",
	      "takes 80.0 ms after main, at the exit, with all that runs then 20 % of the main thread's "
	      "time");
	s.edges.system.before.ns = 99 * MS;
	silent(&s, "CF0501");
	end(&s);
}

/* ---- short processes ------------------------------------------------------------------------- */

static void short_commands(void)
{
	struct advised s = { 0 };

	second(&s);
	makes(&s, WORKER, SYSTEM, 20, 300, 15e6L);
	tells(&s, "CF0503", "runs a short command again and again: 20 calls of system, 15.0 ms each");
	takes_part(&s, "CF0503", 30);
	s.rows[0].calls = 19;
	silent(&s, "CF0503");
	second(&s);
	makes(&s, WORKER, SYSTEM, 20, 500, 25e6L);
	silent(&s, "CF0503");
	end(&s);
}

/* 20 children of up to 5 ms, if they are half of all. */
static void short_children(void)
{
	struct advised s = { 0 };

	second(&s);
	takes(makes(&s, WORKER, FORK, 20, 300, 15e6L), 300, 290, 0);
	for (uint32_t i = 0; i < 20; i++)
		process(&s, 2 + i, 1, 10 + i, 14 + i + (i & 1) * 1);
	tells(&s, "CF0503", "starts 20 processes that run for 4.50 ms on the average");
	takes_part(&s, "CF0503", 39);	   /* to start them, and their lives */
	s.of_processes[20].end += 10 * MS; /* not short any more */
	silent(&s, "CF0503");
	s.of_processes[20].end -= 10 * MS;
	s.of_processes[20].parent_pid = 999; /* nobody's child here */
	silent(&s, "CF0503");
	s.of_processes[20].parent_pid = 1;
	s.rows[0].calls = 19; /* that many calls have not started them */
	silent(&s, "CF0503");
	end(&s);
}

static void short_ones_among_others(void)
{
	struct advised s = { 0 };
	struct row *last;

	second(&s);
	makes(&s, WORKER, FORK, 40, 300, 15e6L);
	for (uint32_t i = 0; i < 40; i++)
		process(&s, 2 + i, 1, 10 + i, i % 2 ? 14 + i : 700);
	tells(&s, "CF0503", "starts 20 processes that run for 4.00 ms on the average");
	last = process(&s, 50, 1, 10, 700);
	silent(&s, "CF0503");
	last->begin = -1; /* nobody knows when */
	tells(&s, "CF0503", "starts 20 processes that run for 4.00 ms on the average");
	end(&s);
}

/* ---- waits for children ---------------------------------------------------------------------- */

/* Off the processor for 20 ms and more, while recorded children lived for less than half of it, and
 * are fewer. */
static void commands(void)
{
	struct advised s = { 0 };

	second(&s);
	takes(makes(&s, WORKER, WAITPID, 2, 400, 200e6L), 400, 400, 0);
	tells(&s, "CF0504", "waits for a program that was not recorded: 2 calls of waitpid, 200 ms each");
	takes_part(&s, "CF0504", 40);
	process(&s, 2, 1, 100, 299);
	tells(&s, "CF0504", "waits for a program that was not recorded: 2 calls of waitpid, 200 ms each");
	takes_part(&s, "CF0504", 40 / 1.199L); /* which is that of 1.199 processes at a time */
	s.of_processes[1].end = 300 * MS;
	silent(&s, "CF0504");
	s.of_processes[1].end = 110 * MS;
	process(&s, 3, 1, 110, 111);
	silent(&s, "CF0504");
	s.of_processes[2].ended = "exec"; /* it became another program, which was not recorded */
	tells(&s, "CF0504", "waits for a program that was not recorded: 2 calls of waitpid, 200 ms each");
	begin(&s, 50);
	thread(&s, 50, 30, 0);
	takes(makes(&s, WORKER, SYSTEM, 1, 20, 20e6L), 20, 20, 0);
	takes_part(&s, "CF0504", 40);
	takes(&s.rows[0], 20, 19.9L, 0);
	silent(&s, "CF0504");
	end(&s);
}

/* Four and more of 20 ms, each of which begins when the one before has ended. */
static void one_after_another(void)
{
	struct advised s = { 0 };

	second(&s);
	makes(&s, WORKER, WAITPID, 4, 400, 100e6L);
	process(&s, 9, 1, 0, 10); /* short: it does not matter */
	for (uint32_t i = 4; i-- > 0;)
		process(&s, 2 + i, 1, 100 * i, 100 * i + 100);
	tells(&s, "CF0505",
	      "waits for 4 processes one after another, 100 ms each; the machine has 2 processors");
	takes_part(&s, "CF0505", 40);
	s.edges.system.processors = 1;
	silent(&s, "CF0505");
	s.edges.system.processors = 2;
	s.of_processes[3].begin -= MS; /* beside another one */
	silent(&s, "CF0505");
	s.of_processes[3].begin += MS;
	s.of_processes[4].end = s.of_processes[4].begin + 19 * MS; /* three are left */
	silent(&s, "CF0505");
	s.of_processes[4].end += MS;
	s.edges.system.processors = 8;
	tells(&s, "CF0505",
	      "waits for 4 processes one after another, 80.0 ms each; the machine has 8 processors");
	s.rows[0].calls = 3;
	silent(&s, "CF0505");
	end(&s);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* Four ranks of a job that compute for so long. */
static void job(struct advised *s, const long double ms[4])
{
	begin(s, 1000);
	for (uint32_t i = 0; i < 4; i++) {
		struct row *row = process(s, 10 + i, 1, 0, 1000);

		thread(s, 1000, ms[i], 0);
		row->rank_after = i + 1;
		row->sums.elapsed_inclusive = 1000 * MS;
		row->sums.off_cpu_inclusive = (1000 - ms[i]) * MS;
	}
	s->edges.totals.ranked = s->edges.totals.processes = 4;
}

/* One rank, with 1.25 times the median, and alone with it. */
static void stragglers(void)
{
	struct advised s = { 0 };

	job(&s, (const long double[]){ 400, 500, 450, 300 });
	tells(&s, "CF0602",
	      "rank 1 has more to do than all others: 500 ms on the processor, the next one (rank 2) 450 ms, "
	      "the "
	      "median 400 ms");
	takes_part(&s, "CF0602", 10);
	job(&s, (const long double[]){ 401, 500, 450, 300 });
	silent(&s, "CF0602");
	job(&s, (const long double[]){ 400, 500, 451, 300 }); /* two have */
	silent(&s, "CF0602");
	job(&s, (const long double[]){ 400, 600, 450, 300 });
	s.of_processes[1].mpi_busy = 99 * MS; /* it asks whether others are ready */
	tells(&s, "CF0602",
	      "rank 1 has more to do than all others: 501 ms on the processor, the next one (rank 2) 450 ms, "
	      "the "
	      "median 400 ms");
	s.edges.totals.processes = 5; /* not all are ranks */
	silent(&s, "CF0602");
	end(&s);
}

/* In MPI: a tenth of the ranks' time. */
static void ranks_wait(void)
{
	struct advised s = { 0 };

	job(&s, (const long double[]){ 400, 400, 400, 400 });
	for (uint32_t i = 0; i < 4; i++) {
		s.of_processes[i].mpi = (50 + 50 * i) * MS;
		s.of_processes[i].mpi_busy = 25 * MS;
	}
	makes(&s, WORKER, MPI_RECV, 10, 100, 10e6L);
	s.edges.totals.facts.waits.off_cpu[WAIT_SLEEP] = 0;
	tells(&s, "CF0603",
	      "ranks wait for one another in MPI for 12 % of their time, 20 % of that busy on a processor: "
	      "rank 0 "
	      "least, 50.0 ms; rank 3 most, 200 ms; longest in MPI_Recv in worker (main.c:7)");
	end(&s);
}

CU_TestInfo findings_processes_tests[] = {
	{ "what runs outside of main is a tenth", outside_main },
	{ "short commands are twenty", short_commands },
	{ "short children are twenty", short_children },
	{ "short children are half of all", short_ones_among_others },
	{ "commands that were not recorded are waited for", commands },
	{ "processes one after another are four", one_after_another },
	{ "stragglers are alone", stragglers },
	{ "ranks wait for one another", ranks_wait },
	CU_TEST_INFO_NULL,
};
