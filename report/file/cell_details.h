/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cell_details.h - what hangs at a node's cell (struct cinstr_detail and those below it): checked,
 * and read. `memory`: the data file's copy, or what is laid out like one.
 */
#ifndef REPORT_FILE_CELL_DETAILS_H
#define REPORT_FILE_CELL_DETAILS_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

/* The cells of one thread. */
struct details_bounds {
	const char *memory;
	int (*is_own)(const void *context, uint32_t index);
	const void *context;
	size_t n_cells;
};

/*
 * Checks all that hangs at cell `index`. n_buckets counts the buckets of all cells, so that no
 * cycle is followed for ever. Returns NULL, or what is wrong.
 */
const char *details_check(const struct details_bounds *bounds, uint32_t index, size_t *n_buckets);

/* A node of a tree (or a FLAT cell), not something that hangs at one. */
int details_is_node(const struct cinstr_cell *cell);

/* Cell index of the first struct cinstr_bucket, 0: none: of the node's own intervals; of those that
 * its after_ticks is made of. */
uint32_t details_buckets(const char *memory, const struct cinstr_cell *cell);
uint32_t details_after_buckets(const char *memory, const struct cinstr_cell *cell);

/* Finished activations by the slot of their inclusive ticks (cinstr/format.h). Returns their
 * number. */
uint64_t details_slots(const char *memory, const struct cinstr_cell *cell, uint64_t slots[CINSTR_SLOTS]);
/* The number of finished activations alone. */
uint64_t details_finished(const char *memory, const struct cinstr_cell *cell);
/* A slot holds durations from details_slot_begin(slot) up to, not including, that of the next. */
uint64_t details_slot_begin(uint32_t slot);

/*
 * Raw ticks of the finished activations that are the shortest and the longest, inclusive and
 * exclusive, and the events in them, as far as they were counted. shortest > longest: there are
 * none.
 */
struct details_extremes {
	uint64_t shortest[2], longest[2];
	uint64_t shortest_events[2], longest_events[2];
};

/*
 * ELAPSED: of elapsed time; INTERVAL, ON_CPU: of application time in that mode, for the default
 * mask. Without a detail the node's exclusive ticks are taken for those of its one finished
 * activation (see details_settle()).
 */
void details_extremes(const char *memory, const struct cinstr_cell *cell, enum cinstr_dirty_part part,
		      struct details_extremes *extremes);
/* 0: they are the same of all three. */
int details_parts_differ(const char *memory, const struct cinstr_cell *cell);

#endif
