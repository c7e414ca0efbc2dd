/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "merged_items.h"

#include <stdlib.h>

/* ---- what may stand where -------------------------------------------------------------------- */

int merged_item_who_is_known(const struct merged *merged, const struct merged_item *item)
{
	for (int i = 0; item->n_contributors && i < CINSTR_MERGED_VALUES; i++)
		if (item->of[i].who_least >= merged->head->n_contributors ||
		    item->of[i].who_most >= merged->head->n_contributors)
			return 0;
	return 1;
}

int merged_owners_are_known(const struct merged *merged, const struct merged_mixed *mixed)
{
	for (uint32_t i = 0; i < mixed->n_shares; i++)
		if (mixed->shares[i].owner >= merged->head->n_nodes)
			return 0;
	return 1;
}

static int is_node_kind(uint32_t kind)
{
	return kind == CINSTR_CELL_FRAME || kind == CINSTR_CELL_CALL || kind == CINSTR_CELL_INDIRECT ||
	       kind == CINSTR_CELL_MERGED || kind == CINSTR_CELL_LINE;
}

int merged_item_has_place(const struct merged *merged, size_t number, const struct merged_item *item,
			  uint32_t *depth)
{
	if (number == 0)
		return item->kind == CINSTR_CELL_ROOT && !item->up;
	if (number >= merged->head->n_nodes)
		return merged_item_is_flat(item);
	if (!is_node_kind(item->kind) || item->up > *depth)
		return 0;
	*depth = *depth + 1 - item->up;
	return *depth > 0;
}

/* ---- one after another ----------------------------------------------------------------------- */

void merged_items_begin(struct merged_items *items, const struct merged *merged)
{
	items->reader = (struct merged_reader){ .in = { merged->items_at, merged->items_end, 0 } };
	items->merged = merged;
	items->number = 0;
	items->depth = 0;
}

/* From the file; its lists are the reader's. */
static void head_read(struct merged_items *items)
{
	struct merged_reader *reader = &items->reader;
	struct merged_item *item = &items->item;

	reader->n_buckets = reader->n_slots = reader->n_mixed = reader->n_shares = 0;
	merged_get_head(reader, item);
	if (item->has_mixed) {
		item->mixed = reader->mixed;
		item->mixed->shares = reader->shares;
	}
}

static void rest_read(struct merged_items *items)
{
	struct merged_reader *reader = &items->reader;
	struct merged_item *item = &items->item;

	merged_get_rest(reader, item);
	item->buckets = reader->buckets;
	item->after_buckets = reader->buckets ? reader->buckets + item->n_buckets : NULL;
	item->slots = reader->slots;
}

static const struct merged_item *item_read(struct merged_items *items)
{
	head_read(items);
	rest_read(items);
	return &items->item;
}

const struct merged_item *merged_items_next(struct merged_items *items)
{
	const struct merged *merged = items->merged;
	const struct merged_item *item;

	if (items->number >= (uint64_t)merged->head->n_nodes + merged->head->n_flats)
		return NULL;
	item = merged->items ? &merged->items[items->number] : item_read(items);
	if (!merged_item_has_place(merged, items->number++, item, &items->depth) ||
	    (!merged->items && (!merged_item_who_is_known(merged, item) ||
				(item->mixed && !merged_owners_are_known(merged, item->mixed)))))
		items->reader.in.is_bad = 1;
	return items->reader.in.is_bad ? NULL : item;
}

const struct merged_item *merged_head_at(const struct merged *merged, size_t number)
{
	struct merged_items *last = merged->last;

	if (merged->items)
		return &merged->items[number];
	if (last->number != number + 1) {
		last->number = number + 1;
		last->reader.in = (struct varint_reader){ merged->item_at[number], merged->items_end, 0 };
		last->is_whole = 0;
		head_read(last);
	}
	return &last->item;
}

const struct merged_item *merged_item_at(const struct merged *merged, size_t number)
{
	const struct merged_item *item = merged_head_at(merged, number);

	if (!merged->items && !merged->last->is_whole) {
		rest_read(merged->last);
		merged->last->is_whole = 1;
	}
	return item;
}

void merged_items_end(struct merged_items *items)
{
	free(items->reader.buckets);
	free(items->reader.slots);
	free(items->reader.mixed);
	free(items->reader.shares);
}
