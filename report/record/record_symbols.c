/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record_symbols.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/files.h"
#include "sampler/collector.h"
#include "session/symbols_lock.h"

#define WRITER_NICE 5

/* Closes what this process has from the one that started it: who waits for the end of a pipe, or
 * for a lock, would wait for this process. All files of its own are closed by exec. */
static void close_inherited(void)
{
	DIR *folder = files_list("/proc/self/fd", 0);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		int fd = atoi(entry->d_name);

		if (fd > STDERR_FILENO && !(fcntl(fd, F_GETFD) & FD_CLOEXEC))
			close(fd);
	}
	if (folder)
		closedir(folder);
}

static void detach(void)
{
	int nothing = files_open("/dev/null", FILES_STREAM | FILES_CHANGE);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (nothing < 0 || dup2(nothing, fd) < 0)
			close(fd);
	close_inherited();
	setsid();
	setpriority(PRIO_PROCESS, 0, WRITER_NICE);
	if (chdir("/"))
		return;
}

/* Such a shell gives each command a process group of its own. */
static int is_of_interactive_shell(void)
{
	return getpgrp() == getpid() && isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

/* Forks a process that signals of the terminal do not reach. Returns as fork() does. */
static pid_t fork_apart(void)
{
	sigset_t signals, before;
	pid_t child;

	sigemptyset(&signals);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGQUIT);
	sigprocmask(SIG_BLOCK, &signals, &before);
	child = fork();
	if (child)
		sigprocmask(SIG_SETMASK, &before, NULL);
	else
		detach();
	return child;
}

void record_symbols(struct collector *collector, int is_awaited)
{
	const char *path = collector_first_file(collector);
	pid_t child = -1;
	int lock;

	if (!path)
		return;
	lock = symbols_lock_take(path);
	if (!is_awaited && is_of_interactive_shell() && lock >= 0)
		child = fork_apart();
	if (child <= 0)
		collector_symbolize(collector);
	if (!child)
		_exit(0);
	if (lock >= 0)
		close(lock);
}
