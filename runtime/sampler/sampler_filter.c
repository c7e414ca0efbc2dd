/* SPDX-License-Identifier: MIT */
/*
 * sampler_filter.c - handles programs that restrict their own system calls. The system calls of the
 * signal's handler might end such a program, so its timers are deleted before the filter is
 * installed. Filters are installed by two functions of libc (libseccomp uses them, too), which are
 * replaced here; for all else the replacements do as libc's.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "sampler.h"

#define USER_DISPATCH 59 /* PR_SET_SYSCALL_USER_DISPATCH: they go to a handler of the program's */

static long result_of(long result)
{
	if ((unsigned long)result <= -4096ul)
		return result;
	errno = (int)-result;
	return -1;
}

static void before_filter(void)
{
	if (sampler.ring && sampler.pid == (uint32_t)SYS0(SYS_getpid))
		threads_silence("the program restricts its system calls");
}

SAMPLER_EXPORT int prctl(int option, ...)
{
	unsigned long a[4];
	va_list arguments;

	va_start(arguments, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(arguments, unsigned long);
	va_end(arguments);
	if (option == PR_SET_SECCOMP || (option == USER_DISPATCH && a[0]))
		before_filter();
	return (int)result_of(
		arch_syscall(SYS_prctl, option, (long)a[0], (long)a[1], (long)a[2], (long)a[3], 0));
}

/* Not static: syscall() (sampler_calls.S) calls them. */
void sampler_before_seccomp(long operation) __attribute__((visibility("hidden")));
long sampler_failed(long result) __attribute__((visibility("hidden")));

void sampler_before_seccomp(long operation)
{
	if (operation != SECCOMP_GET_ACTION_AVAIL && operation != SECCOMP_GET_NOTIF_SIZES)
		before_filter();
}

long sampler_failed(long result)
{
	return result_of(result);
}
