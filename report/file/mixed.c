/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixed.c - see mixed.h. */
#include "mixed.h"

#include <stdlib.h>

#include "data.h"

const struct mixed_cell *mixed_cell(const struct data_thread *thread, const struct cinstr_cell *cell)
{
	const struct mixed_thread *mixed = thread->mixed;
	const struct mixed_cell *about;
	uintptr_t offset;

	if (!mixed)
		return NULL;
	offset = (uintptr_t)cell - (uintptr_t)mixed->cells;
	if (offset / sizeof(*cell) >= mixed->n_cells)
		return NULL;
	about = &mixed->about[offset / sizeof(*cell)];
	return about->is_estimate || about->pool != MIXED_NO_POOL ? about : NULL;
}

const struct cinstr_cell *mixed_original(const struct data_thread *thread, const struct cinstr_cell *cell)
{
	const struct mixed_thread *mixed = thread->mixed;
	uintptr_t number = mixed ? ((uintptr_t)cell - (uintptr_t)mixed->cells) / sizeof(*cell) : 0;

	return mixed && number < mixed->n_cells && mixed->about[number].from ? mixed->about[number].from
									     : cell;
}

int mixed_is_estimate(const struct data_thread *thread, size_t node)
{
	const struct mixed_cell *about = mixed_cell(thread, thread->nodes[node].cell);

	return about && about->is_estimate;
}

const struct mixed_cell *mixed_short(const struct data_thread *thread, size_t node)
{
	const struct mixed_cell *about = mixed_cell(thread, thread->nodes[node].cell);

	if (!about || about->is_estimate || thread->mixed->pools[about->pool].region == MIXED_NO_POOL)
		return NULL;
	return about;
}

int mixed_has_counted(const struct data_thread *thread, size_t node)
{
	const struct mixed_cell *about = mixed_cell(thread, thread->nodes[node].cell);

	return about && (about->is_estimate || thread->mixed->pools[about->pool].has_counted);
}

size_t mixed_next_called(const struct data_thread *thread, size_t i)
{
	return mixed_is_estimate(thread, i) ? i + 1 : (size_t)thread->nodes[i].last + 1;
}

static void release(struct mixed_thread *mixed)
{
	if (!mixed->are_of_data)
		free(mixed->cells);
	free(mixed->about);
	free(mixed->pools);
	free(mixed->nodes_before);
	free(mixed->open_before);
	free(mixed);
}

void mixed_thread_undo(struct data_thread *thread)
{
	struct mixed_thread *mixed = thread->mixed;

	if (!mixed)
		return;
	free(thread->nodes);
	free(thread->open);
	free(thread->paths);
	thread->nodes = mixed->nodes_before;
	thread->n_nodes = mixed->n_nodes_before;
	thread->open = mixed->open_before;
	thread->state = mixed->state_before;
	thread->paths = NULL;
	mixed->nodes_before = NULL;
	mixed->open_before = NULL;
	thread->mixed = NULL;
	release(mixed);
}

void mixed_thread_release(struct data_thread *thread)
{
	if (thread->mixed)
		release(thread->mixed);
	thread->mixed = NULL;
}

void mixed_release(struct data *data)
{
	if (!data->mixed)
		return;
	if (data->mixed->sampled)
		data_release(data->mixed->sampled);
	free(data->mixed->sampled);
	free(data->mixed);
	data->mixed = NULL;
}
