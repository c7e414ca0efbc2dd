/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixed_rows.h - properties of rows of mixed sessions beside sums: where values come from, the
 * error of estimates, calls that were counted without being timed (doc/semantics.md: "Mixed
 * sessions"). */
#ifndef REPORT_ROWS_MIXED_ROWS_H
#define REPORT_ROWS_MIXED_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "values/values.h"

struct addition;
struct data;
struct data_thread;
struct mixed_tally;
struct profile;
struct row;

/* Sums over the processes of a session. */
struct mixed_totals {
	uint64_t processes; /* with samples that were joined with the timed calls */
	uint64_t without;   /* from a mixed recording, but without samples */
	/* samples, by the members of struct mixed_samples */
	uint64_t kept, joined, stubs, probes, runtime, truncated, no_thread, no_interval, out_of_time, lost;
	uint64_t own;			/* those of `processes` whose threads sampled themselves */
	uint64_t rare;			/* threads that did so every 10 ms, not every ms */
	uint64_t refused;		/* threads that could not */
	uint32_t refused_errno;		/* the reason */
	long double tree_ns, kernel_ns; /* ns, for processes whose time in the kernel is known */
	uint64_t counted;		/* calls counted at functions */
	uint64_t counted_functions;
	uint64_t counted_sites, counted_by_site; /* call sites; calls counted at them */
	uint64_t counted_bytes;			 /* of memory, allocated by these calls */
	/* processes without probes, whose samples are in files that were left out */
	uint64_t alone;
};
void mixed_totals_add(struct mixed_totals *totals, const struct data *data, long double ns_per_tick);
void mixed_totals_add_thread(struct mixed_totals *totals, const struct data *data,
			     const struct data_thread *thread);

/* Returns the tally of a thread being added; NULL: it has no estimates. */
struct mixed_tally *mixed_tally_new(const struct data *data, const struct data_thread *thread);
/* Notes that a node's values were added to the row. */
void mixed_row_add(const struct addition *a, struct row *row, size_t node, unsigned parts);
/* Notes that a part of the node's exclusive time was added to the row of one of its places. */
void mixed_row_add_part(const struct addition *a, struct row *row, size_t node);
/* Adds the uncertainty to the rows when all nodes have been added, and releases the tally. */
void mixed_tally_end(struct addition *a);
/* For rows that are made one at a time (row_stream.h): notes a node of row `number` ahead of that;
 * adds the uncertainty to the stream. */
void mixed_tally_add(const struct addition *a, uint32_t number, size_t node, unsigned parts);
void mixed_tally_settle(const struct addition *a);

/* Returns 1 if some of the row's time of this kind is an estimate. */
int mixed_row_is_estimate(const struct row *row, enum value_kind kind);
/* Returns the bits of enum row_source for the row's time of this kind. */
unsigned mixed_row_source(const struct row *row, enum value_kind kind);
/* Returns "timed", "estimate" or "both" for such bits; NULL: there is no time. */
const char *mixed_source_word(unsigned source);
/* Returns "at least" if calls may be missing, else "exact". */
const char *mixed_bound_word(int are_calls_least);
/* Marks the row of a whole thread as timed. */
void mixed_row_add_whole(struct row *row);

#endif
