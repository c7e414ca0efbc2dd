/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inherited: prints what it has of who started it: open descriptors, blocked and ignored signals,
 * limits, variables of cinstr. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

extern char **environ;

int main(void)
{
	struct sigaction action;
	struct rlimit files;
	sigset_t blocked;

	printf("descriptors");
	for (int fd = 0; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf(" %d", fd);
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	printf("\nblocked");
	for (int i = 1; i < 65; i++)
		if (sigismember(&blocked, i) == 1)
			printf(" %d", i);
	printf("\nnot default");
	for (int i = 1; i < 65; i++)
		if (!sigaction(i, NULL, &action) && action.sa_handler != SIG_DFL)
			printf(" %d", i);
	getrlimit(RLIMIT_NOFILE, &files);
	printf("\nfiles %llu\nvariables", (unsigned long long)files.rlim_cur);
	for (char **at = environ; *at; at++)
		if (!strncmp(*at, "LD_PRELOAD", 10))
			printf(" %s", *at);
	printf("\n");
	return 0;
}
