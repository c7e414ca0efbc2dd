/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sleeper MS SLEEP_MS: spins MS milliseconds of processor time in spinning() and sleeps SLEEP_MS in
 * sleeping(). */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

__attribute__((noipa)) void spinning(double ms)
{
	struct timespec now;

	do {
		unsigned long steps = 100000, product = 3;

		__asm__ volatile("1: imul %1, %1\n\tdec %0\n\tjnz 1b" : "+r"(steps), "+r"(product));
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec * 1e3 + now.tv_nsec / 1e6 < ms);
}

__attribute__((noipa)) void sleeping(int ms)
{
	usleep((useconds_t)ms * 1000);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	double ms = argc > 1 ? atof(argv[1]) : 100;

	spinning(ms / 2);
	sleeping(argc > 2 ? atoi(argv[2]) : 500);
	spinning(ms);
	return 0;
}
