/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "processes.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cinstr/atomics.h"
#include "lib/files.h"
#include "lib/util.h"
#include "session.h"

#define COPIED_LATER_NS 1000000000ull /* a process's file is made just before it begins */

/* ---- /proc ----------------------------------------------------------------------------------- */

/* Field 22 of /proc/PID/stat: when it started; 0: there is no such process. *has_ended: it waits
 * for its parent to look. */
static uint64_t start_and_state(uint32_t pid, int *has_ended)
{
	char line[1024];
	unsigned long long start = 0;
	const char *at;
	FILE *file;

	*has_ended = 0;
	file = files_kernel("/proc/%u/stat", pid);
	if (!file)
		return 0;
	at = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	fclose(file);
	*has_ended = at && at[1] == ' ' && (at[2] == 'Z' || at[2] == 'X');
	for (int field = 2; at && field < 22; field++) {
		at = strchr(at + 1, ' ');
		if (at && field == 21)
			start = strtoull(at + 1, NULL, 10);
	}
	return start;
}

static uint64_t start_of(uint32_t pid)
{
	int has_ended;

	return start_and_state(pid, &has_ended);
}

/* Which boot of which machine this is. */
static const char *boot_now(void)
{
	static char boot[64];
	FILE *file = *boot ? NULL : files_kernel("/proc/sys/kernel/random/boot_id");

	if (file && !fgets(boot, sizeof(boot), file))
		*boot = '\0';
	boot[strcspn(boot, "\n")] = '\0';
	if (file)
		fclose(file);
	return boot;
}

/* The number by which the process knows itself: in its own namespace of process numbers. */
static uint32_t inner_pid(uint32_t pid)
{
	char line[1024];
	uint32_t inner = pid;
	FILE *file;

	file = files_kernel("/proc/%u/status", pid);
	while (file && fgets(line, sizeof(line), file)) {
		char *last = strrchr(line, '\t');

		if (strncmp(line, "NSpid:", 6) || !last)
			continue;
		inner = (uint32_t)strtoul(last + 1, NULL, 10);
		break;
	}
	if (file)
		fclose(file);
	return inner;
}

/* Mappings of a process whose first thread may have ended already: then those of another one. */
static FILE *maps_open(uint32_t pid)
{
	char path[64];
	struct dirent *task;
	DIR *tasks;
	FILE *file;
	int c;

	file = files_kernel("/proc/%u/maps", pid);
	c = file ? getc(file) : EOF;
	if (!file || (c != EOF && ungetc(c, file) == c) || ferror(file))
		return file;
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	tasks = files_list(path, 0);
	while (tasks && (task = readdir(tasks)) && c == EOF) {
		if (!isdigit((unsigned char)task->d_name[0]))
			continue;
		fclose(file);
		file = files_kernel("/proc/%u/task/%s/maps", pid, task->d_name);
		c = file ? getc(file) : EOF;
		if (c != EOF)
			ungetc(c, file);
		if (!file)
			break;
	}
	if (tasks)
		closedir(tasks);
	return file;
}

/* A mapped data file: inode, path (in `line`); is it deleted? 0: the line is another one's. */
static int maps_line(char *line, uint64_t *inode, char **path, int *deleted)
{
	static const char gone[] = " (deleted)";
	unsigned long long number;
	int at = 0;
	size_t n;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%*s %*s %*s %*s %llu %n", &number, &at) != 1 || line[at] != '/')
		return 0;
	*inode = number;
	*path = line + at;
	n = strlen(*path);
	*deleted = n > sizeof(gone) && !strcmp(*path + n - sizeof(gone) + 1, gone);
	if (*deleted)
		(*path)[n -= sizeof(gone) - 1] = '\0';
	return n > strlen(CINSTR_FILE_SUFFIX) &&
	       !strcmp(*path + n - strlen(CINSTR_FILE_SUFFIX), CINSTR_FILE_SUFFIX);
}

/* 1: the process maps this file, 0: it does not, -1: nobody may know. */
static int maps_file(uint32_t pid, uint64_t inode)
{
	FILE *file = maps_open(pid);
	char *line = NULL, *path;
	size_t size = 0;
	int found = 0, deleted, any = 0;
	uint64_t number;

	if (!file)
		return errno == EACCES || errno == EPERM ? -1 : 0;
	while (!found && getline(&line, &size, file) > 0) {
		any = 1;
		found = maps_line(line, &number, &path, &deleted) && number == inode;
	}
	if (!any && ferror(file))
		found = -1;
	free(line);
	fclose(file);
	return found;
}

/* ---- the process of a file ------------------------------------------------------------------- */

int process_is_companion(const struct cinstr_header *header)
{
	return header->method == CINSTR_METHOD_SAMPLING && header->sampling.flags & CINSTR_SAMPLING_COMPANION;
}

/* The samples of a process are written by its collector: the process does not map them. */
static int is_sampled(const struct cinstr_header *header)
{
	return header->method == CINSTR_METHOD_SAMPLING && !process_is_companion(header);
}

static int is_being_sampled(uint32_t pid, const struct cinstr_header *header)
{
	return !(header->sampling.flags & CINSTR_SAMPLING_COMPLETE) && start_of(header->sampling.collector) &&
	       start_of(pid) == header->process_start;
}

static int is_process_of(uint32_t pid, uint64_t inode, const struct cinstr_header *header)
{
	int maps;

	if (is_sampled(header))
		return is_being_sampled(pid, header);
	maps = maps_file(pid, inode);
	if (maps >= 0)
		return maps;
	return header->process_start && start_of(pid) == header->process_start;
}

/* Processes in namespaces of process numbers of their own, as of the first time somebody asked. */
static struct renumbered {
	uint32_t pid, inner;
} * renumbered;
static size_t n_renumbered;

static void renumbered_list(void)
{
	static int done;
	struct dirent *entry;
	DIR *all = done ? NULL : files_list("/proc", 0);

	done = 1;
	while (all && (entry = readdir(all))) {
		uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10), inner = pid ? inner_pid(pid) : 0;

		if (inner == pid)
			continue;
		renumbered = xrealloc(renumbered, n_renumbered + 1, sizeof(*renumbered));
		renumbered[n_renumbered++] = (struct renumbered){ pid, inner };
	}
	if (all)
		closedir(all);
}

int process_end_is_known(const struct cinstr_header *header)
{
	return header->end != CINSTR_END_UNKNOWN && header->end != CINSTR_END_HANDLERS;
}

/* Asks /proc for less: sessions may have thousands of processes that are gone. */
static int exists(uint32_t pid)
{
	return !kill((pid_t)pid, 0) || errno != ESRCH;
}

uint32_t process_of(const char *path, const struct cinstr_header *header)
{
	struct stat st;

	if (process_end_is_known(header) || stat(path, &st))
		return 0;
	if (exists(header->pid) && inner_pid(header->pid) == header->pid &&
	    is_process_of(header->pid, st.st_ino, header))
		return header->pid;
	renumbered_list();
	for (size_t i = 0; i < n_renumbered; i++)
		if (renumbered[i].inner == header->pid && is_process_of(renumbered[i].pid, st.st_ino, header))
			return renumbered[i].pid;
	return 0;
}

int process_thread_name(uint32_t pid, uint32_t tid, char *name, size_t size)
{
	FILE *file;
	int found;

	file = files_kernel("/proc/%u/task/%u/comm", pid, tid);
	found = file && fgets(name, (int)size, file);
	if (file)
		fclose(file);
	if (found)
		name[strcspn(name, "\n")] = '\0';
	return found ? 0 : -1;
}

/* Made long after its process began: what the process wrote since is elsewhere. */
static int is_copy(const char *path, const struct cinstr_header *header)
{
	struct statx st;
	uint64_t made;

	if (statx(AT_FDCWD, path, 0, STATX_BTIME, &st) || !(st.stx_mask & STATX_BTIME))
		return 0;
	made = (uint64_t)st.stx_btime.tv_sec * 1000000000 + st.stx_btime.tv_nsec;
	return made > header->start_realtime_ns + COPIED_LATER_NS;
}

/* Whether it maps a data file of this name: this one, where inodes are not told alike (overlays),
 * or what this is a copy of. */
static int maps_name(uint32_t pid, const char *name)
{
	FILE *file = maps_open(pid);
	char *line = NULL, *path;
	size_t size = 0;
	int found = 0, deleted;
	uint64_t inode;

	while (file && !found && getline(&line, &size, file) > 0)
		found = maps_line(line, &inode, &path, &deleted) && !strcmp(util_basename(path), name);
	free(line);
	if (file)
		fclose(file);
	return found;
}

enum process_fate process_fate(const char *path, const struct cinstr_header *header, const char *boot_id)
{
	uint64_t start = 0;
	int has_ended = 0;

	if (process_of(path, header))
		return PROCESS_RECORDING;
	if (!boot_id || !*boot_id || strcmp(boot_id, boot_now()) != 0)
		return PROCESS_ELSEWHERE;
	if (exists(header->pid))
		start = start_and_state(header->pid, &has_ended);
	if (start && start == header->process_start && !has_ended && inner_pid(header->pid) == header->pid)
		return maps_name(header->pid, util_basename(path)) ? PROCESS_COPIED : PROCESS_ANOTHER;
	return is_copy(path, header) ? PROCESS_ELSEWHERE : PROCESS_GONE;
}

/* ---- the file of a process ------------------------------------------------------------------- */

/* Whether the file at this path is the one that is mapped, and this process's (a child may still
 * map its parent's). */
static int is_file_of(const char *path, uint64_t inode, uint32_t pid)
{
	struct cinstr_header header;
	struct stat st;

	return !stat(path, &st) && st.st_ino == inode && !session_header(path, &header) &&
	       header.pid == inner_pid(pid);
}

/* Mapped, and nobody's yet: the process is making it. */
static int is_being_made(const char *path, uint64_t inode)
{
	struct stat st;

	return !stat(path, &st) && st.st_ino == inode && session_is_beginning(path);
}

/* In another namespace of mounts the path leads elsewhere; /proc/PID/root is how the process sees
 * it. */
static char *reachable(const char *path, uint64_t inode, uint32_t pid, int *is_beginning)
{
	struct strbuf through = { 0 };

	if (is_file_of(path, inode, pid))
		return xstrdup(path);
	strbuf_printf(&through, "/proc/%u/root%s", pid, path);
	if (is_file_of(through.text, inode, pid))
		return through.text;
	*is_beginning |= is_being_made(path, inode) || is_being_made(through.text, inode);
	strbuf_release(&through);
	return NULL;
}

/* The folder of the session that a process was told to record into, if any; the caller frees it. */
static char *session_of(uint32_t pid)
{
	static const char variable[] = "CINSTR_SESSION=";
	char *entry = NULL, *folder = NULL;
	size_t size = 0;
	FILE *file;

	file = files_kernel("/proc/%u/environ", pid);
	while (file && !folder && getdelim(&entry, &size, '\0', file) > 0)
		if (!strncmp(entry, variable, sizeof(variable) - 1))
			folder = xstrdup(entry + sizeof(variable) - 1);
	free(entry);
	if (file)
		fclose(file);
	return folder;
}

/* The file of its samples, in this session; NULL: none. */
static char *find_samples(uint32_t pid, const char *folder)
{
	struct session input;
	struct stat st;
	char *found = NULL;

	if (stat(folder, &st) || session_list(&input, folder))
		return NULL;
	for (size_t i = 0; i < input.n_files && !found; i++) {
		struct cinstr_header header;

		if (!session_header(input.files[i], &header) && is_sampled(&header) &&
		    process_of(input.files[i], &header) == pid)
			found = xstrdup(input.files[i]);
	}
	session_release(&input);
	return found;
}

/* A process that is being sampled: in the session that it was told of, or of this folder (cinstr
 * record --pid). */
static char *find_sampled(uint32_t pid)
{
	FREED char *folder = session_of(pid);
	char *found = folder ? find_samples(pid, folder) : NULL;

	return found ? found : find_samples(pid, INPUT_DEFAULT);
}

static enum process_found find_now(uint32_t pid, char **result, int *is_beginning)
{
	enum process_found found = PROCESS_NOT_RECORDING;
	char *line = NULL, *path;
	uint64_t inode;
	size_t size = 0;
	int deleted;
	FILE *file;

	*result = NULL;
	if (!start_of(pid))
		return PROCESS_NONE;
	file = maps_open(pid);
	if (!file)
		return errno == ENOENT || errno == ESRCH ? PROCESS_NONE : PROCESS_NOT_PERMITTED;
	while (!*result && getline(&line, &size, file) > 0) {
		if (!maps_line(line, &inode, &path, &deleted))
			continue;
		*result = deleted ? NULL : reachable(path, inode, pid, is_beginning);
		found = PROCESS_FILE_GONE;
	}
	if (ferror(file) && !*result)
		found = PROCESS_NOT_PERMITTED;
	free(line);
	fclose(file);
	if (!*result && found == PROCESS_NOT_RECORDING)
		*result = find_sampled(pid);
	return *result ? PROCESS_FOUND : found;
}

/* A file that is being made is there soon. */
enum process_found process_find(uint32_t pid, char **result)
{
	const struct timespec nap = { 0, 10000000 };
	enum process_found found = PROCESS_NONE;
	int is_beginning;

	for (int tries = 0; tries < 300; tries++) {
		is_beginning = 0;
		found = find_now(pid, result, &is_beginning);
		if (found != PROCESS_FILE_GONE || !is_beginning)
			break;
		nanosleep(&nap, NULL);
	}
	return found;
}

/* ---- control blocks -------------------------------------------------------------------------- */

struct cinstr_control_block *control_map(const char *path, int writable)
{
	int fd = files_open(path, writable ? FILES_CHANGE : 0);
	struct stat st;
	void *page = MAP_FAILED;
	int why;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < (off_t)CINSTR_PAGE)
		errno = EINVAL; /* a page behind the end would be SIGBUS */
	else
		page = mmap(NULL, CINSTR_PAGE, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
	why = errno;
	close(fd);
	errno = why;
	if (page == MAP_FAILED)
		return NULL;
	return (struct cinstr_control_block *)(void *)((char *)page + CINSTR_CONTROL_OFFSET);
}

void control_unmap(struct cinstr_control_block *block)
{
	if (block)
		munmap((char *)block - CINSTR_CONTROL_OFFSET, CINSTR_PAGE);
}

void control_changed(struct cinstr_control_block *block)
{
	atomic_add(&block->epoch, 1); /* pairs with the runtime's control_epoch */
}
