/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * family THREADS CHILDREN MS [PROGRAM ARGUMENT...]: each of so many threads, then each of so many
 * forked children, or without any the program itself, takes MS milliseconds of processor time; then
 * the program is run by exec. +THREADS begin when standard input has ended.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long spin_ms;
static int is_together;
static pthread_barrier_t all_there;

__attribute__((noinline)) static void spin(void)
{
	struct timespec now;

	do {
		for (volatile int i = 0; i < 10000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < spin_ms);
}

static void *in_thread(void *arg)
{
	if (is_together)
		pthread_barrier_wait(&all_there);
	spin();
	return arg;
}

static void in_child(void)
{
	spin();
	_exit(0);
}

int main(int argc, char **argv)
{
	int threads = atoi(argv[1]), children = atoi(argv[2]);
	pthread_t *all = calloc((size_t)threads + 1, sizeof(*all));
	pthread_attr_t small;

	spin_ms = atol(argv[3]);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	is_together = argv[1][0] == '+';
	if (is_together)
		pthread_barrier_init(&all_there, NULL, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&all[i], &small, in_thread, NULL))
			return 1;
	if (!threads && !children)
		spin();
	if (is_together) {
		while (read(0, &(char){ 0 }, 1) > 0)
			;
		pthread_barrier_wait(&all_there);
	}
	for (int i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	for (int i = 0; i < children; i++)
		if (!fork())
			in_child();
	while (wait(NULL) > 0)
		;
	if (argc > 4)
		execvp(argv[4], argv + 4);
	return 0;
}
