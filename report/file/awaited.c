/* SPDX-License-Identifier: GPL-3.0-or-later */
/* awaited.c - see awaited.h. */
#include "awaited.h"

#include "data.h"
#include "lib/array.h"

void awaited_read(const struct data *data, struct data_thread *thread, uint32_t owner, uint64_t folded)
{
	struct awaited *awaited = &thread->awaited;
	size_t n;
	const struct data_segment *own = data_segments_of(data, owner, &n);

	for (size_t i = 0; i < n; i++) {
		const struct cinstr_wait *list = (const void *)(data->memory + own[i].offset);

		if (own[i].type != CINSTR_SEG_WAITS)
			continue;
		for (size_t k = 0; k < own[i].used / sizeof(*list); k++) {
			if (!list[k].waits)
				continue;
			ARRAY_ROOM(awaited->list, awaited->n, awaited->size, 16);
			awaited->list[awaited->n] = list[k];
			if (list[k].last_ticks > folded)
				awaited->list[awaited->n].cell = 0;
			awaited->n++;
		}
	}
}

void awaited_set_cell(struct data_thread *thread, uint64_t stamp, const struct cinstr_cell *cell,
		      uint32_t index)
{
	for (size_t i = 0; i < thread->awaited.n; i++) {
		struct cinstr_wait *wait = &thread->awaited.list[i];

		if (wait->cell || wait->waits != 1 || wait->last_ticks != stamp)
			continue;
		if (wait->site == cell->site)
			wait->cell = index;
		else if (CINSTR_CELL_KIND(cell->tag) <= CINSTR_CELL_INDIRECT)
			wait->waits = wait->ticks = 0;
	}
}
