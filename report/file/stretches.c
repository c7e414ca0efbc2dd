/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stretches.h"

#include "data.h"
#include "lib/array.h"
#include "lib/order.h"
#include "lib/util.h"

static struct cinstr_stretch *one_more(struct stretches *all)
{
	ARRAY_ROOM(all->list, all->n, all->size, 64);
	return &all->list[all->n++];
}

void stretches_read(const struct data *data, struct data_thread *thread, uint32_t owner, uint64_t folded)
{
	struct stretches *all = &thread->stretches;
	size_t n;
	const struct data_segment *own = data_segments_of(data, owner, &n);

	for (size_t i = 0; i < n; i++) {
		const struct cinstr_stretch *list = (const void *)(data->memory + own[i].offset);
		const struct cinstr_segment *segment = (const void *)list;

		if (own[i].type != CINSTR_SEG_STRETCHES)
			continue;
		if (segment[-1].kept > all->level)
			all->level = segment[-1].kept < 63 ? (uint32_t)segment[-1].kept : 63;
		all->are_there = 1;
		for (size_t k = 0; k < own[i].used / sizeof(*list); k++)
			if (list[k].end_ticks <= folded)
				*one_more(all) = list[k];
	}
}

/* Returns who ended the wait that was over at `stamp`, and has not been added up; 0: not known. */
static uint64_t given_by(const struct data_thread *thread, uint64_t stamp, uint32_t *since)
{
	for (size_t i = 0; i < thread->awaited.n; i++) {
		const struct cinstr_wait *wait = &thread->awaited.list[i];

		if (wait->waits != 1 || wait->last_ticks != stamp || !wait->given_by)
			continue;
		*since = wait->holder;
		return wait->given_by;
	}
	return 0;
}

void stretches_add(struct data_thread *thread, const struct fold_slow *slow, uint32_t cell,
		   uint64_t threshold)
{
	struct stretches *all = &thread->stretches;
	struct cinstr_stretch stretch = { .end_ticks = slow->end_ticks,
					  .ticks = slow->ticks,
					  .bits = slow->bits,
					  .off_cpu_ticks = slow->off_cpu_ticks,
					  .cell = cell };

	if (!slow->ticks || slow->ticks < threshold)
		return;
	stretch.given_by = given_by(thread, slow->end_ticks, &stretch.since_given);
	*one_more(all) = stretch;
}

ORDER_ITEMS(compare, struct cinstr_stretch, ORDER(x->end_ticks, y->end_ticks))

void stretches_settle(struct data_thread *thread)
{
	struct stretches *all = &thread->stretches;
	const struct open_time *open = &thread->open_time;
	uint64_t last = thread->record->first_ticks;
	size_t n = 0;

	if (open->to > open->from && all->are_there)
		*one_more(all) = (struct cinstr_stretch){
			.end_ticks = open->to,
			.ticks = open->to - open->from,
			.bits = open->bits,
			.off_cpu_ticks = open->off_cpu_ticks,
			.cell = thread->record->states[thread->record->commit & 1].current
		};
	util_sort(all->list, all->n, sizeof(*all->list), compare, NULL);
	for (size_t i = 0; i < all->n; i++) {
		struct cinstr_stretch stretch = all->list[i];

		if (stretch.end_ticks < last || stretch.ticks > stretch.end_ticks - last || !stretch.ticks)
			continue;
		if (stretch.off_cpu_ticks > stretch.ticks)
			stretch.off_cpu_ticks = stretch.ticks;
		last = stretch.end_ticks;
		all->list[n++] = stretch;
	}
	all->n = n;
}
