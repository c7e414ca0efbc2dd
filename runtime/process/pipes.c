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
 * `ends` may lose each other's ends; their reads then wait for nobody that is known. So do
 * two in `inodes`, once their descriptors are duplicated.
 */
#include "runtime.h"

#define PLACES 1024u
#define MADE (1u << 27) /* in numbers of what the process has made; not in those of others */
#define WORD(kind, number, side) \
	((uint32_t)(kind) << CINSTR_END_KIND_AT | ((number)&0xfffffffu) << 1 | (uint32_t)(side))

/* By descriptor: the object's lower half (cinstr/amounts.h) of the end that it is; 0: not known to
 * be one. */
uint32_t pipes_of_fds[FILES_FDS];

/* The last descriptor that was seen of a pipe or connection, by end: word << 32 | descriptor. */
static uint64_t ends[2][PLACES];

/* The ends that the process has made and used, by inode: inode << 32 | word. */
static uint64_t inodes[PLACES];
static uint32_t n_made;

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

/* Returns the end that the socket is of its connection, or 0. */
static uint32_t connection_of(uint32_t fd)
{
	int side;
	uint32_t number = sockets_connection((int)fd, &side);

	return number ? WORD(CINSTR_END_SOCKET, number & ~MADE, side) : 0;
}

/* Says whether the descriptor still is this end, whose other one is `other`. */
static int is_still(uint32_t fd, uint32_t word, uint32_t other)
{
	return word >> CINSTR_END_KIND_AT == CINSTR_END_PIPE
		       ? atomic_load_relaxed(&files_of_fds[fd]) == atomic_load_relaxed(&files_of_fds[other])
		       : connection_of(fd) == word;
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

/* Notes the end of a pipe or socket that has this inode, if the inode is known. Returns 1 if it
 * is, else 0. */
static int see_inode(uint32_t fd, uint32_t inode, int writes)
{
	uint64_t known = atomic_load_relaxed(&inodes[inode % PLACES]);

	if (known >> 32 != inode)
		return 0;
	atomic_store_relaxed(&pipes_of_fds[fd], (uint32_t)known | (uint32_t)writes);
	return 1;
}

void pipes_see(uint32_t fd, const char *link, int writes)
{
	uint32_t made = atomic_load_relaxed(&pipes_of_fds[fd]);
	uint32_t pipe = inode_of(link, "pipe:["), inode = pipe ? pipe : inode_of(link, "socket:[");

	if (made && inode) {
		made &= pipe ? ~1u : ~0u; /* both ends of a pipe have one inode */
		atomic_store_relaxed(&inodes[inode % PLACES], (uint64_t)inode << 32 | made);
	} else if (string_equal(link, "anon_inode:[eventfd]")) {
		atomic_store_relaxed(&pipes_of_fds[fd], WORD(CINSTR_END_EVENT, fd + 1, 0));
	} else if (inode && !see_inode(fd, inode, pipe && writes)) {
		uint32_t word = pipe ? WORD(CINSTR_END_PIPE, pipe & ~MADE, writes) : connection_of(fd);

		if (word)
			see_end(fd, word);
	}
}

void pipes_made(enum cinstr_end_kind kind, const uint32_t fds[2])
{
	int is_event = kind == CINSTR_END_EVENT;
	uint32_t number = is_event ? fds[0] + 1 : MADE | (uint32_t)atomic_add(&n_made, 1);

	for (int i = 0; i < 2; i++)
		atomic_store_relaxed(&pipes_of_fds[fds[i]], WORD(kind, number, is_event ? 0 : i));
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
	arch_zero(inodes, sizeof(inodes));
	arch_zero(pipes_of_fds, n_fds * sizeof(*pipes_of_fds));
}
