/* One setjmp that returns a thousand times. */
#include "e2e.h"
#include <setjmp.h>

static jmp_buf env;

KEEP static int step(int n)
{
	return n + 1;
}

KEEP static void back(int n)
{
	longjmp(env, step(n));
}

int main(void)
{
	volatile int n = setjmp(env);

	if (n < 1000)
		back(n);
	printf("%d\n", step(n));
	return 0;
}
