/* SPDX-License-Identifier: MIT */
/* Loops, switches, recursion, longjmp and threads: what executed instructions are counted of. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf back;

static volatile int one = 1; /* is only read where the source has it, not to choose later */

static inline int small(int x)
{
	if (x % 3 == 0)
		return x + one;
	return x * x;
}

__attribute__((noinline)) static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) static void thrower(int n)
{
	if (n > 3)
		longjmp(back, n);
}

__attribute__((noinline)) static int catcher(int n)
{
	if (setjmp(back))
		return 1;
	thrower(n);
	return 0;
}

__attribute__((noinline)) static int loops(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		sum += small(i);
		if (sum & 64)
			sum ^= i;
		switch (i & 7) {
		case 1:
			sum += 5;
			break;
		case 2:
			sum -= 7;
			break;
		case 3:
			sum *= 3;
			break;
		case 4:
			sum ^= 0x55;
			break;
		case 6:
			sum += i;
			break;
		}
		if (sum == 12345678)
			return fib(3); /* never */
	}
	return sum;
}

static void *in_thread(void *arg)
{
	int *n = arg;

	*n = loops(*n * 100);
	return NULL;
}

int main(int argc, char **argv)
{
	int amounts[3] = { 3, 5, 7 }, sum = 0;
	pthread_t threads[3];

	sum = fib(15) + loops(700);
	for (int i = 0; i < 6; i++)
		sum += catcher(i);
	for (int i = 0; i < 3 && argc > 1 && !strcmp(argv[1], "threads"); i++)
		pthread_create(&threads[i], NULL, in_thread, &amounts[i]);
	for (int i = 0; i < 3 && argc > 1 && !strcmp(argv[1], "threads"); i++)
		pthread_join(threads[i], NULL);
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		fflush(stdout);
		if (!fork())
			_exit(fib(10) == 55 ? 0 : 1);
		wait(NULL);
	}
	if (argc > 1 && !strcmp(argv[1], "more"))
		sum += fib(2);
	for (int i = 0; i < 3; i++)
		sum += amounts[i];
	printf("%d\n", sum);
	return 0;
}
