/* SPDX-License-Identifier: MIT */
/*
 * reach.c - opens the data file for a moment (store.c): by its path, or, if the folder has been
 * moved, by the kernel's present name of the mapping. Where the descriptor has to be in the
 * program's table (apart.c), the program may have put another file there since. Under the store's
 * lock, signals blocked. System calls only.
 */
#include <errno.h>

#include "runtime.h"

#define DELETED " (deleted)" /* what the kernel appends to the name of a deleted file */
#define TRIES 3		     /* a program that closes all descriptors may close ours */

int reach_is_ours(int fd)
{
	return folder_is(fd, &cinstr.store.id);
}

void reach_close(int fd)
{
	if (reach_is_ours(fd))
		sys_close(fd);
}

static int open_path(const char *path)
{
	int fd = sys_open_above(AT_FDCWD, path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);

	if (fd >= 0 && !reach_is_ours(fd)) { /* another file has that name */
		sys_close(fd);
		return -ENOENT;
	}
	return fd;
}

/* A line of maps, "BEGIN-END ... /path" without its newline: is it our mapping's? Its path, of
 * `length`. */
static int path_of_line(const char *line, unsigned length, char *path, unsigned size)
{
	uint64_t begin = 0;
	unsigned i = 0, n = 0;

	for (; i < length && line[i] != '-'; i++)
		begin = begin << 4 | (uint64_t)(line[i] <= '9' ? line[i] - '0' : line[i] - 'a' + 10);
	if (begin != (uint64_t)cinstr.store.file)
		return 0;
	while (i < length && line[i] != '/')
		i++;
	for (; i < length && n + 1 < size; n++) {
		int is_newline = i + 3 < length && line[i] == '\\' && line[i + 1] == '0' &&
				 line[i + 2] == '1' && line[i + 3] == '2';

		path[n] = is_newline ? '\n' : line[i];
		i += is_newline ? 4 : 1;
	}
	path[n] = '\0';
	return n > 0 && i == length;
}

/* Reads maps up to our line. */
static int path_now(char *path, unsigned size)
{
	/* Not self: the first thread may have ended. */
	int fd = sys_open("/proc/thread-self/maps", O_RDONLY, 0), found = 0;
	char buffer[4096];
	unsigned used = 0;
	long n;

	while (fd >= 0 && !found && (n = sys_read(fd, buffer + used, sizeof(buffer) - used)) > 0) {
		unsigned start = 0;

		used += (unsigned)n;
		for (unsigned i = 0; i < used && !found; i++) {
			if (buffer[i] != '\n')
				continue;
			found = path_of_line(buffer + start, i - start, path, size);
			start = i + 1;
		}
		for (unsigned i = start; i < used; i++)
			buffer[i - start] = buffer[i];
		used = used - start < sizeof(buffer) ? used - start : 0;
	}
	if (fd >= 0)
		sys_close(fd);
	return found;
}

static int is_deleted(const char *path)
{
	size_t n = string_length(path), suffix = sizeof(DELETED) - 1;

	return n > suffix && string_equal(path + n - suffix, DELETED);
}

int reach_file(void)
{
	int fd = -ENOENT;

	for (int i = 0; i < TRIES && fd < 0; i++) {
		char path[sizeof(cinstr.store.path)];

		fd = open_path(cinstr.store.path);
		if (fd >= 0 || !path_now(path, sizeof(path)))
			continue;
		fd = open_path(path);
		if (fd >= 0)
			arch_copy(cinstr.store.path, path, string_length(path) + 1);
		else if (is_deleted(path))
			return -ESTALE;
	}
	return fd;
}
