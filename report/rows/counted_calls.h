/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counted_calls.h - calls that were counted without being timed (file/counters.h), as parts of
 * rows.
 *
 * The activations of a function are the calls of its frames and its counters. These include calls
 * seen by timed callers, and those in counters of call sites, which tell about functions without
 * probes, and in rows of call sites, callers, lines and instructions how often each call was made.
 */
#ifndef REPORT_ROWS_COUNTED_CALLS_H
#define REPORT_ROWS_COUNTED_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/int_map.h"

struct addition;
struct os_tally;
struct cinstr_cell;
struct data;
struct moved_sums;
struct names;
struct profile;
struct row;

/* Counters of the current process. */
struct counted_calls {
	int is_any;
	uint8_t *has; /* by entity: bits COUNTED_... */
	size_t n;
	struct int_map edges; /* (caller, callee) pairs with counted call sites */
};

enum {
	COUNTED_ENTRIES = 1, /* the function has a counter */
	/* the function has frames or a counter, which cover all of its calls */
	COUNTED_FRAMES = 2,
	COUNTED_SITES = 4 /* call sites that name the function have counters */
};

/* Prepares for the next process. */
void counted_calls_begin(struct counted_calls *counted, struct names *names, const struct data *data);
void counted_calls_release(struct counted_calls *counted);

/* The number of a cell's calls that are also in counters, and how many of these have no known
 * time. */
struct calls_counted {
	uint64_t n, untimed;
};
struct calls_counted counted_calls_of_cell(const struct addition *a, struct row *row,
					   const struct cinstr_cell *cell);
/* Whether the cell is a call without a frame, of a function whose entries are counted. */
int counted_calls_of_entries(const struct addition *a, const struct cinstr_cell *cell);
/* Whether calls by name of the cell's function are counted where callers have no probes at them. */
int counted_calls_by_name(const struct addition *a, const struct cinstr_cell *cell);
/* For estimates: whether counters have the number of calls of the row's function or place. */
int counted_calls_are_known(const struct addition *a, const struct row *row, size_t node);
/* Adds each of the thread's counters to the row of its function or call site. */
void counted_calls_add(const struct addition *a);
/* Adds all of the thread's counters to one row, that of a thread or process. */
void counted_calls_add_whole(const struct addition *a, struct row *row);
/* Adds memory that calls in the row's own code allocate to row `number`; ROW_NONE: to none. */
void counted_calls_add_own(const struct addition *a, uint32_t number, const struct os_tally *tally);
/* The same for the row that calls the node. */
void counted_calls_add_node_own(const struct addition *a, uint32_t node, const struct os_tally *tally);
/* Returns the row of the function, or line, that a call site is in, or ROW_NONE: there is none. */
uint32_t counted_calls_row_of_caller(const struct addition *a, uint32_t site);
/* Completes the rows after all files were added: marks inclusive bytes of memory as a lower limit
 * if counted functions have allocated some; a thread's or process's own bytes are all of its
 * exclusive ones. */
void counted_calls_finish(struct profile *profile);

#endif
