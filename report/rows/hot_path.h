/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hot_path.h - the most expensive callee at each level, from the thread that works on (semantics,
 * "Summary and advice").
 *
 * Recursion is one level: a function that is on the path already is not gone into again, whatever
 * lies between. What a thread waits for others of the session (joins, condition variables) counts
 * for nothing, so that the path is that of who does the work, unless nobody does any.
 */
#ifndef REPORT_ROWS_HOT_PATH_H
#define REPORT_ROWS_HOT_PATH_H

#include <stddef.h>
#include <stdint.h>

struct profile;

/* A callee has this share of its caller's, or the path ends. */
#define HOT_PATH_PERCENT 50

struct hot_level {
	uint32_t entity;
	uint64_t calls;
	int are_calls_least; /* there may be more */
	int is_recursive;
	double inclusive, exclusive; /* elapsed, ns */
};

struct hot_path {
	struct hot_level *list;
	size_t n;
	int skips_waits; /* another path would have more, of waiting for others */
};

/* Of a profile BY_PATH that was read. */
void hot_path_make(struct hot_path *hot, const struct profile *profile);
void hot_path_release(struct hot_path *hot);
/* Marks the rows of the tree that are on it, one at each level. */
void hot_path_mark(struct profile *profile);

/* Whether a function only waits until another thread, or process, has done something: not locks,
 * whose waits are worth a look. */
int waits_for_others(const char *name);
/* ... a process */
int waits_for_processes(const char *name);
/* Whether it waits until somebody else wants something, as a server does. */
int waits_for_events(const char *name);
/* ... for a signal, as threads do that are for nothing else */
int waits_for_signals(const char *name);

#endif
