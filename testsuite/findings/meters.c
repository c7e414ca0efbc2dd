/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0209 read_meters; wall
 * flags: -fopenmp
 * Adds up meters by OpenMP. Planted: false sharing by plain writes, the threads' sums lie side by
 * side in an array. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 4000000

#ifdef REPAIRED
#define APART 16
#else
#define APART 1
#endif

static __attribute__((noinline)) void add(volatile long *sum, int value)
{
	*sum += value;
}

static long read_meters(const int *meters)
{
	static long sums[2 * 16] __attribute__((aligned(128)));
	long all = 0;

#pragma omp parallel num_threads(2)
	{
		volatile long *sum = &sums[omp_get_thread_num() * APART];

		*sum = 0;
#pragma omp for
		for (int i = 0; i < N; i++)
			add(sum, meters[i] & 7);
	}
	for (int i = 0; i < 2; i++)
		all += sums[i * APART];
	return all;
}

int main(void)
{
	int *meters = malloc(N * sizeof(*meters));
	long sum = 0;

	for (int i = 0; i < N; i++)
		meters[i] = i * 31 % 1009;
	for (int i = 0; i < 60; i++)
		sum += read_meters(meters);
	printf("%ld\n", sum);
	free(meters);
	return 0;
}
