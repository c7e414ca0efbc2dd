/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf_parse.h"

#include <linux/perf_event.h>
#include <string.h>

#include "arch/registers.h"

/* What is left of a record. */
struct cursor {
	const uint64_t *at;
	size_t words;
	int is_bad;
};

static uint64_t take(struct cursor *cursor)
{
	if (!cursor->words) {
		cursor->is_bad = 1;
		return 0;
	}
	cursor->words--;
	return *cursor->at++;
}

static const uint64_t *take_words(struct cursor *cursor, uint64_t n)
{
	const uint64_t *at = cursor->at;

	if (n > cursor->words) {
		cursor->is_bad = 1;
		return NULL;
	}
	cursor->at += n;
	cursor->words -= n;
	return at;
}

static void take_pair(struct cursor *cursor, uint32_t *first, uint32_t *second)
{
	uint64_t both = take(cursor);

	*first = (uint32_t)both;
	*second = (uint32_t)(both >> 32);
}

/* ---- samples --------------------------------------------------------------------------------- */

static void parse_registers(struct cursor *cursor, uint64_t mask, struct raw_sample *sample)
{
	uint64_t abi = take(cursor);

	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	for (int i = 0; i < 64; i++) {
		uint64_t value = mask >> i & 1 ? take(cursor) : 0;
		int number = mask >> i & 1 ? register_of_perf(i) : -1;

		if (number >= 0)
			sample->registers[number] = value;
	}
	/* A program of 32 bits has others; where it is we know. */
	sample->has_registers =
		abi == PERF_SAMPLE_REGS_ABI_64 && (mask & MACHINE_PERF_REGISTERS) == MACHINE_PERF_REGISTERS;
}

/* The user's part: behind its marker the instruction, then return addresses. */
static void parse_chain(struct cursor *cursor, struct raw_sample *sample)
{
	uint64_t n = take(cursor), i = 0, end;
	const uint64_t *chain = take_words(cursor, n);

	if (!chain)
		return;
	while (i < n && chain[i] != PERF_CONTEXT_USER)
		i++;
	for (end = ++i; end < n && chain[end] < PERF_CONTEXT_MAX;)
		end++;
	if (i >= end)
		return;
	sample->registers[MACHINE_IP] = chain[i];
	sample->chain = chain + i + 1;
	sample->n_chain = (size_t)(end - i - 1);
}

static void parse_stack(struct cursor *cursor, struct raw_sample *sample)
{
	uint64_t size = take(cursor), used;
	const uint64_t *bytes = take_words(cursor, size / 8);

	if (!size || !bytes)
		return;
	used = take(cursor);
	if (used > size)
		cursor->is_bad = 1;
	sample->stack = (const uint8_t *)bytes;
	sample->stack_bytes = (size_t)used;
	sample->stack_ends = used < size;
}

static void parse_mode(uint16_t misc, struct perf_record *record)
{
	unsigned mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	record->sample.in_kernel = mode == PERF_RECORD_MISC_KERNEL;
	record->sample.is_foreign = (mode != PERF_RECORD_MISC_KERNEL && mode != PERF_RECORD_MISC_USER) ||
				    !record->pid || record->pid == UINT32_MAX;
}

/* In the order of the bits of sample_type that the kernel puts them in; others are not asked
 * for. */
static void parse_sample(const struct perf_layout *layout, uint16_t misc, struct cursor *cursor,
			 struct perf_record *record)
{
	struct raw_sample *sample = &record->sample;
	uint64_t ip = take(cursor);

	record->kind = PERF_KIND_SAMPLE;
	take_pair(cursor, &record->pid, &record->tid);
	record->ticks = take(cursor);
	parse_mode(misc, record);
	if (!sample->in_kernel)
		sample->registers[MACHINE_IP] = ip;
	if (layout->sample_type & PERF_SAMPLE_CALLCHAIN)
		parse_chain(cursor, sample);
	if (layout->sample_type & PERF_SAMPLE_REGS_USER)
		parse_registers(cursor, layout->registers, sample);
	if (layout->sample_type & PERF_SAMPLE_STACK_USER)
		parse_stack(cursor, sample);
	sample->ticks = record->ticks;
	sample->pid = record->pid;
	sample->tid = record->tid;
}

/* ---- what happened to processes -------------------------------------------------------------- */

/* NUL-terminated within what is left; NULL: it is not. */
static const char *text(struct cursor *cursor)
{
	const char *at = (const char *)cursor->at;

	if (memchr(at, 0, cursor->words * 8))
		return at;
	cursor->is_bad = 1;
	return NULL;
}

static void parse_mapping(struct cursor *cursor, struct perf_record *record)
{
	struct raw_mapping *mapping = &record->mapping;
	uint64_t bytes;

	record->kind = PERF_KIND_MAPPING;
	take_pair(cursor, &record->pid, &record->tid);
	mapping->start = take(cursor);
	bytes = take(cursor);
	mapping->file_offset = take(cursor);
	take_pair(cursor, &mapping->device_major, &mapping->device_minor);
	mapping->inode = take(cursor);
	take(cursor); /* generation of the inode */
	take(cursor); /* protection, flags */
	mapping->path = text(cursor);
	mapping->end = mapping->start + bytes;
	mapping->pid = record->pid;
	mapping->ticks = record->ticks;
	if (mapping->end < mapping->start)
		cursor->is_bad = 1;
}

/* FORK and EXIT: pid, parent's pid, tid, parent's tid, time. */
static void parse_task(struct cursor *cursor, enum perf_kind kind, struct perf_record *record)
{
	record->kind = kind;
	take_pair(cursor, &record->pid, &record->parent_pid);
	take_pair(cursor, &record->tid, &record->parent_tid);
}

static void parse_named(uint16_t misc, struct cursor *cursor, struct perf_record *record)
{
	record->kind = PERF_KIND_NAMED;
	take_pair(cursor, &record->pid, &record->tid);
	record->is_exec = (misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
	record->name = text(cursor);
}

/* LOST: id, number; LOST_SAMPLES: number. */
static void parse_lost(struct cursor *cursor, int has_id, struct perf_record *record)
{
	record->kind = PERF_KIND_LOST;
	if (has_id)
		take(cursor);
	record->n = take(cursor);
}

static void parse_other(const struct perf_event_header *header, struct cursor *cursor,
			struct perf_record *record)
{
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		parse_mapping(cursor, record);
		break;
	case PERF_RECORD_FORK:
		parse_task(cursor, PERF_KIND_FORKED, record);
		break;
	case PERF_RECORD_EXIT:
		parse_task(cursor, PERF_KIND_EXITED, record);
		break;
	case PERF_RECORD_COMM:
		parse_named(header->misc, cursor, record);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		parse_lost(cursor, header->type == PERF_RECORD_LOST, record);
		break;
	case PERF_RECORD_THROTTLE:
		record->kind = PERF_KIND_THROTTLED;
		break;
	}
}

/* At the end of all but samples, as sample_id_all is on: pid, tid, time. */
static void parse_trailer(struct cursor *cursor, struct perf_record *record)
{
	struct cursor end = *cursor;

	if (cursor->words < 2) {
		cursor->is_bad = 1;
		return;
	}
	cursor->words -= 2;
	end.at += cursor->words;
	end.words = 2;
	take_pair(&end, &record->pid, &record->tid);
	record->ticks = take(&end);
}

int perf_parse(const struct perf_layout *layout, const void *bytes, size_t size, struct perf_record *record)
{
	const struct perf_event_header *header = bytes;
	struct cursor cursor = { .at = bytes, .words = size / 8 };

	*record = (struct perf_record){ .kind = PERF_KIND_OTHER };
	if (size < sizeof(*header) || header->size != size || size % 8)
		return -1;
	take(&cursor);
	if (header->type == PERF_RECORD_SAMPLE) {
		parse_sample(layout, header->misc, &cursor, record);
	} else {
		parse_trailer(&cursor, record);
		parse_other(header, &cursor, record);
	}
	return cursor.is_bad ? -1 : 0;
}
