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
	uint64_t counter; /* address of its NOPs; 0: no counter */
	uint32_t from, to;
	/* Bytes before and after the NOPs that save what the counter changes, and belong to it. */
	uint8_t before, behind;
	uint8_t counter_bytes; /* of its NOPs */
	uint8_t is_loop;       /* its counter is before it, and counts all iterations at once */
};

/* The segments of a function, from one note. */
struct segment_function {
	size_t first, n;      /* range of its segments in `list` */
	size_t first_counter; /* index of its first counter in the module */
	uint32_t entry, exit;
	/* Its addresses are impossible: outside of the code, end before start, or overlapping
	 * others. */
	int is_damaged;
};

struct segment_table {
	struct segment_function *functions;
	size_t n_functions, size_functions;
	struct segment *list;
	size_t n, size;
	size_t n_counters;
	int is_gone; /* the notes are in the module's file, which is gone or another one now */
};

/* Reads the segments in the module's notes, or in its file's if they are there; n_functions 0:
 * there are none. Returns 0, or -1 if a note is damaged, so that the indices of counters are not
 * known. Release in both cases. */
int segments_read(struct segment_table *table, const struct module *module);
void segments_release(struct segment_table *table);

/* Returns the file's list of modules whose segments were counted, each once, to be freed; NULL and
 * *n 0: there are none. */
struct cinstr_segment_module *segment_modules(const struct data *data, size_t *n);
/* Returns the module of an entry of that list, with the same number of counters in its notes; NULL:
 * it cannot be determined. */
const struct module *segment_module_of(const struct data *data, const struct cinstr_segment_module *entry);

/* Returns whether the module's segments were counted; *n: their number, 0: not known, as their
 * notes are gone or damaged. */
int segments_counted(const struct data *data, const struct module *module, size_t *n);

/* Whether several threads of a process used the same counters, in turn or at once, as none of them
 * recorded (owner UINT32_MAX): some executions may be missing. */
int segment_counts_are_shared(const struct data *data, const struct data_segment *s);

/* Adds an entry's counts in a segment of type CINSTR_SEG_SEGMENT_COUNTS to sums[n]. Returns 0, or
 * -1 if the payload ends among the entry's counters. */
int segment_counts_add(const struct data *data, const struct data_segment *s,
		       const struct cinstr_segment_module *entry, uint64_t *sums);

#endif
