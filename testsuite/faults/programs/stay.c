/* Its clocks and calls; for debuggers, tracers and name spaces. argv[1]: milliseconds to call
 * for. */
#include "count.h"

#include <pthread.h>
#include <time.h>

KEEP static int leaf(int x)
{
	entered();
	return x + 1;
}

KEEP static int middle(int x)
{
	entered();
	for (int i = 0; i < 10; i++)
		x = leaf(x);
	return x;
}

PLAIN static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

KEEP static void *outer(void *data)
{
	int x = 0;

	entered();
	for (long end = now() + *(int *)data; now() < end;)
		x = middle(x & 0xff);
	middle(x);
	return data;
}

int main(int argc, char **argv)
{
	int milliseconds = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t thread;

	entered();
	pthread_create(&thread, NULL, outer, &milliseconds);
	outer(&milliseconds);
	pthread_join(thread, NULL);
	puts("end");
	return 0;
}
