/* 20 million calls of a function that adds. */
#include "truth.h"

KEEP static long leaf(long x)
{
	return x + 1;
}

int main(void)
{
	uint64_t start = raw_ns(CLOCK_MONOTONIC_RAW);
	long x = 0;

	for (int i = 0; i < 20000000; i++)
		x = leaf(x);
	truth("loop_ns", (double)(raw_ns(CLOCK_MONOTONIC_RAW) - start));
	printf("%ld\n", x);
	return 0;
}
