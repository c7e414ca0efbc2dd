/*
 * Functions that spin for 1 us, 10 us and 1 ms. For each: the time between its first and its last
 * look at the clock (inner), and, in batches, the time around its calls; the median difference of
 * the two in a batch is what a call takes beside (overhang), meaningful in the plain program.
 */
#include "truth.h"

#define BATCHES 100

static double ns_per_tick;
static uint64_t inner;

PLAIN void spin(uint64_t length)
{
	uint64_t start = ticks(), now;

	do
		now = ticks();
	while (now - start < length);
	inner += now - start;
}

KEEP static void spin_1us(uint64_t length)
{
	spin(length);
}

KEEP static void spin_10us(uint64_t length)
{
	spin(length);
}

KEEP static void spin_1ms(uint64_t length)
{
	spin(length);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void measure(const char *name, void (*f)(uint64_t), double ns, int batches, int calls)
{
	uint64_t length = (uint64_t)(ns / ns_per_tick), total = 0;
	double overhangs[BATCHES];
	char text[64];

	for (int b = 0; b < batches; b++) {
		uint64_t start = ticks();

		inner = 0;
		for (int i = 0; i < calls; i++)
			f(length);
		overhangs[b] = (double)(ticks() - start - inner) * ns_per_tick / calls;
		total += inner;
	}
	qsort(overhangs, (size_t)batches, sizeof(double), compare);
	snprintf(text, sizeof(text), "%s_overhang_ps", name);
	truth(text, overhangs[batches / 2] * 1000);
	snprintf(text, sizeof(text), "%s_inner_ns", name);
	truth(text, (double)total * ns_per_tick);
}

int main(void)
{
	uint64_t t0 = ticks(), n0 = raw_ns(CLOCK_MONOTONIC_RAW), n1;

	do
		n1 = raw_ns(CLOCK_MONOTONIC_RAW);
	while (n1 - n0 < 100000000);
	ns_per_tick = (double)(n1 - n0) / (double)(ticks() - t0);
	measure("spin_1us", spin_1us, 1e3, 100, 200);
	measure("spin_10us", spin_10us, 1e4, 100, 50);
	measure("spin_1ms", spin_1ms, 1e6, 10, 5);
	return 0;
}
