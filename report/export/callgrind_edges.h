/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * callgrind_edges.h - calls by caller, line and callee in all threads of a session, with the
 * instructions executed in them: for callgrind_instructions.c.
 */
#ifndef REPORT_EXPORT_CALLGRIND_EDGES_H
#define REPORT_EXPORT_CALLGRIND_EDGES_H

#include "lib/util.h"
#include "rows/profile.h"

struct callgrind_edge {
	uint32_t caller, callee; /* entities */
	const char *file;	 /* source file of the call; NULL: not known */
	uint32_t line;		 /* 0: not known */
	uint64_t calls;
	/* Executed in the calls and below. 0 if the callee was on the stack already. */
	uint64_t instructions;
	uint64_t mark; /* executed/call_shares.h */
};

struct callgrind_edges {
	struct callgrind_edge *list;
	size_t size;
	struct map keys; /* has as many keys as there are edges */
	struct names *names;
	uint32_t *on_path; /* by entity: occurrences on the path to the current node */
	size_t n_on_path;
};

/* Adds a thread. For struct profile's `each`. */
void callgrind_edges_add(void *edges, const struct addition *a);
/* Sorts by caller, file and line. */
void callgrind_edges_sort(struct callgrind_edges *edges);
void callgrind_edges_release(struct callgrind_edges *edges);

#endif
