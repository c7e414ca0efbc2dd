/* What is recorded by probes and sampled at once. mixed WHAT: spin MS; probes MS: small functions;
 * tree MS: threads, a child, and what that execs; status N; wait: until a signal comes. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOIPA __attribute__((noipa))

volatile unsigned long sink;

static double processor_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

NOIPA void spin(double ms)
{
	for (double end = processor_ms() + ms; processor_ms() < end;)
		for (int i = 0; i < 10000; i++)
			sink += i;
}

NOIPA unsigned leaf(unsigned x)
{
	return x * 2654435761u ^ x >> 7;
}

NOIPA unsigned deep(unsigned n)
{
	return n ? deep(n - 1) + leaf(n) : 1;
}

NOIPA unsigned indirect(unsigned (*f)(unsigned), unsigned x)
{
	return f(x);
}

NOIPA unsigned jumps(unsigned x)
{
	return leaf(x + 1);
}

NOIPA void many(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += leaf(i) + deep(8) + indirect(leaf, i) + jumps(i);
}

NOIPA void probes(double ms)
{
	for (double end = processor_ms() + ms; processor_ms() < end;)
		many(1000);
}

static void *thread(void *ms)
{
	spin(*(double *)ms);
	return NULL;
}

static void tree(char *self, double ms, char *text)
{
	pthread_t other;
	int status;

	pthread_create(&other, NULL, thread, &ms);
	spin(ms);
	pthread_join(other, NULL);
	if (!fork()) {
		spin(ms);
		execl(self, self, "spin", text, NULL);
		_exit(9);
	}
	wait(&status);
}

static void on_signal(int number)
{
	(void)number;
	_exit(5);
}

int main(int argc, char **argv)
{
	double ms = argc > 2 ? atof(argv[2]) : 0;

	if (argc < 2)
		return 1;
	if (!strcmp(argv[1], "spin"))
		spin(ms);
	if (!strcmp(argv[1], "probes"))
		probes(ms);
	if (!strcmp(argv[1], "tree"))
		tree(argv[0], ms, argv[2]);
	if (!strcmp(argv[1], "status"))
		return atoi(argv[2]);
	if (!strcmp(argv[1], "wait")) {
		signal(SIGTERM, on_signal);
		puts("waits");
		fflush(stdout);
		for (;;)
			pause();
	}
	return 0;
}
