/*
 * Makes children that end by exit(), while another thread goes through the loaded objects and so
 * holds the dynamic loader's lock most of the time.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 40

__attribute__((noinline)) static int work(int x)
{
	for (volatile int i = 0; i < 30; i++)
		x += i;
	return x;
}

static int linger(struct dl_phdr_info *info, size_t size, void *data)
{
	usleep(100);
	return 0;
}

static void *iterate(void *data)
{
	for (;;)
		dl_iterate_phdr(linger, NULL);
	return NULL;
}

static int forks(void)
{
	int good = 0;

	for (int i = 0; i < CHILDREN; i++) {
		int status = -1;
		pid_t child = fork();

		if (!child)
			exit(work(i) % 5);
		waitpid(child, &status, 0);
		good += WIFEXITED(status) && WEXITSTATUS(status) == (435 + i) % 5;
		usleep(500);
	}
	return good;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, iterate, NULL);
	printf("%d children\n", forks());
	printf("%d\n", work(1));
	fflush(stdout);
	_exit(3);
}
