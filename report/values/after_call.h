/* SPDX-License-Identifier: GPL-3.0-or-later */
/* after_call.h - divides a node's exclusive values by where the time began (semantics R14): at its
 * entry (of a line: at its events), or at the return of a call. */
#ifndef REPORT_VALUES_AFTER_CALL_H
#define REPORT_VALUES_AFTER_CALL_H

#include "overhead.h"
#include "values.h"

struct after_part {
	/* the child whose return the time began with; in the first part the node itself */
	uint32_t child;
	struct ticks ticks;
};

struct after {
	struct after_part *parts;
	size_t n, size;
	struct after_share *shares; /* scratch memory of after_divide() */
};

/* The node to divide, and the rules for it. */
struct after_node {
	const struct data *data;
	const struct data_thread *thread;
	uint32_t node;
	const struct overhead_costs *costs;
	const struct counting *counting;
	const uint32_t *is_apart; /* by node; equals `none` if the node has no part of its own */
	uint32_t none;
	/* computes only elapsed, application, overhead and off_cpu of each part */
	int times_alone;
};

/* Divides a node's exclusive values into after->parts: for each value the parts add up to the
 * whole, in ticks, and no part is negative. A child has a part of its own if is_apart says so; time
 * after other calls stays in the first part. */
void after_divide(struct after *after, const struct after_node *of, const struct ticks *exclusive);
void after_release(struct after *after);

#endif
