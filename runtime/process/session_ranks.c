/* SPDX-License-Identifier: MIT */
/*
 * session_ranks.c - one session for all ranks that a launcher has started (session_job.h). The
 * session's file `session` has the number of its launch. One rank at a time, the holder of the lock
 * of the file NAME.ranks.N, checks whether such a session exists, and makes one if not. A rank that
 * finds one needs no lock. In constructors and in the command; system calls only.
 */
#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "cinstr/format.h"
#include "folder.h"
#include "session.h"
#include "session_job.h"
#include "session_lock.h"
#include "system/sys.h"
#include "system/text.h"

#define NAP_NS 1000000
#define WAIT_NS 20000000000ull /* then it makes its own session */
/* Launchers give a number once more, some day. Of a session that has ended longer ago it is
 * another's. */
#define LAUNCH_NS 600000000000ull

struct ranks {
	const char *wanted;
	/* absolute paths: the session; where it is if it cannot be there; the lock's file */
	struct text whole, beside, lock;
	uint64_t launch;
};

static int is_recent(int lock, const struct lock_head *head)
{
	struct stat status = { .st_mtime = 0 };
	uint64_t now_ns = sys_clock_ns(CLOCK_REALTIME), last_ns;

	SYS2(SYS_fstat, lock, &status);
	last_ns = (uint64_t)status.st_mtime * 1000000000;
	if (head->last_end_ns > last_ns)
		last_ns = head->last_end_ns;
	return last_ns + LAUNCH_NS > now_ns;
}

/* Is the session there of this launch? */
static int is_ours(const char *path, uint64_t launch)
{
	int folder = folder_open_trusted(AT_FDCWD, path), lock, result;
	struct lock_head head;

	if (folder < 0)
		return 0;
	lock = lock_open(folder, &head);
	sys_close(folder);
	if (lock < 0)
		return 0;
	result = head.launch == launch && is_recent(lock, &head);
	sys_close(lock);
	return result || (head.launch == launch && session_is_live(path) == 1);
}

static int join_at(const struct text *path, uint64_t launch, char *result)
{
	if (!is_ours(path->data, launch) || session_join(path->data))
		return 0;
	for (unsigned i = 0; i <= path->used; i++)
		result[i] = path->data[i];
	return 1;
}

static int join(const struct ranks *ranks, char *result)
{
	return join_at(&ranks->whole, ranks->launch, result) ||
	       join_at(&ranks->beside, ranks->launch, result);
}

/* -EAGAIN: it was there, and is not any more. */
static int open_lock(const struct ranks *ranks)
{
	int fd = folder_open_trusted_file(AT_FDCWD, ranks->lock.data, O_RDWR);

	return fd == -ENOENT ? -EAGAIN : fd;
}

/* The lock's file, locked: its descriptor; -EAGAIN: somebody has it; -ENOENT: its folder is not
 * there; -errno. */
static int take_lock(const struct ranks *ranks)
{
	int fd = folder_make_file(AT_FDCWD, ranks->lock.data), error;
	struct stat status = { .st_nlink = 0 };

	if (fd == -EEXIST)
		fd = open_lock(ranks);
	if (fd < 0)
		return fd;
	error = (int)SYS2(SYS_flock, fd, LOCK_EX | LOCK_NB);
	if (!error)
		error = (int)SYS2(SYS_fstat, fd, &status);
	if (!error && !status.st_nlink) /* who had it before is done with it */
		error = -EAGAIN;
	if (!error)
		return fd;
	sys_close(fd);
	return error;
}

static void drop_lock(const struct ranks *ranks, int fd)
{
	SYS3(SYS_unlinkat, AT_FDCWD, ranks->lock.data, 0);
	sys_close(fd);
}

static int create(const struct ranks *ranks, char *path)
{
	struct text suffix = { .used = 0 };
	int result;

	text_add_hex(&suffix, (uint32_t)ranks->launch);
	result = session_create_or(ranks->wanted, suffix.data, path);
	if (result >= 0)
		session_note_launch(ranks->launch);
	return result;
}

static int name_all(struct ranks *ranks, const char *wanted, uint64_t launch)
{
	char whole[SESSION_PATH_MAX];
	int error = session_absolute(wanted, whole);

	if (error)
		return error;
	*ranks = (struct ranks){ .wanted = wanted, .launch = launch };
	ranks->whole = text_of(whole, "", "");
	ranks->beside = text_of(whole, ".", "");
	text_add_hex(&ranks->beside, (uint32_t)launch);
	ranks->lock = text_of(whole, ".ranks.", "");
	text_add_hex(&ranks->lock, (uint32_t)launch);
	return 0;
}

static int join_or_create(const struct ranks *ranks, char *path)
{
	struct timespec nap = { 0, NAP_NS };
	uint64_t begin_ns = sys_clock_ns(CLOCK_MONOTONIC);
	int fd, result;

	do {
		if (join(ranks, path))
			return SESSION_JOINED;
		fd = take_lock(ranks);
		if (fd >= 0) {
			result = join(ranks, path) ? SESSION_JOINED : create(ranks, path);
			drop_lock(ranks, fd);
			return result;
		}
		SYS2(SYS_nanosleep, &nap, NULL);
	} while (fd == -EAGAIN && sys_clock_ns(CLOCK_MONOTONIC) - begin_ns < WAIT_NS);
	return session_create(ranks->wanted, path);
}

int session_create_ranks(const char *wanted, const struct session_job *job, char *path)
{
	struct ranks ranks;

	if (!job->launch || name_all(&ranks, wanted, job->launch))
		return session_create(wanted, path);
	return join_or_create(&ranks, path);
}
