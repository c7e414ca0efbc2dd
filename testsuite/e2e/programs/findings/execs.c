/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two children become another program, which nobody records, and are waited for. */
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static int convert(void)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		execlp("sleep", "sleep", "0.2", (char *)0);
		_exit(127);
	}
	return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

int main(void)
{
	return convert() || convert() ? 1 : 0;
}
