/* What a function leaves to by a jump is called by that function. */
#include "e2e.h"

KEEP static int target(int x)
{
	return x + 1 + sink;
}

KEEP static int jump(int x)
{
	return target(x * 2);
}

KEEP static int jump_twice(int x)
{
	return jump(x + 1);
}

KEEP static int to_libc(int x)
{
	return abs(x - 1);
}

static int (*volatile pointer)(int) = target;

KEEP static int by_pointer(int x)
{
	return pointer(x);
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 4; i++)
		sum += jump(i) + jump_twice(i) + to_libc(i) + by_pointer(i);
	printf("%d\n", sum);
	return 0;
}
