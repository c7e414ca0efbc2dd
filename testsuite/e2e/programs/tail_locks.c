/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Four threads take one lock, in a function that ends with a tail call of the C library. Nothing
 * calls itself. Argument: rounds of each.
 */
#include <pthread.h>
#include <stdlib.h>

#define KEEP __attribute__((noipa)) static

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned int sum;

KEEP void spin(unsigned int n)
{
	unsigned int x = n;

	for (unsigned int i = 0; i < n; i++)
		x = x * 1664525u + 1013904223u;
	sum += x;
}

KEEP void locked(unsigned int n)
{
	pthread_mutex_lock(&mutex);
	spin(n % 2000);
	pthread_mutex_unlock(&mutex);
}

KEEP void *work(void *rounds)
{
	for (unsigned int i = 0; i < (unsigned int)(long)rounds; i++) {
		locked(i);
		spin(50);
	}
	sum++;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, (void *)(argc > 1 ? atol(argv[1]) : 1000));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
