/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mixed.h - additions to the tree of a thread that was timed and sampled at once (room mixed):
 * nodes of functions that were counted or have no probes, with estimated times, and copies of cells
 * that part of the time was taken from.
 *
 * Estimates have no calls. Their cells look like those of timed ones (a FRAME, a CALL, an INDIRECT)
 * and have the same names; mixed_cell() distinguishes them.
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

/* The time on the processor of a timed node (and of its source lines) that its samples divide. */
struct mixed_pool {
	uint64_t n;	/* number of samples */
	uint64_t own;	/* those of the node itself, including its probes */
	uint64_t stubs; /* those in counting stubs: the recording's own work */
	uint64_t ticks;
	uint64_t stub_ticks;
	uint64_t measured;   /* ticks on the processor according to the node's intervals */
	uint8_t has_counted; /* its intervals contain calls of counted functions */
	/* Index of the pool of several nodes whose samples determine this node's ticks;
	 * MIXED_NO_POOL: its intervals do. */
	uint32_t region;
	/* In merged files: sum of ticks^2 / (n + 4) over processes and threads; else 0. */
	long double spread;
};

/* Values of an added cell. */
struct mixed_cell {
	uint32_t pool; /* index; MIXED_NO_POOL: no samples */
	uint32_t is_estimate;
	/* of an estimate; inclusive_samples: with those of estimates below it */
	uint64_t samples, inclusive_samples;
	/* For a copy: ticks on the processor, and those that it kept. */
	uint64_t on_cpu, kept;
	const struct cinstr_cell *from; /* what it is a copy of; NULL: of an estimate */
	uint64_t probes;		/* of `kept`, if the pool has a region: cost of probes */
};

struct mixed_thread {
	struct cinstr_cell *cells;
	int are_of_data;	  /* the cells are owned by merged data, not by the thread */
	struct mixed_cell *about; /* [n_cells] */
	uint32_t n_cells;
	struct mixed_pool *pools;
	uint32_t n_pools;
	struct cinstr_fold_state state; /* the stubs' time counts as the runtime's own */
	/* The thread's tree before the additions. */
	struct data_node *nodes_before;
	size_t n_nodes_before;
	uint32_t *open_before;
	const struct cinstr_fold_state *state_before;
};

/* Where a process's samples went. */
struct mixed_samples {
	uint64_t kept;	 /* in the file */
	uint64_t joined; /* attributed to a node of a tree */
	uint64_t stubs;	 /* of these: in counting stubs */
	uint64_t probes; /* of these: in probes */
	/* Not attributed: */
	uint64_t runtime;     /* in the runtime's own code, which is in no interval */
	uint64_t truncated;   /* the outer end of the stack is missing */
	uint64_t no_thread;   /* of a thread that was not recorded */
	uint64_t no_interval; /* without a stack, and in no interval that was kept */
	/* before the thread's first stamp, after its last, or not chosen */
	uint64_t out_of_time;
	uint64_t discarded, lost; /* according to the file */
	/* For threads whose samples were attributed: ticks on the processor in the trees, with the
	 * recording's own. */
	uint64_t tree_ticks;
	/* processor time of the process according to the kernel; 0: not known */
	uint64_t kernel_ns;
};

/* data->mixed; NULL: the process was only timed, or only sampled. */
struct mixed {
	struct data *sampled; /* the file of samples; NULL: threads sampled themselves */
	struct mixed_samples samples;
};

/* Returns the values of a cell that samples have added or divided, or NULL for any other cell. */
const struct mixed_cell *mixed_cell(const struct data_thread *thread, const struct cinstr_cell *cell);
/* Returns the cell of the data file that the cell is a copy of, where samples have made one, or the
 * cell itself. */
const struct cinstr_cell *mixed_original(const struct data_thread *thread, const struct cinstr_cell *cell);
int mixed_is_estimate(const struct data_thread *thread, size_t node);
/* Returns the values of a node whose time was divided together with other nodes', or NULL. */
const struct mixed_cell *mixed_short(const struct data_thread *thread, size_t node);
/* Whether the node's intervals contain more than its own time. */
int mixed_has_counted(const struct data_thread *thread, size_t node);
/* Returns the node after `i` among those called from one node as probes saw it: estimates have no
 * calls, so what is below them was called from above. The first is node + 1. */
size_t mixed_next_called(const struct data_thread *thread, size_t i);

/* Restores the thread's own tree. */
void mixed_thread_undo(struct data_thread *thread);
/* Releases the additions when the thread is released. */
void mixed_thread_release(struct data_thread *thread);
void mixed_release(struct data *data);

#endif
