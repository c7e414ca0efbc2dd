/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "long_intervals.h"

#include "data.h"
#include "lib/array.h"
#include "lib/order.h"
#include "lib/search.h"
#include "lib/util.h"

void long_intervals_add(struct data_thread *thread, const struct fold_long *interval)
{
	struct long_intervals *longs = &thread->longs;

	ARRAY_ROOM(longs->list, longs->n, longs->size, 64);
	longs->list[longs->n++] = *interval;
}

ORDER_ITEMS(compare, struct fold_long, ORDER(x->end_ticks, y->end_ticks))

void long_intervals_read(struct data *data, struct data_thread *thread, uint32_t owner, uint64_t until)
{
	size_t n;
	const struct data_segment *own = data_segments_of(data, owner, &n);

	for (size_t i = 0; i < n; i++) {
		const struct cinstr_long_interval *list = (const void *)(data->memory + own[i].offset);

		if (own[i].type != CINSTR_SEG_LONG_INTERVALS)
			continue;
		for (size_t k = 0; k < own[i].used / sizeof(*list); k++)
			if (list[k].end_ticks <= until)
				long_intervals_add(thread,
						   &(struct fold_long){ list[k].end_ticks, list[k].ticks,
									list[k].cell });
	}
	util_sort(thread->longs.list, thread->longs.n, sizeof(*thread->longs.list), compare, NULL);
}

uint32_t long_intervals_cell(const struct data_thread *thread, uint64_t ticks)
{
	const struct long_intervals *longs = &thread->longs;
	size_t i;

	SEARCH(i, longs->n, longs->list[i].end_ticks > ticks);
	if (i == longs->n || longs->list[i].end_ticks - longs->list[i].ticks > ticks)
		return 0;
	return longs->list[i].cell;
}
