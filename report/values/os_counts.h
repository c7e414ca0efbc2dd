/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * os_counts.h - how often the operating system acted, by kind (semantics R11): of a cell, and
 * summed over a tree into rows: exclusive at the row of the interval, inclusive once for each row
 * that is on the path to it (R6). Cells with such events are few, so nothing is stored for the
 * nodes of a tree.
 */
#ifndef REPORT_OS_COUNTS_H
#define REPORT_OS_COUNTS_H

#include "file/data.h"
#include "lib/util.h"

/* In the order of include/cinstr/os_events.h. */
enum os_kind {
#define OS_KIND(x, id, ...) OS_##id,
	CINSTR_OS_EVENTS(OS_KIND, )
#undef OS_KIND
		OS_KINDS,
};

/* How many of it a cell has. */
enum os_counted {
	OS_SWITCHES,
	OS_INTERVALS, /* that had at least one */
	OS_CALLS,     /* of wrappers of system calls; and such intervals behind other calls */
};

struct os_kind_info {
	uint32_t bit;	  /* enum cinstr_os_bit */
	const char *word; /* of --os-events */
	enum os_counted counted;
};
extern const struct os_kind_info os_kind_infos[OS_KINDS];
/* The words of those in the mask, in the order of their bits; or "none". */
void os_events_put(struct strbuf *buf, uint32_t mask, const char *separator);

struct os_tally {
	uint64_t of[OS_KINDS];
};

/* Of a row. */
struct os_counts {
	struct os_tally inclusive, exclusive;
	/* calls beyond the budget of paths are in it: what these called is not known */
	int is_partial;
};

/* What a cell holds; returns 0 if that is nothing. */
int os_tally_of(struct os_tally *tally, const struct data *data, const struct cinstr_cell *cell);
/* The same of the parent's intervals that began with the return of this cell's calls: a part of
 * what the parent's cell holds. */
int os_tally_after(struct os_tally *tally, const struct data *data, const struct cinstr_cell *cell);
void os_tally_subtract(struct os_tally *from, const struct os_tally *what);
void os_tally_add(struct os_tally *to, const struct os_tally *from);

/* The distinct rows on the path from a tree's root to the node at hand. */
struct os_path {
	uint32_t *openers; /* nodes that brought in their row */
	size_t n, size;
	uint32_t *seen; /* by row: the last round it was given something */
	uint32_t round;
};

void os_path_init(struct os_path *path, size_t n_rows);
void os_path_enter(struct os_path *path, uint32_t node);
void os_path_leave(struct os_path *path, uint32_t node);
/*
 * Calls give(arg, row) once for each row that is on the path: rows[node] of the openers of which
 * on_path[row] is not 0.
 */
void os_path_each(struct os_path *path, const uint32_t *rows, const uint32_t *on_path,
		  void (*give)(void *arg, uint32_t row), void *arg);
void os_path_release(struct os_path *path);

#endif
