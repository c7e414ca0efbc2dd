/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place_sums.h - sums by source line and by instruction (semantics R14): the time of a function
 * from the return of one of its calls to its next event does not belong to its entry, but to the
 * line or instruction that called.
 *
 * Such a place is on the path between the caller and the callee, instead of the caller. The tree
 * has no node for it: its row is the callee's a->places[node].
 */
#ifndef REPORT_ROWS_PLACE_SUMS_H
#define REPORT_ROWS_PLACE_SUMS_H

#include "profile.h"
#include "values/after_call.h"

struct places_sum {
	const struct addition *a;
	uint32_t *on_path; /* by row: how often it is on the path */
	struct os_path *os;
	struct after after;
	struct overhead_costs costs;
};

/* Returns the call site that the node was called from, in the function whose frame is above the
 * node; *frame: that frame. 0: not known. For instrumented processes only. */
uint32_t places_site(const struct addition *a, uint32_t node, uint32_t *frame);
/* Fills a->places with row numbers, or ROW_NONE, as always in sampled processes. BY_ADDRESS, also
 * adds callees to rows. */
void places_of_calls(struct addition *a);

void places_sum_begin(struct places_sum *sum, const struct addition *a, uint32_t *on_path,
		      struct os_path *os);
/* Notes that the current path enters the place that called the node. */
void places_enter(struct places_sum *sum, uint32_t node);
/* Notes that the current path leaves the place that called the node. */
void places_leave(struct places_sum *sum, uint32_t node);
/* Divides a node's values: adds those of its places to their rows, and leaves the rest to be added
 * to the node's row, which is not on the path yet. */
void places_divide(struct places_sum *sum, uint32_t node);
/* Subtracts from `tally`, the node's events of the operating system, those of the node's places. */
void places_subtract_os(const struct addition *a, uint32_t node, struct os_tally *tally);
void places_sum_end(struct places_sum *sum);

#endif
