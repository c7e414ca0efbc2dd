/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * on_off_log.h - times when recording was switched off and on at one level: of the session, a
 * process, a thread. Samples are checked later than they were taken, in order of time; switches
 * before them are forgotten.
 */
#ifndef REPORT_SAMPLER_ON_OFF_LOG_H
#define REPORT_SAMPLER_ON_OFF_LOG_H

#include <stddef.h>
#include <stdint.h>

struct on_off_log {
	int is_off;  /* state before moments[first] */
	int is_last; /* state after the last moment */
	struct switched {
		uint64_t ticks;
		int is_off;
	} * moments; /* valid: [first, n) */
	size_t first, n, size;
};

/* Sets the initial state. */
void on_off_log_begin(struct on_off_log *switches, int is_off);
/* Adds a switch at `ticks`. Returns 1 if it changes the state. */
int on_off_log_add(struct on_off_log *switches, uint64_t ticks, int is_off);
/* Returns whether recording is off at `ticks`, and forgets earlier switches: `ticks` must not
 * decrease. */
int on_off_log_at(struct on_off_log *switches, uint64_t ticks);
void on_off_log_release(struct on_off_log *switches);

#endif
