/*
 * Becomes another program in which code may not be changed: refused HOW PROGRAM ARGUMENT...
 * HOW: mdwe, by PR_SET_MDWE; filter, by a filter as systemd makes one, in a child, as a program is
 * recorded only if its parent has the same filter.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_HERE 99
#define SET_MDWE 65 /* PR_SET_MDWE */

static int set_filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int argc, char **argv)
{
	int is_mdwe = argc > 2 && !strcmp(argv[1], "mdwe"), status = 0;
	pid_t child;

	if (argc < 3 || (is_mdwe ? prctl(SET_MDWE, 1, 0, 0, 0) : set_filter()))
		return NOT_HERE;
	child = is_mdwe ? 0 : fork(); /* a program whose parent has the same filter is recorded */
	if (!child) {
		execv(argv[2], argv + 2);
		_exit(NOT_HERE);
	}
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}
