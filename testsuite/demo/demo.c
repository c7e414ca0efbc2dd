/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `make demo` profiles first: a small server at work. One thread waits, one reads files, two
 * compute; they share a queue. argv[1]: a folder with files to read.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define QUEUE_SIZE 64

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t items[QUEUE_SIZE];
	unsigned head, tail;
	int closed;
};

static struct queue queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void queue_put(struct queue *q, uint64_t item)
{
	pthread_mutex_lock(&q->lock);
	while (q->tail - q->head == QUEUE_SIZE)
		pthread_cond_wait(&q->changed, &q->lock);
	q->items[q->tail++ % QUEUE_SIZE] = item;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

/* 0: closed and empty. */
static int queue_take(struct queue *q, uint64_t *item)
{
	int found = 0;

	pthread_mutex_lock(&q->lock);
	while (q->tail == q->head && !q->closed)
		pthread_cond_wait(&q->changed, &q->lock);
	if (q->tail != q->head) {
		*item = q->items[q->head++ % QUEUE_SIZE];
		pthread_cond_broadcast(&q->changed);
		found = 1;
	}
	pthread_mutex_unlock(&q->lock);
	return found;
}

static void queue_close(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = 1;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

/* ---- reading --------------------------------------------------------------------------------- */

static uint64_t hash_bytes(uint64_t hash, const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return hash;
}

static uint64_t hash_file(const char *path)
{
	unsigned char buffer[16384];
	uint64_t hash = 0xcbf29ce484222325u;
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return 0;
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		hash = hash_bytes(hash, buffer, (size_t)n);
	close(fd);
	return hash;
}

static void read_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[4096];

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		queue_put(&queue, hash_file(path));
	}
	if (dir)
		closedir(dir);
}

static void *reader_main(void *folder)
{
	pthread_setname_np(pthread_self(), "reader");
	for (int round = 0; round < 4; round++)
		read_folder(folder);
	queue_close(&queue);
	return NULL;
}

/* ---- computing ------------------------------------------------------------------------------- */

static uint64_t fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static double integrate(double (*f)(double), double from, double to, int steps)
{
	double width = (to - from) / steps, sum = 0;

	for (int i = 0; i < steps; i++)
		sum += f(from + (i + 0.5) * width);
	return sum * width;
}

static double bell(double x)
{
	return exp(-x * x / 2);
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t sort_numbers(uint64_t seed)
{
	uint64_t numbers[1000];

	for (int i = 0; i < 1000; i++)
		numbers[i] = seed = seed * 6364136223846793005u + 1442695040888963407u;
	qsort(numbers, 1000, sizeof(numbers[0]), compare_numbers);
	return numbers[500];
}

static void *worker_main(void *name)
{
	uint64_t item, sum = 0;

	pthread_setname_np(pthread_self(), name);
	while (queue_take(&queue, &item)) {
		sum += fibonacci(20 + item % 6) + sort_numbers(item);
		sum += (uint64_t)(1000 * integrate(bell, -3, 3, 20000));
	}
	return (void *)(uintptr_t)sum;
}

/* ---- waiting --------------------------------------------------------------------------------- */

static void tick(void)
{
	struct timespec t = { 0, 5000000 };

	nanosleep(&t, NULL);
}

static void *timer_main(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), "timer");
	for (int i = 0; i < 40; i++)
		tick();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];

	pthread_create(&threads[0], NULL, timer_main, NULL);
	pthread_create(&threads[1], NULL, worker_main, "worker-1");
	pthread_create(&threads[2], NULL, worker_main, "worker-2");
	pthread_create(&threads[3], NULL, reader_main, argc > 1 ? argv[1] : ".");
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
