/* SPDX-License-Identifier: MIT */
/* Functions that are called on several paths: by name, from a library, and ones without probes. */
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

static volatile int sink;

/* so small that it has no probes */
NOINLINE static int tiny(int x)
{
	sink += x;
	return x * 3 + 1;
}

NOINLINE static int leaf(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += tiny(i) ^ sum;
	return sum;
}

NOINLINE static int only_a(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum ^= sink * sum + 7;
	return sum;
}

NOINLINE static int a(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += leaf(3) + only_a(3);
	return sum;
}

NOINLINE static int b(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += leaf(10);
	return sum;
}

/* not so small */
static int compare(const void *x, const void *y)
{
	sink += *(const int *)x;
	sink ^= *(const int *)y;
	sink += 3;
	sink ^= 5;
	sink += 7;
	return *(const int *)x - *(const int *)y;
}

NOINLINE static int sort(int n)
{
	int list[64];

	for (int i = 0; i < 64; i++)
		list[i] = (i * 37 + n) & 63;
	qsort(list, 64, sizeof(*list), compare);
	return list[3];
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 10;

	for (int i = 0; i < n; i++)
		sink += a(100) + b(300) + sort(i);
	return 0;
}
