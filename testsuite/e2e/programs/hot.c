/* A hot leaf beside big functions, in phases, threads and a child. Argument: what to do. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone, noipa))

static volatile unsigned sink;

APART unsigned leaf(unsigned x)
{
	return x * 2654435761u ^ x >> 3;
}

APART unsigned other_leaf(unsigned x)
{
	return x * 2246822519u ^ x >> 5;
}

APART unsigned big(unsigned n)
{
	unsigned s = n;

	for (unsigned i = 0; i < 5000000; i++)
		s = s * 1103515245u + 12345u;
	sink = s;
	return s;
}

APART unsigned loop(unsigned n)
{
	unsigned s = 1;

	for (unsigned i = 0; i < n; i++)
		s = leaf(s + i);
	return s;
}

APART unsigned other_loop(unsigned n)
{
	unsigned s = 1;

	for (unsigned i = 0; i < n; i++)
		s = other_leaf(s + i);
	return s;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

APART unsigned work(unsigned s)
{
	for (unsigned i = 0; i < 50000; i++)
		s = s * 1103515245u + 12345u;
	sink = s;
	return s;
}

/* The same functions, seldom. */
APART void rarely(double seconds)
{
	for (double end = now() + seconds; now() < end;)
		sink = leaf(work(sink));
}

static void *thread(void *of)
{
	unsigned *result = of;

	*result = *result % 2 ? loop(5000000) : other_loop(5000000);
	return NULL;
}

static void threads(void)
{
	pthread_t ids[4];
	unsigned results[4] = { 0, 1, 2, 3 };

	for (int i = 0; i < 4; i++)
		pthread_create(&ids[i], NULL, thread, &results[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
	printf("%u %u %u %u\n", results[0], results[1], results[2], results[3]);
}

static void child(void)
{
	printf("%u\n", loop(5000000));
	fflush(stdout);
	if (!fork()) {
		printf("%u %u\n", loop(1000000), big(1));
		exit(0);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 0, sum = 0;
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "phases")) {
		loop(n);
		rarely(3);
	} else if (!strcmp(what, "threads")) {
		threads();
	} else if (!strcmp(what, "fork")) {
		child();
	} else {
		for (unsigned i = 0; i < 5; i++)
			sum += loop(n / 5) + big(i);
		printf("%u\n", sum);
	}
	return 0;
}
