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
