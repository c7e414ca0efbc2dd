/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eight threads for each processor compute; with "fine" one thread alone. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 1024 };

__attribute__((noinline)) static unsigned step(unsigned x)
{
	for (int i = 0; i < 100000; i++)
		x = x * 1664525 + 1013904223;
	return x;
}

static void *compute(void *arg)
{
	unsigned *sum = arg;

	for (int i = 0; i < 300; i++)
		*sum = step(*sum);
	return NULL;
}

int main(int argc, char **argv)
{
	static pthread_t threads[THREADS_MAX];
	static unsigned sums[THREADS_MAX];
	int n = argc > 1 && !strcmp(argv[1], "fine") ? 1 : 8 * (int)sysconf(_SC_NPROCESSORS_ONLN);

	if (n > THREADS_MAX)
		n = THREADS_MAX;
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, compute, &sums[i]);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%u\n", sums[0]);
	return 0;
}
