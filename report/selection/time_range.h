/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * time_range.h - what happened between two moments, exactly: each thread's timeline is folded
 * again, and its tree becomes that of the range. Intervals that lie across a bound are cut there;
 * calls are counted where they begin; the shortest and the longest of a function are those of calls
 * that lie within as a whole. So parts of a run add up to the run, to the tick.
 */
#ifndef REPORT_SELECTION_TIME_RANGE_H
#define REPORT_SELECTION_TIME_RANGE_H

#include "file/data.h"

/*
 * Leaves in the threads' trees what lies in [from, to) (ticks of this file's clock). A thread whose
 * timeline does not hold all of it is told by the trees between marks (phases.h), if the bounds are
 * marks; with `by_marks` each one is, so that what lies between further marks stays known. 0; -1
 * after an error message.
 */
int range_select(struct data *data, uint64_t from_ticks, uint64_t to_ticks, int by_marks);

#endif
