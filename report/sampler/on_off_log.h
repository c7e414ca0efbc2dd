/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * on_off_log.h - when recording went off and on at a level: of the session, a process, a thread.
 * Samples are looked at later than they were taken, in order of time; what lies behind them is
 * forgotten.
 */
#ifndef REPORT_SAMPLER_ON_OFF_LOG_H
#define REPORT_SAMPLER_ON_OFF_LOG_H

#include <stddef.h>
#include <stdint.h>

struct switches {
	int is_off;  /* before the first of: */
	int is_last; /* behind the last one: off */
	struct switched {
		uint64_t ticks;
		int is_off;
	} * moments; /* [first, n) */
	size_t first, n, size;
};

/* From the begin on. */
void switches_begin(struct switches *switches, int is_off);
/* From that moment on; 1: that changes something. */
int switches_add(struct switches *switches, uint64_t ticks, int is_off);
/* At that moment: earlier ones are not asked for any more. */
int switches_at(struct switches *switches, uint64_t ticks);
void switches_release(struct switches *switches);

#endif
