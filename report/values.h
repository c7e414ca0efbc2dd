/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * values.h - the values of each node of a thread's tree, in ticks: elapsed and application time,
 * probe overhead, time off the processor; exclusive and inclusive (semantics R5, R9, R11, R12).
 */
#ifndef REPORT_VALUES_H
#define REPORT_VALUES_H

#include <stdint.h>

#include "data.h"

/* How a report counts. */
struct counting {
	uint32_t os_mask; /* enum cinstr_os_bit: what Application time leaves out */
	int on_cpu;	  /* R12: mode `on-cpu` instead of `interval` */
	int raw;	  /* probe overhead is not subtracted */
};

struct ticks {
	uint64_t elapsed, application, overhead, off_cpu;
};

struct node_values {
	struct ticks exclusive, inclusive;
	uint64_t overhead_low, overhead_high; /* exclusive, by the calibration's lowest and highest round */
};

/* values[thread->n_nodes], in the order of thread->nodes. The caller frees it. */
struct node_values *values_make(const struct data *data, const struct data_thread *thread,
				const struct counting *counting);

/*
 * values[thread->n_flat], in the order of thread->flat: by function, what MERGED nodes of the tree hold together. The
 * overhead within their inclusive time is not known by function: it is taken to be that of all of them. The caller
 * frees it.
 */
struct node_values *values_make_flat(const struct data *data, const struct data_thread *thread,
				     const struct counting *counting);

/* Sum of the raw ticks of all nodes, the runtime's own and the pauses, less the thread's time (R10): 0. */
int64_t values_conservation(const struct data_thread *thread);

#endif
