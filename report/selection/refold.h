/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refold.h - folds a thread's complete timeline again and compares the tree with the one that the
 * runtime made.
 */
#ifndef REPORT_REFOLD_H
#define REPORT_REFOLD_H

#include "file/data.h"

enum refold_result {
	REFOLD_SAME,
	REFOLD_DIFFERENT,
	REFOLD_NO_TIMELINE, /* none was kept, or not all of it */
	REFOLD_SHORT_CALLS, /* short calls were left out of it */
	/* the tree is not of this timeline alone: a forked child's, or that of several threads */
	REFOLD_NOT_ALONE,
};

/* *n_nodes: nodes compared. */
enum refold_result refold_thread(const struct data *data, const struct data_thread *thread, size_t *n_nodes);

#endif
