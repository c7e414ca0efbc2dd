# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that forbids perf_event_open to what it runs, as container runtimes do."""

NO_FILTER = 99  # exit status: the kernel has no filters of system calls

# The parent of what is run has the filter, too, as the first process of a container has.
SOURCE = """
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog code = { sizeof(filter) / sizeof(*filter), filter };
	int status = 0;

	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &code))
		return 99;
	if (!fork()) {
		execvp(argv[1], argv + 1);
		_exit(98);
	}
	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}
"""


def build(bench):
    """Returns the program's path; its arguments are the command."""
    return bench.compile(bench.write("no_perf.c", SOURCE), "no_perf", plugin=None)
