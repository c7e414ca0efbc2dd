/* SPDX-License-Identifier: GPL-3.0-or-later */
/* count_facts.c - see count_facts.h. */
#include "count_facts.h"

#include <stdlib.h>
#include <string.h>

#include "file/data.h"
#include "lib/array.h"
#include "lib/order.h"
#include "wait_places.h"

/* Returns the fact of a name and a path. Takes the path, which the caller does not free. */
static struct count_fact *fact_of(struct count_facts *facts, struct names *names, const char *name,
				  char *path, uint32_t entity)
{
	STRBUF(key);
	int is_new;
	size_t at;

	strbuf_printf(&key, "%s\n%s", name, path);
	at = map_add(&facts->keys, key.text, key.length, &is_new);
	if (!is_new) {
		free(path);
		return &facts->list[at];
	}
	ARRAY_ONE_MORE(facts->list, at);
	facts->list[at] = (struct count_fact){ .name = map_keep(&names->strings, name),
					       .path = path,
					       .entity = entity };
	facts->n++;
	return &facts->list[at];
}

/* Adds what the function of a node, or of calls beyond the budget of paths, has counted. */
static void cell_add(struct count_facts *facts, struct names *names, const struct data *data,
		     const struct data_thread *thread, const struct cinstr_cell *cell)
{
	size_t n;
	const struct moved_item *items = moved_of(data, thread, cell, &n);

	for (size_t i = 0; i < n; i++) {
		struct count_fact *fact;
		uint32_t entity;
		char *path;

		/* what hangs at a MERGED is at FLAT cells once more */
		if (items[i].kind != CINSTR_AMOUNT_COUNTED ||
		    CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_MERGED)
			continue;
		path = wait_path_whole(names, data, items[i].cell, &entity);
		fact = fact_of(facts, names, moved_own_name(data, items[i].file), path, entity);
		fact->calls += items[i].sums.calls;
		fact->sum += items[i].sums.bytes;
	}
}

static int has_counts(const struct moved *moved)
{
	for (size_t i = 0; i < moved->n; i++)
		if (moved->list[i].kind == CINSTR_AMOUNT_COUNTED)
			return 1;
	return 0;
}

void count_facts_add(struct count_facts *facts, struct names *names, const struct data *data)
{
	for (size_t i = 0; i < data->n_threads; i++) {
		const struct data_thread *thread = &data->threads[i];

		if (!has_counts(&thread->moved))
			continue;
		for (size_t k = 0; k < thread->n_nodes; k++)
			cell_add(facts, names, data, thread, thread->nodes[k].cell);
		for (size_t k = 0; k < thread->n_flat; k++)
			cell_add(facts, names, data, thread, thread->flat[k]);
	}
}

ORDER_ITEMS(compare, struct count_fact, strcmp(x->name, y->name), ORDER(y->sum, x->sum),
	    strcmp(x->path, y->path))

void count_facts_sort(struct count_facts *facts)
{
	util_sort(facts->list, facts->n, sizeof(*facts->list), compare, NULL);
}

size_t count_facts_end(const struct count_facts *facts, size_t first)
{
	size_t end = first + 1;

	while (end < facts->n && !strcmp(facts->list[end].name, facts->list[first].name))
		end++;
	return end;
}

void count_facts_release(struct count_facts *facts)
{
	for (size_t i = 0; i < facts->n; i++)
		free(facts->list[i].path);
	free(facts->list);
	map_release(&facts->keys);
}
