/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * open_time.h - the time between a thread's last event and the end of the recording, which belongs
 * to the calls that are still open (doc/semantics.md, R8).
 */
#ifndef REPORT_FILE_OPEN_TIME_H
#define REPORT_FILE_OPEN_TIME_H

#include <stdint.h>

#include "cinstr/format.h"

struct data;
struct data_thread;
struct fold;

/* An interval in ticks from the thread's last stamp to the end; both 0: none. */
struct open_time {
	uint64_t from, to;
	uint64_t off_cpu_ticks;
	uint32_t bits; /* enum cinstr_os_bit of the interval; 0: none */
};

/* Returns the stamp of the recording's end: as the file has it, or the latest stamp of any thread.
 * 0: recording was stopped early, which each thread noticed at a moment of its own. */
uint64_t open_time_end(struct data *data);
/* Returns a stamp many years after the recording's begin, which no event can have. */
uint64_t open_time_latest(const struct data *data);
/* Returns the open time of a thread whose fold has reached its last event. */
struct open_time open_time_of(const struct data *data, const struct cinstr_thread *thread);
/* Folds the open time up to `to`, after the thread's last event. */
void open_time_fold(struct fold *fold, const struct open_time *open, uint64_t to);

/* Whether a special record's value is its full stamp. */
int open_time_has_stamp(const struct cinstr_record *record);

/* Converts CLOCK_MONOTONIC_RAW to the file's ticks; 0: not known. */
uint64_t open_time_stamp(const struct cinstr_header *header, uint64_t raw_ns);

#endif
