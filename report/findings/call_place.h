/* SPDX-License-Identifier: GPL-3.0-or-later */
/* call_place.h - the place of a call in the source, by the debug information: functions that the
 * compiler inlined have no probes, so their calls belong to the function around them. */
#ifndef REPORT_FINDINGS_CALL_PLACE_H
#define REPORT_FINDINGS_CALL_PLACE_H

#include "call_graph.h"
#include "symbols/symbols.h"

#define CALL_PLACE_LEVELS 16

struct call_place {
	/* the innermost place outside headers of the system; NULL: not known */
	const char *file;
	uint32_t line;
	/* the inlined function that contains this place, as shown; NULL: it is the caller itself */
	const char *inlined;
	/* lines from the caller's own code to the call, as far as they are known */
	uint32_t lines[CALL_PLACE_LEVELS];
	size_t n_lines;
};

/* Finds the place of a call. Of one that samples only know of, so that its place was not recorded,
 * that which all places have in common where the caller often makes such calls: if these are
 * several lines of one inlined function, the line where that one is defined. */
void call_place_find(struct call_place *place, const struct call_graph *graph, const struct row *edge);
/* Returns the innermost of frames[n] that is written in the program: not in a header of the system,
 * and no constructor, destructor or assignment that the compiler made; or n. */
size_t call_place_own_frame(const struct symbol_frame *frames, size_t n);
/* Returns whether the call is in inlined code of a function with a name that `is_named` accepts. */
int call_place_is_within(const struct call_graph *graph, const struct row *edge,
			 int (*is_named)(const char *assembler));
/* Compares the places of two calls in the source of one function; inlined functions are where they
 * are called. < 0, 0 (the same line, or not known), > 0. */
int call_place_compare(const struct call_place *a, const struct call_place *b);

#endif
