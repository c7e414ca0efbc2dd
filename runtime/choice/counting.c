/* SPDX-License-Identifier: MIT */
/*
 * counting.c - functions that are counted (level BUDGET_COUNT, switch.c): each has a slot, for
 * good, and each thread that enters one has counters, in blocks of slots, as segments of the data
 * file (cinstr/format.h). A stub near the module (thunk.c) adds 1; without the thread's block it
 * comes to slow.c, and here for one.
 *
 * Slots are given under the lock of patch.c. Counters are their thread's own: opened and closed by
 * it, signals blocked. A thread's pointers are NULL while it does not record, where its memory may
 * be another task's soon (vfork), and around a fork: the child's counters are in another file.
 */
#include <link.h>

#include "runtime.h"

#define CODES_SEGMENT (CINSTR_PAGE - sizeof(struct cinstr_segment))
#define CODES ((uint32_t)(CODES_SEGMENT / sizeof(uint32_t)))
#define RANGES ((uint32_t)(CODES_SEGMENT / sizeof(struct cinstr_probe_code)))

static uint32_t *codes; /* by slot */
static uint32_t n_codes;
static char *codes_segment, *ranges_segment; /* those that are being filled */
static uint32_t n_ranges;

struct counting_place counting_place(uint32_t slot)
{
	struct counting_place place = { .index = slot };

	while (place.index >= CINSTR_COUNTERS(place.block))
		place.index -= CINSTR_COUNTERS(place.block++);
	return place;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* 0, or -1: no room in the file. */
static int tell_code(uint32_t slot, uint32_t code)
{
	uint32_t at = slot % CODES;

	if (!at)
		codes_segment = store_segment(CINSTR_SEG_COUNTED, CODES_SEGMENT, 0);
	if (!codes_segment)
		return -1;
	((uint32_t *)(void *)codes_segment)[at] = code;
	atomic_store_release(&store_segment_of(codes_segment)->used,
			     (at + 1) * sizeof(uint32_t)); /* reader */
	return 0;
}

int counting_slot(uint32_t func)
{
	uint8_t *counted = (uint8_t *)cinstr.counted_place.at;
	void *memory;

	for (uint32_t slot = 0; slot < n_codes; slot++)
		if (codes[slot] == func)
			return (int)slot;
	if (n_codes == CINSTR_COUNTERS_ALL)
		return -1;
	memory = codes ? codes : sys_memory(CINSTR_COUNTERS_ALL * sizeof(*codes));
	if (sys_failed(memory) || tell_code(n_codes, func))
		return -1;
	codes = memory;
	codes[n_codes] = func;
	counted[func >> 6] |= (uint8_t)(1u << (func >> 3 & 7));
	atomic_store_release(&cinstr.sites.counted, counted); /* folds, of any thread */
	return (int)n_codes++;
}

/* ---- counters -------------------------------------------------------------------------------- */

static uint64_t *block_of(struct thread *thread, uint32_t block)
{
	uint64_t bytes = CINSTR_COUNTERS(block) * sizeof(uint64_t);
	uint64_t *counts = thread->counts[block];

	if (counts)
		return counts;
	counts = store_segment(CINSTR_SEG_COUNTERS, bytes, thread->record->index);
	if (!counts)
		return NULL;
	store_segment_of(counts)->sequence = block;
	store_segment_of(counts)->used = bytes;
	thread->counts[block] = counts;
	return counts;
}

void counting_open(struct probe_state *probe, uint32_t block)
{
	probe->counts[block] = block_of(probe->thread, block);
}

void counting_close(struct probe_state *probe)
{
	for (uint32_t block = 0; block < CINSTR_COUNTER_BLOCKS; block++)
		probe->counts[block] = NULL;
}

void counting_add(struct thread *thread, uint32_t func)
{
	for (uint32_t slot = 0; slot < n_codes; slot++) {
		struct counting_place place = counting_place(slot);
		uint64_t *counts;

		if (codes[slot] != func)
			continue;
		counts = block_of(thread, place.block);
		if (counts)
			counts[place.index]++;
		return;
	}
}

/* ---- the recording's own code ---------------------------------------------------------------- */

void counting_code(const char *start, const char *end, uint32_t kind)
{
	uint32_t at = n_ranges % RANGES;

	if (start == end)
		return;
	if (!at)
		ranges_segment = store_segment(CINSTR_SEG_PROBE_CODE, CODES_SEGMENT, 0);
	if (!ranges_segment)
		return;
	((struct cinstr_probe_code *)(void *)ranges_segment)[at] =
		(struct cinstr_probe_code){ .start = (uint64_t)start, .end = (uint64_t)end, .kind = kind };
	atomic_store_release(&store_segment_of(ranges_segment)->used,
			     (at + 1) * sizeof(struct cinstr_probe_code)); /* reader */
	n_ranges++;
}

static int is_runtime(const char *path)
{
	static const char name[] = "libcinstr.so";
	const char *base = path;

	for (; *path; path++)
		base = *path == '/' ? path + 1 : base;
	for (size_t i = 0; i < sizeof(name) - 1; i++)
		if (base[i] != name[i])
			return 0;
	return 1;
}

static uint64_t text_start, text_end; /* of the runtime's library; 0: it is a part of the program */

static int find_text(struct dl_phdr_info *info, size_t size, void *data)
{
	uint64_t here = (uint64_t)cinstr_slow_entry;

	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uint64_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (here - start >= info->dlpi_phdr[i].p_memsz || info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		if (info->dlpi_name && is_runtime(info->dlpi_name)) {
			text_start = start;
			text_end = start + info->dlpi_phdr[i].p_memsz;
		}
		return 1;
	}
	return 0;
}

void counting_begin(void)
{
	dl_iterate_phdr(find_text, NULL);
	counting_code((const char *)text_start, (const char *)text_end, CINSTR_PROBE_CODE_RUNTIME);
}

/* In a forked child, whose file has nothing of that yet. */
void counting_forked(void)
{
	codes_segment = ranges_segment = NULL;
	n_ranges = 0;
	if (!cinstr.budget)
		return;
	for (uint32_t slot = 0; slot < n_codes; slot++)
		if (tell_code(slot, codes[slot]))
			return;
	counting_code((const char *)text_start, (const char *)text_end, CINSTR_PROBE_CODE_RUNTIME);
	thunks_describe();
}
