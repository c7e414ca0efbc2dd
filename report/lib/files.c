/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util.h"

#define OTHERS_WRITE 0022
#define PIPEFS 0x50495045 /* the file system of pipes without names */

static int fail(int fd, int why)
{
	if (fd >= 0)
		close(fd);
	errno = why;
	return -1;
}

static int is_own(const struct stat *status)
{
	return status->st_uid == geteuid() && !(status->st_mode & OTHERS_WRITE);
}

static int is_trusted(const struct stat *status)
{
	return status->st_uid == geteuid() || !status->st_uid;
}

/* ---- links ----------------------------------------------------------------------------------- */

/* Returns 0 if nobody else has put this link there, or can put another one in its place; else what
 * is wrong. */
static int link_check(int folder, const char *name)
{
	struct stat link, around;

	if (fstat(folder, &around) || fstatat(folder, name, &link, AT_SYMLINK_NOFOLLOW))
		return errno;
	if (!S_ISLNK(link.st_mode))
		return ENOTDIR;
	return is_trusted(&around) && is_trusted(&link) &&
			       (around.st_mode & S_ISVTX || !(around.st_mode & S_IWOTH))
		       ? 0
		       : ELOOP;
}

/* Opens what the link `name` leads to. Returns its descriptor, or -1. */
static int follow(int at, const char *name, int flags)
{
	const char *base = util_basename(name);
	char *path = base > name ? strndup(name, (size_t)(base - name)) : NULL;
	int folder = openat(at, path ? path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;
	int why = folder < 0 ? errno : link_check(folder, base);

	if (!why) {
		fd = openat(folder, base, flags, 0666);
		why = errno;
	}
	free(path);
	if (folder >= 0)
		close(folder);
	errno = why;
	return fd;
}

static int open_link(int at, const char *name, int flags, unsigned how)
{
	int fd;

	flags |= O_NOCTTY | O_CLOEXEC;
	if (how & FILES_LINKED)
		return openat(at, name, flags);
	fd = openat(at, name, flags | O_NOFOLLOW, 0666);
	/* of a folder's link it is ENOTDIR */
	return fd >= 0 || (errno != ELOOP && errno != ENOTDIR) ? fd : follow(at, name, flags);
}

/* ---- what was opened ------------------------------------------------------------------------- */

/* A FIFO has a name on some disk, by which another process may never come. */
static int is_stream(int fd, const struct stat *status)
{
	struct statfs system;

	if (S_ISFIFO(status->st_mode))
		return !fstatfs(fd, &system) && system.f_type == PIPEFS;
	return S_ISCHR(status->st_mode) && (isatty(fd) || status->st_rdev == makedev(1, 3));
}

/* Returns the descriptor of a file that is what `how` says, or -1. */
static int checked(int fd, unsigned how)
{
	struct stat status;

	if (fd < 0 || fstat(fd, &status))
		return fail(fd, errno);
	if (how & FILES_STREAM && is_stream(fd, &status))
		return fcntl(fd, F_SETFL, 0) ? fail(fd, errno) : fd;
	if (!S_ISREG(status.st_mode))
		return fail(fd, EINVAL);
	return how & FILES_OWN && !is_own(&status) ? fail(fd, EPERM) : fd;
}

int files_open_at(int folder, const char *name, unsigned how)
{
	int flags = how & FILES_CHANGE ? O_RDWR : how & FILES_APPEND ? O_WRONLY | O_APPEND : O_RDONLY;

	return checked(open_link(folder, name, flags | O_NONBLOCK, how), how);
}

int files_open(const char *path, unsigned how)
{
	return files_open_at(AT_FDCWD, path, how);
}

FILE *files_read(const char *path, unsigned how)
{
	int fd = files_open(path, how);
	struct stat status;
	FILE *file;

	if (fd >= 0 && (fstat(fd, &status) || status.st_size > FILES_TEXT_MAX))
		fd = fail(fd, EFBIG);
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file && fd >= 0)
		fail(fd, ENOMEM);
	return file;
}

FILE *files_kernel(const char *format, ...)
{
	char path[512];
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	return fopen(path, "re");
}

int files_folder(const char *path, unsigned how)
{
	size_t n = strlen(path);
	FREED char *name = NULL;
	struct stat status;
	int fd, why;

	/* With a slash at the end the kernel follows a link whatever is asked for. */
	while (n > 1 && path[n - 1] == '/')
		n--;
	name = strndup(path, n);
	fd = name ? open_link(AT_FDCWD, name, O_RDONLY | O_DIRECTORY, how) : -1;
	why = name ? errno : ENOMEM;
	if (fd < 0 || fstat(fd, &status))
		return fail(fd, fd < 0 ? why : errno);
	return how & FILES_OWN && !is_own(&status) ? fail(fd, EPERM) : fd;
}

DIR *files_list(const char *path, unsigned how)
{
	int fd = files_folder(path, how);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);

	if (!folder && fd >= 0)
		fail(fd, errno);
	return folder;
}

/* ---- what is made ---------------------------------------------------------------------------- */

int files_make_at(int folder, const char *name)
{
	return openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

int files_make(const char *path)
{
	return files_make_at(AT_FDCWD, path);
}

int files_make_nameless(const char *folder)
{
	return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

int files_make_unique(char *path)
{
	return mkostemp(path, O_CLOEXEC);
}

/* Waits for the reader of a FIFO. Returns the descriptor to write to, or -1, also if the FIFO is
 * another user's. */
static int fifo_open(const char *path)
{
	char again[64];
	struct stat status;
	int fd, fifo = open_link(AT_FDCWD, path, O_PATH, 0);

	if (fifo >= 0 && !fstat(fifo, &status) && S_ISLNK(status.st_mode)) {
		close(fifo);
		fifo = follow(AT_FDCWD, path, O_PATH | O_CLOEXEC);
	}
	if (fifo < 0 || fstat(fifo, &status))
		return fail(fifo, errno);
	if (!S_ISFIFO(status.st_mode) || !is_trusted(&status))
		return fail(fifo, S_ISFIFO(status.st_mode) ? EPERM : ENXIO);
	snprintf(again, sizeof(again), "/proc/self/fd/%d", fifo);
	fd = open(again, O_WRONLY | O_CLOEXEC);
	return fail(fifo, errno), fd;
}

/* Opens a file to write to. Only of a FIFO of this user's it waits for the reader. */
static int write_open(const char *path, int end)
{
	int fd = open_link(AT_FDCWD, path, O_WRONLY | O_CREAT | O_NONBLOCK | end, 0);
	struct stat status;

	if (fd < 0)
		return errno == ENXIO ? fifo_open(path) : -1;
	if (fstat(fd, &status) ||
	    (S_ISFIFO(status.st_mode) && !is_stream(fd, &status) && !is_trusted(&status)))
		return fail(fd, EPERM);
	return fcntl(fd, F_SETFL, end & O_APPEND) ? fail(fd, errno) : fd;
}

FILE *files_write_by(const char *path, unsigned how)
{
	int end = how & FILES_NEW ? O_EXCL : how & FILES_APPEND ? O_APPEND : O_TRUNC;
	int fd = write_open(path, end);
	FILE *file = fd < 0 ? NULL : fdopen(fd, how & FILES_APPEND ? "a" : "w");

	if (!file && fd >= 0)
		fail(fd, ENOMEM);
	return file;
}

FILE *files_write(const char *path)
{
	return files_write_by(path, 0);
}

/* ---- why not --------------------------------------------------------------------------------- */

char *files_absolute(const char *path)
{
	struct strbuf whole = { 0 };
	char folder[PATH_MAX];

	if (path[0] != '/' && getcwd(folder, sizeof(folder)))
		strbuf_printf(&whole, "%s/", folder);
	strbuf_puts(&whole, path);
	return whole.text;
}

const char *files_problem(int error)
{
	switch (error) {
	case EINVAL:
		return "not a regular file";
	case ELOOP:
		return "a link that another user may have made is not followed";
	case EPERM:
		return "it belongs to another user, or others may write it";
	default:
		return strerror(error);
	}
}
