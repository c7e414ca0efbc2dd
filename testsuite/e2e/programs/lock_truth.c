/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lock_truth.c - threads that wait for one another, and log themselves who ended which wait, and
 * where: a line for each pair of threads and place, "KIND WAITER GIVER PLACE WAITS LONG", of which
 * LONG took more than 10 us. Whose turn it is depends on chance; what the program logs is the truth
 * of its run.
 *
 * With an argument: a thread that sleeps for a mutex, and, when it is given it, comes too late most
 * of the time, because the one who gave it has the processor, and takes and gives it once more.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, LOCKS = 3, PLACES = 2, ROUNDS = 400, LONG_NS = 10000 };

/* Who did something last, and in which function; written before it is done. */
struct last {
	int who, place;
};

struct sum {
	long waits, are_long;
};

static struct {
	pthread_mutex_t mutex;
	struct last gave; /* under the mutex */
} locks[LOCKS];
static struct {
	sem_t full, empty;
	struct last posted[2]; /* full, empty: each has one poster and one waiter */
} pairs[THREADS / 2];

enum { MUTEX, SEMAPHORE, KINDS };
static const char *const kinds[] = { "mutex", "semaphore" };
static const char *const places[KINDS][PLACES] = { { "work_short", "work_long" }, { "produce", "consume" } };
static struct sum sums[KINDS][THREADS][THREADS][PLACES];
static long tids[THREADS];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

__attribute__((noipa)) static void busy(unsigned us)
{
	double end = now() + us * 1e3;

	while (now() < end)
		;
}

static void note(int kind, int me, struct last by, double begin, double end)
{
	struct sum *sum = &sums[kind][me][by.who][by.place];

	sum->waits++;
	sum->are_long += end - begin > LONG_NS;
}

/* Not inlined: the call that waits is this function's in both. */
__attribute__((noipa)) static void take(int me, int which)
{
	double begin, end;

	if (!pthread_mutex_trylock(&locks[which].mutex))
		return;
	begin = now();
	pthread_mutex_lock(&locks[which].mutex);
	end = now();
	note(MUTEX, me, locks[which].gave, begin, end);
}

__attribute__((noipa)) static void work_short(int me, int which)
{
	take(me, which);
	busy(20);
	locks[which].gave = (struct last){ me, 0 };
	pthread_mutex_unlock(&locks[which].mutex);
}

__attribute__((noipa)) static void work_long(int me, int which)
{
	take(me, which);
	busy(150);
	locks[which].gave = (struct last){ me, 1 };
	pthread_mutex_unlock(&locks[which].mutex);
}

/* Waits for a post of the other one of the pair. */
__attribute__((noipa)) static void await(int me, sem_t *semaphore, const struct last *posted)
{
	double begin, end;

	if (!sem_trywait(semaphore))
		return;
	begin = now();
	while (sem_wait(semaphore))
		;
	end = now();
	note(SEMAPHORE, me, *posted, begin, end);
}

__attribute__((noipa)) static void produce(int me, unsigned us)
{
	await(me, &pairs[me / 2].empty, &pairs[me / 2].posted[1]);
	busy(us);
	pairs[me / 2].posted[0] = (struct last){ me, 0 };
	sem_post(&pairs[me / 2].full);
}

__attribute__((noipa)) static void consume(int me, unsigned us)
{
	await(me, &pairs[me / 2].full, &pairs[me / 2].posted[0]);
	busy(us);
	pairs[me / 2].posted[1] = (struct last){ me, 1 };
	sem_post(&pairs[me / 2].empty);
}

static void *run(void *arg)
{
	int me = (int)(long)arg;
	unsigned seed = (unsigned)me + 1;

	tids[me] = gettid();
	for (int i = 0; i < ROUNDS; i++) {
		unsigned chance = (unsigned)rand_r(&seed);

		(chance % 4 ? work_short : work_long)(me, (int)(chance / 4 % LOCKS));
		(me % 2 ? consume : produce)(me, chance / 16 % 60);
	}
	return NULL;
}

static void all(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS / 2; i++) {
		sem_init(&pairs[i].full, 0, 0);
		sem_init(&pairs[i].empty, 0, 1);
	}
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* ---- too late -------------------------------------------------------------------------------- */

enum { LATE_ROUNDS = 50 };
static int turn;

__attribute__((noipa)) static void give_first(void)
{
	locks[0].gave = (struct last){ 0, 0 };
	pthread_mutex_unlock(&locks[0].mutex);
}

__attribute__((noipa)) static void give_second(void)
{
	locks[0].gave = (struct last){ 0, 1 };
	pthread_mutex_unlock(&locks[0].mutex);
}

static void await_turn(int mine)
{
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != mine)
		usleep(100);
}

static void *late(void *arg)
{
	(void)arg;
	tids[1] = gettid();
	for (int i = 0; i < LATE_ROUNDS; i++) {
		await_turn(2 * i + 1);
		take(1, 0);
		pthread_mutex_unlock(&locks[0].mutex);
		__atomic_store_n(&turn, 2 * i + 2, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void too_late(void)
{
	struct sched_param none = { 0 };
	pthread_t thread;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one); /* of the other thread, too */
	tids[0] = gettid();
	pthread_create(&thread, NULL, late, NULL);
	pthread_setschedparam(thread, SCHED_IDLE, &none);
	for (int i = 0; i < LATE_ROUNDS; i++) {
		await_turn(2 * i);
		pthread_mutex_lock(&locks[0].mutex);
		__atomic_store_n(&turn, 2 * i + 1, __ATOMIC_RELEASE);
		while (__atomic_load_n((int *)&locks[0].mutex, __ATOMIC_RELAXED) != 2)
			usleep(100); /* it does not sleep yet */
		give_first();
		pthread_mutex_lock(&locks[0].mutex);
		give_second();
	}
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&locks[i].mutex, NULL);
	(argc > 1 ? too_late : all)();
	for (int kind = 0; kind < KINDS; kind++)
		for (int i = 0; i < THREADS * THREADS * PLACES; i++) {
			int waiter = i / PLACES / THREADS, giver = i / PLACES % THREADS, place = i % PLACES;
			const struct sum *sum = &sums[kind][waiter][giver][place];

			if (sum->waits)
				printf("%s %ld %ld %s %ld %ld\n", kinds[kind], tids[waiter], tids[giver],
				       places[kind][place], sum->waits, sum->are_long);
		}
	return 0;
}
