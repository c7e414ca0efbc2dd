/* Four threads with names; each has a tree of its own, added up here. */
#include "e2e.h"
#include <pthread.h>

KEEP static int step(int x)
{
	return x * 3 + 1;
}

KEEP static int work(int n)
{
	int x = 0;

	for (int i = 0; i < n; i++)
		x = step(x) & 0xff;
	return x;
}

KEEP static void *thread_main(void *arg)
{
	char name[16];

	snprintf(name, sizeof(name), "worker-%d", *(int *)arg);
	pthread_setname_np(pthread_self(), name);
	*(int *)arg = work(1000);
	return NULL;
}

int main(void)
{
	pthread_t threads[4];
	int values[4] = { 0, 1, 2, 3 };

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread_main, &values[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d\n", values[0], values[3], work(10));
	return 0;
}
