/*
 * A timer that fires argv[1] times a second at a program that calls all the time; the handler has
 * probes and calls. Writes how often the handler and the work ran to the file argv[2].
 */
#include "../trees/e2e.h"
#include <signal.h>
#include <string.h>
#include <time.h>

static volatile long handled, worked;

KEEP static int inner(int x)
{
	return x + 1;
}

KEEP static int work(int x)
{
	return inner(x) + inner(x + 1);
}

KEEP static void in_handler(void)
{
	handled++;
}

KEEP static void handler(int signal_number)
{
	(void)signal_number;
	in_handler();
	in_handler();
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	struct itimerspec spec = { 0 };
	struct sigaction action = { 0 };
	timer_t timer;
	int hertz = atoi(argv[1]);
	double end;
	FILE *file;

	(void)argc;
	action.sa_handler = handler;
	action.sa_flags = SA_RESTART;
	sigaction(SIGRTMIN, &action, NULL);
	timer_create(CLOCK_MONOTONIC,
		     &(struct sigevent){ .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN }, &timer);
	spec.it_interval.tv_nsec = spec.it_value.tv_nsec = 1000000000 / hertz;
	timer_settime(timer, 0, &spec, NULL);
	/* For a second, and until there were some: a busy machine takes signals together. */
	for (end = now() + 1; now() < end || (handled / 2 <= hertz / 5 && now() < end + 30);)
		for (int i = 0; i < 10000; i++, worked++)
			sink = work(sink & 0xff);
	timer_delete(timer);
	file = fopen(argv[2], "w");
	fprintf(file, "%ld %ld\n", handled / 2, worked);
	fclose(file);
	puts("end");
	return 0;
}
