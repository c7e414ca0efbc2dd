/* SPDX-License-Identifier: MIT */
/*
 * session_search.c - finds the session that an ancestor records into, and the data files of other
 * processes (session.h), by /proc and by the files' headers. In constructors and in the command,
 * and, for the files, in any thread, signals blocked. System calls only.
 */
#include <errno.h>
#include <sys/stat.h>

#include "cinstr/format.h"
#include "folder.h"
#include "session.h"
#include "system/sys.h"
#include "system/text.h"

#define ANCESTORS_MAX 64

static int has_suffix(const char *name)
{
	return string_ends(name, string_length(name), CINSTR_FILE_SUFFIX);
}

/* Joined is what this user, or root, has made. */
static int is_live_and_trusted(const char *path)
{
	int fd = folder_open_trusted(AT_FDCWD, path);

	if (fd < 0)
		return 0;
	sys_close(fd);
	return session_is_live(path) == 1;
}

/* ---- ancestors ------------------------------------------------------------------------------- */

/* Field `number` (4 or more; 1 is the pid) of a /proc/PID/stat; 0 if it cannot be had. */
static uint64_t field_of(const char *path, int number)
{
	char text[1024];
	uint64_t value = 0;
	long n, i;
	int fd, field = 2;

	fd = sys_open(path, O_RDONLY, 0);
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

static uint64_t stat_field(uint64_t pid, int number)
{
	struct text path = text_of("/proc/", "", "");

	text_add_number(&path, (int64_t)pid);
	text_add(&path, "/stat");
	return field_of(path.data, number);
}

/* Not by its number: in a name space of its own with the /proc of another one, that is another
 * process's there. */
uint64_t session_process_start(void)
{
	return field_of("/proc/self/stat", 22);
}

/* Sets `result` to the folder of the data file whose path, or whose line of /proc/PID/maps, this
 * is. Returns whether it is one of a live session. */
static int folder_of_line(const char *line, unsigned length, char *result)
{
	unsigned start = 0;

	if (!string_ends(line, length, CINSTR_FILE_SUFFIX))
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
	return is_live_and_trusted(result);
}

/* As in linux/fs.h from Linux 6.11 on. */
struct mapping_query {
	uint64_t size, flags, address, start, end, vma_flags, page_size, offset, inode;
	uint32_t device_major, device_minor, name_size, build_id_size;
	uint64_t name, build_id;
};
#define MAPPING_QUERY 0xc0686611 /* _IOWR('f', 17, struct mapping_query) */
/* writable, shared, at the address or behind it, of a file: as data files are, and little else */
#define MAPPING_FLAGS 0x3a

/* Looks for a data file among the mappings by /proc/PID/maps without a line of text for each, of
 * which a process has a hundred. Returns whether it is there, or -1: the kernel cannot do that. */
static int search_by_query(int fd, char *result)
{
	char name[SESSION_PATH_MAX + 64];
	struct mapping_query query = { .size = sizeof(query), .flags = MAPPING_FLAGS };
	long status;

	for (;;) {
		query.name = (uint64_t)(uintptr_t)name;
		query.name_size = sizeof(name);
		status = SYS3(SYS_ioctl, fd, MAPPING_QUERY, &query);
		if (status)
			return status == -ENOENT ? 0 : -1;
		if (query.name_size > 1 && folder_of_line(name, query.name_size - 1, result))
			return 1;
		query.address = query.end;
	}
}

static int search_by_text(int fd, char *result)
{
	char buffer[8192];
	unsigned used = 0;
	int found = 0;
	long n;

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
	return found;
}

/* Sets `result` to the folder of the session that the process records into: its data file is among
 * its mappings. Returns whether it does. */
static int session_of(uint64_t pid, int may_query, char *result)
{
	struct text path = text_of("/proc/", "", "");
	int fd, found;

	text_add_number(&path, (int64_t)pid);
	text_add(&path, "/maps");
	fd = sys_open(path.data, O_RDONLY, 0);
	if (fd < 0)
		return 0;
	found = may_query ? search_by_query(fd, result) : -1;
	if (found < 0)
		found = search_by_text(fd, result);
	sys_close(fd);
	return found;
}

int session_find_ancestor(int may_query, char *result)
{
	uint64_t pid = (uint64_t)SYS0(SYS_getppid);

	for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		if (session_of(pid, may_query, result))
			return 1;
		pid = stat_field(pid, 4);
	}
	return 0;
}

/* Does the environment have NAME=VALUE? Of a process that cannot be looked into it does not. */
static int has_variable(uint64_t pid, const char *name, const char *value)
{
	struct text path = text_of("/proc/", "", ""), wanted = text_of(name, "=", value);
	char buffer[4096];
	unsigned at = 0, is_equal = 1;
	int fd, found = 0;
	long n;

	text_add_number(&path, (int64_t)pid);
	text_add(&path, "/environ");
	fd = sys_open(path.data, O_RDONLY, 0);
	while (fd >= 0 && !found && (n = sys_read(fd, buffer, sizeof(buffer))) > 0) {
		for (long i = 0; i < n && !found; i++) {
			found = !buffer[i] && is_equal && at == wanted.used;
			is_equal =
				!buffer[i] || (is_equal && at < wanted.used && buffer[i] == wanted.data[at]);
			at = buffer[i] ? at + 1 : 0;
		}
	}
	if (fd >= 0)
		sys_close(fd);
	return found;
}

uint64_t session_find_launcher(uint64_t pid, const char *variable, const char *value, uint64_t *start)
{
	uint64_t ancestor = stat_field(pid, 4);

	for (int i = 0; i < ANCESTORS_MAX && ancestor > 1 && has_variable(ancestor, variable, value); i++)
		ancestor = stat_field(ancestor, 4);
	*start = stat_field(ancestor, 22);
	return ancestor;
}

/* Is this a data file that nobody else could have written? Its header. */
static int read_header(int folder, const char *name, struct cinstr_header *header)
{
	int fd = has_suffix(name) ? folder_open_trusted_file(folder, name, O_RDONLY) : -ENOENT;
	long n;

	if (fd < 0)
		return 0;
	n = sys_read(fd, header, sizeof(*header));
	sys_close(fd);
	return n == sizeof(*header);
}

/* Data file of this very process from before an exec? */
static int is_before_exec(int folder, const char *name, void *data)
{
	const uint64_t *start = data;
	struct cinstr_header header;

	return read_header(folder, name, &header) && header.pid == (uint32_t)SYS0(SYS_getpid) &&
	       header.process_start == *start;
}

int session_find_own(const char *wanted, char *result)
{
	uint64_t start = session_process_start();
	int folder = session_absolute(wanted, result), found;

	if (!folder)
		folder = folder_open_trusted(AT_FDCWD, result);
	if (folder < 0)
		return 0;
	found = folder_each(folder, is_before_exec, &start);
	sys_close(folder);
	return found == 1;
}

/* ---- other processes ------------------------------------------------------------------------- */

struct process_search {
	uint32_t pid;
	int is_companion, no_companion;
	uint64_t process_start, realtime_ns;
	struct text name;
};

/* A process that has exec'ed has several files: the newest. What it wrote itself comes before what
 * its collector did. */
static int search_process(int folder, const char *name, void *data)
{
	struct process_search *search = data;
	struct cinstr_header header;
	int is_companion;

	if (!read_header(folder, name, &header) || header.version != CINSTR_FORMAT_VERSION ||
	    header.pid != search->pid || header.process_start != search->process_start ||
	    header.end != CINSTR_END_UNKNOWN)
		return 0;
	is_companion =
		header.method != CINSTR_METHOD_SAMPLING || header.sampling.flags & CINSTR_SAMPLING_COMPANION;
	if (is_companion && search->no_companion)
		return 0;
	if (is_companion > search->is_companion ||
	    (is_companion == search->is_companion && header.start_realtime_ns >= search->realtime_ns)) {
		search->is_companion = is_companion;
		search->realtime_ns = header.start_realtime_ns;
		search->name = text_of(name, "", "");
	}
	return 0;
}

static int open_found(int folder, struct process_search *search)
{
	int error = folder_each(folder, search_process, search);

	if (error < 0)
		return error;
	return search->realtime_ns ? folder_open_trusted_file(folder, search->name.data, O_RDWR) : -ENOENT;
}

static int open_process(const char *path, uint32_t pid, int no_companion)
{
	struct process_search search = { .pid = pid,
					 .process_start = stat_field(pid, 22),
					 .no_companion = no_companion };
	int folder = folder_open_trusted(AT_FDCWD, path), fd;

	if (folder < 0)
		return folder;
	fd = open_found(folder, &search);
	sys_close(folder);
	return fd;
}

int session_open_process(const char *folder, uint32_t pid)
{
	return open_process(folder, pid, 0);
}

int session_open_samples(const char *folder, uint32_t pid)
{
	return open_process(folder, pid, 1);
}
