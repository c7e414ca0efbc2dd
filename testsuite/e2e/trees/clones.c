/* Copies and parts that GCC makes of functions show under the name in the source. */
#include "e2e.h"

__attribute__((noinline)) static int scaled(int x, int factor, int unused)
{
	if (__builtin_expect(x < 0, 0)) {
		puts("negative");
		abort();
	}
	return x * factor + sink;
}

struct pair {
	int a, b;
};

__attribute__((noinline)) static int of_pair(struct pair *pair, int unused)
{
	return pair->a * 2 + sink;
}

/* Its begin is inlined, the rest becomes a .part of it. */
static int checked(int x)
{
	if (x < 0)
		return 0;
	for (int i = 0; i < 10; i++)
		sink += of_pair(&(struct pair){ x, i }, i) & 1;
	printf("%d\n", sink != 0);
	return x;
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 4; i++)
		sum += scaled(i, 7, i) + scaled(i + 1, 7, sum);
	sum += checked(sink) + checked(sink + 5);
	printf("%d\n", sum);
	return 0;
}
