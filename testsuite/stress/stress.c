/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stress SECONDS LIBRARY WORKER... - threads that reach all state that the runtime shares between
 * threads, at once. Each counts what it does; the sums are printed and must be what the session
 * holds. (Compiled with TSan as well, together with the runtime.)
 *
 * A worker is a function and a row in `workers`: it does one round of something and returns. It
 * counts its calls of `work`, `marked`, `library_work` in its own `struct counts`; functions that
 * are called while recording may be off count nothing (`unrecorded`).
 */
#include "cinstr.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct counts {
	unsigned long work, marked, library, born;
};

static struct counts total;
static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static const char *library_path;
static int stop;
static __thread volatile unsigned sink;

__attribute__((noinline)) void work(unsigned i)
{
	sink = i;
}

/* With a mark: -fplugin-arg-cinstr-mark=top,marked */
__attribute__((noinline)) void marked(unsigned i)
{
	sink = i;
}

__attribute__((noinline)) void unrecorded(unsigned i)
{
	sink = i;
}

/* With -fplugin-arg-cinstr-suspend=inside,quiet: nothing that it calls is recorded. */
__attribute__((noinline)) void quiet(unsigned i)
{
	unrecorded(i);
	sink = i + 1;
}

static void add(const struct counts *counts)
{
	pthread_mutex_lock(&total_lock);
	total.work += counts->work;
	total.marked += counts->marked;
	total.library += counts->library;
	total.born += counts->born;
	pthread_mutex_unlock(&total_lock);
}

/* ---- workers --------------------------------------------------------------------------------- */

static void folds(struct counts *counts)
{
	for (unsigned i = 0; i < 3000; i++)
		work(i);
	counts->work += 3000;
}

static void *short_life(void *data)
{
	struct counts counts = { .work = 10, .born = 1 };

	for (unsigned i = 0; i < 10; i++)
		work(i);
	add(&counts);
	return data;
}

static void births(struct counts *counts)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, short_life, counts))
			abort();
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void marks(struct counts *counts)
{
	for (unsigned i = 0; i < 20; i++)
		marked(i);
	counts->marked += 20;
}

static void quiets(struct counts *counts)
{
	for (unsigned i = 0; i < 20; i++) {
		quiet(i);
		work(i);
	}
	counts->work += 20;
}

__attribute__((noinline)) unsigned deep(unsigned n)
{
	sink = n;
	return n ? deep(n - 1) + sink : 0;
}

/* Paths, and a stack that grows. */
static void depths(struct counts *counts)
{
	static __thread unsigned round;

	deep(100 + round++ % 100 * 100);
	work(round);
	counts->work++;
}

/* One thread only: the others would keep the library loaded. */
static void libraries(struct counts *counts)
{
	void *library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
	int (*call)(int (*)(int), int) = library ? (int (*)(int (*)(int), int))dlsym(library, "library_work") : NULL;

	if (!call)
		abort();
	for (int i = 0; i < 5; i++)
		call(abs, i);
	counts->library += 5;
	dlclose(library);
}

/* Its own level: nothing of the others' is lost by it. */
static void own_level(struct counts *counts)
{
	for (unsigned i = 0; i < 20; i++) {
		cinstr_suspend(CINSTR_THREAD, CINSTR_SELF);
		unrecorded(i);
		cinstr_resume(CINSTR_THREAD, CINSTR_SELF);
		work(i);
	}
	counts->work += 20;
}

static void flushes(struct counts *counts)
{
	work(1);
	cinstr_flush();
	cinstr_mark(1);
	counts->work++;
}

static void pause_shortly(long ns)
{
	struct timespec time = { 0, ns };

	nanosleep(&time, NULL);
}

/* Sleds go off and on while threads run there; `deep` is not counted. */
static void choices(struct counts *counts)
{
	cinstr_choose("not=deep");
	pause_shortly(200000);
	cinstr_choose("all");
	pause_shortly(200000);
	work(2);
	counts->work++;
}

/* What the others do meanwhile may be recorded or not. */
static void levels(struct counts *counts)
{
	cinstr_suspend(CINSTR_PROCESS, CINSTR_SELF);
	pause_shortly(100000);
	cinstr_resume(CINSTR_PROCESS, CINSTR_SELF);
	pause_shortly(100000);
	(void)counts;
}

static void probe_kinds(struct counts *counts)
{
	cinstr_choose("probes=functions");
	pause_shortly(200000);
	cinstr_choose("not=work probes=calls");
	pause_shortly(200000);
	cinstr_choose("all");
	(void)counts;
}

static const struct worker {
	const char *name;
	void (*round)(struct counts *counts);
	int threads;
	int by_name; /* 1: only when it is named: the counts are no truth then */
} workers[] = {
	{ "folds", folds, 2 }, { "births", births, 2 },	  { "marks", marks, 2 },
	{ "quiets", quiets, 1 }, { "depths", depths, 1 }, { "libraries", libraries, 1 },
	{ "own_level", own_level, 1 }, { "flushes", flushes, 1 }, { "choices", choices, 1 },
	{ "levels", levels, 1, 1 }, { "probe_kinds", probe_kinds, 1, 1 },
};

#define N_WORKERS (sizeof(workers) / sizeof(workers[0]))

/* ---- all ------------------------------------------------------------------------------------- */

static void *run_worker(void *data)
{
	const struct worker *worker = data;
	struct counts counts = { 0 };

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		worker->round(&counts);
	add(&counts);
	return NULL;
}

/* No names: all but those that are for names only; a name behind "+": these and that one. */
static int is_wanted(const struct worker *worker, char **names)
{
	if (!*names || **names == '+')
		if (!worker->by_name)
			return 1;
	for (; *names; names++)
		if (!strcmp(*names + (**names == '+'), worker->name))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	int n = 0;
	struct timespec time = { argc > 2 ? atol(argv[1]) : 1, 0 };

	library_path = argc > 2 ? argv[2] : "";
	for (unsigned i = 0; i < N_WORKERS; i++)
		for (int t = 0; t < workers[i].threads && is_wanted(&workers[i], argv + 3); t++)
			if (pthread_create(&threads[n++], NULL, run_worker, (void *)&workers[i]))
				abort();
	nanosleep(&time, NULL);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	while (n > 0)
		pthread_join(threads[--n], NULL);
	printf("work %lu\nmarked %lu\nlibrary_work %lu\nshort_life %lu\n", total.work, total.marked, total.library,
	       total.born);
	return 0;
}
