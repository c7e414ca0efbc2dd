/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predicted.c - programs of which it is known what a repair brings: predictions.py. SCENE is the
 * name of one of them; planted() takes FACTOR percent of its time, and with APART each thread has a
 * lock of its own. All work is waiting for time to pass, so that a busy machine says the same as an
 * idle one. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#ifndef FACTOR
#define FACTOR 100
#endif
#define NOT_INLINED __attribute__((noipa))
#ifndef THREADS
#define THREADS 4
#endif

static void wait_us(unsigned us)
{
	struct timespec time = { us / 1000000, us % 1000000 * 1000 };

	if (us)
		nanosleep(&time, NULL);
}

NOT_INLINED static void planted(unsigned us)
{
	wait_us(us * FACTOR / 100);
}

NOT_INLINED static void other(unsigned us)
{
	wait_us(us);
}

static pthread_t threads[THREADS];

static void run_all(void *(*body)(void *))
{
	for (unsigned long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, body, (void *)i);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* ---- one at a time --------------------------------------------------------------------------- */

static pthread_mutex_t locks[THREADS];

static void init_locks(void)
{
	for (unsigned i = 0; i < THREADS; i++)
		pthread_mutex_init(&locks[i], NULL);
}

static pthread_mutex_t *lock_of(unsigned long number)
{
#ifdef APART
	return &locks[number];
#else
	(void)number;
	return &locks[0];
#endif
}

NOT_INLINED static void book(unsigned long number)
{
	pthread_mutex_lock(lock_of(number));
	planted(12000);
	pthread_mutex_unlock(lock_of(number));
}

static void *booker(void *arg)
{
	for (int i = 0; i < 20; i++) {
		book((unsigned long)arg);
		other(16000);
	}
	return NULL;
}

static void lock(void)
{
	init_locks();
	run_all(booker);
}

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;

static void *user_of_table(void *arg)
{
	for (int i = 0; i < 25; i++) {
		if (arg) {
			pthread_rwlock_rdlock(&table);
			other(4000);
		} else {
			pthread_rwlock_wrlock(&table);
			planted(20000);
		}
		pthread_rwlock_unlock(&table);
		other(8000);
	}
	return NULL;
}

static void rwlock(void)
{
	run_all(user_of_table);
}

static sem_t connections;

static void *asker(void *arg)
{
	(void)arg;
	for (int i = 0; i < 15; i++) {
		sem_wait(&connections);
		planted(12000);
		sem_post(&connections);
		other(10000);
	}
	return NULL;
}

static void semaphore(void)
{
	sem_init(&connections, 0, 2);
	run_all(asker);
}

/* ---- one after the other --------------------------------------------------------------------- */

#define ROOM 4

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned put, taken;
};

static struct queue queues[2] = { { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 },
				  { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 } };

static void queue_put(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	while (queue->put - queue->taken == ROOM)
		pthread_cond_wait(&queue->changed, &queue->lock);
	queue->put++;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

static void queue_take(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	while (queue->put == queue->taken)
		pthread_cond_wait(&queue->changed, &queue->lock);
	queue->taken++;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

#define ITEMS 60

static void *middle(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITEMS; i++) {
		queue_take(&queues[0]);
		planted(16000);
		queue_put(&queues[1]);
	}
	return NULL;
}

static void *last(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITEMS; i++) {
		queue_take(&queues[1]);
		other(8000);
	}
	return NULL;
}

static void pipeline(void)
{
	pthread_create(&threads[0], NULL, middle, NULL);
	pthread_create(&threads[1], NULL, last, NULL);
	for (int i = 0; i < ITEMS; i++) {
		other(4000);
		queue_put(&queues[0]);
	}
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

static void *answerer(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITEMS; i++) {
		queue_take(&queues[0]);
		planted(6000);
		other(4000);
		queue_put(&queues[1]);
	}
	return NULL;
}

static void server(void)
{
	pthread_create(&threads[0], NULL, answerer, NULL);
	for (int i = 0; i < ITEMS; i++) {
		other(2000);
		queue_put(&queues[0]);
		queue_take(&queues[1]);
	}
	pthread_join(threads[0], NULL);
}

static int ends[2];

static void *writer(void *arg)
{
	char byte = 0;

	(void)arg;
	for (int i = 0; i < ITEMS; i++) {
		planted(12000);
		if (write(ends[1], &byte, 1) != 1)
			break;
	}
	close(ends[1]);
	return NULL;
}

static void stream(void)
{
	char byte;

	if (pipe(ends) != 0)
		return;
	pthread_create(&threads[0], NULL, writer, NULL);
	while (read(ends[0], &byte, 1) == 1)
		other(8000);
	pthread_join(threads[0], NULL);
}

static void *producer(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITEMS; i++) {
		other(8000);
		queue_put(&queues[0]);
	}
	return NULL;
}

/* The consumer never waits, but would without what is planted. */
static void shift(void)
{
	pthread_create(&threads[0], NULL, producer, NULL);
	for (int i = 0; i < ITEMS; i++) {
		queue_take(&queues[0]);
		planted(16000);
	}
	pthread_join(threads[0], NULL);
}

/* ---- all at once ----------------------------------------------------------------------------- */

static pthread_barrier_t phase;

static void *in_phases(void *arg)
{
	for (int i = 0; i < 25; i++) {
		other(8000 + 1200 * (unsigned)(unsigned long)arg);
		if (!arg)
			planted(12000);
		pthread_barrier_wait(&phase);
	}
	return NULL;
}

static void barrier(void)
{
	pthread_barrier_init(&phase, NULL, THREADS);
	run_all(in_phases);
}

/* Runs one of four threads: only the longest one calls what the repair makes shorter. */
static void *part(void *arg)
{
	for (int i = 0; i < 25; i++)
		if (arg)
			other(16000);
		else
			planted(24000);
	return NULL;
}

static void beside(void)
{
	run_all(part);
}

NOT_INLINED static void save(void)
{
	other(4000);
	planted(16000);
}

static void *saver(void *arg)
{
	(void)arg;
	for (int i = 0; i < 15; i++) {
		other(8000);
		save();
	}
	return NULL;
}

/* One at a time, and each time a new thread. */
static void threads_anew(void)
{
	for (int i = 0; i < 4; i++) {
		pthread_create(&threads[0], NULL, saver, NULL);
		other(20000);
		pthread_join(threads[0], NULL);
	}
}

/* Jobs from one counter; the last one is long. */
static pthread_mutex_t counter = PTHREAD_MUTEX_INITIALIZER;
static unsigned next_job;

static void *taker(void *arg)
{
	unsigned job;

	(void)arg;
	for (;;) {
		pthread_mutex_lock(&counter);
		job = next_job++;
		pthread_mutex_unlock(&counter);
		if (job >= 81)
			return NULL;
		if (job == 80)
			planted(300000);
		else
			other(20000);
	}
}

static void tail(void)
{
	run_all(taker);
}

/* Asks every few milliseconds whether the other thread is done. */
static void *polled(void *arg)
{
	(void)arg;
	for (int i = 0; i < 15; i++) {
		other(20000);
		queue_put(&queues[0]);
		queue_take(&queues[1]);
	}
	return NULL;
}

static void poll_queue(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	while (queue->put == queue->taken) {
		pthread_mutex_unlock(&queue->lock);
		planted(28000);
		pthread_mutex_lock(&queue->lock);
	}
	pthread_mutex_unlock(&queue->lock);
}

static void polling(void)
{
	pthread_create(&threads[0], NULL, polled, NULL);
	for (int i = 0; i < 15; i++) {
#if FACTOR
		poll_queue(&queues[0]);
#endif
		queue_take(&queues[0]);
		queue_put(&queues[1]);
	}
	pthread_join(threads[0], NULL);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* SCENE is one of them. */
int main(void)
{
	void (*const scenes[])(void) = { lock,	rwlock,	 semaphore, pipeline,	  server, stream,
					 shift, barrier, beside,    threads_anew, tail,	  polling };

	return !(scenes[0] && (SCENE(), 1));
}
