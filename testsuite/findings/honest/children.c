/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two processes at a time work on pieces of a long sum, and hand their results over by a pipe. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define CHILDREN 6
#define STEPS 120000000ul

static double piece(unsigned long begin, unsigned long end)
{
	double sum = 0;

	for (unsigned long i = begin; i < end; i++)
		sum += (i & 1 ? -4.0 : 4.0) / (double)(2 * i + 1);
	return sum;
}

static void start(int child, int end)
{
	double sum;

	if (fork())
		return;
	sum = piece(STEPS * (unsigned long)child, STEPS * (unsigned long)(child + 1));
	exit(write(end, &sum, sizeof(sum)) != sizeof(sum));
}

int main(void)
{
	double pi = 0, sum;
	int ends[2];

	if (pipe(ends))
		return 1;
	for (int i = 0; i < CHILDREN; i++) {
		start(i, ends[1]);
		if (i >= 1)
			wait(NULL);
	}
	wait(NULL);
	for (int i = 0; i < CHILDREN; i++) {
		if (read(ends[0], &sum, sizeof(sum)) != sizeof(sum))
			return 1;
		pi += sum;
	}
	printf("%.9f\n", pi);
	return 0;
}
