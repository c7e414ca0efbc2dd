/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recording_quality.h - sums of what data files say about the quality of their recordings, for
 * advice (advice.h). Part of the totals. */
#ifndef REPORT_ROWS_RECORDING_QUALITY_H
#define REPORT_ROWS_RECORDING_QUALITY_H

#include "file/data.h"
#include "lib/util.h"
#include "session/process_end.h"
#include "wait_times.h"

#define STOP_REASONS 9

/* Numbers of processes, unless stated otherwise. */
struct quality {
	uint64_t killed;      /* ended by a signal */
	int32_t signal;	      /* the first of these signals that is known; 0: none is */
	struct deaths deaths; /* how these processes, and those of `no_end`, ended */
	uint64_t began_paused;
	/* their end is neither noted nor evident from what they did last */
	uint64_t no_end;
	uint64_t stops[STOP_REASONS]; /* stopped recording early, by enum cinstr_stop */
	uint32_t stop_errno;
	uint64_t marks_lost;	/* number of marks */
	uint64_t monotonic;	/* recorded without the time-stamp counter */
	uint64_t timelines_cut; /* timelines that should be complete, but are not */
	uint64_t limited;	/* with a limit on overhead */
	/* all of those; and those above the limit, weighed by their time */
	struct quality_limit {
		uint64_t n;
		long double own_ns;	/* time of their programs without probes */
		long double probes_ns;	/* time of their probes */
		long double allowed_ns; /* time that the limit allows the probes */
	} all_limited, over_limit;
	struct waits waits;
	struct map instrumented; /* paths of modules with probes */
};

void quality_add(struct quality *facts, const struct data *data, long double ns_per_tick);
/* Adds the end of the process. */
void quality_add_end(struct quality *facts, const struct data *data, const struct ending *ending);
/* Whether processes, weighed by their time, exceed the limit by more than the error of the
 * estimate. */
int quality_is_over_limit(const struct quality_limit *limit);
void quality_release(struct quality *facts);

#endif
