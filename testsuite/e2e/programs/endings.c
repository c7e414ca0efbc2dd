/* Ends in the middle of three frames, in the way that argv[1] names. */
#include "../trees/e2e.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

KEEP static int step(int x)
{
	return x + 1;
}

KEEP static void finish(const char *how)
{
	if (!strcmp(how, "exit"))
		exit(3);
	if (!strcmp(how, "_exit"))
		_exit(4);
	if (!strcmp(how, "quick_exit"))
		quick_exit(5);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "sigterm"))
		raise(SIGTERM);
	if (!strcmp(how, "sigkill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "segv"))
		*(volatile int *)8 = 1;
	if (!strcmp(how, "pthread_exit"))
		pthread_exit(NULL);
}

KEEP static void outer(const char *how)
{
	for (int i = 0; i < 1000; i++)
		sink = step(sink);
	finish(how);
	sink = step(sink);
}

int main(int argc, char **argv)
{
	(void)argc;
	printf("begin\n");
	fflush(stdout);
	outer(argv[1]);
	return 6;
}
