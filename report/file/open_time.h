/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * open_time.h - what was open when the recording ended: its time from the thread's last event up to
 * there, which no event has ended (doc/semantics.md, R8).
 */
#ifndef REPORT_FILE_OPEN_TIME_H
#define REPORT_FILE_OPEN_TIME_H

#include <stdint.h>

#include "cinstr/format.h"

struct data;
struct data_thread;
struct fold;

/* From `from`, the thread's last stamp, to `to`; none: both 0. */
struct open_time {
	uint64_t from, to;
	uint64_t off_cpu_ticks;
	uint32_t bits; /* enum cinstr_os_bit, of the interval; 0: none */
};

/* Stamp of the end of the recording: as noted, or the latest that is known of any thread; 0: what
 * is open does not go on up to there. Ends buffers before the first record that is too late. */
uint64_t open_time_end(struct data *data);
/* Stamp that no event can have: many years after the recording began. */
uint64_t open_time_latest(const struct data *data);
/* Of a thread whose fold has come to its last event. */
struct open_time open_time_of(const struct data *data, const struct cinstr_thread *thread);
/* Folds it, as far as it is before `to`, behind the thread's last event. */
void open_time_fold(struct fold *fold, const struct open_time *open, uint64_t to);

/* Whether a special record's value is its full stamp. */
int record_has_stamp(const struct cinstr_record *record);

/* The clock of a file's stamps at a moment of CLOCK_MONOTONIC_RAW; 0: not known. */
uint64_t open_time_stamp(const struct cinstr_header *header, uint64_t raw_ns);

#endif
