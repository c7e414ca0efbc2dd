/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mixed_rows.h - what rows of mixed sessions have besides sums: where their values come from, how
 * far estimates can be from the truth, calls that were counted without being timed
 * (doc/semantics.md: "Mixed sessions"). /
 */
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

/* Sums over processes of what became of their samples (struct mixed_samples). */
struct mixed_totals {
	uint64_t processes; /* with samples that were joined */
	uint64_t without;   /* of a mixed recording, and without */
	uint64_t kept, joined, stubs, probes, runtime, truncated, no_thread, no_interval, out_of_time, lost;
	uint64_t own;			/* of these: their threads have sampled themselves */
	uint64_t rare;			/* threads that did it each 10 ms, not each ms */
	uint64_t refused;		/* threads that could not */
	uint32_t refused_errno;		/* why */
	long double tree_ns, kernel_ns; /* of processes of which the kernel's time is known */
	uint64_t counted;		/* calls */
	uint64_t counted_functions;
	uint64_t counted_sites, counted_by_site; /* call sites; calls from them */
	uint64_t alone; /* processes without probes: they have samples only, in files left out */
};
void mixed_totals_add(struct mixed_totals *totals, const struct data *data, long double ns_per_tick);
void mixed_totals_add_thread(struct mixed_totals *totals, const struct data *data,
			     const struct data_thread *thread);

/* Of one thread being added; NULL: it has no estimates. */
struct mixed_tally *mixed_tally_new(const struct data *data, const struct data_thread *thread);
/* A node's values were added to the row. */
void mixed_row_add(const struct addition *a, struct row *row, size_t node, unsigned parts);
/* ... and, besides, a part of the node's exclusive time to that of a place of it. */
void mixed_row_add_part(const struct addition *a, struct row *row, size_t node);
/* All of them have been: rows get their uncertainty. Releases the tally. */
void mixed_tally_end(struct addition *a);

int mixed_row_is_estimate(const struct row *row, enum value_kind kind);
/* Bits of enum row_source. */
unsigned mixed_row_source(const struct row *row, enum value_kind kind);
/* Of such bits; NULL: there is no time. */
const char *mixed_source_word(unsigned source);
const char *mixed_bound_word(int are_calls_least);
/* All of a thread's were: intervals. */
void mixed_row_add_whole(struct row *row);

#endif
