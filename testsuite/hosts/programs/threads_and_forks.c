/* A thread that ends, a child that calls, and an exit status: what the runtime asks of libc. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int work(int x)
{
	for (volatile int i = 0; i < 30; i++)
		x += i;
	return x;
}

static void *run(void *data)
{
	return (void *)(long)work(1);
}

int main(void)
{
	pthread_t thread;
	void *result;
	int status = 0;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, &result);
	if (!fork())
		exit(work(2) - 430);
	wait(&status);
	printf("%ld %d\n", (long)result, WEXITSTATUS(status));
	return 5;
}
