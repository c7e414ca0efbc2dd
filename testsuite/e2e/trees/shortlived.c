/* 200 threads in turn, and 20 detached ones. */
#include "e2e.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t done;

KEEP static int work(int x)
{
	return x + 1;
}

KEEP static void *joined(void *arg)
{
	*(int *)arg = work(*(int *)arg);
	return NULL;
}

KEEP static void *detached(void *arg)
{
	(void)arg;
	sink = work(1);
	sem_post(&done);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	pthread_attr_t attr;
	int x = 0;

	for (int i = 0; i < 200; i++) {
		pthread_create(&thread, NULL, joined, &x);
		pthread_join(thread, NULL);
	}
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sem_init(&done, 0, 0);
	for (int i = 0; i < 20; i++) {
		pthread_create(&thread, &attr, detached, NULL);
		sem_wait(&done);
	}
	printf("%d\n", x);
	return 0;
}
