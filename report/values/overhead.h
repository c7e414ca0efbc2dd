/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * overhead.h - what probes cost each node of a thread's tree, and how far that can be from the
 * truth (semantics R9).
 */
#ifndef REPORT_OVERHEAD_H
#define REPORT_OVERHEAD_H

#include <stdint.h>

#include "file/data.h"

enum overhead_estimate { OVERHEAD_MEAN, OVERHEAD_LOW, OVERHEAD_HIGH, OVERHEAD_ESTIMATES };

/* Of one interval, in 1/1024 ticks. */
struct overhead_costs {
	uint64_t of[OVERHEAD_ESTIMATES][CINSTR_COST_KINDS];
	uint64_t late; /* work that is done, and measured, in the next interval or the one before */
};

/* Of a node, in ticks, without what it called. LOW <= MEAN <= HIGH <= raw
 * ticks on the processor. */
struct overhead {
	uint64_t of[OVERHEAD_ESTIMATES];
	uint64_t intervals;
};

void overhead_costs(struct overhead_costs *costs, const struct cinstr_calibration *c);

/* Those of a thread's nodes. There can be many millions: then none is kept, and each is made when
 * it is asked for. */
struct overheads {
	struct overhead_costs costs;
	const struct data *data;
	struct overhead *by_calls; /* of each node, by its calls and its callees'; NULL: not kept */
	const struct data_thread *thread;
	/* of the thread's FLAT cells, and of its MERGED nodes by their calls: the same calls */
	struct overhead flat, beyond;
	struct pools *pools; /* functions of which some path has measured less than its overhead */
};

void overheads_init(struct overheads *overheads, const struct data *data, const struct data_thread *thread);
struct overhead overheads_of(const struct overheads *overheads, size_t node);
void overheads_release(struct overheads *overheads);

/*
 * For when nodes are taken into others (keeper[i] != i: into that one), which are numbered anew:
 * what is corrected stays what it was, where more than what was measured cannot be subtracted. To
 * be called before that is done. To be freed; NULL: none is taken into another.
 */
struct overheads_kept *overheads_keep(const struct data *data, const struct data_thread *thread,
				      const uint32_t *keeper, const uint32_t *number);

/* Of a cell of a merged tree, which the costs of no single process tell. */
struct overhead overhead_of_merged(const struct merged *merged, const struct cinstr_cell *cell);

/* Returns the overhead of a FLAT cell, from which `made` calls were made, by these alone. */
struct overhead overhead_of_flat(const struct overhead_costs *costs, const struct cinstr_cell *cell,
				 uint64_t made);

/* Mean ticks of what the calls of a node's cell begin: in itself, and, when they return, in its
 * parent. Nothing is compared with what was measured. */
uint64_t overhead_within(const struct overhead_costs *costs, const struct cinstr_cell *cell);
uint64_t overhead_behind(const struct overhead_costs *costs, const struct cinstr_cell *cell);

/*
 * Events in the activations of a node's cell, from its parent's point of view: all, with those that
 * begin and end them (but for what they have called), and those that count as the parent's own
 * (struct cinstr_detail). 0: not known.
 */
uint64_t overhead_events(const struct cinstr_cell *cell);
uint64_t overhead_own_events(const struct cinstr_cell *cell);
/* Mean ticks of n events, nothing known of their kinds. */
uint64_t overhead_of_events(const struct overhead_costs *costs, uint64_t n);

/* Ticks of work that n intervals can have lost to their neighbours, or taken from them. */
uint64_t overhead_late(const struct overhead_costs *costs, uint64_t n);

#endif
