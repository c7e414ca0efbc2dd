/*
 * Children in name spaces of their own: spaces time|process|none|size. Ends with 77 where there can
 * be none. size: the child prints how many gigabytes of addresses it has.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static volatile long sink;

__attribute__((noinline, noclone)) void leaf(void)
{
	sink++;
}

__attribute__((noinline, noclone)) void work(void)
{
	for (int i = 0; i < 1000; i++)
		leaf();
}

__attribute__((noinline, noclone)) int print_size(void)
{
	char text[64] = "";
	int file = open("/proc/self/statm", O_RDONLY);

	work();
	if (read(file, text, sizeof(text) - 1) <= 0)
		return 6;
	dprintf(1, "%ld GB\n", atol(text) * getpagesize() >> 30);
	return 5;
}

/* In the child: another one, which is in the same name space. */
__attribute__((noinline, noclone)) int child(void)
{
	pid_t grandchild = fork();

	work();
	if (!grandchild)
		_exit(4);
	waitpid(grandchild, NULL, 0);
	return 5;
}

static int enter(const char *what)
{
	static const char ahead[] = "monotonic 1000000 0\n";
	int file;

	if (!strcmp(what, "none") || !strcmp(what, "size"))
		return 0;
	if (!strcmp(what, "process"))
		return unshare(CLONE_NEWPID);
	if (unshare(CLONE_NEWTIME))
		return -1;
	file = open("/proc/self/timens_offsets", O_WRONLY);
	if (file < 0 || write(file, ahead, sizeof(ahead) - 1) < 0)
		return -1;
	return close(file);
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	work();
	if (enter(argv[1])) {
		perror("unshare");
		return 77;
	}
	pid = fork();
	if (!pid)
		_exit(!strcmp(argv[1], "size") ? print_size() : child());
	waitpid(pid, &status, 0);
	printf("the child ended with %d\n", WEXITSTATUS(status));
	work();
	return 0;
}
