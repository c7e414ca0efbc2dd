/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * executed_tree.h - the call paths of a data file with executed instructions in the place of time:
 * a file like the one it is made of, for all that sums values of paths (rows/profile.h). A tick is
 * an instruction; nothing is known of single calls, of the operating system, of moments.
 */
#ifndef REPORT_EXECUTED_EXECUTED_TREE_H
#define REPORT_EXECUTED_EXECUTED_TREE_H

#include "executed.h"

/* `executed` may have been filled with other files; its names are those of the rows. The result is
 * read by the same `names`, and holds parts of `data`: release it before. */
struct data *executed_tree_make(struct executed *executed, struct data *data);
void executed_tree_release(struct data *tree);

#endif
