/* SPDX-License-Identifier: MIT */
/*
 * arch.h - everything that depends on the processor, with thunk_template.S, slow_entry.S and
 * calls.c: the clock, system calls, thread-local offsets, restartable sequences, patching. x86-64.
 */
#ifndef CINSTR_ARCH_H
#define CINSTR_ARCH_H

#include <cpuid.h>
#include <elf.h>
#include <linux/audit.h>
#include <stdint.h>
#include <sys/syscall.h>

#ifndef __x86_64__
#error "cinstr: only x86-64 so far"
#endif

/* The architecture's number in filters of system calls. */
#define ARCH_AUDIT AUDIT_ARCH_X86_64

/* The registers at a sled, as slow_entry.S pushes them. */
struct arch_registers {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax;
};

/* Returns argument n (0 to 5) of the call at the sled. */
static inline uint64_t arch_argument(const struct arch_registers *registers, int n)
{
	switch (n) {
	case 0:
		return registers->rdi;
	case 1:
		return registers->rsi;
	case 2:
		return registers->rdx;
	case 3:
		return registers->rcx;
	case 4:
		return registers->r8;
	default:
		return registers->r9;
	}
}

/* Returns 1 if the counting stub has counted; not for stubs that keep r10. */
static inline int arch_has_counted(const struct arch_registers *registers)
{
	return registers->r10 != 0;
}

/* Returns where the stub ends that was jumped to and has come to the slow path, or NULL: the stub
 * was called; not for stubs that keep r10. */
static inline const char *arch_stub_end(const struct arch_registers *registers)
{
	return (const char *)registers->r11;
}

/* Returns the result of the call before the sled. */
static inline uint64_t arch_result(const struct arch_registers *registers)
{
	return registers->rax;
}

/*
 * Reads a word by its offset from the thread pointer, as probes do: works also where the word at
 * the thread pointer does not hold its own address.
 */
static inline uint64_t arch_thread_word(int64_t offset)
{
	uint64_t word;

	__asm__ volatile("mov %%fs:(%1), %0" : "=r"(word) : "r"(offset));
	return word;
}

/* Returns the word at the thread pointer: in a thread, its own address. */
static inline uint64_t arch_thread_pointer(void)
{
	uint64_t word;

	__asm__ volatile("mov %%fs:0, %0" : "=r"(word));
	return word;
}

/* Clears the word at this offset from the thread pointer. */
static inline void arch_clear_thread_word(int64_t offset)
{
	__asm__ volatile("movq $0, %%fs:(%0)" : : "r"(offset) : "memory");
}

static inline long arch_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/*
 * Makes a task by clone() that calls work(data) on this stack and ends. With CLONE_VFORK the caller
 * waits until then. Returns the task's number, or -errno.
 */
static inline long arch_call_in_task(unsigned long flags, void (*work)(void *), void *data)
{
	register long r10 __asm__("r10") = 0;
	register long r8 __asm__("r8") = 0;
	register void (*r12)(void *) __asm__("r12") = work;
	register void *r13 __asm__("r13") = data;
	long result;

	__asm__ volatile("mov %%rsp, %%r14\n\t"
			 "sub $128, %%rsp\n\t"
			 "and $-16, %%rsp\n\t"
			 "syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "mov %%r13, %%rdi\n\t"
			 "call *%%r12\n\t"
			 "mov %[exit], %%eax\n\t"
			 "xor %%edi, %%edi\n\t"
			 "syscall\n"
			 "1:\tmov %%r14, %%rsp"
			 : "=a"(result)
			 : "a"((long)SYS_clone), "D"(flags), "S"(0l), "d"(0l), "r"(r10), "r"(r8), "r"(r12),
			   "r"(r13), [exit] "i"(SYS_exit)
			 : "rcx", "r11", "r14", "memory", "cc");
	return result;
}

/* Makes a system call and returns r11 after it: the flags, with most kernels and processors. */
static inline uint64_t arch_left_by_syscall(void)
{
	register uint64_t r11 __asm__("r11") = 0;
	long result;

	__asm__ volatile("syscall" : "=a"(result), "+r"(r11) : "a"((long)SYS_getppid) : "rcx", "memory");
	return r11;
}

/* Returns r11 at a sled, to be compared as that of arch_left_by_syscall(). */
static inline uint64_t arch_left_at(const struct arch_registers *registers)
{
	return registers->r11;
}

static inline void arch_left_clear(struct arch_registers *registers)
{
	registers->r11 = 0;
}

#ifdef CINSTR_VIRTUAL
/* The runtime for tests advances time only on request (testsuite/virtual). */
uint64_t virtual_ticks(void);

static inline uint64_t arch_ticks(void)
{
	return virtual_ticks();
}

uint64_t virtual_counter(uint32_t index);

static inline uint64_t arch_read_counter(uint32_t index)
{
	return virtual_counter(index);
}

static inline uint64_t arch_ticks_between(void)
{
	return virtual_ticks();
}
#else
static inline uint64_t arch_ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* Returns the processor's counter of this number, as wide as the processor has it. */
static inline uint64_t arch_read_counter(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t)high << 32 | low;
}

/* Returns a clock reading after everything before it has finished, and before anything after it has
 * begun. */
static inline uint64_t arch_ticks_between(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}
#endif

/* A clock reading after this fence is made when all processors can see the memory operations before
 * it. */
static inline void arch_ticks_fence(void)
{
	__asm__ volatile("mfence; lfence" : : : "memory");
}

/* Returns 1 if the TSC runs at a constant rate in all states of the processor. */
static inline int arch_ticks_invariant(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}

/* Returns 1 in a virtual machine, whose timers are the host's. */
static inline int arch_is_virtual(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & 1u << 31);
}

/* Returns 1 if there are xsave and xrstor, enabled by the kernel (OSXSAVE). */
static inline int arch_has_xsave(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & 1u << 27);
}

/* Returns 1 if there are lahf and sahf, which the first x86-64 processors lack in 64-bit code. */
static inline int arch_has_lahf(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & 1u);
}

/* Returns 1 if there is cmpxchg16b, which the first x86-64 processors lack. */
static inline int arch_has_replace_16(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & 1u << 13);
}

/* Replaces 16 aligned bytes atomically if they equal `old`, also for signal handlers and for
 * readers after a kill. Returns 1 if it did, else 0. */
static inline int arch_replace_16(void *at, const uint64_t *old, const uint64_t *fresh)
{
	uint64_t low = old[0], high = old[1];
	int done;

	__asm__ volatile("lock cmpxchg16b %[at]"
			 : [at] "+m"(*(unsigned __int128 *)at), "=@ccz"(done), "+a"(low), "+d"(high)
			 : "b"(fresh[0]), "c"(fresh[1])
			 : "memory");
	return done;
}

/* memcpy and memset to 0 without vector registers and without libc. */
static inline void arch_copy(void *to, const void *from, uint64_t bytes)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

static inline void arch_zero(void *to, uint64_t bytes)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(0) : "memory");
}

/* Returns 1 for relocations that the dynamic loader resolves by writing a symbol's address. */
static inline int arch_is_slot(uint32_t type)
{
	return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
}

/* Signature before every abort handler (registered by glibc for x86). */
#define ARCH_RSEQ_SIGNATURE 0x53053053u

#define ARCH_SLED_NOP_WORD 0x000000441f0full /* the sled's 5 bytes as the low bytes of a word */
#define ARCH_SLED_BYTES 5
/* A call pushes its return address: distance of a function's stack pointer below its caller's. */
#define ARCH_RETURN_BYTES 8u
#define ARCH_CALL_OPCODE 0xe8
#define ARCH_JUMP_OPCODE 0xe9
#define ARCH_NOP_OPCODE 0x0f
/* endbr64: a function may begin with it (-fcf-protection), before its sled. */
#define ARCH_ENTRY_MARK 0xfa1e0ff3u
#define ARCH_ENTRY_MARK_BYTES 4
#define ARCH_PADDING_4 0x00401f0fu /* the assembler's padding of 4 bytes */
/* A prefix before a call's or jump's opcode without effect. */
#define ARCH_IDLE_PREFIX 0x2e

/*
 * A counter (cinstr/abi.h): movq %fs:word, %reg; incq counter(%reg), or, of a loop, addq %rax,
 * counter(%reg). reg: number in code, of a register whose use as address needs no additional byte.
 * Written after a jump over it (arch_skip_counter()), which stays until arch_enter_counter()
 * replaces it by the first two bytes, by one store at an even address.
 */
static inline void arch_write_counter(char *at, uint32_t reg, int is_loop, int32_t word, int32_t counter)
{
	const uint8_t load[] = { 0x8b, (uint8_t)(4 | (reg & 7) << 3), 0x25 };
	const uint8_t add[] = { reg & 8 ? 0x49 : 0x48, is_loop ? 0x01 : 0xff, (uint8_t)(0x80 | (reg & 7)) };

	__builtin_memcpy(at + 2, load, 3);
	__builtin_memcpy(at + 5, &word, 4);
	__builtin_memcpy(at + 9, add, 3);
	__builtin_memcpy(at + 12, &counter, 4);
}

static inline void arch_enter_counter(char *at, uint32_t reg)
{
	*(volatile uint16_t *)(void *)at = (uint16_t)(0x64 | (reg & 8 ? 0x4c : 0x48) << 8);
}

/*
 * A thread whose instruction pointer is at the last NOP (CINSTR_COUNT_NOP) executes the highest
 * byte of the counter's address. So that byte is a prefix without effect: of segments ds, ss, cs
 * and es.
 */
static const uint8_t arch_counter_prefixes[] = { 0x3e, 0x36, 0x2e, 0x26 };

/* rax, rcx, rdx, rsi, rdi, r8 to r11 */
#define ARCH_IS_COUNTER_REGISTER(reg) (0xfc7u >> (reg)&1)

/* Writes addq $n, sum(%reg); nop after the counter, before that is entered. */
static inline void arch_write_sum(char *at, uint32_t reg, int32_t sum, int32_t n)
{
	const uint8_t add[] = { reg & 8 ? 0x49 : 0x48, 0x81, (uint8_t)(0x80 | (reg & 7)) };

	__builtin_memcpy(at, add, 3);
	__builtin_memcpy(at + 3, &sum, 4);
	__builtin_memcpy(at + 7, &n, 4);
	at[11] = (char)0x90;
}

/* Writes a jump over `bytes` bytes, by one store at an even address. */
static inline void arch_skip_counter(char *at, uint32_t bytes)
{
	*(volatile uint16_t *)(void *)at = (uint16_t)(0xeb | (bytes - 2) << 8);
}

#endif
