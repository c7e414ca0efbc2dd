/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Four threads take tasks from a queue. With "tiny" a task is an addition, with "fine" it is some
 * thousand of them. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define KEEP __attribute__((noinline))
#define ROOM 256

enum { THREADS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static int queue[ROOM], first, n, is_over;
static unsigned cells[1024];

KEEP static void run_task(int task, int steps)
{
	unsigned x = cells[task % 1024];

	for (int i = 0; i < steps; i++)
		x = x * 1664525 + 1013904223;
	cells[task % 1024] = x;
}

KEEP static void give(int task)
{
	pthread_mutex_lock(&lock);
	while (n == ROOM)
		pthread_cond_wait(&room, &lock);
	queue[(first + n++) % ROOM] = task;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
}

KEEP static int take(void)
{
	int task = -1;

	pthread_mutex_lock(&lock);
	while (!n && !is_over)
		pthread_cond_wait(&more, &lock);
	if (n) {
		task = queue[first];
		first = (first + 1) % ROOM;
		n--;
		pthread_cond_signal(&room);
	}
	pthread_mutex_unlock(&lock);
	return task;
}

static void *worker(void *arg)
{
	for (int task; (task = take()) >= 0;)
		run_task(task, *(int *)arg);
	return NULL;
}

int main(int argc, char **argv)
{
	int is_tiny = argc > 1 && !strcmp(argv[1], "tiny"), steps = is_tiny ? 1 : 10000;
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, &steps);
	for (int i = 0; i < (is_tiny ? 200000 : 60000); i++)
		give(i);
	pthread_mutex_lock(&lock);
	is_over = 1;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%u\n", cells[7]);
	return 0;
}
