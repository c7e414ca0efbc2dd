/* SPDX-License-Identifier: MIT */
/* Work of WORK rounds, work that is asked for by an argument, and work that never changes. */
#include <stdlib.h>

#ifndef WORK
#define WORK 1000
#endif

static volatile unsigned sink;

/* So small that the plugin gives it no probes: no table tells where it is defined. */
__attribute__((noipa)) static unsigned tiny(unsigned x)
{
	return (sink ^ x * 2654435761u ^ x << 3) & 0xffff;
}

__attribute__((noipa)) static void fixed(void)
{
	for (int i = 0; i < 2000; i++)
		sink += tiny(i);
}

__attribute__((noipa)) static void planted(void)
{
	for (int i = 0; i < WORK; i++)
		sink += i;
}

__attribute__((noipa)) static void seeded(int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
}

#ifdef FRESH
__attribute__((noipa)) static void fresh(void)
{
	for (int i = 0; i < 500; i++)
		sink += i;
}
#endif

int main(int argc, char **argv)
{
	fixed();
	planted();
	seeded(argc > 1 ? atoi(argv[1]) : 1000);
#ifdef FRESH
	fresh();
#endif
	return 0;
}
