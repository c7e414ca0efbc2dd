/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/util.h"

#define STATUS_NOT_RUN 127

extern char **environ;

/* ---- the child ------------------------------------------------------------------------------- */

/* Variables that a source sets. All others are as they were when the child was made. */
static int is_ours(const char *variable)
{
	return !strncmp(variable, "CINSTR", 6) || !strncmp(variable, "LD_PRELOAD=", 11) ||
	       !strncmp(variable, "ASAN_OPTIONS=", 13);
}

/* All variables up to the end of the pipe, each with its NUL; an empty one ends them. 0, or -1: we
 * are not to run. */
static int variables_take(int fd)
{
	struct strbuf text = { 0 };
	char buffer[4096];
	ssize_t n;

	strbuf_clear(&text);
	while ((n = read(fd, buffer, sizeof(buffer))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			strbuf_add(&text, buffer, (size_t)n);
	for (char *at = text.text; at < text.text + text.length; at += strlen(at) + 1) {
		if (!*at)
			return 0; /* the text stays: it is the environment now */
		putenv(at);
	}
	return -1;
}

/* Does not return. */
static void child_run(char **argv, const sigset_t *mask, int go, int answer)
{
	int why;

	if (variables_take(go))
		_exit(STATUS_NOT_RUN);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	why = errno;
	if (write(answer, &why, sizeof(why)) < 0)
		_exit(STATUS_NOT_RUN);
	_exit(STATUS_NOT_RUN);
}

/* ---- the parent ------------------------------------------------------------------------------ */

int launch_prepare(struct launch *launch, char **argv, const sigset_t *mask)
{
	int go[2], answer[2];

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(answer, O_CLOEXEC)) {
		int why = errno;

		close(go[0]);
		close(go[1]);
		return -why;
	}
	launch->child = fork();
	if (!launch->child) {
		close(go[1]);
		child_run(argv, mask, go[0], answer[1]);
	}
	close(go[0]);
	close(answer[1]);
	launch->go = go[1];
	launch->answer = answer[0];
	if (launch->child > 0)
		return 0;
	close(launch->go);
	close(launch->answer);
	return -EAGAIN;
}

static int all_write(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno != EINTR)
			return -1;
		bytes += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

int launch_go(struct launch *launch, const struct source *source)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* it may have been killed */
	int why = 0, status, failed = 0;

	if (source->operations->environment)
		source->operations->environment(source);
	for (char **variable = environ; *variable && !failed; variable++)
		if (is_ours(*variable))
			failed = all_write(launch->go, *variable, strlen(*variable) + 1);
	if (!failed)
		failed = all_write(launch->go, "", 1);
	close(launch->go);
	signal(SIGPIPE, before);
	if (read(launch->answer, &why, sizeof(why)) != sizeof(why))
		why = failed ? ESRCH : 0;
	close(launch->answer);
	if (why)
		waitpid(launch->child, &status, 0);
	return why;
}

void launch_cancel(struct launch *launch)
{
	int status;

	close(launch->go);
	close(launch->answer);
	waitpid(launch->child, &status, 0);
}
