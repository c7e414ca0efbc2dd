/* SPDX-License-Identifier: GPL-3.0-or-later */
/* As a daemon does: any umask, then a child. */
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int calls;

static void __attribute__((noinline)) step(void)
{
	__asm__ volatile("" : "+m"(calls));
	calls++;
}

int main(void)
{
	int status = 0;

	umask(0);
	step();
	if (!fork()) {
		step();
		return 0;
	}
	wait(&status);
	return status;
}
