/* SPDX-License-Identifier: MIT */
/*
 * session.c - the session folder (session.h). Runs in constructors and in `cinstr record`. System calls only.
 *
 * Two programs that start at the same moment: the folder is made under a name of its own, with its lock taken, and
 * then renamed into place, which fails if something is there; so exactly one of them gets the name.
 */
#include "session.h"

#include <dirent.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "cinstr/format.h"
#include "sampler_ring.h"
#include "sys.h"

#define ANCESTORS_MAX 64
#define LOCK_TRIES 1000
#define LOCK_MAGIC SESSION_MAGIC
#define LOCK_MAGIC_BYTES (sizeof(LOCK_MAGIC) - 1)

struct path {
	char name[SESSION_PATH_MAX + 256];
	unsigned used;
};

static void path_add(struct path *path, const char *string)
{
	while (*string && path->used + 1 < sizeof(path->name))
		path->name[path->used++] = *string++;
	path->name[path->used] = '\0';
}

static void path_add_number(struct path *path, uint64_t number)
{
	char digits[24];
	unsigned i = sizeof(digits);

	digits[--i] = '\0';
	do
		digits[--i] = (char)('0' + number % 10);
	while (number /= 10);
	path_add(path, digits + i);
}

static struct path path_of(const char *a, const char *b, const char *c)
{
	struct path path = { .used = 0 };

	path_add(&path, a);
	path_add(&path, b);
	path_add(&path, c);
	return path;
}

static int is_suffix(const char *name, unsigned length, const char *suffix)
{
	unsigned n = 0;

	while (suffix[n])
		n++;
	if (length < n)
		return 0;
	for (unsigned i = 0; i < n; i++)
		if (name[length - n + i] != suffix[i])
			return 0;
	return 1;
}

/* A page: the magic, and at CINSTR_CONTROL_OFFSET the control block. Where there is no room for it, the magic alone. */
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
		return -27;						       /* EFBIG */
	return sys_write(fd, page, bytes) >= (long)LOCK_MAGIC_BYTES ? 0 : -28; /* ENOSPC */
}

static struct session_page lock_page;

struct session_page session_page(void)
{
	return lock_page;
}

/* 0 or -errno. */
static int map_lock_file(int fd, int writable)
{
	struct stat status = { .st_size = 0 };
	void *page;

	SYS2(SYS_fstat, fd, &status);
	writable = writable && status.st_size >= (long)CINSTR_PAGE;
	page = sys_mmap(NULL, CINSTR_PAGE, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
	if (sys_failed(page))
		return (int)(long)page;
	lock_page = (struct session_page){ .at = page, .writable = writable };
	return 0;
}

/*
 * The lock: flock belongs to the open file, which lives as long as a mapping of it does; so the descriptor is closed
 * at once and the lock held until the process ends or execs. A forked child holds it too.
 */
static int take_lock(const char *folder, int create)
{
	struct path path = path_of(folder, "/", SESSION_LOCK_NAME);
	int fd = sys_open(path.name, O_RDWR | (create ? O_CREAT : 0), 0666), writable = fd >= 0;
	int error = 0;

	if (fd < 0 && !create)
		fd = sys_open(path.name, O_RDONLY, 0);
	if (fd < 0)
		return fd;
	if (create)
		error = write_lock_file(fd);
	if (error) {
		sys_close(fd);
		return error;
	}
	for (int i = 0; i < LOCK_TRIES; i++) { /* session_is_live of another process holds it for a moment */
		error = (int)SYS2(SYS_flock, fd, LOCK_SH | LOCK_NB);
		if (error != -11) /* EAGAIN */
			break;
		SYS0(SYS_sched_yield);
	}
	if (!error)
		error = map_lock_file(fd, writable);
	sys_close(fd);
	return error;
}

int session_join(const char *path)
{
	return take_lock(path, 0);
}

int session_is_live(const char *folder)
{
	struct path path = path_of(folder, "/", SESSION_LOCK_NAME);
	int fd = sys_open(path.name, O_RDONLY, 0);
	char text[sizeof(LOCK_MAGIC)] = "";
	int error;

	if (fd < 0)
		return fd;
	if (sys_read(fd, text, LOCK_MAGIC_BYTES) != (long)LOCK_MAGIC_BYTES ||
	    !is_suffix(text, LOCK_MAGIC_BYTES, LOCK_MAGIC)) {
		sys_close(fd);
		return -2; /* ENOENT: somebody's file */
	}
	error = (int)SYS2(SYS_flock, fd, LOCK_EX | LOCK_NB);
	sys_close(fd);
	return error == -11 /* EAGAIN */ ? 1 : error;
}

/* Calls visit(name) for each entry of a folder until it returns non-zero. Returns that, 0, or -errno. */
static int each_entry(const char *folder, int (*visit)(const char *folder, const char *name, void *data),
		      void *data)
{
	struct entry {
		uint64_t inode;
		int64_t offset;
		uint16_t size;
		uint8_t type;
		char name[];
	};
	char buffer[4096] __attribute__((aligned(8)));
	int fd = sys_open(folder, O_RDONLY | O_DIRECTORY, 0), result = 0;
	long n;

	if (fd < 0)
		return fd;
	while (!result && (n = SYS3(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < n && !result;) {
			const struct entry *entry = (const void *)(buffer + at);

			result = visit(folder, entry->name, data);
			at += entry->size;
		}
	}
	sys_close(fd);
	return result;
}

static unsigned length_of(const char *string)
{
	unsigned n = 0;

	while (string[n])
		n++;
	return n;
}

static int is_ours(const char *name)
{
	return is_suffix(name, length_of(name), CINSTR_FILE_SUFFIX) ||
	       (length_of(name) == 7 && is_suffix(name, 7, SESSION_LOCK_NAME)) ||
	       (length_of(name) == sizeof(SAMPLER_RING_NAME) - 1 &&
		is_suffix(name, length_of(name), SAMPLER_RING_NAME)); /* of a collector that was killed */
}

static int remove_entry(const char *folder, const char *name, void *data)
{
	struct path path = path_of(folder, "/", name);

	(void)data;
	if (is_ours(name))
		SYS3(SYS_unlinkat, AT_FDCWD, path.name, 0);
	return 0;
}

/* Removes a session folder; one with files that are not ours stays. */
static void remove_session(const char *folder)
{
	each_entry(folder, remove_entry, NULL);
	SYS3(SYS_unlinkat, AT_FDCWD, folder, AT_REMOVEDIR);
}

static int rename_path(const char *from, const char *to)
{
	return (int)SYS4(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

/* wanted -> wanted.old. Only folders with our lock file in them are ever moved or removed. */
static int keep_as_old(const char *wanted)
{
	struct path old = path_of(wanted, ".old", "");

	if (session_is_live(old.name) == 0)
		remove_session(old.name);
	return rename_path(wanted, old.name);
}

static int absolute(const char *wanted, struct path *out)
{
	out->used = 0;
	out->name[0] = '\0';
	if (*wanted != '/') {
		long n = SYS2(SYS_getcwd, out->name, SESSION_PATH_MAX);

		if (n < 0)
			return (int)n;
		if (out->name[0] != '/')
			return -2; /* ENOENT: the folder is gone or out of reach */
		out->used = (unsigned)n - 1;
		path_add(out, "/");
	}
	path_add(out, wanted);
	while (out->used > 1 && out->name[out->used - 1] == '/')
		out->name[--out->used] = '\0';
	return out->used < SESSION_PATH_MAX - 128 ? 0 : -36; /* ENAMETOOLONG */
}

/* The made folder gets the name `to`, if nothing or only an empty folder is there. */
static int settle(const char *made, const struct path *to, char *result)
{
	int error = rename_path(made, to->name);

	if (!error)
		for (unsigned i = 0; i <= to->used; i++)
			result[i] = to->name[i];
	return error;
}

int session_create(const char *wanted, char *result)
{
	struct path target, made, other;
	int error = absolute(wanted, &target);

	if (error)
		return error;
	made = path_of(target.name, ".new.", "");
	path_add_number(&made, (uint64_t)SYS0(SYS_getpid));
	error = (int)SYS3(SYS_mkdirat, AT_FDCWD, made.name, 0777);
	if (!error)
		error = take_lock(made.name, 1);
	for (int i = 0; i < 4 && !error; i++) {
		error = settle(made.name, &target, result);
		if (!error)
			return 0;
		if (error != -39 && error != -17 && error != -20) /* ENOTEMPTY, EEXIST, ENOTDIR */
			break;
		error = session_is_live(target.name);
		if (error) /* in use, or not a session: leave it alone */
			break;
		keep_as_old(target.name);
	}
	if (error == 1 || error == -2 || error == -20) {
		other = path_of(target.name, ".", "");
		path_add_number(&other, (uint64_t)SYS0(SYS_getpid));
		error = settle(made.name, &other, result);
		if (!error)
			return 1;
	}
	remove_session(made.name);
	return error < 0 ? error : -16; /* EBUSY */
}

/* ---- ancestors ------------------------------------------------------------------------------------------- */

/* Field `number` (4 or more; 1 is the pid) of /proc/PID/stat; 0 if it cannot be had. */
static uint64_t stat_field(uint64_t pid, int number)
{
	struct path path = path_of("/proc/", "", "");
	char text[1024];
	uint64_t value = 0;
	long n, i;
	int fd, field = 2;

	path_add_number(&path, pid);
	path_add(&path, "/stat");
	fd = sys_open(path.name, O_RDONLY, 0);
	if (fd < 0)
		return 0;
	n = sys_read(fd, text, sizeof(text));
	sys_close(fd);
	for (i = n - 1; i > 0 && text[i] != ')'; i--)
		;
	for (; i > 0 && i < n && field < number; i++)
		field += text[i] == ' ';
	for (; i > 0 && i < n && text[i] >= '0' && text[i] <= '9'; i++)
		value = value * 10 + (uint64_t)(text[i] - '0');
	return value;
}

uint64_t session_process_start(void)
{
	return stat_field((uint64_t)SYS0(SYS_getpid), 22);
}

/* A line of /proc/PID/maps that maps a data file: its folder. */
static int folder_of_line(const char *line, unsigned length, char *result)
{
	unsigned start = 0;

	if (!is_suffix(line, length, CINSTR_FILE_SUFFIX))
		return 0;
	while (start < length && line[start] != '/')
		start++;
	while (length > start && line[length - 1] != '/')
		length--;
	if (length <= start + 1 || length - start >= SESSION_PATH_MAX)
		return 0;
	for (unsigned i = start; i + 1 < length; i++)
		result[i - start] = line[i];
	result[length - 1 - start] = '\0';
	return session_is_live(result) == 1;
}

/* Is this process recording? Its data file is among its mappings. */
static int session_of(uint64_t pid, char *result)
{
	struct path path = path_of("/proc/", "", "");
	char buffer[8192];
	unsigned used = 0;
	int fd, found = 0;
	long n;

	path_add_number(&path, pid);
	path_add(&path, "/maps");
	fd = sys_open(path.name, O_RDONLY, 0);
	if (fd < 0)
		return 0;
	while (!found && (n = sys_read(fd, buffer + used, sizeof(buffer) - used)) > 0) {
		unsigned start = 0;

		used += (unsigned)n;
		for (unsigned i = 0; i < used && !found; i++) {
			if (buffer[i] != '\n')
				continue;
			found = folder_of_line(buffer + start, i - start, result);
			start = i + 1;
		}
		for (unsigned i = start; i < used; i++)
			buffer[i - start] = buffer[i];
		used -= start;
		if (used == sizeof(buffer))
			used = 0;
	}
	sys_close(fd);
	return found;
}

int session_find_ancestor(char *result)
{
	uint64_t pid = (uint64_t)SYS0(SYS_getppid);

	for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		if (session_of(pid, result))
			return 1;
		pid = stat_field(pid, 4);
	}
	return 0;
}

/* Is this a data file? Its header. */
static int read_header(const char *folder, const char *name, struct cinstr_header *header)
{
	struct path path = path_of(folder, "/", name);
	int fd;
	long n;

	if (!is_suffix(name, length_of(name), CINSTR_FILE_SUFFIX))
		return 0;
	fd = sys_open(path.name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0);
	if (fd < 0)
		return 0;
	n = sys_read(fd, header, sizeof(*header));
	sys_close(fd);
	return n == sizeof(*header);
}

/* Data file of this very process from before an exec? */
static int is_before_exec(const char *folder, const char *name, void *data)
{
	const uint64_t *start = data;
	struct cinstr_header header;

	return read_header(folder, name, &header) && header.pid == (uint32_t)SYS0(SYS_getpid) &&
	       header.process_start == *start;
}

int session_find_own(const char *wanted, char *result)
{
	struct path target;
	uint64_t start = session_process_start();

	if (absolute(wanted, &target) || each_entry(target.name, is_before_exec, &start) != 1)
		return 0;
	for (unsigned i = 0; i <= target.used; i++)
		result[i] = target.name[i];
	return 1;
}

/* ---- other processes --------------------------------------------------------------------------------------- */

struct process_search {
	uint32_t pid;
	int is_companion, no_companion;
	uint64_t process_start, realtime_ns;
	struct path path;
};

/* A process that has exec'ed has several files: the newest. */
static int search_process(const char *folder, const char *name, void *data)
{
	struct process_search *search = data;
	struct cinstr_header header;
	int is_companion;

	if (!read_header(folder, name, &header) || header.version != CINSTR_FORMAT_VERSION ||
	    header.pid != search->pid || header.process_start != search->process_start ||
	    header.end != CINSTR_END_UNKNOWN)
		return 0;
	is_companion =
		header.method == CINSTR_METHOD_SAMPLING && header.sampling.flags & CINSTR_SAMPLING_COMPANION;
	if (is_companion && search->no_companion)
		return 0;
	if (is_companion > search->is_companion ||
	    (is_companion == search->is_companion && header.start_realtime_ns >= search->realtime_ns)) {
		search->is_companion = is_companion;
		search->realtime_ns = header.start_realtime_ns;
		search->path = path_of(folder, "/", name);
	}
	return 0;
}

static int open_process(const char *folder, uint32_t pid, int no_companion)
{
	struct process_search search = { .pid = pid,
					 .process_start = stat_field(pid, 22),
					 .no_companion = no_companion };
	int error = each_entry(folder, search_process, &search);

	if (error < 0)
		return error;
	return search.realtime_ns ? sys_open(search.path.name, O_RDWR | O_NOFOLLOW, 0) : -2; /* ENOENT */
}

int session_open_process(const char *folder, uint32_t pid)
{
	return open_process(folder, pid, 0);
}

int session_open_samples(const char *folder, uint32_t pid)
{
	return open_process(folder, pid, 1);
}
