/*
 * Functions of 1 ns to 30 us and their callers, each with probes and without, in turn; `truth` says what the plain ones took, in ns.
 * From some us on the runtime asks the kernel behind each call, which may show nowhere. Argument: rounds.
 */
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
#define LENGTHS(X) \
	X(1ns, 1, 4000) X(10ns, 8, 4000) X(100ns, 75, 2000) X(1us, 750, 400) X(3us, 2300, 100) X(5us, 3800, 80) \
		X(10us, 7500, 50) X(30us, 22500, 20)

#define DEFINE(P, name, n, calls) \
	KEEP static long P##leaf_##name(long x) \
	{ \
		return steps(x, n); \
	} \
	KEEP static long P##caller_##name(long x) \
	{ \
		for (int i = 0; i < calls; i++) \
			x = P##leaf_##name(x); \
		return x; \
	}
#define WITHOUT(name, n, calls) DEFINE(plain_, name, n, calls)
#define WITH(name, n, calls) DEFINE(probed_, name, n, calls)
LENGTHS(WITHOUT)
LENGTHS(WITH)

static const struct length {
	const char *name;
	long (*plain)(long), (*probed)(long);
} lengths[] = {
#define LENGTH(name, n, calls) { #name, plain_caller_##name, probed_caller_##name },
	LENGTHS(LENGTH)
};
#define N (sizeof(lengths) / sizeof(*lengths))

static uint64_t took[N][ROUNDS_MAX];

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
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

			sink += lengths[k].plain(sink);
			took[k][round] = ticks() - start;
			sink += lengths[k].probed(sink);
		}
	}
	ns_per_tick = (double)(raw_ns(CLOCK_MONOTONIC_RAW) - n0) / (double)(ticks() - t0);
	for (size_t k = 0; k < N; k++) {
		qsort(took[k], (size_t)rounds, sizeof(uint64_t), compare);
		truth(lengths[k].name, (double)took[k][rounds / 2] * rounds * ns_per_tick);
	}
	return 0;
}
