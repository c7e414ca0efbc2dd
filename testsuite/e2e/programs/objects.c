/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pairs of threads, one after another: one waits for an object, the other ends that, and only once
 * the kernel says that the first one sleeps. So it is known who waited for what, and who ended it.
 * Each wait has functions of its own: wants_X, gives_X.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#define KEEP __attribute__((noipa)) static

struct node {
	long value;
	pthread_mutex_t mutex;
};

static pthread_mutex_t a_mutex = PTHREAD_MUTEX_INITIALIZER, tail_mutex = PTHREAD_MUTEX_INITIALIZER,
		       parked_mutex = PTHREAD_MUTEX_INITIALIZER, signal_mutex = PTHREAD_MUTEX_INITIALIZER,
		       hidden_mutex = PTHREAD_MUTEX_INITIALIZER, wrapped_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t parked_condition = PTHREAD_COND_INITIALIZER, a_condition = PTHREAD_COND_INITIALIZER,
		      twice_condition = PTHREAD_COND_INITIALIZER;
static int ends[2]; /* of a pipe */
static char page[4096];
static pthread_rwlock_t a_rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t a_barrier;
static sem_t a_semaphore, stale_semaphore;
static volatile int ended;
static mtx_t a_c11_mutex;
static struct node *node;

/* tids of who is about to wait; 0: nobody */
static volatile int waiter, parking;

/* Returns when that thread sleeps: there is nothing else that it could sleep for. */
__attribute__((no_instrument_function)) static void until_sleeps(volatile int *who)
{
	char path[64], line[256] = "";

	while (!*who)
		usleep(100);
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", *who);
	while (!strstr(line, ") S")) {
		FILE *file = fopen(path, "r");

		usleep(100);
		if (!file || !fgets(line, sizeof(line), file))
			abort();
		fclose(file);
	}
	*who = 0;
}

__attribute__((no_instrument_function)) static void until_ended(int who)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d", who);
	while (!access(path, F_OK))
		usleep(100);
}

__attribute__((no_instrument_function)) static void until_asleep(void)
{
	until_sleeps(&waiter);
}

__attribute__((no_instrument_function)) static void about_to_wait(void)
{
	waiter = (int)syscall(SYS_gettid);
}

/* By tail calls. */
KEEP int lock_wrapped(void)
{
	return pthread_mutex_lock(&wrapped_mutex);
}

KEEP int unlock_wrapped(void)
{
	return pthread_mutex_unlock(&wrapped_mutex);
}

__attribute__((no_instrument_function)) static void got(ssize_t bytes, ssize_t expected)
{
	if (bytes != expected)
		abort();
}

/* ---- who waits ------------------------------------------------------------------------------- */

#define WANTS(name, wait, end) \
	KEEP void *wants_##name(void *unused) \
	{ \
		about_to_wait(); \
		wait; \
		end; \
		return unused; \
	}
WANTS(mutex, pthread_mutex_lock(&a_mutex), pthread_mutex_unlock(&a_mutex))
WANTS(tail, pthread_mutex_lock(&tail_mutex), pthread_mutex_unlock(&tail_mutex))
WANTS(parked, pthread_mutex_lock(&parked_mutex), pthread_mutex_unlock(&parked_mutex))
WANTS(hidden, pthread_mutex_lock(&hidden_mutex), pthread_mutex_unlock(&hidden_mutex))
WANTS(node, pthread_mutex_lock(&node->mutex), pthread_mutex_unlock(&node->mutex))
WANTS(wrapped, lock_wrapped(), unlock_wrapped())
WANTS(c11, mtx_lock(&a_c11_mutex), mtx_unlock(&a_c11_mutex))
WANTS(write, pthread_rwlock_wrlock(&a_rwlock), pthread_rwlock_unlock(&a_rwlock))
WANTS(post, sem_wait(&a_semaphore), (void)0)
WANTS(stale, sem_wait(&stale_semaphore), (void)0)
WANTS(others, pthread_barrier_wait(&a_barrier), (void)0)
WANTS(byte, got(read(ends[0], page, 1), 1), (void)0)
WANTS(room, got(write(ends[1], page, 1), 1), (void)0)
WANTS(last, got(read(ends[0], page, 1), 0), (void)0)

KEEP void *wants_twice(void *unused)
{
	pthread_mutex_lock(&signal_mutex);
	about_to_wait();
	pthread_cond_wait(&twice_condition, &signal_mutex);
	pthread_mutex_unlock(&signal_mutex);
	return unused;
}

KEEP void *wants_signal(void *unused)
{
	pthread_mutex_lock(&signal_mutex);
	about_to_wait();
	pthread_cond_wait(&a_condition, &signal_mutex);
	pthread_mutex_unlock(&signal_mutex);
	return unused;
}

/* ---- who ends that --------------------------------------------------------------------------- */

typedef void *routine(void *);

KEEP pthread_t begin(routine *wants)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wants, NULL);
	return thread;
}

KEEP pthread_t gives_mutex(void)
{
	pthread_t thread;

	pthread_mutex_lock(&a_mutex);
	thread = begin(wants_mutex);
	until_asleep();
	pthread_mutex_unlock(&a_mutex);
	return thread;
}

KEEP int gives_tail(void)
{
	return pthread_mutex_unlock(&tail_mutex);
}

/* By code without probes. */
__attribute__((noipa, no_instrument_function)) static void gives_hidden(void)
{
	pthread_mutex_unlock(&hidden_mutex);
}

/* Before anybody waits: that is no end of a wait. */
KEEP void gives_early(void)
{
	sem_post(&stale_semaphore);
	sem_wait(&stale_semaphore);
}

__attribute__((noipa, no_instrument_function)) static void gives_stale(void)
{
	sem_post(&stale_semaphore);
}

KEEP pthread_t gives_node(void)
{
	pthread_t thread;

	pthread_mutex_lock(&node->mutex);
	thread = begin(wants_node);
	until_asleep();
	pthread_mutex_unlock(&node->mutex);
	return thread;
}

KEEP pthread_t gives_wrapped(void)
{
	pthread_t thread;

	lock_wrapped();
	thread = begin(wants_wrapped);
	until_asleep();
	pthread_mutex_unlock(&wrapped_mutex);
	return thread;
}

KEEP pthread_t gives_c11(void)
{
	pthread_t thread;

	mtx_lock(&a_c11_mutex);
	thread = begin(wants_c11);
	until_asleep();
	mtx_unlock(&a_c11_mutex);
	return thread;
}

KEEP pthread_t gives_write(void)
{
	pthread_t thread;

	pthread_rwlock_rdlock(&a_rwlock);
	thread = begin(wants_write);
	until_asleep();
	pthread_rwlock_unlock(&a_rwlock);
	return thread;
}

/* Waits for a signal, and gives the mutex meanwhile. */
KEEP void *gives_parked(void *unused)
{
	pthread_mutex_lock(&parked_mutex);
	*(pthread_t *)unused = begin(wants_parked);
	until_asleep();
	parking = (int)syscall(SYS_gettid);
	pthread_cond_wait(&parked_condition, &parked_mutex);
	pthread_mutex_unlock(&parked_mutex);
	return unused;
}

KEEP void gives_post(void)
{
	sem_post(&a_semaphore);
}

KEEP void gives_signal(void)
{
	pthread_mutex_lock(&signal_mutex);
	pthread_cond_signal(&a_condition);
	pthread_mutex_unlock(&signal_mutex);
}

KEEP void gives_first(void)
{
	pthread_cond_signal(&twice_condition);
}

/* Who waits needs the mutex, and so cannot come to its end between the two. */
KEEP void gives_twice(void)
{
	pthread_mutex_lock(&signal_mutex);
	gives_first();
	pthread_cond_signal(&twice_condition);
	pthread_mutex_unlock(&signal_mutex);
}

KEEP void gives_byte(void)
{
	got(write(ends[1], page, 1), 1);
}

KEEP void gives_room(void)
{
	got(read(ends[0], page, sizeof(page)), sizeof(page));
}

KEEP void gives_last(void)
{
	close(ends[1]);
	ended++; /* no tail call */
}

KEEP void gives_others(void)
{
	pthread_barrier_wait(&a_barrier);
}

KEEP void end(pthread_t thread)
{
	pthread_join(thread, NULL);
	ended++; /* no tail call */
}

KEEP void *sleeps(void *unused)
{
	usleep(30000);
	return unused;
}

KEEP void parked(void)
{
	pthread_t inner, outer;

	pthread_create(&outer, NULL, gives_parked, &inner);
	until_sleeps(&parking);
	until_ended(waiter); /* else it may be main() that it has the mutex from */
	pthread_mutex_lock(&parked_mutex);
	pthread_cond_signal(&parked_condition);
	pthread_mutex_unlock(&parked_mutex);
	end(outer);
	end(inner);
}

/* A pipe with room for a page; the ends are known from the second call on. */
KEEP void make_pipe(void)
{
	got(pipe(ends), 0);
	got(fcntl(ends[1], F_SETPIPE_SZ, sizeof(page)), sizeof(page));
	gives_byte();
	got(read(ends[0], page, 1), 1);
}

KEEP void pipes(void)
{
	pthread_t thread;

	make_pipe();
	thread = begin(wants_byte);
	until_asleep();
	gives_byte();
	end(thread);
	got(write(ends[1], page, sizeof(page)), sizeof(page));
	thread = begin(wants_room);
	until_asleep();
	gives_room();
	end(thread);
	got(read(ends[0], page, 1), 1);
	thread = begin(wants_last);
	until_asleep();
	gives_last();
	end(thread);
}

KEEP void all(void)
{
	pthread_t thread;

	end(gives_mutex());
	pthread_mutex_lock(&tail_mutex);
	thread = begin(wants_tail);
	until_asleep();
	gives_tail();
	end(thread);
	pthread_mutex_lock(&hidden_mutex);
	thread = begin(wants_hidden);
	until_asleep();
	gives_hidden();
	end(thread);
	gives_early();
	thread = begin(wants_stale);
	until_asleep();
	gives_stale();
	end(thread);
	end(gives_node());
	end(gives_wrapped());
	end(gives_c11());
	end(gives_write());
	thread = begin(wants_post);
	until_asleep();
	gives_post();
	end(thread);
	thread = begin(wants_signal);
	until_asleep();
	gives_signal();
	end(thread);
	thread = begin(wants_twice);
	until_asleep();
	gives_twice();
	end(thread);
	pipes();
	thread = begin(wants_others);
	until_asleep();
	gives_others();
	end(thread);
	pthread_create(&thread, NULL, sleeps, NULL);
	end(thread);
}

#define MANY 6000

static sem_t many[MANY];

KEEP void *wants_many(void *unused)
{
	for (int i = 0; i < MANY; i++) {
		about_to_wait();
		sem_wait(&many[i]);
	}
	return unused;
}

KEEP void gives_many(void)
{
	pthread_t thread;

	for (int i = 0; i < MANY; i++)
		sem_init(&many[i], 0, 0);
	thread = begin(wants_many);
	for (int i = 0; i < MANY; i++) {
		until_asleep();
		sem_post(&many[i]);
	}
	end(thread);
}

/* Arguments: killed: ends by SIGKILL, with events that nobody has folded; many: one thread waits
 * for MANY objects, once for each, and nothing else. */
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "many")) {
		gives_many();
		return 0;
	}
	node = calloc(1, sizeof(*node));
	pthread_mutex_init(&node->mutex, NULL);
	mtx_init(&a_c11_mutex, mtx_plain);
	sem_init(&a_semaphore, 0, 0);
	sem_init(&stale_semaphore, 0, 0);
	pthread_barrier_init(&a_barrier, NULL, 2);
	all();
	parked();
	if (!strcmp(how, "killed"))
		kill(getpid(), SIGKILL);
	return 0;
}
