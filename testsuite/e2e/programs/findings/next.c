/*
 * Nothing that a rule is for: a thread computes for 2 ms, and main waits for it. argv[1]:
 *   short  main also sleeps for 50 us, and waits for a condition for a second and a half
 *   long   main also sleeps for 200 ms
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noipa))

static volatile unsigned sink;

KEEP static void work(void)
{
	for (unsigned i = 0; i < 600000; i++)
		sink = sink * 1664525u + i;
}

KEEP static void *begin(void *arg)
{
	work();
	return arg;
}

KEEP static void nap(unsigned us)
{
	usleep(us);
}

KEEP static void wait_for_nobody(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 1;
	end.tv_nsec = 500000000;
	pthread_mutex_lock(&lock);
	while (!pthread_cond_timedwait(&condition, &lock, &end))
		;
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
	int is_long = argc > 1 && !strcmp(argv[1], "long");
	pthread_t thread;

	if (pthread_create(&thread, NULL, begin, NULL))
		return 1;
	nap(is_long ? 200000 : 50);
	if (!is_long)
		wait_for_nobody();
	return pthread_join(thread, NULL);
}
