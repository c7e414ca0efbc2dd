/* SPDX-License-Identifier: MIT */
/*
 * cinstr/stretches.h - the intervals of a thread above the threshold of the slow path, each with
 * its moment, and who ended the wait that it was: what the critical path is made of (`cinstr waits
 * --critical-path`). A thread has room for so many. When that is full, all threads of the process
 * keep what lies in every second of the windows of time that they have kept until then: the same
 * ones, so that in these everything is known of all of them. Behind these stand those of the last
 * window that the thread has had one in. doc/format.md.
 */
#ifndef CINSTR_STRETCHES_H
#define CINSTR_STRETCHES_H

#include <stdint.h>

/* Type of the segments; payload: struct cinstr_stretch[], up to `used`; owner: thread index. `kept`
 * of each: the level, up to which the thread has dropped windows. */
#define CINSTR_SEG_STRETCHES 29u

struct cinstr_stretch {
	uint64_t end_ticks; /* stamp */
	uint64_t ticks : 56;
	uint64_t bits : 8; /* enum cinstr_os_bit: events of the interval */
	uint64_t off_cpu_ticks;
	/* who ended the wait, as in struct cinstr_wait; 0: it was no wait for an object, or nobody
	 * is known */
	uint64_t given_by;
	uint32_t since_given; /* ticks from then to the end; UINT32_MAX: so many, or more */
	uint32_t cell;	      /* whose time it was */
};

_Static_assert(sizeof(struct cinstr_stretch) == 40, "");

/* A window has 1 << CINSTR_WINDOW_BITS ticks; at a level those are kept whose number is a multiple
 * of 1 << level. */
#define CINSTR_WINDOW_BITS 23

/* Whether a part of the time from `begin` to `end`, which are stamps, is in a window that is kept
 * at this level. */
static inline int cinstr_window_is_kept(uint64_t begin, uint64_t end, uint32_t level)
{
	return (end >> CINSTR_WINDOW_BITS >> level) << level >= begin >> CINSTR_WINDOW_BITS;
}

#endif
