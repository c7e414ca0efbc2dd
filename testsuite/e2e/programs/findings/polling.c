/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread works for 0.2 s. The main thread looks each 50 us whether it is done; with "fine" it
 * waits for a condition.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_done;

__attribute__((noinline)) static int look(void)
{
	return __atomic_load_n(&is_done, __ATOMIC_ACQUIRE);
}

static void *work(void *arg)
{
	struct timespec now, begin;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec * 1e9 + now.tv_nsec < begin.tv_sec * 1e9 + begin.tv_nsec + 2e8);
	pthread_mutex_lock(&mutex);
	__atomic_store_n(&is_done, 1, __ATOMIC_RELEASE);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
	return arg;
}

__attribute__((noinline)) static void poll_for_it(void)
{
	while (!look())
		usleep(50);
}

__attribute__((noinline)) static void wait_for_it(void)
{
	pthread_mutex_lock(&mutex);
	while (!look())
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
}

int main(int argc, char **argv)
{
	pthread_t worker;

	pthread_create(&worker, NULL, work, NULL);
	if (argc > 1 && !strcmp(argv[1], "fine"))
		wait_for_it();
	else
		poll_for_it();
	pthread_join(worker, NULL);
	return 0;
}
