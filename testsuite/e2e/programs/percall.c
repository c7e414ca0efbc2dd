/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * percall: calls of known length. work(i) takes 1 ms + i x 100 us, i = 1 ... 100, in an order of
 * their own; each tenth call waits for as long instead. Each is measured here as well, and printed.
 */
#include <stdio.h>
#include <time.h>

#define N 100
#define LENGTH_NS(i) (1000000 + (i)*100000l)

__attribute__((noinline, no_instrument_function)) static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

__attribute__((noinline)) void pause_for(long ns)
{
	struct timespec t = { 0, ns };

	nanosleep(&t, NULL);
}

/* Without probes: they would cost much more than it does. */
__attribute__((noinline, no_instrument_function)) static void spin(long begin, long ns)
{
	while (now() - begin < ns)
		;
}

__attribute__((noinline)) long work(int i)
{
	long begin = now();

	if (i % 10 == 0)
		pause_for(LENGTH_NS(i));
	spin(begin, LENGTH_NS(i));
	return now() - begin;
}

__attribute__((noinline)) void once(void)
{
	work(37);
}

int main(void)
{
	for (int i = 0; i < N; i++)
		printf("%ld\n", work(1 + i * 37 % N));
	once();
	return 0;
}
