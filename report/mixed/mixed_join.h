/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mixed_join.h - joins what a process's probes have measured with samples of the same process: the
 * time on the processor of each timed node is divided among it and the functions below it that were
 * counted only or have no probes, as its samples say (file/mixed.h). In doc/semantics.md: "Mixed
 * sessions".
 */
#ifndef REPORT_MIXED_MIXED_JOIN_H
#define REPORT_MIXED_MIXED_JOIN_H

#include "file/data.h"

/* `sampled` is an open file of samples of the same program, in memory of malloc: data's from now
 * on. */
void mixed_join(struct data *data, struct data *sampled);
/* The same with samples that its threads have taken of themselves, if there are any. */
void mixed_join_own(struct data *data);
/* The trees are those of the probes alone, as long as others are made of them. */
void mixed_undo(struct data *data);
/* Joins the samples of [from, to) anew. Both do nothing where there are none. */
void mixed_redo(struct data *data, uint64_t from_ticks, uint64_t to_ticks);

#endif
