/* SPDX-License-Identifier: MIT */
/*
 * marks.c - moments with a text, in the order of their coming: the program's, and what was done to the recording. Any thread,
 * signals blocked. Room is reserved by one atomic addition and counts when `bytes` is stored.
 */
#include "runtime.h"

#define MARK_TEXT_MAX 1000
#define MARKS_SEGMENT (64u << 10)
#define MARKS_SEGMENTS_MAX 16

/* Room for `bytes` in this segment of marks; NULL: it is full. */
static struct cinstr_mark *mark_room_in(char *marks, uint64_t bytes)
{
	uint64_t *used = &store_segment_of(marks)->used;
	uint64_t at = __atomic_load_n(used, __ATOMIC_RELAXED);

	while (at + bytes <= MARKS_SEGMENT - sizeof(struct cinstr_segment))
		if (__atomic_compare_exchange_n(used, &at, at + bytes, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return (struct cinstr_mark *)(void *)(marks + at);
	return NULL;
}

static struct cinstr_mark *mark_room(uint64_t bytes)
{
	for (;;) {
		char *marks = __atomic_load_n(&cinstr.marks, __ATOMIC_ACQUIRE), *fresh;
		struct cinstr_mark *mark = marks ? mark_room_in(marks, bytes) : NULL;

		if (mark || __atomic_load_n(&cinstr.n_marks_segments, __ATOMIC_RELAXED) >= MARKS_SEGMENTS_MAX)
			return mark;
		fresh = store_segment(CINSTR_SEG_MARKS, MARKS_SEGMENT - sizeof(struct cinstr_segment), 0);
		if (!fresh)
			return NULL;
		if (__atomic_compare_exchange_n(&cinstr.marks, &marks, fresh, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			__atomic_fetch_add(&cinstr.n_marks_segments, 1, __ATOMIC_RELAXED);
		else
			store_free(fresh); /* another thread was first */
	}
}

int mark_add(enum cinstr_mark_kind kind, uint64_t ticks, uint32_t site, int64_t id, const char *text)
{
	size_t length = text_cut(text, MARK_TEXT_MAX);
	uint64_t bytes = (sizeof(struct cinstr_mark) + length + 1 + 7) & ~7ull;
	struct cinstr_mark *mark = mark_room(bytes);

	if (!mark) {
		__atomic_fetch_add(&cinstr.header->marks_lost, 1, __ATOMIC_RELAXED);
		return -12; /* ENOMEM */
	}
	mark->tid = (uint32_t)SYS0(SYS_gettid);
	mark->ticks = ticks;
	mark->site = site;
	mark->kind = kind;
	mark->id = id;
	arch_copy(mark + 1, text, length); /* zero bytes follow */
	__atomic_store_n(&mark->bytes, (uint32_t)bytes, __ATOMIC_RELEASE);
	return 0;
}
