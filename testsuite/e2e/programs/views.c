/* What the views of a session must show: counts and waits that are known. Each thread: 30
 * rounds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 30
#define THREADS 3

#define APART __attribute__((noinline, noclone))

static volatile unsigned sink;

APART static unsigned leaf(unsigned n)
{
	for (unsigned i = 0; i < 200; i++)
		sink += i ^ n;
	return sink;
}

APART static unsigned hot(unsigned n)
{
	for (unsigned i = 0; i < 40000; i++)
		sink += i * n;
	return leaf(n); /* 30 a thread */
}

APART static unsigned odd(unsigned n);

APART static unsigned even(unsigned n)
{
	unsigned below = n ? odd(n - 1) : leaf(n); /* 30 a thread */

	return below + 1;
}

APART static unsigned odd(unsigned n)
{
	return n ? even(n - 1) + 1 : 0;
}

APART static unsigned deeper(unsigned n)
{
	return n ? deeper(n - 1) + 1 : leaf(n); /* 30 a thread */
}

static int compare(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

APART static void sorting(void)
{
	char text[] = "the quick brown fox";

	qsort(text, strlen(text), 1, compare);
	sink += (unsigned char)text[3];
}

APART static void waiting(void)
{
	usleep(2000); /* waits */
}

APART static void *work(void *arg)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		hot(i); /* hot */
		even(10);
		deeper(5);
		sorting();
		leaf(i); /* leaf directly */
	}
	for (int i = 0; i < 5; i++)
		waiting();
	return arg;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 0;
}
