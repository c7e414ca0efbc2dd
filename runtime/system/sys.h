/* SPDX-License-Identifier: MIT */
/*
 * sys.h - system calls without libc: they return -errno, leave errno alone, cannot be interposed
 * and use general registers only, so they may be made inside a probe.
 */
#ifndef CINSTR_SYS_H
#define CINSTR_SYS_H

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "arch.h"
#include "race_tools.h"
#ifdef CINSTR_VIRTUAL
#include "hooks.h" /* testsuite/virtual */
#endif

#define SYS0(nr) arch_syscall(nr, 0, 0, 0, 0, 0, 0)
#define SYS1(nr, a) arch_syscall(nr, (long)(a), 0, 0, 0, 0, 0)
#define SYS2(nr, a, b) arch_syscall(nr, (long)(a), (long)(b), 0, 0, 0, 0)
#define SYS3(nr, a, b, c) arch_syscall(nr, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define SYS4(nr, a, b, c, d) arch_syscall(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define SYS6(nr, a, b, c, d, e, f) \
	arch_syscall(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline int sys_open(const char *path, int flags, int mode)
{
	return (int)SYS4(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
}

static inline int sys_close(int fd)
{
	return (int)SYS1(SYS_close, fd);
}

/*
 * Opens a file for writing, with a descriptor above 2. A program that has closed 0, 1 or 2 may
 * still write there and must not reach our file; the placeholders used meanwhile cannot be written
 * into either.
 */
static inline int sys_open_above(int at, const char *path, int flags, int mode)
{
	int low[3], n = 0, fd;

	for (; n < 3; n++) {
		low[n] = sys_open("/", O_PATH, 0);
		if (low[n] > 2)
			sys_close(low[n]);
		if (low[n] < 0 || low[n] > 2)
			break;
	}
	fd = (int)SYS4(SYS_openat, at, path, flags | O_CLOEXEC, mode);
	while (n-- > 0)
		sys_close(low[n]);
	return fd;
}

static inline long sys_read(int fd, void *data, size_t size)
{
	return SYS3(SYS_read, fd, data, size);
}

static inline long sys_write(int fd, const void *data, size_t size)
{
	return SYS3(SYS_write, fd, data, size);
}

static inline void *sys_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return (void *)SYS6(SYS_mmap, at, size, protection, flags, fd, offset);
}

/* Returns 1 for the errors of mmap and mremap: addresses -4095 ... -1. */
static inline int sys_failed(const void *address)
{
	return (unsigned long)address > -4096ul;
}

static inline int sys_munmap(void *at, size_t size)
{
#ifdef __SANITIZE_THREAD__
	/* libc's, so that TSan forgets its state of these addresses (testsuite/stress). */
	return munmap(at, size);
#endif
	return (int)SYS2(SYS_munmap, at, size);
}

static inline int sys_mprotect(void *at, size_t size, int protection)
{
	return (int)SYS3(SYS_mprotect, at, size, protection);
}

static inline void *sys_memory(size_t size)
{
	size_t gap = race_tools_gap();
	char *memory;
#ifdef __SANITIZE_THREAD__
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#endif
	memory = sys_mmap(NULL, size + gap, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(memory))
		return memory;
	race_tools_ignore(memory, size);
	if (gap)
		sys_mprotect(memory + ((size + gap - 1) & ~(gap - 1)), gap, PROT_NONE);
	return memory;
}

/*
 * Returns 1 if a word can be read at the address, else 0. Only with all signals blocked: then
 * blocking a set changes nothing, but fails if the kernel cannot read the set (NULL would mean
 * none). Other system calls might be forbidden by a filter.
 */
static inline int sys_is_readable(uint64_t address)
{
	return address && !SYS4(SYS_rt_sigprocmask, SIG_BLOCK, address, NULL, 8);
}

/* Returns the word at an address of the program, or 0 if that is not mapped. Conditions as
 * sys_is_readable. */
static inline uint64_t sys_read_word(uint64_t address)
{
	return sys_is_readable(address) ? *(const uint64_t *)address : 0;
}

/* Blocks all signals. Returns the previous mask. */
static inline uint64_t sys_block_signals(void)
{
	uint64_t all = ~0ull, old = 0;

	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8);
	return old;
}

static inline void sys_restore_signals(uint64_t old)
{
	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, 8);
}

/* Returns the time of a clock in ns, or 0 if it cannot be read. In the runtime for tests, clocks
 * that measure the program are virtual. */
static inline uint64_t sys_clock_ns(int clock)
{
	struct timespec ts = { 0, 0 };
#ifdef CINSTR_VIRTUAL
	uint64_t ns;

	if (virtual_clock(clock, &ns))
		return ns;
#endif

	SYS2(SYS_clock_gettime, clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline int sys_thread_usage(struct rusage *usage)
{
#ifdef CINSTR_VIRTUAL
	virtual_usage(usage);
	return 0;
#endif
	return (int)SYS2(SYS_getrusage, RUSAGE_THREAD, usage);
}

#endif
