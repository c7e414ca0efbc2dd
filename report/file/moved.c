/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moved.c - see moved.h. */
#include "moved.h"

#include <stdlib.h>
#include <string.h>

#include "held.h"
#include "lib/array.h"
#include "lib/order.h"
#include "lib/search.h"
#include "mixed.h"
#include "thread_build.h"

ORDER_ITEMS(item_compare, struct moved_item, ORDER(x->cell, y->cell))

void threads_moved_make(const struct build *b)
{
	struct moved *moved = &b->thread->moved;

	for (size_t r = 0; r < b->n_ranges; r++)
		for (uint32_t i = 0; i < b->ranges[r].n; i++) {
			const struct cinstr_amount *a =
				(const void *)build_cell_at(b, b->ranges[r].first + i);

			if (CINSTR_CELL_KIND(a->tag) != CINSTR_CELL_AMOUNT ||
			    a->part - CINSTR_AMOUNT_PART >= CINSTR_AMOUNT_HELD ||
			    !build_has_path(b, a->owner))
				continue;
			ARRAY_ROOM(moved->list, moved->n, moved->size, 16);
			moved->list[moved->n++] = (struct moved_item){
				a->owner,
				a->file,
				a->part - CINSTR_AMOUNT_PART,
				{ a->calls, a->failed, a->bytes, a->ticks, a->largest },
			};
		}
	held_make(b);
	moved_sort(b->thread);
}

void moved_sort(struct data_thread *thread)
{
	struct moved *moved = &thread->moved;

	if (moved->n > moved->n_sorted)
		util_sort(moved->list, moved->n, sizeof(*moved->list), item_compare, NULL);
	moved->n_sorted = moved->n;
}

void moved_add(struct moved_sums *to, const struct moved_sums *from)
{
	to->calls += from->calls;
	to->failed += from->failed;
	to->bytes += from->bytes;
	to->ticks += from->ticks;
	to->largest = from->largest > to->largest ? from->largest : to->largest;
}

void moved_join(const struct data *data, struct data_thread *thread, const struct cinstr_cell *to,
		const struct cinstr_cell *from)
{
	struct moved *moved = &thread->moved;
	uint64_t offset = (uint64_t)((const char *)to - data->memory);
	size_t n, first = (size_t)(moved_of(data, thread, from, &n) - moved->list);

	for (size_t i = 0; i < n; i++) {
		ARRAY_ROOM(moved->list, moved->n, moved->size, 16);
		moved->list[moved->n] = moved->list[first + i];
		moved->list[moved->n++].cell = (uint32_t)(offset / sizeof(*to));
	}
}

const struct moved_item *moved_of(const struct data *data, const struct data_thread *thread,
				  const struct cinstr_cell *cell, size_t *n)
{
	const struct moved *moved = &thread->moved;
	uint64_t offset = (uint64_t)((const char *)mixed_original(thread, cell) - data->memory);
	size_t i, end;
	uint32_t index = (uint32_t)(offset / sizeof(*cell));

	*n = 0;
	if (!moved->n_sorted || offset >= data->end)
		return moved->list;
	SEARCH(i, moved->n_sorted, moved->list[i].cell >= index);
	for (end = i; end < moved->n_sorted && moved->list[end].cell == index; end++)
		;
	*n = end - i;
	return &moved->list[i];
}

const char *moved_file(const struct data *data, uint32_t number)
{
	const struct merged *merged = data->merged;
	uint32_t place = number - CINSTR_FILE_FIRST;
	uint64_t at = (uint64_t)(place % CINSTR_FILES_IN) * CINSTR_FILE_UNIT;
	size_t n;
	const struct data_segment *own = data_segments_of(data, place / CINSTR_FILES_IN, &n);

	if (merged)
		return number >= CINSTR_FILE_FIRST ? merged_name(merged, place) : NULL;
	for (size_t i = 0; number >= CINSTR_FILE_FIRST && i < n; i++) {
		const char *name = data->memory + own[i].offset + at;

		if (own[i].type == CINSTR_SEG_FILES && at < own[i].used && memchr(name, 0, own[i].used - at))
			return *name ? name : NULL;
	}
	return NULL;
}

const char *moved_own_name(const struct data *data, uint32_t number)
{
	const char *name = moved_file(data, number);

	return name ? name : "(other names)";
}
