/* Threads one behind another and at once, each with calls that are recorded. */
#include <pthread.h>

#define THREADS 3

__attribute__((noinline)) static int step(int x)
{
	for (volatile int i = 0; i < 20; i++)
		x += i;
	return x;
}

static void *run(void *data)
{
	volatile int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += step(i);
	return data;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, run, NULL);
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	return 0;
}
