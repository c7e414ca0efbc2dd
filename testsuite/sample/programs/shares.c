/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shares THREADS MS: each thread spends MS milliseconds of processor time in four functions, 50,
 * 30, 15 and 5 % of it. Each step of their loop waits for the one before, so that it takes the same
 * time wherever the code lies; the order is random, so that no interval of sampling has a rhythm in
 * common with it. Prints the milliseconds of processor time of all.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STEPS 20000 /* some 20 microseconds */

#define SPIN(name) \
	__attribute__((noipa)) void name(void) \
	{ \
		unsigned long steps = STEPS, product = 3; \
\
		__asm__ volatile("1: imul %1, %1\n\tdec %0\n\tjnz 1b" : "+r"(steps), "+r"(product)); \
	}

SPIN(half)
SPIN(third)
SPIN(sixth)
SPIN(rest)

static void (*const parts[20])(void) = {
	half,  half,  half,  half,  half,  half,  half,	 half,	half,  half,
	third, third, third, third, third, third, sixth, sixth, sixth, rest
};

static double processor_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

/* All twenty, in a random order. */
__attribute__((noipa)) void one_round(unsigned long *seed)
{
	unsigned char order[20];

	for (unsigned i = 0; i < 20; i++) {
		unsigned other;

		*seed = *seed * 6364136223846793005ul + 1442695040888963407ul;
		other = (unsigned)(*seed >> 33) % (i + 1);
		order[i] = order[other];
		order[other] = (unsigned char)i;
	}
	for (unsigned i = 0; i < 20; i++)
		parts[order[i]]();
}

static void *work(void *ms)
{
	unsigned long seed = (unsigned long)&seed ^ (unsigned long)time(NULL);

	while (processor_ms(CLOCK_THREAD_CPUTIME_ID) < *(double *)ms)
		one_round(&seed);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	double ms = argc > 2 ? atof(argv[2]) : 100;
	pthread_t threads[64];

	if (n == 1)
		work(&ms);
	for (int i = 0; n > 1 && i < n; i++)
		pthread_create(&threads[i], NULL, work, &ms);
	for (int i = 0; n > 1 && i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%.3f\n", processor_ms(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
