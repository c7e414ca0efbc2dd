/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lanes.h"

#include <stdlib.h>

#include "lib/array.h"

void lanes_init(struct lanes *lanes, size_t most)
{
	*lanes = (struct lanes){ .cell = 1, .most = most };
}

static int is_long(const struct lanes *lanes, const struct lane_item *item)
{
	return lane_call_length(&item->longest) >= lanes->cell;
}

static int are_one(const struct lanes *lanes, const struct lane_item *a, const struct lane_item *b)
{
	return !is_long(lanes, a) && !is_long(lanes, b) && a->begin / lanes->cell == b->begin / lanes->cell;
}

static void join(struct lane_item *to, const struct lane_item *from)
{
	to->end = from->end > to->end ? from->end : to->end;
	to->calls += from->calls;
	to->busy += from->busy;
	if (lane_call_length(&from->longest) > lane_call_length(&to->longest))
		to->longest = from->longest;
}

static void join_lane(struct lanes *lanes, struct lane *lane)
{
	size_t kept = 0;

	for (size_t i = 0; i < lane->n; i++) {
		if (kept && are_one(lanes, &lane->items[kept - 1], &lane->items[i]))
			join(&lane->items[kept - 1], &lane->items[i]);
		else
			lane->items[kept++] = lane->items[i];
	}
	lanes->n_items -= lane->n - kept;
	lane->n = kept;
}

static void double_cell(struct lanes *lanes)
{
	lanes->cell *= 2;
	for (size_t thread = 0; thread < lanes->n_threads; thread++)
		for (size_t depth = 0; depth < lanes->depths[thread]; depth++)
			join_lane(lanes, &lanes->threads[thread][depth]);
}

void lanes_reduce(struct lanes *lanes, size_t most)
{
	/* A cell that holds everything leaves one item of each lane: nothing more to join. */
	while (lanes->n_items > most && lanes->cell <= lanes->end)
		double_cell(lanes);
}

static struct lane *lane_of(struct lanes *lanes, size_t thread, size_t depth)
{
	size_t n = lanes->n_threads;

	ARRAY_REACH_ZEROED(lanes->threads, thread, lanes->n_threads);
	ARRAY_REACH_ZEROED(lanes->depths, thread, n);
	ARRAY_REACH_ZEROED(lanes->threads[thread], depth, lanes->depths[thread]);
	return &lanes->threads[thread][depth];
}

void lanes_add(struct lanes *lanes, size_t thread, size_t depth, const struct lane_call *call)
{
	struct lane_item item = { call->begin, call->end, 1, lane_call_length(call), *call };
	struct lane *lane;

	if (depth >= LANES_DEEPEST) {
		lanes->too_deep++;
		return;
	}
	lane = lane_of(lanes, thread, depth);
	lanes->calls++;
	if (call->end > lanes->end)
		lanes->end = call->end;
	if (lane->n && are_one(lanes, &lane->items[lane->n - 1], &item)) {
		join(&lane->items[lane->n - 1], &item);
		return;
	}
	ARRAY_ROOM(lane->items, lane->n, lane->size, 4);
	lane->items[lane->n++] = item;
	if (++lanes->n_items > lanes->most)
		lanes_reduce(lanes, lanes->most / 2);
}

void lanes_release(struct lanes *lanes)
{
	for (size_t thread = 0; thread < lanes->n_threads; thread++) {
		for (size_t depth = 0; depth < lanes->depths[thread]; depth++)
			free(lanes->threads[thread][depth].items);
		free(lanes->threads[thread]);
	}
	free(lanes->threads);
	free(lanes->depths);
	*lanes = (struct lanes){ 0 };
}
