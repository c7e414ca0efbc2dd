/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hot_path.h - the most expensive callee at each level, starting at the root with the most work
 * (semantics, "Summary and advice").
 *
 * Recursion is one level: a function that is already on the path is not entered again, whatever
 * lies between. Time in which a thread waits for others of the session (joins, condition variables)
 * does not count, so that the path leads to the work, unless there is hardly any.
 */
#ifndef REPORT_ROWS_HOT_PATH_H
#define REPORT_ROWS_HOT_PATH_H

#include <stddef.h>
#include <stdint.h>

struct profile;

/* The path ends where no callee has this share of its caller's time, in percent. */
#define HOT_PATH_PERCENT 50

struct hot_level {
	uint32_t entity;
	uint64_t calls;
	int are_calls_least; /* there may be more calls */
	int is_recursive;
	double inclusive, exclusive; /* elapsed, ns */
};

struct hot_path {
	struct hot_level *list;
	size_t n;
	int skips_waits; /* another path has more time, in which it waits for others */
};

/* Makes the hot path of a profile BY_PATH that has been read. */
void hot_path_make(struct hot_path *hot, const struct profile *profile);
void hot_path_release(struct hot_path *hot);
/* Marks the rows of the tree that are on the hot path, one at each level. */
void hot_path_mark(struct profile *profile);

/* Whether a function only waits until another thread or process has done something. Locks are not
 * among these, as their waits deserve attention. */
int waits_for_others(const char *name);
/* Whether a function only waits until another process has done something. */
int waits_for_processes(const char *name);
/* Whether a function waits until others want something, as servers do. */
int waits_for_events(const char *name);
/* Whether a function waits for a signal, as a thread does that has no other task. */
int waits_for_signals(const char *name);

#endif
