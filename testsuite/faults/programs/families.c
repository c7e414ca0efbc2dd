/*
 * Processes made in every way while the program records. argv[1]: the way, argv[2]: how often. Each
 * child makes 10 calls of `child`, or becomes this program again with `leaf`; what they end with is
 * added up.
 */
#include "count.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;
static char *self;
static volatile int over;

KEEP static int child(int x)
{
	return x + 1;
}

KEEP static int parent(int x)
{
	return x + 2;
}

KEEP static int child_main(void)
{
	for (int i = 0; i < 10; i++)
		sink = child(sink);
	return 3;
}

PLAIN static int ended(pid_t pid)
{
	int status = 0;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1000;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2000;
}

KEEP static int by_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(child_main());
	return ended(pid);
}

KEEP static int by_return(void)
{
	pid_t pid = fork();

	if (!pid)
		exit(child_main());
	return ended(pid);
}

KEEP static int by_vfork(void)
{
	char *words[] = { self, "leaf", NULL };
	pid_t pid = vfork();

	if (!pid) {
		execv(self, words);
		_exit(9);
	}
	return ended(pid);
}

KEEP static int by_spawn(void)
{
	char *words[] = { self, "leaf", NULL };
	pid_t pid;

	return posix_spawn(&pid, self, NULL, NULL, words, environ) ? 1000 : ended(pid);
}

/* The grandchild's parent ends at once. A pipe tells when it is done. */
KEEP static int by_double_fork(void)
{
	int ends[2], code = 0;
	pid_t pid;

	if (pipe(ends))
		return 1000;
	pid = fork();
	if (!pid) {
		if (fork())
			_exit(0);
		code = child_main();
		sink = write(ends[1], &code, sizeof(code)) > 0;
		_exit(0);
	}
	close(ends[1]);
	sink = read(ends[0], &code, sizeof(code)) > 0;
	close(ends[0]);
	return ended(pid) ? 1000 : code;
}

KEEP static int by_daemon(void)
{
	int ends[2], code = 0;
	pid_t pid;

	if (pipe(ends))
		return 1000;
	pid = fork();
	if (!pid) {
		if (daemon(1, 1))
			_exit(1);
		code = child_main();
		sink = write(ends[1], &code, sizeof(code)) > 0;
		_exit(0);
	}
	close(ends[1]);
	sink = read(ends[0], &code, sizeof(code)) > 0;
	close(ends[0]);
	return ended(pid) ? 1000 : code;
}

/* No handlers of pthread_atfork run. */
KEEP static int by_raw_clone(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

	if (!pid)
		_exit(child_main());
	return ended(pid);
}

KEEP static int shared_body(void *data)
{
	(void)data;
	return child_main();
}

/* In the memory of its parent, which waits. */
KEEP static int by_shared_clone(void)
{
	static char stack[64 << 10] __attribute__((aligned(16)));

	return ended(clone(shared_body, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL));
}

KEEP static void *exec_body(void *data)
{
	char *words[] = { self, "leaf", NULL };

	(void)data;
	sink = child(sink);
	execv(self, words);
	_exit(9);
}

KEEP static int by_thread_exec(void)
{
	pid_t pid = fork();
	pthread_t thread;

	if (!pid) {
		pthread_create(&thread, NULL, exec_body, NULL);
		for (;;)
			sink = child(sink);
	}
	return ended(pid);
}

static const struct {
	const char *name;
	int (*run)(void);
} ways[] = {
	{ "fork", by_fork },
	{ "return", by_return },
	{ "vfork", by_vfork },
	{ "spawn", by_spawn },
	{ "double", by_double_fork },
	{ "daemon", by_daemon },
	{ "raw", by_raw_clone },
	{ "shared", by_shared_clone },
	{ "threadexec", by_thread_exec },
};

KEEP static void *busy(void *data)
{
	while (!over)
		sink = parent(sink);
	return data;
}

KEEP static void *forker(void *data)
{
	long sum = 0;

	for (int i = 0; i < *(int *)data; i++)
		sum += by_fork();
	return (void *)sum;
}

/* Two threads fork while two others call. */
PLAIN static long fork_from_threads(int times)
{
	pthread_t callers[2], forkers[2];
	long sum = 0;
	void *part;

	for (int i = 0; i < 2; i++)
		pthread_create(&callers[i], NULL, busy, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&forkers[i], NULL, forker, &times);
	for (int i = 0; i < 2; i++) {
		pthread_join(forkers[i], &part);
		sum += (long)part;
	}
	over = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(callers[i], NULL);
	return sum;
}

int main(int argc, char **argv)
{
	int times = argc > 2 ? atoi(argv[2]) : 1;
	long sum = 0;

	self = argv[0];
	if (!strcmp(argv[1], "leaf"))
		return child_main();
	if (!strcmp(argv[1], "threads"))
		sum = fork_from_threads(times);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		for (int n = 0; n < times && !strcmp(argv[1], ways[i].name); n++) {
			sink = parent(sink);
			sum += ways[i].run();
		}
	printf("%ld\n", sum);
	return 0;
}
