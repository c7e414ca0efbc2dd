/* SPDX-License-Identifier: GPL-3.0-or-later */
/* os_counts.h - counts of operating system events by kind (semantics R11): of a cell, and summed
 * over a tree into rows: exclusive for the row of the interval, inclusive once for each row on the
 * path to it (R6). Few cells have such events, so nothing is stored for the nodes of a tree. */
#ifndef REPORT_OS_COUNTS_H
#define REPORT_OS_COUNTS_H

#include "file/data.h"
#include "lib/util.h"

/* Kinds of events, in the order of include/cinstr/os_events.h. */
enum os_kind {
#define OS_KIND(x, id, ...) OS_##id,
	CINSTR_OS_EVENTS(OS_KIND, )
#undef OS_KIND
		OS_KINDS,
};

/* The unit in which events of a kind are counted. */
enum os_counted {
	OS_SWITCHES,
	OS_INTERVALS, /* intervals with at least one */
	/* calls of wrappers of system calls, plus intervals with a system call after other calls */
	OS_CALLS,
};

struct os_kind_info {
	uint32_t bit;	  /* enum cinstr_os_bit */
	const char *word; /* value of --os-events */
	enum os_counted counted;
};
extern const struct os_kind_info os_kind_infos[OS_KINDS];
/* Appends the words of the events in `mask`, in the order of their bits, or "none". */
void os_events_put(struct strbuf *buf, uint32_t mask, const char *separator);

struct os_tally {
	uint64_t of[OS_KINDS];
	struct moved_sums moved[CINSTR_AMOUNT_KINDS]; /* file/moved.h */
};

/* Counts of a row. */
struct os_counts {
	struct os_tally inclusive, exclusive;
	/* memory that the row's own calls have allocated, and what is held of it: the allocators'
	 * exclusive sums have it */
	struct moved_sums own, held;
	/* functions that were only counted allocate, too: whether this row has called them is not
	 * known */
	int is_least;
	/* includes calls beyond the budget of paths, whose callees are not known */
	int is_partial;
};

/* Counts the events, and the bytes moved, of a cell of the thread. Returns 0, and does not set
 * *tally, if it has none. */
int os_tally_of(struct os_tally *tally, const struct data *data, const struct data_thread *thread,
		const struct cinstr_cell *cell);
/* Counts the events in the parent's intervals that began with the return of this cell's calls: a
 * part of the counts of the parent's cell. Returns 0 if there are none. */
int os_tally_after(struct os_tally *tally, const struct data *data, const struct cinstr_cell *cell);
/* Adds what a call of the row's own has allocated, and what is held of it. */
void os_add_own(struct os_counts *to, const struct os_tally *from);
void os_tally_subtract(struct os_tally *from, const struct os_tally *what);
void os_tally_add(struct os_tally *to, const struct os_tally *from);

/* The distinct rows on the path from a tree's root to the current node. */
struct os_path {
	uint32_t *openers; /* nodes that put their row on the path */
	size_t n, size;
	uint32_t *seen; /* by row: the last round in which it was passed to give() */
	uint32_t round;
};

void os_path_init(struct os_path *path, size_t n_rows);
void os_path_enter(struct os_path *path, uint32_t node);
void os_path_leave(struct os_path *path, uint32_t node);
/* Calls give(arg, row) once for each row on the path: rows[node] of every opener, if on_path[row]
 * is not 0. */
void os_path_each(struct os_path *path, const uint32_t *rows, const uint32_t *on_path,
		  void (*give)(void *arg, uint32_t row), void *arg);
void os_path_release(struct os_path *path);

#endif
