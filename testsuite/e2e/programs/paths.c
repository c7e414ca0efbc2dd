/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * paths WIDTH DEPTH [THREADS [PROCESSES]] - makes many call paths: each function calls WIDTH (at
 * most 10) functions, DEPTH levels down. So a tree has 1 + WIDTH + WIDTH^2 + ... + WIDTH^DEPTH
 * paths. THREADS after another have one each, in PROCESSES.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTION(n) static void f##n(int depth);
#define FUNCTIONS \
	FUNCTION(0) FUNCTION(1) FUNCTION(2) FUNCTION(3) FUNCTION(4) FUNCTION(5) FUNCTION(6) FUNCTION(7) FUNCTION(8) FUNCTION(9)
FUNCTIONS
#undef FUNCTION

static void (*const functions[])(int) = { f0, f1, f2, f3, f4, f5, f6, f7, f8, f9 };
static int width, depth, threads = 1, processes;

#define FUNCTION(n) \
	__attribute__((noipa)) static void f##n(int left) \
	{ \
		for (int i = 0; left && i < width; i++) \
			functions[i](left - 1); \
	}
FUNCTIONS

static void *thread(void *arg)
{
	f0(depth);
	return arg;
}

static void work(void)
{
	for (int i = 0; i < threads; i++) {
		pthread_t id;

		if (pthread_create(&id, NULL, thread, NULL) || pthread_join(id, NULL))
			exit(2);
	}
}

int main(int argc, char **argv)
{
	width = argc > 1 ? atoi(argv[1]) : 1;
	depth = argc > 2 ? atoi(argv[2]) : 1;
	threads = argc > 3 ? atoi(argv[3]) : 1;
	processes = argc > 4 ? atoi(argv[4]) : 0;
	if (!processes)
		work();
	for (int i = 0; i < processes; i++) {
		pid_t child = fork();

		if (!child) {
			work();
			_exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			return 2;
	}
	puts("done");
	return 0;
}
