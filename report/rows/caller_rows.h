/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * caller_rows.h - callers and callees: the rows of a profile BY_CALLERS. While data are added, a
 * row is a function (a root) or an edge: the values of one function when called by another, once
 * per interval and edge (semantics R6). The caller's view shows an edge as a callee, the callee's
 * view as a caller. caller_rows_select() turns these rows into those to show.
 */
#ifndef REPORT_ROWS_CALLER_ROWS_H
#define REPORT_ROWS_CALLER_ROWS_H

#include "profile.h"

#define EDGE_NO_CALLER (UINT32_MAX - 1)
#define EDGE_OUTSIDE "[outside]"
/* Some call over the edge began while its callee, or its caller a second time, was active. */
#define RECURSIVE_CALLEE 1
#define RECURSIVE_CALLER 2

/* profile.c: adds nodes, open activations and FLAT cells to their rows. */
void addition_sum(const struct addition *addition);
/* Adds ticks to a row's inclusive values. */
void addition_inclusive(const struct addition *addition, uint32_t row, const struct ticks *ticks);
/* Returns a new row with a copy of `from`. */
struct row *profile_row_copy(struct profile *profile, const struct row *from);

/* Returns the row of a function as a root; ROW_NONE: the entity is not a function. */
uint32_t caller_rows_root_row(struct profile *profile, uint32_t entity);
/* Adds a thread's values to the rows of its edges. */
void caller_rows_add(struct addition *addition);

/* The rows to select. */
struct caller_rows_wish {
	const char *function; /* a name or a glob */
	const char *session;  /* named in messages */
	uint64_t functions;   /* maximum number of roots */
};

/* Replaces the rows with those to show: for each function that matches, most inclusive time first,
 * its callers, itself, its callees. Returns the number of functions that match; 0 after an error
 * message that names similar functions. */
size_t caller_rows_select(struct profile *profile, const struct caller_rows_wish *wish);

/* The rows as they were added, for views that move from function to function and make the rows to
 * show several times. */
struct caller_rows {
	struct row *all;
	size_t n;
};

/* Moves the rows out of the profile. */
void caller_rows_begin(struct caller_rows *edges, struct profile *profile);
/* Makes the profile's rows: the callers of an entity, itself, its callees. Returns 0; -1 if the
 * entity is not among the roots, and the profile has no rows then. */
int caller_rows_show(const struct caller_rows *edges, struct profile *profile, uint32_t entity);
void caller_rows_release(struct caller_rows *edges);

#endif
