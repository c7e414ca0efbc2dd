/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counted_calls.h - calls that were counted without times (file/counters.h) as parts of rows.
 *
 * Activations of a function are the calls of its frames and its counters; what its timed callers
 * tell of calls of it is among these, and so is what counters of call sites say. They tell of
 * functions without probes, and in rows of call sites, of callers, of lines and instructions how
 * often each call was made.
 */
#ifndef REPORT_ROWS_COUNTED_CALLS_H
#define REPORT_ROWS_COUNTED_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/int_map.h"

struct addition;
struct cinstr_cell;
struct data;
struct names;
struct row;

/* Of the process at hand. */
struct counted_calls {
	int is_any;
	uint8_t *has; /* by entity: bits COUNTED_... */
	size_t n;
	struct int_map edges; /* (caller, callee) that sites were counted of */
};

enum {
	COUNTED_ENTRIES = 1, /* it has a counter */
	COUNTED_FRAMES = 2,  /* it has frames or a counter: these tell all of its calls */
	COUNTED_SITES = 4    /* sites that name it have */
};

/* A process begins. */
void counted_calls_begin(struct counted_calls *counted, struct names *names, const struct data *data);
void counted_calls_release(struct counted_calls *counted);

/* How many of the cell's calls counters have, too; of these, of how many no time is known. */
struct calls_counted {
	uint64_t n, untimed;
};
struct calls_counted counted_calls_of_cell(const struct addition *a, struct row *row,
					   const struct cinstr_cell *cell);
/* Is it a call without a frame, of a function whose entries are counted? */
int counted_calls_of_entries(const struct addition *a, const struct cinstr_cell *cell);
/* Were calls by name of the cell's function counted, where its callers have no probes at them? */
int counted_calls_by_name(const struct addition *a, const struct cinstr_cell *cell);
/* Of an estimate: do counters tell how often what the row is of was called? */
int counted_calls_are_known(const struct addition *a, const struct row *row, size_t node);
/* The thread's counters, to rows by entity (row_of_flat); all of them to one row. */
void counted_calls_add(const struct addition *a);
void counted_calls_add_whole(const struct addition *a, struct row *row);

#endif
