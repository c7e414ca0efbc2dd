/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mixed_join.h - joins the measurements of a process's probes with samples of the same process:
 * divides the time on the processor of each timed node among it and the functions below it that
 * were only counted or have no probes, by its samples (file/mixed.h). In doc/semantics.md: "Mixed
 * sessions".
 */
#ifndef REPORT_MIXED_MIXED_JOIN_H
#define REPORT_MIXED_MIXED_JOIN_H

#include "file/data.h"

/* Joins `sampled`, an open file of samples of the same program, in memory from malloc(), which data
 * then owns. */
void mixed_join(struct data *data, struct data *sampled);
/* Joins samples that the threads took of themselves, if there are any. */
void mixed_join_own(struct data *data);
/* Restores the trees of the probes alone, while others are made from them. */
void mixed_undo(struct data *data);
/* Joins the samples of [from, to) again. Both functions do nothing if there are no samples. */
void mixed_redo(struct data *data, uint64_t from_ticks, uint64_t to_ticks);

#endif
