/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held.c - see held.h. */
#include "held.h"

#include <stdlib.h>

#include "cinstr/amounts.h"
#include "lib/array.h"
#include "lib/order.h"
#include "thread_build.h"

const struct cinstr_held_table *held_table(const struct data *data, size_t *n)
{
	size_t n_own;
	const struct data_segment *own = data_segments_of(data, 0, &n_own);

	for (size_t i = 0; i < n_own; i++) {
		const struct cinstr_held_table *table = (const void *)(data->memory + own[i].offset);

		if (own[i].type != CINSTR_SEG_HELD || own[i].bytes < sizeof(*table) ||
		    table->bits < CINSTR_HELD_BITS_MIN || table->bits > CINSTR_HELD_BITS_MAX ||
		    table->halvings > CINSTR_HELD_HALVINGS)
			continue;
		*n = (size_t)CINSTR_HELD_BUCKET << table->bits;
		if (*n <= (own[i].bytes - sizeof(*table)) / sizeof(table->entries[0]))
			return table;
	}
	*n = 0;
	return NULL;
}

void held_see(const struct data *data, struct fold *fold)
{
	size_t n;
	const struct cinstr_held_table *table = held_table(data, &n);

	fold->held_from = table ? (uint64_t)((const char *)table->entries - data->memory) : 0;
	fold->held_bytes = n * sizeof(table->entries[0]);
}

static int is_held(const struct cinstr_held_table *table, const struct cinstr_held *held)
{
	return held->address > CINSTR_HELD_BUSY &&
	       cinstr_held_is_kept(table->bits, table->halvings, cinstr_held_hash(held->address));
}

ORDER_ITEMS(item_compare, struct moved_item, ORDER(x->cell, y->cell))

/* Joins the items of one cell, from number `first` on. */
static void join(struct moved *moved, size_t first)
{
	size_t n = first;

	util_sort(&moved->list[first], moved->n - first, sizeof(*moved->list), item_compare, NULL);
	for (size_t i = first; i < moved->n; i++)
		if (n > first && moved->list[n - 1].cell == moved->list[i].cell)
			moved_add(&moved->list[n - 1].sums, &moved->list[i].sums);
		else
			moved->list[n++] = moved->list[i];
	moved->n = n;
}

void held_make(const struct build *b)
{
	size_t n;
	const struct cinstr_held_table *table = held_table(b->data, &n);
	struct moved *moved = &b->thread->moved;
	uint64_t own = ((uint64_t)((const char *)b->thread->record - b->data->memory)) / CELL_BYTES;
	size_t first = moved->n;

	for (size_t i = 0; i < n; i++) {
		const struct cinstr_held *held = &table->entries[i];

		if (held->owner >> 32 != own || !is_held(table, held) ||
		    !build_has_path(b, (uint32_t)held->owner))
			continue;
		ARRAY_ROOM(moved->list, moved->n, moved->size, 16);
		moved->list[moved->n++] = (struct moved_item){
			.cell = (uint32_t)held->owner,
			.kind = CINSTR_AMOUNT_HELD,
			.sums = { .calls = 1ull << table->halvings,
				  .bytes = held->bytes << table->halvings,
				  .largest = held->bytes },
		};
	}
	join(moved, first);
}
