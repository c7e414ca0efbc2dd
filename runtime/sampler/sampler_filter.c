/* SPDX-License-Identifier: MIT */
/*
 * sampler_filter.c - programs that restrict their own system calls. What the signal's handler asks of the kernel may end such a
 * program, so its timers are deleted before the filter comes. Filters are made by these two functions of libc (libseccomp uses
 * them, too), whose place is taken here; for anything else they do what libc's do.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "sampler.h"

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
	if (option == PR_SET_SECCOMP)
		before_filter();
	return (int)result_of(
		arch_syscall(SYS_prctl, option, (long)a[0], (long)a[1], (long)a[2], (long)a[3], 0));
}

/* Not static: what follows calls them. */
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

/*
 * long syscall(long number, ...), as libc's: between the call and its result nothing is on the stack but the return address.
 * clone() may come back on another stack, and vfork() with one that its child has written to.
 */
__asm__(".text\n\t"
	".globl syscall\n\t"
	".type syscall, @function\n"
	"syscall:\n\t"
	".cfi_startproc\n\t"
	"endbr64\n\t"
	"cmpq $317, %rdi\n\t" /* SYS_seccomp */
	"je 2f\n"
	"1:\n\t"
	"movq %rdi, %rax\n\t"
	"movq %rsi, %rdi\n\t"
	"movq %rdx, %rsi\n\t"
	"movq %rcx, %rdx\n\t"
	"movq %r8, %r10\n\t"
	"movq %r9, %r8\n\t"
	"movq 8(%rsp), %r9\n\t"
	"syscall\n\t"
	"cmpq $-4095, %rax\n\t"
	"jae 3f\n\t"
	"ret\n"
	"2:\n\t"
	"pushq %rdi\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"pushq %rsi\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"pushq %rdx\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"pushq %rcx\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"subq $8, %rsp\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"movq %rsi, %rdi\n\t"
	"call sampler_before_seccomp\n\t"
	"addq $8, %rsp\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %rcx\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %rdx\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %rsi\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %rdi\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"jmp 1b\n" /* seccomp has three arguments */
	"3:\n\t"
	"movq %rax, %rdi\n\t"
	"jmp sampler_failed\n\t"
	".cfi_endproc\n\t"
	".size syscall, . - syscall\n");
