/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wait_times.h - the reasons for which a session's threads were off the processor, by the events of
 * the interval (semantics R11). */
#ifndef REPORT_ROWS_WAIT_TIMES_H
#define REPORT_ROWS_WAIT_TIMES_H

#include "file/data.h"

enum wait_kind {
	WAIT_SLEEP,	/* gave the processor up: locks, pipes, sleep */
	WAIT_PREEMPTED, /* another thread got the processor */
	WAIT_PAGE,	/* a page was read in */
	WAIT_DISK,	/* block input or output */
	WAIT_KINDS,
};

/* Nanoseconds, and numbers of intervals. */
struct waits {
	long double off_cpu[WAIT_KINDS];
	uint64_t intervals[WAIT_KINDS];
};

/* Adds a process. */
void waits_add(struct waits *waits, const struct data *data, long double ns_per_tick);
/* Returns the time of all kinds, ns. */
long double waits_sum(const struct waits *waits);
/* Scales the times down so that their sum is at most `off_cpu` ns: a call that is shorter after the
 * cost of its probes is subtracted cannot have waited for longer. */
void waits_within(struct waits *waits, long double off_cpu);

/* Returns the reason of an interval with these bits. */
enum wait_kind wait_kind_of(uint32_t bits);
extern const char *const wait_names[WAIT_KINDS];

#endif
