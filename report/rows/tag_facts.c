/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tag_facts.c - see tag_facts.h. */
#include "tag_facts.h"

#include <stdlib.h>
#include <string.h>

#include "file/data.h"
#include "lib/array.h"
#include "wait_places.h"

static struct tag_fact *fact_of(struct tag_facts *facts, const struct data *data, const struct tag_item *item)
{
	const char *name = moved_own_name(data, item->name);
	struct strbuf key = { 0 };
	int is_new;
	size_t at;

	strbuf_printf(&key, "%d %lld %s", item->is_others, item->is_others ? 0 : (long long)item->id, name);
	at = map_add(&facts->keys, key.text, key.length, &is_new);
	strbuf_release(&key);
	if (is_new) {
		ARRAY_ONE_MORE(facts->list, at);
		facts->list[at] = (struct tag_fact){ .name = map_keep(&facts->names->strings, name),
						     .is_others = item->is_others,
						     .id = item->is_others ? 0 : item->id,
						     .longest_ns = -1,
						     .entity = NAMES_NONE };
		facts->n++;
	}
	return &facts->list[at];
}

static const struct cinstr_cell *cell_at(const struct data *data, uint32_t index)
{
	return (const void *)(data->memory + (uint64_t)index * sizeof(struct cinstr_cell));
}

static void longest_set(const struct tag_facts *facts, struct tag_fact *fact, const struct data *data,
			const struct tag_item *item)
{
	uint32_t waited = item->slow_cell ? names_of_cell(facts->names, data, cell_at(data, item->slow_cell))
					  : NAMES_NONE;

	free(fact->path);
	fact->path = wait_path_whole(facts->names, data, item->cell, &fact->entity);
	fact->waited_in = waited == NAMES_NONE
				  ? NULL
				  : map_keep(&facts->names->strings, facts->names->list[waited].name);
}

static void item_add(struct tag_facts *facts, const struct data *data, const struct tag_item *item)
{
	struct tag_fact *fact = fact_of(facts, data, item);
	int known;
	long double ns_per_tick = data_ns_per_tick(data, &known);
	long double longest = (long double)item->longest * ns_per_tick;

	fact->times += item->times;
	fact->is_open |= item->is_open;
	fact->ns += (long double)item->ticks * ns_per_tick;
	fact->waiting_ns += (long double)item->waiting * ns_per_tick;
	if (longest <= fact->longest_ns)
		return;
	fact->longest_ns = longest;
	longest_set(facts, fact, data, item);
}

void tag_facts_add(struct tag_facts *facts, struct names *names, const struct data *data)
{
	facts->names = names;
	for (size_t i = 0; i < data->n_threads; i++) {
		const struct tags *tags = &data->threads[i].tags;

		for (size_t k = 0; k < tags->n; k++)
			item_add(facts, data, &tags->list[k]);
	}
}

static int compare(const void *a, const void *b)
{
	const struct tag_fact *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	if (x->is_others != y->is_others)
		return x->is_others - y->is_others;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

void tag_facts_sort(struct tag_facts *facts)
{
	if (facts->n)
		qsort(facts->list, facts->n, sizeof(*facts->list), compare);
}

size_t tag_facts_end(const struct tag_facts *facts, size_t first)
{
	size_t end = first + 1;

	while (end < facts->n && !strcmp(facts->list[end].name, facts->list[first].name))
		end++;
	return end;
}

void tag_facts_release(struct tag_facts *facts)
{
	for (size_t i = 0; i < facts->n; i++)
		free(facts->list[i].path);
	free(facts->list);
	map_release(&facts->keys);
}
