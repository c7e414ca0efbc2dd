/* R15: frames that longjmp leaves get implicit exits, with the right depth under recursion. */
#include "e2e.h"
#include <setjmp.h>

static jmp_buf outer_env, inner_env;

KEEP static int leaf(int x)
{
	return x + 1;
}

KEEP static int thrower(int depth, jmp_buf env)
{
	if (depth == 0)
		longjmp(env, 7);
	return thrower(depth - 1, env) + 1;
}

/* Catches at its own depth only. */
KEEP static int nest(int depth)
{
	if (depth == 2) {
		if (setjmp(inner_env) == 0)
			return nest(depth - 1) + 1;
		return leaf(depth);
	}
	if (depth == 0)
		longjmp(inner_env, 1);
	return nest(depth - 1) + leaf(depth);
}

int main(void)
{
	volatile int sum = 0;

	for (volatile int i = 0; i < 3; i++) {
		if (setjmp(outer_env) == 0)
			sum += thrower(i, outer_env);
		else
			sum += leaf(i);
	}
	sum += nest(3);
	printf("%d\n", sum);
	return 0;
}
