/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libc.c - functions of the C library as a test program in virtual time calls them: they do nothing
 * but take their time. A library of its own, without probes, in front of libc.
 *
 *   virtual_takes(name, ticks)   from here on each call of it computes for that long
 *   virtual_waits(name, ticks)   ... and is then off the processor for that long
 */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "virtual.h"

#define MOST 32

static struct cost {
	const char *name;
	uint64_t work, wait;
} costs[MOST];

static struct cost *cost_of(const char *name)
{
	for (int i = 0; i < MOST; i++) {
		if (!costs[i].name)
			costs[i].name = name;
		if (!strcmp(costs[i].name, name))
			return &costs[i];
	}
	return &costs[MOST - 1];
}

void virtual_takes(const char *name, uint64_t ticks)
{
	cost_of(name)->work = ticks;
}

void virtual_waits(const char *name, uint64_t ticks)
{
	cost_of(name)->wait = ticks;
}

/* Also enters the kernel, as far as r11 tells. */
static long pass(const char *name, long result)
{
	const struct cost *cost = cost_of(name);

	virtual_compute(cost->work);
	if (cost->wait)
		virtual_wait(cost->wait);
	syscall(SYS_getppid);
	return result;
}

/* By another name here: no header's prototype is to fit. */
#define CALL(name, result) \
	long virtual_##name(void) __asm__(#name); \
	long virtual_##name(void) \
	{ \
		return pass(#name, (result)); \
	}

CALL(fwrite, 1)
CALL(fflush, 0)
CALL(fsync, 0)
CALL(nanosleep, 0)
CALL(usleep, 0)
CALL(read, 1)
CALL(write, 1)
CALL(stat, 0)
CALL(poll, 0)
CALL(cnd_wait, 0)
CALL(lseek, 0)
CALL(strlen, 64)
CALL(strstr, 0)
CALL(snprintf, 5)

/* Locks, by their addresses: a thread waits for one as long as another has it. */
static struct lock {
	const void *at;
	struct virtual_lock lock;
} locks[MOST];

static struct virtual_lock *lock_at(const void *mutex)
{
	int i = 0;

	while (i < MOST - 1 && locks[i].at && locks[i].at != mutex)
		i++;
	locks[i].at = mutex;
	return &locks[i].lock;
}

int virtual_mutex_lock(void *mutex) __asm__("pthread_mutex_lock");
int virtual_mutex_lock(void *mutex)
{
	virtual_take(lock_at(mutex));
	return (int)pass("pthread_mutex_lock", 0);
}

int virtual_mutex_unlock(void *mutex) __asm__("pthread_mutex_unlock");
int virtual_mutex_unlock(void *mutex)
{
	virtual_give(lock_at(mutex));
	return (int)pass("pthread_mutex_unlock", 0);
}

/* Read-write locks, with what glibc notes in them: how many readers, above three bits, of which one
 * says that a writer has the lock, one that writers have it or wait; how many these are; the tid of
 * that writer. The first reader takes the lock for all readers, the last one gives it back. */
struct rwlock {
	unsigned word, writers, others[4];
	int writer;
};
#define READER 8u
#define IS_WRITTEN 1u
#define IS_WANTED 2u

int virtual_rwlock_rdlock(struct rwlock *rwlock) __asm__("pthread_rwlock_rdlock");
int virtual_rwlock_rdlock(struct rwlock *rwlock)
{
	if (rwlock->word < READER)
		virtual_take(lock_at(rwlock));
	rwlock->word += READER;
	return (int)pass("pthread_rwlock_rdlock", 0);
}

int virtual_rwlock_wrlock(struct rwlock *rwlock) __asm__("pthread_rwlock_wrlock");
int virtual_rwlock_wrlock(struct rwlock *rwlock)
{
	rwlock->writers++;
	rwlock->word |= IS_WANTED;
	virtual_take(lock_at(rwlock));
	rwlock->word |= IS_WRITTEN;
	rwlock->writer = (int)syscall(SYS_gettid);
	return (int)pass("pthread_rwlock_wrlock", 0);
}

int virtual_rwlock_unlock(struct rwlock *rwlock) __asm__("pthread_rwlock_unlock");
int virtual_rwlock_unlock(struct rwlock *rwlock)
{
	if (rwlock->word & IS_WRITTEN) {
		rwlock->word &= --rwlock->writers ? ~IS_WRITTEN : ~(IS_WRITTEN | IS_WANTED);
		rwlock->writer = 0;
	} else {
		rwlock->word -= READER;
	}
	if (rwlock->word < READER)
		virtual_give(lock_at(rwlock));
	return (int)pass("pthread_rwlock_unlock", 0);
}

int virtual_pthread_join(unsigned long thread, void **result) __asm__("pthread_join");
int virtual_pthread_join(unsigned long thread, void **result)
{
	(void)result;
	virtual_meet(virtual_number(thread));
	return (int)pass("pthread_join", 0);
}

/* Semaphores, by their addresses. */
static struct semaphore {
	const void *at;
	struct virtual_semaphore semaphore;
} semaphores[MOST];

static struct virtual_semaphore *semaphore_at(const void *at)
{
	int i = 0;

	while (i < MOST - 1 && semaphores[i].at && semaphores[i].at != at)
		i++;
	semaphores[i].at = at;
	return &semaphores[i].semaphore;
}

int virtual_sem_wait(void *semaphore) __asm__("sem_wait");
int virtual_sem_wait(void *semaphore)
{
	virtual_down(semaphore_at(semaphore));
	return (int)pass("sem_wait", 0);
}

int virtual_sem_post(void *semaphore) __asm__("sem_post");
int virtual_sem_post(void *semaphore)
{
	virtual_up(semaphore_at(semaphore));
	return (int)pass("sem_post", 0);
}

/* Barriers: of so many threads as their first int says. */
static struct barrier {
	const void *at;
	int n; /* that wait */
	struct virtual_semaphore semaphore;
} barriers[MOST];

int virtual_barrier_wait(void *barrier) __asm__("pthread_barrier_wait");
int virtual_barrier_wait(void *barrier)
{
	struct barrier *here = barriers;

	while (here < barriers + MOST - 1 && here->at && here->at != barrier)
		here++;
	here->at = barrier;
	if (++here->n < *(const int *)barrier) {
		virtual_down(&here->semaphore);
	} else {
		int others = here->n - 1;

		for (here->n = 0; others; others--)
			virtual_up(&here->semaphore);
	}
	return (int)pass("pthread_barrier_wait", 0);
}
