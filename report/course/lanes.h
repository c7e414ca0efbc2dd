/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lanes.h - the calls of a timeline in bounded memory. Each depth of each thread is a lane. Calls
 * as long as the cell are kept one by one. Shorter ones that begin in the same cell of time, with
 * no longer one in between, are one item: how many they are, from when to when, and the longest of
 * them. While there are more items than wished, cells become twice as long, and items are joined:
 * the result is the same as if that length had been known from the start.
 */
#ifndef REPORT_COURSE_LANES_H
#define REPORT_COURSE_LANES_H

#include <stddef.h>
#include <stdint.h>

/* What is known of a call beside its begin. */
enum lane_flags {
	LANE_IS_OPEN = 1,    /* it had not returned when the recording ended */
	LANE_WAS_RUNNING = 2 /* its begin was not recorded */
};

#define LANE_NOT_KNOWN UINT64_MAX

/* Deeper calls are only counted. */
#define LANES_DEEPEST 10000

struct lane_call {
	uint64_t begin, end; /* ns since the session's begin */
	uint64_t duration;   /* ns, without the recording's own work; LANE_NOT_KNOWN */
	uint32_t function, site, flags;
};

struct lane_item {
	uint64_t begin, end; /* of the first, of the last */
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
	uint64_t calls, too_deep; /* in the lanes, and not */
	size_t n_items, most;
	struct lane **threads; /* by thread, then by depth */
	size_t *depths;	       /* of each thread: its lanes */
	size_t n_threads;
	uint64_t end; /* of all calls */
};

/* No more than `most` items, as far as there are no more lanes than these. */
void lanes_init(struct lanes *lanes, size_t most);
/* A call that is over: of each lane in the order of time. */
void lanes_add(struct lanes *lanes, size_t thread, size_t depth, const struct lane_call *call);
/* Joins on until there are no more than so many. */
void lanes_reduce(struct lanes *lanes, size_t most);
void lanes_release(struct lanes *lanes);

static inline uint64_t lane_call_length(const struct lane_call *call)
{
	return call->end - call->begin;
}

#endif
