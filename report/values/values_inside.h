/* SPDX-License-Identifier: GPL-3.0-or-later */
/* values_inside.h - how the values of a thread's nodes are kept; for values.c and extremes.c. */
#ifndef REPORT_VALUES_INSIDE_H
#define REPORT_VALUES_INSIDE_H

#include "lib/share.h"
#include "values.h"

/* Of a node that has called something. */
struct inner {
	uint64_t events;	       /* of what its activations called */
	uint64_t application_overhead; /* inclusive */
};

/*
 * Of a node that has called nothing both values follow from its cell. Of the others the inclusive
 * ones are kept, in the order of the nodes: `inner` says which these are, 64 in a word, and
 * `before` how many there are before a word's.
 */
struct values {
	const struct data *data;
	const struct data_thread *thread;
	struct counting counting;
	struct overheads overheads;
	uint64_t *inner;
	uint32_t *before;
	struct ticks *inclusive;
	struct inner *more;    /* in the same order */
	struct node_values at; /* of at_node */
	size_t at_node;
	/* Of own_node, not widened, as they were found last. */
	struct ticks own;
	struct overhead own_overhead;
	uint64_t own_application_overhead;
	size_t own_node;
};

/* A node's exclusive values, not widened yet: in values->own and beside it. */
void values_own(struct values *values, size_t node);

static inline int is_inner(const struct values *values, size_t node)
{
	return values->thread->nodes[node].last != node;
}

static inline size_t number_of(const struct values *values, size_t node)
{
	uint64_t below = values->inner[node / 64] & ((UINT64_C(1) << node % 64) - 1);

	return values->before[node / 64] + (uint32_t)__builtin_popcountll(below);
}

static inline struct ticks *inclusive_of(const struct values *values, size_t node)
{
	return &values->inclusive[number_of(values, node)];
}

static inline struct inner *inner_of(const struct values *values, size_t node)
{
	return &values->more[number_of(values, node)];
}

static inline uint64_t less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What probes cost of one kind of a node's time, and that time with it. */
struct cost_share {
	uint64_t overhead, raw, calls;
	int is_leaf;
};

/*
 * An activation's ticks less the mean overhead of one; where it has calls of its own, and so more
 * of them the longer it takes, at most its share by time: else nothing would be left of the short
 * ones.
 */
static inline uint64_t of_one(uint64_t ticks, const struct cost_share *cost)
{
	uint64_t mean = cost->calls ? cost->overhead / cost->calls : 0;
	uint64_t part = cost->is_leaf ? mean : share(ticks, cost->overhead, cost->raw);

	return less(ticks, least(part, mean));
}

#endif
