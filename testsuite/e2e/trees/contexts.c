/* Stacks of the program's own: two generators by swapcontext, and one that ends by its link. */
#include "e2e.h"
#include <ucontext.h>

static ucontext_t main_context, contexts[2];
static char stacks[2][65536];
static int value;

KEEP static int leaf(int x)
{
	return x + 1;
}

KEEP static void yield(int n, int x)
{
	value = leaf(x);
	swapcontext(&contexts[n], &main_context);
}

KEEP static void generator(int n)
{
	for (int i = 0; i < 3; i++)
		yield(n, n * 100 + i);
}

KEEP static int next(int n)
{
	swapcontext(&main_context, &contexts[n]);
	return leaf(value);
}

int main(void)
{
	int sum = 0;

	for (int n = 0; n < 2; n++) {
		getcontext(&contexts[n]);
		contexts[n].uc_stack.ss_sp = stacks[n];
		contexts[n].uc_stack.ss_size = sizeof(stacks[n]);
		contexts[n].uc_link = &main_context;
		makecontext(&contexts[n], (void (*)(void))generator, 1, n);
	}
	for (int i = 0; i < 4; i++)
		for (int n = 0; n < 2; n++)
			sum += next(n);
	printf("%d\n", sum);
	return 0;
}
