/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * steered: spins in while_off() between a stop and a start of its own, and for the same time in
 * while_on(); it begins and ends with a mark. With an argument it begins by starting itself.
 */
#include <time.h>

#include "cinstr.h"

#define SPIN_MS 400

static volatile unsigned sink;

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

__attribute__((noinline)) static void while_off(void)
{
	for (long end = now_ms() + SPIN_MS; now_ms() < end;)
		for (int i = 0; i < 10000; i++)
			sink++;
}

__attribute__((noinline)) static void while_on(void)
{
	for (long end = now_ms() + SPIN_MS; now_ms() < end;)
		for (int i = 0; i < 10000; i++)
			sink--;
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc == 1) {
		cinstr_mark_text(1, "begins");
		cinstr_stop(CINSTR_PROCESS, CINSTR_SELF);
	}
	while_off();
	cinstr_start(CINSTR_PROCESS, CINSTR_SELF);
	while_on();
	cinstr_mark_text(2, "ends");
	return 7;
}
