/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits for a command that takes 0.2 s; with "fine" it computes meanwhile. */
#include <stdio.h>
#include <string.h>
#include <time.h>

__attribute__((noinline)) static unsigned step(unsigned x)
{
	for (int i = 0; i < 100000; i++)
		x = x * 1664525 + 1013904223;
	return x;
}

__attribute__((noinline)) static unsigned compute(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 4;
	unsigned x = 1;

	while (clock() < end)
		x = step(x);
	return x;
}

__attribute__((noinline)) static int convert(int is_fine)
{
	FILE *command = popen("sleep 0.2", "r");

	if (is_fine)
		printf("%u\n", compute());
	return command && pclose(command) == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
	return convert(argc > 1 && !strcmp(argv[1], "fine")) != 0;
}
