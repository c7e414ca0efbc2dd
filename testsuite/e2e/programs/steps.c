/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls work() as often as it is told, and rest() ten times. */
#include <stdlib.h>

static volatile unsigned sink;

__attribute__((noipa)) static void work(void)
{
	sink++;
}

__attribute__((noipa)) static void rest(void)
{
	sink++;
}

int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 100; i > 0; i--)
		work();
	for (int i = 0; i < 10; i++)
		rest();
	return 0;
}
