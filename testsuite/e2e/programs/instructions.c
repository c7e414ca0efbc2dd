/* SPDX-License-Identifier: MIT */
/*
 * Calls work() in all sorts of processes, and says how often and how many rounds that were. Its
 * argument: a library with library_work(). With a second one it ends by SIGKILL.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_COUNTED __attribute__((no_instrument_function, noinline, noipa))

static struct {
	long calls, rounds, library_calls;
} *truth;

NOT_COUNTED static void add(int n)
{
	__atomic_add_fetch(&truth->calls, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&truth->rounds, n, __ATOMIC_RELAXED);
}

__attribute__((noinline, noipa)) int work(int n)
{
	volatile int sum = 0;

	add(n);
	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}

static volatile int handled;

static void handler(int sig)
{
	(void)sig;
	handled++;
	work(10);
}

static void *threads_work(void *data)
{
	for (int i = 0; i < 2000; i++)
		work(5);
	return data;
}

static void forked(long pid, int n)
{
	int status;

	if (!pid) {
		work(n);
		_exit(n);
	}
	waitpid((pid_t)pid, &status, 0);
	if (WEXITSTATUS(status) != n)
		printf("child of %d: %#x\n", n, status);
}

static void load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*library_work)(int);

	if (!library) {
		puts(dlerror());
		return;
	}
	*(void **)&library_work = dlsym(library, "library_work");
	for (int i = 0; i < 7; i++)
		library_work(i);
	truth->library_calls += 7;
	dlclose(library);
}

static void say_and_end(int is_killed)
{
	printf("%ld %ld %ld\n", truth->calls, truth->rounds, truth->library_calls);
	fflush(stdout);
	if (is_killed)
		kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
	pthread_t threads[4];
	pid_t pid;

	truth = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	work(1000);
	load(argv[1]);
	forked(fork(), 100);
	forked(syscall(SYS_fork), 7);
	pid = vfork();
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	signal(SIGALRM, handler);
	ualarm(1000, 1000);
	while (handled < 50)
		work(1000);
	ualarm(0, 0);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, threads_work, NULL);
	load(argv[1]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	forked(fork(), 60);
	load(argv[1]);
	say_and_end(argc > 2);
	return 0;
}
