/* SPDX-License-Identifier: MIT */
/* Holds the hook's (plugin/hook/) code and constants for x86-64. */
#ifndef CINSTR_HOOK_ARCH_H
#define CINSTR_HOOK_ARCH_H

#include <elf.h>

/* Declares an object that hook.cc writes under this local label. */
#define HOOK_LOCAL(type, name, label) extern type name __asm__(label) __attribute__((visibility("hidden")))

#define HOOK_MACHINE EM_X86_64
/* Relocations of the runtime's library. */
#define HOOK_NONE R_X86_64_NONE
#define HOOK_RELATIVE R_X86_64_RELATIVE
#define HOOK_ADDRESS R_X86_64_64
#define HOOK_GLOBAL R_X86_64_GLOB_DAT
#define HOOK_SLOT R_X86_64_JUMP_SLOT
#define HOOK_THREAD R_X86_64_TPOFF64

/* Returns the result, or -errno. */
static inline long hook_syscall(long number, const void *a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#endif
