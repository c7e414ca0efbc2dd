/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a cut in time may fall into (ranges.py): pauses of a thread and of the process, waits,
 * recursion, a chain of tail calls with code without probes at its end, a jump out of some
 * functions, all of that in two threads at once.
 */
#include <cinstr.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <time.h>

#include "../trees/e2e.h"

static __thread jmp_buf back;

KEEP static void leaf(int n)
{
	for (int i = 0; i < n; i++)
		sink = i;
}

KEEP static int recursion(int n)
{
	if (n % 3 == 0)
		leaf(n);
	return n ? recursion(n - 1) + 1 : 0;
}

KEEP static int last(int n)
{
	leaf(n);
	return abs(n);
}

KEEP static int second(int n)
{
	leaf(1);
	return last(n + 1);
}

KEEP static int chain(int n)
{
	return second(n + 1);
}

KEEP static void leave(int n)
{
	if (!n)
		longjmp(back, 1);
	leave(n - 1);
	sink = n;
}

KEEP static void come_back(int n)
{
	if (!setjmp(back))
		leave(n);
	sink = n;
}

KEEP static void wait_us(long us)
{
	struct timespec t = { 0, us * 1000 };

	nanosleep(&t, NULL);
	sink = 1;
}

KEEP static void pause_in(enum cinstr_level level, int n)
{
	leaf(n);
	cinstr_stop(level, CINSTR_SELF);
	recursion(n);
	wait_us(200);
	cinstr_start(level, CINSTR_SELF);
	leaf(n);
}

KEEP static void *work(void *arg)
{
	for (int i = 0; i < 20; i++) {
		sink = recursion(12) + chain(i);
		come_back(4);
		if (i % 4 == 0)
			wait_us(100);
		if (i % 5 == 0)
			pause_in(CINSTR_THREAD, 5);
	}
	return arg;
}

int main(void)
{
	pthread_t other;

	pthread_create(&other, NULL, work, NULL);
	work(NULL);
	pause_in(CINSTR_PROCESS, 7);
	work(NULL);
	pthread_join(other, NULL);
	return 0;
}
