// SPDX-License-Identifier: GPL-3.0-or-later
// Work of which the truth is known; for defaults.py.
// shares N: four functions that are alike, called 1 : 2 : 3 : 4 times, N times in all. Each step
// waits for the one before, so that a call takes as long as any other. Prints ns a call.
// waits N: a small function, called N times, waits now and then. Prints ns of each kind of waiting.
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noipa, aligned(64)))
/* Not two of them can be made one. */
#define STEP(x) (((x) ^ (x) >> 29) * 2862933555777941757u)
#define ALIKE(name) \
	APART static unsigned long name(unsigned long x) \
	{ \
		x = STEP(x); \
		return STEP(x) + 1; \
	}
ALIKE(tenth)
ALIKE(two_tenths)
ALIKE(three_tenths)
ALIKE(four_tenths)

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static unsigned long shares(unsigned long n)
{
	double begin = now(CLOCK_THREAD_CPUTIME_ID);
	unsigned long x = n;

	for (unsigned long i = 0; i < n / 10; i++) {
		x = four_tenths(four_tenths(four_tenths(four_tenths(x))));
		x = three_tenths(three_tenths(three_tenths(x)));
		x = two_tenths(two_tenths(x));
		x = tenth(x);
	}
	printf("%.4f\n", (now(CLOCK_THREAD_CPUTIME_ID) - begin) / (double)n);
	return x;
}

#define WAITS 300
static double waited[3];
static int ends[2];

static void *writer(void *arg)
{
	for (int i = 0; i < WAITS / 3; i++) {
		select(0, NULL, NULL, NULL, &(struct timeval){ 0, 6000 });
		if (write(ends[1], "", 1) != 1)
			return NULL;
	}
	return arg;
}

APART static unsigned long at_times(unsigned long x, unsigned long i, unsigned long every)
{
	unsigned long kind = i / every % 3;
	double begin;
	char c;

	if (i % every)
		return STEP(x);
	begin = now(CLOCK_MONOTONIC);
	if (kind == 0)
		usleep(2000);
	else if (kind == 1)
		x += (unsigned long)poll(NULL, 0, 2);
	else
		x += (unsigned long)read(ends[0], &c, 1);
	waited[kind] += now(CLOCK_MONOTONIC) - begin;
	return x;
}

static unsigned long waits(unsigned long n)
{
	unsigned long x = n;
	pthread_t thread;

	if (pipe(ends) || pthread_create(&thread, NULL, writer, NULL))
		return 0;
	for (unsigned long i = 0; i < n; i++)
		x = at_times(x, i, n / WAITS);
	pthread_join(thread, NULL);
	printf("usleep %.0f poll %.0f read %.0f\n", waited[0], waited[1], waited[2]);
	return x;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000000;

	return (argc > 1 && !strcmp(argv[1], "waits") ? waits(n) : shares(n)) == 1;
}
