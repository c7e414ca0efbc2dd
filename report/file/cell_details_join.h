/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cell_details_join.h - changes what hangs at a node's cell, in a data file's copy: for trees that
 * the reader makes of others (phases, ranges, functions that become part of their callers). New
 * cells lie behind the end of the file.
 */
#ifndef REPORT_FILE_CELL_DETAILS_JOIN_H
#define REPORT_FILE_CELL_DETAILS_JOIN_H

#include "data.h"

/*
 * The cell's detail, made if need be; what the cell holds by itself of its one finished activation
 * goes there. before: exclusive ticks of that. NULL: no room.
 */
struct cinstr_detail *details_make(struct data *data, struct cinstr_cell *cell, uint64_t before);
/* The cell's bucket of these events, made if need be. NULL: no room. */
struct cinstr_bucket *details_bucket(struct data *data, struct cinstr_cell *cell, uint32_t bits);
/* What hangs at one cell is added to what hangs at another. 0, or -1: no room. */
int details_add(struct data *data, struct cinstr_cell *to, const struct cinstr_cell *from);
/* What hangs at a cell that is a copy of `from` becomes a copy as well. 0, or -1. */
int details_copy(struct data *data, struct cinstr_cell *copy, const struct cinstr_cell *from);
/* The buckets of one cell become another's. */
void details_move_buckets(struct data *data, struct cinstr_cell *from, struct cinstr_cell *to);
/* The node's exclusive extremes are not known any more: it has taken over time of what it
 * called. */
void details_forget_exclusive(struct data *data, struct cinstr_cell *cell);
/* Of cells whose second activation is open: what they hold of the first one goes to a detail, as
 * long as it can be told. */
void details_settle(struct data *data, const struct cinstr_thread *thread);

#endif
