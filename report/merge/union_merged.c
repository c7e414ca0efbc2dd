/* SPDX-License-Identifier: GPL-3.0-or-later */
/* union_merged.c - adds the items of a merged file to the union, unchanged. */
#include <stdlib.h>

#include "file/merged_items.h"
#include "lib/array.h"
#include "union.h"

struct union_key union_merged_key(struct union_codes *codes, uint32_t parent, const struct merged_item *item)
{
	return (struct union_key){ .parent = parent,
				   .kind = item->kind | (item->is_estimate ? UNION_ESTIMATE : 0),
				   .site = union_code(codes, item->site),
				   .func = union_code(codes, item->func),
				   .target = union_target(codes->modules, codes->numbers, item->target) };
}

static void add_totals(struct union_tree *u, const struct merged *merged)
{
#define ADD_TOTAL(name) u->totals.name += merged->totals.name;
	CINSTR_MERGED_TOTALS(ADD_TOTAL)
#undef ADD_TOTAL
}

/* Numbers in the union of the nodes from the root to the item at hand. */
struct way {
	uint32_t *numbers;
	size_t size;
};

/* Samples of an estimate: whose time they are of may stand behind it. */
struct later {
	uint32_t node, owner;
	uint64_t n;
};

struct laters {
	struct later *list;
	size_t n, size;
	uint32_t *numbers; /* in the union, of all items; NULL: nothing refers to them */
};

static void laters_add(struct laters *laters, uint32_t node, const struct merged_mixed *mixed)
{
	for (uint32_t i = 0; i < mixed->n_shares; i++) {
		ARRAY_ROOM(laters->list, laters->n, laters->size, 256);
		laters->list[laters->n++] =
			(struct later){ node, mixed->shares[i].owner, mixed->shares[i].n };
	}
}

static void laters_end(struct union_tree *u, struct laters *laters)
{
	for (size_t i = 0; i < laters->n; i++)
		union_share_add(u, laters->list[i].node, laters->numbers[laters->list[i].owner],
				laters->list[i].n);
	free(laters->list);
	free(laters->numbers);
}

/* Adds the tags. numbers: in the union, of all items; who: of each contributor. */
static void add_tags(struct union_tree *u, const struct merged *merged, const uint32_t *numbers,
		     const uint32_t *who)
{
	for (size_t i = 0; i < merged->n_tags; i++) {
		struct merged_tag tag = merged->tags[i];

		tag.cell = tag.cell ? numbers[tag.cell - 1] + 1 : 0;
		tag.slow_cell = tag.slow_cell ? numbers[tag.slow_cell - 1] + 1 : 0;
		tag.who = who[tag.who];
		union_tag_add(u, &tag);
	}
}

static int is_counted(const struct merged *merged)
{
	return merged->head->version == CINSTR_MERGED_VERSION_COUNTED;
}

static void add_counters(struct union_tree *u, const struct merged *merged, struct union_codes *codes)
{
	for (uint32_t i = 0; i < merged->n_counters; i++) {
		const struct merged_counter *counter = &merged->counters[i];

		union_counter_add(u, union_code(codes, counter->code), counter->n, counter->untimed);
	}
}

static void add_items(struct union_tree *u, const struct data *data, const uint32_t *modules,
		      const uint32_t *who)
{
	const struct merged *merged = data->merged;
	const uint32_t n_nodes = merged->head->n_nodes;
	size_t next = 0; /* of merged->moved */
	struct laters laters = { 0 };
	struct way way = { 0 };
	struct merged_items items;
	const struct merged_item *item;
	struct union_codes codes = { .u = u, .modules = &data->modules, .numbers = modules };

	if (is_counted(merged) || merged->n_tags)
		laters.numbers = xcalloc((size_t)n_nodes + merged->head->n_flats, sizeof(*laters.numbers));
	add_counters(u, data->merged, &codes);
	merged_items_begin(&items, data->merged);
	while ((item = merged_items_next(&items))) {
		int is_flat = items.number > n_nodes, is_root = items.number == 1;
		struct union_key key;
		uint32_t number = 0;

		ARRAY_ROOM(way.numbers, items.depth, way.size, 64);
		if (!is_root) {
			key = union_merged_key(&codes, is_flat ? UNION_NONE : way.numbers[items.depth - 1],
					       item);
			number = union_find(u, &key);
		}
		if (!is_flat)
			way.numbers[items.depth] = number;
		if (laters.numbers)
			laters.numbers[items.number - 1] = number;
		union_item_add(u, number, item);
		for (; next < merged->n_moved && merged->moved[next].item < items.number; next++) {
			struct merged_moved moved = merged->moved[next];

			moved.item = number;
			union_moved_add(u, &moved);
		}
		if (item->mixed) {
			union_mixed_add(u, number, item->mixed);
			laters_add(&laters, number, item->mixed);
		}
		union_statistics_add(u, &union_node(u, number)->item, item, who);
	}
	merged_items_end(&items);
	add_tags(u, merged, laters.numbers, who);
	laters_end(u, &laters);
	free(way.numbers);
}

static const char *add_merged(struct union_tree *u, const struct data *data)
{
	const struct merged *merged = data->merged;
	uint32_t *modules = union_modules(u, &data->modules), *who;
	struct union_codes codes;

	if (!modules)
		return "its modules and those before have more text than can be numbered";
	union_header_add(u, data, data->header->end_realtime_ns - data->header->start_realtime_ns);
	union_properties_add(u, data);
	codes = (struct union_codes){ .u = u, .modules = &data->modules, .numbers = modules };
	who = xcalloc(merged->head->n_contributors + 1, sizeof(*who));
	for (uint32_t i = 0; i < merged->head->n_contributors; i++)
		who[i] = union_contributor(u, &merged->contributors[i]);
	add_items(u, data, modules, who);
	add_totals(u, merged);
	union_functions_add_merged(u, merged, &codes, who);
	union_segments_add(u, data, modules);
	union_waits_add_merged(u, merged, &codes);
	union_sums_add_merged(u, data, &codes);
	free(modules);
	free(who);
	return NULL;
}

const char *union_add_data(struct union_tree *u, struct data *data)
{
	if (data->merged)
		return add_merged(u, data);
	return union_add_process(u, data);
}
