/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree_counted.h - calls of the exported tree that counters tell of (rows/counted_calls.h). A call
 * that was timed as well is in its path's node; the others have no path, and are given to nodes of
 * their own below TREE_COUNTED.
 */
#ifndef REPORT_EXPORT_TREE_COUNTED_H
#define REPORT_EXPORT_TREE_COUNTED_H

#include "export_tree.h"

/* By entity: calls, and jumps among them, that are in nodes and that counters tell of, too. */
struct tree_counted {
	uint64_t *calls, *jumps;
	size_t n_calls, n_jumps;
};

/* Notes the calls of a cell that a node gets. */
void tree_counted_note(struct tree_counted *counted, const struct addition *a, const struct cinstr_cell *cell,
		       uint32_t entity);
/* Gives the calls that no node has to nodes below TREE_COUNTED. */
void tree_counted_give(const struct tree_counted *counted, struct export_tree *tree);
void tree_counted_release(struct tree_counted *counted);

#endif
