/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pager.c - sends stdout through a pager (terminal.h). The command stays the parent: at its end,
 * and when a signal ends it, it closes the pipe and waits, so that the shell does not prompt while
 * the pager still has the terminal, and no zombie is left.
 */
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util.h"

#define WORDS_MOST 32

static volatile sig_atomic_t pager; /* its process; 0: none */
static int had_stderr;

int terminal_is_paged(void)
{
	return pager != 0;
}

/* ---- its end --------------------------------------------------------------------------------- */

/* May run in a signal's handler, also while it already waits. */
static void wait_for_pager(void)
{
	if (!pager)
		return;
	close(STDOUT_FILENO); /* it sees the end of its input */
	if (had_stderr)
		close(STDERR_FILENO);
	while (waitpid((pid_t)pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = 0;
}

static void at_exit(void)
{
	if (!pager)
		return;
	fflush(stdout);
	wait_for_pager();
}

/* Whoever looks at the output has seen enough: that is no failure. */
static void on_pipe(int signal)
{
	(void)signal;
	wait_for_pager();
	_exit(STATUS_OK);
}

/* ^C reaches the pager, too, which goes on; what it waits for ends, but stays until it has. */
static void on_end(int number)
{
	wait_for_pager();
	signal(number, SIG_DFL);
	raise(number);
}

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

/* Until there is somebody to wait for. */
static void hold_signals(sigset_t *before)
{
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		sigaddset(&held, ends[i]);
	sigprocmask(SIG_BLOCK, &held, before);
}

static void take_signals(void)
{
	struct sigaction action = { .sa_handler = on_end };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		sigaction(ends[i], &action, NULL);
	action.sa_handler = on_pipe;
	sigaction(SIGPIPE, &action, NULL);
}

/* ---- its begin ------------------------------------------------------------------------------- */

/* As git does: less ends by itself if all fits on the screen, shows colours, and leaves what it
 * showed. */
static void child(char *const *words, const int *pipes, int failed, const sigset_t *signals)
{
	sigprocmask(SIG_SETMASK, signals, NULL);
	dup2(pipes[0], STDIN_FILENO);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execvp(words[0], words);
	while (write(failed, "", 1) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* Starts it, with these signals blocked. 0, or -1: there is no such program. */
static int start(char *const *words, const sigset_t *signals)
{
	int pipes[2], failed[2];
	char byte;
	ssize_t got;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC))
		return -1;
	if (pipe2(failed, O_CLOEXEC)) {
		close(pipes[0]);
		close(pipes[1]);
		return -1;
	}
	fflush(stdout);
	pid = fork();
	if (!pid)
		child(words, pipes, failed[1], signals);
	close(pipes[0]);
	close(failed[1]);
	while ((got = read(failed[0], &byte, 1)) < 0 && errno == EINTR)
		;
	close(failed[0]);
	if (pid > 0 && !got) {
		pager = pid;
		had_stderr = isatty(STDERR_FILENO);
		dup2(pipes[1], STDOUT_FILENO);
		if (had_stderr) /* messages would be lost behind what it draws */
			dup2(pipes[1], STDERR_FILENO);
	} else if (pid > 0) {
		waitpid(pid, NULL, 0);
	}
	close(pipes[1]);
	return pager ? 0 : -1;
}

/* The command as words; through a shell if it says more than that. */
static int start_command(const char *command, const sigset_t *signals)
{
	char *words[WORDS_MOST + 1] = { NULL }, *copy = xstrdup(command), *rest = copy;
	int n = 0, status;

	if (strpbrk(command, "|&;<>()$`\\\"'*?[#~=%")) {
		words[0] = "sh";
		words[1] = "-c";
		words[2] = copy;
	} else {
		while (n < WORDS_MOST && (words[n] = strtok_r(n ? NULL : copy, " \t\n", &rest)))
			n++;
	}
	status = words[0] ? start(words, signals) : -1;
	free(copy);
	return status;
}

void terminal_page(void)
{
	const char *command = pager ? NULL : terminal_pager_wished();
	sigset_t before;

	if (!command)
		return;
	hold_signals(&before);
	if (!start_command(command, &before)) {
		take_signals();
		atexit(at_exit);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}
