/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines with known counts and times (lines.py finds them by their comments). */
#include <stdio.h>
#include <time.h>

#include "truth.h"

static volatile int sink;

__attribute__((noinline, no_instrument_function)) static void spin_ns(uint64_t ns)
{
	uint64_t end = raw_ns(CLOCK_MONOTONIC_RAW) + ns;

	while (raw_ns(CLOCK_MONOTONIC_RAW) < end)
		;
}

static inline __attribute__((always_inline)) void inlined(int i)
{
	if (i % 4 == 0)
		sink += i; /* inlined quarter */
	sink++; /* inlined */
}

__attribute__((noinline)) static int branches(int n)
{
	int odd = 0;

	for (int i = 0; i < n; i++) {
		if (i & 1)
			odd += sink; /* odd */
		inlined(i);
	}
	return odd; /* back */
}

__attribute__((noinline)) static int fibonacci(int n)
{
	if (n < 2)
		return n; /* leaves */
	return fibonacci(n - 1) + fibonacci(n - 2); /* nodes */
}

__attribute__((noinline)) static void busy(void)
{
	spin_ns(40000000); /* 40 ms */
	sink++;
	for (int i = 0; i < 3; i++)
		spin_ns(10000000); /* 30 ms */
	sink++;
}

int main(void)
{
	int sum = branches(1000);

	sum += fibonacci(12);
	busy();
	printf("%d\n", sum * 0 + sink);
	return 0;
}
