/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A worker that sleeps 10 ms in each tenth request, as if it waited for a disk. With "fine" the
 * worker works, and a timer thread sleeps beside it, as it should.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int is_fine, is_over, ticks;

__attribute__((noinline)) static unsigned work(unsigned x)
{
	for (int i = 0; i < 20000; i++)
		x = x * 1664525 + 1013904223;
	return x;
}

__attribute__((noinline)) static void disk(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
}

__attribute__((noinline)) static unsigned job(unsigned i)
{
	if (i % 10 == 0 && !is_fine)
		disk();
	return work(i);
}

static void *consume(void *arg)
{
	unsigned *sum = arg;

	for (unsigned i = 0; i < (is_fine ? 5000 : 200); i++)
		*sum += job(i);
	return NULL;
}

static void *tick(void *arg)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
		ticks++;
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t worker, timer;
	unsigned sum = 0;

	is_fine = argc > 1 && !strcmp(argv[1], "fine");
	if (is_fine)
		pthread_create(&timer, NULL, tick, NULL);
	pthread_create(&worker, NULL, consume, &sum);
	pthread_join(worker, NULL);
	__atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
	if (is_fine)
		pthread_join(timer, NULL);
	printf("%u\n", sum);
	return 0;
}
