/*
 * Functions of 1 ns to 30 us and their callers, each with probes and without, in turn; `truth` says
 * what the plain ones took, in ns, if nothing disturbed them; and what did disturb them where the
 * kernel switched nothing (a host that runs its other guests): the part of the time, and the
 * longest.
 * From some us on the runtime asks the kernel behind each call, which may show nowhere. Argument:
 * rounds.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

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
	X(1ns, 1, 4000) \
	X(10ns, 8, 4000) X(100ns, 75, 2000) X(1us, 750, 400) X(3us, 2300, 100) X(5us, 3800, 80) \
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
static bool switched[N][ROUNDS_MAX];

/* How often this thread was switched away from. */
static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t median(const uint64_t *values, int n)
{
	uint64_t sorted[ROUNDS_MAX];

	memcpy(sorted, values, (size_t)n * sizeof(*values));
	qsort(sorted, (size_t)n, sizeof(*values), compare);
	return sorted[n / 2];
}

int main(int argc, char **argv)
{
	uint64_t t0 = ticks(), n0 = raw_ns(CLOCK_MONOTONIC_RAW);
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	double ns_per_tick, usual = 0, disturbed = 0, longest = 0;
	volatile long sink = 0;

	for (int round = 0; round < rounds; round++) {
		for (size_t k = 0; k < N; k++) {
			long before = switches();
			uint64_t start = ticks();

			sink += lengths[k].plain(sink);
			took[k][round] = ticks() - start;
			switched[k][round] = switches() != before;
			sink += lengths[k].probed(sink);
		}
	}
	ns_per_tick = (double)(raw_ns(CLOCK_MONOTONIC_RAW) - n0) / (double)(ticks() - t0);
	for (size_t k = 0; k < N; k++) {
		double middle = (double)median(took[k], rounds);

		truth(lengths[k].name, middle * rounds * ns_per_tick);
		for (int round = 0; round < rounds; round++) {
			double more = (double)took[k][round] - middle;

			if (switched[k][round])
				continue;
			usual += middle;
			disturbed += more;
			longest = more > longest ? more : longest;
		}
	}
	truth("disturbed_ppm", disturbed > 0 ? 1e6 * disturbed / usual : 0);
	truth("disturbance_longest_ns", longest * ns_per_tick);
	return 0;
}
