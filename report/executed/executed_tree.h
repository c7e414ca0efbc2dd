/* SPDX-License-Identifier: GPL-3.0-or-later */
/* executed_tree.h - the call paths of a data file with executed instructions instead of time: a
 * file like the one it is made from, for all code that sums values of paths (rows/profile.h). A
 * tick is an instruction; single calls, the operating system and moments are not known. */
#ifndef REPORT_EXECUTED_EXECUTED_TREE_H
#define REPORT_EXECUTED_EXECUTED_TREE_H

#include "executed.h"

/* Makes such a file. `executed` may have been filled with other files; its names are those of the
 * rows. The result must be read with the same `names`, and uses parts of `data`: release it
 * first. */
struct data *executed_tree_make(struct executed *executed, struct data *data);
void executed_tree_release(struct data *tree);

#endif
