/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Four children that each work for 60 ms of processor time, one behind the other; with "fine" all
 * at once.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILDREN = 4 };

__attribute__((noinline)) static unsigned step(unsigned x)
{
	for (int i = 0; i < 100000; i++)
		x = x * 1664525 + 1013904223;
	return x;
}

__attribute__((noinline)) static void convert(unsigned which)
{
	clock_t end = clock() + CLOCKS_PER_SEC * 60 / 1000;

	while (clock() < end)
		which = step(which);
	_exit(which == 1);
}

int main(int argc, char **argv)
{
	int is_fine = argc > 1 && !strcmp(argv[1], "fine");

	for (unsigned i = 0; i < CHILDREN; i++) {
		if (fork() == 0)
			convert(i);
		if (!is_fine)
			wait(NULL);
	}
	while (is_fine && wait(NULL) > 0)
		;
	return 0;
}
