/* Programs that know the truth: a clock without calls, and a file `truth` of `name value` lines. */
#ifndef TRUTH_H
#define TRUTH_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

#define KEEP __attribute__((noipa))
#define PLAIN __attribute__((no_instrument_function, always_inline)) static inline

PLAIN uint64_t ticks(void)
{
	unsigned int aux;

	return __rdtscp(&aux);
}

PLAIN uint64_t raw_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static FILE *truth_file;

PLAIN void truth(const char *name, double value)
{
	if (!truth_file)
		truth_file = fopen("truth", "w");
	fprintf(truth_file, "%s %.0f\n", name, value);
	fflush(truth_file);
}
#endif
