/* SPDX-License-Identifier: MIT */
/*
 * threads.c - threads of virtual time (virtual.h): one at a time runs, the one with the earliest
 * clock. Called by programs, outside of probes; so libc is at hand. Everything here is the running
 * thread's, until it changes `running`. No mutex of libc's: libc.c has some of that name.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "threads.h"

enum state { NONE, READY, BLOCKED, ENDED };

static struct one {
	enum state state;
	uint64_t ready_at; /* READY: when it goes on, by its clock */
	pthread_t thread;
	void *(*function)(void *);
	void *data;
	int waits_for; /* BLOCKED: thread + 1, or 0: a lock or a semaphore */
	struct virtual_lock *lock;
	struct virtual_semaphore *semaphore;
} all[VIRTUAL_THREADS] = { { .state = READY } };
static int n_threads = 1, ending = -1;
static volatile int running;
static __thread int me;

static int earliest(void)
{
	int found = -1;

	for (int i = 0; i < n_threads; i++)
		if (all[i].state == READY && (found < 0 || all[i].ready_at < all[found].ready_at))
			found = i;
	if (found < 0) {
		fputs("virtual: all threads wait\n", stderr);
		abort();
	}
	return found;
}

/* One that has ended may still be in destructors, which the runtime uses. */
static void wait_for_turn(void)
{
	for (int other = running; other != me; other = running)
		syscall(SYS_futex, &running, FUTEX_WAIT_PRIVATE, other, NULL, NULL, 0);
	__sync_synchronize();
	if (ending >= 0)
		/* libc.c has a pthread_join() */
		pthread_timedjoin_np(all[ending].thread, NULL, NULL);
	ending = -1;
}

static void pass_on(void)
{
	int next = earliest();

	__sync_synchronize();
	running = next;
	syscall(SYS_futex, &running, FUTEX_WAKE_PRIVATE, VIRTUAL_THREADS, NULL, NULL, 0);
}

/* Lets others go first who are earlier; then it is `ready_at`, or later. */
static void take_turns(void)
{
	pass_on();
	wait_for_turn();
	if (all[me].ready_at > virtual_self.now)
		virtual_switch(all[me].ready_at - virtual_self.now, 1);
}

static void ready(int thread, uint64_t at)
{
	all[thread].state = READY;
	if (at > all[thread].ready_at)
		all[thread].ready_at = at;
}

static void block(void)
{
	all[me].state = BLOCKED;
	all[me].ready_at = virtual_self.now;
	take_turns();
}

static void wait_until(uint64_t moment)
{
	all[me].ready_at = moment;
	take_turns();
}

void virtual_wait(uint64_t ticks)
{
	wait_until(virtual_self.now + ticks);
}

void virtual_preempt(uint64_t ticks)
{
	virtual_switch(ticks, 0);
	wait_until(virtual_self.now);
}

void virtual_work(uint64_t ticks)
{
	virtual_compute(ticks);
}

static void *run(void *data)
{
	me = (int)((struct one *)data - all);
	wait_for_turn();
	virtual_begin_thread(all[me].ready_at);
	virtual_threads[me] = &virtual_self;
	all[me].function(all[me].data);
	virtual_threads[me] = NULL;
	all[me].state = ENDED;
	all[me].ready_at = virtual_self.now;
	for (int i = 0; i < n_threads; i++)
		if (all[i].state == BLOCKED && all[i].waits_for == me + 1)
			ready(i, virtual_self.now);
	ending = me;
	pass_on();
	return NULL;
}

int virtual_start(void *(*function)(void *), void *data)
{
	struct one *one = &all[n_threads];

	if (n_threads == VIRTUAL_THREADS)
		abort();
	*one = (struct one){
		.state = READY, .ready_at = virtual_self.now, .function = function, .data = data
	};
	if (pthread_create(&one->thread, NULL, run, one))
		abort();
	return n_threads++;
}

void virtual_join(int thread)
{
	if (all[thread].state == ENDED)
		return;
	all[me].waits_for = thread + 1;
	block();
}

void virtual_meet(int thread)
{
	wait_until(virtual_self.now);
	virtual_join(thread);
	if (all[thread].ready_at > virtual_self.now)
		wait_until(all[thread].ready_at);
}

unsigned long virtual_handle(int thread)
{
	return all[thread].thread;
}

int virtual_number(unsigned long handle)
{
	int i = n_threads - 1;

	while (i && all[i].thread != handle)
		i--;
	return i;
}

void virtual_take(struct virtual_lock *lock)
{
	wait_until(virtual_self.now);
	while (!lock->owner && lock->free_at > virtual_self.now)
		wait_until(lock->free_at);
	if (lock->owner) {
		all[me].waits_for = 0;
		all[me].lock = lock;
		block();
	}
	lock->owner = me + 1;
}

/* Returns the thread that has waited longest for the lock or the semaphore; -1: none waits. */
static int longest(const struct virtual_lock *lock, const struct virtual_semaphore *semaphore)
{
	int next = -1;

	for (int i = 0; i < n_threads; i++)
		if (all[i].state == BLOCKED && ((lock && all[i].lock == lock) ||
						(semaphore && all[i].semaphore == semaphore)) &&
		    (next < 0 || all[i].ready_at < all[next].ready_at))
			next = i;
	return next;
}

void virtual_give(struct virtual_lock *lock)
{
	int next = longest(lock, NULL);

	lock->owner = 0;
	lock->free_at = virtual_self.now;
	if (next < 0)
		return;
	all[next].lock = NULL;
	lock->owner = next + 1;
	ready(next, virtual_self.now);
}

void virtual_down(struct virtual_semaphore *semaphore)
{
	wait_until(virtual_self.now);
	if (semaphore->value) {
		semaphore->value--;
		return;
	}
	all[me].waits_for = 0;
	all[me].semaphore = semaphore;
	block();
}

void virtual_up(struct virtual_semaphore *semaphore)
{
	int next;

	wait_until(virtual_self.now);
	next = longest(NULL, semaphore);
	if (next < 0) {
		semaphore->value++;
		return;
	}
	all[next].semaphore = NULL;
	ready(next, virtual_self.now);
}
