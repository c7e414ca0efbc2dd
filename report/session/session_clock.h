/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * session_clock.h - time in a session: nanoseconds since its first process began to record.
 * Processes of one machine are compared by CLOCK_MONOTONIC_RAW, to which each file's ticks are
 * tied; those of several machines by the time of day.
 */
#ifndef REPORT_SESSION_CLOCK_H
#define REPORT_SESSION_CLOCK_H

#include "session.h"

struct session_clock {
	uint64_t begin_realtime_ns;
	int64_t *realtime_ns; /* [n], by machine: time of day when its CLOCK_MONOTONIC_RAW was 0 */
	size_t n;
};

void session_clock_init(struct session_clock *clock, const struct session *input);
/* Makes the clock of a session with only this file. */
void session_clock_init_file(struct session_clock *clock, const struct cinstr_header *header);
void session_clock_release(struct session_clock *clock);

long double session_clock_ns(const struct session_clock *clock, const struct cinstr_header *header,
			     uint64_t ticks);
/* Returns the first tick that is not before `ns`. 0, UINT64_MAX: outside the clock's range. */
uint64_t session_clock_ticks(const struct session_clock *clock, const struct cinstr_header *header,
			     long double ns);

#endif
