/* SPDX-License-Identifier: MIT */
/*
 * cinstr/stretches.h - the intervals of a thread above the threshold of the slow path, each with
 * its stamp and, if it was a wait, the call that ended it: the data of the critical path (`cinstr
 * waits --critical-path`). The room of a thread is limited. When it is full, all threads of the
 * process drop every second window of the time that they have kept until then, the same ones, so
 * that the kept windows have the intervals of all threads. The intervals of a thread's last window
 * follow the kept ones. doc/format.md.
 */
#ifndef CINSTR_STRETCHES_H
#define CINSTR_STRETCHES_H

#include <stdint.h>

/* Type of the segments; payload: struct cinstr_stretch[], up to `used`; owner: thread index;
 * `kept`: the level up to which the thread has dropped windows. */
#define CINSTR_SEG_STRETCHES 29u

struct cinstr_stretch {
	uint64_t end_ticks; /* stamp */
	uint64_t ticks : 56;
	uint64_t bits : 8; /* enum cinstr_os_bit: events of the interval */
	uint64_t off_cpu_ticks;
	/* the call that ended the wait, as in struct cinstr_wait; 0: no wait for an object, or not
	 * known */
	uint64_t given_by;
	uint32_t since_given; /* ticks from that call to the end; saturates at UINT32_MAX */
	uint32_t cell;	      /* cell index of the node that the time belongs to */
};

_Static_assert(sizeof(struct cinstr_stretch) == 40, "");

/* A window has 1 << CINSTR_WINDOW_BITS ticks. A level keeps the windows whose number is a multiple
 * of 1 << level. */
#define CINSTR_WINDOW_BITS 23

/* Returns 1 if the time between the stamps `begin` and `end` overlaps a window that this level
 * keeps, else 0. */
static inline int cinstr_window_is_kept(uint64_t begin, uint64_t end, uint32_t level)
{
	return (end >> CINSTR_WINDOW_BITS >> level) << level >= begin >> CINSTR_WINDOW_BITS;
}

#endif
