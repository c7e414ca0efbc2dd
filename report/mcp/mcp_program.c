/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp_program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/files.h"

#define END_MOST 4000

static char **with_command(char **argv)
{
	static char name[] = "cinstr";
	size_t n = 0;
	char **all;

	while (argv[n])
		n++;
	all = xcalloc(n + 2, sizeof(*all));
	all[0] = name;
	memcpy(all + 1, argv, n * sizeof(*argv));
	return all;
}

static void be_the_program(int out_fd, char **argv, const char *folder, pid_t parent)
{
	int nowhere = files_open("/dev/null", FILES_STREAM);

	/* Who records hands this on to what it runs. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || setpgid(0, 0) || chdir(folder))
		_exit(STATUS_DATA);
	signal(SIGPIPE, SIG_DFL);
	dup2(nowhere, STDIN_FILENO);
	dup2(out_fd, STDOUT_FILENO);
	dup2(out_fd, STDERR_FILENO);
	execv("/proc/self/exe", argv);
	_exit(STATUS_DATA);
}

int mcp_program_begin(struct program *program, char **argv, const char *folder)
{
	FREED char **all = with_command(argv);
	pid_t parent = getpid();
	int fds[2];

	*program = (struct program){ .end_fd = -1, .out_fd = -1 };
	if (!pipe2(fds, O_CLOEXEC | O_NONBLOCK)) {
		fcntl(fds[1], F_SETFL, 0); /* the program's end waits, as it is used to */
		fflush(NULL);
		program->pid = fork();
		if (!program->pid)
			be_the_program(fds[1], all, folder, parent);
		close(fds[1]);
		program->out_fd = fds[0];
		if (program->pid > 0)
			program->end_fd = (int)syscall(SYS_pidfd_open, program->pid, 0);
	}
	if (program->end_fd >= 0)
		return 0;
	error("mcp: %s", strerror(errno));
	if (program->pid > 0) {
		kill(program->pid, SIGKILL);
		mcp_program_end(program);
	}
	mcp_program_release(program);
	return -1;
}

void mcp_program_read(struct program *program)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(program->out_fd, bytes, sizeof(bytes))) > 0) {
		strbuf_add(&program->end, bytes, (size_t)n);
		if (program->end.length > 4 * END_MOST) {
			struct strbuf end = { 0 };

			strbuf_add(&end, program->end.text + program->end.length - END_MOST, END_MOST);
			strbuf_release(&program->end);
			program->end = end;
		}
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	close(program->out_fd);
	program->out_fd = -1;
}

void mcp_program_stop(struct program *program)
{
	if (program->is_asked)
		kill(-program->pid, SIGKILL);
	else
		kill(program->pid, SIGTERM);
	program->is_asked = 1;
}

int mcp_program_end(struct program *program)
{
	int status = -1;

	while (waitpid(program->pid, &status, 0) < 0 && errno == EINTR)
		;
	kill(-program->pid, SIGKILL);
	if (program->out_fd >= 0)
		mcp_program_read(program);
	if (program->end.length > END_MOST) {
		struct strbuf end = { 0 };

		strbuf_add(&end, program->end.text + program->end.length - END_MOST, END_MOST);
		strbuf_release(&program->end);
		program->end = end;
	}
	program->pid = 0;
	return status;
}

void mcp_program_release(struct program *program)
{
	if (program->end_fd >= 0)
		close(program->end_fd);
	if (program->out_fd >= 0)
		close(program->out_fd);
	strbuf_release(&program->end);
	*program = (struct program){ .end_fd = -1, .out_fd = -1 };
}
