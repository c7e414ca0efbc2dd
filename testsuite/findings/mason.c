/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0506 start|build; wall
 * true: CF0308|CF0503|CF0504 to start commands is what it is for
 * Builds targets by commands, each a process. Planted: fork() of a process that has much memory,
 * whose pages have to be copied or marked each time, in place of posix_spawn(). */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TARGETS 100
#define GRAPH (200l << 20)

extern char **environ;

struct target {
	char name[56];
	long time;
};

static struct target *graph;
static long n_targets;

static void load_graph(void)
{
	n_targets = GRAPH / (long)sizeof(*graph);
	graph = malloc(GRAPH);
	for (long i = 0; i < n_targets; i++) {
		graph[i].name[0] = (char)('a' + i % 26);
		graph[i].name[1] = 0;
		graph[i].time = i * 7919 % 1000;
	}
}

static pid_t start(char *const command[])
{
	pid_t pid;

#ifdef REPAIRED
	if (posix_spawn(&pid, command[0], NULL, NULL, command, environ) != 0)
		return -1;
#else
	pid = fork();
	if (pid == 0) {
		execv(command[0], command);
		_exit(127);
	}
#endif
	return pid;
}

static int build(struct target *target)
{
	char *command[] = { "/bin/true", target->name, NULL };
	pid_t pid = start(command);
	int status = 1;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	target->time++;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(void)
{
	long built = 0;

	load_graph();
	for (long i = 0; i < TARGETS; i++)
		built += build(&graph[i * 9973 % n_targets]);
	printf("%ld\n", built);
	free(graph);
	return 0;
}
