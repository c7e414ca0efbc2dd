/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptor 2 is closed, and a thread writes there all the time, while others make the data file
 * grow. Prints how often it could. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define THREADS 40

static volatile int is_over;
static long written;

static int __attribute__((noinline)) down(int depth)
{
	return depth <= 0 ? 1 : down(depth - 1) * 3 + depth;
}

static void *work(void *depth)
{
	return (void *)(long)down((int)(long)depth);
}

static void *__attribute__((no_instrument_function)) log_lines(void *unused)
{
	while (!is_over)
		written += write(2, "a line\n", 7) > 0;
	return unused;
}

int main(void)
{
	pthread_t logger, worker;

	close(2);
	pthread_create(&logger, NULL, log_lines, NULL);
	for (long i = 0; i < THREADS; i++) {
		pthread_create(&worker, NULL, work, (void *)(3000 + 50 * i));
		pthread_join(worker, NULL);
	}
	is_over = 1;
	pthread_join(logger, NULL);
	printf("%ld\n", written);
	return 0;
}
