/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * control_threads.c - see control_threads.h. A thread's state is in its record in the data file,
 * which the process has mapped; the process's epoch notifies it of changes. A thread has a record
 * from its first event on.
 */
#include "control_threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cinstr/atomics.h"
#include "file/data.h"
#include "lib/files.h"
#include "lib/globs.h"

struct found {
	const struct process *process;
	uint64_t page; /* where its segment begins in the file */
	uint32_t tid;
	char name[33];
};

/* What was asked for, and who is it. */
struct search {
	const struct target *target;
	struct globs globs;
	uint32_t *ended; /* numbers of threads that have ended */
	struct found *found;
	size_t n_found, n_ended, n_switchable; /* processes */
};

/* ---- finding --------------------------------------------------------------------------------- */

/* In a namespace of its own a process's threads have numbers that mean nothing here. */
static int is_numbered_as_here(const struct process *process)
{
	return process->pid == process->header.pid;
}

static int has_task(const struct process *process, uint32_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u", process->pid, tid);
	return !access(path, F_OK);
}

static void find_thread(struct search *search, const struct process *process, uint64_t page,
			const struct cinstr_thread *thread)
{
	struct found found = { .process = process, .page = page, .tid = thread->tid };
	int is_live = thread->state == CINSTR_THREAD_LIVE;
	const char *names[2];
	char number[16];

	if (is_live && is_numbered_as_here(process))
		is_live = has_task(process, thread->tid);
	if (!is_live) {
		search->ended = xrealloc(search->ended, search->n_ended + 1, sizeof(*search->ended));
		search->ended[search->n_ended++] = thread->tid;
		return;
	}
	memcpy(found.name, thread->name, sizeof(thread->name));
	if (!thread->named && is_numbered_as_here(process))
		process_thread_name(process->pid, thread->tid, found.name, sizeof(found.name));
	snprintf(number, sizeof(number), "%u", thread->tid);
	names[0] = number;
	names[1] = found.name;
	if (globs_match(&search->globs, names, ARRAY_SIZE(names)) != GLOBS_TAKEN)
		return;
	search->found = xrealloc(search->found, search->n_found + 1, sizeof(*search->found));
	search->found[search->n_found++] = found;
}

static int find_in_file(struct search *search, const struct process *process)
{
	int fd = files_open(process->path, 0);
	struct cinstr_header header = { .file_bytes = 0 };
	struct cinstr_segment segment;
	struct cinstr_thread thread;
	uint64_t end;

	if (fd < 0)
		return errno;
	if (load_read(fd, &header, sizeof(header), 0) != sizeof(header))
		header.file_bytes = 0;
	end = header.file_bytes;
	for (uint64_t at = CINSTR_PAGE; at < end; at += segment.bytes) {
		if (load_read(fd, &segment, sizeof(segment), at) != sizeof(segment) ||
		    segment.magic != CINSTR_SEGMENT_MAGIC || segment.bytes < CINSTR_PAGE ||
		    segment.bytes % CINSTR_PAGE || segment.bytes > end - at)
			break;
		if (segment.type == CINSTR_SEG_THREAD &&
		    load_read(fd, &thread, sizeof(thread), at + sizeof(segment)) == sizeof(thread))
			find_thread(search, process, at, &thread);
	}
	close(fd);
	return 0;
}

static int find_all(struct search *search)
{
	const struct target *target = search->target;

	for (size_t i = 0; i < target->n; i++) {
		const struct process *process = &target->processes[i];
		STRBUF(name);
		int why;

		if (!process->pid || process->header.method == CINSTR_METHOD_SAMPLING)
			continue;
		search->n_switchable++;
		why = find_in_file(search, process);
		if (!why)
			continue;
		return error("%s: %s", process_name(process, &name), strerror(why));
	}
	return 0;
}

/* ---- what cannot be found -------------------------------------------------------------------- */

static int has_ended(const struct search *search, uint32_t tid)
{
	for (size_t i = 0; i < search->n_ended; i++)
		if (search->ended[i] == tid)
			return 1;
	return 0;
}

/* The process that has it, though it was not recorded yet; NULL: none. */
static const struct process *has_unrecorded(const struct search *search, uint32_t tid)
{
	for (size_t i = 0; i < search->target->n; i++) {
		const struct process *process = &search->target->processes[i];

		if (process->pid && is_numbered_as_here(process) && has_task(process, tid))
			return process;
	}
	return NULL;
}

static void put_target(struct strbuf *buf, const struct target *target)
{
	STRBUF(name);

	if (target->is_session)
		strbuf_visible(buf, target->folder);
	else
		strbuf_puts(buf, process_name(target->processes, &name));
}

static void say_not_found(const struct search *search, uint32_t tid)
{
	const struct process *process = has_unrecorded(search, tid);
	STRBUF(name);

	if (process && process->header.method == CINSTR_METHOD_SAMPLING) {
		error("thread %u: %s is being sampled: single threads cannot be switched", tid,
		      process_name(process, &name));
	} else if (process) {
		error("thread %u has recorded nothing yet: it can be switched when it has", tid);
	} else if (has_ended(search, tid)) {
		error("thread %u has ended", tid);
	} else {
		strbuf_clear(&name);
		put_target(&name, search->target);
		error("there is no thread %u in %s", tid, name.text);
	}
}

static int is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 10;
}

/* Numbers that were not found are told here; names by globs_check_matched. */
static int check_found(struct search *search)
{
	int status = 0;

	for (size_t i = 0; i < search->globs.n; i++) {
		struct glob_entry *entry = &search->globs.list[i];

		if (entry->has_matched || !is_number(entry->text))
			continue;
		say_not_found(search, (uint32_t)strtoul(entry->text, NULL, 10));
		entry->has_matched = 1;
		status = -1;
	}
	if (globs_check_matched(&search->globs, "thread"))
		status = -1;
	if (!status && !search->n_found) {
		error("--thread: every thread is left out");
		status = -1;
	}
	return status;
}

/* ---- switching ------------------------------------------------------------------------------- */

/* The page of the file with the thread's record, to be changed; NULL, and errno. */
static struct cinstr_thread *record_map(const struct found *found)
{
	int fd = files_open(found->process->path, FILES_CHANGE), why;
	struct stat st;
	char *page = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size < found->page + CINSTR_PAGE)
		errno = EINVAL; /* a page behind the end would be SIGBUS */
	else
		page = mmap(NULL, CINSTR_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)found->page);
	why = errno;
	close(fd);
	errno = why;
	return page == MAP_FAILED ? NULL
				  : (struct cinstr_thread *)(void *)(page + sizeof(struct cinstr_segment));
}

static void record_unmap(struct cinstr_thread *record)
{
	munmap((char *)record - sizeof(struct cinstr_segment), CINSTR_PAGE);
}

static void put_name(struct strbuf *buf, const struct found *found)
{
	strbuf_clear(buf);
	strbuf_printf(buf, "thread %u", found->tid);
	if (!*found->name)
		return;
	strbuf_puts(buf, " (");
	strbuf_visible(buf, found->name);
	strbuf_puts(buf, ")");
}

static void say_state(const struct search *search, const struct found *found, struct level now,
		      const struct cinstr_control_block *block)
{
	struct cinstr_control_block *session = control_map(search->target->session_file, 0);
	STRBUF(line);
	STRBUF(name);
	STRBUF(others);

	strbuf_clear(&others);
	put_name(&line, found);
	strbuf_printf(&line, " of %s", process_name(found->process, &name));
	level_put_why(&others, "the process is", level_of(block));
	level_put_why(&others, "its session is", level_of(session));
	level_put_state(&line, now, others.text);
	printf("%s\n", line.text);
	control_unmap(session);
}

/* So that `cinstr info` tells of it. Without room for marks it is done all the same. */
static void mark_change(const struct found *found, struct level old, struct level now)
{
	STRBUF(text);

	put_name(&text, found);
	if (old.stopped != now.stopped)
		strbuf_puts(&text, now.stopped ? " stopped" : " started");
	else if ((old.suspensions > 0) != (now.suspensions > 0))
		strbuf_puts(&text, now.suspensions > 0 ? " suspended" : " resumed");
	else
		goto out;
	strbuf_puts(&text, " from outside");
	control_mark_state(found->process->path, found->tid, text.text);
out:
}

static int change_record(const struct search *search, const struct found *found,
			 struct cinstr_control_block *block, enum level_change change)
{
	struct cinstr_thread *record = record_map(found);
	struct level old, now;
	STRBUF(name);
	int status = -1;

	put_name(&name, found);
	if (!record) {
		error("%s: %s", name.text, strerror(errno));
		goto out;
	}
	old = level_read(&record->stopped, &record->suspensions);
	if (atomic_load_relaxed(&record->tid) != found->tid || record->state != CINSTR_THREAD_LIVE)
		error("%s has ended", name.text);
	else if (level_change(&record->stopped, &record->suspensions, change))
		error("%s is not suspended", name.text);
	else
		status = 0;
	now = level_read(&record->stopped, &record->suspensions);
	record_unmap(record);
	if (!status) {
		control_changed(block);
		mark_change(found, old, now);
		say_state(search, found, now, block);
	}
out:
	return status;
}

static int change_all(const struct search *search, enum level_change change)
{
	int status = STATUS_OK;

	for (size_t i = 0; i < search->n_found; i++) {
		const struct found *found = &search->found[i];
		struct cinstr_control_block *block = target_block(search->target, found->process);

		if (!block || change_record(search, found, block, change))
			status = STATUS_DATA;
		control_unmap(block);
	}
	return status;
}

int control_threads(const struct target *target, const char *list, enum level_change change)
{
	struct search search = { .target = target };
	STRBUF(name);
	int status = STATUS_DATA;

	if (globs_parse(&search.globs, list)) {
		error("control: --thread takes TID|NAME,... of threads, none of them empty");
		status = STATUS_USAGE;
	} else if (!find_all(&search)) {
		strbuf_clear(&name);
		put_target(&name, target);
		if (!target->n_live)
			target_say_nobody(target);
		else if (!search.n_switchable)
			error("%s is being sampled: single threads cannot be switched", name.text);
		else if (!check_found(&search))
			status = change_all(&search, change);
	}
	globs_release(&search.globs);
	free(search.found);
	free(search.ended);
	return status;
}
