/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes a picture, while a thread that wakes every 2 ms notes how far it is. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int rows, is_over;

static void *watch(void *arg)
{
	long *noted = arg;

	while (!atomic_load(&is_over)) {
		*noted += atomic_load(&rows) > 0;
		poll(NULL, 0, 2);
	}
	return NULL;
}

static unsigned row(int y)
{
	unsigned sum = (unsigned)y;

	for (int x = 0; x < 300000; x++)
		sum = sum * 1664525u + (unsigned)x;
	return sum;
}

int main(void)
{
	pthread_t thread;
	unsigned sum = 0;
	long noted = 0;

	pthread_create(&thread, NULL, watch, &noted);
	for (int y = 0; y < 1500; y++) {
		sum ^= row(y);
		atomic_store(&rows, y + 1);
	}
	atomic_store(&is_over, 1);
	pthread_join(thread, NULL);
	printf("%08x %d\n", sum, noted > 0);
	return 0;
}
