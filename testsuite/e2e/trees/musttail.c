/* Calls that have to be jumps, at every level: each function is left by the jump, however many
 * there are. */
#include "e2e.h"

static int odd(int n);

KEEP static int leaf(int x)
{
	sink = x;
	return x;
}

KEEP static int even(int n)
{
	if (!n)
		return leaf(1);
	__attribute__((musttail)) return odd(n - 1);
}

KEEP static int odd(int n)
{
	leaf(n);
	if (!n)
		return 0;
	[[gnu::musttail]] return even(n - 1);
}

int main(void)
{
	printf("%d %d\n", even(10), even(7));
	return 0;
}
