/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time between calls: in a loop behind a call, in one around it, and in what is inlined. Lines that
 * matter have a name behind them. In virtual time the loops take what SPEND says. */
#ifdef IN_VIRTUAL_TIME
#include "virtual.h"
#define SPEND(ticks) virtual_compute(ticks)
#else
#define SPEND(ticks)
#endif

static volatile unsigned long sum;

static inline __attribute__((always_inline)) void inlined(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sum += i; /* inner */
	SPEND(n);
}

static __attribute__((noinline)) void note(void)
{
	sum++;
}

static __attribute__((noinline)) void one_way(void)
{
	note(); /* begin */
	for (unsigned long i = 0; i < 3000000; i++)
		sum += i;
	SPEND(3000000);
	note(); /* end */
}

static __attribute__((noinline)) void around(void)
{
	for (int k = 0; k < 100; k++) { /* loop */
		for (unsigned long i = 0; i < 30000; i++)
			sum += i;
		SPEND(30000);
		note(); /* inside */
	}
	sum++; /* behind */
}

static __attribute__((noinline)) void outer(void)
{
	sum++;
	inlined(3000000); /* call */
	sum++;
}

int main(void)
{
	one_way();
	around();
	outer();
	return 0;
}
