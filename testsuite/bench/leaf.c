/* 20 million calls of a function that adds. -DRDTSC: with two readings of the clock around each
 * call. */
#include <stdio.h>
#include <x86intrin.h>

__attribute__((noipa)) static long leaf(long x)
{
	return x + 1;
}

int main(void)
{
	unsigned long stamps = 0;
	long x = 0;

	for (int i = 0; i < 20000000; i++) {
#ifdef RDTSC
		stamps += __rdtsc();
		x = leaf(x);
		stamps += __rdtsc();
#else
		x = leaf(x);
#endif
	}
	printf("%ld\n", x);
	return stamps == 1;
}
