/*
 * Functions that are left by jumps at -O2, and compute: jumpshares MS. `twice` is reached by jumps
 * of two functions that work calls, all others of one. Each step waits for the one before: it takes
 * the same time wherever the code lies.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KEEP __attribute__((noinline, noclone))

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static inline void spin(unsigned long steps)
{
	unsigned long product = 3;

	__asm__ volatile("1: imul %1, %1\n\tdec %0\n\tjnz 1b" : "+r"(steps), "+r"(product));
}

KEEP static int last(int n)
{
	spin(300000);
	return n;
}

KEEP static int second(int n)
{
	spin(100000);
	return last(n + 1);
}

KEEP static int first(int n)
{
	return second(n + 1);
}

KEEP static int twice(int n)
{
	spin(100000);
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
