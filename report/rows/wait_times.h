/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wait_times.h - what a session's threads waited for while they were off the processor, by the
 * events of the interval (semantics R11). */
#ifndef REPORT_ROWS_WAIT_TIMES_H
#define REPORT_ROWS_WAIT_TIMES_H

#include "file/data.h"

enum wait_kind {
	WAIT_SLEEP,	/* it gave the processor away: locks, pipes, sleep */
	WAIT_PREEMPTED, /* another thread got it */
	WAIT_PAGE,	/* a page was read in */
	WAIT_DISK,	/* block input or output */
	WAIT_KINDS,
};

/* Nanoseconds, and intervals. */
struct waits {
	long double off_cpu[WAIT_KINDS];
	uint64_t intervals[WAIT_KINDS];
};

/* Adds a process's. */
void waits_add(struct waits *waits, const struct data *data, long double ns_per_tick);
long double waits_sum(const struct waits *waits);
/* All that was added, and of it at most so many ns: a call that is shorter than what was measured,
 * as its probes' cost is taken off, cannot have waited for longer. */
void waits_within(struct waits *waits, long double off_cpu);

/* What an interval with these bits waited for. */
enum wait_kind wait_kind_of(uint32_t bits);
extern const char *const wait_names[WAIT_KINDS];

#endif
