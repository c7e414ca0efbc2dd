/*
 * A program with a family. argv[1]:
 *   fork     the parent forks, both work on, the child returns from main
 *   exec     the child becomes this program again, with `leaf`
 *   system   runs this program through the shell, with `leaf`
 *   spawn    posix_spawn, with `leaf`
 *   vfork    vfork and exec, with `leaf`
 *   execself becomes `leaf` itself
 *   orphan   the child outlives its parent
 *   leaf     the other program
 */
#include "../trees/e2e.h"
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

KEEP static int parent_work(int x)
{
	return x + 1;
}

KEEP static int child_work(int x)
{
	return x + 2;
}

KEEP static int leaf_work(int x)
{
	return x + 3;
}

KEEP static int leaf(void)
{
	for (int i = 0; i < 10; i++)
		sink = leaf_work(sink);
	printf("leaf %d\n", sink);
	return 0;
}

/* In the child: until its parent is gone, but not for ever. */
__attribute__((no_instrument_function)) static void outlive(pid_t parent)
{
	for (int i = 0; i < 20000 && getppid() == parent; i++)
		usleep(1000);
}

static int wait_for(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	char *leaf_argv[] = { argv[0], "leaf", NULL };
	char command[4096];
	pid_t pid;
	int status = 0;

	(void)argc;
	sink = parent_work(0);
	if (!strcmp(argv[1], "leaf"))
		return leaf();
	if (!strcmp(argv[1], "execself"))
		execv(argv[0], leaf_argv);
	if (!strcmp(argv[1], "fork") || !strcmp(argv[1], "orphan")) {
		pid_t self = getpid();

		pid = fork();
		if (pid == 0) {
			if (argv[1][0] == 'o')
				outlive(self);
			for (int i = 0; i < 100; i++)
				sink = child_work(sink);
			return 7;
		}
		sink = parent_work(sink);
		status = argv[1][0] == 'o' ? 0 : wait_for(pid);
	} else if (!strcmp(argv[1], "exec")) {
		pid = fork();
		if (pid == 0) {
			sink = child_work(sink);
			execv(argv[0], leaf_argv);
			_exit(1);
		}
		status = wait_for(pid);
	} else if (!strcmp(argv[1], "vfork")) {
		pid = vfork();
		if (pid == 0) {
			execv(argv[0], leaf_argv);
			_exit(1);
		}
		status = wait_for(pid);
	} else if (!strcmp(argv[1], "spawn")) {
		if (posix_spawn(&pid, argv[0], NULL, NULL, leaf_argv, environ) == 0)
			status = wait_for(pid);
	} else if (!strcmp(argv[1], "system")) {
		snprintf(command, sizeof(command), "%s leaf", argv[0]);
		status = system(command);
	}
	sink = parent_work(sink);
	printf("status %d\n", WEXITSTATUS(status));
	return 0;
}
