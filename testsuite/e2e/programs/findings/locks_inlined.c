/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * locks_inlined.c - a lock and a sleep in functions that the compiler inlines. It puts the sleep
 * behind the rest of the code. "under": sleeps now and then while it holds the lock; "behind": as
 * often after it gave it back.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define THREADS 3
#define ROUNDS 100

static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned balance;
static int is_under;

static void flush_page(void)
{
	usleep(4000); /* the disk */
}

static void post(unsigned amount)
{
	int is_full;

	pthread_mutex_lock(&ledger);
	balance += amount;
	is_full = balance % 3 == 0;
	if (__builtin_expect(is_full && is_under, 0))
		flush_page();
	pthread_mutex_unlock(&ledger);
	if (__builtin_expect(is_full && !is_under, 0))
		flush_page();
}

static void *clerk(void *arg)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		post(1 + i % 2);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	is_under = argc > 1 && !strcmp(argv[1], "under");
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, clerk, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%u\n", balance);
	return 0;
}
