/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What cinstr.h does, one mode for each test (api.py). Every status goes to stdout as "LINE:
 * status"; without a runtime they are others, so modes that print them are compared with what
 * api.py says, not with a plain run.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cinstr.h"

#define NOINLINE __attribute__((noinline, noclone))
#define QUIET __attribute__((no_instrument_function))

static volatile int sink;
static int print_statuses = 1;

NOINLINE void leaf(void)
{
	sink++;
}

NOINLINE void inner(int n)
{
	for (int i = 0; i < n; i++)
		leaf();
}

QUIET static void status(const char *what, enum cinstr_status got)
{
	if (print_statuses)
		printf("%s: %d\n", what, (int)got);
}

#define TRY(call) status(#call, call)

QUIET static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- each level, each pair ------------------------------------------------------------------- */

/* 3 are seen: before, between, behind; not the 10s and 100s. */
NOINLINE void toggled(enum cinstr_level level)
{
	leaf();
	TRY(cinstr_stop(level, CINSTR_SELF));
	TRY((enum cinstr_status)cinstr_is_on());
	inner(10);
	TRY(cinstr_stop(level, CINSTR_SELF)); /* not counted */
	TRY(cinstr_start(level, CINSTR_SELF));
	leaf();
	TRY(cinstr_suspend(level, CINSTR_SELF));
	TRY(cinstr_suspend(level, CINSTR_SELF));
	inner(100);
	TRY(cinstr_resume(level, CINSTR_SELF)); /* counted */
	inner(100);
	TRY((enum cinstr_status)cinstr_is_on());
	TRY(cinstr_resume(level, CINSTR_SELF));
	TRY((enum cinstr_status)cinstr_is_on());
	leaf();
	TRY(cinstr_resume(level, CINSTR_SELF)); /* one too many ... */
	TRY(cinstr_suspend(level, CINSTR_SELF));
	leaf(); /* ... takes the force of this one: 4 */
}

NOINLINE void levels(void)
{
	toggled(CINSTR_SESSION);
	toggled(CINSTR_PROCESS);
	toggled(CINSTR_THREAD);
	/* On is on at all of them. */
	cinstr_stop(CINSTR_PROCESS, CINSTR_SELF);
	cinstr_stop(CINSTR_THREAD, CINSTR_SELF);
	cinstr_start(CINSTR_PROCESS, CINSTR_SELF);
	inner(1000);
	cinstr_start(CINSTR_THREAD, CINSTR_SELF);
	leaf();
}

/* ---- off and on in other frames -------------------------------------------------------------- */

NOINLINE void off_in_here(int n)
{
	leaf();
	if (n)
		off_in_here(n - 1);
	else
		cinstr_suspend(CINSTR_THREAD, CINSTR_SELF);
	sink++;
}

NOINLINE void on_in_here(int n)
{
	leaf();
	if (n)
		on_in_here(n - 1);
	else
		cinstr_resume(CINSTR_THREAD, CINSTR_SELF);
	leaf();
}

NOINLINE void frames(void)
{
	for (int i = 0; i < 3; i++) {
		off_in_here(5);
		on_in_here(3);
	}
	leaf();
}

/* ---- statuses -------------------------------------------------------------------------------- */

QUIET static void *wait_a_moment(void *data)
{
	while (!*(volatile int *)data)
		usleep(1000);
	return NULL;
}

static void odd(void)
{
	char text[1202];
	int over = 0;
	pthread_t thread;
	struct timespec now;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	errno = 77;
	TRY(cinstr_start((enum cinstr_level)0, CINSTR_SELF));
	TRY(cinstr_stop((enum cinstr_level)4, CINSTR_SELF));
	TRY(cinstr_stop(CINSTR_PROCESS, 0x7ffffff0u));
	TRY(cinstr_stop(CINSTR_THREAD, 0x7ffffff0u));
	TRY(cinstr_mark(1));
	TRY(cinstr_mark(0));
	TRY(cinstr_mark(-5));
	TRY(cinstr_mark_text(2, "two words"));
	TRY(cinstr_mark_text(3, text));
	clock_gettime(CLOCK_MONOTONIC, &now);
	TRY(cinstr_mark_at((int64_t)now.tv_sec * 1000000000 + now.tv_nsec - 500000000, 4,
			   "half a second ago"));
	TRY(cinstr_mark_text(5, NULL));
	cinstr_stop(CINSTR_THREAD, CINSTR_SELF);
	TRY(cinstr_mark(6));
	cinstr_start(CINSTR_THREAD, CINSTR_SELF);
	TRY(cinstr_name(CINSTR_SESSION, CINSTR_SELF, "name"));
	TRY(cinstr_name(CINSTR_PROCESS, CINSTR_SELF, "1st"));
	TRY(cinstr_name(CINSTR_PROCESS, CINSTR_SELF, "two words"));
	TRY(cinstr_name(CINSTR_PROCESS, CINSTR_SELF, "a/b"));
	TRY(cinstr_name(CINSTR_PROCESS, CINSTR_SELF, ""));
	TRY(cinstr_name(CINSTR_PROCESS, CINSTR_SELF, "the-server"));
	TRY(cinstr_name(CINSTR_PROCESS, CINSTR_SELF, "other"));
	TRY(cinstr_name(CINSTR_THREAD, CINSTR_SELF, "a-name-of-more-than-thirty-one-bytes"));
	TRY(cinstr_name(CINSTR_THREAD, 0x7ffffff0u, "nobody"));
	TRY(cinstr_choose("nonsense=1"));
	TRY(cinstr_flush());
	printf("errno %d\n", errno);
	/* A thread that has not run a probe has no id. */
	pthread_create(&thread, NULL, wait_a_moment, &over);
	over = 1;
	pthread_join(thread, NULL);
	for (int i = 0; i < 15; i++)
		printf("%d %s\n", i, cinstr_status_text((enum cinstr_status)i));
}

/* ---- other threads --------------------------------------------------------------------------- */

static volatile unsigned int worker_id;
static volatile int phase;
static volatile unsigned long rounds;
static unsigned long calls_seen[3]; /* by how often recording was on, before and after them */

NOINLINE void work(void)
{
	leaf();
	rounds++;
}

QUIET static void wait_for_rounds(void)
{
	unsigned long from = rounds;

	while (rounds < from + 20000)
		usleep(100);
}

NOINLINE void *worker(void *data)
{
	worker_id = (unsigned int)syscall(SYS_gettid);
	while (phase < 2) {
		int before = cinstr_is_on();

		work();
		calls_seen[before + cinstr_is_on()]++;
	}
	return data;
}

NOINLINE void others(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	while (!worker_id || rounds < 1000)
		usleep(100);
	TRY(cinstr_name(CINSTR_THREAD, worker_id, "worker"));
	TRY(cinstr_stop(CINSTR_THREAD, worker_id));
	wait_for_rounds(); /* it goes off meanwhile */
	TRY(cinstr_mark(1));
	for (int i = 0; i < 20; i++)
		wait_for_rounds();
	TRY(cinstr_mark(2));
	TRY(cinstr_start(CINSTR_THREAD, worker_id));
	for (int i = 0; i < 5; i++)
		wait_for_rounds();
	phase = 2;
	pthread_join(thread, NULL);
	TRY(cinstr_stop(CINSTR_THREAD, worker_id));
	printf("work %lu %lu %lu\n", calls_seen[0], calls_seen[1], calls_seen[2]);
}

/* ---- other processes ------------------------------------------------------------------------- */

/* The child tells by its exit status how it saw itself. Called without probes: waiting does not
 * count. */
QUIET static int is_seen(int wanted)
{
	for (double end = seconds() + 20; seconds() < end; usleep(1000))
		if (cinstr_is_on() == wanted)
			return 1;
	return 0;
}

QUIET static void say(int to, char what)
{
	if (write(to, &what, 1) != 1)
		abort();
}

QUIET static char hear(int from)
{
	char c = 0;

	return read(from, &c, 1) == 1 ? c : '!';
}

/* The ends that are the other's: who reads sees then that the other has ended. */
QUIET static void keep(const int *to, const int *from)
{
	close(to[0]);
	close(from[1]);
}

/* What it calls before it tells is called before anybody changes anything again. */
NOINLINE void child(int to, int from)
{
	char seen;

	inner(5);
	say(to, 'r');
	seen = is_seen(0) ? 'y' : 'n'; /* stopped by its pid */
	inner(100);
	say(to, seen);
	hear(from);
	seen = is_seen(1) ? 'y' : 'n';
	inner(7);
	say(to, seen);
	hear(from);
	seen = is_seen(0) ? 'y' : 'n'; /* with the session */
	inner(1000);
	say(to, seen);
	hear(from);
	seen = is_seen(1) ? 'y' : 'n';
	inner(2);
	say(to, seen);
}

NOINLINE void processes(void)
{
	int down[2], up[2];
	unsigned int pid;

	if (pipe(down) || pipe(up))
		return;
	pid = (unsigned int)fork();
	if (!pid) {
		keep(up, down);
		child(up[1], down[0]);
		exit(0);
	}
	keep(down, up);
	hear(up[0]);
	TRY(cinstr_stop(CINSTR_PROCESS, pid));
	printf("off %c\n", hear(up[0]));
	printf("own %d\n", cinstr_is_on());
	TRY(cinstr_name(CINSTR_PROCESS, pid, "the-child"));
	TRY(cinstr_start(CINSTR_PROCESS, pid));
	say(down[1], 'g');
	printf("on %c\n", hear(up[0]));
	TRY(cinstr_suspend(CINSTR_SESSION, CINSTR_SELF));
	say(down[1], 'g');
	printf("off %c\n", hear(up[0]));
	TRY(cinstr_resume(CINSTR_SESSION, CINSTR_SELF));
	say(down[1], 'g');
	printf("on %c\n", hear(up[0]));
	waitpid((pid_t)pid, NULL, 0);
	TRY(cinstr_stop(CINSTR_PROCESS, pid)); /* it is over */
}

/* ---- a storm of handlers --------------------------------------------------------------------- */

static volatile sig_atomic_t handled;

static void on_alarm(int number)
{
	int saved = errno;

	errno = 1234;
	switch (handled++ % 8) {
	case 0:
		cinstr_suspend(CINSTR_THREAD, CINSTR_SELF);
		leaf();
		break;
	case 1:
		cinstr_resume(CINSTR_THREAD, CINSTR_SELF);
		break;
	case 2:
		cinstr_mark_text(handled, "in a handler");
		break;
	case 3:
		cinstr_stop(CINSTR_PROCESS, CINSTR_SELF);
		leaf();
		break;
	case 4:
		cinstr_start(CINSTR_PROCESS, CINSTR_SELF);
		leaf();
		break;
	case 5:
		cinstr_flush();
		break;
	case 6:
		cinstr_suspend(CINSTR_SESSION, CINSTR_SELF);
		break;
	default:
		cinstr_resume(CINSTR_SESSION, CINSTR_SELF);
		break;
	}
	if (errno != 1234)
		abort();
	errno = saved;
	(void)number;
}

NOINLINE int recurse(int n)
{
	leaf();
	return n ? recurse(n - 1) + 1 : 0;
}

NOINLINE void storm(void)
{
	struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < 4000)
		if (recurse(40) != 40)
			abort();
	setitimer(ITIMER_REAL, &never, NULL);
	while (handled % 8) /* all is on again */
		on_alarm(0);
}

/* ---- toggling from outside of the threads ---------------------------------------------------- */

static volatile int over;

NOINLINE void *run(void *data)
{
	long sum = 0;

	while (!over)
		sum += recurse(200);
	return (void *)sum;
	(void)data;
}

QUIET static void *toggle(void *data)
{
	int rounds_to_go = *(int *)data;

	for (int i = 0; i < rounds_to_go; i++) {
		cinstr_stop(i % 3 ? CINSTR_PROCESS : CINSTR_SESSION, CINSTR_SELF);
		usleep(500);
		cinstr_start(i % 3 ? CINSTR_PROCESS : CINSTR_SESSION, CINSTR_SELF);
		usleep(500);
	}
	over = 1;
	return NULL;
}

NOINLINE void under_load(void)
{
	pthread_t threads[4], toggler;
	int n = 1000;

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	pthread_create(&toggler, NULL, toggle, &n);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	pthread_join(toggler, NULL);
}

/* The same, toggled by another process until there is a file. */
QUIET static void until(const char *path)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	while (access(path, F_OK))
		usleep(1000);
	over = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* ---- paused from the start ------------------------------------------------------------------- */

NOINLINE void started(void)
{
	inner(3);
}

NOINLINE void paused(void)
{
	inner(500);
	cinstr_name(CINSTR_THREAD, CINSTR_SELF, "paused-one");
	printf("on %d\n", cinstr_is_on());
	cinstr_start(CINSTR_PROCESS, CINSTR_SELF);
	started();
	cinstr_stop(CINSTR_PROCESS, CINSTR_SELF);
	inner(500);
	cinstr_start(CINSTR_PROCESS, CINSTR_SELF);
	started();
	cinstr_stop(CINSTR_PROCESS, CINSTR_SELF);
	inner(500);
}

/* ---- fork: the child's state is its parent's ------------------------------------------------- */

NOINLINE void inherit(void)
{
	pid_t pid;

	cinstr_stop(CINSTR_PROCESS, CINSTR_SELF);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		inner(100);
		printf("child %d\n", cinstr_is_on());
		cinstr_start(CINSTR_PROCESS, CINSTR_SELF);
		inner(4);
		exit(0);
	}
	waitpid(pid, NULL, 0);
	printf("parent %d\n", cinstr_is_on());
	inner(100);
	cinstr_start(CINSTR_PROCESS, CINSTR_SELF);
	inner(2);
}

/* ---- how soon -------------------------------------------------------------------------------- */

QUIET static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Prices without a runtime, or with one; printed by hand-run measurements only. */
QUIET static void price(void)
{
	double times[9];

	for (int r = 0; r < 9; r++) {
		double begin = seconds();

		for (int i = 0; i < 10000000; i++)
			cinstr_mark(0);
		times[r] = (seconds() - begin) * 100;
	}
	qsort(times, 9, sizeof(*times), compare);
	printf("%.2f ns a call\n", times[4]);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "levels"))
		levels();
	else if (!strcmp(mode, "frames"))
		frames();
	else if (!strcmp(mode, "odd"))
		odd();
	else if (!strcmp(mode, "others"))
		others();
	else if (!strcmp(mode, "processes"))
		processes();
	else if (!strcmp(mode, "storm"))
		storm();
	else if (!strcmp(mode, "load"))
		under_load();
	else if (!strcmp(mode, "until"))
		until(argv[2]);
	else if (!strcmp(mode, "paused"))
		paused();
	else if (!strcmp(mode, "inherit"))
		inherit();
	else if (!strcmp(mode, "price"))
		price();
	puts("done");
	return 0;
}
