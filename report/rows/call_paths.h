/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * call_paths.h - the call paths of a session, those of all threads and processes merged from their
 * roots on (cinstr tree).
 *
 * There can be many millions, so they are read twice. The first time every path gets an entry of 32
 * bytes, by which is chosen what to show; the second time what is shown gets rows (struct row), as
 * in every other view. A row stands for one path, or for several that were folded into one line.
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
/* A chain of calls is one line when each has this share of its caller's time. */
#define PATHS_FOLD_PERCENT 95.0

/* Paths are numbered in order of creation, so parents have lower numbers; 0 stands for the roots of
 * all threads. */
struct path {
	uint32_t parent, entity;
	/* are_least: there may be more (known_calls.h); is_jump: some were tail calls (R15) */
	uint64_t calls : 62, are_least : 1, is_jump : 1;
	double elapsed_inclusive, elapsed_exclusive; /* ns */
	double application_inclusive, application_exclusive;
	double off_cpu, preempted; /* inclusive; preempted: of off_cpu, others had the processor */
};

/* What stands above the paths of a thread. */
enum paths_by { PATHS_BY_NOTHING, PATHS_BY_THREAD, PATHS_BY_THREAD_NAME };

struct paths {
	struct path *list;
	size_t n, size;
	struct int_map numbers; /* (parent, entity) -> number - 1 */
	int read_once;		/* no rows will be made of them */
	/* a glob: what is below functions of that name, merged; NULL: everything */
	const char *root;
	enum paths_by by;
	uint8_t *is_root; /* by entity: 0 not looked at, 1 no, 2 yes */
	size_t n_is_root;
	/* of each path: its row; PATH_NONE: not shown. NULL: nothing has been chosen yet */
	uint32_t *row_of;
	size_t n_folded; /* paths that are in another one's row */
	size_t n_lines;	 /* rows that hold several paths */
	size_t n_tops;	 /* hidden paths whose caller is shown */
};

/* What to show. */
struct paths_choice {
	double min_percent; /* of the session's elapsed time */
	uint64_t depth;
	uint64_t limit; /* so many paths, those with most time; 0: all */
	double fold_percent;
	size_t fold_length; /* chains of so many paths become one line; 0: none */
	/* the same of a sampled session, whose paths have every function on the stack; 0: as
	 * others */
	size_t fold_length_sampled;
	/* by path: not hidden, if its caller is not, however little time it has; NULL: none */
	const uint8_t *kept;
};

/* Adds one thread's tree; after paths_choose, its values to the rows. */
void paths_add_thread(const struct addition *addition);
/*
 * Makes profile->rows of what is shown, linked as a tree, without values: adding the same data
 * again gives them theirs. Returns the number of paths left out; *hidden: their exclusive time, ns.
 */
/* A second choice takes the place of the one before. */
size_t paths_choose(struct profile *profile, const struct paths_choice *choice, long double *hidden);
/* The share of the time, in percent, below which paths are to be hidden so that no more than `most`
 * are left; 0: there are not more. */
double paths_least_percent(const struct profile *profile, size_t most);
/* After the second reading: what the operating system did below a path is known of the path. */
void paths_finish(struct profile *profile);
void paths_release(struct paths *paths);

#endif
