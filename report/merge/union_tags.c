/* SPDX-License-Identifier: GPL-3.0-or-later */
/* union_tags.c - adds the values of tags of many processes (union.h): sums by name and value, with
 * the longest period of all. */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/order.h"
#include "union.h"
#include "union_statistics.h"

static int is_longer(struct union_tree *u, const struct merged_tag *tag, const struct merged_tag *sum)
{
	return !sum->times || tag->longest > sum->longest ||
	       (tag->longest == sum->longest && statistic_is_first(u, tag->who, sum->who));
}

void union_tag_add(struct union_tree *u, const struct merged_tag *tag)
{
	struct strbuf key = { 0 };
	struct merged_tag *sum;
	size_t number;
	int is_new;

	strbuf_printf(&key, "%u %lld %s", tag->is_others, (long long)tag->id, tag->name);
	number = map_add(&u->tag_keys, key.text, key.length, &is_new);
	strbuf_release(&key);
	if (is_new) {
		ARRAY_ROOM(u->tags, u->n_tags, u->size_tags, 64);
		u->tags[u->n_tags++] = (struct merged_tag){ .name = map_keep(&u->strings, tag->name),
							    .is_others = tag->is_others,
							    .id = tag->id };
	}
	sum = &u->tags[number];
	if (is_longer(u, tag, sum)) {
		sum->longest = tag->longest;
		sum->cell = tag->cell;
		sum->slow_cell = tag->slow_cell;
		sum->who = tag->who;
	}
	sum->is_open |= tag->is_open;
	sum->times += tag->times;
	sum->time += tag->time;
	sum->waiting += tag->waiting;
}

void union_tags_release(struct union_tree *u)
{
	map_release(&u->tag_keys);
	free(u->tags);
}

ORDER_ITEMS(compare, struct merged_tag, strcmp(x->name, y->name), ORDER(x->is_others, y->is_others),
	    ORDER(x->id, y->id))

void union_tags_put(const struct union_tree *u, const uint32_t *number, const uint32_t *who,
		    struct strbuf *out)
{
	struct merged_tag *list = xcalloc(u->n_tags + 1, sizeof(*list));

	for (size_t i = 0; i < u->n_tags; i++) {
		struct merged_tag *tag = &list[i];

		*tag = u->tags[i];
		tag->cell = tag->cell ? number[tag->cell - 1] + 1 : 0;
		tag->slow_cell = tag->slow_cell ? number[tag->slow_cell - 1] + 1 : 0;
		tag->who = who[tag->who];
	}
	util_sort(list, u->n_tags, sizeof(*list), compare, NULL);
	for (size_t i = 0; i < u->n_tags; i++)
		merged_put_tag(out, &list[i]);
	free(list);
}
