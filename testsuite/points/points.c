/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * points COUNTS fold|long|deep|paths|threads|fork|events|phases|indirect|memory|kept|tail|library|
 * landing|lines
 * - the program that is stopped: it counts its calls in the file COUNTS, which survives it, so that
 * what was lost is known exactly. SIGUSR1's handler has probes.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct counts {
	unsigned long entered; /* functions with probes, by all processes */
	unsigned long handled, marked;
};
static struct counts *counts;
static volatile unsigned sink;

/* First in each function with probes: behind the event of its entry. */
#define ENTERED (void)__atomic_fetch_add(&counts->entered, 1, __ATOMIC_RELAXED)

__attribute__((noinline)) void work(unsigned i)
{
	ENTERED;
	sink = i * 3;
}

__attribute__((noinline)) void handled(int number)
{
	ENTERED;
	__atomic_fetch_add(&counts->handled, 1, __ATOMIC_RELAXED);
	sink = (unsigned)number;
}

/* With a mark: -fplugin-arg-cinstr-mark=marked */
__attribute__((noinline)) void marked(void)
{
	ENTERED;
	__atomic_fetch_add(&counts->marked, 1, __ATOMIC_RELAXED);
	sink = 1;
}

__attribute__((noinline)) void begin_points(void)
{
	ENTERED;
	sink = 0;
}

/* Where the stepper may put a breakpoint: nothing of the runtime's is here. */
__attribute__((noinline, no_instrument_function)) void here(void)
{
	sink = 0;
}

static inline __attribute__((always_inline)) void some(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		work(i);
}

__attribute__((noinline)) unsigned deep(unsigned n)
{
	ENTERED;
	work(n);
	return n ? deep(n - 1) + sink : 0;
}

__attribute__((noinline)) void tail(unsigned i)
{
	ENTERED;
	work(i);
}

__attribute__((noinline)) void landing(void)
{
	jmp_buf place;

	ENTERED;
	if (!setjmp(place))
		work(1);
}

/* Marks in the middle of what is open. */
__attribute__((noinline)) void down(unsigned n, unsigned marks)
{
	ENTERED;
	work(n);
	if (n)
		down(n - 1, marks);
	for (; !n && marks > 0; marks--)
		marked();
	sink = n;
}

/* 2^depth paths. */
void right(unsigned depth);
__attribute__((noinline)) void left(unsigned depth)
{
	ENTERED;
	work(depth);
	if (depth) {
		left(depth - 1);
		right(depth - 1);
	}
	sink = depth;
}
__attribute__((noinline)) void right(unsigned depth)
{
	ENTERED;
	work(depth);
	if (depth) {
		left(depth - 1);
		right(depth - 1);
	}
	sink = depth + 1;
}

static void *thread(void *data)
{
	ENTERED;
	some(100);
	return data;
}

static inline __attribute__((always_inline)) void threads(void)
{
	pthread_t ids[4];

	for (int round = 0; round < 8; round++) {
		for (int i = 0; i < 4; i++)
			pthread_create(&ids[i], NULL, thread, NULL);
		some(100);
		for (int i = 0; i < 4; i++)
			pthread_join(ids[i], NULL);
	}
}

static inline __attribute__((always_inline)) void forks(void)
{
	for (int i = 0; i < 6; i++) {
		pid_t child = fork();
		int status;

		if (!child) {
			ENTERED; /* main, which it has from its parent */
			some(50);
			_exit(3);
		}
		some(50);
		while (waitpid(child, &status, 0) < 0)
			;
	}
}

static void (*volatile pointer)(unsigned) = work;
static struct table {
	long other;
	void (*run)(unsigned);
} the_table = { 0, work };

/* Around these calls r10 or r11 is live: the target's table, the static chain. */
static inline __attribute__((always_inline)) void kept(unsigned n)
{
	unsigned sum = 0;
	__attribute__((noinline)) auto void nested(unsigned i);

	void nested(unsigned i)
	{
		ENTERED;
		for (unsigned k = 0; k < 2; k++)
			sink = sum += i;
	}
	for (unsigned i = 0; i < n; i++) {
		register struct table *table __asm__("r11") = &the_table;
		__asm__ volatile("" : "+r"(table));
		table->run(i);
		nested(i);
	}
}

/* Before the first event: a signal may come as soon as that. The runtime is at work before all
 * constructors, and comes to the slow path when its calibration is interrupted. */
__attribute__((no_instrument_function)) static void prepare(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = handled, .sa_flags = SA_RESTART };
	int fd = argc == 3 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;

	if (fd < 0 || ftruncate(fd, 4096))
		_exit(1);
	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	sigaction(SIGUSR1, &action, NULL);
}
__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **) = prepare;

int main(int argc, char **argv)
{
	ENTERED;
	if (argc != 3)
		return 1;
	here();
	begin_points();
	if (!strcmp(argv[2], "fold"))
		some(12000);
	else if (!strcmp(argv[2], "long"))
		left(14); /* the file has to grow */
	else if (!strcmp(argv[2], "events"))
		for (int i = 0; i < 60; i++) {
			some(10);
			marked();
			begin_points();
		}
	else if (!strcmp(argv[2], "phases"))
		for (unsigned i = 0; i < 8; i++) {
			down(40, 2);
			some(1800);
		}
	else if (!strcmp(argv[2], "indirect"))
		for (int i = 0; i < 400; i++)
			pointer((unsigned)i);
	else if (!strcmp(argv[2], "memory"))
		for (unsigned i = 0; i < 400; i++) {
			struct table *table = &the_table;
			__asm__ volatile("" : "+r"(table));
			table->run(i);
		}
	else if (!strcmp(argv[2], "kept"))
		kept(400);
	else if (!strcmp(argv[2], "tail") || !strcmp(argv[2], "lines"))
		for (unsigned i = 0; i < 400; i++)
			tail(i);
	else if (!strcmp(argv[2], "library"))
		for (unsigned i = 0; i < 400; i++)
			sink = (unsigned)getppid();
	else if (!strcmp(argv[2], "landing"))
		for (unsigned i = 0; i < 400; i++)
			landing();
	else if (!strcmp(argv[2], "deep"))
		for (int i = 0; i < 2; i++)
			deep(5000);
	else if (!strcmp(argv[2], "paths"))
		left(11);
	else if (!strcmp(argv[2], "threads"))
		threads();
	else if (!strcmp(argv[2], "fork"))
		forks();
	printf("%lu %lu\n", counts->entered - counts->handled, counts->marked);
	return 0;
}
