/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf_ring.h - the rings that the kernel writes records into, one a processor, and the records of
 * all of them in order of time.
 *
 * Records are copied out as soon as they are seen, so that rings do not run full while samples are
 * worked on, and held back until no ring can bring earlier ones: a ring is in order (nearly), but a
 * mapping may be in another one than the samples that need it.
 */
#ifndef SAMPLER_PERF_RING_H
#define SAMPLER_PERF_RING_H

#include "perf_parse.h"

struct perf_ring;

/* So much, or what a ring of each processor may have if little memory may be locked: the first is
 * not to take all. */
size_t perf_ring_bytes_fair(size_t bytes, size_t n_rings);
/* Maps the ring of an event with `bytes` (a power of two) of room, or less if the kernel allows no
 * more. NULL: errno. */
struct perf_ring *perf_ring_new(int fd, size_t bytes);
/* Whether so many rings can be mapped, of the least size at least: other recordings of the same
 * user may have all that may be locked. */
int perf_rings_have_room(int fd, size_t n_rings);
void perf_ring_release(struct perf_ring *ring);
size_t perf_ring_bytes(const struct perf_ring *ring);
/* A quarter of it is in use. */
int perf_ring_is_urgent(const struct perf_ring *ring);

struct perf_queue {
	struct perf_ring **rings;
	size_t n_rings;
	struct perf_layout layout;
	uint64_t bytes;	  /* held */
	uint64_t damaged; /* records that made no sense */
};

/* Copies what is in the rings. */
void perf_queue_fill(struct perf_queue *queue);
/* The earliest record, if it is not after `until`; it is the caller's until perf_queue_drop. NULL:
 * there is none. */
const struct perf_record *perf_queue_first(struct perf_queue *queue, uint64_t until);
void perf_queue_drop(struct perf_queue *queue);
/* Whether a record that is held tells that the thread was made: by one that was sampled. */
int perf_queue_has_forked(const struct perf_queue *queue, uint32_t tid);
void perf_queue_release(struct perf_queue *queue);

#endif
