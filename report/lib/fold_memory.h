/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fold_memory.h - the fold's index of cells, when the reader folds: twice as large, from the
 * heap. */
#ifndef REPORT_LIB_FOLD_MEMORY_H
#define REPORT_LIB_FOLD_MEMORY_H

struct fold;

/* struct fold's more_index; an index without slots gets its first. The caller frees
 * fold->index.slots. Returns 0. */
int index_grow(struct fold *fold);

#endif
