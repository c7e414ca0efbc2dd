/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * segment_calls.h - which functions the segments of a module call by name, as their machine code
 * says: a segment that was executed n times has made n of each of its calls. Calls through pointers
 * name no function.
 */
#ifndef REPORT_EXECUTED_SEGMENT_CALLS_H
#define REPORT_EXECUTED_SEGMENT_CALLS_H

#include "file/segments.h"
#include "symbols/symbols.h"

#define SEGMENT_CALL_BY_NAME UINT32_MAX

struct segment_call {
	size_t segment;
	uint32_t to;	  /* the number of a function of the table, or: */
	const char *name; /* SEGMENT_CALL_BY_NAME: of a function of whatever module has it */
};

struct segment_calls {
	struct segment_call *list;
	size_t n, size;
	struct segment_calls_of {
		size_t first, n;
		int is_read;
	} * of;			      /* by function; NULL: none was read */
	struct segment_place *places; /* of all segments, by address */
};

/* The calls of a function of the table: *n of them. They stay until another function's are read. */
const struct segment_call *segment_calls_of(struct segment_calls *calls, const struct symbols *symbols,
					    const struct segment_table *table, size_t function, size_t *n);
/* The function of the table that begins at the address, or has it; SEGMENT_CALL_BY_NAME: none. */
uint32_t segment_function_at(struct segment_calls *calls, const struct segment_table *table,
			     uint64_t address);
void segment_calls_release(struct segment_calls *calls);

#endif
