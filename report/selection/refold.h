/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refold.h - folds a thread's complete timeline again and compares the tree with the runtime's.
 */
#ifndef REPORT_REFOLD_H
#define REPORT_REFOLD_H

#include "file/data.h"

enum refold_result {
	REFOLD_SAME,
	REFOLD_DIFFERENT,
	REFOLD_NO_TIMELINE, /* the timeline was not kept, or not all of it */
	REFOLD_SHORT_CALLS, /* the timeline lacks short calls */
	/* The tree has other sources, too: a forked child's, or that of several threads. */
	REFOLD_NOT_ALONE,
};

/* Compares the trees. *n_nodes: number of nodes compared. */
enum refold_result refold_thread(const struct data *data, const struct data_thread *thread, size_t *n_nodes);

#endif
