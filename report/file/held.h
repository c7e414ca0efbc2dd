/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held.h - the blocks that a process has allocated and not freed (cinstr/held.h). */
#ifndef REPORT_FILE_HELD_H
#define REPORT_FILE_HELD_H

#include "cinstr/held.h"

struct build;
struct data;
struct fold;

/* Returns the table of blocks, and sets *n to the number of its entries; NULL: there is none. */
const struct cinstr_held_table *held_table(const struct data *data, size_t *n);
/* Tells the fold where the table is. */
void held_see(const struct data *data, struct fold *fold);
/* Adds the thread's blocks to what its calls have moved, as CINSTR_AMOUNT_HELD. */
void held_make(const struct build *b);

#endif
