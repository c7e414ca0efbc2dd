/* SPDX-License-Identifier: MIT */
/* sampler_slots.c - what the process tells the collector (sampler_ring.h). Any thread, also in the signal's handler. */
#include "sampler.h"

static uint64_t *word(uint32_t i)
{
	return (uint64_t *)(void *)(sampler.words) + i;
}

static int take(uint32_t i, uint32_t tid)
{
	uint64_t none = SAMPLER_FREE;

	return __atomic_compare_exchange_n(word(i), &none, SAMPLER_WORD(tid, SAMPLER_BUSY), 0,
					   __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED); /* pairs with the collector's release */
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

		*slot = __atomic_fetch_add(&sampler.ring->next, 1, __ATOMIC_RELAXED) % sampler.n_slots;
		if (!take(*slot, tid))
			continue;
		record = (void *)(sampler.slots + (uint64_t)*slot * sampler.slot_bytes);
		fill(record, type, tid);
		return record;
	}
	if (type == SAMPLER_SAMPLE) {
		sampler_self.lost++;
		__atomic_fetch_add(&sampler.ring->lost, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

void slot_send(uint32_t slot)
{
	uint64_t busy = __atomic_load_n(word(slot), __ATOMIC_RELAXED);

	__atomic_store_n(word(slot), SAMPLER_WORD(SAMPLER_WORD_TID(busy), SAMPLER_READY), __ATOMIC_RELEASE);
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
