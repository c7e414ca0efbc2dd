/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every way in which control can leave and enter a function, except plain calls and returns. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static jmp_buf environment;

static NOINLINE void jump(int value)
{
	longjmp(environment, value);
}

static NOINLINE int use_setjmp(int n)
{
	volatile int count = 0;
	int value = setjmp(environment);

	if (value < n) {
		count = count + 1;
		jump(value + 1);
	}
	return count * 100 + value;
}

static void *builtin_environment[5];

static NOINLINE void builtin_jump(void)
{
	__builtin_longjmp(builtin_environment, 1);
}

static NOINLINE int use_builtin_setjmp(int n)
{
	volatile int count = 0;

	if (__builtin_setjmp(builtin_environment))
		count++;
	if (count < n)
		builtin_jump();
	return count;
}

static NOINLINE int compute_goto(const char *program)
{
	static const void *const targets[] = { &&add, &&subtract, &&call, &&stop };
	int value = 0;

next:
	goto *targets[*program++ - '0'];
add:
	value += 3;
	goto next;
subtract:
	value -= 1;
	goto next;
call:
	value += (int)strlen(program);
	goto next;
stop:
	return value;
}

static NOINLINE int use_asm_goto(int value)
{
	__asm__ goto("test{l}\t%0, %0; jne\t%l1" : : "r"(value) : "cc" : nonzero);
	return 10;
nonzero:
	return 20 + abs(value);
}

static void report(const int *value)
{
	printf("cleanup %d\n", *value);
}

static NOINLINE int use_cleanup(int n)
{
	int value __attribute__((cleanup(report))) = n;

	if (n > 3)
		return n;
	value = use_cleanup(n + 1);
	return value + n;
}

static NOINLINE int apply(int (*function)(int), int n)
{
	return function(n) + 1;
}

/* Trampolines: the nested function gets its frame in r10. */
static NOINLINE int use_nested(int n)
{
	int sum = n;

	int add(int x)
	{
		sum += x;
		return x > 0 ? apply(add, x - 1) : 0;
	}
	int direct(int x)
	{
		return x ? direct(x - 1) + sum : sum;
	}
	return apply(add, 4) + direct(3) + sum;
}

static NOINLINE int leave_nested(int n)
{
	__label__ out;
	int depth = 0;

	void down(int x)
	{
		depth++;
		if (!x)
			goto out;
		down(x - 1);
		depth = 1000;
	}
	down(n);
out:
	return depth;
}

static NOINLINE int use_vfork(int status)
{
	int result = 0;
	pid_t child = vfork();

	if (child == 0)
		_exit(status);
	waitpid(child, &result, 0);
	return WEXITSTATUS(result);
}

static NOINLINE int use_fork(int status)
{
	int result = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(status + 1);
	waitpid(child, &result, 0);
	return WEXITSTATUS(result);
}

__attribute__((no_instrument_function)) static NOINLINE int left_out(int x)
{
	return abs(x) + 1;
}

/* The first instruction of the body is the target of a jump. */
static NOINLINE int loop_at_entry(const char *s)
{
	while (*s == ' ')
		s++;
	return *s;
}

__attribute__((noreturn)) static NOINLINE void finish(int status)
{
	fflush(stdout);
	exit(status);
}

static __attribute__((cold, noreturn)) NOINLINE void fail(const char *what)
{
	printf("failed: %s\n", what);
	finish(1);
}

static void at_exit(void)
{
	puts("at exit");
}

int main(int argc, char **argv)
{
	if (argc > 5)
		fail(argv[5]);
	atexit(at_exit);
	printf("setjmp %d\n", use_setjmp(5));
	printf("builtin setjmp %d\n", use_builtin_setjmp(7));
	printf("computed goto %d\n", compute_goto("00120212003"));
	printf("asm goto %d %d\n", use_asm_goto(0), use_asm_goto(-5));
	printf("cleanup %d\n", use_cleanup(1));
	printf("nested %d\n", use_nested(3));
	printf("leave nested %d\n", leave_nested(5));
	fflush(stdout);
	printf("vfork %d\n", use_vfork(9));
	fflush(stdout);
	printf("fork %d\n", use_fork(9));
	printf("left out %d\n", left_out(-3));
	printf("loop %d\n", loop_at_entry("   x"));
	if (argc)
		finish(42);
	return 0;
}
