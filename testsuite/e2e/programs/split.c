/* Calls that nobody wrote at a line: of what GCC has split from a function, and setjmp's. */
#include <setjmp.h>
volatile long sink;
long counted;
jmp_buf place;

__attribute__((noipa)) long work(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += i ^ sink;
	return sum;
}

/* GCC keeps the test in the caller and calls the rest. */
static long maybe(long n)
{
	long sum = 0;

	if (n < 3)
		return 0;
	for (long i = 0; i < n; i++) {
		sum += work(i);
		if (sum & 1)
			counted += work(3);
		else
			counted += work(4);
	}
	for (long i = 0; i < n; i++)
		sum += work(i * 2) * work(sum & 7);
	return sum + work(n);
}

__attribute__((noipa)) long first(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += maybe(i); /* first */
	return sum;
}

__attribute__((noipa)) long second(long n)
{
	return n + maybe(n + 1); /* second */
}

__attribute__((noipa)) long third(long n)
{
	if (!setjmp(place)) /* third */
		return n;
	return n + 1;
}

int main(void)
{
	sink = first(10) + second(20) + third(3);
	return 0;
}
