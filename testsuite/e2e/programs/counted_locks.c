/* SPDX-License-Identifier: MIT */
/* Takes locks of all kinds, free and taken ones, in functions that are counted. Prints how often
 * each function that takes one was called. argv[1]: rounds of each thread. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#define THREADS 4
#define FN __attribute__((noinline, noipa))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, again, first = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static mtx_t plain;
static volatile long sink;
static int arrived; /* threads */

FN static void take_mutex(void)
{
	pthread_mutex_lock(&mutex);
	sink++;
	pthread_mutex_unlock(&mutex);
}

/* The second one finds it taken, by this thread. */
FN static void take_twice(void)
{
	pthread_mutex_lock(&again);
	pthread_mutex_lock(&again);
	sink++;
	pthread_mutex_unlock(&again);
	pthread_mutex_unlock(&again);
}

FN static void read_all(void)
{
	pthread_rwlock_rdlock(&rwlock);
	sink++;
	pthread_rwlock_unlock(&rwlock);
}

FN static void write_one(void)
{
	pthread_rwlock_wrlock(&rwlock);
	sink++;
	pthread_rwlock_unlock(&rwlock);
}

FN static void take_semaphore(void)
{
	sem_wait(&semaphore);
	sink++;
	sem_post(&semaphore);
}

FN static void take_plain(void)
{
	mtx_lock(&plain);
	sink++;
	mtx_unlock(&plain);
}

/* A lock that each thread finds taken at its first call, as main has it. */
FN static void take_first(void)
{
	pthread_mutex_lock(&first);
	sink++;
	pthread_mutex_unlock(&first);
}

FN static void one_round(void)
{
	take_mutex();
	take_twice();
	read_all();
	write_one();
	take_semaphore();
	take_plain();
	take_first();
}

static void *rounds(void *n)
{
	__atomic_add_fetch(&arrived, 1, __ATOMIC_RELAXED);
	for (long i = 0; i < *(long *)n; i++)
		one_round();
	return NULL;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0;
	pthread_t threads[THREADS];
	pthread_mutexattr_t recursive;

	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&again, &recursive);
	sem_init(&semaphore, 0, 1);
	mtx_init(&plain, mtx_plain);
	rounds(&n);
	pthread_mutex_lock(&first);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, rounds, &n);
	while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < 1 + THREADS)
		usleep(100);
	usleep(50000);
	pthread_mutex_unlock(&first);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (!fork()) {
		rounds(&n);
		_exit(0);
	}
	wait(NULL);
	printf("%ld\n", (THREADS + 2) * n);
	return 0;
}
