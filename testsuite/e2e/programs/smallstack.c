/* A thread's first event on a small alternate stack: what lies below that stack stays as it is. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BELOW 8192
#define KEEP __attribute__((noinline, noclone))
#define UNSEEN __attribute__((no_instrument_function))

static volatile int sink;

KEEP static void work(void)
{
	sink++;
}

UNSEEN static void handler(int signal)
{
	(void)signal;
	work();
}

UNSEEN static void *thread(void *unused)
{
	size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 2048;
	char *memory = malloc(BELOW + size);
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_sp = memory + BELOW, .ss_size = size };
	long touched = 0;

	(void)unused;
	memset(memory, 0x5a, BELOW);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	pthread_kill(pthread_self(), SIGUSR1);
	for (int i = 0; i < BELOW; i++)
		touched += memory[i] != 0x5a;
	return (void *)touched;
}

int main(void)
{
	pthread_t t;
	void *touched;

	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, &touched);
	return touched ? 1 : 0;
}
