/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * time_range.h - limits data to the time between two moments, exactly: folds each thread's timeline
 * again and replaces its tree by that of the range. Intervals across a bound are cut there; calls
 * are counted where they begin; shortest and longest are those of calls wholly inside. Parts of a
 * run thus add up to the run, to the tick.
 */
#ifndef REPORT_SELECTION_TIME_RANGE_H
#define REPORT_SELECTION_TIME_RANGE_H

#include "file/data.h"

/*
 * Limits the threads' trees to [from_ticks, to_ticks) of this file's clock. For a thread whose
 * timeline lacks part of the range, the trees between marks (phases.h) are used if both bounds are
 * marks; with `by_marks` for every thread, so that what lies between further marks stays known.
 * Returns 0, or -1 after an error message.
 */
int range_select(struct data *data, uint64_t from_ticks, uint64_t to_ticks, int by_marks);

#endif
