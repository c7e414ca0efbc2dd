/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recording_quality.h - what data files say about how well their processes were recorded, added up:
 * for advice (advice.h). Part of the totals. */
#ifndef REPORT_ROWS_RECORDING_QUALITY_H
#define REPORT_ROWS_RECORDING_QUALITY_H

#include "file/data.h"
#include "lib/util.h"
#include "session/process_end.h"
#include "wait_times.h"

#define STOP_REASONS 9

/* Numbers of processes, where nothing else is said. */
struct facts {
	uint64_t killed;      /* ended by a signal */
	int32_t signal;	      /* the first one's that is known; 0: none is */
	struct deaths deaths; /* those, and `no_end` */
	uint64_t began_paused;
	/* how they ended is not noted, nor seen from what they did last */
	uint64_t no_end;
	uint64_t stops[STOP_REASONS]; /* stopped recording early, by enum cinstr_stop */
	uint32_t stop_errno;
	uint64_t marks_lost;	/* marks */
	uint64_t monotonic;	/* the time-stamp counter was not used */
	uint64_t timelines_cut; /* timelines that were to be whole, and are not */
	uint64_t limited;	/* with a limit on overhead */
	/* of those, all together, and those above it: what weighs is their time */
	struct facts_limit {
		uint64_t n;
		long double own_ns;	/* how long their programs ran by themselves */
		long double probes_ns;	/* what their probes took */
		long double allowed_ns; /* and might have taken */
	} all_limited, over_limit;
	struct waits waits;
	struct map instrumented; /* paths of modules that have probes */
};

void facts_add(struct facts *facts, const struct data *data, long double ns_per_tick);
/* How its process ended. */
void facts_add_end(struct facts *facts, const struct data *data, const struct ending *ending);
/* Of several processes, weighed by their time: above the limit by more than what it is estimated
 * from may be wrong. */
int facts_is_over_limit(const struct facts_limit *limit);
void facts_release(struct facts *facts);

#endif
