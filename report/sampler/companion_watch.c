/* SPDX-License-Identifier: GPL-3.0-or-later */
/* companion_watch.c - see companion_watch.h. Any process may change the files at any time, so their
 * content is not trusted. */
#include "companion_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cinstr/atomics.h"
#include "lib/array.h"
#include "lib/files.h"
#include "lib/util.h"

/* beyond so many the older half is dropped: samples are judged soon after they were taken */
#define CHANGES_MAX 8192
/* a folder changed so recently may have changed once more at the same moment */
#define RECENT_NS 1000000000
#define MARK_LEVEL_PROCESS 2
#define MARK_LEVEL_THREAD 3

/* When something went off or on, in order of time. */
struct changes {
	struct change {
		uint64_t ticks;
		int is_off;
	} * list;
	size_t n, size;
};

struct thread_changes {
	uint32_t tid;
	struct changes changes;
	char name[32];
};

struct companion {
	uint32_t pid;
	uint64_t begin_ticks;
	int has_ended;
	/* the data file of a program that records (--mixed), of which the block is looked at: its
	 * marks have stamps of another clock, and how it ends is not ours to say */
	int is_recorded;
	int fd;
	struct cinstr_header *header; /* the first page, mapped */
	uint64_t segment;	      /* that is read next, or on */
	uint64_t read;		      /* of its payload */
	struct changes process;
	struct thread_changes *threads;
	size_t n_threads;
};

struct companions {
	char *folder;
	struct timespec changed; /* the folder, when it was looked at */
	struct map seen;	 /* names of files */
	struct companion *list;
	size_t n;
};

/* ---- changes --------------------------------------------------------------------------------- */

/* Most come in their order. */
static void change_add(struct changes *changes, uint64_t ticks, int is_off)
{
	size_t at;

	if (changes->n == CHANGES_MAX) {
		memmove(changes->list, changes->list + CHANGES_MAX / 2,
			CHANGES_MAX / 2 * sizeof(*changes->list));
		changes->n = CHANGES_MAX / 2;
		changes->list[0].ticks = 0;
	}
	ARRAY_ROOM(changes->list, changes->n, changes->size, 8);
	for (at = changes->n++; at && changes->list[at - 1].ticks > ticks; at--)
		changes->list[at] = changes->list[at - 1];
	changes->list[at] = (struct change){ ticks, is_off };
}

/* Before the first: on. */
static int is_off_at(const struct changes *changes, uint64_t ticks)
{
	size_t i = changes->n;

	while (i && changes->list[i - 1].ticks > ticks)
		i--;
	return i && changes->list[i - 1].is_off;
}

static struct thread_changes *thread_find(const struct companion *companion, uint32_t tid)
{
	for (size_t i = 0; i < companion->n_threads; i++)
		if (companion->threads[i].tid == tid)
			return &companion->threads[i];
	return NULL;
}

static struct thread_changes *thread_of(struct companion *companion, uint32_t tid)
{
	struct thread_changes *thread = thread_find(companion, tid);

	if (thread)
		return thread;
	companion->threads =
		xrealloc(companion->threads, companion->n_threads + 1, sizeof(*companion->threads));
	thread = &companion->threads[companion->n_threads++];
	*thread = (struct thread_changes){ .tid = tid };
	return thread;
}

/* ---- what is in the file --------------------------------------------------------------------- */

static void read_state(struct companion *companion, const struct cinstr_mark *mark)
{
	int is_off = (mark->id & CINSTR_STATE_OFF) != 0;

	if (CINSTR_MARK_KIND(mark->kind) != CINSTR_MARK_STATE)
		return;
	if (CINSTR_STATE_LEVEL(mark->id) == MARK_LEVEL_PROCESS)
		change_add(&companion->process, mark->ticks, is_off);
	else if (CINSTR_STATE_LEVEL(mark->id) == MARK_LEVEL_THREAD)
		change_add(&thread_of(companion, mark->tid)->changes, mark->ticks, is_off);
}

/* From `read` on, as far as it is written. Words that are 0 are a mark from outside that is being
 * written, or never was. */
static void read_marks(struct companion *companion, uint64_t used)
{
	uint64_t payload = companion->segment + sizeof(struct cinstr_segment), at = companion->read;
	struct cinstr_mark mark;

	while (at + sizeof(mark) <= used &&
	       pread(companion->fd, &mark, sizeof(mark), (off_t)(payload + at)) == (ssize_t)sizeof(mark)) {
		if (!mark.bytes) {
			at += 8;
			continue;
		}
		if (mark.bytes < sizeof(mark) || mark.bytes % 8 || mark.bytes > used - at)
			break;
		read_state(companion, &mark);
		at += mark.bytes;
		companion->read = at;
	}
}

static void read_tasks(struct companion *companion, uint64_t at, uint64_t used)
{
	struct cinstr_task task;

	for (uint64_t i = 0; i + sizeof(task) <= used; i += sizeof(task)) {
		off_t offset = (off_t)(at + sizeof(struct cinstr_segment) + i);

		if (pread(companion->fd, &task, sizeof(task), offset) != (ssize_t)sizeof(task))
			return;
		if (task.state == 1) /* the name is complete */
			snprintf(thread_of(companion, task.tid)->name, sizeof(task.name), "%.31s", task.name);
	}
}

/* Segments behind the one that is being read may have come. */
static void read_segments(struct companion *companion)
{
	uint64_t end = atomic_load_acquire(&companion->header->file_bytes), at;
	struct cinstr_segment segment;

	for (at = CINSTR_PAGE; at + sizeof(segment) <= end; at += segment.bytes) {
		if (pread(companion->fd, &segment, sizeof(segment), (off_t)at) != (ssize_t)sizeof(segment) ||
		    segment.magic != CINSTR_SEGMENT_MAGIC || segment.bytes < sizeof(segment) ||
		    segment.bytes > end - at)
			return;
		if (segment.used > segment.bytes - sizeof(segment))
			segment.used = segment.bytes - sizeof(segment);
		if (segment.type == CINSTR_SEG_TASKS)
			read_tasks(companion, at, segment.used);
		if (segment.type != CINSTR_SEG_MARKS || at < companion->segment)
			continue;
		if (at > companion->segment)
			companion->read = 0;
		companion->segment = at;
		read_marks(companion, segment.used);
	}
}

static const struct cinstr_control_block *block_of(const struct companion *companion)
{
	return (const void *)((const char *)companion->header + CINSTR_CONTROL_OFFSET);
}

/* Changes without a mark are those from outside. They count from now on. */
static void look_at_block(struct companion *companion, uint64_t now)
{
	const struct cinstr_control_block *block = block_of(companion);
	int is_off = atomic_load_relaxed(&block->stopped) || atomic_load_relaxed(&block->suspensions) > 0;

	if (is_off != is_off_at(&companion->process, UINT64_MAX))
		change_add(&companion->process, now, is_off);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int is_recorded(const struct cinstr_header *header)
{
	return header->method == CINSTR_METHOD_INSTRUMENTATION;
}

static int is_companion(const struct cinstr_header *header)
{
	return !memcmp(header->magic, CINSTR_FILE_MAGIC, sizeof(header->magic)) &&
	       header->version == CINSTR_FORMAT_VERSION &&
	       (is_recorded(header) || header->sampling.flags & CINSTR_SAMPLING_COMPANION);
}

/* It may begin stopped. */
static void recorded_begin(struct companion *companion)
{
	const struct cinstr_header *header = companion->header;

	companion->is_recorded = 1;
	companion->begin_ticks = header->clock_ns[header->forked && header->clock_ns[1] ? 1 : 0];
	close(companion->fd);
	companion->fd = -1;
	look_at_block(companion, 0);
}

/* Returns 1: nothing more will come in this file. */
static int open_file(struct companions *all, const char *name)
{
	struct companion *companion;
	struct cinstr_header *header;
	STRBUF(path);
	struct stat st;
	int fd;

	strbuf_printf(&path, "%s/%s", all->folder, name);
	fd = files_open(path.text, FILES_CHANGE);
	if (fd < 0)
		return 1;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < (off_t)CINSTR_PAGE) {
		close(fd);
		return 0;
	}
	header = mmap(NULL, CINSTR_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (header == MAP_FAILED || !is_companion(header)) {
		int is_begun = header != MAP_FAILED && header->magic[0];

		if (header != MAP_FAILED)
			munmap(header, CINSTR_PAGE);
		close(fd);
		return is_begun;
	}
	all->list = xrealloc(all->list, all->n + 1, sizeof(*all->list));
	companion = &all->list[all->n++];
	*companion = (struct companion){
		.pid = header->pid, .begin_ticks = header->clock_ticks[0], .fd = fd, .header = header
	};
	if (is_recorded(header))
		recorded_begin(companion);
	return 1;
}

static void look_at_folder(struct companions *all)
{
	DIR *folder = files_list(all->folder, 0);
	struct dirent *entry;
	int is_new;

	while (folder && (entry = readdir(folder)))
		if (util_has_suffix(entry->d_name, CINSTR_FILE_SUFFIX) &&
		    map_find(&all->seen, entry->d_name, strlen(entry->d_name)) == MAP_NONE &&
		    open_file(all, entry->d_name))
			map_add(&all->seen, entry->d_name, strlen(entry->d_name), &is_new);
	if (folder)
		closedir(folder);
}

static int has_changed(struct companions *all)
{
	struct stat st;
	struct timespec now;
	int changed;

	if (stat(all->folder, &st))
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	changed = st.st_mtim.tv_sec != all->changed.tv_sec || st.st_mtim.tv_nsec != all->changed.tv_nsec ||
		  (now.tv_sec - st.st_mtim.tv_sec) * 1000000000ll + now.tv_nsec - st.st_mtim.tv_nsec <
			  RECENT_NS;
	all->changed = st.st_mtim;
	return changed;
}

struct companions *companions_new(const char *session)
{
	struct companions *all = xcalloc(1, sizeof(*all));

	all->folder = xstrdup(session);
	return all;
}

static void companion_close(struct companion *companion)
{
	for (size_t i = 0; i < companion->n_threads; i++)
		free(companion->threads[i].changes.list);
	free(companion->threads);
	free(companion->process.list);
	munmap(companion->header, CINSTR_PAGE);
	if (companion->fd >= 0)
		close(companion->fd);
}

void companions_release(struct companions *all)
{
	for (size_t i = 0; all && i < all->n; i++)
		companion_close(&all->list[i]);
	if (!all)
		return;
	map_release(&all->seen);
	free(all->list);
	free(all->folder);
	free(all);
}

void companions_look(struct companions *all, uint64_t now)
{
	if (has_changed(all))
		look_at_folder(all);
	for (size_t i = 0; i < all->n; i++)
		if (!all->list[i].has_ended) {
			if (!all->list[i].is_recorded)
				read_segments(&all->list[i]);
			look_at_block(&all->list[i], now);
		}
}

/* ---- questions ------------------------------------------------------------------------------- */

/* Of the program that the process ran at that moment; NULL: none. */
static struct companion *find(const struct companions *all, uint32_t pid, uint64_t ticks)
{
	struct companion *found = NULL;

	for (size_t i = 0; i < all->n; i++)
		if (all->list[i].pid == pid && all->list[i].begin_ticks <= ticks &&
		    (!found || all->list[i].begin_ticks > found->begin_ticks))
			found = &all->list[i];
	return found;
}

static struct companion *find_running(const struct companions *all, uint32_t pid)
{
	struct companion *companion = find(all, pid, UINT64_MAX);

	return companion && !companion->has_ended ? companion : NULL;
}

int companions_are_on(const struct companions *all, uint32_t pid, uint32_t tid, uint64_t ticks)
{
	const struct companion *companion = find(all, pid, ticks);
	const struct thread_changes *thread = companion ? thread_find(companion, tid) : NULL;

	return !companion ||
	       (!is_off_at(&companion->process, ticks) && (!thread || !is_off_at(&thread->changes, ticks)));
}

const struct cinstr_control_block *companions_block(const struct companions *all, uint32_t pid)
{
	const struct companion *companion = find_running(all, pid);

	return companion ? block_of(companion) : NULL;
}

const char *companions_thread_name(const struct companions *all, uint32_t pid, uint32_t tid)
{
	const struct companion *companion = find_running(all, pid);
	const struct thread_changes *thread = companion ? thread_find(companion, tid) : NULL;

	return thread && thread->name[0] ? thread->name : NULL;
}

void companions_thread_end(struct companions *all, uint32_t pid, uint32_t tid)
{
	struct companion *companion = find_running(all, pid);
	struct thread_changes *thread = companion ? thread_find(companion, tid) : NULL;

	if (!thread)
		return;
	free(thread->changes.list);
	*thread = companion->threads[--companion->n_threads];
}

static void companion_end(struct companion *companion, enum cinstr_end end, int status)
{
	if (!companion || companion->has_ended)
		return;
	companion->has_ended = 1;
	if (companion->is_recorded)
		return;
	read_segments(companion);
	close(companion->fd);
	companion->fd = -1;
	if (companion->header->end != CINSTR_END_UNKNOWN || end == CINSTR_END_UNKNOWN)
		return;
	companion->header->end_status = status;
	companion->header->end = end;
}

void companions_end(struct companions *all, uint32_t pid, enum cinstr_end end, int status)
{
	companion_end(find_running(all, pid), end, status);
}

void companions_exec(struct companions *all, uint32_t pid, uint64_t ticks)
{
	companion_end(find(all, pid, ticks), CINSTR_END_EXEC, 0);
}
