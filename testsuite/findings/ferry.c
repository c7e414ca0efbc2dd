/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0311|CF0307|CF0306 board|crossing|car; wall
 * true: CF0101|CF0103 they still wait for the ferry
 * Cars cross by a ferry, one after the other. Planted: a car that finds it taken tries again after
 * 5 ms, in place of waiting for it. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define CARS 4
#define CROSSINGS 100

static pthread_mutex_t ferry = PTHREAD_MUTEX_INITIALIZER;

static unsigned work(unsigned seed, int steps)
{
	for (int i = 0; i < steps; i++)
		seed = seed * 1664525u + 1013904223u;
	return seed;
}

static void board(void)
{
#ifdef REPAIRED
	pthread_mutex_lock(&ferry);
#else
	while (pthread_mutex_trylock(&ferry))
		usleep(5000);
#endif
}

static void *car(void *arg)
{
	unsigned seed = 1;

	for (int i = 0; i < CROSSINGS; i++) {
		board();
		seed = work(seed, 300000);
		pthread_mutex_unlock(&ferry);
		seed = work(seed, 30000);
	}
	*(unsigned *)arg = seed;
	return NULL;
}

int main(void)
{
	pthread_t threads[CARS];
	unsigned seeds[CARS], sum = 0;

	for (int i = 0; i < CARS; i++)
		pthread_create(&threads[i], NULL, car, &seeds[i]);
	for (int i = 0; i < CARS; i++) {
		pthread_join(threads[i], NULL);
		sum += seeds[i];
	}
	printf("%u\n", sum);
	return 0;
}
