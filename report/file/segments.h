/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * segments.h - the segments of functions whose executions are counted (CINSTR_NOTE_SEGMENTS,
 * cinstr/abi.h), and how often each thread has executed those that have a counter. Addresses are
 * link addresses.
 */
#ifndef REPORT_FILE_SEGMENTS_H
#define REPORT_FILE_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

struct data;
struct data_segment;
struct module;

struct segment {
	uint64_t start, end;
	uint64_t counter; /* of its NOPs; 0: it has no counter */
	uint32_t from, to;
	/* bytes in front of the NOPs and behind them that are the counter's, too: they save what it
	 * changes */
	uint8_t before, behind;
	uint8_t counter_bytes; /* of its NOPs */
};

/* A function: a note. */
struct segment_function {
	size_t first, n;      /* of its segments */
	size_t first_counter; /* number of its first counter in the module */
	uint32_t entry, exit;
	/* its addresses cannot be true: segments that are outside of the code, that end before they
	 * start, or that others overlap */
	int is_damaged;
};

struct segment_table {
	struct segment_function *functions;
	size_t n_functions, size_functions;
	struct segment *list;
	size_t n, size;
	size_t n_counters;
};

/*
 * Reads what the module's notes say of segments; n_functions 0: they say nothing. 0; -1: a note is
 * damaged, so that the numbers of counters are not known. Release in both cases.
 */
int segments_read(struct segment_table *table, const struct module *module);
void segments_release(struct segment_table *table);

/* Returns the file's list of modules whose segments were counted, each once, to be freed; NULL, *n
 * 0: there are none. */
struct cinstr_segment_module *segment_modules(const struct data *data, size_t *n);
/* The module that an entry of that list is of, whose notes have as many counters. NULL: none can be
 * told. */
const struct module *segment_module_of(const struct data *data, const struct cinstr_segment_module *entry);

/* How many segments of the module were counted; 0: none. */
size_t segments_counted(const struct data *data, const struct module *module);

/* Whether several threads of a process counted there, in turn or at once, as none of them recorded
 * (owner UINT32_MAX): some executions may be missing. */
int segment_counts_are_shared(const struct data *data, const struct data_segment *s);

/*
 * Adds to sums[n] what the payload of a segment of type CINSTR_SEG_SEGMENT_COUNTS has of an entry.
 * 0; -1: the payload ends among the entry's counters.
 */
int segment_counts_add(const struct data *data, const struct data_segment *s,
		       const struct cinstr_segment_module *entry, uint64_t *sums);

#endif
