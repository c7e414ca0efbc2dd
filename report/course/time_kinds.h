/* SPDX-License-Identifier: GPL-3.0-or-later */
/* time_kinds.h - kinds of a thread's time: computing, or waiting, and for what. */
#ifndef REPORT_COURSE_TIME_KINDS_H
#define REPORT_COURSE_TIME_KINDS_H

#include "findings/known_functions.h"

enum time_kind {
	TIME_COMPUTING, /* on a processor */
	TIME_LOCK,	/* a mutex, a reader's or writer's lock, a semaphore */
	TIME_OTHERS,	/* for other threads: conditions, joins, barriers */
	TIME_SLEEP,
	TIME_POLL, /* for a file, a connection or a signal */
	TIME_INPUT,
	TIME_OUTPUT,
	TIME_DISK,
	TIME_CHILD,
	TIME_PAGE,
	TIME_PREEMPTED,
	TIME_OTHER, /* off the processor for an unknown reason */
	TIME_PAUSED,
	TIME_MISSING, /* not in the timeline */
	TIME_KINDS,
};

struct time_kind_words {
	const char *key, *title, *meaning;
};
extern const struct time_kind_words time_kinds[TIME_KINDS];

/* Returns the kind of time off the processor, from the events of its interval (R11) and what its
 * function is known to wait for. */
enum time_kind time_kind_of(uint32_t os_bits, enum known_function known);

#endif
