/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0311 await|main; wall
 * true: CF0503|CF0505 the children hardly live, and run one after another
 * Has child processes compute, one after the other. Planted: whether a child has ended is asked
 * every 10 ms, in place of waiting for it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define GUESTS 80

static int compute(unsigned seed)
{
	for (int i = 0; i < 600000; i++)
		seed = seed * 1664525u + 1013904223u;
	return (int)(seed >> 25);
}

static int await(pid_t child)
{
	int status;

#ifdef REPAIRED
	waitpid(child, &status, 0);
#else
	while (waitpid(child, &status, WNOHANG) == 0)
		usleep(10000);
#endif
	return WEXITSTATUS(status);
}

int main(void)
{
	int sum = 0;

	for (unsigned i = 0; i < GUESTS; i++) {
		pid_t child = fork();

		if (child < 0)
			return 1;
		if (child == 0)
			_exit(compute(i));
		sum += await(child);
	}
	printf("%d\n", sum);
	return 0;
}
