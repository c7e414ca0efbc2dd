/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cell_details.h - checks and reads what is attached to a node's cell (struct cinstr_detail and the
 * structures below it). `memory`: the copy of the data file, or memory laid out like one.
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

/* Checks everything attached to cell `index`. n_buckets counts the buckets of all cells, so that
 * cycles end. Returns NULL, or the problem. */
const char *details_check(const struct details_bounds *bounds, uint32_t index, size_t *n_buckets);

/* Whether the cell is of calls beyond the budget of paths. */
static inline int details_is_flat(const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	return kind == CINSTR_CELL_FLAT_FRAME || kind == CINSTR_CELL_FLAT_CALL;
}
/* Whether the cell is a node of a tree that counts activations. */
static inline int details_has_activations(const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	return kind >= CINSTR_CELL_FRAME && kind <= CINSTR_CELL_INDIRECT;
}
/* Whether the cell is a node of a tree or a FLAT cell, not attached to one. */
int details_is_node(const struct cinstr_cell *cell);

/* Return the index of the first struct cinstr_bucket of the node's own intervals, or of those in
 * its after_ticks; 0: none. */
uint32_t details_buckets(const char *memory, const struct cinstr_cell *cell);
uint32_t details_after_buckets(const char *memory, const struct cinstr_cell *cell);

/* Counts the finished activations by the slot of their inclusive ticks (cinstr/format.h). Returns
 * their total. */
uint64_t details_slots(const char *memory, const struct cinstr_cell *cell, uint64_t slots[CINSTR_SLOTS]);
/* Returns the total of details_slots() alone. */
uint64_t details_finished(const char *memory, const struct cinstr_cell *cell);
/* Returns the shortest duration in a slot, in ticks. A slot ends before the begin of the next. */
uint64_t details_slot_begin(uint32_t slot);

/* Raw ticks of the shortest and the longest finished activation, inclusive and exclusive, and the
 * events in them, as far as these were counted. shortest > longest: there are none. */
struct details_extremes {
	uint64_t shortest[2], longest[2];
	uint64_t shortest_events[2], longest_events[2];
};

/* Reads the extremes of a part. ELAPSED: of elapsed time; INTERVAL, ON_CPU: of application time in
 * that mode, for the default mask. Without a detail, the node's exclusive ticks are taken as those
 * of its one finished activation (see details_settle()). */
void details_extremes(const char *memory, const struct cinstr_cell *cell, enum cinstr_dirty_part part,
		      struct details_extremes *extremes);
/* Whether the three parts differ. */
int details_parts_differ(const char *memory, const struct cinstr_cell *cell);

#endif
