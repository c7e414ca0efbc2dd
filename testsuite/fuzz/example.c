/* SPDX-License-Identifier: GPL-3.0-or-later */
/* example.c - a bit of everything that a data file can hold: with an argument two threads,
 * recursion, callbacks, waiting, marks; with two it runs long enough to be sampled. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../include/cinstr.h"

static volatile long sink;

__attribute__((noinline)) static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static long recurse(long n)
{
	if (n < 2)
		return n;
	return recurse(n - 1) + recurse(n - 2);
}

__attribute__((noinline)) static void sort(void)
{
	int numbers[8];

	for (int i = 0; i < 8; i++)
		numbers[i] = i * 7919 % 8;
	qsort(numbers, 8, sizeof(*numbers), compare);
	sink += numbers[3];
}

static void *work(void *argument)
{
	for (int i = 0; i < 3; i++) {
		sink += recurse(5);
		sort();
		usleep(100);
	}
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	for (int i = 0; argc > 2 && i < 1000000; i++)
		sink += recurse(3);
	if (argc > 1)
		pthread_create(&thread, NULL, work, NULL);
	cinstr_mark_text(1, "both run");
	work(NULL);
	if (argc > 1)
		pthread_join(thread, NULL);
	cinstr_mark(2);
	printf("%s: %ld\n", argv[0], sink);
	return 0;
}
