/* SPDX-License-Identifier: GPL-3.0-or-later */
/* overhead.h - the cost of probes for each node of a thread's tree, and the error of that estimate
 * (semantics R9). */
#ifndef REPORT_OVERHEAD_H
#define REPORT_OVERHEAD_H

#include <stdint.h>

#include "file/data.h"

enum overhead_estimate { OVERHEAD_MEAN, OVERHEAD_LOW, OVERHEAD_HIGH, OVERHEAD_ESTIMATES };

/* Costs of one interval, in 1/1024 ticks. */
struct overhead_costs {
	uint64_t of[OVERHEAD_ESTIMATES][CINSTR_COST_KINDS];
	/* work that may be done, and measured, in the next interval or the one before */
	uint64_t late;
};

/* Overhead of a node without its callees, in ticks. LOW <= MEAN <= HIGH <= raw ticks on the
 * processor. */
struct overhead {
	uint64_t of[OVERHEAD_ESTIMATES];
	uint64_t intervals;
};

void overhead_costs(struct overhead_costs *costs, const struct cinstr_calibration *c);

/* Overheads of a thread's nodes. If there are many millions of nodes, none is stored, and each is
 * computed on request. */
struct overheads {
	struct overhead_costs costs;
	const struct data *data;
	/* by node, from its own calls and its callees'; NULL: not stored */
	struct overhead *by_calls;
	const struct data_thread *thread;
	/* sums over the thread's FLAT cells, and over its MERGED nodes by their calls, which are
	 * the same calls */
	struct overhead flat, beyond;
	struct pools *pools; /* functions with a path that has measured less than its overhead */
};

void overheads_init(struct overheads *overheads, const struct data *data, const struct data_thread *thread);
struct overhead overheads_of(const struct overheads *overheads, size_t node);
void overheads_release(struct overheads *overheads);

/* Computes overheads before nodes are merged: node i into keeper[i], which becomes node
 * number[keeper[i]]. Corrected values then stay the same, although no more can be subtracted than
 * was measured. The caller frees the result; NULL: no node is merged into another. */
struct overheads_kept *overheads_keep(const struct data *data, const struct data_thread *thread,
				      const uint32_t *keeper, const uint32_t *number);

/* Returns the overhead of a cell of a merged tree, from the merged file: the costs of the processes
 * differ. */
struct overhead overhead_of_merged(const struct merged *merged, const struct cinstr_cell *cell);

/* Returns the overhead of a FLAT cell by its own calls and the `made` calls made from it. */
struct overhead overhead_of_flat(const struct overhead_costs *costs, const struct cinstr_cell *cell,
				 uint64_t made);

/* Return the mean overhead, in ticks, of the intervals that the calls of a node's cell begin: in
 * the node itself, and in its parent when they return. It is not limited to the measured time. */
uint64_t overhead_within(const struct overhead_costs *costs, const struct cinstr_cell *cell);
uint64_t overhead_behind(const struct overhead_costs *costs, const struct cinstr_cell *cell);

/* Return the number of events in the activations of a node's cell, from its parent's point of view:
 * all events, with those that begin and end the activations, but without their callees'; and those
 * that count as the parent's own (struct cinstr_detail). 0: not known. */
uint64_t overhead_events(const struct cinstr_cell *cell);
uint64_t overhead_own_events(const struct cinstr_cell *cell);
/* Returns the mean overhead of n events of unknown kinds, in ticks. */
uint64_t overhead_of_events(const struct overhead_costs *costs, uint64_t n);

/* Returns the work, in ticks, that n intervals can have lost to their neighbours or taken from
 * them. */
uint64_t overhead_late(const struct overhead_costs *costs, uint64_t n);

#endif
