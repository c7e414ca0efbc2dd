/* fib(32) by 7 million calls. */
#include <stdio.h>

__attribute__((noipa)) static long fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(void)
{
	printf("%ld\n", fib(32));
	return 0;
}
