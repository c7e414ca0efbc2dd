/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that hang, by the first argument. Each thread comes to its wait only once the kernel
 * says that the one before sleeps, so it is known who waits for whom. Then the main thread ends all
 * of it as the second argument says: kill (SIGKILL), term (SIGTERM), exit; wait, join: it says
 * "hangs", and waits to be killed, or for the first thread to end.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noipa)) static
#define PLAIN __attribute__((noipa, no_instrument_function)) static

static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER,
		       m3 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_t reader;
static int hole[2];
static volatile int stage, holders = 2;

PLAIN int own_tid(void)
{
	return (int)syscall(SYS_gettid);
}

/* Of those that are about to wait: the tid; and the system call, with the lock that it is for. */
static volatile int waiting[4];
static char calls[4][64];

PLAIN void about_to_call(int who, int call, const void *lock)
{
	snprintf(calls[who], sizeof(calls[who]), lock ? "%d %p " : "%d ", call, lock);
	waiting[who] = own_tid();
}

PLAIN void about_to_wait(int who, const void *lock)
{
	about_to_call(who, SYS_futex, lock);
}

/* Returns when the thread is in that system call. */
PLAIN void until_sleeps(int who)
{
	char path[64], line[256] = "";

	while (!waiting[who])
		usleep(100);
	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", waiting[who]);
	while (strncmp(line, calls[who], strlen(calls[who]))) {
		FILE *file = fopen(path, "r");

		usleep(100);
		if (!file || !fgets(line, sizeof(line), file))
			abort();
		fclose(file);
	}
}

PLAIN void until_stage(int n)
{
	while (stage < n)
		usleep(100);
}

/* Each has a lock when the next one begins, and waits for that of the next one: the last one of
 * them for that of the first. */
KEEP void *has_first(void *next)
{
	pthread_mutex_lock(&m1);
	stage++;
	until_stage(holders);
	about_to_wait(0, next);
	pthread_mutex_lock(next);
	return next;
}

KEEP void *has_second(void *next)
{
	pthread_mutex_lock(&m2);
	stage++;
	until_stage(holders);
	until_sleeps(0);
	about_to_wait(1, next);
	pthread_mutex_lock(next);
	return next;
}

KEEP void *has_third(void *next)
{
	pthread_mutex_lock(&m3);
	stage++;
	until_stage(holders);
	until_sleeps(1);
	about_to_wait(2, next);
	pthread_mutex_lock(next);
	return next;
}

KEEP void *outside(void *lock)
{
	until_sleeps(1);
	about_to_wait(3, lock);
	pthread_mutex_lock(lock);
	return lock;
}

/* As has_second(), but gives another lock, that somebody waits for, before it waits. */
KEEP void *wants_third(void *unused)
{
	until_stage(holders);
	about_to_wait(2, &m3);
	pthread_mutex_lock(&m3);
	pthread_mutex_unlock(&m3);
	about_to_call(3, SYS_pause, NULL);
	pause();
	return unused;
}

KEEP void *gives_between(void *next)
{
	pthread_mutex_lock(&m2);
	pthread_mutex_lock(&m3);
	stage++;
	until_stage(holders);
	until_sleeps(0);
	until_sleeps(2);
	pthread_mutex_unlock(&m3);
	until_sleeps(3);
	about_to_wait(1, next);
	pthread_mutex_lock(next);
	return next;
}

KEEP void *twice(void *lock)
{
	pthread_mutex_lock(lock);
	about_to_wait(0, lock);
	pthread_mutex_lock(lock);
	return lock;
}

/* Sleeps by itself, so that the event of the call behind that comes late: by the slow path. */
KEEP void *only_waits(void *lock)
{
	struct timespec little = { .tv_nsec = 1000000 };
	long result = SYS_nanosleep;

	about_to_wait(0, lock);
	__asm__ volatile("syscall" : "+a"(result) : "D"(&little), "S"(0L) : "rcx", "r11", "memory");
	pthread_mutex_lock(lock);
	return lock;
}

KEEP void work(void)
{
	__asm__ volatile("");
}

/* What is behind its last record has been used before. */
KEEP void *works_before(void *lock)
{
	for (int i = 0; i < 5000; i++)
		work();
	about_to_wait(0, lock);
	pthread_mutex_lock(lock);
	return lock;
}

KEEP void *limited(void *next)
{
	struct timespec until;

	pthread_mutex_lock(&m2);
	stage++;
	until_stage(holders);
	until_sleeps(0);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 1000;
	about_to_wait(1, next);
	pthread_mutex_timedlock(next, &until);
	return next;
}

static pthread_t first;

KEEP void join_first(void)
{
	pthread_join(first, NULL);
	stage++; /* no tail call */
}

KEEP void *listens(void *unused)
{
	pthread_mutex_lock(&m1);
	about_to_wait(0, NULL);
	pthread_cond_wait(&never, &m1);
	return unused;
}

KEEP void *reads(void *unused)
{
	char byte;

	about_to_call(1, SYS_read, NULL);
	if (read(hole[0], &byte, 1))
		return unused;
	return NULL;
}

KEEP void *joins(void *unused)
{
	until_sleeps(1);
	about_to_wait(0, NULL);
	pthread_join(reader, NULL);
	return unused;
}

KEEP int tail_lock(void *lock)
{
	return pthread_mutex_lock(lock);
}

KEEP void *by_tail(void *lock)
{
	about_to_wait(0, lock);
	return tail_lock(lock) ? lock : NULL;
}

/* A handler with events of its own comes while the thread waits. */
KEEP void handled(int number)
{
	stage = number == SIGUSR1;
}

PLAIN pthread_t begin(void *(*routine)(void *), void *argument)
{
	pthread_t thread;

	pthread_create(&thread, NULL, routine, argument);
	return thread;
}

KEEP void hang(const char *how)
{
	int last = 1;

	if (!strcmp(how, "two") || !strcmp(how, "outside")) {
		begin(has_first, &m2);
		begin(has_second, &m1);
		if (!strcmp(how, "outside"))
			begin(outside, &m1);
		last = strcmp(how, "outside") ? 1 : 3;
	} else if (!strcmp(how, "three")) {
		holders = 3;
		begin(has_first, &m2);
		begin(has_second, &m3);
		begin(has_third, &m1);
		last = 2;
	} else if (!strcmp(how, "given")) {
		begin(has_first, &m2);
		begin(gives_between, &m1);
		begin(wants_third, NULL);
	} else if (!strcmp(how, "limited")) {
		begin(has_first, &m2);
		begin(limited, &m1);
	} else if (!strcmp(how, "condition")) {
		first = begin(listens, NULL);
		last = 0;
	} else if (!strcmp(how, "join")) {
		if (pipe(hole))
			abort();
		reader = begin(reads, NULL);
		begin(joins, NULL);
		last = 0;
	} else if (!strcmp(how, "twice")) {
		begin(twice, &m1);
		last = 0;
	} else {
		pthread_t thread;

		pthread_mutex_lock(&m1);
		thread = begin(!strcmp(how, "tail")   ? by_tail
			       : !strcmp(how, "only") ? only_waits
						      : works_before,
			       &m1);
		last = 0;
		if (!strcmp(how, "handler")) {
			signal(SIGUSR1, handled);
			until_sleeps(0);
			pthread_kill(thread, SIGUSR1);
			until_stage(1);
		}
	}
	until_sleeps(last);
	if (last == 3)
		until_sleeps(1);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	signal(SIGINT, SIG_DFL); /* a shell's background may have ignored it */
	hang(argv[1]);
	if (!strcmp(argv[2], "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(argv[2], "term"))
		kill(getpid(), SIGTERM);
	if (!strcmp(argv[2], "wait") || !strcmp(argv[2], "join")) {
		puts("hangs");
		fflush(stdout);
	}
	if (!strcmp(argv[2], "wait"))
		pause();
	if (!strcmp(argv[2], "join"))
		join_first();
	return 0;
}
