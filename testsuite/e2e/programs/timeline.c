/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls whose order is known: bit `zero` and bit `one`, as a generator says, so that any part of a
 * timeline tells where it is from (timeline.py has the same generator).
 *
 *   bits N            N of them
 *   threads N...      the first thread N1, and so on, each begun when the one before has done half;
 *                     then all wait for all
 *   requests N S      N requests of 20 bits each; number S sleeps for 40 ms
 *   exec N            N of them, then again as another program
 *   fork N            N of them, and N by a child, with seed 7
 *   ways              slow calls that end in unusual ways: recursion, longjmp
 *   growing N         N requests, each sleeps longer than the one before, with 3000 bits between
 *                     them
 */
#include "../trees/e2e.h"
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_barrier_t all;
static jmp_buf back;

KEEP static void zero(void)
{
	sink = 0;
}

KEEP static void one(void)
{
	sink = 1;
}

static void bits(unsigned *state, long n)
{
	while (n-- > 0) {
		*state = (*state * 1103515245u + 12345u) & 0x7fffffff;
		if (*state >> 16 & 1)
			one();
		else
			zero();
	}
}

KEEP static void wait_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

KEEP static void request(unsigned *state, long ms)
{
	bits(state, 20);
	if (ms)
		wait_ms(ms);
	sink = 2; /* no tail call: that would be the end of this one */
}

struct one_thread {
	pthread_t thread;
	long n, number;
	volatile long done;
};

static void *run(void *data)
{
	struct one_thread *t = data;
	unsigned state = (unsigned)t->number;

	for (t->done = 0; t->done < t->n; t->done += 10)
		bits(&state, 10);
	pthread_barrier_wait(&all);
	return NULL;
}

static void threads(int n, char **counts)
{
	struct one_thread list[64];

	pthread_barrier_init(&all, NULL, (unsigned)n + 1);
	for (int i = 0; i < n; i++) {
		list[i] = (struct one_thread){ .n = atol(counts[i]), .number = i };
		pthread_create(&list[i].thread, NULL, run, &list[i]);
		while (list[i].done < list[i].n / 2)
			usleep(100);
	}
	pthread_barrier_wait(&all);
	for (int i = 0; i < n; i++)
		pthread_join(list[i].thread, NULL);
}

/* Slow only as a whole: each level sleeps 8 ms. */
KEEP static void recursion(int n)
{
	zero();
	wait_ms(8);
	if (n)
		recursion(n - 1);
	one();
}

KEEP static void jumper(int jumps, long ms)
{
	zero();
	if (jumps)
		longjmp(back, 1);
	wait_ms(ms);
	one();
}

KEEP static void catcher(int jumps, long ms)
{
	if (!setjmp(back))
		jumper(jumps, ms);
	one();
}

static void ways(void)
{
	unsigned state = 0;

	recursion(2);
	for (int i = 0; i < 100; i++)
		catcher(1, 0);
	bits(&state, 5000);
	wait_ms(200); /* nobody's: each jumper is over */
	catcher(0, 15);
}

int main(int argc, char **argv)
{
	unsigned state = 0;
	long n = argc > 2 ? atol(argv[2]) : 0;

	if (!strcmp(argv[1], "bits"))
		bits(&state, n);
	if (!strcmp(argv[1], "exec")) {
		bits(&state, n);
		execl("/proc/self/exe", argv[0], "bits", argv[2], (char *)NULL);
	}
	if (!strcmp(argv[1], "fork")) {
		bits(&state, n);
		state = 7;
		if (!fork())
			bits(&state, n);
		else
			wait(NULL);
	}
	if (!strcmp(argv[1], "threads"))
		threads(argc - 2, argv + 2);
	for (long i = 0; i < n && !strcmp(argv[1], "requests"); i++)
		request(&state, i == atol(argv[3]) ? 600 : 0);
	for (long i = 0; i < n && !strcmp(argv[1], "growing"); i++) {
		request(&state, 12 + 4 * i);
		bits(&state, 3000);
	}
	if (!strcmp(argv[1], "ways"))
		ways();
	return 0;
}
