/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * after_call.h - a node's own values by where its time began (semantics R14): at its entry (of a
 * line: at its events), or with the return of a call.
 */
#ifndef REPORT_VALUES_AFTER_CALL_H
#define REPORT_VALUES_AFTER_CALL_H

#include "overhead.h"
#include "values.h"

struct after_part {
	uint32_t child; /* whose return it began with; of the first part the node itself */
	struct ticks ticks;
};

struct after {
	struct after_part *parts;
	size_t n, size;
	struct after_share *shares; /* while they are made */
};

/* What is divided, and for what. */
struct after_node {
	const struct data *data;
	const struct data_thread *thread;
	uint32_t node;
	const struct overhead_costs *costs;
	const struct counting *counting;
	const uint32_t *is_apart; /* by node; `none`: it has no part of its own */
	uint32_t none;
	/* only elapsed, application, overhead, off_cpu of each part are asked for */
	int times_alone;
};

/*
 * Divides a node's exclusive values: in each of them the sum of the parts is the whole, in ticks,
 * and no part is below 0. A child has a part of its own if is_apart says so; time
 * after other calls stays in the first part.
 */
void after_divide(struct after *after, const struct after_node *of, const struct ticks *exclusive);
void after_release(struct after *after);

#endif
