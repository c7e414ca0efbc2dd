/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * library_work.h - what the C++ library does for each function of the program, and by which of its
 * functions, inlined or not.
 *
 * The time of a library's function is divided among its callers by their counted calls, on all
 * levels: samples in a library do not know who called, so each call is taken for as long as any
 * other one. Allocating and freeing is divided by the blocks that are allocated. The program's own
 * samples in code that was inlined from the library are added. Constructors and assignments of the
 * program that copy an object count for their callers, as those of the library do.
 */
#ifndef REPORT_FINDINGS_LIBRARY_WORK_H
#define REPORT_FINDINGS_LIBRARY_WORK_H

#include "hot_code.h"

/* The work of one library function for one function of the program. */
struct library_place {
	uint32_t caller;	 /* the program's function that has the call in its code */
	const char *own;	 /* assembler name of that one, or of what is inlined; or NULL */
	const char *operation;	 /* the library's function, by its assembler name ... */
	const char *shown;	 /* ... and as shown */
	struct code_place place; /* in the program; file NULL: not known */
	const struct row *edge;	 /* the longest of its calls; NULL: all is inlined */
	long double edge_time;
	long double time; /* computing, as of struct computing */
};

struct library_work {
	struct library_place *list; /* most time first */
	size_t n, size;
};

/* Returns the place of a call in the program; all of it is NULL or 0 if it is not known. */
struct code_place library_call_place(const struct computing *computing, const struct row *edge);
/* Finds nothing in a session that has samples only. */
void library_work_make(struct library_work *work, const struct computing *computing);
/* Returns how often the library's function is called there, as far as it is known by what it calls
 * for all of its calls, in turn; 0: not known. */
uint64_t library_place_calls(const struct library_place *place, const struct computing *computing);
void library_work_release(struct library_work *work);

#endif
