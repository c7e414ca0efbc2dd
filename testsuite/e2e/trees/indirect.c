/* Calls through pointers, to functions with probes and without. */
#include "e2e.h"

KEEP static int twice(int x)
{
	return x * 2;
}

KEEP static int thrice(int x)
{
	return x * 3;
}

static int (*volatile table[3])(int) = { twice, thrice, abs };

KEEP static int apply(int (*volatile *f)(int), int x)
{
	return (*f)(x) + 1;
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 9; i++)
		sum += table[i % 3](-i);
	sum += apply(&table[1], 4) + apply(&table[2], -4) + apply(&table[2], -5);
	printf("%d\n", sum);
	return 0;
}
