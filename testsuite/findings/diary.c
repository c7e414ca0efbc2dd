/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0102|CF0101|CF0303|CF0302|CF0304 note|worker; wall
 * true: CF0101 with more threads than processors the lock's holder loses its own at times
 * Workers answer requests, and note each in a diary. Planted: the line is written, and brought to
 * the disk, while the diary's lock is held, so that the workers queue for it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WORKERS 4
#define REQUESTS 600

static struct {
	pthread_mutex_t lock;
	FILE *file;
} diary = { .lock = PTHREAD_MUTEX_INITIALIZER };

static unsigned answer(unsigned question)
{
	for (int i = 0; i < 100000; i++)
		question = question * 1664525 + 1013904223;
	return question;
}

static void note(unsigned question, unsigned got)
{
	pthread_mutex_lock(&diary.lock);
	fprintf(diary.file, "%u: %u\n", question, got);
#ifndef REPAIRED
	fflush(diary.file);
	fdatasync(fileno(diary.file));
#endif
	pthread_mutex_unlock(&diary.lock);
}

static void *worker(void *first)
{
	for (unsigned i = 0; i < REQUESTS; i++) {
		unsigned question = *(unsigned *)first * REQUESTS + i;

		note(question, answer(question));
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[WORKERS];
	unsigned first[WORKERS];
	char name[] = "diary.XXXXXX";
	int file = mkstemp(name);

	unlink(name);
	diary.file = fdopen(file, "w");
	for (unsigned i = 0; i < WORKERS; i++) {
		first[i] = i;
		pthread_create(&threads[i], NULL, worker, &first[i]);
	}
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", ftell(diary.file));
	fclose(diary.file);
	return 0;
}
