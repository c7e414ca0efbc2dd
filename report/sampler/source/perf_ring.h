/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf_ring.h - the rings that the kernel writes records to, one per processor, and the records of
 * all of them in order of time.
 *
 * Records are copied as soon as they are seen, so that rings do not fill up while samples are
 * processed, and held back until no ring can deliver earlier ones: a ring is (nearly) in order, but
 * a mapping may be in another ring than the samples that need it.
 */
#ifndef SAMPLER_PERF_RING_H
#define SAMPLER_PERF_RING_H

#include "perf_parse.h"

struct perf_ring;

/* Returns `bytes`, or less if locked memory is limited: what each of n_rings can get, so that the
 * first does not take everything. */
size_t perf_ring_bytes_fair(size_t bytes, size_t n_rings);
/* Maps the ring of an event with `bytes` (a power of two), or less if the kernel refuses that.
 * Returns NULL and sets errno on errors. */
struct perf_ring *perf_ring_new(int fd, size_t bytes);
void perf_ring_release(struct perf_ring *ring);
/* Whether more than a quarter of the ring is in use. */
int perf_ring_is_urgent(const struct perf_ring *ring);

struct perf_queue {
	struct perf_ring **rings;
	size_t n_rings;
	struct perf_layout layout;
	uint64_t bytes;	  /* of records held */
	uint64_t damaged; /* malformed records */
};

/* Copies the records in the rings. */
void perf_queue_fill(struct perf_queue *queue);
/* Returns the earliest record if it is not after `until`, or NULL. Valid until
 * perf_queue_drop(). */
const struct perf_record *perf_queue_first(struct perf_queue *queue, uint64_t until);
void perf_queue_drop(struct perf_queue *queue);
/* Whether a record held says that a sampled thread created this one. */
int perf_queue_has_forked(const struct perf_queue *queue, uint32_t tid);
void perf_queue_release(struct perf_queue *queue);

#endif
