/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads run every shape of call while one chooses anew what is recorded (switching.py).
 *
 *   switching toggle N SECONDS   N choices (and not more than so many seconds) beside three
 *                                threads; then a fresh tree
 *   switching fork N             children that are forked in between
 *   switching price N            N switches with nothing beside them; says what one takes; then
 *                                many indirect calls
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cinstr.h>

#define NORETURN __attribute__((noreturn))

static atomic_int stop;
static __thread volatile long sink;
static __thread jmp_buf back;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* ---- work ------------------------------------------------------------------------------------ */

static void leaf(void)
{
	sink++;
}

static long recurse(int n)
{
	long below;

	leaf();
	below = n ? recurse(n - 1) : 0;
	leaf();
	return below + 1;
}

static int compare(const void *a, const void *b)
{
	leaf();
	return *(const int *)a - *(const int *)b;
}

static long sorted(void)
{
	int numbers[] = { 5, 3, 9, 1, 7, 8, 2 };
	long sum = 0;

	qsort(numbers, 7, sizeof(int), compare);
	for (int i = 0; i < 7; i++)
		sum = sum * 10 + numbers[i];
	return sum;
}

static NORETURN void jump(int n)
{
	leaf();
	if (n)
		jump(n - 1);
	longjmp(back, 1);
}

static long jumped(int n)
{
	if (!setjmp(back))
		jump(n);
	leaf();
	return 1;
}

static long twice(long n)
{
	leaf();
	return 2 * n;
}

static long thrice(long n)
{
	leaf();
	return 3 * n;
}

static long (*const volatile pointers[])(long) = { twice, thrice };

static long indirect(long n)
{
	return pointers[n & 1](n);
}

static long tail(long n)
{
	leaf();
	return indirect(n + 1);
}

static void caught(void *data)
{
	leaf();
	*(int *)data = 0;
}

/* A cleanup is what a landing pad is in C. */
static long cleaned(void)
{
	int value __attribute__((cleanup(caught))) = 1;

	leaf();
	return value;
}

/* A number that must be the same whatever is recorded. */
static long round_of_work(int n)
{
	return recurse(n % 7) + sorted() + jumped(n % 5) + tail(n) + indirect(n) + cleaned();
}

static long expected(int n)
{
	long odd = 3, even = 2;

	return (n % 7 + 1) + 1235789 % 100000000 + 1 + (n + 1) * (n + 1 & 1 ? odd : even) + n * (n & 1 ? odd : even) + 1;
}

static void *work(void *data)
{
	long rounds = 0;

	/* the one that chooses is not to wait for them */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 19);
	for (int n = 0; !atomic_load(&stop); n = (n + 1) % 1000, rounds++)
		if (round_of_work(n) != expected(n)) {
			printf("wrong: %d\n", n);
			exit(3);
		}
	*(long *)data = rounds;
	return NULL;
}

/* ---- what is measured when all is on again --------------------------------------------------- */

static void fresh_leaf(void)
{
	sink++;
}

static void fresh_inner(void)
{
	fresh_leaf();
	fresh_leaf();
}

__attribute__((noinline)) void fresh(void)
{
	for (int i = 0; i < 10; i++)
		fresh_inner();
	qsort((int[]){ 2, 1 }, 2, sizeof(int), compare);
}

/* ---- choosing -------------------------------------------------------------------------------- */

static const char *const rules[] = {
	"probes=functions", "probes=calls",	   "only=recurse,leaf", "not=leaf only=",
	"not=",		    "only=*e*",	   "all",		"not=leaf,jump,file:*.h",
	"all",		    "probes=lines", "only=file:switching.c", "only=round_of_work,indirect not=twice",
	"all",		    "only=jumped,cleaned,compare", "only=module:nowhere", "all",
};

static void choose(const char *text)
{
	if (cinstr_choose(text) != CINSTR_OK) {
		printf("cannot choose %s\n", text);
		exit(4);
	}
}

static int toggle(long n, double seconds)
{
	pthread_t threads[3];
	long rounds[3], done = 0;
	double begin = now();

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, &rounds[i]);
	for (; done < n && now() - begin < seconds; done++)
		choose(rules[done % (sizeof(rules) / sizeof(*rules))]);
	choose("all");
	atomic_store(&stop, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	fprintf(stderr, "%ld switches, %.1f us each, %ld rounds\n", done, 1e6 * (now() - begin) / (double)done,
		rounds[0] + rounds[1] + rounds[2]);
	fresh();
	return 0;
}

static void *choose_on(void *data)
{
	(void)data;
	for (int i = 0; !atomic_load(&stop); i++)
		cinstr_choose(rules[i % (int)(sizeof(rules) / sizeof(*rules))]);
	return NULL;
}

static void child(void)
{
	for (int n = 0; n < 20; n++)
		if (round_of_work(n) != expected(n))
			_exit(3);
	if (cinstr_choose("all") != CINSTR_OK)
		_exit(4);
	fresh();
}

static int forks(int n)
{
	pthread_t chooser;
	int status;

	pthread_create(&chooser, NULL, choose_on, NULL);
	for (int i = 0; i < n; i++) {
		pid_t pid = i % 3 == 2 ? (pid_t)syscall(SYS_fork) : fork();

		if (!pid) {
			child();
			_exit(0);
		}
		waitpid(pid, &status, 0);
		if (status) {
			printf("child %d: status %d\n", i, status);
			exit(5);
		}
	}
	atomic_store(&stop, 1);
	pthread_join(chooser, NULL);
	printf("%d children\n", n);
	return 0;
}

static long (*volatile single)(long) = twice; /* called through memory relative to rip */

static long many(int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++)
		sum += single(i);
	return sum;
}

static int price(int n)
{
	double begin = now();

	for (int i = 0; i < n; i++)
		choose(i & 1 ? "all" : "probes=functions");
	printf("%.1f us a switch\n", 1e6 * (now() - begin) / n);
	return many(100000) == 0;
}

int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "toggle"))
		return toggle(atol(argv[2]), atof(argv[3]));
	if (argc > 2 && !strcmp(argv[1], "fork"))
		return forks(atoi(argv[2]));
	if (argc > 2 && !strcmp(argv[1], "price"))
		return price(atoi(argv[2]));
	return 2;
}
