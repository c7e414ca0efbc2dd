/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * long_intervals.h - in whose time a thread was at a moment, as far as its file tells
 * (CINSTR_SEG_LONG_INTERVALS).
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

/* Of the file, as far as they end at `until`. */
void long_intervals_read(struct data *data, struct data_thread *thread, uint32_t owner, uint64_t until);
void long_intervals_add(struct data_thread *thread, const struct fold_long *interval);
/* Index of the cell whose time the moment is; 0: it is in no interval that was long. */
uint32_t long_intervals_cell(const struct data_thread *thread, uint64_t ticks);

#endif
