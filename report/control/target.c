/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "target.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cinstr/atomics.h"
#include "lib/files.h"
#include "runtime/process/session.h"

#define SHOWN_MOST 4

static int is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

/* ---- processes ------------------------------------------------------------------------------- */

const char *process_control_path(const struct process *process)
{
	return process->companion ? process->companion : process->path;
}

/* The name that the program gave its process. */
static void given_name(struct process *process)
{
	struct cinstr_control_block *block = control_map(process_control_path(process), 0);

	if (block && atomic_load_acquire(&block->named) && block->name[0])
		memcpy(process->name, block->name, sizeof(process->name) - 1);
	control_unmap(block);
}

/* Of a data file NAME.PID.UNIQUE.cinstr. NAME may have points; UNIQUE may begin as PID does. Of a
 * file with another name: up to its first point. */
static void name_of_file(struct process *process, const char *path)
{
	FREED char *name = xstrdup(util_basename(path));
	char *suffix = strrchr(name, '.');
	char *unique = suffix ? memrchr(name, '.', (size_t)(suffix - name)) : NULL;
	char *pid = unique ? memrchr(name, '.', (size_t)(unique - name)) : NULL;

	if (!pid || strtoul(pid + 1, NULL, 10) != process->header.pid)
		pid = strchr(name, '.');
	if (pid)
		*pid = '\0';
	snprintf(process->name, sizeof(process->name), "%.*s", (int)sizeof(process->name) - 1, name);
}

static void process_fill(struct process *process, const char *path, uint32_t pid)
{
	*process = (struct process){ .path = path };
	if (session_header(path, &process->header))
		return;
	process->pid = pid ? pid : process_of(path, &process->header);
	process->shown_pid = process->pid ? process->pid : process->header.pid;
	name_of_file(process, path);
	given_name(process);
}

const char *process_name(const struct process *process, struct strbuf *buf)
{
	strbuf_clear(buf);
	strbuf_printf(buf, "process %u (", process->shown_pid);
	strbuf_visible(buf, process->name);
	strbuf_puts(buf, ")");
	return buf->text;
}

/* The samples that belong to a companion: of the same process, and of the last program that began
 * before it. */
static struct process *samples_of(const struct target *target, const struct process *companion)
{
	struct process *found = NULL;

	for (size_t i = 0; i < target->n; i++) {
		struct process *process = &target->processes[i];

		if (process->header.method == CINSTR_METHOD_SAMPLING &&
		    !process_is_companion(&process->header) && process->header.pid == companion->header.pid &&
		    process->header.process_start == companion->header.process_start &&
		    process->header.clock_ticks[0] <= companion->header.clock_ticks[0] &&
		    (!found || process->header.clock_ticks[0] > found->header.clock_ticks[0]))
			found = process;
	}
	return found;
}

/* Samples beside a recording follow the control block of that. */
static int is_beside(const struct target *target, const struct process *samples)
{
	if (samples->header.method != CINSTR_METHOD_SAMPLING ||
	    !(samples->header.sampling.flags & CINSTR_SAMPLING_BESIDE))
		return 0;
	for (size_t i = 0; i < target->n; i++) {
		const struct cinstr_header *header = &target->processes[i].header;

		if (header->method == CINSTR_METHOD_INSTRUMENTATION && header->pid == samples->header.pid &&
		    header->process_start == samples->header.process_start)
			return 1;
	}
	return 0;
}

/* A companion and its samples are one process, and so are a recording and what is beside it. One
 * without samples is a process as well. */
static void companions_join(struct target *target)
{
	size_t n = 0;

	for (size_t i = 0; i < target->n; i++) {
		struct process *companion = &target->processes[i], *samples;

		if (is_beside(target, companion))
			companion->path = NULL;
		samples = process_is_companion(&companion->header) ? samples_of(target, companion) : NULL;
		if (!samples)
			continue;
		samples->companion = companion->path;
		given_name(samples);
		companion->path = NULL;
	}
	for (size_t i = 0; i < target->n; i++)
		if (target->processes[i].path)
			target->processes[n++] = target->processes[i];
	target->n = n;
}

/* A process that has only just made its file does not count yet: it cannot be steered, and takes
 * what is asked for from the session. */
static void processes_list(struct target *target)
{
	target->processes = xcalloc(target->input.n_files + 1, sizeof(*target->processes));
	for (size_t i = 0; i < target->input.n_files; i++)
		if (!session_is_beginning(target->input.files[i]))
			process_fill(&target->processes[target->n++], target->input.files[i], 0);
	companions_join(target);
	for (size_t i = 0; i < target->n; i++)
		target->n_live += target->processes[i].pid != 0;
}

/* ---- one process ----------------------------------------------------------------------------- */

/* In the session of this folder, has it ended? */
static int has_ended(uint32_t pid)
{
	struct session input;
	struct stat st;
	int found = 0;

	if (stat(INPUT_DEFAULT, &st) || session_list(&input, INPUT_DEFAULT))
		return 0;
	for (size_t i = 0; i < input.n_files; i++) {
		struct cinstr_header header;

		found |= !session_header(input.files[i], &header) && header.pid == pid;
	}
	session_release(&input);
	return found;
}

static int say_not_found(uint32_t pid, enum process_found found)
{
	switch (found) {
	case PROCESS_NONE:
		if (has_ended(pid))
			error("process %u has ended (its data are in %s)", pid, INPUT_DEFAULT);
		else
			error("there is no process %u", pid);
		break;
	case PROCESS_NOT_PERMITTED:
		error("process %u may not be looked at: Permission denied; %s", pid,
		      geteuid() ? "ask as the user that it runs as, or as root"
				: "something forbids it even to root (a container's limits, or a security "
				  "module)");
		break;
	case PROCESS_FILE_GONE:
		error("process %u: its data file has been deleted, or lies where it cannot be reached from "
		      "here",
		      pid);
		break;
	default:
		error("process %u is not recording: it was not built with -fplugin=cinstr.so, did not load "
		      "the recorder, or has ended",
		      pid);
	}
	return STATUS_DATA;
}

static char *folder_of(const char *path)
{
	struct strbuf folder = { 0 };
	const char *slash = strrchr(path, '/');

	strbuf_printf(&folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
	return folder.text;
}

/* pid 0: whichever records into the file. */
static int open_file(struct target *target, const char *path, uint32_t pid)
{
	if (session_list(&target->input, path))
		return STATUS_DATA;
	target->folder = folder_of(path);
	target->processes = xcalloc(1, sizeof(*target->processes));
	process_fill(target->processes, target->input.files[0], pid);
	target->n = 1;
	target->n_live = target->processes->pid != 0;
	return STATUS_OK;
}

/* A sampled process: there may be another file of it in the session. Only it is kept. */
static void join_one(struct target *target, uint32_t pid)
{
	size_t found = 0;

	session_release(&target->input);
	free(target->processes);
	target->n = target->n_live = 0;
	if (session_list(&target->input, target->folder))
		return;
	processes_list(target);
	while (found + 1 < target->n && target->processes[found].pid != pid)
		found++;
	if (target->n)
		target->processes[0] = target->processes[found];
	target->n = target->n != 0;
	target->n_live = target->n && target->processes->pid;
}

static int open_process(struct target *target, uint32_t pid)
{
	char *path;
	enum process_found found = process_find(pid, &path);
	int status = found == PROCESS_FOUND ? open_file(target, path, pid) : say_not_found(pid, found);

	if (!status && target->processes->header.method == CINSTR_METHOD_SAMPLING)
		join_one(target, pid);
	free(path);
	return status;
}

/* ---- a session ------------------------------------------------------------------------------- */

static int open_session(struct target *target, const char *folder)
{
	struct stat st;

	if (folder && !stat(folder, &st) && S_ISREG(st.st_mode))
		return open_file(target, folder, 0);
	if (session_list(&target->input, folder))
		return STATUS_DATA;
	target->is_session = 1;
	target->folder = xstrdup(target->input.path);
	if (session_is_live(target->folder) >= 0 || target->input.n_files) {
		processes_list(target);
		return STATUS_OK;
	}
	return error_data("%s: not a session (cinstr control takes a process's number or a session's folder)",
			  util_shown(target->folder));
}

int target_is(const char *word)
{
	struct stat st;

	return is_number(word) || !stat(word, &st);
}

int target_open(struct target *target, const char *operand)
{
	struct strbuf session = { 0 };
	int status;

	*target = (struct target){ .is_session = 0 };
	if (operand && is_number(operand)) {
		unsigned long pid = strtoul(operand, NULL, 10);

		status = pid && pid <= INT32_MAX ? open_process(target, (uint32_t)pid) : STATUS_DATA;
		if (!pid || pid > INT32_MAX)
			error("there is no process %s", operand);
	} else {
		status = open_session(target, operand);
	}
	if (target->folder) {
		strbuf_printf(&session, "%s/%s", target->folder, SESSION_LOCK_NAME);
		target->session_file = session.text;
	}
	return status;
}

void target_release(struct target *target)
{
	free(target->folder);
	free(target->session_file);
	free(target->processes);
	session_release(&target->input);
	*target = (struct target){ .is_session = 0 };
}

/* ---- nobody to steer ------------------------------------------------------------------------- */

int target_has_ended(const struct target *target)
{
	return target->is_session && !target->n_live && target->input.is_over;
}

/* Adds "process 4711 (name) into FOLDER", or "...", if the process records. Returns whether it
 * does. */
static int put_recording(struct strbuf *line, uint32_t pid, int is_shown)
{
	char *path, *folder;
	int records = process_find(pid, &path) == PROCESS_FOUND;

	if (records)
		strbuf_puts(line, line->length ? ", " : "");
	if (records && is_shown) {
		struct process process;
		STRBUF(name);

		process_fill(&process, path, pid);
		folder = folder_of(path);
		strbuf_printf(line, "%s into ", process_name(&process, &name));
		strbuf_visible(line, folder);
		free(folder);
	} else if (records) {
		strbuf_puts(line, "...");
	}
	free(path);
	return records;
}

/* Names processes that record at this moment: the one that was meant may be among them. */
static void say_recording(void)
{
	STRBUF(line);
	DIR *all = files_list("/proc", 0);
	struct dirent *entry;
	int n = 0;

	while (all && n <= SHOWN_MOST && (entry = readdir(all)))
		if (is_number(entry->d_name))
			n += put_recording(&line, (uint32_t)strtoul(entry->d_name, NULL, 10), n < SHOWN_MOST);
	if (n)
		fprintf(stderr, "cinstr: recording now: %s\n", line.text);
	if (all)
		closedir(all);
}

int target_say_nobody(const struct target *target)
{
	STRBUF(name);

	if (target->is_session) {
		strbuf_visible(&name, target->folder);
		error("%s: %sno process is recording into it", name.text,
		      target_has_ended(target) ? "the session has ended; " : "");
	} else {
		error("%s has ended", process_name(target->processes, &name));
	}
	say_recording();
	return STATUS_DATA;
}

/* ---- control blocks -------------------------------------------------------------------------- */

struct cinstr_control_block *target_block(const struct target *target, const struct process *process)
{
	const char *path = process ? process_control_path(process) : target->session_file;
	struct cinstr_control_block *block = control_map(path, 1);
	const char *shown;

	if (block)
		return block;
	shown = util_shown(path);
	if (errno == EACCES || errno == EPERM)
		error("%s: %s; only the user that recorded it, and root, can steer it", shown,
		      strerror(errno));
	else if (errno == EINVAL)
		error("%s: has no room for control (the disk was full when it was made, or it is another "
		      "version's)",
		      shown);
	else
		error("%s: %s", shown, strerror(errno));
	return NULL;
}
