/* SPDX-License-Identifier: MIT */
/*
 * pipes.c - the descriptors that are ends of pipes which this process both reads and writes. The
 * thunks around calls (thunk_moves.inc) note reads and writes of such an end, and that it is
 * closed, among the gives (waits.c): a thread that waits at the other end then knows who ended
 * that. An end is known from its second call on, when both ends have been used. Not known are
 * pairs of sockets: the kernel does not tell a descriptor's peer without a socket of its own, whose
 * number the program could notice.
 *
 * Called in any thread of the process, signals blocked. Two pipes whose keys share a place in
 * `ends` may lose each other's ends; their reads then wait for nobody that is known.
 */
#include "runtime.h"

#define PLACES 1024u
#define PIPE_OBJECT (1ull << PIPE_OBJECT_BIT)

/* By descriptor: key << 1 | whether it is the end to write to; 0: not known to be such an end. */
uint32_t pipes_of_fds[FILES_FDS];

/* The last descriptor that was seen of a pipe, by end and key: key << 32 | descriptor. */
static uint64_t ends[2][PLACES];

/* Returns 31 bits of the inode's number, not 0. */
static uint32_t key_of(const char *digits)
{
	uint32_t inode = 0;

	while (*digits >= '0' && *digits <= '9')
		inode = inode * 10 + (uint32_t)(*digits++ - '0');
	inode &= INT32_MAX;
	return inode ? inode : 1;
}

void pipes_see(uint32_t fd, const char *digits, int writes, uint32_t file)
{
	uint32_t key = key_of(digits), place = key % PLACES, mine = key << 1 | (uint32_t)writes;
	uint64_t other;

	/* of two threads that come to both ends at one time, one sees the other's */
	atomic_swap(&ends[writes][place], (uint64_t)key << 32 | fd);
	other = atomic_load_ordered(&ends[!writes][place]);
	if (other >> 32 != key)
		return;
	atomic_store_relaxed(&pipes_of_fds[fd], mine);
	/* else it was closed, and may be another file by now */
	if (atomic_load_relaxed(&files_of_fds[(uint32_t)other]) == file)
		atomic_store_relaxed(&pipes_of_fds[(uint32_t)other], mine ^ 1);
}

void pipes_forget(uint32_t fd)
{
	if (atomic_load_relaxed(&pipes_of_fds[fd]))
		atomic_store_relaxed(&pipes_of_fds[fd], 0);
}

uint64_t pipes_awaited(uint32_t fd)
{
	uint32_t end = fd < FILES_NO_FD ? atomic_load_relaxed(&pipes_of_fds[fd]) : 0;

	return end ? PIPE_OBJECT | (end ^ 1) : 0;
}

void pipes_forked(uint32_t n_fds)
{
	arch_zero(ends, sizeof(ends));
	arch_zero(pipes_of_fds, n_fds * sizeof(*pipes_of_fds));
}
