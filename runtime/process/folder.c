/* SPDX-License-Identifier: MIT */
/* folder.c - see folder.h. In constructors, at forks, in `cinstr`; one thread at a time. */
#include "folder.h"

#include <errno.h>
#include <sys/stat.h>

#include "system/sys.h"
#include "system/text.h"

#define MODE_BITS 0777u
#define OTHERS_WRITE 0022u
#define ENTRIES_BYTES 4096

static struct {
	uint32_t files;
	int is_unchecked;
} modes = { .files = FOLDER_FILE_MODE };

void folder_modes(uint32_t files, int is_unchecked)
{
	modes.files = files;
	modes.is_unchecked = is_unchecked;
}

/* Who may read may enter. */
static uint32_t folder_mode(void)
{
	return modes.files | (modes.files & 0444) >> 2;
}

static int open_at(int at, const char *name, int flags, uint32_t mode)
{
	flags |= O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	return (flags & O_ACCMODE) == O_RDWR ? sys_open_above(at, name, flags, (int)mode)
					     : (int)SYS4(SYS_openat, at, name, flags, mode);
}

static int status_of(int fd, struct stat *status)
{
	return (int)SYS2(SYS_fstat, fd, status);
}

/* The descriptor, or, when there is an error, that. */
static int or_close(int fd, int error)
{
	if (!error)
		return fd;
	sys_close(fd);
	return error;
}

/* ---- owner and mode -------------------------------------------------------------------------- */

static int is_trusted(const struct stat *status)
{
	uint32_t user = (uint32_t)SYS0(SYS_geteuid);

	return modes.is_unchecked ||
	       ((status->st_uid == user || status->st_uid == 0) && !(status->st_mode & OTHERS_WRITE));
}

static int check_trust(int fd)
{
	struct stat status;
	int error = status_of(fd, &status);

	return error ? error : is_trusted(&status) ? 0 : -EPERM;
}

/* What was just made gets its mode; the umask may have left less. If others may write it all the
 * same, it cannot be used. */
static int take_mode(int fd, uint32_t mode)
{
	struct stat status;
	int error = status_of(fd, &status);

	if (error || (status.st_mode & MODE_BITS) == mode)
		return error;
	SYS2(SYS_fchmod, fd, mode);
	error = status_of(fd, &status);
	return error || modes.is_unchecked || !(status.st_mode & OTHERS_WRITE) ? error : -EPERM;
}

/* ---- folders --------------------------------------------------------------------------------- */

int folder_open(int at, const char *name)
{
	return open_at(at, name, O_RDONLY | O_DIRECTORY, 0);
}

int folder_open_trusted(int at, const char *name)
{
	int fd = folder_open(at, name);

	return fd < 0 ? fd : or_close(fd, check_trust(fd));
}

int folder_is_own(int folder)
{
	struct stat status;
	int error = status_of(folder, &status);

	return error ? error : modes.is_unchecked || status.st_uid == (uint32_t)SYS0(SYS_geteuid);
}

/* A folder that the umask has made unreadable for its owner; by its descriptor, as its name may be
 * another's by now. */
static void make_readable(int at, const char *name)
{
	int fd = open_at(at, name, O_PATH | O_DIRECTORY, 0);
	struct text path = text_of("/proc/self/fd/", "", "");

	if (fd < 0)
		return;
	text_add_number(&path, fd);
	if (folder_is_own(fd) == 1)
		SYS3(SYS_fchmodat, AT_FDCWD, path.data, folder_mode());
	sys_close(fd);
}

int folder_make(int at, const char *name)
{
	int fd, error = (int)SYS3(SYS_mkdirat, at, name, folder_mode());

	if (error)
		return error;
	fd = folder_open(at, name);
	if (fd == -EACCES) {
		make_readable(at, name);
		fd = folder_open(at, name);
	}
	error = fd < 0 ? fd : folder_is_own(fd);
	if (error == 0) /* another folder has taken its place */
		error = -EPERM;
	if (error > 0)
		error = take_mode(fd, folder_mode());
	if (!error)
		return fd;
	if (fd >= 0)
		sys_close(fd);
	SYS3(SYS_unlinkat, at, name, AT_REMOVEDIR); /* if it is empty */
	return error;
}

int folder_make_if_none(const char *path)
{
	int fd = folder_make(AT_FDCWD, path);

	if (fd >= 0)
		sys_close(fd);
	return fd < 0 && fd != -EEXIST ? fd : 0;
}

struct folder_id folder_identity(int descriptor)
{
	struct stat status = { .st_dev = 0 };

	status_of(descriptor, &status);
	return (struct folder_id){ status.st_dev, status.st_ino };
}

int folder_is(int descriptor, const struct folder_id *id)
{
	struct folder_id found = folder_identity(descriptor);

	return found.device == id->device && found.inode == id->inode;
}

/* ---- files ----------------------------------------------------------------------------------- */

int folder_make_file(int folder, const char *name)
{
	int fd = open_at(folder, name, O_RDWR | O_CREAT | O_EXCL, modes.files), error;

	if (fd < 0)
		return fd;
	error = take_mode(fd, modes.files);
	if (error)
		SYS3(SYS_unlinkat, folder, name, 0);
	return or_close(fd, error);
}

int folder_open_file(int folder, const char *name, int flags)
{
	int fd = open_at(folder, name, flags, 0);
	struct stat status;

	if (fd < 0)
		return fd;
	return or_close(fd, status_of(fd, &status) ? -EIO : S_ISREG(status.st_mode) ? 0 : -EINVAL);
}

int folder_open_trusted_file(int folder, const char *name, int flags)
{
	int fd = folder_open_file(folder, name, flags);

	return fd < 0 ? fd : or_close(fd, check_trust(fd));
}

/* ---- what is in it --------------------------------------------------------------------------- */

static int is_dots(const char *name)
{
	return string_equal(name, ".") || string_equal(name, "..");
}

int folder_each(int folder, int (*visit)(int folder, const char *name, void *data), void *data)
{
	struct entry {
		uint64_t inode;
		int64_t offset;
		uint16_t size;
		uint8_t type;
		char name[];
	};
	char buffer[ENTRIES_BYTES] __attribute__((aligned(8)));
	/* its place is its own */
	int fd = open_at(folder, ".", O_RDONLY | O_DIRECTORY, 0), result = 0;
	long n;

	if (fd < 0)
		return fd;
	while (!result && (n = SYS3(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < n && !result;) {
			const struct entry *entry = (const void *)(buffer + at);

			result = is_dots(entry->name) ? 0 : visit(folder, entry->name, data);
			at += entry->size;
		}
	}
	sys_close(fd);
	return result;
}
