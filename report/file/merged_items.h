/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * merged_items.h - the items of what was merged before, one after another as they stand in the
 * file: nothing is kept of those before. For who needs no tree of them, as the next merge does.
 */
#ifndef REPORT_FILE_MERGED_ITEMS_H
#define REPORT_FILE_MERGED_ITEMS_H

#include "merged.h"

struct merged_items {
	struct merged_reader reader;
	const struct merged *merged;
	struct merged_item item;
	uint64_t number; /* of items that were read */
	uint32_t depth;	 /* of the last one that is in the tree */
};

/* `merged` is of a file that was opened with is_to_merge. */
void merged_items_begin(struct merged_items *items, const struct merged *merged);
/* The next one, which is there until that is asked for again; NULL: no more, or damage. */
const struct merged_item *merged_items_next(struct merged_items *items);
void merged_items_end(struct merged_items *items);

/*
 * Whether item `number` of the file stands where it may: below a node of the level above, behind
 * those of the tree. `depth`: of the item before; then its own.
 */
int merged_item_has_place(const struct merged *merged, size_t number, const struct merged_item *item,
			  uint32_t *depth);
int merged_item_who_is_known(const struct merged *merged, const struct merged_item *item);
/* `mixed` of the item: that its owners are nodes. */
int merged_owners_are_known(const struct merged *merged, const struct merged_mixed *mixed);

#endif
