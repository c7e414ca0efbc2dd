/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recorded_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/util.h"
#include "session/session.h"

#define MESSAGES_MOST 4000

static void be_the_run(char *const *program, const char *session, const char *folder, int messages_fd)
{
	static char name[] = "cinstr", verb[] = "record", end[] = "--";
	struct strbuf output = { 0 };
	char **argv;
	size_t n = 0, n_words = 0;
	int nowhere = files_open("/dev/null", FILES_CHANGE | FILES_STREAM);

	while (program[n_words])
		n_words++;
	argv = xcalloc(n_words + 6, sizeof(*argv));
	strbuf_printf(&output, "--output=%s", session);
	argv[n++] = name;
	argv[n++] = verb;
	argv[n++] = output.text;
	argv[n++] = end;
	memcpy(argv + n, program, n_words * sizeof(*argv));
	dup2(nowhere, STDOUT_FILENO); /* where the result is printed */
	dup2(messages_fd, STDERR_FILENO);
	if (!folder || !chdir(folder))
		execv("/proc/self/exe", argv);
	_exit(STATUS_DATA);
}

/* Prints the end of what a run has printed, or only the errors and warnings of cinstr in it. */
static void say_messages(int fd, int is_all)
{
	static const char error_begin[] = "cinstr: error: ", warning_begin[] = "cinstr: warning: ";
	char text[MESSAGES_MOST + 1], *rest = text, *line;
	off_t end = lseek(fd, 0, SEEK_END);
	ssize_t n = pread(fd, text, MESSAGES_MOST, end > MESSAGES_MOST ? end - MESSAGES_MOST : 0);

	text[n > 0 ? n : 0] = '\0';
	while ((line = strsep(&rest, "\n")))
		if (*line && (is_all || !strncmp(line, error_begin, sizeof(error_begin) - 1) ||
			      !strncmp(line, warning_begin, sizeof(warning_begin) - 1)))
			print_visible(stderr, "%s\n", line);
}

/* Returns the inode of the session's folder; 0: there is none. One that was there before is no
 * run's. */
static ino_t folder_of(const char *session)
{
	struct stat st;

	return stat(session, &st) ? 0 : st.st_ino;
}

static int has_failed(const char *who, int status, int has_session)
{
	if (status == -1)
		error("%s cannot be started", who);
	else if (WIFSIGNALED(status))
		error("%s was ended by signal %d (%s)", who, WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		error("%s ended with status %d", who, WEXITSTATUS(status));
	else if (!has_session)
		error("%s recorded nothing", who);
	else
		return 0;
	return 1;
}

/* The next run is not to be recorded beside a process that still writes symbols. */
static void symbols_await(const char *path)
{
	struct session session;

	if (!access(path, F_OK) && !session_list(&session, path)) /* waits for them */
		session_release(&session);
}

int recorded_run(char *const *argv, const char *session, const char *folder, const char *who)
{
	int messages_fd = memfd_create("cinstr-messages", MFD_CLOEXEC), status = -1;
	ino_t before = folder_of(session), after;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child)
		be_the_run(argv, session, folder, messages_fd);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	say_messages(messages_fd, status != 0);
	close(messages_fd);
	after = folder_of(session);
	symbols_await(session);
	return has_failed(who, status, after && after != before) ? -1 : 0;
}
