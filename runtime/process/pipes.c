/* SPDX-License-Identifier: MIT */
/*
 * pipes.c - the descriptors that are ends of pipes, pairs of sockets or connections which this
 * process both reads and writes; and those of eventfd(), which are both ends. The thunks around
 * calls (thunk_moves.inc) note reads and writes of such an end, and that it is closed, among the
 * gives (waits.c): a thread that waits at the other end then knows who ended that.
 *
 * What pipe(), socketpair() and eventfd() return is known at once; ends of other pipes and of
 * connections (sockets.c) from their second call on, when both have been used. Not known are the
 * ends of connections by AF_UNIX addresses, and pairs of sockets that code without probes has made:
 * the kernel does not tell a descriptor's peer without a socket of its own, whose number the
 * program could notice.
 *
 * Called in any thread of the process, signals blocked. Two pipes whose numbers share a place in
 * `ends` may lose each other's ends; their reads then wait for nobody that is known. So do two
 * sockets in `sockets`, once their descriptors are duplicated.
 */
#include "runtime.h"

#define PLACES 1024u
#define WORD(kind, number, side) \
	((uint32_t)(kind) << CINSTR_END_KIND_AT | ((number)&0xfffffffu) << 1 | (uint32_t)(side))

/* By descriptor: the object's lower half (cinstr/amounts.h) of the end that it is; 0: not known to
 * be one. */
uint32_t pipes_of_fds[FILES_FDS];

/* The last descriptor that was seen of a pipe or connection, by end: word << 32 | descriptor. */
static uint64_t ends[2][PLACES];

/* The ends that the sockets of pairs are, by inode: inode << 32 | word. */
static uint64_t sockets[PLACES];

/* Returns the number behind "KIND:[" in what the kernel says of a descriptor; 0: it is not of this
 * kind. */
static uint32_t inode_of(const char *link, const char *kind)
{
	uint32_t inode = 0;

	for (; *kind; kind++, link++)
		if (*link != *kind)
			return 0;
	while (*link >= '0' && *link <= '9')
		inode = inode * 10 + (uint32_t)(*link++ - '0');
	return inode;
}

/* Says whether the descriptor still is this end, whose other one is `other`. */
static int is_still(uint32_t fd, uint32_t word, uint32_t other)
{
	int side = 0;

	return word >> CINSTR_END_KIND_AT == CINSTR_END_PIPE
		       ? atomic_load_relaxed(&files_of_fds[fd]) == atomic_load_relaxed(&files_of_fds[other])
		       : WORD(CINSTR_END_SOCKET, sockets_connection((int)fd, &side), side) == word;
}

/* Notes an end, if the other one has been seen in this process. */
static void see_end(uint32_t fd, uint32_t word)
{
	uint32_t place = (word >> 1) % PLACES;
	uint64_t other;

	/* of two threads that come to both ends at one time, one sees the other's */
	atomic_swap(&ends[word & 1][place], (uint64_t)word << 32 | fd);
	other = atomic_load_ordered(&ends[!(word & 1)][place]);
	if (other >> 32 != (word ^ 1))
		return;
	atomic_store_relaxed(&pipes_of_fds[fd], word);
	/* else it was closed, and may be another file by now */
	if (is_still((uint32_t)other, word ^ 1, fd))
		atomic_store_relaxed(&pipes_of_fds[(uint32_t)other], word ^ 1);
}

static void see_socket(uint32_t fd, uint32_t inode)
{
	uint64_t known = atomic_load_relaxed(&sockets[inode % PLACES]);
	uint32_t number;
	int side;

	if (known >> 32 == inode) {
		atomic_store_relaxed(&pipes_of_fds[fd], (uint32_t)known);
		return;
	}
	number = sockets_connection((int)fd, &side);
	if (number)
		see_end(fd, WORD(CINSTR_END_SOCKET, number, side));
}

void pipes_see(uint32_t fd, const char *link, int writes)
{
	uint32_t pipe = inode_of(link, "pipe:["), socket = pipe ? 0 : inode_of(link, "socket:[");

	if (pipe)
		see_end(fd, WORD(CINSTR_END_PIPE, pipe, writes));
	else if (socket)
		see_socket(fd, socket);
	else if (string_equal(link, "anon_inode:[eventfd]"))
		atomic_store_relaxed(&pipes_of_fds[fd], WORD(CINSTR_END_EVENT, fd + 1, 0));
}

void pipes_pair(uint32_t fd, uint32_t other)
{
	char link[64];
	uint32_t number = inode_of(files_link(fd, link, sizeof(link)), "socket:["), inode;

	for (uint32_t side = 0; number && side < 2; side++) {
		uint32_t word = WORD(CINSTR_END_SOCKET, number, side), at = side ? other : fd;

		inode = inode_of(files_link(at, link, sizeof(link)), "socket:[");
		atomic_store_relaxed(&sockets[inode % PLACES], (uint64_t)inode << 32 | word);
		atomic_store_relaxed(&pipes_of_fds[at], word);
	}
}

void pipes_forget(uint32_t fd)
{
	if (atomic_load_relaxed(&pipes_of_fds[fd]))
		atomic_store_relaxed(&pipes_of_fds[fd], 0);
}

uint64_t pipes_awaited(uint32_t fd, int writes)
{
	uint32_t end = fd < FILES_NO_FD ? atomic_load_relaxed(&pipes_of_fds[fd]) : 0;

	if (!end)
		return 0;
	end ^= end >> CINSTR_END_KIND_AT != CINSTR_END_EVENT;
	return 1ull << CINSTR_END_BIT | end | 1ull << (writes ? CINSTR_END_READS_BIT : CINSTR_END_WRITES_BIT);
}

void pipes_forked(uint32_t n_fds)
{
	arch_zero(ends, sizeof(ends));
	arch_zero(sockets, sizeof(sockets));
	arch_zero(pipes_of_fds, n_fds * sizeof(*pipes_of_fds));
}
