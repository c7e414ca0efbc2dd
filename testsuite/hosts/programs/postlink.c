/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that tools work on after it was linked: leaf() is called 2,000 times. Prints the sum of
 * what leaf() returned, and, to stderr, whether cinstr.h found a runtime.
 */
#include <stdio.h>

#include "cinstr.h"

__attribute__((noinline)) int leaf(int x)
{
	for (volatile int i = 0; i < 20; i++)
		x += i;
	return x;
}

__attribute__((noinline)) int middle(int x)
{
	return leaf(x) + leaf(x + 1) + 1;
}

#ifndef LIBRARY
int main(void)
{
	int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += middle(i);
	printf("%d\n", sum);
	if (cinstr_is_on())
		fprintf(stderr, "on\n");
	return 0;
}
#endif
