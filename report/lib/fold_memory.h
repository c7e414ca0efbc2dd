/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fold_memory.h - the fold's index of cells, on the heap, when the command folds. It doubles when
 * it is full. */
#ifndef REPORT_LIB_FOLD_MEMORY_H
#define REPORT_LIB_FOLD_MEMORY_H

struct fold;

/* For struct fold's more_index: doubles the index, or creates it if it has no slots. Returns 0. The
 * caller frees fold->index.slots. */
int index_grow(struct fold *fold);

#endif
