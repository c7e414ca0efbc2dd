/*
 * Functions that are left by a jump at -O2: jumps refill | machine STEPS | callbacks. Says by its
 * output what it has done; counts and times are known beforehand.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KEEP __attribute__((noinline, noclone))
#define OPS 200

/* ---- a slow function, reached by a jump ---- */

KEEP static int pause20(int i)
{
	struct timespec ms20 = { 0, 20000000 };

	return nanosleep(&ms20, NULL) + i;
}

KEEP static int cache_refill(int i)
{
	return pause20(i + 1);
}

KEEP static int handle(int i)
{
	int n = i % 100 ? 1 : cache_refill(i);

	return n + i;
}

KEEP static int refill(void)
{
	int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += handle(i);
	return sum;
}

/* ---- an interpreter: each operation jumps to the next one ---- */

typedef int operation(int acc, int left);
static operation *const table[OPS];

static unsigned next_of(int op, int left)
{
	return (unsigned)(op * 7 + 1 + (left % 13 == 0)) % OPS;
}

#define OPERATION(n) \
	KEEP static int op##n(int acc, int left) \
	{ \
		return left ? table[next_of(n, left)](acc + n, left - 1) : acc; \
	}
#define TEN(f, n) \
	f(n##0) f(n##1) f(n##2) f(n##3) f(n##4) f(n##5) f(n##6) f(n##7) f(n##8) f(n##9)
#define HUNDRED(f, n) \
	TEN(f, n##0) TEN(f, n##1) TEN(f, n##2) TEN(f, n##3) TEN(f, n##4) \
	TEN(f, n##5) TEN(f, n##6) TEN(f, n##7) TEN(f, n##8) TEN(f, n##9)
HUNDRED(OPERATION, 1)
HUNDRED(OPERATION, 2)
#define ENTRY(n) op##n,
static operation *const table[OPS] = { HUNDRED(ENTRY, 1) HUNDRED(ENTRY, 2) };

/* Its number in the table is not that in its name, which is what next_of() goes by. */
KEEP static int machine(int steps)
{
	return table[0](0, steps);
}

/* ---- callbacks that leave by a jump, to functions with and without probes ---- */

static int by_jump;

KEEP static int compare_values(const char *a, const char *b)
{
	by_jump++;
	return *a - *b;
}

KEEP static int compare_jump(const void *a, const void *b)
{
	return compare_values(a, b);
}

KEEP static int compare_library(const void *a, const void *b)
{
	return strcmp(a, b);
}

KEEP static int callbacks(void)
{
	char letters[64][2];

	for (int i = 0; i < 64; i++)
		letters[i][0] = (char)('a' + i * 37 % 26), letters[i][1] = '\0';
	qsort(letters, 64, 2, compare_library);
	qsort(letters, 64, 2, compare_jump);
	return by_jump + letters[5][0];
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "refill"))
		return printf("%d\n", refill()) < 0;
	if (argc > 2 && !strcmp(argv[1], "machine"))
		return printf("%d\n", machine(atoi(argv[2]))) < 0;
	return printf("%d\n", callbacks()) < 0;
}
