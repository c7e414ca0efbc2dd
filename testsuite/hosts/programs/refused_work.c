/* Calls of leaf: 2,000, or so many: refused_work [N]. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int leaf(int x)
{
	for (volatile int i = 0; i < 3000; i++)
		x += i;
	return x;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2000;
	unsigned sum = 0;

	for (int i = 0; i < n; i++)
		sum += (unsigned)leaf(i);
	printf("%u\n", sum);
	return 3;
}
