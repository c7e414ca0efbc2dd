/* Functions in functions: trampolines, a goto out of several frames; cleanups on the way; gotos
 * within one. */
#include "e2e.h"

KEEP static int leaf(int x)
{
	return x + 1;
}

KEEP static void report(int *x)
{
	sink = leaf(*x);
}

KEEP static int apply(int (*function)(int), int x)
{
	return function(x) + 1;
}

KEEP static int outer(int n)
{
	__label__ out;
	int found = 0;

	KEEP int inner(int x)
	{
		if (x == 2) {
			found = x;
			goto out;
		}
		return leaf(x);
	}
	KEEP int deeper(int x)
	{
		return apply(inner, x) + leaf(x);
	}
	for (int i = 0; i < n; i++)
		deeper(i);
	leaf(1);
	return 100;
out:
	return leaf(found);
}

KEEP static int cleaned(int n)
{
	int x __attribute__((cleanup(report))) = n;

	if (n > 2)
		return n;
	return cleaned(n + 1) + x;
}

KEEP static int interpret(const char *program)
{
	static const void *const targets[] = { &&add, &&call, &&stop };
	int value = 0;

next:
	goto *targets[*program++ - '0'];
add:
	value += 3;
	goto next;
call:
	value = leaf(value);
	goto next;
stop:
	return value;
}

KEEP static int asm_goto(int x)
{
	__asm__ goto("test{l}\t%0, %0; jne\t%l1" : : "r"(x) : "cc" : nonzero);
	return leaf(10);
nonzero:
	return leaf(leaf(20));
}

int main(void)
{
	printf("%d %d\n", outer(2), outer(5));
	printf("%d %d\n", cleaned(0), interpret("0010012"));
	printf("%d %d\n", asm_goto(0), asm_goto(1));
	return 0;
}
