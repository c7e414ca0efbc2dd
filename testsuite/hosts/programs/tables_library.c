/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The library whose tables fuzz_tables.c damages: records of all kinds but landings, calls of all
 * sorts, hot and cold parts.
 */
#include <stdlib.h>
#include <string.h>

typedef int operation(int);

static int tiny(int x)
{
	return x * 3;
}

__attribute__((noinline)) int leaf(int x)
{
	for (volatile int i = 0; i < 3; i++)
		x += i;
	return x;
}

__attribute__((noinline)) int tail(int x)
{
	return leaf(x + 1);
}

__attribute__((noinline)) int indirect(operation *call, int x)
{
	return call(x) + call(x + 1);
}

__attribute__((noinline, cold)) int rare(int x)
{
	return leaf(x) - 1;
}

__attribute__((noinline)) int many(int a, int b, int c, int d, int e, int f)
{
	int sum = leaf(a) + leaf(b);

	if (__builtin_expect(c == 12345, 0)) {
		sum += rare(d);
		abort();
	}
	return sum + e * f;
}

__attribute__((noinline)) size_t text(const char *string)
{
	char copy[64];

	strncpy(copy, string, sizeof(copy) - 1);
	copy[63] = 0;
	return strlen(copy) + (size_t)atoi(copy);
}

int all(void)
{
	int sum = 0;

	for (int i = 0; i < 3; i++)
		sum += tail(i) + indirect(tiny, i) + indirect(leaf, i) + many(i, i, i, i, i, i);
	return sum + (int)text("17 and more") + rare(1);
}
