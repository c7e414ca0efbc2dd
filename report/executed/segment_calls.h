/* SPDX-License-Identifier: GPL-3.0-or-later */
/* segment_calls.h - the functions that the segments of a module call by name, by their machine
 * code: a segment that was executed n times made each of its calls n times. Calls through pointers
 * name no function. */
#ifndef REPORT_EXECUTED_SEGMENT_CALLS_H
#define REPORT_EXECUTED_SEGMENT_CALLS_H

#include "file/segments.h"
#include "symbols/symbols.h"

#define SEGMENT_CALL_BY_NAME UINT32_MAX

struct segment_call {
	size_t segment;
	uint32_t to;	  /* index of a function of the table, or: */
	const char *name; /* SEGMENT_CALL_BY_NAME: of a function in any module */
};

struct segment_calls {
	struct segment_call *list;
	size_t n, size;
	struct segment_calls_of {
		size_t first, n;
		int is_read;
	} * of;			      /* by function; NULL: none has been read */
	struct segment_place *places; /* all segments, by address */
};

/* Returns the calls of a function of the table; *n: their number. Valid until those of another
 * function are read. */
const struct segment_call *segment_calls_of(struct segment_calls *calls, const struct symbols *symbols,
					    const struct segment_table *table, size_t function, size_t *n);
/* Returns the function of the table that begins at the address, or contains it;
 * SEGMENT_CALL_BY_NAME: none. */
uint32_t segment_function_at(struct segment_calls *calls, const struct segment_table *table,
			     uint64_t address);
void segment_calls_release(struct segment_calls *calls);

#endif
