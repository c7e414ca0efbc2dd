/* An instrumented library. */
#include "../trees/e2e.h"

KEEP static int helper(int x)
{
	return x * 2;
}

int library_work(int (*callback)(int), int x);
int library_work(int (*callback)(int), int x)
{
	return helper(x) + callback(x);
}

__attribute__((constructor)) static void library_start(void)
{
	sink = helper(1);
}

__attribute__((destructor)) static void library_end(void)
{
	sink = helper(2);
}
