/* Calls in calls, each function from more than one place. */
#include "e2e.h"

KEEP static int leaf(int x)
{
	return x + 1;
}

KEEP static int middle(int x)
{
	return leaf(x) * 2;
}

KEEP static int outer(int x)
{
	return middle(x) + middle(x + 1) + leaf(x);
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 3; i++)
		sum += outer(i);
	printf("%d\n", sum + leaf(1));
	return 0;
}
