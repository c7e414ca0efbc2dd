/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads with and without names, and what they call: leaf() 10 times in each of two workers, 5
 * times in the producer, which gives itself a name, and once in main. "again": a child executes the
 * program once more. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int leaf(int n)
{
	volatile int x = n;

	return x;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void *worker(void *arg)
{
	int numbers[8] = { 5, 3, 8, 1, 9, 2, 7, 4 };

	for (int i = 0; i < 10; i++)
		leaf(i);
	qsort(numbers, 8, sizeof(int), compare);
	return arg;
}

__attribute__((noinline)) static void *producer(void *arg)
{
	pthread_setname_np(pthread_self(), "filler");
	for (int i = 0; i < 5; i++)
		leaf(i);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "again") && !fork()) {
			execl(argv[0], argv[0], "once", "more", (char *)NULL);
			_exit(1);
		}
	leaf(0);
	pthread_create(&threads[0], NULL, worker, NULL);
	pthread_create(&threads[1], NULL, worker, NULL);
	pthread_create(&threads[2], NULL, producer, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	while (wait(NULL) > 0)
		;
	return 0;
}
