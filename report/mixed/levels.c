/* SPDX-License-Identifier: GPL-3.0-or-later */
/* levels.c - whether a function was timed at a moment: marks tell when the budget of overhead took
 * probes out and put them back (join.h). */
#include <stdlib.h>

#include "join.h"
#include "lib/array.h"
#include "lib/search.h"

#define LEVEL_ALL 2
#define LEVEL_COUNTED 3 /* struct data_mark: id of such a mark */

static int is_change(const struct data_mark *mark)
{
	return (mark->kind == CINSTR_MARK_DEMOTED || mark->kind == CINSTR_MARK_RESTORED) && mark->site;
}

static void change_add(struct join *join, const struct data_mark *mark, size_t *size)
{
	uint32_t code = CINSTR_CODE_WORD(mark->site) | CINSTR_EV_ENTER, number;
	size_t n = join->n_changes++;
	int is_new;

	number = int_map_add(&join->codes, code, &is_new);
	ARRAY_REACH_ZEROED(join->last_level, number, *size);
	join->changes[n] = mark->ticks;
	join->levels[n] = (struct level){ .next = join->last_level[number],
					  .epoch = (uint32_t)n + 1,
					  .is_timed = mark->id != LEVEL_COUNTED,
					  .has_calls = mark->id == LEVEL_ALL };
	join->last_level[number] = (uint32_t)n + 1;
}

void levels_make(struct join *join)
{
	const struct data *data = join->data;
	size_t size = 0;

	join->changes = xcalloc(data->n_marks + 1, sizeof(*join->changes));
	join->levels = xcalloc(data->n_marks + 1, sizeof(*join->levels));
	for (size_t i = 0; i < data->n_marks; i++)
		if (is_change(&data->marks[i]))
			change_add(join, &data->marks[i], &size);
}

void levels_release(struct join *join)
{
	free(join->changes);
	free(join->levels);
	free(join->last_level);
	int_map_release(&join->codes);
}

uint32_t levels_epoch(const struct join *join, uint64_t ticks)
{
	size_t i;

	SEARCH(i, join->n_changes, join->changes[i] > ticks);
	return (uint32_t)i;
}

int level_is_timed(const struct join *join, uint32_t code, uint32_t epoch)
{
	uint32_t number = int_map_find(&join->codes, code), level;

	if (number == INT_MAP_NONE)
		return 1;
	for (level = join->last_level[number]; level; level = join->levels[level - 1].next)
		if (join->levels[level - 1].epoch <= epoch)
			return join->levels[level - 1].is_timed;
	return 1;
}

int level_has_calls(const struct join *join, uint32_t code, uint32_t epoch)
{
	uint32_t number = int_map_find(&join->codes, code), level;

	if (number == INT_MAP_NONE)
		return 1;
	for (level = join->last_level[number]; level; level = join->levels[level - 1].next)
		if (join->levels[level - 1].epoch <= epoch)
			return join->levels[level - 1].has_calls;
	return 1;
}

int level_has_changed(const struct join *join, uint32_t code)
{
	return int_map_find(&join->codes, code) != INT_MAP_NONE;
}
