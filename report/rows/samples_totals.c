/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "samples_totals.h"

#include <stdlib.h>
#include <string.h>

#include "file/data.h"
#include "file/samples.h"
#include "lib/util.h"

/* The way of sampling: of the first process, with which the others are compared. */
static void add_way(struct samples_totals *t, const struct cinstr_sampling *s, const char *event)
{
	if (t->processes++) {
		t->is_mixed |= t->interval != s->interval || t->unit != s->unit ||
			       strcmp(t->event ? t->event : "", event ? event : "") != 0;
		return;
	}
	t->interval = s->interval;
	t->unit = s->unit;
	t->source = s->source;
	t->stacks = s->stacks;
	t->stack_bytes = s->stack_bytes;
	t->event = event ? xstrdup(event) : NULL;
}

void samples_totals_add(struct samples_totals *t, const struct data *data)
{
	const struct cinstr_sampling *s = data->sampled->info;

	add_way(t, s, data->sampled->event);
	t->lost += s->lost;
	t->throttled += s->throttled;
	t->silent += s->silent;
	t->incomplete += !(s->flags & CINSTR_SAMPLING_COMPLETE);
	t->attached += (s->flags & CINSTR_SAMPLING_ATTACHED) != 0;
	t->detached += (s->flags & CINSTR_SAMPLING_DETACHED) != 0;
	t->with_kernel += (s->flags & CINSTR_SAMPLING_KERNEL) != 0;
	if (!s->counted || !s->interval)
		return;
	t->counted_samples += (long double)s->counted / (long double)s->interval;
	t->counted_taken += s->kept + s->discarded + s->paused + s->lost;
}

static uint64_t inclusive(const struct data_thread *thread, size_t node)
{
	uint64_t sum = 0;

	for (size_t i = node; i <= thread->nodes[node].last; i++)
		sum += thread->nodes[i].cell->ticks;
	return sum;
}

/* What is shown, by where it was executed: how much has no name. And how much has outermost frames
 * missing. */
static void add_nameless(struct samples_totals *t, const struct data *data, const struct data_thread *thread)
{
	for (size_t i = 1; i < thread->n_nodes; i++) {
		const struct cinstr_cell *cell = thread->nodes[i].cell;
		const struct sampled_function *f = samples_function(data, cell);

		if (!f)
			continue;
		if (f->kind == SAMPLED_TRUNCATED && CINSTR_CELL_KIND(cell->tag) == SAMPLES_CELL_FUNCTION)
			t->truncated += inclusive(thread, i);
		t->guessed += f->kind == SAMPLED_GUESSED ? cell->ticks : 0;
		t->unknown += f->kind == SAMPLED_UNKNOWN || f->kind == SAMPLED_ANONYMOUS ? cell->ticks : 0;
	}
}

void samples_totals_add_thread(struct samples_totals *t, const struct data *data,
			       const struct data_thread *thread)
{
	const struct cinstr_task *task = samples_task(data, thread);

	t->kept += thread->n_samples;
	t->chosen += thread->n_samples - thread->elsewhere_ticks;
	add_nameless(t, data, thread);
	t->discarded += task->discarded;
	t->paused += task->paused;
}

void samples_totals_release(struct samples_totals *t)
{
	free(t->event);
}

uint64_t samples_unseen(const struct samples_totals *t)
{
	long double unseen = t->counted_samples - (long double)t->counted_taken;

	return unseen >= 1 && unseen < 1e18L ? (uint64_t)unseen : 0;
}
