/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * caller_rows.h - who calls whom: the rows of a profile BY_CALLERS. While data are added, a row is
 * a function (a root) or an edge: the values of one function when called by one other, once per
 * interval and edge (semantics R6). That is what the caller's view shows as a callee, and the
 * callee's as a caller. edges_select makes of them the rows that are shown.
 */
#ifndef REPORT_ROWS_CALLER_ROWS_H
#define REPORT_ROWS_CALLER_ROWS_H

#include "profile.h"

#define EDGE_NO_CALLER (UINT32_MAX - 1)
#define EDGE_OUTSIDE "[outside]"
/* Some call over the edge began while its callee, or its caller once more, was running already. */
#define RECURSIVE_CALLEE 1
#define RECURSIVE_CALLER 2

/* profile.c: adds nodes, open activations and FLAT cells to their rows. */
void addition_sum(const struct addition *addition);
/* Adds to a row's inclusive values. */
void addition_inclusive(const struct addition *addition, uint32_t row, const struct ticks *ticks);
/* A new row, with what `from` holds. */
struct row *profile_row_copy(struct profile *profile, const struct row *from);

/* The row of a function as a root. */
uint32_t edges_root_row(struct profile *profile, uint32_t entity);
/* Adds a thread's edges. */
void edges_add(struct addition *addition);

/* What edges_select is to take. */
struct edges_wish {
	const char *function; /* a name or a glob */
	const char *session;  /* for messages */
	uint64_t functions;   /* at most so many roots */
};

/*
 * Replaces the rows by those to show: for each function that matches, from the most inclusive time
 * on, its callers, itself, its callees. Returns how many functions match; 0 after an error message
 * that says which look like it.
 */
size_t edges_select(struct profile *profile, const struct edges_wish *wish);

/* For those who walk from one function to another: the rows as they were added, of which those to
 * show are made again and again. */
struct edges {
	struct row *all;
	size_t n;
};

/* Takes the rows out of the profile. */
void edges_begin(struct edges *edges, struct profile *profile);
/* Makes the profile's rows: the callers of an entity, itself, its callees. 0, or -1: it is not in
 * there; then there are none. */
int edges_show(const struct edges *edges, struct profile *profile, uint32_t entity);
void edges_release(struct edges *edges);

#endif
