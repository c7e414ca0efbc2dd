/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0304 sell|save; wall
 * Sells from a stock. Planted: fsync() after each sale. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int fd;

static void save(const int *sold, int n)
{
	for (int i = 0; i < n; i++) {
		if (dprintf(fd, "%d\n", sold[i]) < 0)
			exit(1);
#ifndef REPAIRED
		fsync(fd);
#endif
	}
	fsync(fd);
}

static unsigned sell(unsigned seed, int *sold, int n)
{
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < 20000; k++)
			seed = seed * 1664525u + 1013904223u;
		sold[i] = (int)(seed >> 16);
	}
	save(sold, n);
	return seed;
}

int main(void)
{
	char name[] = "stock.XXXXXX";
	int sold[100];
	unsigned seed = 1;

	fd = mkstemp(name);
	for (int i = 0; i < 5; i++)
		seed = sell(seed, sold, 100);
	printf("%u\n", seed);
	unlink(name);
	return 0;
}
