/* SPDX-License-Identifier: MIT */
/* A session with 2^N call paths, or with the functions that page.py has written: F0() ... */
#include <stdlib.h>

static volatile unsigned sink;

#ifdef FUNCTIONS
#define KEEP __attribute__((noipa))
#define F(n) KEEP void function_number_##n(void) { sink += n; }
#include "functions.inc"
#undef F
#define F(n) function_number_##n();
int main(void)
{
	for (int i = 0; i < 3; i++) {
#include "functions.inc"
	}
	return 0;
}
#else
#define BRANCH(name, next, other) \
	__attribute__((noipa)) static void name(unsigned path, int n) \
	{ \
		if (n) \
			(path & 1 ? next : other)(path >> 1, n - 1); \
		sink++; \
	}
static void left(unsigned path, int n);
static void right(unsigned path, int n);
BRANCH(left, left, right)
BRANCH(right, right, left)

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 16;

	for (unsigned path = 0; path < 1u << (n - 1); path++) {
		left(path, n - 1);
		right(path, n - 1);
	}
	return 0;
}
#endif
