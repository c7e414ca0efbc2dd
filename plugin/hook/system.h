/* SPDX-License-Identifier: MIT */
/*
 * System calls and strings for the hook, which must not call any function that a program can define
 * itself. System calls return -errno on errors.
 */
#ifndef CINSTR_HOOK_SYSTEM_H
#define CINSTR_HOOK_SYSTEM_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "hook_arch.h"

static inline int hook_failed(const void *address)
{
	return (unsigned long)address > -4096ul;
}

static inline char *hook_map(const void *at, size_t bytes, int protection, int flags, long fd,
			     uint64_t offset)
{
	return (char *)hook_syscall(SYS_mmap, at, (long)bytes, protection, flags, fd, (long)offset);
}

/* Opens a file for reading, with a descriptor above 2, as a program may have closed 0, 1 and 2. */
static inline long hook_open(const char *path)
{
	long fd = hook_syscall(SYS_openat, (void *)(long)AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0),
	     above;

	if (fd < 0 || fd > 2)
		return fd;
	above = hook_syscall(SYS_fcntl, (void *)fd, F_DUPFD_CLOEXEC, 3, 0, 0, 0);
	hook_syscall(SYS_close, (void *)fd, 0, 0, 0, 0, 0);
	return above;
}

static inline size_t hook_length(const char *string)
{
	size_t n = 0;

	while (string[n])
		n++;
	return n;
}

static inline int hook_begins(const char *string, const char *start)
{
	while (*start && *string == *start)
		string++, start++;
	return !*start;
}

static inline int hook_equal(const char *a, const char *b)
{
	return hook_begins(a, b) && !a[hook_length(b)];
}

/* Returns the part of a path after its last slash. */
static inline const char *hook_base_name(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

#endif
