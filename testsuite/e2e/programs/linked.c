/* Calls an instrumented library that it is linked with. */
#include "../trees/e2e.h"

int library_work(int (*callback)(int), int x);

KEEP static int own(int x)
{
	return x + 1;
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += library_work(own, i);
	printf("%d\n", sum);
	return 0;
}
