/* SPDX-License-Identifier: GPL-3.0-or-later */
/* values_inside.h - storage of the values of a thread's nodes; for values.c and extremes.c only. */
#ifndef REPORT_VALUES_INSIDE_H
#define REPORT_VALUES_INSIDE_H

#include "lib/share.h"
#include "values.h"

/* Sums of a node that has callees. */
struct inner {
	uint64_t events;	       /* in the calls below it */
	uint64_t application_overhead; /* overhead within application time, inclusive */
};

/* Both values of a node without callees follow from its cell. Of the other nodes the inclusive
 * values are stored, in the order of nodes: `inner` has a bit for each node, 64 in a word, and
 * `before` counts the bits set before each word. */
struct values {
	const struct data *data;
	const struct data_thread *thread;
	struct counting counting;
	struct overheads overheads;
	uint64_t *inner;
	uint32_t *before;
	struct ticks *inclusive;
	struct inner *more;    /* in the order of `inclusive` */
	struct node_values at; /* values of at_node */
	size_t at_node;
	/* Values of own_node as computed last, not widened. */
	struct ticks own;
	struct overhead own_overhead;
	uint64_t own_application_overhead;
	size_t own_node;
};

/* Computes a node's exclusive values, not widened yet, into values->own and the members after
 * it. */
void values_own(struct values *values, size_t node);

static inline int value_is_inner(const struct values *values, size_t node)
{
	return values->thread->nodes[node].last != node;
}

static inline size_t value_number_of(const struct values *values, size_t node)
{
	uint64_t below = values->inner[node / 64] & ((UINT64_C(1) << node % 64) - 1);

	return values->before[node / 64] + (uint32_t)__builtin_popcountll(below);
}

static inline struct ticks *value_inclusive_of(const struct values *values, size_t node)
{
	return &values->inclusive[value_number_of(values, node)];
}

static inline struct inner *value_inner_of(const struct values *values, size_t node)
{
	return &values->more[value_number_of(values, node)];
}

static inline uint64_t value_less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

static inline uint64_t value_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Overhead within one kind of a node's time, and that time including it. */
struct cost_share {
	uint64_t overhead, raw, calls;
	int is_leaf;
};

/* Returns an activation's ticks less the mean overhead of an activation. If the node has callees,
 * so that longer activations have more calls, subtracts at most a share in proportion to time:
 * otherwise nothing would remain of short activations. */
static inline uint64_t value_of_one(uint64_t ticks, const struct cost_share *cost)
{
	uint64_t mean = cost->calls ? cost->overhead / cost->calls : 0;
	uint64_t part = cost->is_leaf ? mean : share(ticks, cost->overhead, cost->raw);

	return value_less(ticks, value_least(part, mean));
}

#endif
