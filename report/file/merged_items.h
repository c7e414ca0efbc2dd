/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * merged_items.h - reads the encoded items of a merged file without keeping them: one after
 * another, as the next merge does, or where they are asked for.
 */
#ifndef REPORT_FILE_MERGED_ITEMS_H
#define REPORT_FILE_MERGED_ITEMS_H

#include "merged.h"

struct merged_items {
	struct merged_reader reader;
	const struct merged *merged;
	struct merged_item item;
	int is_whole;	 /* merged_item_at(): more than the item's head was decoded */
	uint64_t number; /* number of items read */
	uint32_t depth;	 /* of the last node read */
};

/* Starts with the first item. */
void merged_items_begin(struct merged_items *items, const struct merged *merged);
/* Returns the next item, valid until the next call; NULL: the end, or damage. */
const struct merged_item *merged_items_next(struct merged_items *items);
void merged_items_end(struct merged_items *items);

/* Returns item `number`, valid until another one is asked for. Not for large files opened with
 * is_to_merge. */
const struct merged_item *merged_item_at(const struct merged *merged, size_t number);
/* Likewise, without what merged_head_of() leaves out. */
const struct merged_item *merged_head_at(const struct merged *merged, size_t number);

/* Whether item `number` may be at this position: FLAT items after all nodes, nodes at most one
 * level below the item before. *depth: of the item before; then its own. */
int merged_item_has_place(const struct merged *merged, size_t number, const struct merged_item *item,
			  uint32_t *depth);
int merged_item_who_is_known(const struct merged *merged, const struct merged_item *item);
/* Whether the owners in the item's `mixed` are nodes. */
int merged_owners_are_known(const struct merged *merged, const struct merged_mixed *mixed);

#endif
