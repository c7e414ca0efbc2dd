/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recursion DEPTH MS: down() calls itself DEPTH deep and spins there, directly or by way of
 * other(), MS milliseconds of processor time. */
#include <stdlib.h>
#include <time.h>

static double limit;

__attribute__((noipa)) void spin(void)
{
	struct timespec now;

	do {
		unsigned long steps = 100000, product = 3;

		__asm__ volatile("1: imul %1, %1\n\tdec %0\n\tjnz 1b" : "+r"(steps), "+r"(product));
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec * 1e3 + now.tv_nsec / 1e6 < limit);
}

void down(int depth);

__attribute__((noipa)) void other(int depth)
{
	down(depth - 1);
	__asm__ volatile("");
}

__attribute__((noipa)) void down(int depth)
{
	if (!depth)
		spin();
	else if (depth % 3 == 0)
		other(depth);
	else
		down(depth - 1);
	__asm__ volatile(""); /* no tail call */
}

int main(int argc, char **argv)
{
	limit = argc > 2 ? atof(argv[2]) : 100;
	down(argc > 1 ? atoi(argv[1]) : 20);
	return 0;
}
