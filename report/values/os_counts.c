/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "os_counts.h"

#include "file/cell_details.h"
#include <stdlib.h>

#include "lib/array.h"
#include "user_counts.h"
#include "values.h"

const struct os_kind_info os_kind_infos[OS_KINDS] = {
#define OS_EVENT(x, id, number, by_default, source, word, counted, ...) \
	[OS_##id] = { CINSTR_OS_##id, word, OS_##counted },
	CINSTR_OS_EVENTS(OS_EVENT, )
#undef OS_EVENT
};

void os_events_put(struct strbuf *buf, uint32_t mask, const char *separator)
{
	const char *before = "";

	for (uint32_t bit = 1; bit && bit <= mask; bit <<= 1)
		for (int kind = 0; kind < OS_KINDS; kind++)
			if (mask & bit & os_kind_infos[kind].bit) {
				strbuf_printf(buf, "%s%s", before, os_kind_infos[kind].word);
				before = separator;
			}
	if (!mask)
		strbuf_puts(buf, "none");
}

#define IS_SWITCHES +1
#define IS_INTERVALS +0
#define IS_CALLS +0
#define IS_COUNTED_BY_SWITCHES(x, id, number, by_default, source, word, how, ...) IS_##how
_Static_assert(CINSTR_OS_EVENTS(IS_COUNTED_BY_SWITCHES, ) == 2,
	       "a bucket has room for two kinds of switches");

static void add_bucket(struct os_tally *tally, const struct cinstr_bucket *bucket)
{
	tally->of[OS_VOLUNTARY] += bucket->switches & UINT32_MAX;
	tally->of[OS_INVOLUNTARY] += bucket->switches >> 32;
	for (int kind = 0; kind < OS_KINDS; kind++)
		if (os_kind_infos[kind].counted != OS_SWITCHES && bucket->bits & os_kind_infos[kind].bit)
			tally->of[kind] += bucket->intervals;
}

static void add_buckets(struct os_tally *tally, const struct data *data, uint32_t first)
{
	for (uint32_t i = first; i;) {
		const struct cinstr_bucket *bucket =
			(const void *)(data->memory + (uint64_t)i * sizeof(struct cinstr_cell));

		add_bucket(tally, bucket);
		i = bucket->next;
	}
}

int os_tally_of(struct os_tally *tally, const struct data *data, const struct data_thread *thread,
		const struct cinstr_cell *cell)
{
	int is_call = values_is_system_call(data, cell);
	size_t n;
	const struct moved_item *moved = moved_of(data, thread, cell, &n);

	if (!details_buckets(data->memory, cell) && !is_call && !n)
		return 0;
	*tally = (struct os_tally){ .of = { [OS_SYSCALL] = is_call ? cell->calls : 0 } };
	add_buckets(tally, data, details_buckets(data->memory, cell));
	for (size_t i = 0; i < n; i++)
		if (moved[i].kind != CINSTR_AMOUNT_COUNTED || user_counts_is_chosen(data, &moved[i]))
			moved_add(&tally->moved[moved[i].kind], &moved[i].sums);
	return 1;
}

int os_tally_after(struct os_tally *tally, const struct data *data, const struct cinstr_cell *cell)
{
	uint32_t first = details_after_buckets(data->memory, cell);

	*tally = (struct os_tally){ 0 };
	add_buckets(tally, data, first);
	return first != 0;
}

void os_tally_subtract(struct os_tally *from, const struct os_tally *what)
{
	for (int kind = 0; kind < OS_KINDS; kind++)
		from->of[kind] -= what->of[kind] < from->of[kind] ? what->of[kind] : from->of[kind];
}

void os_tally_add(struct os_tally *to, const struct os_tally *from)
{
	for (int kind = 0; kind < OS_KINDS; kind++)
		to->of[kind] += from->of[kind];
	for (int kind = 0; kind < CINSTR_AMOUNT_KINDS; kind++)
		moved_add(&to->moved[kind], &from->moved[kind]);
}

void os_add_own(struct os_counts *to, const struct os_tally *from)
{
	moved_add(&to->own, &from->moved[CINSTR_AMOUNT_ALLOCATED]);
	moved_add(&to->held, &from->moved[CINSTR_AMOUNT_HELD]);
}

/* ---- the path -------------------------------------------------------------------------------- */

void os_path_init(struct os_path *path, size_t n_rows)
{
	*path = (struct os_path){ .seen = xcalloc(n_rows, sizeof(*path->seen)) };
}

void os_path_enter(struct os_path *path, uint32_t node)
{
	ARRAY_ROOM(path->openers, path->n, path->size, 64);
	path->openers[path->n++] = node;
}

void os_path_leave(struct os_path *path, uint32_t node)
{
	if (path->n && path->openers[path->n - 1] == node)
		path->n--;
}

void os_path_each(struct os_path *path, const uint32_t *rows, const uint32_t *on_path,
		  void (*give)(void *arg, uint32_t row), void *arg)
{
	path->round++;
	for (size_t i = 0; i < path->n; i++) {
		uint32_t row = rows[path->openers[i]];

		if (!on_path[row] || path->seen[row] == path->round)
			continue;
		path->seen[row] = path->round;
		give(arg, row);
	}
}

void os_path_release(struct os_path *path)
{
	free(path->openers);
	free(path->seen);
	*path = (struct os_path){ 0 };
}
