/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * views MS: MS milliseconds of processor time in each of two threads, in code of every kind that
 * views tell apart: an inlined function, a recursive one, a function of the C library that calls
 * back, and two callers of one function.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

static double processor_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static inline __attribute__((always_inline)) unsigned long mixed(unsigned long x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ x << 17;
}

__attribute__((noipa)) unsigned long spin(unsigned long n)
{
	unsigned long x = n | 1;

	for (unsigned long i = 0; i < n; i++)
		x = mixed(x);
	return x;
}

__attribute__((noipa)) void left(void)
{
	sink += spin(60000);
}

__attribute__((noipa)) void right(void)
{
	sink += spin(20000);
}

__attribute__((noipa)) unsigned long deeper(int levels)
{
	unsigned long x = spin(3000);

	return levels ? x + deeper(levels - 1) : x;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

__attribute__((noipa)) void sorts(void)
{
	int numbers[1000];

	for (int i = 0; i < 1000; i++)
		numbers[i] = i * 7919 % 1009;
	qsort(numbers, 1000, sizeof(*numbers), compare);
	sink += (unsigned long)numbers[1];
}

static void *work(void *ms)
{
	double end = processor_ms() + atof(ms);

	while (processor_ms() < end) {
		left();
		right();
		sink += deeper(5);
		sorts();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char *ms = argc > 1 ? argv[1] : "100";

	if (pthread_create(&thread, NULL, work, ms))
		return 1;
	work(ms);
	pthread_join(thread, NULL);
	return 0;
}
