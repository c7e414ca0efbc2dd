/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * left.c - functions with probes that are left by longjmp into code without any: an interpreter
 * that catches its errors, in a library that was built without the plugin. Usage: left HOW N
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define KEEP __attribute__((noinline, noclone))
#define PLAIN KEEP __attribute__((no_instrument_function))

static jmp_buf back, inner;
static volatile int sum, n_work, n_thrower, n_asks;

KEEP int work(int x)
{
	volatile int s = 0;

	n_work++;
	for (volatile int i = 0; i < 10; i++)
		s += i * x;
	return s;
}

/* `depth` calls of itself, and then out of them all. */
KEEP int thrower(int depth)
{
	volatile int r;

	n_thrower++;
	if (!depth)
		longjmp(back, 1);
	r = thrower(depth - 1);
	return r + 1;
}

PLAIN void plain_jump(void)
{
	longjmp(back, 1);
}

/* Leaves by a library's own jump. */
KEEP int asks(int depth)
{
	volatile int r;

	n_asks++;
	if (!depth)
		plain_jump();
	r = asks(depth - 1);
	return r + 1;
}

PLAIN void caught(int (*function)(int), int depth)
{
	if (!setjmp(back))
		sum += function(depth);
}

/* Goes down the stack without probes, a kilobyte a call. */
PLAIN void caught_deep(int (*function)(int), int depth, int levels)
{
	volatile char room[1024];

	room[0] = 1;
	if (levels)
		caught_deep(function, depth, levels - 1);
	else
		sum += function(depth);
	sum += room[0];
}

KEEP int nested(int depth)
{
	sum += work(depth);
	caught(thrower, depth);
	sum += work(depth);
	return depth;
}

PLAIN void same(int n)
{
	for (int i = 0; i < n; i++) {
		caught(thrower, 3);
		sum += work(i);
	}
}

PLAIN void depths(int n)
{
	for (int i = 0; i < n; i++) {
		caught(i % 2 ? thrower : asks, i * 37 % 200);
		sum += work(i);
	}
}

/* The frames that are left lie up to 200 KB below those that come next. */
PLAIN void spread(int n)
{
	for (int i = 0; i < n; i++) {
		if (!setjmp(back))
			caught_deep(thrower, 3, i * 37 % 200);
		sum += work(i);
	}
}

PLAIN void nest(int n)
{
	for (int i = 0; i < n; i++)
		sum += nested(i % 5);
}

/* A handler on a stack of its own, above or below: it interrupts work, and ends nothing. */
static volatile int n_signals;

KEEP void handler(int number)
{
	n_signals++;
	sum += work(number);
}

KEEP int signalled(int x)
{
	raise(SIGUSR1);
	return work(x);
}

PLAIN void signals(int n)
{
	const size_t bytes = 1 << 16;
	char *memory = mmap(NULL, 3 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = { .ss_sp = memory + bytes, .ss_size = bytes };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < n; i++)
		sum += signalled(i);
}

/* Out of the handler, too. */
KEEP void jumping_handler(int number)
{
	n_signals++;
	sum += work(number);
	siglongjmp(inner, 1);
}

PLAIN void jumping_signals(int n)
{
	struct sigaction action = { .sa_handler = jumping_handler, .sa_flags = SA_ONSTACK };
	volatile int i;

	signals(0);
	sigaction(SIGUSR1, &action, NULL);
	for (i = 0; i < n; i++)
		if (!sigsetjmp(inner, 1))
			sum += signalled(i);
}

PLAIN int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(int);
	} ways[] = { { "same", same }, { "depths", depths },   { "spread", spread },
		     { "nest", nest }, { "signals", signals }, { "jumping signals", jumping_signals } };

	for (size_t i = 0; argc > 2 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(argv[1], ways[i].name))
			ways[i].run(atoi(argv[2]));
	printf("%d: work %d thrower %d asks %d signals %d\n", sum, n_work, n_thrower, n_asks, n_signals);
	return 0;
}
