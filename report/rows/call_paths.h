/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * call_paths.h - the call paths of a session, merged over all threads and processes from their
 * roots (cinstr tree).
 *
 * There can be many millions, so data are read twice. In the first reading every path gets a struct
 * path, by which the paths to show are chosen; in the second, these get rows (struct row), as in
 * every other view. A row stands for one path, or for several that were folded into one line.
 */
#ifndef REPORT_ROWS_CALL_PATHS_H
#define REPORT_ROWS_CALL_PATHS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/int_map.h"

struct data;
struct addition;
struct names;
struct profile;

#define PATH_NONE UINT32_MAX
/* A chain of calls is folded into one line if each has this share of its caller's time. */
#define PATHS_FOLD_PERCENT 95.0

/* A call path. Paths are numbered in order of creation, so parents have lower numbers; 0 stands for
 * the roots of all threads. */
struct path {
	uint32_t parent, entity;
	/* are_least: there may be more calls (known_calls.h); is_jump: some were tail calls
	 * (R15) */
	uint64_t calls : 62, are_least : 1, is_jump : 1;
	double elapsed_inclusive, elapsed_exclusive; /* ns */
	double application_inclusive, application_exclusive;
	/* inclusive; preempted: part of off_cpu in which others had the processor */
	double off_cpu, preempted;
};

/* Nodes above the paths of a thread. */
enum paths_by { PATHS_BY_NOTHING, PATHS_BY_THREAD, PATHS_BY_THREAD_NAME };

struct paths {
	struct path *list;
	size_t n, size;
	size_t n_threads;	/* that have been added */
	struct int_map numbers; /* (parent, entity) -> number - 1 */
	/* no rows will be made: data need not be kept for the second reading */
	int read_once;
	/* a glob: paths begin at functions of that name, and are merged; NULL: all begin at the
	 * threads' roots */
	const char *root;
	enum paths_by by;
	uint8_t *is_root; /* by entity: 0 not checked, 1 no, 2 yes */
	size_t n_is_root;
	/* row of each path; PATH_NONE: not shown. NULL until paths_choose() */
	uint32_t *row_of;
	size_t n_folded; /* paths in the row of another path */
	size_t n_lines;	 /* rows that hold several paths */
	size_t n_tops;	 /* hidden paths whose caller is shown */
};

/* Options for the paths to show. */
struct paths_choice {
	double min_percent; /* least share of the session's elapsed time */
	uint64_t depth;
	uint64_t limit; /* the number of paths with most time to show; 0: all */
	double fold_percent;
	size_t fold_length; /* chains of at least this many paths become one line; 0: none */
	/* fold_length of a sampled session, whose paths have every function on the stack; 0: as
	 * others */
	size_t fold_length_sampled;
	/* by path: shown if its caller is, however little time it has; NULL: none */
	const uint8_t *kept;
};

/* Adds the tree of a thread; after paths_choose(), its values to the rows. */
void paths_add_thread(const struct addition *addition);
/* Makes profile->rows for the paths to show, linked as a tree, without values: adding the same data
 * again adds these. A second choice replaces the first one. Returns the number of paths left out;
 * *hidden: their exclusive time, ns. */
size_t paths_choose(struct profile *profile, const struct paths_choice *choice, long double *hidden);
/* Returns the share of the time, in percent, below which paths must be hidden so that at most
 * `most` are left; 0: there are no more than that. */
double paths_least_percent(const struct profile *profile, size_t most);
/* After the second reading, adds the operating system's events of each row to those of its
 * caller. */
void paths_finish(struct profile *profile);
void paths_release(struct paths *paths);

#endif
