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

/* How a report counts. */
struct counting {
	uint32_t os_mask; /* enum cinstr_os_bit: what Application time leaves out */
	int on_cpu;	  /* R12: mode `on-cpu` instead of `interval` */
	int raw;	  /* probe overhead is not subtracted */
};

/*
 * What is known of a node, in ticks of what is measured (measure.h). Each adds up over nodes, and
 * rows have its sums, inclusive and exclusive: elapsed_inclusive and so on (struct sums of
 * rows/profile.h). One more is a row here, and set_exclusive() in values.c, where a node gets it.
 *
 * `elapsed` is so much too low at most as overhead_low is below the overhead, and so much too high
 * as overhead_high is above it: the overhead is not known better, nor on which side of a probe what
 * the processor did meanwhile was measured (overhead.h). overhead_low <= overhead <= overhead_high
 * <= overhead + elapsed. Of raw values all three are the same.
 *
 * `preempted_work` is time on the processor that application time leaves out (mode `interval`) only
 * because the thread lost its processor somewhere in the interval: the program computed it all the
 * same. `preempted` is the part of off_cpu in which it was ready to run, and others had the
 * processor.
 *
 * `share_mark` is of executed instructions: whether a sum of them is exact (call_shares.h).
 */
/* Of each process, these are in merged files. */
#define AMOUNTS_MERGED(AMOUNT) \
	AMOUNT(elapsed) \
	AMOUNT(application) \
	AMOUNT(overhead) \
	AMOUNT(off_cpu) \
	AMOUNT(overhead_low) \
	AMOUNT(overhead_high) \
	AMOUNT(application_uncertainty) /* to either side */
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

/*
 * Of a node's finished activations, in ticks, less the overhead of that very one (R8). shortest >
 * longest: there are none, or (application time in mode `interval`, with another mask than the
 * default) not known.
 */
struct extremes {
	uint64_t shortest[VALUE_KINDS], longest[VALUE_KINDS];
};

/*
 * Those of a thread's nodes. There can be many millions: only what cannot be made from one node
 * alone is kept.
 */
struct values;

struct values *values_make(const struct data *data, const struct data_thread *thread,
			   const struct counting *counting);
/*
 * The same; `each` is called with every node, the last one first, as soon as all is known of it:
 * what values_at() and the others below say of it needs not be found again then. NULL: not called.
 */
struct values *values_make_each(const struct data *data, const struct data_thread *thread,
				const struct counting *counting,
				void (*each)(void *arg, struct values *values, size_t node), void *arg);
void values_release(struct values *values);
/* Of the node; they are there until those of another one are asked for. */
const struct node_values *values_at(struct values *values, size_t node);
/* What was subtracted from the node's exclusive values (whatever values_set() says). */
struct overhead values_overhead(struct values *values, size_t node);
const struct overhead_costs *values_costs(const struct values *values);
/* values_at() says this of the node until another one is asked for. */
void values_set(struct values *values, size_t node, const struct node_values *of_node);

void values_extremes(const struct data *data, const struct data_thread *thread, size_t node,
		     struct values *values, const struct counting *counting, struct extremes *extremes);

/* Inclusive ticks of one activation of the node, less its overhead, by the mean: its events are not
 * known. */
uint64_t values_corrected(const struct data_thread *thread, size_t node, struct values *values,
			  const struct counting *counting, uint64_t ticks);

/*
 * values[thread->n_flat], in the order of thread->flat: by function, what MERGED nodes of the tree
 * hold together. The overhead within their inclusive time is not known by function: it is taken to
 * be that of all of them. The caller frees it.
 */
struct node_values *values_make_flat(const struct data *data, const struct data_thread *thread,
				     const struct counting *counting);

/* `ticks` of one of them, less its part of the overhead. */
uint64_t values_corrected_flat(const struct node_values *values, uint64_t calls,
			       const struct counting *counting, uint64_t ticks);
void values_add(struct ticks *to, const struct ticks *from);

/* Of a FLAT cell's finished activations; values and calls: of its function's FLAT cells
 * together. */
void values_extremes_flat(const struct data *data, const struct cinstr_cell *cell,
			  const struct node_values *values, uint64_t calls, const struct counting *counting,
			  struct extremes *extremes);

/*
 * Leaves the rest of a value when a part of it is taken away, not below 0: inclusive values beyond
 * the budget of paths are estimates. The rest is as uncertain as what is left of the bar.
 */
void values_subtract(struct ticks *from, const struct ticks *what);

/* R11: whether the cell is of a known wrapper of a system call. */
int values_is_system_call(const struct data *data, const struct cinstr_cell *cell);

/* What a thread is off the processor for with any of these: its own doing. Else others have
 * it. Input and output of blocks count where pages are made dirty, too, which waits for
 * nothing. */
#define VALUES_GAVE_AWAY (CINSTR_OS_VOLUNTARY | CINSTR_OS_MAJOR_FAULT)
/* So many ticks of a list of buckets, of those off the processor. */
uint64_t values_preempted(const struct data *data, uint32_t first, uint64_t off_cpu);

/*
 * Raw ticks of a chain of buckets (cell index of the first; 0: none) that Application time leaves
 * out. `interval`: whole intervals with an event of the mask, and how many; `on-cpu`: what was
 * spent off the processor.
 */
uint64_t values_left_out(const struct data *data, uint32_t first, const struct counting *counting,
			 uint64_t *off_cpu, uint64_t *intervals);

/* Sum of the raw ticks of all nodes, the runtime's own and the pauses, less the thread's time (R10;
 * of a sampled one, its samples): 0. */
int64_t values_conservation(const struct data_thread *thread);

#endif
