/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * values.h - the values of each node of a thread's tree, in ticks: elapsed and application time,
 * probe overhead, time off the processor; exclusive and inclusive (semantics R5, R9, R11, R12).
 */
#ifndef REPORT_VALUES_H
#define REPORT_VALUES_H

#include <stdint.h>

#include "file/data.h"
#include "overhead.h"

/* Options of counting. */
struct counting {
	/* enum cinstr_os_bit: events whose intervals Application time leaves out */
	uint32_t os_mask;
	int on_cpu; /* R12: mode `on-cpu` instead of `interval` */
	int raw;    /* probe overhead is not subtracted */
};

/*
 * Amounts of a node, in ticks of the session's measure (measure.h). They add up over nodes; rows
 * have inclusive and exclusive sums: elapsed_inclusive and so on (struct sums of rows/profile.h). A
 * new amount needs a line here, and set_exclusive() in values.c to set it.
 *
 * `elapsed` is too low by at most overhead - overhead_low, and too high by at most overhead_high -
 * overhead: the overhead is not known better, nor on which side of a probe the work was measured
 * that the processor did during the probe (overhead.h). overhead_low <= overhead <= overhead_high
 * <= overhead + elapsed. For raw values all three are equal.
 *
 * `preempted_work` is time on the processor that application time leaves out (mode `interval`) only
 * because the thread lost its processor somewhere in the interval: the program computed all the
 * same. `preempted` is the part of off_cpu in which the thread was ready to run while others had
 * the processor.
 *
 * `share_mark` is for executed instructions: whether a sum of them is exact (call_shares.h).
 */
/* Amounts that merged files keep of each process. */
#define AMOUNTS_MERGED(AMOUNT) \
	AMOUNT(elapsed) \
	AMOUNT(application) \
	AMOUNT(overhead) \
	AMOUNT(off_cpu) \
	AMOUNT(overhead_low) \
	AMOUNT(overhead_high) \
	AMOUNT(application_uncertainty) /* in either direction */
#define AMOUNTS(AMOUNT) \
	AMOUNTS_MERGED(AMOUNT) \
	AMOUNT(preempted_work) \
	AMOUNT(preempted) \
	AMOUNT(share_mark)

struct ticks {
#define AMOUNT_IN_TICKS(name) uint64_t name;
	AMOUNTS(AMOUNT_IN_TICKS)
#undef AMOUNT_IN_TICKS
};

struct node_values {
	struct ticks exclusive, inclusive;
};

/* The four values (R5). */
enum value_kind {
	VALUE_ELAPSED_INCLUSIVE,
	VALUE_ELAPSED_EXCLUSIVE,
	VALUE_APPLICATION_INCLUSIVE,
	VALUE_APPLICATION_EXCLUSIVE,
	VALUE_KINDS,
};

/* Extremes of a node's finished activations, in ticks, each less its own overhead (R8). shortest >
 * longest: there are none, or they are not known (application time in mode `interval` with a mask
 * other than the default). */
struct extremes {
	uint64_t shortest[VALUE_KINDS], longest[VALUE_KINDS];
};

/* Values of a thread's nodes. There can be many millions of nodes: only what cannot be computed
 * from one node alone is stored. */
struct values;

struct values *values_make(const struct data *data, const struct data_thread *thread,
			   const struct counting *counting);
/* Like values_make(), but also calls `each`, unless NULL, with every node, the last node first, as
 * soon as its values are known: values_at() and the functions below need not compute them again
 * then. */
struct values *values_make_each(const struct data *data, const struct data_thread *thread,
				const struct counting *counting,
				void (*each)(void *arg, struct values *values, size_t node), void *arg);
void values_release(struct values *values);
/* Returns the values of the node; valid until those of another node are requested. */
const struct node_values *values_at(struct values *values, size_t node);
/* Returns the overhead subtracted from the node's exclusive values, regardless of values_set(). */
struct overhead values_overhead(struct values *values, size_t node);
const struct overhead_costs *values_costs(const struct values *values);
/* Makes values_at() return `of_node` for this node until another node is requested. */
void values_set(struct values *values, size_t node, const struct node_values *of_node);

void values_extremes(const struct data *data, const struct data_thread *thread, size_t node,
		     struct values *values, const struct counting *counting, struct extremes *extremes);

/* Returns the inclusive ticks of one activation of the node less the mean overhead of one, as its
 * own events are not known. */
uint64_t values_corrected(const struct data_thread *thread, size_t node, struct values *values,
			  const struct counting *counting, uint64_t ticks);

/* Returns values[thread->n_flat], in the order of thread->flat: by function, the values that MERGED
 * nodes of the tree have together. The overhead within their callees is not known by function: each
 * gets its share of that of all. The caller frees the array. */
struct node_values *values_make_flat(const struct data *data, const struct data_thread *thread,
				     const struct counting *counting);

/* Returns `ticks` of one activation of such a function, less its share of the overhead. */
uint64_t values_corrected_flat(const struct node_values *values, uint64_t calls,
			       const struct counting *counting, uint64_t ticks);
void values_add(struct ticks *to, const struct ticks *from);

/* Sets the extremes of a FLAT cell's finished activations. values, calls: of all FLAT cells of its
 * function together. */
void values_extremes_flat(const struct data *data, const struct cinstr_cell *cell,
			  const struct node_values *values, uint64_t calls, const struct counting *counting,
			  struct extremes *extremes);

/* Subtracts a part from a value. No amount falls below 0, as inclusive values beyond the budget of
 * paths are estimates. The uncertainty of the rest is the difference of the two. */
void values_subtract(struct ticks *from, const struct ticks *what);

/* Whether the cell is a call of a known wrapper of a system call (R11). */
int values_is_system_call(const struct data *data, const struct cinstr_cell *cell);

/* Events of a thread that leaves the processor by itself; without any of them, others took the
 * processor. Block I/O is not among them: it also counts where pages are made dirty, which waits
 * for nothing. */
#define VALUES_GAVE_AWAY (CINSTR_OS_VOLUNTARY | CINSTR_OS_MAJOR_FAULT)
/* Returns the ticks off the processor of a chain of buckets in which the thread was preempted; at
 * most `off_cpu`. */
uint64_t values_preempted(const struct data *data, uint32_t first, uint64_t off_cpu);

/*
 * Returns the raw ticks of a chain of buckets (first: cell index of the first bucket, 0: none) that
 * Application time leaves out. Mode `interval`: whole intervals with an event of the mask;
 * *intervals: their number. Mode `on-cpu`: the time off the processor, which is *off_cpu in both.
 */
uint64_t values_left_out(const struct data *data, uint32_t first, const struct counting *counting,
			 uint64_t *off_cpu, uint64_t *intervals);

/* Returns the raw ticks of all nodes, the runtime's work and the pauses, less the thread's time (of
 * a sampled thread, its samples). 0 if they add up (R10). */
int64_t values_conservation(const struct data_thread *thread);

#endif
