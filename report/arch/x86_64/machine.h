/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * machine.h - numbers and names of x86-64 for the command: files, folders, registers. Each
 * processor's folder defines the same names; functions are declared in arch/machine_code.h,
 * arch/registers.h and arch/instruction.h.
 */
#ifndef REPORT_MACHINE_H
#define REPORT_MACHINE_H

#include <elf.h>
#include <stdint.h>

/* ---- names and files ------------------------------------------------------------------------- */

#define MACHINE_NAME "x86-64"
#define MACHINE_ELF EM_X86_64
/* Folder of libraries on systems with libraries of several machines. */
#define MACHINE_TRIPLET "x86_64-linux-gnu"
/* Prefixes of `gcc -dumpmachine`. */
#define MACHINE_TARGETS "x86_64", "amd64"
/* Compiler options that select foreign code, and those that cancel them. */
#define MACHINE_FOREIGN_OPTIONS "-m32", "-mx32", "-m16", "-miamcu", "-mcmodel=large"
#define MACHINE_OWN_OPTIONS "-m64", "-mcmodel=small", "-mcmodel=medium", "-mcmodel=kernel"
/* Relocations of slots that stubs jump through: of a symbol, and of an IFUNC's function. */
#define MACHINE_RELOC_SLOT R_X86_64_JUMP_SLOT
#define MACHINE_RELOC_DATA R_X86_64_GLOB_DAT
#define MACHINE_RELOC_IFUNC R_X86_64_IRELATIVE

/* ---- bytes of code (arch/machine_code.h) ----------------------------------------------------- */

#define MACHINE_CALL_BYTES 7
#define MACHINE_PASS_ON_BYTES 5
#define MACHINE_SIGRETURN_BYTES 9
#define MACHINE_SIGRETURN_OFFSETS 3
#define MACHINE_LAZY_STUB_BYTES 2

/* ---- registers, by their DWARF numbers ------------------------------------------------------- */

/* 16, and the column of the return address, which holds the instruction pointer. */
#define MACHINE_REGISTERS 17
#define MACHINE_FP 6 /* frame pointer */
#define MACHINE_SP 7
#define MACHINE_IP 16
/* Registers preserved by calls, and the return address: rbx, rbp, r12-r15. */
#define MACHINE_SAVED_REGISTERS \
	{ \
		3, MACHINE_FP, 12, 13, 14, 15, MACHINE_IP \
	}
#define MACHINE_N_SAVED 7
/* Distance of the CFA from the stack pointer at a function's first instruction. */
#define MACHINE_CFA_AT_ENTRY 8

/* Masks of the kernel's numbers (asm/perf_regs.h): all of the above, and the instruction
 * pointer. */
#define MACHINE_PERF_REGISTERS 0xff01ffull
#define MACHINE_PERF_IP 0x100ull

/* Returns the runtime's clock (runtime/arch), read after all earlier instructions have
 * completed. */
static inline uint64_t machine_ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("mfence; lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

#endif
