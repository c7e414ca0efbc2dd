/* SPDX-License-Identifier: MIT */
/* session_lock.c - see session_lock.h. In constructors, at the exit, and in the command. System
 * calls only. */
#include "session_lock.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "cinstr/atomics.h"
#include "folder.h"
#include "session.h"
#include "system/sys.h"
#include "system/text.h"

#define LOCK_TRIES 1000
#define LOCK_MAGIC SESSION_MAGIC
#define LOCK_MAGIC_BYTES (sizeof(LOCK_MAGIC) - 1)

static struct session_page lock_page;

struct session_page session_page(void)
{
	return lock_page;
}

void session_page_moved(void *to)
{
	lock_page.at = to;
}

/* A page: the magic, and at CINSTR_CONTROL_OFFSET the control block. Where there is no room for it,
 * the magic alone. */
static int write_lock_file(int fd)
{
	static const char page[CINSTR_PAGE] = LOCK_MAGIC;
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	size_t bytes = sizeof(page);

	/* Growing beyond the limit would send SIGXFSZ. */
	SYS4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit);
	if (limit.rlim_cur < bytes)
		bytes = LOCK_MAGIC_BYTES;
	if (limit.rlim_cur < bytes)
		return -EFBIG;
	return sys_write(fd, page, bytes) >= (long)LOCK_MAGIC_BYTES ? 0 : -ENOSPC;
}

/* 0 or -errno. */
static int map_lock_file(int fd, int writable)
{
	struct stat status = { .st_size = 0 };
	void *page;

	SYS2(SYS_fstat, fd, &status);
	if (!status.st_nlink) /* its session has just been deleted */
		return -ENOENT;
	writable = writable && status.st_size >= (long)CINSTR_PAGE;
	page = sys_mmap(NULL, CINSTR_PAGE, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
	if (sys_failed(page))
		return (int)(long)page;
	lock_page = (struct session_page){ .at = page, .writable = writable };
	return 0;
}

/*
 * The lock: flock belongs to the open file, which lives as long as a mapping of it does; so the
 * descriptor is closed at once and the lock held until the process ends or execs. A forked child
 * holds it too.
 */
static int share_lock(int fd, int writable)
{
	int error = -EAGAIN;

	for (int i = 0; i < LOCK_TRIES && error == -EAGAIN; i++) {
		if (i)
			SYS0(SYS_sched_yield);
		error = (int)SYS2(SYS_flock, fd, LOCK_SH | LOCK_NB);
	}
	if (!error)
		error = map_lock_file(fd, writable);
	sys_close(fd);
	return error;
}

int lock_make(int folder)
{
	int fd = folder_make_file(folder, SESSION_LOCK_NAME), error;

	if (fd < 0)
		return fd;
	/* First: who finds it finds it taken. */
	error = (int)SYS2(SYS_flock, fd, LOCK_SH | LOCK_NB);
	if (!error)
		error = write_lock_file(fd);
	if (!error)
		return share_lock(fd, 1);
	sys_close(fd);
	return error;
}

/* As one of several: the file is followed, so it must be nobody's who may not be trusted. */
int lock_join(int folder)
{
	int fd = folder_open_trusted_file(folder, SESSION_LOCK_NAME, O_RDWR), writable = fd >= 0;

	if (fd == -EACCES || fd == -EROFS)
		fd = folder_open_trusted_file(folder, SESSION_LOCK_NAME, O_RDONLY);
	return fd < 0 ? fd : share_lock(fd, writable);
}

/* The lock file of a session, open; -ENOENT: there is none, or it is somebody else's file. */
int lock_open(int folder, struct lock_head *head)
{
	/* NFS gives locks only to those who may write */
	int fd = folder_open_file(folder, SESSION_LOCK_NAME, O_RDWR);

	if (fd == -EACCES || fd == -EROFS || fd == -EPERM)
		fd = folder_open_file(folder, SESSION_LOCK_NAME, O_RDONLY);
	*head = (struct lock_head){ .last_end_ns = 0 };
	if (fd < 0)
		return fd == -EINVAL || fd == -ELOOP ? -ENOENT : fd;
	if (sys_read(fd, head, sizeof(*head)) >= (long)LOCK_MAGIC_BYTES &&
	    string_equal(head->magic, LOCK_MAGIC))
		return fd;
	sys_close(fd);
	return -ENOENT;
}

void session_note_end(void)
{
	if (lock_page.at && lock_page.writable)
		atomic_store_relaxed((uint64_t *)(void *)((char *)lock_page.at + CINSTR_LAST_END_OFFSET),
				     sys_clock_ns(CLOCK_REALTIME));
}

void session_note_launch(uint64_t launch)
{
	if (lock_page.at && lock_page.writable)
		atomic_store_relaxed((uint64_t *)(void *)((char *)lock_page.at + CINSTR_LAUNCH_OFFSET),
				     launch);
}

int session_is_live(const char *path)
{
	int folder = sys_open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0), fd, error;
	struct lock_head head;

	if (folder < 0)
		return folder;
	fd = lock_open(folder, &head);
	sys_close(folder);
	if (fd < 0)
		return fd;
	error = (int)SYS2(SYS_flock, fd, LOCK_EX | LOCK_NB);
	sys_close(fd);
	/* -EBADF: no lock without the right to write (NFS): it cannot be known */
	return error == -EAGAIN ? 1 : error == -EBADF ? 0 : error;
}

void lock_drop(void)
{
	if (lock_page.at)
		sys_munmap(lock_page.at, CINSTR_PAGE);
	lock_page = (struct session_page){ .at = NULL };
}
