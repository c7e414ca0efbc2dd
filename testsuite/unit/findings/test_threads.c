/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings on threads: what each has done, and what is told of them. */
#include <stdlib.h>
#include <string.h>

#include "findings/findings.h"
#include "rows/caller_rows.h"
#include "tests.h"
#include "view/view.h"

/* ---- a session of some threads --------------------------------------------------------------- */

enum { MAIN, WORKER, HOT, FUNCTIONS };
#define MAX_THREADS 8
#define MAX_ROWS 8
#define MS 1e6L

struct session {
	struct view view;
	struct profile edges, processes;
	struct row rows[MAX_ROWS];
	struct entity entities[FUNCTIONS];
	struct thread_fact threads[MAX_THREADS];
	struct thread_share shares[MAX_ROWS];
};

static void begin(struct session *s, long double wall_ms)
{
	static const struct entity entities[FUNCTIONS] = {
		[MAIN] = { "main", "main", "/app", "/src/main.c", 10, 0, 1, 0 },
		[WORKER] = { "worker", "worker", "/app", "/src/main.c", 20, 0, 1, 0 },
		[HOT] = { "hot", "hot", "/lib/library.so", "/src/library.c", 30, 1, 1, 0 },
	};

	*s = (struct session){ .edges = { .by = BY_CALLERS, .by_call_site = 1, .rows = s->rows } };
	memcpy(s->entities, entities, sizeof(entities));
	s->view.source = "session";
	s->edges.names.list = s->entities;
	s->edges.names.keys.n = FUNCTIONS;
	s->edges.thread_facts.list = s->threads;
	s->edges.shares.list = s->shares;
	s->edges.system.processors = 2;
	s->edges.totals.end_realtime_ns = (uint64_t)(wall_ms * MS);
	s->edges.totals.hosts.n = 1;
}

/* A thread that began with worker at 0 and ended at `ms`: it computed for so long, others had its
 * processor for so long, and otherwise it waited. */
static void thread(struct session *s, long double ms, long double work_ms, long double preempted_ms)
{
	struct totals *t = &s->edges.totals;
	size_t n = s->edges.thread_facts.n++;

	s->threads[n] = (struct thread_fact){ .pid = 1,
					      .tid = (uint32_t)n + 2,
					      .chain = { WORKER },
					      .n_chain = 1,
					      .work = { WORKER },
					      .n_work = 1,
					      .end = ms * MS,
					      .elapsed = ms * MS,
					      .off_cpu = (ms - work_ms) * MS,
					      .preempted = preempted_ms * MS };
	t->threads++;
	t->elapsed += ms * MS;
	t->application += work_ms * MS;
	t->off_cpu += (ms - work_ms) * MS;
	t->facts.waits.off_cpu[WAIT_PREEMPTED] += preempted_ms * MS;
	t->facts.waits.off_cpu[WAIT_SLEEP] += (ms - work_ms - preempted_ms) * MS;
}

/* Of a recording by samples, each of 1 ms. */
static void sampled(struct session *s)
{
	struct totals *t = &s->edges.totals;

	for (size_t i = 0; i < s->edges.thread_facts.n; i++) {
		struct thread_fact *fact = &s->threads[i];

		fact->elapsed = (fact->elapsed - fact->off_cpu) / MS;
		fact->off_cpu = fact->preempted = 0;
	}
	t->elapsed = t->application / MS;
	t->application = t->off_cpu = 0;
	memset(&t->facts.waits, 0, sizeof(t->facts.waits));
	t->method = CINSTR_METHOD_SAMPLING;
	t->samples.processes = 1;
	t->samples.interval = (uint64_t)MS;
	t->samples.unit = CINSTR_SAMPLING_NS;
}

/* Text and percentage of the rule's finding; NULL: it has none. */
static char *told(struct session *s, const char *id, long double *percent)
{
	struct findings_input input = { .view = &s->view, .edges = &s->edges, .processes = &s->processes };
	struct findings findings;
	char *text = NULL;

	findings_make(&findings, &input);
	for (size_t i = 0; i < findings.n; i++)
		if (!strcmp(findings.list[i].id, id)) {
			text = strdup(findings.list[i].text.text);
			*percent = findings.list[i].percent;
		}
	findings_release(&findings);
	return text;
}

static void tells(struct session *s, const char *id, const char *expected)
{
	long double percent;
	char *text = told(s, id, &percent);

	if (!text || strcmp(text, expected))
		printf("got '%s', expected '%s'\n", text ? text : "", expected);
	CU_ASSERT(text && !strcmp(text, expected));
	free(text);
}

static void silent(struct session *s, const char *id)
{
	long double percent;
	char *text = told(s, id, &percent);

	if (text)
		printf("got '%s', expected nothing\n", text);
	CU_ASSERT_PTR_NULL(text);
	free(text);
}

/* ---- unequal work ---------------------------------------------------------------------------- */

/* Four threads; the others wait for the first one, or for a processor. */
static void four(struct session *s, int are_kept_from_it)
{
	begin(s, 1000);
	thread(s, 1000, 700, 200);
	for (int i = 0; i < 3; i++)
		thread(s, 1000, 200, are_kept_from_it ? 700 : 50);
}

static void unequal_work(void)
{
	struct session s;

	four(&s, 0);
	tells(&s, "CF0401",
	      "the 4 threads that began with it have unequal work: the one with most computes 700 ms, the "
	      "mean "
	      "is 325 ms, the least 200 ms");
	four(&s, 1);
	silent(&s, "CF0401");
}

static void unequal_samples(void)
{
	struct session s;

	four(&s, 0);
	sampled(&s);
	tells(&s, "CF0401",
	      "the 4 threads that began with it have unequal work: the one with most has 54 % of the "
	      "samples, "
	      "the mean is 25 %, the least 15 %");
	begin(&s, 1000); /* who has most was waiting half of the time, for whatever it was */
	thread(&s, 1000, 500, 500);
	for (int i = 0; i < 3; i++)
		thread(&s, 1000, 100, 900);
	sampled(&s);
	silent(&s, "CF0401");
}

/* Four that have the same, as there are pieces for each, and two that are for something else. */
static void some_idle(void)
{
	struct session s;

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

/* ---- processors ------------------------------------------------------------------------------ */

static void more_threads_than_processors(void)
{
	struct session s;

	begin(&s, 1000);
	for (int i = 0; i < 4; i++)
		thread(&s, 1000, 480, 510);
	tells(&s, "CF0310",
	      "4.0 threads at a time are ready to run, on 2 processors: they wait for one 52 % of that time");
	begin(&s, 1000);
	for (int i = 0; i < 4; i++)
		thread(&s, 1000, 190, 800);
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
	struct session s;
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
	CU_ASSERT(percent > 8 && percent < 11); /* a tenth of what it takes */
	free(text);
}

CU_TestInfo threads_tests[] = {
	{ "unequal work is told where others wait for it", unequal_work },
	{ "of samples where one thread was at work", unequal_samples },
	{ "threads that idle beside equal ones", some_idle },
	{ "processors that other programs have", more_threads_than_processors },
	{ "what could be saved is what one thread has", of_the_thread_with_most },
	CU_TEST_INFO_NULL,
};
