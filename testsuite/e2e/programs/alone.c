/* A mixed recording without a collector. argv[1]: what to do; argv[2]: rounds. In each round small
 * functions with work in the proportion 1 : 3 are called. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../trees/e2e.h"

static volatile uint64_t state;

/* Each step waits for the one before. */
static inline void work(int steps)
{
	uint64_t x = state;

	for (int i = 0; i < steps; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	state = x;
}

KEEP static void one(void)
{
	work(100);
}

KEEP static void three(void)
{
	work(300);
}

/* Without probes; nothing but three() and memory is called often. */
KEEP __attribute__((no_instrument_function)) static void bare(void)
{
	work(200);
}

KEEP static void round_of(int n)
{
	for (int i = 0; i < n; i++) {
		one();
		three();
	}
}

KEEP static void calls_bare(void)
{
	bare();
	sink++;
}

/* All that is open. */
static int descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int n = 0;

	while (folder && readdir(folder))
		n++;
	closedir(folder);
	return n;
}

static void *in_thread(void *rounds)
{
	for (int i = 0; i < *(int *)rounds; i++)
		round_of(100);
	return NULL;
}

/* fork() or clone as a system call, which no handler sees. */
static void in_child(int rounds, int is_raw)
{
	long child;

	round_of(20000);
	child = is_raw ? syscall(SYS_clone, 17 /* SIGCHLD */, 0, 0, 0, 0) : fork();
	if (!child) {
		in_thread(&rounds);
		_exit(0);
	}
	waitpid((pid_t)child, NULL, 0);
}

static void in_vfork(int rounds)
{
	for (int i = 0; i < 20; i++) {
		pid_t child = vfork();

		if (!child) {
			one();
			_exit(0);
		}
		waitpid(child, NULL, 0);
		round_of(rounds * 100 / 20);
	}
}

static void in_threads(int rounds)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, in_thread, &rounds);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

/* Each of two threads waits for the other one, at one processor. */
static void *take_turns(void *me)
{
	for (int i = 0; i < 20000; i++) {
		pthread_mutex_lock(&lock);
		while (turn != *(int *)me)
			pthread_cond_wait(&changed, &lock);
		turn = !turn;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void switch_threads(void)
{
	int first = 0, second = 1;
	pthread_t thread;
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	sched_setaffinity(0, sizeof(here), &here);
	pthread_create(&thread, NULL, take_turns, &second);
	take_turns(&first);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int rounds = argc > 2 ? atoi(argv[2]) : 0, before = descriptors();

	if (!strcmp(what, "close"))
		syscall(SYS_close_range, 3, ~0u, 0);
	if (!strcmp(what, "switches"))
		switch_threads();
	if (!strcmp(what, "late")) /* main calls them itself */
		for (int i = -1; i < 100 * rounds; i++) {
			if (i < 0)
				work(500 * 100 * rounds);
			one();
			three();
		}
	else if (!strcmp(what, "threads"))
		in_threads(rounds);
	else if (!strcmp(what, "fork") || !strcmp(what, "raw"))
		in_child(rounds, *what == 'r');
	else if (!strcmp(what, "vfork"))
		in_vfork(rounds);
	else
		in_thread(&rounds);
	for (int i = 0; i < rounds && !strcmp(what, "bare"); i++)
		for (int k = 0; k < 100; k++)
			calls_bare();
	printf("%d %d\n", before, descriptors());
	fflush(stdout);
	if (!strcmp(what, "exec"))
		execl(argv[0], argv[0], "again", argv[2], NULL);
	return 0;
}
