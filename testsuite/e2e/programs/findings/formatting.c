/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers are turned into text: `all`: each of them, to make a key of it; `some`: one of 1,000, for
 * a message. A second argument: so many of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long sum;

__attribute__((noinline)) static unsigned long hash(const char *key)
{
	unsigned long h = 5381;

	while (*key)
		h = h * 33 + (unsigned char)*key++;
	return h;
}

__attribute__((noinline)) static void work(int i)
{
	for (int j = 0; j < 100; j++)
		sum = sum * 6364136223846793005ul + (unsigned long)(i ^ j);
}

__attribute__((noinline)) static void with_key(int i)
{
	char key[64];

	snprintf(key, sizeof(key), "point %d of %.2f", i, i / 3.0);
	sum += hash(key);
}

int main(int argc, char **argv)
{
	int step = argc > 1 && !strcmp(argv[1], "all") ? 1 : 1000;
	int n = argc > 2 ? atoi(argv[2]) : 200000;

	for (int i = 0; i < n; i++) {
		if (i % step == 0)
			with_key(i);
		work(i);
	}
	printf("%lu\n", sum);
	return 0;
}
