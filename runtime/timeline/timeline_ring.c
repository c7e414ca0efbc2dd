/* SPDX-License-Identifier: MIT */
/*
 * timeline_ring.c - CINSTR_TIMELINE=ring:SIZE: chooses the segment that a thread writes next, and
 * keeps rings for slow calls. Any thread, signals blocked; everything here is under the store's
 * lock, but for a slot's `events`, which its thread counts while it is `current`.
 *
 * While there is room, a segment is a new one. Then it is a released one; the oldest of a thread
 * that is over; or the oldest of the thread with the most segments (so that all get an equal share
 * in the end), the thread's own unless another has more. A segment that a thread is writing is
 * never taken from it. A thread that has fewer than LEAST, when none has more, gets a new one
 * beyond the budget: each thread has the newest of its own events.
 */
#include "timeline_steps.h"

#define LEAST 2u /* the one that a thread is writing, and a full one before it */

/* A ring that was kept: the slots whose `kept` is its `end`. */
struct kept_ring {
	uint64_t end; /* stamp of the slow call's end; 0: none */
	uint64_t ticks;
};

static struct {
	struct timeline_slot *slots;
	uint32_t n, max;
	uint32_t in_use, limit; /* segments that are neither free nor kept */
	uint64_t segment_bytes;
	uint64_t sequence;
	struct kept_ring kept[TIMELINE_RULES * TIMELINE_KEPT]; /* those of a rule side by side */
} ring;

int timeline_ring_init(uint64_t budget, unsigned n_rules)
{
	uint64_t bytes = (budget / 256) & ~(uint64_t)(CINSTR_PAGE - 1);

	bytes = bytes < TIMELINE_SEGMENT       ? TIMELINE_SEGMENT
		: bytes > TIMELINE_SEGMENT_MAX ? TIMELINE_SEGMENT_MAX
					       : bytes;
	ring.segment_bytes = bytes;
	ring.limit = (uint32_t)min_of(budget / bytes, 1ull << 20);
	ring.limit = ring.limit < 2 ? 2 : ring.limit;
	ring.max = (ring.limit + TREES_MAX) * (1 + n_rules * TIMELINE_KEPT);
	ring.slots = sys_memory(ring.max * sizeof(*ring.slots));
	if (!sys_failed(ring.slots))
		return 0;
	ring.slots = NULL;
	return -1;
}

void timeline_ring_forked(void)
{
	for (uint32_t i = 0; i < TIMELINE_RULES * TIMELINE_KEPT; i++)
		ring.kept[i] = (struct kept_ring){ 0 };
	ring.n = ring.in_use = 0;
}

uint64_t timeline_ring_bytes(void)
{
	return ring.segment_bytes - sizeof(struct cinstr_segment);
}

/* ---- taking segments (under the lock) -------------------------------------------------------- */

static int is_older(const struct timeline_slot *slot, const struct timeline_slot *than)
{
	return !than || slot->sequence < than->sequence;
}

/* Is a segment rather taken from the thread of `slot` than from that of `than`? */
static int is_richer(const struct timeline_slot *slot, const struct timeline_slot *than)
{
	uint32_t n = slot->thread->timeline.n_slots, other = than ? than->thread->timeline.n_slots : 0;

	return n != other ? n > other : is_older(slot, than);
}

static struct timeline_slot *find_free(void)
{
	for (uint32_t i = 0; i < ring.n; i++)
		if (!ring.slots[i].record)
			return &ring.slots[i];
	return NULL;
}

/* The segment in use that is given up for this thread; NULL: none can be. */
static struct timeline_slot *find_victim(const struct thread *thread)
{
	struct timeline_slot *over = NULL, *own = NULL, *richest = NULL;

	for (uint32_t i = 0; i < ring.n; i++) {
		struct timeline_slot *slot = &ring.slots[i];

		if (!slot->record || slot->kept || slot->current)
			continue;
		if (!slot->thread)
			over = is_older(slot, over) ? slot : over;
		else if (slot->thread == thread)
			own = thread->timeline.n_slots >= LEAST && is_older(slot, own) ? slot : own;
		else if (slot->thread->timeline.n_slots > LEAST)
			richest = is_richer(slot, richest) ? slot : richest;
	}
	if (over)
		return over;
	if (own && (!richest || richest->thread->timeline.n_slots <= thread->timeline.n_slots))
		return own;
	return richest;
}

/* Takes the slot out of use: what is in its segment is gone, `used` first. */
static void clear(struct timeline_slot *slot)
{
	struct cinstr_segment *segment = store_segment_of(slot->payload);

	atomic_store_release(&segment->used, 0); /* reader */
	segment->sealed = 0;
	segment->kept = 0;
	if (slot->record)
		atomic_add(&slot->record->timeline_lost, slot->events);
	ring.in_use -= slot->record && !slot->kept;
	if (slot->thread)
		slot->thread->timeline.n_slots--;
	*slot = (struct timeline_slot){ .payload = slot->payload };
}

static char *hand_out(struct timeline_slot *slot, struct thread *thread)
{
	struct cinstr_segment *segment = store_segment_of(slot->payload);

	segment->owner = thread->record->index;
	slot->record = thread->record;
	slot->thread = thread;
	slot->current = 1;
	slot->sequence = segment->sequence = ++ring.sequence;
	thread->timeline.slot = slot;
	thread->timeline.n_slots++;
	return slot->payload;
}

/* A slot for a segment that is still to be made; counted as in use. NULL: there is no place for
 * it. */
static struct timeline_slot *find_place(void)
{
	if (ring.n == ring.max)
		return NULL;
	ring.in_use++;
	return &ring.slots[ring.n];
}

/* A slot with an empty segment, in use; NULL with *make: one is to be made. */
static struct timeline_slot *find_slot(const struct thread *thread, int *make)
{
	int has_room = ring.in_use < ring.limit;
	struct timeline_slot *slot = has_room ? find_free() : find_victim(thread);

	if (!slot && !has_room)
		slot = find_free();
	*make = !slot;
	if (slot) {
		clear(slot);
		ring.in_use++;
	}
	return slot;
}

static char *make_segment(struct thread *thread)
{
	char *segment = store_segment(CINSTR_SEG_TIMELINE, timeline_ring_bytes(), thread->record->index);
	struct timeline_slot *slot;
	uint64_t old;

	if (!segment)
		return NULL;
	old = store_lock();
	slot = find_place();
	if (slot) {
		*slot = (struct timeline_slot){ .payload = segment };
		ring.n++;
		hand_out(slot, thread);
	}
	store_unlock(old);
	if (!slot)
		store_free(segment);
	return slot ? segment : NULL;
}

char *timeline_ring_take(struct thread *thread)
{
	uint64_t old = store_lock();
	struct timeline_slot *slot;
	char *segment = NULL;
	int make;

	if (thread->timeline.slot)
		thread->timeline.slot->current = 0;
	thread->timeline.slot = NULL;
	slot = find_slot(thread, &make);
	if (slot)
		segment = hand_out(slot, thread);
	store_unlock(old);
	return make ? make_segment(thread) : segment;
}

void timeline_ring_leave(struct thread *thread)
{
	uint64_t old = store_lock();

	for (uint32_t i = 0; i < ring.n; i++) {
		struct timeline_slot *slot = &ring.slots[i];

		if (slot->thread == thread) {
			slot->thread = NULL;
			slot->current = 0;
		}
	}
	thread->timeline.slot = NULL;
	thread->timeline.n_slots = 0;
	store_unlock(old);
}

/* ---- kept rings (under the lock) ------------------------------------------------------------- */

static void give_up(struct kept_ring *kept)
{
	for (uint32_t i = 0; i < ring.n; i++)
		if (ring.slots[i].record && ring.slots[i].kept == kept->end)
			clear(&ring.slots[i]);
	*kept = (struct kept_ring){ 0 };
}

/*
 * The thread's last kept ring, if this call began before that was kept (most often: a slow call
 * within this one) and was slower still, and what is new is not so much that it would be a ring by
 * itself. NULL: it is not so.
 */
static struct kept_ring *ring_to_extend(const struct thread *thread, const struct timeline_slow *slow)
{
	uint32_t n = thread->timeline.n_slots;
	struct kept_ring *kept = NULL;

	if (!thread->timeline.kept || slow->begin >= thread->timeline.kept_until)
		return NULL;
	for (uint32_t i = 0; i < TIMELINE_RULES * TIMELINE_KEPT; i++)
		if (ring.kept[i].end == thread->timeline.kept)
			kept = &ring.kept[i];
	for (uint32_t i = 0; kept && i < ring.n; i++)
		n += ring.slots[i].record && ring.slots[i].kept == kept->end;
	return kept && kept->ticks < slow->ticks && n <= ring.limit ? kept : NULL;
}

/* The kept ring that this call goes to: the one to extend; or a free one; or, if it was slower, the
 * fastest of the rule's. NULL: none. */
static struct kept_ring *ring_for(const struct thread *thread, const struct timeline_slow *slow)
{
	struct kept_ring *own = &ring.kept[slow->rule * TIMELINE_KEPT], *fastest = own,
			 *extended = ring_to_extend(thread, slow);

	if (extended)
		return extended;
	for (uint32_t i = 1; i < TIMELINE_KEPT; i++)
		if (own[i].ticks < fastest->ticks)
			fastest = &own[i];
	if (fastest->ticks >= slow->ticks)
		return NULL;
	if (fastest->end)
		give_up(fastest);
	return fastest;
}

/* The slots of the thread's ring, and those that are kept as `before`, are kept as `now`. */
static void keep_slots(struct thread *thread, uint64_t before, uint64_t now)
{
	for (uint32_t i = 0; i < ring.n; i++) {
		struct timeline_slot *slot = &ring.slots[i];
		int is_own = slot->thread == thread;

		if (!slot->record || (!is_own && (!before || slot->kept != before)))
			continue;
		if (is_own)
			ring.in_use--;
		slot->thread = NULL;
		slot->current = 0;
		slot->kept = store_segment_of(slot->payload)->kept = now;
	}
	thread->timeline.segment = NULL;
	thread->timeline.slot = NULL;
	thread->timeline.n_slots = 0;
}

int timeline_ring_keep(struct thread *thread, const struct timeline_slow *slow)
{
	uint64_t old = store_lock();
	struct kept_ring *kept = ring_for(thread, slow);

	if (kept) {
		if (thread->timeline.segment)
			store_seal(thread->timeline.segment,
				   store_segment_of(thread->timeline.segment)->used);
		keep_slots(thread, kept->end, slow->end);
		kept->end = slow->end;
		kept->ticks = slow->ticks > kept->ticks ? slow->ticks : kept->ticks;
		thread->timeline.kept = slow->end;
		thread->timeline.kept_until = thread->timeline.work->watch.time;
	}
	store_unlock(old);
	return kept != NULL;
}
