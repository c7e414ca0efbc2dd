/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocates numbers of bytes that are known: each function says its own. memory.c HOW TIMES; how:
 * end, kill (dies of SIGKILL at the end), fork (a child does all once more), exec (so does the
 * program that takes its place). TIMES: how often `often` runs.
 */
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <malloc.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile block;

static void used(void *p)
{
	if (!p)
		abort();
	block = p;
	free(p);
}

/* a tail call without the plugin */
__attribute__((noinline)) static void *wrapped(size_t n)
{
	return malloc(n);
}

/* 10,000 bytes in 100 calls, all of `wrapped` */
__attribute__((noinline)) static void by_wrapper(void)
{
	for (int i = 0; i < 100; i++)
		used(wrapped(100));
}

/* 30 + 6 * 7 + 500 + 8 * 9 + 64 * 3 + 1,000 + 6 + 4 = 1,846 bytes in 8 calls */
__attribute__((noinline)) static void all_kinds(void)
{
	void *p = malloc(30);

	block = p;
	used(calloc(6, 7));
	used(realloc(p, 500));
	used(reallocarray(NULL, 8, 9));
	used(aligned_alloc(64, 64 * 3));
	if (posix_memalign(&p, 64, 1000))
		abort();
	used(p);
	used(memalign(16, 6));
	used(memalign(16, 4));
}

/* 16 bytes in one call */
__attribute__((noinline)) static void small(void)
{
	used(malloc(16));
}

/* 6 bytes in one call */
__attribute__((noinline)) static void copies(void)
{
	used(memalign(16, 6));
}

/* 22 bytes in two calls, so often, in what it calls */
__attribute__((noinline)) static void often(long times)
{
	for (long i = 0; i < times; i++) {
		small();
		copies();
	}
}

static void *in_thread(void *times)
{
	by_wrapper();
	often(*(long *)times);
	return NULL;
}

__attribute__((noinline)) static void all(long times)
{
	by_wrapper();
	all_kinds();
	often(times);
}

static int work(long times)
{
	pthread_t thread;

	all(times);
	return pthread_create(&thread, NULL, in_thread, &times) || pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	long times = atol(argv[2]);
	pid_t child;

	(void)argc;
	if (work(times))
		return 1;
	if (!strcmp(how, "fork")) {
		child = fork();
		return child ? waitpid(child, NULL, 0) != child : work(times);
	}
	if (!strcmp(how, "exec"))
		return execl(argv[0], argv[0], "end", argv[2], NULL);
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	return 0;
}
