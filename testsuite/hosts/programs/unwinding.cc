/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that unwind their own stacks at any moment: cancelled threads, stacks taken in handlers,
 * exceptions out of handlers. Each prints the same whatever the moment is, unless a stack could not
 * be unwound.
 */
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))
#define PLAIN __attribute__((noinline, no_instrument_function))
#ifndef LIBRARY_PATH
#define LIBRARY_PATH ""
#endif
#ifndef FOLDER
#define FOLDER ""
#endif

static std::atomic<long> pushed, popped, built, gone, taken, whole;
struct table {
	int (*function)(int);
};
static struct table *volatile functions;

KEEP static int leaf(int x)
{
	for (volatile int i = 0; i < 3; i++)
		x += i;
	return x;
}

KEEP static int middle(int x)
{
	return leaf(x) + functions->function(x + 1) + 1;
}

/* Aligned: what lies in front of it is no function's, and no unwinder knows it. */
extern "C" KEEP __attribute__((aligned(64))) int work(int n)
{
	static struct table real = { leaf };
	int sum = 0;

	functions = &real;
	for (int i = 0; i < n; i++)
		sum += middle(i);
	return sum;
}

#ifndef LIBRARY
struct object {
	KEEP object()
	{
		built++;
	}
	KEEP ~object()
	{
		gone++;
	}
};

static void clean_up(void *)
{
	popped++;
}

/*
 * Is cancelled somewhere in here, a function without cleanups and without calls that are noexcept,
 * as std::atomic's: GCC's tables cover what may throw, and in a function that has any,
 * std::terminate follows everywhere else.
 */
__attribute__((noipa)) static void work_for_ever(volatile int *ready)
{
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	*ready = 1;
	for (;;)
		work(1000);
}

KEEP static void *cancelled(void *ready)
{
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	object here;
	pushed++;
	pthread_cleanup_push(clean_up, nullptr);
	work_for_ever((volatile int *)ready);
	pthread_cleanup_pop(1);
	return nullptr;
}

static int cancel()
{
	long joined = 0;

	for (int i = 0; i < 100; i++) {
		volatile int ready = 0;
		pthread_t thread;
		void *result;

		pthread_create(&thread, nullptr, cancelled, (void *)&ready);
		while (!ready)
			sched_yield();
		usleep(200 + rand() % 500); /* it is at work then */
		pthread_cancel(thread);
		pthread_join(thread, &result);
		joined += result == PTHREAD_CANCELED;
	}
	printf("%ld cancelled, %ld of %ld cleaned up, %ld of %ld objects are gone\n", joined, (long)popped,
	       (long)pushed, (long)gone, (long)built);
	return 0;
}

static void *top_of_thread(void *);
static void *(*volatile top)(void *) = top_of_thread; /* whose frame each stack has to have */

PLAIN static void take(int)
{
	void *stack[64];
	int n = backtrace(stack, 64), found = 0;

	for (int i = 0; i < n; i++)
		found |= (char *)stack[i] >= (char *)top && (char *)stack[i] < (char *)top + 200;
	taken++;
	whole += found;
}

__attribute__((noinline, noclone)) static void *top_of_thread(void *data)
{
	volatile long sum = 0;

	while (taken < (long)data)
		sum = sum + work(2000);
	return nullptr;
}

static void watch(int flags)
{
	struct sigaction action = {};
	void *stack[4];

	backtrace(stack, 4); /* loads what it needs */
	action.sa_handler = take;
	action.sa_flags = SA_RESTART | flags;
	sigaction(SIGPROF, &action, nullptr);
}

static int take_stacks()
{
	struct itimerval timer = { { 0, 1000 }, { 0, 1000 } };

	watch(0);
	setitimer(ITIMER_PROF, &timer, nullptr);
	top_of_thread((void *)200);
	timer = {};
	setitimer(ITIMER_PROF, &timer, nullptr);
	puts(whole == taken ? "all stacks are whole" : "not all stacks are whole");
	return 0;
}

static void *timed_thread(void *data)
{
	struct sigevent event = {};
	struct itimerspec often = { { 0, 200000 }, { 0, 200000 } }, never = {};
	timer_t timer;

	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = SIGPROF;
	event._sigev_un._tid = (int)syscall(SYS_gettid);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	top_of_thread(nullptr);
	timer_settime(timer, 0, &often, nullptr);
	top_of_thread(data);
	timer_settime(timer, 0, &never, nullptr);
	return nullptr;
}

static int take_in_threads()
{
	pthread_t threads[4];

	watch(0);
	/* a handler may run outside of top_of_thread(): only that nothing crashes counts */
	for (pthread_t &thread : threads)
		pthread_create(&thread, nullptr, timed_thread, (void *)4000);
	for (pthread_t &thread : threads)
		pthread_join(thread, nullptr);
	puts("done");
	return 0;
}

/* The call of work() is the first that the thread records: much is done in its probe. */
PLAIN static void *first_of_thread(void *ready)
{
	long before = taken;

	*(volatile int *)ready = 1;
	work(2);
	while (taken == before)
		sched_yield();
	return nullptr;
}

static int take_in_first_probes()
{
	top = first_of_thread;
	watch(0);
	for (int i = 0; i < 500; i++) {
		volatile int ready = 0;
		pthread_t thread;

		pthread_create(&thread, nullptr, first_of_thread, (void *)&ready);
		while (!ready)
			;
		pthread_kill(thread, SIGPROF);
		pthread_join(thread, nullptr);
	}
	puts(whole == taken ? "all stacks are whole" : "not all stacks are whole");
	return 0;
}

static int thrown;

PLAIN static void throw_out(int)
{
	throw 7;
}

/* An exception out of a fault's handler: the call in the try block is where it faults. */
static int throw_through()
{
	struct sigaction action = {};

	action.sa_handler = throw_out;
	action.sa_flags = SA_NODEFER;
	sigaction(SIGSEGV, &action, nullptr);
	for (int i = 0; i < 50; i++) {
		object here;

		try {
			work(10);
			functions = nullptr;
			thrown += middle(i);
		} catch (int number) {
			thrown += number;
		}
	}
	printf("%d thrown, %ld of %ld objects are gone\n", thrown, (long)gone, (long)built);
	return 0;
}

static volatile int handled;

static void handle(int)
{
	handled = handled + leaf(1) - leaf(1) + 1;
}

static int on_small_stack(const char *more)
{
	size_t size = getauxval(51 /* AT_MINSIGSTKSZ */) + (size_t)atoi(more),
	       rounded = (size + 4095) & ~(size_t)4095;
	char *memory = (char *)mmap(nullptr, rounded + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = {};
	struct sigaction action = {};

	mprotect(memory + 4096, rounded, PROT_READ | PROT_WRITE);
	stack.ss_sp = memory + 4096 + rounded - size;
	stack.ss_size = size;
	sigaltstack(&stack, nullptr);
	action.sa_handler = handle;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, nullptr);
	for (int i = 0; i < 1000; i++)
		raise(SIGUSR1);
	printf("%d\n", handled);
	return 0;
}

static int open_libraries()
{
	int n = 0;

	for (int i = 0; i < 30; i++) {
		char path[512];

		snprintf(path, sizeof(path), "%s/lib%d.so", FOLDER, i);
		n += dlopen(path, RTLD_NOW) != nullptr;
	}
	printf("%d libraries, %d\n", n, work(3));
	if (*LIBRARY_PATH)
		printf("%d\n", ((int (*)(int))dlsym(dlopen(LIBRARY_PATH, RTLD_NOW), "work"))(3));
	return 0;
}

/* With threads that have been in the library before it is closed, and go on. */
static std::atomic<int> phase;

static void *guest(void *function)
{
	((int (*)(int))function)(1000);
	phase++;
	while (phase < 100)
		usleep(100);
	return nullptr;
}

static int open_later()
{
	long sum = 0;

	for (int i = 0; i < 20; i++) {
		void *library = dlopen(LIBRARY_PATH, RTLD_NOW);
		int (*function)(int) = (int (*)(int))dlsym(library, "work");
		pthread_t threads[3];

		phase = 0;
		for (pthread_t &thread : threads)
			pthread_create(&thread, nullptr, guest, (void *)function);
		while (phase < 3)
			usleep(100);
		sum += function(100);
		dlclose(library);
		phase = 100;
		for (pthread_t &thread : threads)
			pthread_join(thread, nullptr);
	}
	printf("%ld\n", sum);
	return 0;
}

extern "C" PLAIN void before_steps()
{
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "cancel"))
		return cancel();
	if (!strcmp(what, "backtrace"))
		return take_stacks();
	if (!strcmp(what, "threads"))
		return take_in_threads();
	if (!strcmp(what, "first"))
		return take_in_first_probes();
	if (!strcmp(what, "throw"))
		return throw_through();
	if (!strcmp(what, "small"))
		return on_small_stack(argv[2]);
	if (!strcmp(what, "variables"))
		return open_libraries();
	if (!strcmp(what, "later"))
		return open_later();
	work(3);
	before_steps();
	return work(2) & 0;
}
#endif
