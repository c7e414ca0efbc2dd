/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counted_calls.h - calls that were counted without times (file/counters.h) as parts of rows:
 * activations of a function are the calls of its frames and its counters; what its timed callers
 * tell of calls of it is among these.
 */
#ifndef REPORT_ROWS_COUNTED_CALLS_H
#define REPORT_ROWS_COUNTED_CALLS_H

#include <stddef.h>
#include <stdint.h>

struct addition;
struct cinstr_cell;
struct data;
struct names;
struct row;

struct counted_calls {
	uint8_t *has; /* of the process at hand: by entity, whether it has counters */
	size_t n;
};

/* A process begins. */
void counted_calls_begin(struct counted_calls *counted, struct names *names, const struct data *data);
void counted_calls_release(struct counted_calls *counted);

/* Is it a call without a frame, of a function that has counters? */
int counted_calls_have(const struct addition *a, const struct cinstr_cell *cell);
/* The thread's counters, to rows by entity (row_of_flat); all of them to one row. */
void counted_calls_add(const struct addition *a);
void counted_calls_add_whole(const struct addition *a, struct row *row);

#endif
