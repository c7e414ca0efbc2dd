/* SPDX-License-Identifier: MIT */
/* sampler_slots.c - sends records to the collector (sampler_ring.h). Any thread, also in the
 * signal's handler. */
#include "cinstr/atomics.h"
#include "sampler.h"

static uint64_t *word(uint32_t i)
{
	return (uint64_t *)(void *)(sampler.words) + i;
}

static int take(uint32_t i, uint32_t tid)
{
	uint64_t none = SAMPLER_FREE;

	/* pairs with the collector's release */
	return atomic_compare_swap(word(i), &none, SAMPLER_WORD(tid, SAMPLER_BUSY));
}

/* Where a program begins and ends the process's counts, not the thread's. */
static int clock_of(enum sampler_record_type type)
{
	return type == SAMPLER_PROGRAM || type == SAMPLER_FORKED || type == SAMPLER_EXIT
		       ? CLOCK_PROCESS_CPUTIME_ID
		       : CLOCK_THREAD_CPUTIME_ID;
}

static void fill(struct sampler_record *record, enum sampler_record_type type, uint32_t tid)
{
	*record = (struct sampler_record){ .type = type,
					   .ticks = sys_clock_ns(CLOCK_MONOTONIC_RAW),
					   .cpu_ns = sys_clock_ns(clock_of(type)),
					   .pid = sampler.pid,
					   .tid = tid,
					   .lost = sampler_self.lost };
	sampler_self.lost = 0;
}

struct sampler_record *slot_take(enum sampler_record_type type, uint32_t *slot)
{
	uint32_t tid = sampler_self.tid ? sampler_self.tid : (uint32_t)SYS0(SYS_gettid);

	for (int i = 0; i < SAMPLER_TRIES; i++) {
		struct sampler_record *record;

		*slot = atomic_add(&sampler.ring->next, 1) % sampler.n_slots;
		if (!take(*slot, tid))
			continue;
		record = (void *)(sampler.slots + (uint64_t)*slot * sampler.slot_bytes);
		fill(record, type, tid);
		return record;
	}
	if (type == SAMPLER_SAMPLE) {
		sampler_self.lost++;
		atomic_add(&sampler.ring->lost, 1);
	}
	return NULL;
}

void slot_send(uint32_t slot)
{
	uint64_t busy = atomic_load_relaxed(word(slot));

	/* timer_source.c */
	atomic_store_release(word(slot), SAMPLER_WORD(SAMPLER_WORD_TID(busy), SAMPLER_READY));
}

void slot_tell(enum sampler_record_type type, uint32_t parent_pid, uint32_t parent_tid, const char *text,
	       uint32_t bytes)
{
	uint64_t old = sys_block_signals();
	uint32_t slot;
	struct sampler_record *record = slot_take(type, &slot);

	if (record) {
		record->parent_pid = parent_pid;
		record->parent_tid = parent_tid;
		record->text_bytes = bytes < SAMPLER_TEXT ? bytes : SAMPLER_TEXT;
		arch_copy(record + 1, text, record->text_bytes);
		slot_send(slot);
	}
	sys_restore_signals(old);
}
