/* SPDX-License-Identifier: MIT */
/*
 * backing.c - maps a module's own file where its probes will lie. Tools outside of the process
 * (perf --call-graph dwarf) know code by the file that it was mapped from, and take that file's
 * unwind information, which knows the room (plugin/room.cc). For memory without a file they have
 * none, and their stacks end in the probe. What the file has at that place is of no importance.
 *
 * Each page is written at once, and so a copy: what becomes of the file afterwards does not matter.
 */
#include "runtime.h"

struct backing {
	const char *path;
	char *room; /* where the pages begin */
	size_t bytes;
	int is_mapped;
};

/* Returns the whole pages that the file has, at most as many bytes as the room. */
static size_t piece_of(int fd, const struct backing *backing)
{
	struct stat st;

	if (SYS2(SYS_fstat, fd, &st) || (st.st_mode & S_IFMT) != S_IFREG)
		return 0;
	return min_of((uint64_t)st.st_size & ~(uint64_t)(CINSTR_PAGE - 1), backing->bytes);
}

static int map_pieces(int fd, const struct backing *backing)
{
	size_t piece = piece_of(fd, backing);

	for (size_t at = 0; piece && at < backing->bytes; at += piece) {
		char *to = backing->room + at;
		size_t n = min_of(backing->bytes - at, piece);

		if (sys_failed(sys_mmap(to, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0)))
			return 0;
		for (size_t page = 0; page < n; page += CINSTR_PAGE)
			*(volatile char *)(to + page) = 0;
	}
	return piece > 0;
}

/* In a task with descriptors of its own (apart.c). */
static void map_file(void *data)
{
	struct backing *backing = data;
	int fd = sys_open(backing->path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);

	if (fd < 0)
		return;
	backing->is_mapped = map_pieces(fd, backing);
	sys_close(fd);
}

int backing_map(const struct module *module, size_t from, size_t to)
{
	const int writable = PROT_READ | PROT_WRITE | PROT_EXEC;
	struct backing backing = { .path = module->image.path,
				   .room = module->room + from,
				   .bytes = to - from };

	/* descriptors would be the program's; or this is valgrind, which reads what is mapped */
	if (atomic_load_relaxed(&cinstr.not_apart) || !cinstr.restartable || !backing.path || !*backing.path)
		return sys_mprotect(backing.room, backing.bytes, writable);
	call_apart(map_file, &backing);
	if (backing.is_mapped && !sys_mprotect(backing.room, backing.bytes, writable))
		return 0;
	return sys_failed(sys_mmap(backing.room, backing.bytes, writable,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0))
		       ? -1
		       : 0;
}
