/* What is executed before the first event (a small constructor), by a thread, and by a child. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sum;

__attribute__((constructor)) static void before(void)
{
	sum += 3;
}

__attribute__((noinline)) void work(int n)
{
	for (int i = 0; i < n; i++)
		sum += i;
}

static void *run(void *data)
{
	work(20);
	return data;
}

int main(void)
{
	pthread_t thread;

	work(10);
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	if (!fork()) {
		work(30);
		_exit(0);
	}
	wait(NULL);
	printf("%d\n", sum);
	return 0;
}
