/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * phases.c - known times between marks. phases THREADS PHASES [MS]: in each phase every thread
 * calls work() for MS milliseconds, by its own processor time, within deep(); between two of them
 * the main thread sets a mark, while all stand at a barrier.
 *
 *   phases storm N    marks from 4 threads and a signal handler while they work, N each; each
 *                     sleeps now and then
 *   phases sleep N    one thread sleeps in nap() while the main thread sets N marks, 5 ms apart
 *   phases flat N     many paths: spread() a new one each time, below the budget of paths and
 *                     beyond it, N marks
 *   phases kill N MS  as storm; kills itself after MS milliseconds
 *   phases many N     N threads one after another, each sets a mark
 *   phases past N     a mark of a moment before, and one of now; then work for N milliseconds
 *   phases fork N     a mark; a child, that sets one and works N milliseconds, as its parent does
 *                     meanwhile
 *   phases loop N     works and says when it has begun; until stdin ends
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cinstr.h"

#define DEPTH 20

static pthread_barrier_t barrier;
static int n_phases, n_threads;
static long ms = 20;

__attribute__((no_instrument_function)) static long long cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

__attribute__((noinline)) void leaf(void)
{
	for (volatile int i = 0; i < 300; i++)
		;
}

__attribute__((noinline)) void work(int phase)
{
	long long end = cpu_ns() + ms * 1000000 * (phase % 3 + 1);

	while (cpu_ns() < end)
		leaf();
}

__attribute__((noinline)) void deep(int n, int is_main);

__attribute__((noinline)) void phases(int is_main)
{
	for (int i = 0; i < n_phases; i++) {
		char text[32];

		pthread_barrier_wait(&barrier);
		if (is_main && i) {
			snprintf(text, sizeof(text), "phase %d", i);
			cinstr_mark_text(i, text);
		}
		pthread_barrier_wait(&barrier);
		work(i);
	}
	pthread_barrier_wait(&barrier);
}

void deep(int n, int is_main)
{
	if (n)
		deep(n - 1, is_main);
	else
		phases(is_main);
	__asm__ volatile("");
}

static void *thread(void *arg)
{
	(void)arg;
	deep(DEPTH, 0);
	return NULL;
}

/* ---- storm ---- */

static void on_signal(int number)
{
	(void)number;
	cinstr_mark_text(1000, "handler");
}

__attribute__((noinline)) int recurse(int n)
{
	return n ? recurse(n - 1) + 1 : 0;
}

static void *storm(void *arg)
{
	struct timespec nap = { 0, 100000 };
	int n = (int)(long)arg;

	for (int i = 0; i < n; i++) {
		cinstr_mark_text(i + 1, "storm");
		for (int k = 0; k < 20; k++) {
			recurse(k * 3);
			leaf();
		}
		if (i % 16 == 0)
			nanosleep(&nap, NULL);
		if (i % 8 == 0)
			raise(SIGUSR1);
	}
	return NULL;
}

static void run_storm(int n, int to_kill)
{
	pthread_t threads[4];

	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, storm, (void *)(long)n);
	if (to_kill) {
		struct timespec nap = { 0, to_kill * 1000000L };

		nanosleep(&nap, NULL);
		kill(getpid(), SIGKILL);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* ---- sleep ---- */

__attribute__((noinline)) void nap(int n)
{
	struct timespec time = { 0, 5000000L };

	time.tv_nsec = (n + 2) * 5000000L % 1000000000L;
	time.tv_sec = (n + 2) * 5000000L / 1000000000L;
	nanosleep(&time, NULL);
}

static void *sleeper(void *arg)
{
	leaf();
	nap((int)(long)arg);
	leaf();
	return NULL;
}

static void run_sleep(int n)
{
	struct timespec time = { 0, 5000000L };
	pthread_t other;

	pthread_create(&other, NULL, sleeper, (void *)(long)n);
	for (int i = 0; i < n; i++) {
		nanosleep(&time, NULL);
		cinstr_mark_text(i + 1, "while it sleeps");
	}
	pthread_join(other, NULL);
}

/* ---- flat ---- */

__attribute__((noinline)) void spread(unsigned path, int n, int marks)
{
	if (!n) {
		leaf();
		if (marks && path % 64 == 5)
			cinstr_mark_text((int)path + 1, "in a path");
		return;
	}
	if (path & 1u << n)
		spread(path, n - 1, marks);
	else
		spread(path, n - 1, marks);
	__asm__ volatile("");
}

/* ---- and more ---- */

static void *marker(void *arg)
{
	recurse(5);
	cinstr_mark((int64_t)(long)arg);
	recurse(7);
	return NULL;
}

static void run_many(int n)
{
	for (long i = 1; i <= n; i++) {
		pthread_t other;

		pthread_create(&other, NULL, marker, (void *)i);
		pthread_join(other, NULL);
	}
}

static void run_past(int n)
{
	struct timespec now;

	leaf();
	clock_gettime(CLOCK_MONOTONIC, &now);
	cinstr_mark_at(now.tv_sec * 1000000000LL + now.tv_nsec - 1000, 1, "past");
	cinstr_mark_text(2, "now");
	ms = n;
	work(0);
}

static void run_fork(int n)
{
	pid_t child;

	ms = n;
	cinstr_mark_text(1, "parent");
	child = fork();
	if (!child)
		cinstr_mark_text(2, "child");
	work(0);
	if (child)
		waitpid(child, NULL, 0);
}

static void run_loop(int n)
{
	struct pollfd input = { 0, POLLIN, 0 };

	ms = n;
	work(0);
	puts("begun");
	fflush(stdout);
	while (!poll(&input, 1, 0))
		work(0);
}

int main(int argc, char **argv)
{
	pthread_t threads[16];
	const char *what = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(what, "storm") || !strcmp(what, "kill")) {
		run_storm(n, !strcmp(what, "kill") ? atoi(argv[3]) : 0);
		return 0;
	}
	if (!strcmp(what, "sleep")) {
		run_sleep(n);
		return 0;
	}
	if (!strcmp(what, "flat")) {
		for (unsigned path = 0; path < 1000; path++)
			spread(path, 9, n);
		return 0;
	}
	if (!strcmp(what, "many"))
		run_many(n);
	if (!strcmp(what, "past"))
		run_past(n);
	if (!strcmp(what, "fork"))
		run_fork(n);
	if (!strcmp(what, "loop"))
		run_loop(n);
	n_threads = atoi(what);
	if (!n_threads)
		return 0;
	n_phases = n;
	if (argc > 3)
		ms = atoi(argv[3]);
	pthread_barrier_init(&barrier, NULL, (unsigned)n_threads);
	for (int i = 1; i < n_threads; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	deep(DEPTH, 1);
	for (int i = 1; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
