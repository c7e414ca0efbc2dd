/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mixed.h - what is added to the tree of a thread that was timed and sampled at once (room mixed):
 * nodes of functions that were counted, or have no probes, with an estimate of their time, and
 * copies of cells that part of the time was taken from.
 *
 * Estimates have no calls. Their cells look like those of timed ones (a FRAME, a CALL, an INDIRECT)
 * and have the same names; mixed_cell() tells them from others.
 */
#ifndef REPORT_FILE_MIXED_H
#define REPORT_FILE_MIXED_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

struct data;
struct data_node;
struct data_thread;

#define MIXED_NO_POOL UINT32_MAX

/* The time on the processor of a timed node (and of its source lines), which its samples have
 * divided. */
struct mixed_pool {
	uint64_t n;	/* samples */
	uint64_t own;	/* of these, the node's own, with those in its probes */
	uint64_t stubs; /* ... in stubs that count: the recording's own work */
	uint64_t ticks;
	uint64_t stub_ticks;
	uint64_t measured;   /* ticks on the processor by the node's intervals */
	uint8_t has_counted; /* in its intervals are others' calls */
	/* number of the pool, of several nodes, whose samples have told the node's ticks;
	 * MIXED_NO_POOL: these are its intervals' */
	uint32_t region;
	/* of what was merged: sum of ticks^2 / (n + 4) over processes and threads; else 0 */
	long double spread;
};

/* Of a cell that was made here. */
struct mixed_cell {
	uint32_t pool; /* number; MIXED_NO_POOL: no sample tells anything */
	uint32_t is_estimate;
	uint64_t samples, inclusive_samples; /* of an estimate; with those of estimates below it */
	/* of a copy: ticks on the processor, and what is left of these */
	uint64_t on_cpu, kept;
	uint64_t probes; /* of `kept`, where the pool has a region: what probes have cost */
};

struct mixed_thread {
	struct cinstr_cell *cells;
	int are_of_data;	  /* the cells are all of what was merged, not the thread's */
	struct mixed_cell *about; /* of each */
	uint32_t n_cells;
	struct mixed_pool *pools;
	uint32_t n_pools;
	struct cinstr_fold_state state; /* with the stubs' time as the runtime's own */
	/* as it was before */
	struct data_node *nodes_before;
	size_t n_nodes_before;
	uint32_t *open_before;
	const struct cinstr_fold_state *state_before;
};

/* What became of a process's samples. */
struct mixed_samples {
	uint64_t kept;	 /* in the file */
	uint64_t joined; /* with a node of a tree */
	uint64_t stubs;	 /* of these: in stubs that count */
	uint64_t probes; /* ... in probes */
	/* not joined: */
	uint64_t runtime;	  /* in the runtime's own code, which is in no interval */
	uint64_t truncated;	  /* the outer end of the stack is not known */
	uint64_t no_thread;	  /* of a thread that was not recorded */
	uint64_t no_interval;	  /* without a stack, and in no interval that was kept */
	uint64_t out_of_time;	  /* before the thread's first stamp, behind its last, not chosen */
	uint64_t discarded, lost; /* as the file says */
	/* of the threads that were joined: ticks on the processor in the trees, with the
	 * recording's own */
	uint64_t tree_ticks;
	uint64_t kernel_ns; /* processor time of the process by the kernel; 0: not known */
};

/* data->mixed; NULL: it was timed, or sampled, alone. */
struct mixed {
	struct data *sampled; /* the other data file; NULL: its threads have sampled themselves */
	struct mixed_samples samples;
};

/* Returns what is known besides of a cell that samples have made or divided, or NULL for any other
 * cell. */
const struct mixed_cell *mixed_cell(const struct data_thread *thread, const struct cinstr_cell *cell);
int mixed_is_estimate(const struct data_thread *thread, size_t node);
/* Returns what is known of the node if it was divided with others, or NULL. */
const struct mixed_cell *mixed_short(const struct data_thread *thread, size_t node);
/* Whether not only the node's own time is in its intervals. */
int mixed_has_counted(const struct data_thread *thread, size_t node);
/* The node behind `i` among those that are called from one node, as probes have seen it: estimates
 * have no calls, and what hangs below them was called from above. First: node + 1. */
size_t mixed_next_called(const struct data_thread *thread, size_t i);

/* The thread has its own tree again. */
void mixed_thread_undo(struct data_thread *thread);
/* It is about to end. */
void mixed_thread_release(struct data_thread *thread);
void mixed_release(struct data *data);

#endif
