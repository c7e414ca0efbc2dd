/* One bug for each sanitizer, some calls deep. argv[1]: none, heap, overflow, race. */
#include "../trees/e2e.h"
#include <pthread.h>
#include <string.h>

static int shared;

KEEP static int leaf(int x)
{
	return x & 0xff;
}

KEEP static void write_behind(char *p, int n)
{
	p[n] = (char)leaf(n);
}

KEEP static int heap(int n)
{
	char *p = malloc((size_t)n);
	int x;

	write_behind(p, n);
	x = leaf(p[0]);
	free(p);
	return x;
}

KEEP static int overflow(int x)
{
	return leaf(x + 0x7ffffff0);
}

KEEP static void *racer(void *arg)
{
	for (int i = 0; i < 1000; i++)
		shared += leaf(i);
	return arg;
}

KEEP static int race(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, racer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return shared != 0;
}

int main(int argc, char **argv)
{
	const char *bug = argc > 1 ? argv[1] : "none";
	int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += leaf(i);
	if (!strcmp(bug, "heap"))
		sum += heap(10);
	if (!strcmp(bug, "overflow"))
		sum += overflow(100);
	if (!strcmp(bug, "race"))
		sum += race();
	printf("%s %d\n", bug, sum);
	return 0;
}
