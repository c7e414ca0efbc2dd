/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place_sums.h - sums by source line and by instruction (semantics R14): what a function has from
 * the call of one of its calls to its next event is no time of its entry, but of the line, or
 * instruction, that called.
 *
 * Such a place stands on the path between the caller and what it called, instead of the caller. The
 * tree has no node for it: the row is the callee's a->places[node].
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

/* Of an instrumented process: the call site, in the function whose frame the node hangs below, that
 * it was called from, and that frame; 0: not known. */
uint32_t places_site(const struct addition *a, uint32_t node, uint32_t *frame);
/* Fills a->places, with rows. */
void places_of_calls(struct addition *a);

void places_sum_begin(struct places_sum *sum, const struct addition *a, uint32_t *on_path,
		      struct os_path *os);
/* The path comes to the place that called the node, and leaves it. */
void places_enter(struct places_sum *sum, uint32_t node);
void places_leave(struct places_sum *sum, uint32_t node);
/* Before a node's values are added to its row, which is not on the path yet: gives to its places,
 * and leaves it, what is theirs. */
void places_divide(struct places_sum *sum, uint32_t node);
/* Likewise of what the operating system did in the node. */
void places_subtract_os(const struct addition *a, uint32_t node, struct os_tally *tally);
void places_sum_end(struct places_sum *sum);

#endif
