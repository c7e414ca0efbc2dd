/*
 * Works until its input ends, then says how much: what is recorded of it is steered from outside.
 *
 *   loop N     N threads that do nothing but call
 *   sleep      calls step() every 20 ms
 *   asleep     calls step() when its input ends, and sleeps until then
 *   churn      threads that come and go, four at a time
 *   paths N    one thread with 2^N call paths
 *   forks      forks children that make calls and end, two at a time
 */
#include "../trees/e2e.h"
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int over;
static volatile long work_done;

KEEP static void leaf(int n)
{
	sink += n;
}

KEEP static void middle(int n)
{
	leaf(n);
	leaf(n + 1);
}

KEEP static void deep(int n)
{
	if (n)
		deep(n - 1);
	middle(n);
}

KEEP static void step(void)
{
	leaf(1);
	work_done++;
}

static int input_has_ended(int wait_ms)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };

	return poll(&input, 1, wait_ms) > 0;
}

static void *loop(void *arg)
{
	while (!over) {
		deep(20);
		step();
	}
	return arg;
}

static void loops(int n)
{
	pthread_t threads[200];

	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, loop, NULL);
	while (!input_has_ended(50))
		;
	over = 1;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

KEEP static void right(unsigned path, int n);
KEEP static void left(unsigned path, int n)
{
	sink++;
	if (n)
		(path & 1 ? left : right)(path >> 1, n - 1);
}

KEEP static void right(unsigned path, int n)
{
	sink += 2;
	if (n)
		(path & 1 ? left : right)(path >> 1, n - 1);
}

static void *few_paths(void *arg)
{
	for (unsigned i = 0; i < 200; i++)
		left(i, 8);
	return arg;
}

static void churn(void)
{
	pthread_t threads[4];

	while (!input_has_ended(0)) {
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, few_paths, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		step();
	}
}

static void paths(int n)
{
	for (unsigned i = 0; !(i & 0xff) ? !input_has_ended(0) : 1; i++)
		left(i, n);
	step();
}

static void forks(void)
{
	while (!input_has_ended(50)) {
		for (int i = 0; i < 2; i++)
			if (!fork()) {
				few_paths(NULL);
				_exit(0);
			}
		while (wait(NULL) > 0)
			;
		step();
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "sleep";
	int n = argc > 2 ? atoi(argv[2]) : 1;

	alarm(300); /* whoever steers may be gone */
	puts("ready");
	fflush(stdout);
	if (!strcmp(how, "loop"))
		loops(n);
	else if (!strcmp(how, "churn"))
		churn();
	else if (!strcmp(how, "paths"))
		paths(n);
	else if (!strcmp(how, "forks"))
		forks();
	else if (!strcmp(how, "asleep"))
		input_has_ended(-1);
	else
		while (!input_has_ended(20))
			step();
	step();
	puts(work_done > 0 ? "worked" : "idle");
	return 0;
}
