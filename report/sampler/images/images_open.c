/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * images_open.c - finds the mapped file, which is at another path for processes in containers, and
 * may have been replaced by another of the same name. See image.h.
 *
 * Tries in this order: the mapping itself (needs privileges), the path in the process's own root,
 * its executable, the path here. The inode must be the mapping's. The device need not be: file
 * systems with several volumes (btrfs) give stat() other numbers than the kernel's maps. Layered
 * ones (overlay) may even give other inodes; a file of that name in the process's root is then
 * taken if it has not changed since the collection began.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image.h"
#include "lib/files.h"

enum trust { EXACT, OLD_IS_ENOUGH };

struct search {
	const struct raw_mapping *mapping;
	const struct timespec *since;
	int is_deleted;
	struct stat *st;
};

static int is_older(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

static int is_it(const struct search *s, enum trust trust)
{
	if (!S_ISREG(s->st->st_mode))
		return 0;
	if (s->mapping->inode == s->st->st_ino)
		return 1;
	if (trust == EXACT || s->is_deleted)
		return 0;
	return !s->mapping->inode || is_older(&s->st->st_ctim, s->since);
}

/* What is no regular file is not opened at all: opening may do something. */
static int try_path(const struct search *s, const char *path, enum trust trust)
{
	int fd;

	if (stat(path, s->st) || !is_it(s, trust))
		return -1;
	fd = files_open(path, FILES_LINKED);
	if (fd >= 0 && !fstat(fd, s->st) && is_it(s, trust))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int image_open(const struct raw_mapping *mapping, const char *path, int is_deleted,
	       const struct timespec *since, struct stat *st)
{
	const struct search s = { mapping, since, is_deleted, st };
	char name[IMAGE_PATH_MAX];
	int fd;

	snprintf(name, sizeof(name), "/proc/%u/map_files/%llx-%llx", mapping->pid,
		 (unsigned long long)mapping->start, (unsigned long long)mapping->end);
	fd = try_path(&s, name, EXACT);
	if (fd < 0 && path[0] == '/' &&
	    snprintf(name, sizeof(name), "/proc/%u/root%s", mapping->pid, path) < (int)sizeof(name))
		fd = try_path(&s, name, OLD_IS_ENOUGH);
	if (fd < 0) {
		snprintf(name, sizeof(name), "/proc/%u/exe", mapping->pid);
		fd = try_path(&s, name, EXACT);
	}
	if (fd < 0 && path[0] == '/')
		fd = try_path(&s, path, mapping->inode ? EXACT : OLD_IS_ENOUGH);
	return fd;
}
