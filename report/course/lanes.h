/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lanes.h - the calls of a timeline in bounded memory. Each depth of each thread is a lane. Calls
 * at least as long as the cell are kept one by one. Shorter ones that begin in the same cell of
 * time, with no longer one in between, are one item: their number, the time from the first to the
 * last, and the longest. While there are too many items, the cell is doubled and items are joined:
 * the result is the same as if that length had been known from the start.
 */
#ifndef REPORT_COURSE_LANES_H
#define REPORT_COURSE_LANES_H

#include <stddef.h>
#include <stdint.h>

/* Flags of a call. */
enum lane_flags {
	LANE_IS_OPEN = 1,    /* it had not returned when the recording ended */
	LANE_WAS_RUNNING = 2 /* its begin was not recorded */
};

#define LANE_NOT_KNOWN UINT64_MAX

/* Deeper calls are counted only. */
#define LANES_DEEPEST 10000

struct lane_call {
	uint64_t begin, end; /* ns since the session's begin */
	uint64_t duration;   /* ns, without the recording's own work, or LANE_NOT_KNOWN */
	uint32_t function, site, flags;
};

struct lane_item {
	uint64_t begin, end; /* begin of the first, end of the last */
	uint64_t calls;
	uint64_t busy; /* sum of end - begin */
	struct lane_call longest;
};

struct lane {
	struct lane_item *items;
	size_t n, size;
};

struct lanes {
	uint64_t cell;		  /* ns, a power of two */
	uint64_t calls, too_deep; /* calls in the lanes, and those beyond LANES_DEEPEST */
	size_t n_items, most;
	struct lane **threads; /* [n_threads], then by depth */
	size_t *depths;	       /* [n_threads]: number of lanes */
	size_t n_threads;
	uint64_t end; /* end of the last call */
};

/* Initialises lanes for `most` items at most, unless there are more lanes. */
void lanes_init(struct lanes *lanes, size_t most);
/* Adds a finished call; calls of a lane in order of time. */
void lanes_add(struct lanes *lanes, size_t thread, size_t depth, const struct lane_call *call);
/* Joins items until there are `most` at most. */
void lanes_reduce(struct lanes *lanes, size_t most);
void lanes_release(struct lanes *lanes);

static inline uint64_t lane_call_length(const struct lane_call *call)
{
	return call->end - call->begin;
}

#endif
