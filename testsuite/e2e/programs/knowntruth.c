/*
 * Kernels with known truth: each is there with probes and without (knowntruth_kernels.h), and both
 * run in turn, so that whatever the machine does meanwhile both have. `truth` says what the plain
 * ones took, in ns. Arguments: rounds, threads.
 */
#include <pthread.h>
#include <string.h>

#include "truth.h"

#define TABLE (1u << 18) /* ints: 1 MB */
#define NEAR (1u << 16)
static int table[TABLE];

KEEP static long without_probes(long x)
{
	return x * 5 + 1;
}

/* X(0100) ... X(0177): 64 ... 127 */
#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define ALL(X) \
	EIGHT(X, 010) EIGHT(X, 011) EIGHT(X, 012) EIGHT(X, 013) EIGHT(X, 014) EIGHT(X, 015) EIGHT(X, 016) EIGHT(X, 017)

#define P(name) plain_##name
#include "knowntruth_kernels.h"
#undef P
#define P(name) probed_##name
#include "knowntruth_kernels.h"

#define KERNELS(X) X(tiny) X(nested) X(serial) X(wide) X(branchy) X(missing) X(cold) X(outside) X(indirect) X(recursive)

static const struct kernel {
	const char *name;
	long (*plain)(long), (*probed)(long);
} kernels[] = {
#define KERNEL(name) { #name, plain_##name, probed_##name },
	KERNELS(KERNEL)
};
#define N (sizeof(kernels) / sizeof(*kernels))
#define ROUNDS_MAX 20000

static int rounds;
static uint64_t (*took)[N][ROUNDS_MAX];

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void *work(void *thread)
{
	uint64_t(*own)[ROUNDS_MAX] = took[(long)thread];
	volatile long sink = 0;

	for (int round = 0; round < rounds; round++) {
		for (size_t k = 0; k < N; k++) {
			uint64_t start = ticks();

			sink += kernels[k].plain(sink);
			own[k][round] = ticks() - start;
			sink += kernels[k].probed(sink);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	uint64_t t0 = ticks(), n0 = raw_ns(CLOCK_MONOTONIC_RAW);
	double ns_per_tick;
	pthread_t ids[16];

	rounds = argc > 1 ? atoi(argv[1]) : 100;
	took = calloc((size_t)threads, sizeof(*took));
	for (unsigned i = 0; i < TABLE; i++)
		table[i] = (int)(i * 2654435761u >> 8);
	for (long i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, work, (void *)i);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	ns_per_tick = (double)(raw_ns(CLOCK_MONOTONIC_RAW) - n0) / (double)(ticks() - t0);
	for (size_t k = 0; k < N; k++) {
		double sum = 0, median = 0;
		char name[64];

		for (int i = 0; i < threads; i++) {
			for (int r = 0; r < rounds; r++)
				sum += (double)took[i][k][r];
			qsort(took[i][k], (size_t)rounds, sizeof(uint64_t), compare);
			median += (double)took[i][k][rounds / 2] * rounds;
		}
		snprintf(name, sizeof(name), "%s_sum_ns", kernels[k].name);
		truth(name, sum * ns_per_tick);
		snprintf(name, sizeof(name), "%s_median_ns", kernels[k].name);
		truth(name, median * ns_per_tick);
	}
	return 0;
}
