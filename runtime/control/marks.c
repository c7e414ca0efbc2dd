/* SPDX-License-Identifier: MIT */
/*
 * marks.c - stores marks, stamps with a text, in order of arrival: the program's, and changes of
 * the recording. Any thread, signals blocked. Room is reserved by one atomic step of the segment's
 * `used`, and counts when `bytes` is stored: `cinstr control` puts its marks in by the same steps,
 * from outside. It finds the segment by the header's marks_at, cannot make one, and so has room as
 * long as threads fold (marks_refill).
 */
#include <errno.h>

#include "runtime.h"

#define MARK_TEXT_MAX 1000
#define MARKS_SEGMENT_FIRST (8u << 10) /* every process has it */
#define MARKS_SEGMENT (64u << 10)
#define MARKS_SEGMENTS_MAX 16
#define MARKS_SEGMENTS_SAMPLED 1024 /* these marks say which samples count: they must find room */
#define MARKS_REFILL (4u << 10)	    /* room that is less than this is not enough */

static uint64_t bytes_of(char *marks)
{
	return store_segment_of(marks)->bytes - sizeof(struct cinstr_segment);
}

/* Room for `bytes` in this segment of marks; NULL: it is full. */
static struct cinstr_mark *mark_room_in(char *marks, uint64_t bytes)
{
	uint64_t *used = &store_segment_of(marks)->used;
	uint64_t at = atomic_load_relaxed(used);

	while (at + bytes <= bytes_of(marks))
		if (atomic_compare_swap(used, &at, at + bytes))
			return (struct cinstr_mark *)(void *)(marks + at);
	return NULL;
}

/* One more segment behind `last` (NULL: the first), if there is none yet. -1: no room. */
static int add_segment(char *last, uint32_t segment_bytes)
{
	char *fresh;

	if (atomic_load_relaxed(&cinstr.n_marks_segments) >=
	    (cinstr.state == RUNTIME_SAMPLED ? MARKS_SEGMENTS_SAMPLED : MARKS_SEGMENTS_MAX))
		return -1;
	fresh = store_segment(CINSTR_SEG_MARKS, segment_bytes - sizeof(struct cinstr_segment), 0);
	if (!fresh)
		return -1;
	if (!atomic_compare_swap(&cinstr.marks, &last, fresh)) {
		store_free(fresh); /* another thread was first */
		return 0;
	}
	atomic_add(&cinstr.n_marks_segments, 1);
	/* Nobody outside has seen a segment before that: one that is given back is never written
	 * to. */
	atomic_store_release(&cinstr.header->marks_at, store_offset(fresh)); /* control_mark.c */
	return 0;
}

static struct cinstr_mark *mark_room(uint64_t bytes)
{
	for (;;) {
		char *marks = atomic_load_acquire(&cinstr.marks);
		struct cinstr_mark *mark = marks ? mark_room_in(marks, bytes) : NULL;

		if (mark || add_segment(marks, MARKS_SEGMENT))
			return mark;
	}
}

void marks_begin(void)
{
	add_segment(NULL, MARKS_SEGMENT_FIRST);
}

void marks_refill(void)
{
	char *marks = atomic_load_acquire(&cinstr.marks);

	if (marks &&
	    unlikely(atomic_load_relaxed(&store_segment_of(marks)->used) + MARKS_REFILL > bytes_of(marks)))
		add_segment(marks, MARKS_SEGMENT);
}

/* Calls that are counted belong to the phase before until here, timed ones until its moment. */
static uint32_t phase_begin(uint64_t *ticks)
{
	uint32_t phase = phases_next(ticks);

	if (phase && cinstr.budget)
		counting_phase(phase);
	return phase;
}

static int add(uint32_t tid, enum cinstr_mark_kind kind, uint64_t ticks, uint32_t site, int64_t id,
	       const char *text, int begins_phase)
{
	size_t length = text_cut(text, MARK_TEXT_MAX);
	uint64_t bytes = (sizeof(struct cinstr_mark) + length + 1 + 7) & ~7ull;
	struct cinstr_mark *mark = mark_room(bytes);

	if (!mark) {
		atomic_add(&cinstr.header->marks_lost, 1);
		return -ENOMEM;
	}
	mark->kind = kind;
	if (begins_phase)
		mark->kind |= phase_begin(&ticks) << 8;
	mark->tid = tid ? tid : (uint32_t)SYS0(SYS_gettid);
	mark->ticks = ticks;
	mark->site = site;
	mark->id = id;
	arch_copy(mark + 1, text, length);		     /* zero bytes follow */
	atomic_store_release(&mark->bytes, (uint32_t)bytes); /* reader */
	return 0;
}

int mark_add(enum cinstr_mark_kind kind, uint64_t ticks, uint32_t site, int64_t id, const char *text)
{
	return add(0, kind, ticks, site, id, text, 0);
}

int mark_add_for(uint32_t tid, enum cinstr_mark_kind kind, uint64_t ticks, int64_t id, const char *text)
{
	return add(tid, kind, ticks, 0, id, text, 0);
}

int mark_now(uint64_t ticks, uint32_t site, int64_t id, const char *text)
{
	return add(0, CINSTR_MARK_PROGRAM, ticks, site, id, text, 1);
}
