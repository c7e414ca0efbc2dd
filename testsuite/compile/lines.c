/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions and the line sleds that they must have (lines.sh). The numbers of the lines are part of
 * the test: each function begins at one of its own.
 */
#include <stdio.h>
#include <string.h>

volatile int touched;

#define NOINLINE __attribute__((noinline, noclone))

#include "lines.h"

#line 100
NOINLINE int straight(int x)
{
	int a = x;
	int b = a + 1; int c = b + 1;
	touched = a +
		  b +
		  c;
	return a;
}
#line 200
NOINLINE int loop(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += touched;
	return sum;
}
#line 300
NOINLINE int loop_on_one_line(const char *s)
{
	int n = 0;
	while (*s) s++, n++;
	do n += touched; while (n < 10);
	return n;
}
#line 400
NOINLINE int branches(int x)
{
	if (x > 3)
		touched = 1;
	else
		touched = 2;
	if (x > 4) touched = 3; else touched = 4;
	return touched;
}
#line 500
NOINLINE int choose(int x)
{
	switch (x) {
	case 0: x = touched; break;
	case 1: x = touched + 100; break;
	case 2: x = touched * 3; break;
	case 3: x = touched / 7; break;
	case 4:
		x = ~touched;
		break;
	default:
		x = 0;
	}
	return x;
}
#line 600
NOINLINE int one_line(int x) { if (x) touched++; return touched; }
#line 700
NOINLINE int calls(int x)
{
	int y = straight(x) + straight(x + 1); touched = y;
	return straight(loop(y));
}
#line 800
NOINLINE int inlines(int x)
{
	touched = 1;
	x += outer(x);
	return x + touched;
}
/* A leaf whose array would fit into the red zone. */
#line 900
NOINLINE int leaf(int n)
{
	int array[20];

	for (int i = 0; i < 20; i++)
		array[i] = touched + i;
	for (int i = 0; i < 20; i++)
		touched += array[(i * n) % 20];
	return touched;
}
#line 1000
__attribute__((target("avx2"), noinline)) void leaf_with_target(int *out, int n)
{
	int array[20];

	for (int i = 0; i < 20; i++)
		array[i] = n * i + touched;
	for (int i = 0; i < 20; i++)
		out[i] = array[(i * n) % 20];
}
#line 1100
__attribute__((optimize("O3"), noinline)) void leaf_with_level(int *out, int n)
{
	int array[20];

	for (int i = 0; i < 20; i++)
		array[i] = n * i + touched;
	for (int i = 0; i < 20; i++)
		out[i] = array[(i * n) % 20];
}
#line 1200
NOINLINE int condition(int a, int b)
{
	if (a == touched
	    && b == touched
	    && a + b == touched)
		return 1;
	return touched;
}
/* The second line jumps by the comparison of the first. */
#line 1300
NOINLINE int compare_once(int a, int b)
{
	int less = a < b;
	int least = less ? touched : b;
	return less + least;
}
/* Labels that are reached from above, on the same line, and from elsewhere. */
#line 1400
NOINLINE int jump_into_line(int x)
{
	static const void *const targets[] = { &&first, &&second };
	goto *targets[x & 1];
first: touched = 1; second: touched = 2;
	return touched;
}
#line 1500
NOINLINE int choose_into_line(int x)
{
	switch (x) {
	case 0: touched = 1; /* fall through */ case 1: touched = 2; break;
	case 2: touched = 3; break;
	case 3: touched = 5; break;
	case 4: touched = 7; break;
	case 5: touched = 9;
	}
	return touched;
}

int main(void)
{
	int out[20], sum = 0;

	for (int i = 0; i < 4; i++) {
		sum += straight(i) + loop(i) + loop_on_one_line("abc") + branches(i) + choose(i);
		sum += one_line(i) + calls(i) + inlines(i) + leaf(i) + condition(i, i);
		sum += compare_once(i, 2) + jump_into_line(i) + choose_into_line(i);
		leaf_with_level(out, i);
		if (__builtin_cpu_supports("avx2"))
			leaf_with_target(out, i);
		sum ^= out[i];
	}
	printf("%d %d\n", sum, touched);
	return 0;
}
