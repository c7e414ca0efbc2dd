/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * union_moved.c - adds what threads of many processes have read and written (union.h): sums by node
 * of the tree, file and kind.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/order.h"
#include "union.h"

void union_moved_add(struct union_tree *u, const struct merged_moved *moved)
{
	struct strbuf key = { 0 };
	struct merged_moved *sum;
	size_t number;
	int is_new;

	strbuf_printf(&key, "%u %u %u %s", moved->item, moved->kind, moved->is_others, moved->file);
	number = map_add(&u->moved_keys, key.text, key.length, &is_new);
	strbuf_release(&key);
	if (is_new) {
		ARRAY_ROOM(u->moved, u->n_moved, u->size_moved, 64);
		u->moved[u->n_moved++] = (struct merged_moved){
			.item = moved->item,
			.kind = moved->kind,
			.is_others = moved->is_others,
			.file = map_keep(&u->strings, moved->file),
		};
	}
	sum = &u->moved[number];
	sum->calls += moved->calls;
	sum->failed += moved->failed;
	sum->bytes += moved->bytes;
	sum->time += moved->time;
	sum->largest = moved->largest > sum->largest ? moved->largest : sum->largest;
}

void union_moved_add_cell(struct union_tree *u, uint32_t node, const struct data *data,
			  const struct data_thread *thread, const struct cinstr_cell *cell,
			  long double units_per_tick)
{
	size_t n;
	const struct moved_item *items = moved_of(data, thread, cell, &n);

	for (size_t i = 0; i < n; i++) {
		const char *file = moved_file(data, items[i].file);
		const struct moved_sums *sums = &items[i].sums;

		union_moved_add(u, &(struct merged_moved){
					   .item = node,
					   .kind = items[i].kind,
					   .is_others = !file && items[i].file == CINSTR_FILE_OTHER,
					   .file = file ? file : "",
					   .calls = sums->calls,
					   .failed = sums->failed,
					   .bytes = sums->bytes,
					   .largest = sums->largest,
					   .time = (wide)((long double)sums->ticks * units_per_tick + 0.5L),
				   });
	}
}

void union_moved_release(struct union_tree *u)
{
	map_release(&u->moved_keys);
	free(u->moved);
}

ORDER_ITEMS(compare, struct merged_moved, ORDER(x->item, y->item), ORDER(x->kind, y->kind),
	    ORDER(x->is_others, y->is_others), strcmp(x->file, y->file))

void union_moved_put(const struct union_tree *u, const uint32_t *number, struct strbuf *out)
{
	struct merged_moved *list = xcalloc(u->n_moved + 1, sizeof(*list));

	for (size_t i = 0; i < u->n_moved; i++) {
		list[i] = u->moved[i];
		list[i].item = number[list[i].item];
	}
	util_sort(list, u->n_moved, sizeof(*list), compare, NULL);
	for (size_t i = 0; i < u->n_moved; i++)
		merged_put_moved(out, &list[i]);
	free(list);
}
