/*
 * Ends in the way that argv[1] names, with frames open. Compiled without knowing what the functions
 * of libc do. Each way is a row of `ways`.
 */
#include "count.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

KEEP PLAIN static void *nothing(void)
{
	return NULL;
}

PLAIN static void by_segv(void)
{
	*(volatile int *)nothing() = 1;
}

PLAIN static void by_bus(void)
{
	int fd = open("empty", O_RDWR | O_CREAT, 0666);

	*(volatile int *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) = 1;
}

PLAIN static void by_ill(void)
{
	__asm__ volatile("ud2");
}

PLAIN static void by_fpe(void)
{
	sink = 1 / (sink - sink);
}

PLAIN static void by__exit(void)
{
	_exit(4);
}

PLAIN static void by_quick_exit(void)
{
	quick_exit(5);
}

PLAIN static void by_exit(void)
{
	exit(3);
}

PLAIN static void by_pthread_exit(void)
{
	pthread_exit(NULL);
}

PLAIN static void by_kill_group(void)
{
	kill(0, SIGKILL);
}

PLAIN static void by_sigterm(void)
{
	raise(SIGTERM);
}

KEEP static int step(int x)
{
	entered();
	return x + 1;
}

KEEP static void *exit_here(void *data)
{
	entered();
	sink = step(sink);
	exit(7);
	return data;
}

PLAIN static void by_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, exit_here, NULL);
	pthread_join(thread, NULL);
}

static const struct {
	const char *name;
	void (*end)(void);
} ways[] = {
	{ "SIGSEGV", by_segv },
	{ "SIGBUS", by_bus },
	{ "SIGILL", by_ill },
	{ "SIGFPE", by_fpe },
	{ "abort", abort },
	{ "_exit", by__exit },
	{ "quick_exit", by_quick_exit },
	{ "exit", by_exit },
	{ "exit from a thread", by_thread },
	{ "pthread_exit in main", by_pthread_exit },
	{ "SIGTERM", by_sigterm },
	{ "kill of the group", by_kill_group },
};

PLAIN static void end(const char *how)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(how, ways[i].name))
			ways[i].end();
}

KEEP static void outer(const char *how)
{
	entered();
	for (int i = 0; i < 1000; i++)
		sink = step(sink);
	end(how);
}

int main(int argc, char **argv)
{
	(void)argc;
	entered();
	puts("begin");
	fflush(stdout);
	outer(argv[1]);
	return 6;
}
