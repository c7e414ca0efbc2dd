/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * merged_mixed.c - converts counted calls and samples of a merged tree (merged.h) to those of a
 * process: counters.h, mixed.h. Pools contain all processes and threads.
 */
#include <stdlib.h>

#include "data.h"
#include "merged_items.h"

/* ---- counters -------------------------------------------------------------------------------- */

static void counters_make(struct data *data)
{
	const struct merged *merged = data->merged;
	struct data_counter *list = xcalloc(merged->n_counters, sizeof(*list));
	uint32_t *codes = xcalloc(merged->n_counters, sizeof(*codes));
	size_t n = 0;

	for (uint32_t i = 0; i < merged->n_counters; i++) {
		const struct merged_counter *from = &merged->counters[i];

		codes[i] = from->code;
		if (from->n)
			list[n++] = (struct data_counter){ from->code, from->n, from->untimed };
	}
	counters_of_merged(data, codes, merged->n_counters, list, n);
	if (data->counters)
		data->counters->has_unknown_sites = merged->totals.no_sites != 0;
}

/* ---- samples --------------------------------------------------------------------------------- */

static int has_pool(const struct merged_item *item)
{
	return !item->is_estimate && item->mixed && item->mixed->n;
}

/* A source line has no pool of its own. */
static int is_divided(const struct merged_item *item)
{
	return item->mixed && (item->mixed->n || item->mixed->on_cpu || item->mixed->kept);
}

static int has_samples(const struct merged *merged)
{
	const int has_any = merged->head->version == CINSTR_MERGED_VERSION_COUNTED;

	for (uint32_t i = 0; has_any && i < merged->head->n_nodes; i++) {
		const struct merged_item *item = merged_head_at(merged, i);

		if (item->is_estimate || has_pool(item))
			return 1;
	}
	return 0;
}

static void pool_make(const struct merged *merged, const struct merged_mixed *from, struct mixed_pool *pool)
{
	int bits = 2 * (MERGED_SPREAD_FRACTION - merged->shift);
	long double spread = (long double)from->spread;

	*pool = (struct mixed_pool){ .n = from->n,
				     .own = from->own,
				     .stubs = from->stubs,
				     .has_counted = 1,
				     .region = MIXED_NO_POOL,
				     .ticks = merged_ticks(merged, from->ticks),
				     .stub_ticks = merged_ticks(merged, from->stub_ticks) };
	for (; bits > 0; bits--)
		spread /= 2;
	for (; bits < 0; bits++)
		spread *= 2;
	pool->spread = spread;
}

/* A source line has its function's. */
static uint32_t pool_above(const struct data_thread *thread, const uint32_t *pools, uint32_t node)
{
	while (node && CINSTR_CELL_KIND(thread->nodes[node].cell->tag) == CINSTR_CELL_LINE)
		node = thread->nodes[node].parent;
	return pools[node];
}

/* Returns the pool of which the estimate has most samples, of several the first one; or
 * MIXED_NO_POOL. */
static uint32_t pool_of_estimate(const struct merged_item *item, const uint32_t *pools, uint64_t *samples)
{
	const struct merged_share *most = NULL;

	*samples = 0;
	for (uint32_t i = 0; item->mixed && i < item->mixed->n_shares; i++) {
		const struct merged_share *share = &item->mixed->shares[i];

		*samples += share->n;
		if (!most || share->n > most->n)
			most = share;
	}
	return most ? pools[most->owner] : MIXED_NO_POOL;
}

static void about_make(const struct merged *merged, struct data_thread *thread, const uint32_t *pools)
{
	for (uint32_t i = 0; i < thread->n_nodes; i++) {
		const struct merged_item *item = merged_head_at(merged, i);
		struct mixed_cell *about = &thread->mixed->about[i];

		about->pool = MIXED_NO_POOL;
		about->is_estimate = item->is_estimate;
		if (item->is_estimate) {
			about->pool = pool_of_estimate(item, pools, &about->samples);
		} else if (is_divided(item)) {
			about->pool = pool_above(thread, pools, i);
			about->on_cpu = merged_ticks(merged, item->mixed->on_cpu);
			about->kept = merged_ticks(merged, item->mixed->kept);
		}
	}
	for (size_t i = thread->n_nodes; i-- > 1;) {
		struct mixed_cell *about = &thread->mixed->about[i];
		struct mixed_cell *above = &thread->mixed->about[thread->nodes[i].parent];

		if (!about->is_estimate)
			continue;
		about->inclusive_samples += about->samples;
		if (above->is_estimate)
			above->inclusive_samples += about->inclusive_samples;
	}
}

static void samples_make(const struct merged *merged, struct data_thread *thread)
{
	struct mixed_thread *mixed = xcalloc(1, sizeof(*mixed));
	uint32_t *pools = xcalloc(thread->n_nodes, sizeof(*pools));

	mixed->cells = merged->cells;
	mixed->are_of_data = 1;
	mixed->n_cells = (uint32_t)thread->n_nodes;
	mixed->about = xcalloc(thread->n_nodes, sizeof(*mixed->about));
	mixed->pools = xcalloc(thread->n_nodes, sizeof(*mixed->pools));
	for (uint32_t i = 0; i < thread->n_nodes; i++) {
		const struct merged_item *item = merged_head_at(merged, i);

		pools[i] = has_pool(item) ? mixed->n_pools++ : MIXED_NO_POOL;
		if (pools[i] != MIXED_NO_POOL)
			pool_make(merged, item->mixed, &mixed->pools[pools[i]]);
	}
	thread->mixed = mixed;
	about_make(merged, thread, pools);
	free(pools);
}

void merged_mixed_make(struct data *data)
{
	if (data->merged->n_counters)
		counters_make(data);
	if (has_samples(data->merged))
		samples_make(data->merged, data->threads);
}
