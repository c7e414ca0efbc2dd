/*
 * Functions that are left by jumps at -O2, and compute: jumpshares MS. `twice` is reached by jumps
 * of two functions that work calls, all others of one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KEEP __attribute__((noinline, noclone))

static volatile unsigned long sink;

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

KEEP static int last(int n)
{
	for (int i = 0; i < 300000; i++)
		sink += (unsigned long)i ^ (unsigned long)n;
	return n;
}

KEEP static int second(int n)
{
	for (int i = 0; i < 100000; i++)
		sink += (unsigned long)i;
	return last(n + 1);
}

KEEP static int first(int n)
{
	return second(n + 1);
}

KEEP static int twice(int n)
{
	for (int i = 0; i < 100000; i++)
		sink ^= (unsigned long)i;
	return n;
}

KEEP static int one(int n)
{
	return twice(n + 1);
}

KEEP static int other(int n)
{
	return twice(n + 2);
}

KEEP static int work(double ms)
{
	double end = cpu_ms() + ms;
	int n = 0;

	while (cpu_ms() < end) {
		n += first(n) & 1;
		n += one(n) & 1;
		n += other(n) & 1;
	}
	return n;
}

int main(int argc, char **argv)
{
	return work(argc > 1 ? atof(argv[1]) : 1000) < 0;
}
