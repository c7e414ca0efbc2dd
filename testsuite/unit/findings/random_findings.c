/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random_findings.c - prints findings on random sessions, for a golden file of the tests of the
 * command line: programs of some functions that call one another and libraries, near the limits of
 * all rules. A change of a rule is seen there by what it finds now.
 */
#include <stdlib.h>
#include <string.h>

#include "finding_lab.h"

#define OWN 9u /* functions of the program, the last one from a header of the system */
#define ROWS 200u
#define SESSIONS 250u

static struct entity entities[] = {
	{ .name = "main" },
	{ .name = "setup" },
	{ .name = "work" },
	{ .name = "inner" },
	{ .name = "look" },
	{ .name = "task" },
	{ .name = "render [parallel region 1]" },
	{ .name = "leaf" },
	{ .name = "std::vector<int>::insert" },
	/* of libraries */
	{ .name = "pthread_mutex_lock" },
	{ .name = "pthread_mutex_unlock" },
	{ .name = "pthread_rwlock_wrlock" },
	{ .name = "sem_wait" },
	{ .name = "sem_post" },
	{ .name = "pthread_cond_wait" },
	{ .name = "pthread_join" },
	{ .name = "sched_yield" },
	{ .name = "pthread_mutex_trylock" },
	{ .name = "nanosleep" },
	{ .name = "poll" },
	{ .name = "read" },
	{ .name = "fgets" },
	{ .name = "write" },
	{ .name = "fwrite" },
	{ .name = "fflush" },
	{ .name = "fsync" },
	{ .name = "stat" },
	{ .name = "open" },
	{ .name = "fork" },
	{ .name = "system" },
	{ .name = "waitpid" },
	{ .name = "strlen" },
	{ .name = "strcmp" },
	{ .name = "strstr" },
	{ .name = "memmove" },
	{ .name = "memcpy" },
	{ .name = "memset" },
	{ .name = "malloc" },
	{ .name = "free" },
	{ .name = "snprintf" },
	{ .name = "strtod" },
	{ .name = "qsort" },
	{ .name = "__cxa_throw" },
	{ .name = "_ZNSt7__cxx1112basic_stringIcE9_M_createEv" },
	{ .name = "MPI_Recv" },
	{ .name = "sqrt" },
};
#define NANOSLEEP_HERE (OWN + 9)
#define ENTITIES ((uint32_t)ARRAY_SIZE(entities))

static struct advised session;
static struct row rows[ROWS];
static struct thread_share shares[ROWS];
static struct os_counts counts[ROWS];
static char addresses[ROWS][16];
static uint64_t state;

/* ---- chance ---------------------------------------------------------------------------------- */

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % n;
}

static long double one_of(const long double *values, uint32_t n)
{
	return values[below(n)];
}
#define ONE_OF(...) \
	one_of((const long double[]){ __VA_ARGS__ }, \
	       (uint32_t)(sizeof((const long double[]){ __VA_ARGS__ }) / sizeof(long double)))

static uint64_t some_calls(void)
{
	return (uint64_t)ONE_OF(1, 3, 7, 20, 99, 100, 300, 900, 1000, 1001, 5000, 20000, 100000, 300000,
				20000000);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* All about the same, or few that are slow, or more from call to call. */
static void put_durations(struct durations *durations, uint64_t calls, long double mean)
{
	uint32_t shape = below(4);

	if (shape < 2 || calls < 8) {
		durations_add(durations, mean, calls);
	} else if (shape == 2) {
		durations_add(durations, mean / 20, calls - calls / 50 - 1);
		durations_add(durations, mean * 30, calls / 50 + 1);
	} else {
		for (uint32_t i = 0; i < 8; i++)
			durations_add(durations, mean * (1 + 2 * i) / 8, calls / 8);
	}
}

static void put_os(struct row *row, struct os_counts *os)
{
	for (int kind = 0; kind < OS_KINDS; kind++) {
		uint64_t n = (uint64_t)((long double)row->calls * ONE_OF(0, 0, 0.02L, 0.1L, 0.5L, 1));

		os->exclusive.of[kind] = n;
		os->inclusive.of[kind] = n + (uint64_t)ONE_OF(0, 0, 3, 30, 400);
	}
	row->os = os;
}

/* Of so much time that the row has, a part is off the processor. */
static void put_times(struct row *row, long double inclusive, long double exclusive)
{
	long double off = ONE_OF(0, 0, 0, 0.1L, 0.5L, 1);
	struct sums *s = &row->sums;

	s->elapsed_inclusive = inclusive;
	s->elapsed_exclusive = exclusive;
	s->off_cpu_inclusive = off * inclusive;
	s->off_cpu_exclusive = off * exclusive;
	s->preempted_inclusive = s->off_cpu_inclusive * ONE_OF(0, 0, 0.1L, 1);
	s->preempted_exclusive = s->off_cpu_exclusive * ONE_OF(0, 0, 0.1L, 1);
	s->application_inclusive = inclusive - s->off_cpu_inclusive;
	s->application_exclusive = exclusive - s->off_cpu_exclusive;
	s->overhead_inclusive = s->application_inclusive * ONE_OF(0, 0, 0.1L, 0.5L);
	row->activations_elapsed = inclusive;
	row->longest[VALUE_ELAPSED_INCLUSIVE] =
		(double)(row->calls ? 3 * inclusive / (long double)row->calls : 0);
}

static struct row *add_row(uint32_t caller, uint32_t callee, uint64_t calls)
{
	size_t n = session.edges.n_rows++;
	struct row *row = &rows[n];

	snprintf(addresses[n], sizeof(addresses[n]), "0x%zx", 0x1000 + 16 * n);
	*row = (struct row){ .name = entities[callee].name,
			     .module = entities[callee].module,
			     .file = "/src/main.c",
			     .line = (uint32_t)(10 + n),
			     .entity = callee,
			     .caller = caller,
			     .place = caller,
			     .address = caller == EDGE_NO_CALLER ? NULL : addresses[n],
			     .calls = calls,
			     .is_indirect = !below(6),
			     .are_calls_least = !below(12) };
	put_os(row, &counts[n]);
	session.edges.shares.size = n + 1;
	return row;
}

static void finish_row(const struct row *row)
{
	struct thread_share *share = &shares[row - rows];
	long double part = ONE_OF(1, 1, 0.5L, 0.25L);

	share->threads = (uint32_t)(1 / part);
	share->most[SHARE_ELAPSED] = part * row->sums.elapsed_inclusive;
	share->most[SHARE_OFF_CPU] = part * row->sums.off_cpu_inclusive;
	share->most[SHARE_CPU] = part * (row->sums.elapsed_inclusive - row->sums.off_cpu_inclusive);
	share->most[SHARE_APPLICATION] = part * row->sums.application_inclusive;
}

/* The function's calls of libraries. Returns their time. */
static long double add_library_calls(uint32_t function)
{
	long double sum = 0;

	for (uint32_t n = below(5), at = below(ENTITIES - OWN); n > 0; n--, at += below(3)) {
		uint32_t callee = OWN + at % (ENTITIES - OWN);
		uint64_t calls = some_calls();
		long double ns =
			(long double)calls * ONE_OF(30, 100, 200, 500, 1e3L, 2.5e3L, 6e3L, 1e5L, 1.5e6L);
		struct row *row;

		ns = ns < 800 * MS ? ns : 800 * MS;
		row = add_row(function, callee, calls);
		put_durations(&row->durations, calls, ns / (long double)calls);
		put_times(row, ns, ns);
		finish_row(row);
		sum += ns;
	}
	return sum;
}

/* Sums over the calls of each function; of those of the program also of what they call. */
static void add_function(uint32_t function, uint64_t calls, long double inclusive, long double exclusive)
{
	struct row *row = add_row(EDGE_NO_CALLER, function, calls);

	row->is_recursive = !below(10);
	if (calls)
		put_durations(&row->durations, calls, inclusive / (long double)calls);
	put_times(row, inclusive, exclusive);
	finish_row(row);
}

static void add_libraries(void)
{
	size_t n = session.edges.n_rows;

	for (uint32_t e = OWN; e < ENTITIES; e++) {
		long double ns = 0;
		uint64_t calls = 0;

		for (size_t i = 0; i < n; i++)
			if (rows[i].entity == e && rows[i].caller != EDGE_NO_CALLER) {
				calls += rows[i].calls;
				ns += rows[i].sums.elapsed_inclusive;
			}
		if (calls)
			add_function(e, calls, ns, ns);
	}
}

/* Each is called by one further out; the last ones first, whose time is known. Returns that of
 * all. */
static long double add_program(void)
{
	long double inclusive[OWN] = { 0 };

	for (uint32_t f = OWN; f-- > 0;) {
		long double own = ONE_OF(0, 0.1L, 1, 20, 100, 400) * MS;
		int is_short = f >= 7 && below(2); /* and often called */
		uint64_t calls = is_short ? 30000000 : f ? some_calls() : 1;
		uint32_t caller = f ? below(f) : 0;
		struct row *row;

		own = is_short ? 100 * MS : own;
		inclusive[f] += own + (is_short ? 0 : add_library_calls(f));
		add_function(f, calls, inclusive[f], own);
		if (!f)
			break;
		row = add_row(caller, f, calls);
		put_durations(&row->durations, calls, inclusive[f] / (long double)calls);
		put_times(row, inclusive[f], own);
		finish_row(row);
		inclusive[caller] += inclusive[f];
		if (!below(4)) { /* it calls itself */
			row = add_row(f, f, calls * below(100));
			put_times(row, inclusive[f] * 0.9L, own);
			finish_row(row);
		}
	}
	return inclusive[0];
}

/* ---- threads, processes ---------------------------------------------------------------------- */

/* Of one or two processes; they begin together, or one after another. */
static void add_threads(long double wall_ms)
{
	uint32_t n = 1 + below(12), in_turn = below(3);

	for (uint32_t i = 0; i < n; i++) {
		struct thread_fact *fact = &session.threads[i];
		long double life = wall_ms * ONE_OF(0.2L, 0.25L, 0.3L, 0.9L, 1, 1);
		long double work = life * ONE_OF(0.01L, 0.2L, 0.5L, 0.9L, 1);

		thread(&session, life, work, (life - work) * ONE_OF(0, 0, 0.1L, 0.9L));
		fact->pid = 1 + (i >= 6 && n > 8);
		fact->tid = i % 6 ? 100 + i : fact->pid;
		fact->begin = in_turn == 2 ? MS * wall_ms * (i / 3) * 0.3L : in_turn ? MS * i : 0;
		fact->end += fact->begin;
		fact->chain[0] = fact->work[0] = fact->tid == fact->pid ? 0 : below(8) ? 5 : 2;
		fact->work[1] = 2 + below(3);
		fact->n_work = 1 + below(2);
		fact->for_others = fact->off_cpu * ONE_OF(0, 0.5L, 1);
		fact->waits = (uint64_t)ONE_OF(0, 2, 100, 10000);
	}
}

static void add_processes(long double wall_ms, int is_job)
{
	uint32_t n = is_job ? 3 + below(6) : below(3) ? 1 : 2 + below(40);
	int in_turn = (int)below(2);

	for (uint32_t i = 0; i < n; i++) {
		long double begin = in_turn ? wall_ms * i / n : 2 * i,
			    life = in_turn ? wall_ms / n : ONE_OF(3, 6, 30);
		struct row *row =
			process(&session, 1 + i, i ? 1 : 0, i ? begin : 0, i ? begin + life : wall_ms);

		row->ended = below(5) ? NULL : "exec";
		if (!is_job)
			continue;
		row->rank_after = i + 1;
		row->sums.elapsed_inclusive = wall_ms * MS;
		row->sums.off_cpu_inclusive = wall_ms * MS * ONE_OF(0.1L, 0.4L, 0.5L, 0.6L, 0.65L);
		row->mpi = (double)(row->sums.off_cpu_inclusive * ONE_OF(0, 0.1L, 0.3L, 0.9L));
		row->mpi_busy = row->mpi / 4;
	}
	if (is_job)
		session.edges.totals.ranked = session.edges.totals.processes = n;
}

static void add_system(long double wall_ms)
{
	struct system_facts *system = &session.edges.system;

	for (uint32_t n = below(4); n > 0; n--) {
		uint32_t caller = below(OWN);

		for (size_t i = 0; i < session.edges.n_rows; i++)
			if (!strcmp(rows[i].name, "nanosleep") && rows[i].caller < OWN)
				caller = rows[i].caller;
		session.calls[system->n++] =
			(struct thread_calls){ .thread = "a thread",
					       .caller = caller,
					       .callee = NANOSLEEP_HERE,
					       .calls = 1 + below(100),
					       .caller_calls = 2 + below(8),
					       .taken = wall_ms * MS * ONE_OF(0.1L, 0.2L, 0.5L),
					       .elapsed = wall_ms * MS,
					       .on_cpu = wall_ms * MS * ONE_OF(0.005L, 0.02L, 0.3L),
					       .is_alone = !below(3) };
	}
	system->minor_faults = (uint64_t)ONE_OF(0, 19999, 20000, 300000, 2000000);
	system->main_threads = wall_ms * MS;
	system->before =
		(struct outside_main){ wall_ms * MS * ONE_OF(0, 0.09L, 0.1L, 0.3L), wall_ms * MS / 20, 1 };
	system->after =
		(struct outside_main){ wall_ms * MS * ONE_OF(0, 0.09L, 0.1L, 0.3L), wall_ms * MS / 20, 7 };
	system->processors = below(9);
	session.edges.totals.facts.waits.off_cpu[WAIT_PAGE] = wall_ms * MS * ONE_OF(0, 0, 0.2L);
	session.edges.totals.is_mixed = !below(6);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void make(uint32_t number)
{
	long double wall_ms;

	state = number * 77 + 5;
	begin(&session, 1);
	session.names.list = entities;
	session.names.keys.n = ENTITIES;
	session.edges.rows = rows;
	session.edges.shares.list = shares;
	memset(shares, 0, sizeof(shares));
	wall_ms = add_program() / MS / ONE_OF(1, 1, 2, 4) + 1;
	add_libraries();
	session.edges.totals.end_realtime_ns = (uint64_t)(wall_ms * MS);
	add_threads(wall_ms);
	add_processes(wall_ms, number % 5 == 0);
	add_system(wall_ms);
	if (number % 7 == 3)
		sampled(&session);
}

static void print(uint32_t number, const struct finding *f)
{
	printf("%u %s %s %.2Lf %% %.1Lf us, %s:%u, %s, %s: %s\n", number, f->id,
	       f->subject ? f->subject : "-", f->percent, f->time / 1000, f->file ? f->file : "-", f->line,
	       f->callee ? f->callee : "-", f->command, f->text.text);
}

int random_findings(void)
{
	struct findings_input input = { .view = &session.view,
					.edges = &session.edges,
					.processes = &session.processes };
	static const char *const files[OWN] = {
		"/src/main.c",	"/src/main.c", "/src/main.c",
		"/src/inner.c", "/src/look.h", "/src/main.c",
		"/src/main.c",	"/src/leaf.c", "/usr/include/c++/12/bits/vector.tcc"
	};
	struct findings findings;

	for (uint32_t e = 0; e < ENTITIES; e++) {
		entities[e].assembler = e == 6 ? "render._omp_fn.0" : entities[e].name;
		entities[e].module = e == 3 ? "/opt/library.so" : e < OWN ? "/app" : "/lib/libc.so.6";
		entities[e].file = e < OWN ? files[e] : "libc.c";
		entities[e].line = 10 * e;
		entities[e].module_number = e >= OWN;
		entities[e].is_function = 1;
	}
	for (uint32_t number = 0; number < SESSIONS; number++) {
		make(number);
		findings_make(&findings, &input);
		for (size_t i = 0; i < findings.n; i++)
			print(number, &findings.list[i]);
		findings_release(&findings);
		for (size_t i = 0; i < session.edges.n_rows; i++)
			durations_release(&rows[i].durations);
	}
	return 0;
}
