/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spins after calls, on their lines, and says how long that took by line: "LINE NS" (places.py). */
#include <stdio.h>
#include <time.h>

#include "truth.h"

#define LINES 100

static uint64_t spent[LINES], per_ms;

/* All on the line that it stands on: no call, no other line. */
#define SPIN(ms)                                                      \
	do {                                                          \
		uint64_t begin = __builtin_ia32_rdtsc(), now;         \
		do                                                    \
			now = __builtin_ia32_rdtsc();                 \
		while (now - begin < (ms) * per_ms);                  \
		spent[__LINE__] += now - begin;                       \
	} while (0)

static void __attribute__((noinline)) leaf(int i)
{
	__asm__ volatile("" : : "r"(i) : "memory");
}

static int __attribute__((noinline)) recursive(int n)
{
	if (n > 0)
		leaf(recursive(n - 1)), ({ SPIN(4); });
	return n;
}

static void __attribute__((noinline)) several(void)
{
	leaf(1); SPIN(20);
	for (int i = 0; i < 3; i++) {
		leaf(2); SPIN(5);
	}
	leaf(3); SPIN(3); leaf(4); SPIN(7);
}

static uint64_t calibrate(void)
{
	uint64_t ns = raw_ns(CLOCK_MONOTONIC_RAW), ticks = __builtin_ia32_rdtsc(), now;

	do
		now = raw_ns(CLOCK_MONOTONIC_RAW);
	while (now < ns + 20000000);
	return (__builtin_ia32_rdtsc() - ticks) * 1000000 / (now - ns);
}

int main(void)
{
	per_ms = calibrate();
	several();
	recursive(4);
	for (int i = 0; i < LINES; i++)
		if (spent[i])
			printf("%d %.0f\n", i, (double)spent[i] * 1e6 / (double)per_ms);
	return 0;
}
