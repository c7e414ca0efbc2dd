/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exceptions through frames, caught, thrown again, under recursion. */
extern "C" int printf(const char *, ...);

#define KEEP __attribute__((noipa))

KEEP static int leaf(int x)
{
	return x + 1;
}

KEEP static int thrower(int depth)
{
	if (!depth)
		throw 7;
	return thrower(depth - 1) + leaf(depth);
}

KEEP static int again(int n)
{
	try {
		return n ? again(n - 1) : thrower(2);
	} catch (int) {
		leaf(n);
		throw;
	}
}

int main()
{
	int caught = 0;

	for (int i = 0; i < 3; i++) {
		try {
			again(i);
		} catch (int x) {
			caught += leaf(x);
		}
	}
	printf("%d\n", caught);
	return 0;
}
