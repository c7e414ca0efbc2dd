/*
 * Functions of 1 ns to 30 us with probes, and their callers; `truth` says how long the functions
 * took, in ns. From 100 ns on each call measures itself, by the same clock as the probes: what is
 * slower in one run than in another, or is disturbed, is so for both. Shorter ones have a copy
 * without probes, called in turn with them, of which `truth` has the median.
 * From some us on the runtime asks the kernel behind each call, which may show nowhere. Argument:
 * rounds.
 */
#include <string.h>

#include "truth.h"

#define ROUNDS_MAX 1000

/* A chain of multiplications. */
static inline long steps(long x, long n)
{
	for (long i = 0; i < n; i++)
		x = x * 7 + 1;
	return x;
}

/* X(name, steps of a call, calls) */
#define SHORT(X) X(1ns, 1, 4000) X(10ns, 8, 4000)
#define LONG(X) \
	X(100ns, 75, 2000) X(1us, 750, 400) X(3us, 2300, 100) X(5us, 3800, 80) X(10us, 7500, 50) X(30us, 22500, 20)

#define CALLER(P, name, calls) \
	KEEP static long P##caller_##name(long x) \
	{ \
		for (int i = 0; i < calls; i++) \
			x = P##leaf_##name(x); \
		return x; \
	}
#define COPY(P, name, n, calls) \
	KEEP static long P##leaf_##name(long x) \
	{ \
		return steps(x, n); \
	} \
	CALLER(P, name, calls)
#define BOTH(name, n, calls) COPY(plain_, name, n, calls) COPY(probed_, name, n, calls)
#define MEASURED(name, n, calls) \
	static uint64_t spent_##name; \
	KEEP static long probed_leaf_##name(long x) \
	{ \
		uint64_t start = ticks(); \
\
		x = steps(x, n); \
		spent_##name += ticks() - start; \
		return x; \
	} \
	CALLER(probed_, name, calls)
SHORT(BOTH)
LONG(MEASURED)

static const struct length {
	const char *name;
	long (*plain)(long); /* or NULL: it measures itself */
	long (*probed)(long);
	uint64_t *spent;
} lengths[] = {
#define OF_BOTH(name, n, calls) { #name, plain_caller_##name, probed_caller_##name, NULL },
#define OF_MEASURED(name, n, calls) { #name, NULL, probed_caller_##name, &spent_##name },
	SHORT(OF_BOTH) LONG(OF_MEASURED)
};
#define N (sizeof(lengths) / sizeof(*lengths))

static uint64_t took[N + 1][ROUNDS_MAX]; /* the last: a look at the clock */

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static double median(uint64_t *values, int n)
{
	qsort(values, (size_t)n, sizeof(*values), compare);
	return (double)values[n / 2];
}

int main(int argc, char **argv)
{
	uint64_t t0 = ticks(), n0 = raw_ns(CLOCK_MONOTONIC_RAW);
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	volatile long sink = 0;
	double ns_per_tick;

	for (int round = 0; round < rounds; round++) {
		for (size_t k = 0; k < N; k++) {
			uint64_t start = ticks();

			sink += lengths[k].plain ? lengths[k].plain(sink) : 0;
			took[k][round] = ticks() - start;
			sink += lengths[k].probed(sink);
		}
		took[N][round] = ticks();
		took[N][round] = ticks() - took[N][round];
	}
	ns_per_tick = (double)(raw_ns(CLOCK_MONOTONIC_RAW) - n0) / (double)(ticks() - t0);
	for (size_t k = 0; k < N; k++)
		truth(lengths[k].name, ns_per_tick * (lengths[k].plain ? median(took[k], rounds) * rounds
								       : (double)*lengths[k].spent));
	truth("clock", ns_per_tick * median(took[N], rounds));
	return 0;
}
