/*
 * A thunk ends right where a function begins: calls of it are not shown as calls of that function,
 * whose probe is 7 bytes behind it.
 */
#include "e2e.h"

int thunk(int), next(int);

__attribute__((no_reorder, noipa)) int target(int x)
{
	sink = x;
	return x;
}

__asm__("\t.text\n"
	"\t.p2align 3\n"
	"\tnop\n"
	"\t.globl thunk\n"
	"\t.type thunk, @function\n"
	"thunk:\n"
	"\tcall target\n"
	"\tret\n"
	"\tint3\n"
	"\t.size thunk, .-thunk\n");

__attribute__((no_reorder, noipa)) int next(int x)
{
	sink = x + 1;
	return x;
}

int (*volatile called[])(int) = { thunk, next };

int main(void)
{
	for (int i = 0; i < 6; i++)
		called[i % 2](i);
	return 0;
}
