/* SPDX-License-Identifier: MIT */
/*
 * timeline.c - keeps a thread's folded buffers, encoded (timeline_codec.c), in TIMELINE segments:
 * all of them, up to a budget, or the newest in a ring. In the thread itself, signals blocked. A
 * segment's `used` is stored last, so that whatever a killed process leaves is readable up to
 * there.
 */
#include "timeline_steps.h"

#define RING_IMPLIED (4ull << 20) /* CINSTR_KEEP_SLOWEST alone */

static unsigned n_rules; /* of CINSTR_KEEP_SLOWEST */
static uint64_t sequence;

void timeline_init(void)
{
	int ring = 0, given = option_is_given(CINSTR_OPTION_TIMELINE);
	uint64_t min_ns = 0;

	option_budget(CINSTR_OPTION_TIMELINE, &ring, &cinstr.timeline_budget);
	option_time(CINSTR_OPTION_TIMELINE_MIN, &min_ns);
	n_rules = timeline_watch_init();
	if (n_rules && !given) {
		ring = 1;
		cinstr.timeline_budget = RING_IMPLIED;
	} else if (n_rules && !ring) {
		cinstr_say("CINSTR_KEEP_SLOWEST keeps nothing: it needs CINSTR_TIMELINE=ring:SIZE", NULL, 0);
		n_rules = 0;
	}
	cinstr.timeline_mode = ring			? CINSTR_TIMELINE_RING
			       : cinstr.timeline_budget ? CINSTR_TIMELINE_FIRST
							: CINSTR_TIMELINE_NONE;
	if (ring && timeline_ring_init(cinstr.timeline_budget, n_rules))
		cinstr.timeline_mode = CINSTR_TIMELINE_NONE;
	cinstr.timeline_left = cinstr.timeline_budget;
	cinstr.timeline_min_ns = cinstr.timeline_mode ? min_ns : 0;
}

void timeline_describe(struct cinstr_header *header)
{
	header->timeline_mode = cinstr.timeline_mode;
	header->timeline_bytes = cinstr.timeline_mode ? cinstr.timeline_budget : 0;
	header->timeline_min_ns = cinstr.timeline_min_ns;
}

/* A child's file has a budget of its own. */
void timeline_forked(void)
{
	cinstr.timeline_left = cinstr.timeline_budget;
	timeline_ring_forked();
}

void timeline_begin(struct thread *thread, int has_new_record)
{
	struct timeline_work *work = thread->timeline.work;

	if (has_new_record)
		thread->timeline = (struct timeline){ .work = work };
	if (work)
		work->watch.n = work->watch.beyond = 0;
}

/* ---- segments -------------------------------------------------------------------------------- */

/* Nothing more goes into the current segment. */
static void finish_segment(struct thread *thread)
{
	char *segment = thread->timeline.segment;

	if (segment)
		store_seal(segment, store_segment_of(segment)->used);
	thread->timeline.segment = NULL;
}

void timeline_end(struct thread *thread)
{
	finish_segment(thread);
	if (cinstr.timeline_mode == CINSTR_TIMELINE_RING)
		timeline_ring_leave(thread);
}

/* Takes `bytes` of the budget. Returns 0: it has not so many left. */
static int pay(uint64_t bytes)
{
	uint64_t left = atomic_load_relaxed(&cinstr.timeline_left);

	while (left >= bytes && left != UINT64_MAX)
		if (atomic_compare_swap(&cinstr.timeline_left, &left, left - bytes))
			return 1;
	return left >= bytes;
}

/* In FIRST mode: NULL, and from then on nothing more of this thread, when the budget is used up. */
static char *segment_of_budget(struct thread *thread)
{
	uint64_t bytes = thread->timeline.segment ? TIMELINE_SEGMENT_MORE : TIMELINE_SEGMENT;
	char *segment;

	if (!pay(bytes)) {
		bytes = TIMELINE_SEGMENT;
		if (!pay(bytes))
			return NULL;
	}
	segment = store_segment(CINSTR_SEG_TIMELINE, bytes - sizeof(struct cinstr_segment),
				thread->record->index);
	if (segment)
		store_segment_of(segment)->sequence = atomic_add(&sequence, 1) + 1;
	return segment;
}

static int next_segment(struct thread *thread)
{
	struct timeline *timeline = &thread->timeline;
	char *segment = NULL;

	if (cinstr.timeline_mode == CINSTR_TIMELINE_FIRST)
		segment = segment_of_budget(thread);
	finish_segment(thread);
	if (cinstr.timeline_mode == CINSTR_TIMELINE_RING)
		segment = timeline_ring_take(thread);
	timeline->segment = segment;
	if (!segment)
		return -1;
	timeline->room = store_segment_of(segment)->bytes - sizeof(struct cinstr_segment);
	timeline_codec_reset(&timeline->work->codec);
	return 0;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* What is left of the buffer, into to[0 .. room). As timeline_encode. */
static long encode(struct timeline_work *work, const struct cinstr_record *records, size_t n, uint8_t *to,
		   size_t room, struct cinstr_timeline_chunk *chunk)
{
	size_t at = 0, from = 0;

	while (from < n) {
		size_t end = n;
		long used;

		if (cinstr.timeline_min_ns)
			for (end = from; end < n && !work->skip[end];)
				end++;
		used = timeline_encode(&work->codec, records + from, end - from, to + at, room - at,
				       &chunk->events);
		if (used < 0)
			return -1;
		at += (size_t)used;
		chunk->records += (uint32_t)(end - from);
		from = end < n ? work->skip[end] : n;
	}
	return (long)at;
}

/*
 * Stamp of the last record: its high half is that of the last full stamp before it. The thread's
 * probe_state does not tell: `high` is put aside while probes are skipped, and of a thread that
 * vanished all of it is gone.
 */
static uint64_t end_of(const struct cinstr_record *records, size_t n)
{
	for (size_t i = n; i-- > 0;) {
		uint32_t type = CINSTR_SPECIAL_TYPE(records[i].code);

		if (CINSTR_CODE_KIND(records[i].code) != CINSTR_EV_SPECIAL ||
		    (type != CINSTR_SP_START && type != CINSTR_SP_SLOW && type != CINSTR_SP_RESUME &&
		     type != CINSTR_SP_PAUSE && type != CINSTR_SP_CONTINUE))
			continue;
		return (CINSTR_SPECIAL_VALUE(&records[i]) & ~0xffffffffull) | records[n - 1].time_lo;
	}
	return records[n - 1].time_lo; /* none: START is always there */
}

/* Encodes the buffer into the current segment. Returns 0: it has no room for it. */
static int append(struct thread *thread, size_t n)
{
	struct timeline *timeline = &thread->timeline;
	struct cinstr_segment *segment = timeline->segment ? store_segment_of(timeline->segment) : NULL;
	uint64_t start = CINSTR_SPECIAL_VALUE(thread->buffer);
	struct cinstr_timeline_chunk chunk = { .start_ticks = start,
					       .end_ticks = end_of(thread->buffer, n),
					       .number = timeline->number };
	char *at;
	long bytes;

	if (!segment || timeline->room - segment->used < timeline->last_bytes + sizeof(chunk))
		return 0;
	at = timeline->segment + segment->used;
	timeline_codec_begin(&timeline->work->codec, start);
	bytes = encode(timeline->work, thread->buffer, n, (uint8_t *)at + sizeof(chunk),
		       timeline->room - segment->used - sizeof(chunk), &chunk);
	if (bytes < 0)
		return 0;
	timeline->last_bytes = (uint32_t)bytes;
	chunk.bytes = (uint32_t)((sizeof(chunk) + (size_t)bytes + 7) & ~7ul);
	if (chunk.bytes > timeline->room - segment->used)
		return 0;
	arch_copy(at, &chunk, sizeof(chunk));
	if (timeline->slot)
		timeline->slot->events += chunk.events;
	atomic_store_release(&segment->used, segment->used + chunk.bytes); /* reader */
	return 1;
}

/* The ring, with what has just been added to it, is kept for its slowest call. */
static void keep_for(struct thread *thread, const struct timeline_slow *slow)
{
	struct text text = { .used = 0 };

	if (!timeline_ring_keep(thread, slow))
		return;
	timeline_watch_text(slow, &text);
	mark_add(CINSTR_MARK_KEPT, slow->end, CINSTR_CODE_WORD(slow->code), (int64_t)slow->ticks, text.data);
}

static struct timeline_work *work_of(struct thread *thread)
{
	struct timeline_work *work = thread->timeline.work;

	if (!work) {
		work = sys_memory(sizeof(*work));
		thread->timeline.work = sys_failed(work) ? NULL : work;
	}
	return thread->timeline.work;
}

int timeline_keep(struct thread *thread, size_t n)
{
	struct timeline *timeline = &thread->timeline;
	struct timeline_slow slow = { .ticks = 0 };
	struct timeline_work *work;
	uint64_t left_out = 0;
	int kept;

	if (timeline->over || !(work = work_of(thread)))
		return 0;
	if (cinstr.timeline_min_ns)
		left_out = timeline_filter(work, thread->buffer, n);
	if (n_rules)
		timeline_watch_scan(&work->watch, thread->buffer, n, &slow);
	kept = append(thread, n);
	if (!kept) {
		timeline->last_bytes = 0;
		kept = !next_segment(thread) && append(thread, n);
	}
	timeline->number++;
	/* In a ring the thread may have better luck with its next buffer. */
	timeline->over = !kept && cinstr.timeline_mode == CINSTR_TIMELINE_FIRST;
	if (!kept)
		return 0;
	thread->record->timeline_short += left_out;
	if (slow.ticks)
		keep_for(thread, &slow);
	return 1;
}
