/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of one function with very different numbers of probes in them: what a single call took is
 * less than that of all of them, and what a function that only calls took is what its callee took.
 */
#include <pthread.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noipa))

NOINLINE void tick(void)
{
	static volatile int n;

	n++;
}

/* Waits, and then there is nothing but probes. */
NOINLINE void req(void)
{
	usleep(1000);
	for (int i = 0; i < 20000; i++)
		tick();
}

NOINLINE void work(int n)
{
	for (int i = 0; i < n; i++)
		tick();
}

NOINLINE void request(int n)
{
	work(n);
	__asm__ volatile(""); /* not a tail call */
}

/* Long by itself: few probes. */
NOINLINE void deep(int n, int ticks)
{
	work(ticks);
	if (n > 0)
		deep(n - 1, ticks);
	__asm__ volatile("");
}

NOINLINE void *serve(void *unused)
{
	for (int i = 0; i < 1500; i++)
		request(i == 700 ? 300000 : 2);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, serve, NULL);
	serve(NULL);
	pthread_join(thread, NULL);
	for (int i = 0; i < 10; i++)
		req();
	for (int i = 0; i < 300; i++)
		deep(3, i == 200 ? 20000 : 1);
	return 0;
}
