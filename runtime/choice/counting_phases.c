/* SPDX-License-Identifier: MIT */
/*
 * counting_phases.c - what all threads have counted when a phase begins (struct
 * cinstr_phase_count), so that readers know what was counted in each. By the thread that makes the
 * mark, signals blocked, without a lock: its own counts are exact; other threads go on counting,
 * and each of their calls is in the phase in which it was seen. Marks from outside have no such
 * counts.
 */
#include "runtime.h"

#define PHASE_COUNTS_MAX (16u << 20) /* bytes, of all phases */

static uint64_t all_bytes;

/* What is put into the segment, as far as there is room: first it is only counted. */
struct writer {
	struct cinstr_phase_count *list; /* NULL: none */
	uint64_t n, max;
};

static void put(struct writer *w, uint32_t thread, uint32_t slot, uint64_t calls)
{
	if (w->list && w->n < w->max)
		w->list[w->n] = (struct cinstr_phase_count){ thread, slot, calls };
	w->n++;
}

/* Whose counters they are, the segment says: the thread may end, and another one take its place. */
static void put_block(struct writer *w, const uint64_t *counts, uint32_t block)
{
	uint32_t first = 0, owner = store_segment_of((void *)counts)->owner;

	for (uint32_t i = 0; i < block; i++)
		first += CINSTR_COUNTERS(i);
	for (uint32_t i = 0; i < CINSTR_COUNTERS(block); i++) {
		uint64_t calls = atomic_load_relaxed(&counts[i]);

		if (calls)
			put(w, owner, first + i, calls);
	}
}

static void put_threads(struct writer *w)
{
	const struct thread *thread = atomic_load_acquire(&cinstr.threads);

	for (; thread; thread = thread->next_made) {
		const struct cinstr_thread *record = atomic_load_relaxed(&thread->record);

		if (record)
			put(w, record->index, UINT32_MAX, 0);
		for (uint32_t block = 0; block < CINSTR_COUNTER_BLOCKS; block++) {
			const uint64_t *counts = atomic_load_relaxed(&thread->counts[block]);

			if (counts)
				put_block(w, counts, block);
		}
	}
}

void counting_phase(uint32_t phase)
{
	struct writer w = { .list = NULL };
	uint64_t bytes;

	put_threads(&w);
	w.max = w.n + w.n / 8 + 8; /* others may come to count more */
	bytes = (w.max + 1) * sizeof(*w.list);
	if (atomic_add(&all_bytes, bytes) + bytes > PHASE_COUNTS_MAX)
		return;
	w.list = store_segment(CINSTR_SEG_PHASE_COUNTS, bytes, phase);
	if (!w.list)
		return;
	w.list++;
	w.n = 0;
	put_threads(&w);
	if (w.n > w.max)
		return; /* it stays empty */
	w.list[-1] = (struct cinstr_phase_count){ UINT32_MAX, 0, w.n };
	/* reader */
	atomic_store_release(&store_segment_of(w.list - 1)->used, (w.n + 1) * sizeof(*w.list));
}

void counting_phases_forked(void)
{
	all_bytes = 0;
}
