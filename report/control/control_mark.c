/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * control_mark.c - a mark from outside into a process's data file, by the steps of
 * runtime/control/marks.c: room is reserved by an atomic step of the segment's `used`, and the mark
 * counts when its `bytes` is stored. Only the process can make a segment: it does when it folds and
 * little room is left. The mark begins a phase, as one of the program's does
 * (runtime/fold/phase_list.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cinstr/atomics.h"
#include "lib/files.h"
#include "lib/util.h"
#include "machine.h"
#include "runtime/fold/phase_list.h"
#include "session/processes.h"

#define TEXT_MAX 1000
#define ROOM_WAIT_NS 10000000
#define ROOM_WAITS 100

struct marks {
	char *file; /* mapping of [0, bytes) */
	uint64_t bytes;
	struct cinstr_header *header;
};

static int marks_map(struct marks *marks, const char *path)
{
	int fd = files_open(path, FILES_CHANGE), why = 0;
	struct stat st;

	*marks = (struct marks){ .file = NULL };
	if (fd < 0)
		return errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < (off_t)CINSTR_PAGE)
		why = EINVAL;
	if (!why) {
		marks->bytes = (uint64_t)st.st_size;
		marks->file = mmap(NULL, marks->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		why = marks->file == MAP_FAILED ? errno : 0;
	}
	close(fd);
	marks->header = (struct cinstr_header *)(void *)marks->file;
	return why;
}

typedef uint64_t (*clock_function)(void);

static clock_function clock_of(const struct cinstr_header *header)
{
	return header->clock == CINSTR_CLOCK_TSC ? machine_ticks : util_raw_ns;
}

/* The segment with this payload, if it is one of that type in the file; NULL: it is not. */
static struct cinstr_segment *segment_at(const struct marks *marks, uint64_t payload, uint32_t type)
{
	struct cinstr_segment *segment;

	if (payload < CINSTR_PAGE + sizeof(*segment) || payload % 8 || payload > marks->bytes)
		return NULL;
	segment = (struct cinstr_segment *)(void *)(marks->file + payload) - 1;
	if (segment->magic != CINSTR_SEGMENT_MAGIC || segment->type != type ||
	    segment->bytes < sizeof(*segment) || segment->bytes - sizeof(*segment) > marks->bytes - payload)
		return NULL;
	return segment;
}

/* Begins a phase of the process: its number, and its moment; 0: none is left. */
static uint32_t begin_phase(const struct marks *marks, uint64_t *ticks)
{
	uint64_t payload = atomic_load_acquire(&marks->header->phases_at), most;
	const struct cinstr_segment *segment = segment_at(marks, payload, CINSTR_SEG_PHASES);
	struct cinstr_phases *list = (void *)(marks->file + payload);

	if (!segment || segment->bytes < sizeof(*segment) + sizeof(*list))
		return 0;
	most = (segment->bytes - sizeof(*segment) - sizeof(*list)) / sizeof(list->begin_ticks[0]);
	return phase_list_begin(list, list->max < most ? list->max : (uint32_t)most, clock_of(marks->header),
				ticks);
}

/* Room in the segment that takes marks now; NULL: it is full. */
static struct cinstr_mark *room(const struct marks *marks, uint64_t bytes)
{
	uint64_t payload = atomic_load_acquire(&marks->header->marks_at), at;
	struct cinstr_segment *segment = segment_at(marks, payload, CINSTR_SEG_MARKS);

	if (!segment)
		return NULL;
	at = atomic_load_relaxed(&segment->used);
	while (at % 8 == 0 && at + bytes <= segment->bytes - sizeof(*segment))
		if (atomic_compare_swap(&segment->used, &at, at + bytes))
			return (struct cinstr_mark *)(void *)(marks->file + payload + at);
	return NULL;
}

/* A state begins no phase. */
static int write_mark(const struct marks *marks, const struct cinstr_mark *what, const char *text)
{
	uint64_t ticks = what->ticks;
	size_t length = strnlen(text, TEXT_MAX);
	struct cinstr_mark *mark;
	uint64_t bytes;

	while (length < strlen(text) && length && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--; /* no half of a character */
	bytes = (sizeof(*mark) + length + 1 + 7) & ~7ull;
	mark = room(marks, bytes);
	if (!mark)
		return ENOSPC;
	mark->kind = what->kind;
	if (what->kind == CINSTR_MARK_OUTSIDE)
		mark->kind |= begin_phase(marks, &ticks) << 8;
	mark->ticks = ticks;
	mark->tid = what->tid;
	memcpy(mark + 1, text, length);
	atomic_store_release(&mark->bytes, (uint32_t)bytes); /* reader */
	return 0;
}

/* Threads that run make room when they fold; when asked to fold, they do so at once. */
static int wait_for_room(const char *path, const struct marks *marks)
{
	struct timespec nap = { 0, ROOM_WAIT_NS };
	uint64_t old = atomic_load_relaxed(&marks->header->marks_at);
	struct cinstr_control_block *block = control_map(path, 1);

	if (!block)
		return errno;
	atomic_add(&block->flushes, 1);
	control_changed(block);
	control_unmap(block);
	for (int i = 0; i < ROOM_WAITS; i++) {
		nanosleep(&nap, NULL);
		if (atomic_load_acquire(&marks->header->marks_at) != old)
			return 0;
	}
	return ENOSPC;
}

static void marks_release(struct marks *marks)
{
	if (marks->file && marks->file != MAP_FAILED)
		munmap(marks->file, marks->bytes);
}

static void count_lost(const struct marks *marks)
{
	atomic_add(&marks->header->marks_lost, 1);
}

int control_mark(const char *path, const char *text)
{
	struct cinstr_mark what = { .kind = CINSTR_MARK_OUTSIDE };
	struct marks marks;
	int why = marks_map(&marks, path);

	if (why)
		return why;
	what.ticks = clock_of(marks.header)();
	why = write_mark(&marks, &what, text);
	if (why == ENOSPC && !(why = wait_for_room(path, &marks))) {
		marks_release(&marks);
		why = marks_map(&marks, path); /* the file has grown */
		if (!why)
			why = write_mark(&marks, &what, text);
	}
	if (why == ENOSPC)
		count_lost(&marks);
	marks_release(&marks);
	return why;
}

void control_mark_state(const char *path, uint32_t tid, const char *text)
{
	struct cinstr_mark what = { .kind = CINSTR_MARK_STATE, .tid = tid };
	struct marks marks;

	if (marks_map(&marks, path))
		return;
	what.ticks = clock_of(marks.header)();
	if (write_mark(&marks, &what, text))
		count_lost(&marks);
	marks_release(&marks);
}
