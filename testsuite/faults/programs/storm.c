/*
 * Signals while the program calls. argv[1], and its number of signals a second in argv[2]:
 *   plain     a timer; its handler has probes
 *   stack     the same on an alternate stack
 *   nested    two timers whose handlers interrupt each other and themselves
 *   threads   three threads that call, and get the signals in turn
 *   overflow  argv[2] times: a stack overflow, handled on the alternate stack, left by siglongjmp
 */
#include "count.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <time.h>

#define SECONDS 0.5
#define MANY 100
#define PATIENCE 20 /* seconds, for so many: a busy machine takes signals together */

static volatile long handled;

KEEP static int in_handler(int x)
{
	entered();
	return x + 1;
}

KEEP static void handler(int number)
{
	entered();
	sink = in_handler(number);
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

KEEP static int leaf(int x)
{
	entered();
	return x + 1;
}

KEEP static int work(int x)
{
	entered();
	return leaf(x) + leaf(x + 1);
}

PLAIN static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

KEEP static void *caller(void *data)
{
	entered();
	for (double end = now() + SECONDS; now() < end || (handled <= MANY && now() < end + PATIENCE);)
		for (int i = 0; i < 1000; i++)
			sink = work(sink & 0xff);
	return data;
}

PLAIN static void timer(int number, int flags, int hertz)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART | flags };
	struct itimerspec spec = { .it_interval.tv_nsec = 1000000000 / hertz, .it_value.tv_nsec = 1000000 };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = number };
	timer_t timer;

	sigaction(number, &action, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &spec, NULL);
}

PLAIN static void alternate(void)
{
	stack_t stack = { .ss_sp = malloc(64 << 10), .ss_size = 64 << 10 };

	sigaltstack(&stack, NULL);
}

static sigjmp_buf back;

KEEP static void on_overflow(int number)
{
	entered();
	handled++;
	sink = in_handler(number);
	siglongjmp(back, 1);
}

KEEP static long deep(long x)
{
	volatile char place[200];

	entered();
	place[0] = (char)x;
	return deep(x + 1) + place[0];
}

KEEP static void overflow(int times)
{
	struct sigaction action = { .sa_handler = on_overflow, .sa_flags = SA_ONSTACK };

	entered();
	alternate();
	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < times; i++)
		if (!sigsetjmp(back, 1))
			deep(0);
	sink = leaf(sink);
	printf("%ld\n", handled);
}

PLAIN static void storm(const char *how, int hertz)
{
	int nested = !strcmp(how, "nested"), threads = !strcmp(how, "threads");
	pthread_t thread[3];

	if (!strcmp(how, "stack"))
		alternate();
	timer(SIGRTMIN, nested ? SA_NODEFER : !strcmp(how, "stack") ? SA_ONSTACK : 0, hertz);
	if (nested)
		timer(SIGRTMIN + 1, SA_NODEFER, hertz / 3);
	for (int i = 0; i < 3 && threads; i++)
		pthread_create(&thread[i], NULL, caller, NULL);
	caller(NULL);
	for (int i = 0; i < 3 && threads; i++)
		pthread_join(thread[i], NULL);
	signal(SIGRTMIN, SIG_IGN);
	signal(SIGRTMIN + 1, SIG_IGN);
	puts(handled > MANY ? "many" : "few");
}

int main(int argc, char **argv)
{
	(void)argc;
	entered();
	if (!strcmp(argv[1], "overflow"))
		overflow(atoi(argv[2]));
	else
		storm(argv[1], atoi(argv[2]));
	return 0;
}
