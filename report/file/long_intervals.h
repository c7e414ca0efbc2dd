/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * long_intervals.h - the cell that had a thread's time at a moment, if its interval was long enough
 * to be in the file (CINSTR_SEG_LONG_INTERVALS).
 */
#ifndef REPORT_FILE_LONG_INTERVALS_H
#define REPORT_FILE_LONG_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/fold/fold.h"

struct data;
struct data_thread;

struct long_intervals {
	struct fold_long *list; /* in order of time */
	size_t n, size;
};

/* Reads the long intervals of the file that end at `until` or before. */
void long_intervals_read(struct data *data, struct data_thread *thread, uint32_t owner, uint64_t until);
void long_intervals_add(struct data_thread *thread, const struct fold_long *interval);
/* Returns the index of the cell whose interval contains the moment; 0: no long interval does. */
uint32_t long_intervals_cell(const struct data_thread *thread, uint64_t ticks);

#endif
