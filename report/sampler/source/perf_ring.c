/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf_ring.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cinstr/atomics.h"
#include "kernel_setting.h"
#include "lib/util.h"

#define RING_LEAST ((size_t)32 << 10)
#define RECORD_MOST ((size_t)64 << 10)
/* beyond it, rings are left to run full, which is counted */
#define HELD_MOST ((uint64_t)512 << 20)

/* A record that was copied out. What it points at follows it. */
struct held {
	struct held *next, *previous;
	struct perf_record record;
	size_t bytes;
};

struct perf_ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	size_t bytes;
	struct held *first, *last;	   /* in order of time */
	struct held *taken;		   /* the one that the reader has now */
	uint64_t scratch[RECORD_MOST / 8]; /* a record that goes over the end */
};

/* ---- how much -------------------------------------------------------------------------------- */

static int may_lock_all(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct capabilities[2] = { 0 };

	return !syscall(SYS_capget, &header, capabilities) && capabilities[0].effective >> CAP_IPC_LOCK & 1;
}

size_t perf_ring_bytes_fair(size_t bytes, size_t n_rings)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), room;
	long kb = kernel_setting("perf_event_mlock_kb", 516);
	struct rlimit limit = { 0, 0 };

	if (may_lock_all() || kernel_setting_paranoid() < 0)
		return bytes;
	getrlimit(RLIMIT_MEMLOCK, &limit);
	room = (size_t)(kb > 0 ? kb : 0) * 1024; /* for each processor */
	room = limit.rlim_cur >= bytes * n_rings ? bytes + page : room + (size_t)limit.rlim_cur / n_rings;
	while (bytes > RING_LEAST && bytes + page > room)
		bytes /= 2;
	return bytes;
}

/* ---- the mapping ----------------------------------------------------------------------------- */

struct perf_ring *perf_ring_new(int fd, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = MAP_FAILED;
	struct perf_ring *ring;

	for (; bytes >= RING_LEAST; bytes /= 2) {
		at = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		/* EPERM: more than may be locked; ENOMEM: more than there is in one piece. */
		if (at != MAP_FAILED || (errno != EPERM && errno != ENOMEM))
			break;
	}
	if (at == MAP_FAILED)
		return NULL;
	ring = xcalloc(1, sizeof(*ring));
	ring->page = at;
	ring->data = (uint8_t *)at + page;
	ring->bytes = bytes;
	return ring;
}

void perf_ring_release(struct perf_ring *ring)
{
	struct held *next;

	if (!ring)
		return;
	munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->bytes);
	for (struct held *held = ring->first; held; held = next) {
		next = held->next;
		free(held);
	}
	free(ring);
}

static uint64_t ring_used(const struct perf_ring *ring)
{
	/* Acquire: pairs with the kernel's store of data_head behind the records. */
	return atomic_load_acquire(&ring->page->data_head) - ring->page->data_tail;
}

int perf_ring_is_urgent(const struct perf_ring *ring)
{
	return ring_used(ring) > ring->bytes / 4;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static size_t name_bytes(const char *name)
{
	return name ? strlen(name) + 1 : 0;
}

/* Copies n bytes behind the ones before, and returns where they are. */
static void *put(struct held *held, const void *bytes, size_t n)
{
	uint8_t *at = (uint8_t *)held + held->bytes;

	if (!bytes)
		return NULL;
	memcpy(at, bytes, n);
	held->bytes += (n + 7) & ~(size_t)7;
	return at;
}

static struct held *held_new(const struct perf_record *record)
{
	const struct raw_sample *sample = &record->sample;
	struct held *held =
		xrealloc(NULL, 1,
			 sizeof(*held) + sample->n_chain * 8 + sample->stack_bytes + 8 +
				 name_bytes(record->name) + name_bytes(record->mapping.path) + 16);

	*held = (struct held){ .record = *record, .bytes = sizeof(*held) };
	held->record.sample.chain = put(held, sample->chain, sample->n_chain * 8);
	held->record.sample.stack = put(held, sample->stack, sample->stack_bytes);
	held->record.name = put(held, record->name, name_bytes(record->name));
	held->record.mapping.path = put(held, record->mapping.path, name_bytes(record->mapping.path));
	return held;
}

/* Behind those that are not later: mostly all. */
static void insert(struct perf_ring *ring, struct held *held)
{
	struct held *before = ring->last;

	while (before && before->record.ticks > held->record.ticks)
		before = before->previous;
	held->previous = before;
	held->next = before ? before->next : ring->first;
	if (held->next)
		held->next->previous = held;
	else
		ring->last = held;
	if (before)
		before->next = held;
	else
		ring->first = held;
}

/* ---- the rings' content ---------------------------------------------------------------------- */

/* The record at an offset, in one piece. */
static const void *record_at(struct perf_ring *ring, uint64_t offset, size_t size)
{
	size_t at = (size_t)(offset & (ring->bytes - 1)), first = ring->bytes - at;

	if (first >= size)
		return ring->data + at;
	memcpy(ring->scratch, ring->data + at, first);
	memcpy((uint8_t *)ring->scratch + first, ring->data, size - first);
	return ring->scratch;
}

static void take_record(struct perf_queue *queue, struct perf_ring *ring, const void *bytes, size_t size)
{
	struct perf_record record;
	struct held *held;

	if (perf_parse(&queue->layout, bytes, size, &record)) {
		queue->damaged++;
		return;
	}
	if (record.kind == PERF_KIND_OTHER)
		return;
	held = held_new(&record);
	insert(ring, held);
	queue->bytes += held->bytes;
}

static void ring_fill(struct perf_queue *queue, struct perf_ring *ring)
{
	uint64_t tail = ring->page->data_tail, head = tail + ring_used(ring);

	while (tail < head && queue->bytes < HELD_MOST) {
		const struct perf_event_header *header = record_at(ring, tail, sizeof(*header));
		size_t size = header->size;

		if (size < sizeof(*header) || size % 8 || size > head - tail) {
			queue->damaged++;
			tail = head;
			break;
		}
		take_record(queue, ring, record_at(ring, tail, size), size);
		tail += size;
	}
	/* Release: pairs with the kernel's load of data_tail; from here on it may write there. */
	atomic_store_release(&ring->page->data_tail, tail); /* the kernel */
}

void perf_queue_fill(struct perf_queue *queue)
{
	for (size_t i = 0; i < queue->n_rings; i++)
		ring_fill(queue, queue->rings[i]);
}

/* ---- in order of time ------------------------------------------------------------------------ */

/* At the same moment, what samples may depend on comes first. */
static int is_before(const struct perf_record *a, const struct perf_record *b)
{
	if (a->ticks != b->ticks)
		return a->ticks < b->ticks;
	return a->kind != PERF_KIND_SAMPLE && b->kind == PERF_KIND_SAMPLE;
}

const struct perf_record *perf_queue_first(struct perf_queue *queue, uint64_t until)
{
	struct perf_ring *best = NULL;

	for (size_t i = 0; i < queue->n_rings; i++) {
		struct perf_ring *ring = queue->rings[i];

		ring->taken = NULL;
		if (ring->first && (!best || is_before(&ring->first->record, &best->first->record)))
			best = ring;
	}
	if (!best || best->first->record.ticks > until)
		return NULL;
	best->taken = best->first;
	return &best->taken->record;
}

/* Earlier ones may have come in between: the record is in the middle then. */
static void unlink_held(struct perf_ring *ring, struct held *held)
{
	if (held->previous)
		held->previous->next = held->next;
	else
		ring->first = held->next;
	if (held->next)
		held->next->previous = held->previous;
	else
		ring->last = held->previous;
}

void perf_queue_drop(struct perf_queue *queue)
{
	for (size_t i = 0; i < queue->n_rings; i++) {
		struct perf_ring *ring = queue->rings[i];
		FREED struct held *held = ring->taken;

		if (!held)
			continue;
		unlink_held(ring, held);
		ring->taken = NULL;
		queue->bytes -= held->bytes;
	}
}

int perf_queue_has_forked(const struct perf_queue *queue, uint32_t tid)
{
	for (size_t i = 0; i < queue->n_rings; i++)
		for (const struct held *held = queue->rings[i]->first; held; held = held->next)
			if (held->record.kind == PERF_KIND_FORKED && held->record.tid == tid)
				return 1;
	return 0;
}

void perf_queue_release(struct perf_queue *queue)
{
	for (size_t i = 0; i < queue->n_rings; i++)
		perf_ring_release(queue->rings[i]);
	free(queue->rings);
	*queue = (struct perf_queue){ .n_rings = 0 };
}
