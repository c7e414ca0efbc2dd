/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocates blocks of which the rest of a test knows how many are left, by the function that has
 * allocated them: argv[1] says how it ends, argv[2] how often.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept[200000];
static int n_kept;

static void __attribute__((noinline)) keep(void *block)
{
	kept[n_kept++] = block;
}

/* By two paths, of which one leaks: 100 bytes each. */
static void *__attribute__((noinline)) make(void)
{
	return malloc(100);
}

static void __attribute__((noinline)) leaks(void)
{
	keep(make());
}

static void __attribute__((noinline)) frees(void)
{
	void *volatile block = make();

	free(block);
}

/* The last call has the block, of 90 bytes. */
static void __attribute__((noinline)) grows(void)
{
	char *block = NULL;

	for (size_t i = 1; i <= 9; i++)
		block = realloc(block, 10 * i);
	keep(block);
}

static void __attribute__((noinline)) realloc_fails(void)
{
	char *volatile block = calloc(7, 3);

	if (realloc(block, SIZE_MAX / 4)) /* fails: the block stays */
		abort();
	keep(block);
}

static void __attribute__((noinline)) all_kinds(void)
{
	void *block;

	if (!posix_memalign(&block, 64, 1000))
		keep(block);
	keep(aligned_alloc(64, 128));
	keep(reallocarray(NULL, 5, 6));
}

/* Threads that free each other's blocks, and leave one of each of the rounds. */
static void *volatile given[2][1000];
static pthread_barrier_t barrier;

static void *__attribute__((noinline)) gives(void *self)
{
	int me = self != NULL;

	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 1000; i++)
			given[me][i] = malloc(16);
		pthread_barrier_wait(&barrier);
		for (int i = 1; i < 1000; i++)
			free(given[!me][i]);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void __attribute__((noinline)) threads(void)
{
	pthread_t other;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&other, NULL, gives, &barrier);
	gives(NULL);
	pthread_join(other, NULL);
}

/* The child frees what the parent has allocated, and leaks one block of its own. */
static void __attribute__((noinline)) forks(void)
{
	pid_t child = fork();

	if (!child) {
		for (int i = 0; i < n_kept; i++)
			free(kept[i]);
		leaks();
		exit(0);
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	int times = argc > 2 ? atoi(argv[2]) : 50;

	for (int i = 0; i < times; i++) {
		leaks();
		frees();
	}
	grows();
	realloc_fails();
	all_kinds();
	threads();
	if (!strcmp(argv[1], "fork"))
		forks();
	if (!strcmp(argv[1], "kill"))
		kill(getpid(), SIGKILL);
	return 0;
}
