/* Direct and mutual recursion that is not a tail call: one level of the tree per activation
 * depth. */
#include "e2e.h"

KEEP static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

KEEP static int odd(int n);

KEEP static int even(int n)
{
	return n == 0 ? 1 : 1 - odd(n - 1) + 0 * sink;
}

KEEP static int odd(int n)
{
	return n == 0 ? 1 : 1 - even(n - 1) + 0 * sink;
}

int main(void)
{
	printf("%d %d\n", fib(4), even(3));
	return 0;
}
