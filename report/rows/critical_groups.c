/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "critical_groups.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/order.h"

ORDER_ITEMS(compare, struct critical_group, ORDER(y->sums.all, x->sums.all),
	    ORDER(x->sums.path, y->sums.path))

static struct critical_group *group_of(struct critical_groups *groups, struct map *keys,
				       const struct critical_row *row)
{
	STRBUF(key);
	size_t number;
	int is_new;

	strbuf_printf(&key, "%u %u %s", row->entity, row->caller, row->thread ? row->thread : "");
	number = map_add(keys, key.text, key.length, &is_new);
	if (is_new) {
		ARRAY_ONE_MORE(groups->list, groups->n);
		groups->list[groups->n++] =
			(struct critical_group){ .sums = { .tid = row->tid,
							   .thread = row->thread,
							   .entity = row->entity,
							   .caller = row->caller,
							   .gone = row->gone,
							   .gone_fifth = row->gone_fifth } };
	}
	return &groups->list[number];
}

void critical_groups_make(struct critical_groups *groups, const struct critical_path *path)
{
	struct map keys = { 0 }, threads = { 0 };

	*groups = (struct critical_groups){ 0 };
	for (size_t i = 0; i < path->n; i++) {
		const struct critical_row *row = &path->rows[i];
		struct critical_group *group = group_of(groups, &keys, row);
		uint32_t key[2] = { (uint32_t)(group - groups->list), row->tid };
		int is_new;

		for (int part = 0; part < CRITICAL_PARTS; part++)
			group->sums.ns[part] += row->ns[part];
		group->sums.all += row->all;
		map_add(&threads, key, sizeof(key), &is_new);
		group->n_threads += (size_t)is_new;
		if (row->all > group->most) {
			group->most = row->all;
			group->sums.path = row->path;
		}
	}
	util_sort(groups->list, groups->n, sizeof(*groups->list), compare, NULL);
	map_release(&keys);
	map_release(&threads);
}

void critical_groups_release(struct critical_groups *groups)
{
	free(groups->list);
	*groups = (struct critical_groups){ 0 };
}

const char *critical_part_word(enum critical_part part)
{
	static const char *const words[CRITICAL_PARTS] = {
		[CRITICAL_COMPUTING] = "computing",
		[CRITICAL_OUTSIDE] = "I/O, sleep",
		[CRITICAL_PROCESSOR] = "no processor",
		[CRITICAL_UNKNOWN] = "not known",
	};

	return words[part];
}
