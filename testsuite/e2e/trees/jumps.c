/* longjmp out of a signal handler, out of qsort's callback, out of nested frames; by each function
 * there is for it. */
#include "e2e.h"
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf signal_env, sort_env, mask_env;
static jmp_buf plain_env;
static void *builtin_env[5];

KEEP static int leaf(int x)
{
	return x + 1;
}

KEEP static void handler(int number)
{
	siglongjmp(signal_env, leaf(number));
}

/* raise delivers while it runs: the handler hangs below it. */
KEEP static int faulty(int n)
{
	return n ? faulty(n - 1) + 1 : raise(SIGUSR1);
}

KEEP static int out_of_handler(void)
{
	volatile int caught = 0;

	for (volatile int i = 0; i < 3; i++)
		if (sigsetjmp(signal_env, 1))
			caught = leaf(caught);
		else
			faulty(i);
	return caught;
}

KEEP static int compare(const void *a, const void *b)
{
	if (*(const int *)a + *(const int *)b == 3)
		siglongjmp(sort_env, 1);
	return leaf(*(const int *)a) - leaf(*(const int *)b);
}

KEEP static int out_of_qsort(void)
{
	int v[2] = { 9, 8 }, w[2] = { 2, 1 };

	if (sigsetjmp(sort_env, 0))
		return leaf(40);
	qsort(v, 2, sizeof(v[0]), compare);
	qsort(w, 2, sizeof(w[0]), compare);
	return 0;
}

KEEP static void jump_underscore(void)
{
	_longjmp(plain_env, 5);
}

KEEP static void jump_builtin(int n)
{
	if (n)
		jump_builtin(n - 1);
	__builtin_longjmp(builtin_env, 1);
}

KEEP static int by_builtin(void)
{
	volatile int n = 0;

	if (__builtin_setjmp(builtin_env))
		n = leaf(n);
	if (n < 3)
		jump_builtin(2);
	return n;
}

/* The jump's target lies in a frame that is gone from the top of the stack many calls ago. */
KEEP static int deep(int n)
{
	if (!n)
		siglongjmp(mask_env, 1);
	return deep(n - 1) + leaf(n);
}

int main(void)
{
	volatile int sum;

	signal(SIGUSR1, handler);
	sum = out_of_handler();
	sum += out_of_qsort();
	if (_setjmp(plain_env) == 0)
		jump_underscore();
	sum += by_builtin();
	if (sigsetjmp(mask_env, 1) == 0)
		deep(5);
	printf("%d\n", sum);
	return 0;
}
