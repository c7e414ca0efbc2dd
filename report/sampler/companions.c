/* SPDX-License-Identifier: GPL-3.0-or-later */
/* companions.c - see companions.h. */
#include "companions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "cinstr.h"
#include "cinstr/format.h"
#include "store.h"
#include "switches.h"
#include "util.h"

#define TRIES 100 /* looks until a new file must have its header */
#define MARKS_MOST (1u << 20)
#define NAME_COMPLETE 1

struct companion {
	char *path;
	uint32_t pid;
	uint64_t begin_ticks;
	int fd;
	uint64_t segment, at; /* read up to: offset of the segment; of its payload */
	struct switches process;
	struct map tids;
	struct switches *threads; /* by number in tids */
};

/* A file of which it is not known yet what it is. */
struct candidate {
	char *name;
	int tries;
};

struct companions {
	char *session;
	int inotify;
	struct candidate *candidates;
	size_t n_candidates;
	struct companion **all;
	size_t n;
};

/* ---- one ----------------------------------------------------------------------------------------------- */

static void companion_free(struct companion *companion)
{
	for (size_t i = 0; i < companion->tids.n; i++)
		switches_release(&companion->threads[i]);
	switches_release(&companion->process);
	map_release(&companion->tids);
	free(companion->threads);
	free(companion->path);
	close(companion->fd);
	free(companion);
}

static struct switches *thread_of(struct companion *companion, uint32_t tid)
{
	int is_new;
	size_t number = map_add(&companion->tids, &tid, sizeof(tid), &is_new);

	if (is_new) {
		companion->threads = xrealloc(companion->threads, number + 1, sizeof(struct switches));
		companion->threads[number] = (struct switches){ .is_off = 0 };
	}
	return &companion->threads[number];
}

static void take_mark(struct companion *companion, const struct cinstr_mark *mark)
{
	int is_off = (mark->id & CINSTR_STATE_OFF) != 0;

	if (CINSTR_MARK_KIND(mark->kind) != CINSTR_MARK_STATE)
		return;
	if (CINSTR_STATE_LEVEL(mark->id) == CINSTR_PROCESS)
		switches_add(&companion->process, mark->ticks, is_off);
	else if (CINSTR_STATE_LEVEL(mark->id) == CINSTR_THREAD)
		switches_add(thread_of(companion, mark->tid), mark->ticks, is_off);
}

/* bytes[n] of a segment. Returns how many of them are done with: one that is being written is waited for. */
static size_t take_marks(struct companion *companion, const char *bytes, size_t n)
{
	size_t at = 0;

	while (at + sizeof(struct cinstr_mark) <= n) {
		struct cinstr_mark mark;

		memcpy(&mark, bytes + at, sizeof(mark));
		if (mark.bytes < sizeof(mark) || mark.bytes % 8 || mark.bytes > n - at)
			break;
		take_mark(companion, &mark);
		at += mark.bytes;
	}
	return at;
}

static void read_segment(struct companion *companion, const struct cinstr_segment *segment)
{
	uint64_t payload = companion->segment + sizeof(*segment);
	size_t n = segment->used > companion->at ? (size_t)(segment->used - companion->at) : 0;
	char *bytes;
	ssize_t done;

	if (!n || segment->used > segment->bytes)
		return;
	n = n < MARKS_MOST ? n : MARKS_MOST;
	bytes = xcalloc(n, 1);
	done = pread(companion->fd, bytes, n, (off_t)(payload + companion->at));
	if (done > 0)
		companion->at += take_marks(companion, bytes, (size_t)done);
	free(bytes);
}

/* What was added to the segment at hand, and to those behind it up to the one that takes marks now. */
static void read_marks(struct companion *companion, uint64_t marks_at)
{
	struct cinstr_segment segment;

	for (;;) {
		if (pread(companion->fd, &segment, sizeof(segment), (off_t)companion->segment) !=
			    sizeof(segment) ||
		    segment.magic != CINSTR_SEGMENT_MAGIC || segment.bytes < sizeof(segment))
			return;
		if (segment.type == CINSTR_SEG_MARKS)
			read_segment(companion, &segment);
		if (companion->segment + sizeof(segment) >= marks_at)
			return;
		companion->segment += segment.bytes;
		companion->at = 0;
	}
}

/* Marks come before the block is looked at: a change that both tell of has the mark's stamp. */
static int companion_look(struct companion *companion, uint64_t now)
{
	struct cinstr_control_block block;
	struct cinstr_header header;

	if (pread(companion->fd, &header, sizeof(header), 0) != sizeof(header))
		return 0;
	read_marks(companion, header.marks_at);
	if (pread(companion->fd, &block, sizeof(block), CINSTR_CONTROL_OFFSET) == sizeof(block))
		switches_add(&companion->process, now, block.stopped || block.suspensions > 0);
	return !companion->process.is_last;
}

/* ---- finding ------------------------------------------------------------------------------------------- */

static int is_ready(const struct cinstr_header *header)
{
	return !memcmp(header->magic, CINSTR_FILE_MAGIC, sizeof(header->magic)) && header->pid &&
	       header->clock_ticks[0];
}

/* 1: it is done with. */
static int candidate_try(struct companions *companions, const char *name)
{
	struct strbuf path = { 0 };
	struct cinstr_header header = { .pid = 0 };
	struct companion *companion;
	int fd, ready;

	strbuf_printf(&path, "%s/%s", companions->session, name);
	fd = open(path.text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ready = fd >= 0 && pread(fd, &header, sizeof(header), 0) == sizeof(header) && is_ready(&header);
	if (!ready || !(header.sampling.flags & CINSTR_SAMPLING_COMPANION)) {
		if (fd >= 0)
			close(fd);
		strbuf_release(&path);
		return ready;
	}
	companion = xcalloc(1, sizeof(*companion));
	companion->path = path.text;
	companion->pid = header.pid;
	companion->fd = fd;
	companion->begin_ticks = header.clock_ticks[0];
	companion->segment = header.header_bytes;
	companions->all = xrealloc(companions->all, companions->n + 1, sizeof(companion));
	companions->all[companions->n++] = companion;
	return 1;
}

static void candidates_try(struct companions *companions)
{
	size_t kept = 0;

	for (size_t i = 0; i < companions->n_candidates; i++) {
		struct candidate candidate = companions->candidates[i];

		if (candidate_try(companions, candidate.name) || ++candidate.tries > TRIES)
			free(candidate.name);
		else
			companions->candidates[kept++] = candidate;
	}
	companions->n_candidates = kept;
}

static void candidate_add(struct companions *companions, const char *name)
{
	size_t n = strlen(name), suffix = strlen(CINSTR_FILE_SUFFIX);

	if (n < suffix || strcmp(name + n - suffix, CINSTR_FILE_SUFFIX))
		return;
	companions->candidates = xrealloc(companions->candidates, companions->n_candidates + 1,
					  sizeof(*companions->candidates));
	companions->candidates[companions->n_candidates++] = (struct candidate){ xstrdup(name), 0 };
}

static void folder_look(struct companions *companions)
{
	char buffer[4096] __attribute__((aligned(8)));
	ssize_t n;

	while ((n = read(companions->inotify, buffer, sizeof(buffer))) > 0)
		for (char *at = buffer; at < buffer + n;) {
			const struct inotify_event *event = (const void *)at;

			if (event->len)
				candidate_add(companions, event->name);
			at += sizeof(*event) + event->len;
		}
	candidates_try(companions);
}

/* ---- all ------------------------------------------------------------------------------------------------ */

struct companions *companions_new(const char *session)
{
	struct companions *companions = xcalloc(1, sizeof(*companions));

	companions->session = xstrdup(session);
	companions->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (companions->inotify >= 0)
		inotify_add_watch(companions->inotify, session, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
	return companions;
}

void companions_release(struct companions *companions)
{
	for (size_t i = 0; i < companions->n; i++)
		companion_free(companions->all[i]);
	for (size_t i = 0; i < companions->n_candidates; i++)
		free(companions->candidates[i].name);
	if (companions->inotify >= 0)
		close(companions->inotify);
	free(companions->candidates);
	free(companions->all);
	free(companions->session);
	free(companions);
}

int companions_look(struct companions *companions, uint64_t now)
{
	int is_on = 0;

	folder_look(companions);
	for (size_t i = 0; i < companions->n; i++)
		is_on |= companion_look(companions->all[i], now);
	return is_on;
}

int companions_is_off(struct companions *companions, uint32_t pid, uint32_t tid, uint64_t ticks)
{
	for (size_t i = companions->n; i-- > 0;) {
		struct companion *companion = companions->all[i];
		size_t number;

		if (companion->pid != pid || companion->begin_ticks > ticks)
			continue;
		if (switches_at(&companion->process, ticks))
			return 1;
		number = map_find(&companion->tids, &tid, sizeof(tid));
		return number != MAP_NONE && switches_at(&companion->threads[number], ticks);
	}
	return -1;
}

/* ---- what it has, for the file of the samples ------------------------------------------------------------- */

static void copy_marks(const char *bytes, size_t n, struct store *store)
{
	struct cinstr_mark mark;

	for (size_t at = 0; at + sizeof(mark) <= n; at += mark.bytes) {
		memcpy(&mark, bytes + at, sizeof(mark));
		if (!mark.bytes) { /* from outside, by somebody who was killed meanwhile */
			mark.bytes = 8;
			continue;
		}
		if (mark.bytes <= sizeof(mark) || mark.bytes % 8 || mark.bytes > n - at ||
		    bytes[at + mark.bytes - 1])
			return;
		store_add_mark(store, &mark, bytes + at + sizeof(mark));
	}
}

static void copy_names(const char *bytes, size_t n, struct store *store)
{
	struct cinstr_task task;

	for (size_t at = 0; at + sizeof(task) <= n; at += sizeof(task)) {
		memcpy(&task, bytes + at, sizeof(task));
		task.name[sizeof(task.name) - 1] = '\0';
		if (task.state == NAME_COMPLETE)
			store_give_name(store, task.tid, task.begin_ticks, task.name);
	}
}

static void copy_segment(const struct companion *companion, const struct cinstr_segment *segment, uint64_t at,
			 struct store *store)
{
	size_t n = segment->used < MARKS_MOST ? (size_t)segment->used : MARKS_MOST;
	char *bytes = xcalloc(n + 1, 1);
	ssize_t done = pread(companion->fd, bytes, n, (off_t)(at + sizeof(*segment)));

	if (done > 0 && segment->type == CINSTR_SEG_MARKS)
		copy_marks(bytes, (size_t)done, store);
	else if (done > 0)
		copy_names(bytes, (size_t)done, store);
	free(bytes);
}

static void copy_process_name(const struct companion *companion, struct store *store)
{
	struct cinstr_control_block from, *to = store_control(store);

	if (pread(companion->fd, &from, sizeof(from), CINSTR_CONTROL_OFFSET) != sizeof(from) ||
	    from.named != NAME_COMPLETE || to->named)
		return;
	from.name[sizeof(from.name) - 1] = '\0';
	memcpy(to->name, from.name, sizeof(to->name));
	__atomic_store_n(&to->named, NAME_COMPLETE, __ATOMIC_RELEASE);
}

static void companion_copy(const struct companion *companion, struct store *store)
{
	struct cinstr_segment segment;
	struct cinstr_header header;
	uint64_t at = CINSTR_PAGE;

	if (pread(companion->fd, &header, sizeof(header), 0) != sizeof(header))
		return;
	copy_process_name(companion, store);
	while (at < header.file_bytes &&
	       pread(companion->fd, &segment, sizeof(segment), (off_t)at) == sizeof(segment) &&
	       segment.magic == CINSTR_SEGMENT_MAGIC && segment.bytes >= sizeof(segment)) {
		if (segment.type == CINSTR_SEG_MARKS || segment.type == CINSTR_SEG_TASKS)
			copy_segment(companion, &segment, at, store);
		at += segment.bytes;
	}
}

void companions_take(struct companions *companions, uint32_t pid, uint64_t ticks, struct store *store)
{
	folder_look(companions); /* it may have come just now */
	for (size_t i = 0; i < companions->n; i++) {
		const struct companion *companion = companions->all[i];

		if (companion->pid != pid || companion->begin_ticks >= ticks)
			continue;
		companion_copy(companion, store);
		unlink(companion->path);
	}
}

void companions_drop(struct companions *companions, uint32_t pid, uint64_t ticks)
{
	size_t kept = 0;

	for (size_t i = 0; i < companions->n; i++) {
		struct companion *companion = companions->all[i];

		if (companion->pid == pid && companion->begin_ticks < ticks)
			companion_free(companion);
		else
			companions->all[kept++] = companion;
	}
	companions->n = kept;
}
