/* SPDX-License-Identifier: MIT */
/*
 * many_paths.c - a tree of up to 9,331 call paths; bits of the first argument leave out calls, so
 * that trees are alike and not the same.
 */
#include <stdlib.h>

#define WAYS 6
#define DEPTH 5

static volatile unsigned sink;
static unsigned left_out;

static void go(unsigned depth, unsigned from);

#define FUNCTION(i) \
	__attribute__((noinline)) static void f##i(unsigned depth) \
	{ \
		sink += i; \
		if (depth) \
			go(depth - 1, i); \
	}
FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)

static void go(unsigned depth, unsigned from)
{
	static void (*const ways[WAYS])(unsigned) = { f0, f1, f2, f3, f4, f5 };

	for (unsigned i = 0; i < WAYS; i++)
		if (!(left_out >> (depth * WAYS + i) % 31 & 1) || i == from)
			ways[i](depth);
}

int main(int argc, char **argv)
{
	left_out = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 0;
	go(DEPTH - 1, 0);
	return 0;
}
