/* Functions that a limit on overhead counts, and each counts itself. Argument: what to do. Prints
 * how often each was called, for each process a block of lines. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cinstr.h"

#define APART __attribute__((noinline, noclone, noipa))
#define N 150000
#define FUNCTIONS(F) F(leaf) F(middle) F(deep) F(jumps) F(catches) F(tailed) F(tails) F(waits) F(handler) F(nested) F(callback)
#define COUNT(function) __atomic_fetch_add(&calls_of.function, 1, __ATOMIC_RELAXED)

static struct {
#define FIELD(function) unsigned long function;
	FUNCTIONS(FIELD)
} calls_of;
static jmp_buf out;
static volatile unsigned sink;

static void tell(void)
{
#define LINE(function) dprintf(1, #function " %lu\n", calls_of.function);
	FUNCTIONS(LINE)
	memset(&calls_of, 0, sizeof(calls_of));
}

APART unsigned leaf(unsigned x)
{
	COUNT(leaf);
	return x * 2654435761u ^ x >> 3;
}

APART unsigned middle(unsigned x)
{
	COUNT(middle);
	return leaf(x) + leaf(x + 1);
}

APART unsigned deep(unsigned depth)
{
	COUNT(deep);
	return depth ? deep(depth - 1) + leaf(depth) : 1;
}

APART void jumps(unsigned x)
{
	COUNT(jumps);
	if (leaf(x) | 1)
		longjmp(out, 1);
}

APART void catches(unsigned x)
{
	COUNT(catches);
	if (!setjmp(out))
		jumps(x);
	sink++;
}

APART unsigned tailed(unsigned x)
{
	COUNT(tailed);
	return x + 1;
}

APART unsigned tails(unsigned x)
{
	COUNT(tails);
	return tailed(x * 3);
}

APART int waits(int fd, unsigned x)
{
	char c = (char)x;

	COUNT(waits);
	return (int)write(fd, &c, 1) + (int)leaf(x);
}

APART int callback(const void *a, const void *b)
{
	COUNT(callback);
	return *(const int *)a - *(const int *)b;
}

APART void handler(int signal)
{
	COUNT(handler);
	(void)signal;
	sink += middle(sink);
}

/* Called with r10 live: the static chain. */
APART unsigned chained(unsigned n)
{
	unsigned sum = 0;
	auto unsigned nested(unsigned);

	APART unsigned nested(unsigned x)
	{
		COUNT(nested);
		sum += leaf(x);
		return sum;
	}
	for (unsigned i = 0; i < n; i++)
		nested(i);
	return sum;
}

APART void work(unsigned n)
{
	unsigned s = 0;

	for (unsigned i = 0; i < n; i++)
		s += middle(i);
	sink += s;
}

APART void all(void)
{
	static int numbers[1000];
	int (*volatile closes)(int) = close; /* how often is not known */
	int fd = open("/dev/null", O_WRONLY);

	work(N);
	for (unsigned i = 0; i < N / 50; i++)
		sink += deep(50);
	for (unsigned i = 0; i < N / 4; i++)
		catches(i);
	for (unsigned i = 0; i < N; i++)
		sink += tails(i);
	for (unsigned i = 0; i < N / 4; i++)
		waits(fd, i);
	chained(4 * N); /* long enough for nested to be counted */
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 1000; i++)
			numbers[i] = (i * 7919) % 1000;
		qsort(numbers, 1000, sizeof(*numbers), callback);
	}
	closes(fd);
}

static void *threads_work(void *arg)
{
	work(*(unsigned *)arg);
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
	struct itimerval timer = { { 0, 200 }, { 0, 200 } }, none = { 0 };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	all();
	in_threads(4, N);
	setitimer(ITIMER_REAL, &none, NULL);
}

static void prepare(void)
{
	work(10);
}

static void begin_child(void)
{
	memset(&calls_of, 0, sizeof(calls_of));
	work(10);
}

static pid_t raw_fork(void)
{
	pid_t pid = _Fork();

	if (!pid)
		memset(&calls_of, 0, sizeof(calls_of));
	return pid;
}

static void with_children(pid_t (*make)(void))
{
	int is_child = 0;

	work(N);
	for (int i = 0; i < 3; i++) {
		pid_t pid = make();

		if (!pid) {
			is_child = 1;
			work(1000);
			continue;
		}
		work(100);
		waitpid(pid, NULL, 0);
	}
	tell();
	if (is_child)
		_exit(0);
}

/* A vfork child's calls are no one's. */
static void with_vfork(void)
{
	work(N);
	for (int i = 0; i < 3; i++) {
		pid_t pid = vfork();

		if (!pid) {
			sink += middle(sink) + middle(1);
			_exit(0);
		}
		work(100);
		waitpid(pid, NULL, 0);
		calls_of.middle -= 2;
		calls_of.leaf -= 4;
	}
}

static void off_and_on(void)
{
	unsigned long leaves, middles;

	work(N);
	for (int i = 0; i < 10; i++) {
		cinstr_stop(CINSTR_THREAD, CINSTR_SELF);
		leaves = calls_of.leaf, middles = calls_of.middle;
		work(1000);
		calls_of.leaf = leaves, calls_of.middle = middles;
		cinstr_start(CINSTR_THREAD, CINSTR_SELF);
		work(100);
		cinstr_suspend(CINSTR_PROCESS, CINSTR_SELF);
		leaves = calls_of.leaf, middles = calls_of.middle;
		work(1000);
		calls_of.leaf = leaves, calls_of.middle = middles;
		cinstr_resume(CINSTR_PROCESS, CINSTR_SELF);
		work(100);
	}
}

static void with_library(void)
{
	for (int i = 0; i < 6; i++) {
		void *library = dlopen("./libcounting.so", RTLD_NOW);
		unsigned (*in_library)(unsigned, unsigned) = (unsigned (*)(unsigned, unsigned))dlsym(library, "in_library");

		sink += in_library(N, (unsigned)i);
		dlclose(library);
	}
	work(N);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "all"))
		all();
	else if (!strcmp(what, "threads"))
		in_threads(8, N / 2);
	else if (!strcmp(what, "many"))
		for (int i = 0; i < 60; i++)
			in_threads(8, 4000);
	else if (!strcmp(what, "signals"))
		with_signals();
	else if (!strcmp(what, "fork")) {
		pthread_atfork(prepare, prepare, begin_child);
		with_children(fork);
	} else if (!strcmp(what, "_Fork"))
		with_children(raw_fork);
	else if (!strcmp(what, "vfork"))
		with_vfork();
	else if (!strcmp(what, "control"))
		off_and_on();
	else if (!strcmp(what, "library"))
		with_library();
	else if (!strcmp(what, "kill"))
		all();
	tell();
	if (!strcmp(what, "kill"))
		raise(SIGKILL);
	return 0;
}
