/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Says how long recording was off, ns: in the middle, at the end, or at the begin (with
 * CINSTR_START=paused). */
#include <cinstr.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static __attribute__((noinline)) void spend(long long ms)
{
	long long end = now() + ms * 1000000;

	while (now() < end)
		;
}

int main(int argc, char **argv)
{
	const char *where = argc > 1 ? argv[1] : "";
	long long begin = now();

	if (strcmp(where, "begin") != 0) {
		spend(100);
		cinstr_stop(CINSTR_PROCESS, CINSTR_SELF);
		begin = now();
	}
	spend(300);
	if (strcmp(where, "end") != 0) {
		printf("%lld\n", now() - begin);
		cinstr_start(CINSTR_PROCESS, CINSTR_SELF);
		spend(100);
	} else {
		printf("%lld\n", now() - begin);
	}
	return 0;
}
