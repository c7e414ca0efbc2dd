/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "add_instructions.h"

#include <stdlib.h>

static size_t add_key(struct map *map, const char *name, const char *module, const char *file, int *is_new)
{
	STRBUF(key);

	strbuf_printf(&key, "%s\n%s\n%s", name, module ? module : "", file ? util_basename(file) : "");
	return map_add(map, key.text, key.length, is_new);
}

static size_t find_key(const struct map *map, const char *name, const char *module, const char *file)
{
	STRBUF(key);

	strbuf_printf(&key, "%s\n%s\n%s", name, module ? module : "", file ? util_basename(file) : "");
	return map_find(map, key.text, key.length);
}

/* Several rows of one key stand together in the first of them. */
static void keys_make(struct added_instructions *added)
{
	struct executed_rows *rows = &added->rows;
	size_t n = 0;
	int is_new;

	for (size_t i = 0; i < rows->n; i++) {
		const struct executed_row *row = &rows->list[i];
		size_t number = add_key(&added->keys, row->name, row->module, row->file, &is_new);
		struct executed_row *first = &rows->list[number];

		if (row->verdict != EXECUTED_KNOWN || row->instructions > INT64_MAX)
			add_key(&added->unknown, row->name, row->module, NULL, &is_new);
		if (number == n) {
			*first = *row;
			n++;
			continue;
		}
		if (__builtin_add_overflow(first->instructions, row->instructions, &first->instructions))
			add_key(&added->unknown, row->name, row->module, NULL, &is_new);
		first->is_estimate |= row->is_estimate;
	}
	rows->n = n;
}

int added_instructions_read(struct added_instructions *added, const char *session,
			    const struct view_options *options)
{
	struct executed *executed = &added->executed;
	int status;

	*added = (struct added_instructions){ 0 };
	status = instructions_look(executed, session, options);
	/* of a part of the run nothing can be said */
	added->is_there = !status && executed->n_counting && !executed->n_stopped && !executed->n_lost;
	if (!added->is_there)
		return status;
	instructions_rows(&added->rows, executed, EXECUTED_BY_FUNCTION, &options->selection);
	keys_make(added);
	added->is_taken = xcalloc(added->rows.n + 1, 1);
	return STATUS_OK;
}

int added_instructions_knows(const struct added_instructions *added, const struct executed_row *row)
{
	return find_key(&added->unknown, row->name, row->module, NULL) == MAP_NONE;
}

const struct executed_row *added_instructions_take(struct added_instructions *added, const char *name,
						   const char *module, const char *file)
{
	size_t number = find_key(&added->keys, name, module, file);

	if (number == MAP_NONE || added->is_taken[number])
		return NULL;
	added->is_taken[number] = 1;
	return &added->rows.list[number];
}

const struct executed_row *added_instructions_left(struct added_instructions *added, size_t *at)
{
	while (*at < added->rows.n && added->is_taken[*at])
		++*at;
	return *at < added->rows.n ? &added->rows.list[(*at)++] : NULL;
}

void added_instructions_release(struct added_instructions *added)
{
	instructions_rows_release(&added->rows);
	map_release(&added->keys);
	map_release(&added->unknown);
	free(added->is_taken);
	names_drop(added->executed.names);
	executed_release(&added->executed);
}
