/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cell_details_join.h - changes what is attached to a node's cell in the copy of a data file, for
 * trees derived from others (phases, ranges, functions merged into their callers). New cells are
 * placed after the end of the file.
 */
#ifndef REPORT_FILE_CELL_DETAILS_JOIN_H
#define REPORT_FILE_CELL_DETAILS_JOIN_H

#include "data.h"

/* Returns the cell's detail, created if needed; the cell's own data about its one finished
 * activation move there. before: exclusive ticks of that activation. NULL: no room. */
struct cinstr_detail *details_make(struct data *data, struct cinstr_cell *cell, uint64_t before);
/* Returns the cell's bucket for these events, created if needed. NULL: no room. */
struct cinstr_bucket *details_bucket(struct data *data, struct cinstr_cell *cell, uint32_t bits);
/* Adds what is attached to `from` to `to`. Returns 0, or -1 if there is no room. */
int details_add(struct data *data, struct cinstr_cell *to, const struct cinstr_cell *from);
/* Gives a cell that is a copy of `from` its own copy of what is attached. Returns 0, or -1 if there
 * is no room. */
int details_copy(struct data *data, struct cinstr_cell *copy, const struct cinstr_cell *from);
/* Moves the buckets of one cell to another. */
void details_move_buckets(struct data *data, struct cinstr_cell *from, struct cinstr_cell *to);
/* Marks the node's exclusive extremes as not known, because it has taken over time of its
 * callees. */
void details_forget_exclusive(struct data *data, struct cinstr_cell *cell);
/* Creates the details of cells whose second activation is open, while the values of the first one
 * can still be computed. */
void details_settle(struct data *data, const struct cinstr_thread *thread);

#endif
