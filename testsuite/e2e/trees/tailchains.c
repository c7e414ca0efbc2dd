/* Tail calls: a million deep by pointers, back and forth through functions without probes, to
 * callees that do not return. */
#include "e2e.h"
#include "tailchains_plain.h"
#include <setjmp.h>

static jmp_buf env;

KEEP static int leaf(int x)
{
	return x & 0xff;
}

KEEP static int first(long n);
KEEP static int second(long n);
KEEP static int third(long n);
static int (*volatile chain[3])(long) = { first, second, third };

KEEP static int first(long n)
{
	return n ? chain[1](n - 1) : leaf(1);
}

KEEP static int second(long n)
{
	sink = leaf(sink);
	return n ? chain[2](n - 1) : leaf(2);
}

KEEP static int third(long n)
{
	return n ? chain[0](n - 1) : leaf(3);
}

/* bounce has no probes and ends in a tail call of back. */
KEEP static int back(long n)
{
	return n ? bounce(back, n - 1) : leaf(4);
}

KEEP static void leave(int n)
{
	longjmp(env, n);
}

KEEP static void leave_by_tail(int n)
{
	return leave(n + 1);
}

int main(void)
{
	volatile int sum = first(1000000);

	sum += back(100000) * 10;
	for (volatile int i = 0; i < 3; i++)
		if (setjmp(env) == 0)
			leave_by_tail(i);
		else
			sum += leaf(i);
	printf("%d\n", sum);
	return 0;
}
