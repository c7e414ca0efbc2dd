/*
 * Something to be killed: never ends by itself. argv[1]:
 *   calls    one thread that calls
 *   threads  four of them
 *   births   threads that live for some calls, one after another, two at a time
 *   paths    ever new call paths
 *   jumps    down 30,000 calls and out by longjmp, again and again
 *   deep     threads that go down 100,000 calls and back: stacks grow
 *   marks    four threads that go down 500 calls and set a mark there, again and again
 *   forks    processes that fork, call and end
 */
#include "count.h"

#include <pthread.h>
#include <setjmp.h>
#include <sys/wait.h>

KEEP static int leaf(int x)
{
	entered();
	return x + 1;
}

KEEP static int work(int n)
{
	entered();
	for (int i = 0; i < n; i++)
		sink = leaf(sink);
	return sink;
}

static int right(unsigned path, int depth);

KEEP static int left(unsigned path, int depth)
{
	entered();
	return depth ? (path & 1 ? left : right)(path >> 1, depth - 1) + 1 : 0;
}

KEEP static int right(unsigned path, int depth)
{
	entered();
	return depth ? (path & 1 ? left : right)(path >> 1, depth - 1) + 2 : 0;
}

KEEP static void *caller(void *data)
{
	entered();
	do
		sink = work(100);
	while (!data);
	return NULL;
}

static jmp_buf out;

/* -fplugin-arg-cinstr-mark=top,marked */
KEEP static void marked(void)
{
	entered();
	sink++;
}

KEEP static int down(int n, int jump)
{
	entered();
	if (!n && jump > 1)
		marked();
	else if (!n && jump)
		longjmp(out, 1);
	return n ? down(n - 1, jump) + 1 : 0;
}

KEEP static void jumps(void)
{
	entered();
	for (;;)
		if (!setjmp(out))
			down(30000, 1);
}

KEEP static void *diver(void *data)
{
	entered();
	sink = down(100000, 0);
	return data;
}

KEEP static void *marker(void *data)
{
	entered();
	for (;;) {
		down(500, 2);
		sink = work(1000);
	}
	return data;
}

static void births(void *(*body)(void *))
{
	pthread_attr_t large;

	pthread_attr_init(&large);
	pthread_attr_setstacksize(&large, 64 << 20);
	for (;;) {
		pthread_t thread[2];

		for (int i = 0; i < 2; i++)
			if (pthread_create(&thread[i], &large, body, &thread[i]))
				abort();
		for (int i = 0; i < 2; i++)
			pthread_join(thread[i], NULL);
	}
}

static void forks(void)
{
	for (;;) {
		pid_t child = fork();

		if (!child) {
			work(100);
			_exit(0);
		}
		work(100);
		waitpid(child, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argc;
	entered();
	puts("begin");
	fflush(stdout);
	if (!strcmp(argv[1], "births"))
		births(caller);
	if (!strcmp(argv[1], "deep"))
		births(diver);
	if (!strcmp(argv[1], "jumps"))
		jumps();
	if (!strcmp(argv[1], "forks"))
		forks();
	if (!strcmp(argv[1], "paths"))
		for (unsigned seed = 1;; seed = seed * 1664525u + 1013904223u)
			left(seed >> 8, 18);
	int marks = !strcmp(argv[1], "marks");

	for (int i = 1; i < 4 && (marks || !strcmp(argv[1], "threads")); i++)
		pthread_create(&thread, NULL, marks ? marker : caller, NULL);
	(marks ? marker : caller)(NULL);
}
