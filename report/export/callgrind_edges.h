/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * callgrind_edges.h - who has called whom from which line, and how many instructions were executed
 * in these calls, of all threads of a session: for callgrind_instructions.c.
 */
#ifndef REPORT_EXPORT_CALLGRIND_EDGES_H
#define REPORT_EXPORT_CALLGRIND_EDGES_H

#include "lib/util.h"
#include "rows/profile.h"

struct callgrind_edge {
	uint32_t caller, callee; /* entities */
	const char *file;	 /* of the call; NULL: not known */
	uint32_t line;		 /* 0: not known */
	uint64_t calls;
	/* executed in them and below; of a function that was on the stack before, nothing */
	uint64_t instructions;
	uint64_t mark; /* executed/call_shares.h */
};

struct callgrind_edges {
	struct callgrind_edge *list;
	size_t size;
	struct map keys; /* as many as there are edges */
	struct names *names;
	uint32_t *on_path; /* by entity: how often it is on the path to the node at hand */
	size_t n_on_path;
};

/* Adds a thread: struct profile, each. */
void callgrind_edges_add(void *edges, const struct addition *a);
/* By caller, file and line. */
void callgrind_edges_sort(struct callgrind_edges *edges);
void callgrind_edges_release(struct callgrind_edges *edges);

#endif
