/* Mutual recursion by tail calls, argv[1] deep: needs one frame only. */
#include "../trees/e2e.h"

KEEP static int odd(long n);

KEEP static int even(long n)
{
	return n == 0 ? 1 : odd(n - 1);
}

KEEP static int odd(long n)
{
	return n == 0 ? 0 : even(n - 1);
}

int main(int argc, char **argv)
{
	(void)argc;
	printf("%d\n", even(atol(argv[1])));
	return 0;
}
