/* Calls that a limit on overhead counts by site, and each counts itself, by line. Argument: what to
 * do. Prints for each process how often each line with a call came to it: "line callee n". */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <fcntl.h>
#include <unistd.h>

#include "cinstr.h"

#define APART __attribute__((noinline, noclone, noipa))
#define N 60000
#define LINES 400
/* One a line. */
#define CALL(callee, ...) (made(__LINE__, #callee), callee(__VA_ARGS__))

static struct {
	const char *callee;
	unsigned long n;
} lines[LINES], kept[LINES];
static unsigned long entries[2];
static jmp_buf out;
static volatile unsigned sink;
static int null_device;

__attribute__((no_instrument_function, always_inline)) static inline void made(int line, const char *callee)
{
	lines[line].callee = callee;
	__atomic_fetch_add(&lines[line].n, 1, __ATOMIC_RELAXED);
}

/* What they do besides keeps them from being left out as small. */
APART unsigned leaf(unsigned x)
{
	__atomic_fetch_add(&entries[0], 1, __ATOMIC_RELAXED);
	return x * 2654435761u ^ x >> 3;
}

APART unsigned other(unsigned x)
{
	__atomic_fetch_add(&entries[1], 1, __ATOMIC_RELAXED);
	return x * 40503u;
}

APART unsigned middle(unsigned x)
{
	unsigned a = CALL(leaf, x);

	return a + CALL(leaf, x + 1);
}

APART unsigned deep(unsigned depth)
{
	unsigned a = depth ? CALL(deep, depth - 1) : 0;

	return a + CALL(leaf, depth);
}

APART unsigned tails(unsigned x)
{
	if (x & 1)
		return CALL(leaf, x);
	return CALL(other, x);
}

static unsigned (*volatile pointers[])(unsigned) = { leaf, other, tails };

APART unsigned indirect(unsigned x)
{
	unsigned (*pointer)(unsigned) = pointers[x % 3];
	unsigned a = CALL(pointer, x);

	if (a & 1)
		return CALL(pointer, a);
	return a;
}

APART unsigned many(int n, ...)
{
	va_list list;
	double sum = 0;

	va_start(list, n);
	while (n--)
		sum += va_arg(list, double);
	va_end(list);
	return (unsigned)sum;
}

APART unsigned libc(unsigned x)
{
	char text[64], *copy;
	unsigned sum;

	CALL(snprintf, text, sizeof(text), "%u %.1f", x, x / 2.0);
	copy = CALL(strdup, text);
	sum = (unsigned)CALL(strcmp, text, copy);
	if (x % 3)
		CALL(memcpy, text, copy, 4);
	CALL(free, copy);
	return sum + CALL(many, 3, 1.0, 2.0, (double)(x & 7));
}

/* Called with r10 live: the static chain. */
APART unsigned chained(unsigned n)
{
	unsigned sum = 0;
	auto unsigned nested(unsigned);

	APART unsigned nested(unsigned x)
	{
		unsigned a = x % 5 ? 0 : CALL(nested, x + 1);

		sink = a; /* or else it would be a loop */
		sum += CALL(leaf, x);
		return sum;
	}
	for (unsigned i = 0; i < n; i++)
		sum += CALL(nested, i);
	return sum;
}

APART void jumps(unsigned x)
{
	if (CALL(leaf, x) | 1)
		CALL(longjmp, out, 1);
}

APART void catches(unsigned x)
{
	if (!setjmp(out))
		CALL(jumps, x);
	sink++;
}

APART unsigned waits(unsigned x)
{
	char c = (char)x;

	CALL(write, null_device, &c, 1);
	if (x % 16 == 0)
		CALL(syscall, SYS_getppid);
	return CALL(leaf, x);
}

APART int callback(const void *a, const void *b)
{
	return (int)CALL(other, *(const unsigned *)a) - *(const int *)b;
}

APART void handler(int signal)
{
	(void)signal;
	sink += CALL(middle, sink);
}

APART void work(unsigned n)
{
	unsigned s = 0;

	for (unsigned i = 0; i < n; i++)
		s += CALL(middle, i);
	sink += s;
}

APART void all(void)
{
	static int numbers[1000];

	work(N);
	for (unsigned i = 0; i < N / 50; i++)
		sink += CALL(deep, 50);
	for (unsigned i = 0; i < N; i++)
		sink += CALL(tails, i);
	for (unsigned i = 0; i < N; i++)
		sink += CALL(indirect, i);
	for (unsigned i = 0; i < N; i++)
		sink += CALL(libc, i);
	CALL(chained, N);
	for (unsigned i = 0; i < N / 4; i++)
		CALL(catches, i);
	for (unsigned i = 0; i < N / 4; i++)
		sink += CALL(waits, i);
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 1000; i++)
			numbers[i] = (i * 7919) % 1000;
		qsort(numbers, 1000, sizeof(*numbers), callback);
	}
}

static void *threads_work(void *arg)
{
	work(*(unsigned *)arg);
	for (unsigned i = 0; i < *(unsigned *)arg; i++)
		sink += CALL(libc, i) + CALL(indirect, i);
	return NULL;
}

static void in_threads(int n, unsigned calls)
{
	pthread_t threads[16];

	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, threads_work, &calls);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void with_signals(void)
{
	struct itimerval timer = { { 0, 200 }, { 0, 200 } }, none = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	all();
	in_threads(4, N);
	setitimer(ITIMER_REAL, &none, NULL);
}

static void tell(void)
{
	for (int line = 0; line < LINES; line++)
		if (lines[line].n)
			dprintf(1, "%d %s %lu\n", line, lines[line].callee, lines[line].n);
	memset(lines, 0, sizeof(lines));
}

static void with_children(void)
{
	int is_child = 0;

	all();
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (!pid) {
			is_child = 1;
			memset(lines, 0, sizeof(lines));
			work(1000);
			libc(1);
			continue;
		}
		work(100);
		waitpid(pid, NULL, 0);
	}
	tell();
	if (is_child)
		_exit(0);
}

/* What a vfork child calls is no one's. */
static void with_vfork(void)
{
	work(N);
	for (int i = 0; i < 3; i++) {
		pid_t pid;

		memcpy(kept, lines, sizeof(kept));
		pid = vfork();
		if (!pid) {
			sink += middle(sink) + libc(1);
			_exit(0);
		}
		memcpy(lines, kept, sizeof(lines));
		work(100);
		waitpid(pid, NULL, 0);
	}
}

static void off_and_on(void)
{
	all();
	for (int i = 0; i < 10; i++) {
		cinstr_stop(CINSTR_THREAD, CINSTR_SELF);
		memcpy(kept, lines, sizeof(kept));
		work(1000);
		libc(1);
		memcpy(lines, kept, sizeof(lines));
		cinstr_start(CINSTR_THREAD, CINSTR_SELF);
		work(100);
		libc(1);
	}
}

/* Long enough for functions to come back on trial, and to be counted again. */
static void on_trial(void)
{
	struct timespec now, begin;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		all();
		for (int i = 0; i < 40; i++) /* earns credit */
			for (unsigned k = 0; k < 1000000; k++)
				sink += k;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begin.tv_sec < 4);
}

__attribute__((no_instrument_function, noinline)) static int is(const char *a, const char *b)
{
	return !strcmp(a, b);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	null_device = open("/dev/null", O_WRONLY);
	if (is(what, "all"))
		all();
	else if (is(what, "threads"))
		in_threads(8, N / 2);
	else if (is(what, "signals"))
		with_signals();
	else if (is(what, "fork"))
		with_children();
	else if (is(what, "vfork"))
		with_vfork();
	else if (is(what, "control"))
		off_and_on();
	else if (is(what, "trials"))
		on_trial();
	tell();
	return 0;
}
