/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hotpath calls N | state | malloc | handlers N - what probes must not do.
 *   calls N      N calls between two system calls that nobody else makes (close(-1001),
 *                close(-1002))
 *   state        control words, direction flag, errno, signal mask, alternate stack, red zone
 *                across many events of all kinds
 *   malloc       no allocation of the runtime's after the start
 *   handlers N   threads are born and die, also in handlers of signals that interrupt births and
 *                deaths, and handlers fork
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sink;
static atomic_ulong allocations;

__attribute__((noinline)) void work(unsigned i)
{
	sink = i;
}

static void calls(unsigned n)
{
	work(0); /* the thread's first event */
	close(-1001);
	for (unsigned i = 0; i < n; i++)
		work(i);
	close(-1002);
}

/* ---- state ----------------------------------------------------------------------------------- */

struct units {
	uint32_t mxcsr;
	uint16_t x87;
	uint64_t flags;
};

static inline __attribute__((always_inline)) struct units read_units(void)
{
	struct units units;

	__asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(units.mxcsr), "=m"(units.x87));
	__asm__ volatile("pushfq\n\tpop %0" : "=r"(units.flags));
	units.flags &= 0x400 | 0x40000; /* direction, alignment check */
	return units;
}

/* A leaf with its data in the red zone: a handler, or a probe, must not write there. */
__attribute__((noinline)) unsigned long red_zone(unsigned long n)
{
	volatile unsigned long data[12];

	for (unsigned i = 0; i < 12; i++)
		data[i] = n + i;
	for (unsigned i = 0; i < 12; i++)
		n += data[i] == n + i ? 0 : 1;
	return n;
}

static void fail(const char *what)
{
	printf("%s has changed\n", what);
	exit(1);
}

static double vectors(double a, double b, double c, double d, float e)
{
	work(1);
	return a + b * 2 + c * 4 + d * 8 + (double)e * 16;
}

static double (*volatile call_vectors)(double, double, double, double, float) = vectors;

static void *check_state(void *data)
{
	static char alternate[65536];
	stack_t set = { .ss_sp = alternate, .ss_size = sizeof(alternate) }, stack;
	uint32_t mxcsr = 0x1f80 | 0x6040; /* rounds to zero, denormals are zero */
	uint16_t x87 = 0x0c7f;
	sigset_t mask, got;
	struct units begin, end;

	__asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr), "m"(x87));
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	sigaddset(&mask, SIGWINCH);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	sigaltstack(&set, NULL);
	begin = read_units();
	for (unsigned i = 0; i < 30000; i++) {
		errno = (int)(i % 100);
		work(i);
		if (i % 16 == 0 && call_vectors(1, 2, 3, 4, 5) != 1 + 4 + 12 + 32 + 80)
			fail("a vector register");
		if (errno != (int)(i % 100))
			fail("errno");
		if (red_zone(i) != i)
			fail("the red zone");
		if (i % 1000)
			continue;
		/* a long interval: the next event is a slow one */
		for (volatile unsigned long spin = 0; spin < 20000; spin++)
			;
		work(i);
		pthread_sigmask(SIG_BLOCK, NULL, &got);
		if (memcmp(&got, &mask, 8))
			fail("the signal mask");
		sigaltstack(NULL, &stack);
		if (stack.ss_sp != set.ss_sp || stack.ss_size != set.ss_size || stack.ss_flags)
			fail("the alternate stack");
	}
	end = read_units();
	if (end.mxcsr != begin.mxcsr || end.x87 != begin.x87 || end.flags != begin.flags)
		fail("a control word");
	return data;
}

static void state(void)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++) { /* first and last events as well */
		pthread_create(&thread, NULL, check_state, NULL);
		pthread_join(thread, NULL);
	}
}

/* ---- malloc ---------------------------------------------------------------------------------- */

#ifdef COUNT_ALLOCATIONS
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

__attribute__((no_instrument_function)) void *malloc(size_t size)
{
	allocations++;
	return __libc_malloc(size);
}

__attribute__((no_instrument_function)) void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}

__attribute__((no_instrument_function)) void *realloc(void *old, size_t size)
{
	allocations++;
	return __libc_realloc(old, size);
}
#endif

static void *many_events(void *data)
{
	for (unsigned i = 0; i < 20000; i++)
		work(i);
	return data;
}

/* What libc allocates for these threads is the same with and without probes: the output is
 * compared. */
static void count_allocations(void)
{
	pthread_t threads[4];
	unsigned long begin = allocations;

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, many_events, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
	}
	many_events(NULL);
	printf("%lu allocations\n", allocations - begin);
}

/* ---- births, deaths and forks in handlers ---------------------------------------------------- */

static atomic_uint n_forks, n_handled;
static __thread int depth;

/* By system calls: libc's own fork is not to be called in a handler that interrupts libc. */
static void on_signal(int number)
{
	int saved = errno;

	work((unsigned)number);
	if (!depth++ && n_handled++ % 8 == 0) {
		pid_t child = _Fork();

		if (!child) {
			work(1);
			_exit(0);
		}
		if (child > 0) {
			while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
				;
			n_forks++;
		}
	}
	depth--;
	errno = saved;
}

static void *short_life(void *data)
{
	work(3);
	return data;
}

static void handlers(unsigned n)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART | SA_NODEFER };
	struct itimerval storm = { { 0, 300 }, { 0, 300 } };
	pthread_t threads[3];

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &storm, NULL);
	for (unsigned i = 0; i < n || n_forks < n; i++) {
		for (int t = 0; t < 3; t++)
			pthread_create(&threads[t], NULL, short_life, NULL);
		for (int t = 0; t < 3; t++)
			pthread_join(threads[t], NULL);
	}
	storm = (struct itimerval){ { 0, 0 }, { 0, 0 } };
	setitimer(ITIMER_REAL, &storm, NULL);
	printf("done\n");
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "calls"))
		calls((unsigned)atoi(argv[2]));
	else if (argc == 3 && !strcmp(argv[1], "handlers"))
		handlers((unsigned)atoi(argv[2]));
	else if (argc == 2 && !strcmp(argv[1], "state"))
		state();
	else
		count_allocations();
	return 0;
}
