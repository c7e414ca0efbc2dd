/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * overhead.c - see overhead.h.
 *
 * An interval costs what an empty one of its kind measures. Each call begins one interval inside
 * the callee and one in its caller, so a node's overhead is a sum over the calls of itself and of
 * its children. Clamping every single interval at zero would keep the measuring noise above the
 * mean and drop that below it: short functions would come out too long. So the sums are compared,
 * once per function: where more would be subtracted from a path than was measured on it, on the
 * processor, the rest is subtracted on the function's other paths.
 */
#include "overhead.h"

#include <stdlib.h>
#include <string.h>

#include "file/cell_details.h"
#include "lib/search.h"
#include "lib/share.h"
#include "lib/util.h"

#define COST_UNIT 1024		/* costs are in 1/1024 ticks */
#define KEPT_NODES_MOST 4000000 /* of 32 bytes; of more each is summed when it is needed */

/* Saturating: counts come from a file. */
static void add_cost(uint64_t *sum, uint64_t calls, uint64_t cost)
{
	uint64_t product;

	if (__builtin_mul_overflow(calls, cost, &product) || __builtin_add_overflow(*sum, product, sum))
		*sum = UINT64_MAX;
}

uint64_t overhead_late(const struct overhead_costs *costs, uint64_t n)
{
	uint64_t sum = 0;

	add_cost(&sum, n, costs->late);
	return sum / COST_UNIT;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Of a call of a cell, by its kind: the kind of the interval that it begins in itself, and of that
 * in its parent; -1: none. Without and with a call site. */
struct begun {
	signed char own, parent;
};
static const struct begun begun[CINSTR_CELL_KIND(~0u) + 1][2] = {
#define BOTH \
	{ -1, -1 }, \
	{ \
		-1, -1 \
	}
	[CINSTR_CELL_FREE] = { BOTH },
	[CINSTR_CELL_ROOT] = { BOTH },
	[CINSTR_CELL_BUCKET] = { BOTH },
	[CINSTR_CELL_DETAIL] = { BOTH },
	[CINSTR_CELL_MORE] = { BOTH },
	[CINSTR_CELL_COUNTS] = { BOTH },
	[CINSTR_CELL_DIRTY] = { BOTH },
	[14] = { BOTH },
	[15] = { BOTH },
#undef BOTH
	[CINSTR_CELL_FRAME] = { { CINSTR_COST_ENTER, CINSTR_COST_EXIT },
				{ CINSTR_COST_CALL, CINSTR_COST_RETURN } },
	[CINSTR_CELL_FLAT_FRAME] = { { CINSTR_COST_CALL, -1 }, { CINSTR_COST_CALL, -1 } },
	[CINSTR_CELL_MERGED] = { { CINSTR_COST_CALL, -1 }, { CINSTR_COST_CALL, -1 } },
	[CINSTR_CELL_FLAT_CALL] = { { CINSTR_COST_BEFORE, -1 }, { CINSTR_COST_BEFORE, -1 } },
	[CINSTR_CELL_CALL] = { { CINSTR_COST_BEFORE, CINSTR_COST_AFTER },
			       { CINSTR_COST_BEFORE, CINSTR_COST_AFTER } },
	[CINSTR_CELL_INDIRECT] = { { CINSTR_COST_BEFORE, CINSTR_COST_AFTER },
				   { CINSTR_COST_BEFORE, CINSTR_COST_AFTER } },
	[CINSTR_CELL_LINE] = { { CINSTR_COST_LINE, -1 }, { CINSTR_COST_LINE, -1 } },
};

static inline int own_kind(const struct cinstr_cell *cell)
{
	return begun[CINSTR_CELL_KIND(cell->tag)][cell->site != 0].own;
}

/* A tail call stands in its caller's place: the one return of the two is the caller's already. */
static inline int parent_kind(const struct cinstr_cell *cell)
{
	if (cell->site && CINSTR_CODE_KIND(cell->site) == CINSTR_EV_TAIL)
		return -1;
	return begun[CINSTR_CELL_KIND(cell->tag)][cell->site != 0].parent;
}

/* While it is summed up, an overhead is in 1/1024 ticks. */
static void add_intervals(struct overhead *sum, uint64_t n, const struct overhead_costs *costs, int kind)
{
	if (kind < 0)
		return;
	for (int estimate = 0; estimate < OVERHEAD_ESTIMATES; estimate++)
		add_cost(&sum->of[estimate], n, costs->of[estimate][kind]);
	add_cost(&sum->intervals, n, 1);
}

static uint64_t to_ticks(uint64_t sum)
{
	return sum / COST_UNIT + (sum % COST_UNIT >= COST_UNIT / 2);
}

static void all_to_ticks(struct overhead *overhead)
{
	for (int i = 0; i < OVERHEAD_ESTIMATES; i++)
		overhead->of[i] = to_ticks(overhead->of[i]);
}

static void overhead_add(struct overhead *sum, const struct overhead *one)
{
	for (int estimate = 0; estimate < OVERHEAD_ESTIMATES; estimate++)
		add_cost(&sum->of[estimate], 1, one->of[estimate]);
	add_cost(&sum->intervals, 1, one->intervals);
}

static void put_in_order(struct overhead *overhead, uint64_t raw)
{
	uint64_t *of = overhead->of;

	of[OVERHEAD_MEAN] = of[OVERHEAD_MEAN] < raw ? of[OVERHEAD_MEAN] : raw;
	of[OVERHEAD_HIGH] = of[OVERHEAD_HIGH] < raw ? of[OVERHEAD_HIGH] : raw;
	if (of[OVERHEAD_LOW] > of[OVERHEAD_MEAN])
		of[OVERHEAD_LOW] = of[OVERHEAD_MEAN];
	if (of[OVERHEAD_HIGH] < of[OVERHEAD_MEAN])
		of[OVERHEAD_HIGH] = of[OVERHEAD_MEAN];
}

struct overhead overhead_of_flat(const struct overhead_costs *costs, const struct cinstr_cell *cell,
				 uint64_t made)
{
	struct overhead overhead = { 0 };

	add_intervals(&overhead, cell->calls, costs, own_kind(cell));
	add_intervals(&overhead, made, costs, CINSTR_COST_RETURN);
	all_to_ticks(&overhead);
	put_in_order(&overhead, cell->ticks);
	return overhead;
}

static int is_merged(const struct cinstr_cell *cell)
{
	return CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_MERGED;
}

/* Returns the calls of a MERGED cell that were made in there: they return into it, the others into
 * its parent. */
static uint64_t returns_within(const struct cinstr_cell *cell)
{
	return cell->flat_calls < cell->calls ? cell->flat_calls : cell->calls;
}

static uint64_t returns_behind(const struct cinstr_cell *cell)
{
	return cell->calls - returns_within(cell);
}

static uint64_t mean_of(const struct overhead_costs *costs, const struct cinstr_cell *cell, int kind)
{
	uint64_t sum = 0;

	if (kind >= 0)
		add_cost(&sum, cell->calls, costs->of[OVERHEAD_MEAN][kind]);
	return to_ticks(sum);
}

uint64_t overhead_within(const struct overhead_costs *costs, const struct cinstr_cell *cell)
{
	return mean_of(costs, cell, own_kind(cell));
}

uint64_t overhead_behind(const struct overhead_costs *costs, const struct cinstr_cell *cell)
{
	uint64_t sum = 0;

	if (!is_merged(cell))
		return mean_of(costs, cell, parent_kind(cell));
	add_cost(&sum, returns_behind(cell), costs->of[OVERHEAD_MEAN][CINSTR_COST_RETURN]);
	return to_ticks(sum);
}

uint64_t overhead_events(const struct cinstr_cell *cell)
{
	uint64_t sum = 0;
	unsigned each;

	switch (CINSTR_CELL_KIND(cell->tag)) {
	case CINSTR_CELL_FRAME:
		each = cell->site && CINSTR_CODE_KIND(cell->site) != CINSTR_EV_TAIL ? 4 : 2;
		break;
	case CINSTR_CELL_MERGED: /* functions with probes and others */
		each = 3;
		break;
	case CINSTR_CELL_CALL:
	case CINSTR_CELL_INDIRECT:
		each = 2;
		break;
	case CINSTR_CELL_LINE:
		each = 1;
		break;
	default:
		return 0;
	}
	add_cost(&sum, cell->calls, each);
	return sum;
}

uint64_t overhead_own_events(const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);
	uint64_t sum = 0;

	if (kind == CINSTR_CELL_FRAME)
		add_cost(&sum, cell->calls, 2);
	else if (kind == CINSTR_CELL_CALL || kind == CINSTR_CELL_INDIRECT || kind == CINSTR_CELL_LINE)
		sum = cell->calls;
	return sum;
}

uint64_t overhead_of_events(const struct overhead_costs *costs, uint64_t n)
{
	const uint64_t *mean = costs->of[OVERHEAD_MEAN];
	uint64_t sum = 0;

	add_cost(&sum, n, (mean[CINSTR_COST_CALL] + mean[CINSTR_COST_RETURN]) / 4);
	return sum / COST_UNIT;
}

/* ---- a function's paths ---------------------------------------------------------------------- */

/* Of a function of which some path has measured less than its overhead. */
struct pool {
	uint64_t key;	 /* 0: free */
	uint64_t excess; /* overhead that is more than what was measured on its path */
	uint64_t slack;	 /* what is left on its other paths */
};

struct pools {
	struct pool *list; /* a hash table, at most half full */
	size_t n, size;
};

/* Of a node that others were taken into, the sum of all. */
struct kept {
	uint32_t node;
	struct overhead overhead;
};

/* In one piece of memory, with what pools.list points to. */
struct overheads_kept {
	struct pools pools;
	size_t n;
	struct kept list[]; /* by node */
};

static const struct overhead *kept_of(const struct overheads_kept *kept, size_t node)
{
	size_t i;

	SEARCH(i, kept ? kept->n : 0, kept->list[i].node >= node);
	return kept && i < kept->n && kept->list[i].node == node ? &kept->list[i].overhead : NULL;
}

static uint64_t key_of(const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	if (kind == CINSTR_CELL_FRAME)
		return cell->func;
	if (kind == CINSTR_CELL_MERGED)
		return UINT64_MAX; /* all of them share */
	return cell->site ? (uint64_t)cell->site << 32 | cell->func : 0;
}

/* The key's place, or the free one where it belongs. */
static struct pool *pool_at(const struct pools *pools, uint64_t key)
{
	size_t at = (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (pools->size - 1);

	while (pools->list[at].key && pools->list[at].key != key)
		at = (at + 1) & (pools->size - 1);
	return &pools->list[at];
}

static void pools_grow(struct pools *pools)
{
	struct pools grown = { .n = pools->n, .size = pools->size ? 2 * pools->size : 64 };

	grown.list = xcalloc(grown.size, sizeof(*grown.list));
	for (size_t i = 0; i < pools->size; i++)
		if (pools->list[i].key)
			*pool_at(&grown, pools->list[i].key) = pools->list[i];
	free(pools->list);
	*pools = grown;
}

static void pools_add(struct pools *pools, uint64_t key, uint64_t excess)
{
	struct pool *pool;

	if (2 * (pools->n + 1) > pools->size)
		pools_grow(pools);
	pool = pool_at(pools, key);
	pools->n += !pool->key;
	pool->key = key;
	add_cost(&pool->excess, 1, excess);
}

/* The pool of a node that has something left of its `room`; NULL: none is needed. */
static struct pool *pool_of(const struct pools *pools, const struct cinstr_cell *cell,
			    const struct overhead *overhead, uint64_t room)
{
	uint64_t key = key_of(cell);
	struct pool *pool;

	if (!key || overhead->of[OVERHEAD_MEAN] >= room)
		return NULL;
	pool = pool_at(pools, key);
	return pool->key ? pool : NULL;
}

/* ---- nodes of a thread ----------------------------------------------------------------------- */

/* How often a node's calls, and those of what it called, have begun each kind of interval in it. */
static void count_kinds(const struct data_thread *thread, size_t node, uint64_t n[CINSTR_COST_KINDS])
{
	const struct data_node *nodes = thread->nodes;
	const struct cinstr_cell *cell = nodes[node].cell;
	int own = own_kind(cell);

	if (own >= 0)
		n[own] = cell->calls;
	if (is_merged(cell))
		add_cost(&n[CINSTR_COST_RETURN], returns_within(cell), 1);
	for (size_t i = node + 1; i <= nodes[node].last;
	     i = thread->mixed ? mixed_next_called(thread, i) : nodes[i].last + 1) {
		int parent = parent_kind(nodes[i].cell);

		if (parent >= 0)
			add_cost(&n[parent], nodes[i].cell->calls, 1);
		if (is_merged(nodes[i].cell))
			add_cost(&n[CINSTR_COST_RETURN], returns_behind(nodes[i].cell), 1);
	}
}

/* All nodes at once. */
static struct overhead *all_by_calls(const struct overheads *overheads)
{
	const struct data_thread *thread = overheads->thread;
	struct overhead *all = xcalloc(thread->n_nodes, sizeof(*all));

	for (size_t i = 0; i < thread->n_nodes; i++) {
		const struct cinstr_cell *cell = thread->nodes[i].cell;

		add_intervals(&all[i], cell->calls, &overheads->costs, own_kind(cell));
		if (i)
			add_intervals(&all[thread->nodes[i].parent], cell->calls, &overheads->costs,
				      parent_kind(cell));
		if (!is_merged(cell))
			continue;
		add_intervals(&all[i], returns_within(cell), &overheads->costs, CINSTR_COST_RETURN);
		add_intervals(&all[thread->nodes[i].parent], returns_behind(cell), &overheads->costs,
			      CINSTR_COST_RETURN);
	}
	for (size_t i = 0; i < thread->n_nodes; i++)
		all_to_ticks(&all[i]);
	return all;
}

static struct overhead counted_by_calls(const struct overheads *overheads, size_t node)
{
	struct overhead overhead = { 0 };
	uint64_t n[CINSTR_COST_KINDS] = { 0 };

	if (overheads->by_calls)
		return overheads->by_calls[node];
	if (overheads->thread->cells || mixed_is_estimate(overheads->thread, node)) /* no probes */
		return overhead;
	count_kinds(overheads->thread, node, n);
	for (int kind = 0; kind < CINSTR_COST_KINDS; kind++)
		if (n[kind])
			add_intervals(&overhead, n[kind], &overheads->costs, kind);
	all_to_ticks(&overhead);
	return overhead;
}

/*
 * Returns a node's overhead. A MERGED node has calls of several kinds together; FLAT cells have
 * each of its own kind. So MERGED nodes get, as a whole, what the FLAT cells have: rows by function
 * add up to the tree.
 */
static struct overhead by_calls(const struct overheads *overheads, size_t node)
{
	struct overhead overhead = counted_by_calls(overheads, node);

	if (overheads->thread->n_flat && is_merged(overheads->thread->nodes[node].cell))
		for (int i = 0; i < OVERHEAD_ESTIMATES; i++)
			overhead.of[i] =
				share(overhead.of[i], overheads->flat.of[i], overheads->beyond.of[i]);
	return overhead;
}

static void sum_beyond(struct overheads *overheads)
{
	const struct data_thread *thread = overheads->thread;
	struct overhead one;

	for (size_t i = 0; i < thread->n_flat; i++) {
		one = overhead_of_flat(&overheads->costs, thread->flat[i], thread->flat[i]->flat_calls);
		overhead_add(&overheads->flat, &one);
	}
	for (size_t i = 0; thread->n_flat && i < thread->n_nodes; i++) {
		if (!is_merged(thread->nodes[i].cell))
			continue;
		one = counted_by_calls(overheads, i);
		overhead_add(&overheads->beyond, &one);
	}
}

/* Returns the most that can be overhead in a cell: probes run on the processor, so it is what was
 * measured there, without the time off it. */
static uint64_t room_of(const struct data *data, const struct cinstr_cell *cell)
{
	uint64_t off = 0;

	for (uint32_t i = cell->detail ? details_buckets(data->memory, cell) : 0; i;) {
		const struct cinstr_bucket *bucket =
			(const void *)(data->memory + (uint64_t)i * sizeof(struct cinstr_cell));

		off += bucket->off_cpu_ticks;
		i = bucket->next;
	}
	return off < cell->ticks ? cell->ticks - off : 0;
}

/* What is too much on one path is subtracted on the function's others, in the proportion of what
 * they have left. */
static void even_out(struct overheads *overheads)
{
	const struct data_thread *thread = overheads->thread;
	struct pools *pools = overheads->pools;

	for (size_t i = 0; i < thread->n_nodes; i++) {
		const struct cinstr_cell *cell = thread->nodes[i].cell;
		uint64_t mean = by_calls(overheads, i).of[OVERHEAD_MEAN];
		uint64_t room;

		room = mean && key_of(cell) && !mixed_short(thread, i) ? room_of(overheads->data, cell)
								       : UINT64_MAX;
		if (mean > room)
			pools_add(pools, key_of(cell), mean - room);
	}
	for (size_t i = 0; pools->n && i < thread->n_nodes; i++) {
		const struct cinstr_cell *cell = thread->nodes[i].cell;
		struct overhead overhead = by_calls(overheads, i);
		uint64_t room = overhead.intervals ? room_of(overheads->data, cell) : cell->ticks;
		struct pool *pool = mixed_is_estimate(thread, i) || mixed_short(thread, i)
					    ? NULL
					    : pool_of(pools, cell, &overhead, room);

		if (pool)
			add_cost(&pool->slack, 1, room - overhead.of[OVERHEAD_MEAN]);
	}
}

/* With its part of what is too much on other paths, and no more than was measured. */
static void evened_out(const struct pools *pools, const struct cinstr_cell *cell, uint64_t room,
		       struct overhead *overhead)
{
	uint64_t *mean = &overhead->of[OVERHEAD_MEAN];
	const struct pool *pool = pools->n ? pool_of(pools, cell, overhead, room) : NULL;

	if (pool)
		*mean += (uint64_t)((unsigned __int128)(room - *mean) *
				    (pool->excess < pool->slack ? pool->excess : pool->slack) / pool->slack);
	put_in_order(overhead, room);
}

struct overhead overhead_of_merged(const struct merged *merged, const struct cinstr_cell *cell)
{
	const struct merged_item *item = merged_head_of(merged, cell);
	struct overhead overhead = { 0 };

	if (!item)
		return overhead;
	for (int estimate = 0; estimate < OVERHEAD_ESTIMATES; estimate++)
		overhead.of[estimate] = merged_ticks(merged, item->overhead[estimate]);
	overhead.intervals = item->intervals;
	put_in_order(&overhead, cell->ticks);
	return overhead;
}

struct overhead overheads_of(const struct overheads *overheads, size_t node)
{
	const struct overhead *kept = kept_of(overheads->thread->overheads, node);
	const struct cinstr_cell *cell = overheads->thread->nodes[node].cell;
	const struct mixed_cell *about;
	struct overhead overhead;

	if (kept)
		return *kept;
	if (overheads->thread->merged)
		return overhead_of_merged(overheads->thread->merged, cell);
	overhead = by_calls(overheads, node);
	about = mixed_short(overheads->thread, node);
	if (about)
		return (struct overhead){ { about->probes, about->probes, about->probes },
					  overhead.intervals };
	if (overhead.intervals && !mixed_is_estimate(overheads->thread, node))
		evened_out(overheads->pools, cell, room_of(overheads->data, cell), &overhead);
	return overhead;
}

/* By the mean of all: each process was measured by its own. */
static uint64_t late_of_merged(const struct merged *merged)
{
	const struct merged_totals *t = &merged->totals;

	return t->intervals ? merged_ticks(merged, t->late * COST_UNIT / t->intervals) : 0;
}

void overheads_init(struct overheads *overheads, const struct data *data, const struct data_thread *thread)
{
	*overheads = (struct overheads){ .data = data, .thread = thread };
	overhead_costs(&overheads->costs, &data->header->calibration);
	if (thread->merged)
		overheads->costs.late = late_of_merged(thread->merged);
	else if (thread->n_nodes < KEPT_NODES_MOST && !thread->cells && !thread->mixed)
		overheads->by_calls = all_by_calls(overheads);
	if (!thread->merged)
		sum_beyond(overheads);
	if (thread->overheads) {
		overheads->pools = &thread->overheads->pools;
		return;
	}
	overheads->pools = xcalloc(1, sizeof(*overheads->pools));
	if (!thread->merged)
		even_out(overheads);
}

void overheads_release(struct overheads *overheads)
{
	free(overheads->by_calls);
	if (overheads->thread->overheads)
		return;
	free(overheads->pools->list);
	free(overheads->pools);
}

/* ---- nodes that others are taken into -------------------------------------------------------- */

/* entry[i]: 1 and up, in order, for nodes that take others in; 0 for the rest. */
static uint32_t *entries_of(size_t n_nodes, const uint32_t *keeper, size_t *n)
{
	uint32_t *entry = xcalloc(n_nodes, sizeof(*entry));

	for (size_t i = 0; i < n_nodes; i++)
		if (keeper[i] != i)
			entry[keeper[i]] = 1;
	*n = 0;
	for (size_t i = 0; i < n_nodes; i++)
		if (entry[i])
			entry[i] = (uint32_t)++ * n;
	return entry;
}

static struct overheads_kept *kept_make(size_t n, const struct pools *pools)
{
	struct overheads_kept *kept =
		xcalloc(1, sizeof(*kept) + n * sizeof(*kept->list) + pools->size * sizeof(*pools->list));

	kept->n = n;
	kept->pools = *pools;
	kept->pools.list = (struct pool *)(kept->list + n);
	if (pools->size)
		memcpy(kept->pools.list, pools->list, pools->size * sizeof(*pools->list));
	return kept;
}

struct overheads_kept *overheads_keep(const struct data *data, const struct data_thread *thread,
				      const uint32_t *keeper, const uint32_t *number)
{
	struct overheads overheads;
	struct overheads_kept *kept;
	size_t n;
	FREED uint32_t *entry = entries_of(thread->n_nodes, keeper, &n);

	if (!n) {
		return NULL;
	}
	overheads_init(&overheads, data, thread);
	kept = kept_make(n, overheads.pools);
	for (size_t i = 0; i < thread->n_nodes; i++) {
		struct kept *sum = entry[keeper[i]] ? &kept->list[entry[keeper[i]] - 1] : NULL;
		struct overhead one;

		if (!sum)
			continue;
		one = overheads_of(&overheads, i);
		overhead_add(&sum->overhead, &one);
		sum->node = number[keeper[i]];
	}
	overheads_release(&overheads);
	return kept;
}
