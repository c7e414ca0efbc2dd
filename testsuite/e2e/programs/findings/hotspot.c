/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the computing is: `one`: most of it in one function; `even`: in eight, of about the same
 * each.
 */
#include <stdio.h>
#include <string.h>

static unsigned long sum;

#define STEP(name, constant) \
	__attribute__((noinline)) static void name(unsigned rounds) \
	{ \
		for (unsigned i = 0; i < rounds; i++) \
			sum = (sum ^ i) * constant + (sum >> 7); \
	}
STEP(read_input, 1103515245ul)
STEP(parse, 6364136223846793005ul)
STEP(check, 2862933555777941757ul)
STEP(order, 3202034522624059733ul)
STEP(solve, 1181783497276652981ul)
STEP(improve, 4292484099903637661ul)
STEP(describe, 3935559000370003845ul)
STEP(finish, 2685821657736338717ul)

int main(int argc, char **argv)
{
	unsigned most = argc > 1 && !strcmp(argv[1], "one") ? 40 : 1;

	for (int round = 0; round < 200; round++) {
		read_input(4000);
		parse(4000);
		check(4000);
		order(4000);
		solve(4000 * most);
		improve(4000);
		describe(4000);
		finish(4000);
	}
	printf("%lu\n", sum);
	return 0;
}
