/* SPDX-License-Identifier: GPL-3.0-or-later */
/* finding_lab.c - see finding_lab.h. */
#include "finding_lab.h"

#include <stdlib.h>
#include <string.h>

void end(struct advised *s)
{
	for (size_t i = 0; i < MAX_ROWS; i++)
		durations_release(&s->rows[i].durations);
}

void begin(struct advised *s, long double wall_ms)
{
	static const struct entity entities[FUNCTIONS] = {
		[MAIN] = { "main", "main", "/app", "/src/main.c", 10, 0, 1, 0 },
		[WORKER] = { "worker", "worker", "/app", "/src/main.c", 20, 0, 1, 0 },
		[HOT] = { "hot", "hot", "/lib/library.so", "/src/library.c", 30, 1, 1, 0 },
		[LOCK] = { "pthread_mutex_lock", "pthread_mutex_lock", "/lib/libc.so.6", "lock.c", 1, 1, 1,
			   0 },
		[UNLOCK] = { "pthread_mutex_unlock", "pthread_mutex_unlock", "/lib/libc.so.6", "lock.c", 2, 1,
			     1, 0 },
		[READ] = { "read", "read", "/lib/libc.so.6", "libc.c", 1, 1, 1, 0 },
		[FGETS] = { "fgets", "fgets", "/lib/libc.so.6", "libc.c", 1, 1, 1, 0 },
		[WRITE] = { "write", "write", "/lib/libc.so.6", "libc.c", 1, 1, 1, 0 },
		[FFLUSH] = { "fflush", "fflush", "/lib/libc.so.6", "libc.c", 1, 1, 1, 0 },
		[FWRITE] = { "fwrite", "fwrite", "/lib/libc.so.6", "libc.c", 1, 1, 1, 0 },
		[FSYNC] = { "fsync", "fsync", "/lib/libc.so.6", "libc.c", 1, 1, 1, 0 },
		[STAT] = { "stat", "stat", "/lib/libc.so.6", "libc.c", 1, 1, 1, 0 },
		[OPEN] = { "open", "open", "/lib/libc.so.6", "libc.c", 1, 1, 1, 0 },
		[NANOSLEEP] = { "nanosleep", "nanosleep", "/lib/libc.so.6", "libc.c", 1, 1, 1, 0 },
		[POLL] = { "poll", "poll", "/lib/libc.so.6", "libc.c", 1, 1, 1, 0 },
		[FORK] = { "fork", "fork", "/lib/libc.so.6", "libc.c", 1, 1, 1, 0 },
		[SYSTEM] = { "system", "system", "/lib/libc.so.6", "libc.c", 1, 1, 1, 0 },
		[WAITPID] = { "waitpid", "waitpid", "/lib/libc.so.6", "libc.c", 1, 1, 1, 0 },
		[MPI_RECV] = { "MPI_Recv", "MPI_Recv", "/lib/libc.so.6", "libc.c", 1, 1, 1, 0 },
		[REGION] = { "worker [parallel region 1]", "worker._omp_fn.0", "/app", "/src/main.c", 40, 0,
			     1, 0 },
	};

	end(s);
	*s = (struct advised){ .edges = { .by = BY_CALLERS, .by_call_site = 1, .rows = s->rows } };
	memcpy(s->entities, entities, sizeof(entities));
	s->view.source = "session";
	s->names.list = s->entities;
	s->names.keys.n = FUNCTIONS;
	s->edges.names = &s->names;
	s->edges.thread_facts.list = s->threads;
	s->edges.shares.list = s->shares;
	s->edges.system.processors = 2;
	s->edges.totals.end_realtime_ns = (uint64_t)(wall_ms * MS);
	s->edges.totals.hosts.n = 1;
	s->edges.system.list = s->calls;
	s->processes.rows = s->of_processes;
}

void thread(struct advised *s, long double ms, long double work_ms, long double preempted_ms)
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
	/* what lies beyond the last one is nobody's */
	s->threads[n + 1] = (struct thread_fact){ .pid = 1, .tid = 1, .end = 1e18L, .elapsed = 1e18L };
	t->threads++;
	t->elapsed += ms * MS;
	t->application += work_ms * MS;
	t->off_cpu += (ms - work_ms) * MS;
	t->facts.waits.off_cpu[WAIT_PREEMPTED] += preempted_ms * MS;
	t->facts.waits.off_cpu[WAIT_SLEEP] += (ms - work_ms - preempted_ms) * MS;
}

void sampled(struct advised *s)
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

char *told(struct advised *s, const char *id, long double *percent)
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

void tells(struct advised *s, const char *id, const char *expected)
{
	long double percent;
	char *text = told(s, id, &percent);

	if (!text || strcmp(text, expected))
		printf("got '%s', expected '%s'\n", text ? text : "", expected);
	CU_ASSERT(text && !strcmp(text, expected));
	free(text);
}

void proposes(struct advised *s, const char *id, const char *verb)
{
	struct findings_input input = { .view = &s->view, .edges = &s->edges, .processes = &s->processes };
	struct findings findings;
	size_t n = 0;

	findings_make(&findings, &input);
	for (size_t i = 0; i < findings.n; i++)
		if (!strcmp(findings.list[i].id, id)) {
			CU_ASSERT_STRING_EQUAL(findings.list[i].verb, verb);
			n++;
		}
	CU_ASSERT_EQUAL(n, 1);
	findings_release(&findings);
}

void takes_part(struct advised *s, const char *id, long double percent)
{
	long double got = -1;

	free(told(s, id, &got));
	if (!nearly(got, percent))
		printf("%s: %Lf %%, expected %Lf %%\n", id, got, percent);
	CU_ASSERT(nearly(got, percent));
}

void saves(struct advised *s, const char *id, long double percent)
{
	struct findings_input input = { .view = &s->view, .edges = &s->edges, .processes = &s->processes };
	struct findings findings;
	long double got = -1;

	findings_make(&findings, &input);
	for (size_t i = 0; i < findings.n; i++)
		if (!strcmp(findings.list[i].id, id))
			got = findings.list[i].bound_percent;
	findings_release(&findings);
	if (!nearly(got, percent))
		printf("%s: at most %Lf %%, expected %Lf %%\n", id, got, percent);
	CU_ASSERT(nearly(got, percent));
}

void likely_saves(struct advised *s, const char *id, long double low, long double high)
{
	struct findings_input input = { .view = &s->view, .edges = &s->edges, .processes = &s->processes };
	struct findings findings;
	long double got[2] = { -1, -1 };

	findings_make(&findings, &input);
	for (size_t i = 0; i < findings.n; i++)
		if (!strcmp(findings.list[i].id, id)) {
			got[0] = findings.list[i].estimate_low;
			got[1] = findings.list[i].estimate_high;
		}
	findings_release(&findings);
	if (!nearly(got[0], low) || !nearly(got[1], high))
		printf("%s: %Lf to %Lf %%, expected %Lf to %Lf\n", id, got[0], got[1], low, high);
	CU_ASSERT(nearly(got[0], low) && nearly(got[1], high));
}

void silent(struct advised *s, const char *id)
{
	long double percent;
	char *text = told(s, id, &percent);

	if (text)
		printf("got '%s', expected nothing\n", text);
	CU_ASSERT_PTR_NULL(text);
	free(text);
}

struct row *row_of(struct advised *s, uint32_t caller, uint32_t callee, uint64_t calls, uint32_t threads,
		   const char *address)
{
	struct row *row = &s->rows[s->edges.n_rows];

	*row = (struct row){ .name = s->entities[callee].name,
			     .module = s->entities[callee].module,
			     .file = "/src/main.c",
			     .line = 7,
			     .entity = callee,
			     .caller = caller,
			     .place = caller,
			     .address = address,
			     .calls = calls };
	s->shares[s->edges.n_rows] = (struct thread_share){ .threads = threads };
	s->edges.shares.size = ++s->edges.n_rows;
	return row;
}

void takes(struct row *row, long double elapsed_ms, long double off_ms, long double preempted_ms)
{
	row->sums = (struct sums){ .elapsed_inclusive = elapsed_ms * MS,
				   .elapsed_exclusive = elapsed_ms * MS,
				   .off_cpu_inclusive = off_ms * MS,
				   .off_cpu_exclusive = off_ms * MS,
				   .preempted_inclusive = preempted_ms * MS,
				   .preempted_exclusive = preempted_ms * MS };
}

struct row *makes(struct advised *s, uint32_t caller, uint32_t callee, uint64_t calls, long double ms,
		  long double usual_ns)
{
	size_t n = s->edges.n_rows;
	struct row *row = row_of(s, caller, callee, calls, 1, NULL);

	takes(row, ms, 0, 0);
	row->os = &s->counts[n];
	row->os->exclusive.of[OS_SYSCALL] = calls;
	durations_add(&row->durations, usual_ns, calls);
	s->shares[n].most[SHARE_ELAPSED] = s->shares[n].most[SHARE_CPU] = ms * MS;
	return row;
}

struct row *process(struct advised *s, uint32_t pid, uint32_t parent, long double begin_ms,
		    long double end_ms)
{
	struct row *row = &s->of_processes[s->processes.n_rows++];

	/* nobody's */
	row[1] = (struct row){ .begin = -1e18, .end = 1e18, .mpi = 1e18, .mpi_busy = 1e18 };
	*row = (struct row){
		.name = "app", .pid = pid, .parent_pid = parent, .begin = begin_ms * MS, .end = end_ms * MS
	};
	return row;
}
