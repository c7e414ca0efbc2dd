/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Callers whose calls differ, and all ways in and out of a function: for executed_calls.py. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLAIN __attribute__((noinline, noclone))

static jmp_buf back;
static volatile int sink;

PLAIN int work(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		sink = s += i;
	return s;
}

PLAIN int few(int n)
{
	return work(n) + 1;
}

PLAIN int many(int n)
{
	return work(100 * n) + 2;
}

PLAIN int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

PLAIN void jump(int n)
{
	if (!n)
		longjmp(back, 1);
	jump(n - 1);
	work(3);
}

PLAIN int land(int n)
{
	if (!setjmp(back)) {
		jump(n);
		return 1;
	}
	return work(n) + 1;
}

PLAIN int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

PLAIN int sort(int n)
{
	int v[64];

	for (int i = 0; i < n; i++)
		v[i] = i * 37 % 61;
	qsort(v, (size_t)n, sizeof(*v), compare);
	return v[n / 2];
}

PLAIN int choose(int n)
{
	switch (n % 5) {
	case 0:
		return few(5) + 1;
	case 1:
		return many(7) + 1;
	case 2:
		return fib(5) + 1;
	case 3:
		return sort(20) + 1;
	default:
		return land(4) + 1;
	}
}

PLAIN int through(int (*f)(int), int n)
{
	return f(n) + f(n + 1);
}

PLAIN void handle(int number)
{
	work(number);
}

PLAIN void *in_thread(void *arg)
{
	long n = (long)arg, s = 0;

	for (int i = 0; i < 20; i++)
		s += few((int)n) + many((int)n);
	return (void *)s;
}

PLAIN void threads(void)
{
	pthread_t list[3];

	for (long i = 0; i < 3; i++)
		pthread_create(&list[i], NULL, in_thread, (void *)(i + 1));
	for (int i = 0; i < 3; i++)
		pthread_join(list[i], NULL);
}

PLAIN void in_child(void)
{
	pid_t child = fork();

	if (!child)
		exit((few(2) + many(3)) & 0);
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int s = 0;

	for (int i = 0; i < 10; i++)
		s += few(4) + many(5);
	if (!strcmp(how, "ways"))
		for (int i = 0; i < 50; i++)
			s += choose(i) + few(i);
	if (!strcmp(how, "ways"))
		s += through(few, 100) + through(many, 7) + through(fib, 9);
	if (!strcmp(how, "threads"))
		threads();
	if (!strcmp(how, "fork"))
		in_child();
	if (!strcmp(how, "signal")) {
		signal(SIGUSR1, handle);
		for (int i = 0; i < 5; i++)
			raise(SIGUSR1);
	}
	if (!strcmp(how, "killed"))
		raise(SIGKILL);
	printf("%d\n", s);
	return 0;
}
