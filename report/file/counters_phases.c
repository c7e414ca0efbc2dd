/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counters_phases.c - computes counts of phases (counters.h): the difference of the counts stored
 * at the begin of the first phase and at the begin of the phase after the last. */
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "data.h"
#include "lib/array.h"
#include "lib/order.h"
#include "lib/search.h"
#include "lib/util.h"
#include "phases.h"

#define HERE UINT32_MAX /* a code: the thread was there */

ORDER_ITEMS(compare, struct counted_then, ORDER(x->thread, y->thread), ORDER(x->code, y->code))

/* ---- reading --------------------------------------------------------------------------------- */

/* Sorts the list, and adds up what several slots of a thread counted of one code. */
static void phase_settle(struct counters_phase *phase)
{
	size_t n = 0;

	util_sort(phase->list, phase->n, sizeof(*phase->list), compare, NULL);
	for (size_t i = 0; i < phase->n; i++) {
		struct counted_then *last = n ? &phase->list[n - 1] : NULL;

		if (last && !compare(last, &phase->list[i], NULL))
			last->n += phase->list[i].n;
		else
			phase->list[n++] = phase->list[i];
	}
	phase->n = n;
	for (size_t i = 0; i < n; i++)
		if ((int64_t)phase->list[i].n < 0) /* as in thread_settle() */
			phase->list[i].n = 0;
}

static void moment_read(struct data *data, const struct data_segment *s)
{
	struct counters *c = data->counters;
	const struct cinstr_phase_count *raw = (const void *)(data->memory + s->offset);
	size_t n = s->used / sizeof(*raw);
	struct counters_phase *phase;

	if (!n) /* there was no room, or it was killed */
		return;
	if (s->owner < 1 || s->owner > CINSTR_PHASES_MAX || raw->thread != UINT32_MAX ||
	    raw->calls != n - 1) {
		data_problem(data, s->offset, "what was counted when a phase began is damaged");
		return;
	}
	ARRAY_REACH_ZEROED(c->phases, s->owner, c->n_phases);
	phase = &c->phases[s->owner];
	if (phase->list)
		return;
	phase->list = xcalloc(n * COUNTERS_OF_SLOT, sizeof(*phase->list));
	for (size_t i = 1; i < n; i++) {
		uint32_t of[COUNTERS_OF_SLOT] = { HERE };
		size_t n_of = raw[i].slot == HERE ? 1 : counters_of_slot(c, raw[i].slot, of);

		for (size_t k = 0; k < n_of; k++)
			phase->list[phase->n++] = (struct counted_then){ raw[i].thread, of[k], raw[i].calls };
	}
	phase_settle(phase);
}

void counters_phases_read(struct data *data)
{
	for (size_t i = 0; i < data->n_segments; i++)
		if (data->segments[i].type == CINSTR_SEG_PHASE_COUNTS)
			moment_read(data, &data->segments[i]);
}

void counters_phases_release(struct counters *c)
{
	for (size_t i = 0; i < c->n_phases; i++)
		free(c->phases[i].list);
	free(c->phases);
	for (size_t i = 0; c->all_phases && i < c->n_threads; i++)
		free(c->all_phases[i].list);
	free(c->all_phases);
}

/* ---- moments --------------------------------------------------------------------------------- */

/* Is it known what was counted until the phase begins? Behind the last: the end. */
static int is_known(const struct data *data, uint32_t phase)
{
	const struct counters *c = data->counters;

	return !phase || phase > data->n_phases || (phase < c->n_phases && c->phases[phase].list);
}

static const struct counted_then *find(const struct counters_phase *phase, uint32_t thread, uint32_t code)
{
	const struct counted_then *list = phase->list;
	size_t i;

	SEARCH(i, phase->n, list[i].thread > thread || (list[i].thread == thread && list[i].code >= code));
	return i < phase->n && list[i].thread == thread && list[i].code == code ? &list[i] : NULL;
}

/* What the counter had when the phase began. A thread that was not there had ended before, or came
 * later, also one that was just about to have its first event. */
static uint64_t then(const struct data *data, const struct data_thread *thread,
		     const struct data_counter *in_the_end, uint32_t phase)
{
	uint32_t index = thread->record->index;
	const struct counters_phase *p;
	const struct counted_then *found;

	if (!phase)
		return 0;
	if (phase > data->n_phases)
		return in_the_end->n;
	p = &data->counters->phases[phase];
	found = find(p, index, in_the_end->code);
	if (found)
		return found->n < in_the_end->n ? found->n : in_the_end->n;
	if (find(p, index, HERE))
		return 0;
	return thread->state->time < phases_begin(data, phase) ? in_the_end->n : 0;
}

/* Of phases first to last. */
static struct counters_thread between(const struct data *data, const struct data_thread *thread,
				      const struct counters_thread *all, uint32_t first, uint32_t last)
{
	struct counters_thread part = { 0 };

	part.list = xcalloc(all->n + 1, sizeof(*part.list));
	for (size_t i = 0; i < all->n; i++) {
		uint64_t before = then(data, thread, &all->list[i], first);
		uint64_t until = then(data, thread, &all->list[i], last + 1);

		if (until > before)
			part.list[part.n++] = (struct data_counter){ all->list[i].code, until - before, 0 };
	}
	return part;
}

static const struct counters_thread *all_of(const struct data *data, const struct data_thread *thread)
{
	const struct counters *c = data->counters;
	uint32_t index = thread->record ? thread->record->index : UINT32_MAX;

	if (index >= c->n_threads)
		return NULL;
	return c->all_phases ? &c->all_phases[index] : &c->threads[index];
}

/* ---- the interface --------------------------------------------------------------------------- */

void counters_phases_select(struct data *data, uint32_t first, uint32_t last)
{
	struct counters *c = data->counters;
	int is_none = first > last || first == UINT32_MAX;

	if (!c || (!is_none && !(is_known(data, first) && is_known(data, last + 1))))
		return;
	if (!c->all_phases) {
		c->all_phases = c->threads;
		c->threads = xcalloc(c->n_threads + 1, sizeof(*c->threads));
	}
	for (size_t i = 0; i < data->n_threads; i++) {
		const struct data_thread *thread = &data->threads[i];
		const struct counters_thread *all = all_of(data, thread);

		if (!all)
			continue;
		free(c->threads[thread->record->index].list);
		c->threads[thread->record->index] =
			is_none ? (struct counters_thread){ 0 } : between(data, thread, all, first, last);
	}
}

int counters_phases_are_known(const struct data *data)
{
	for (uint32_t i = 0; data->counters && i <= data->n_phases; i++)
		if (phases_is_chosen(data, i) && !(is_known(data, i) && is_known(data, i + 1)))
			return 0;
	return data->counters && !data->phases_unknown;
}

struct data_counter *counters_of_phase(const struct data *data, const struct data_thread *thread,
				       uint32_t phase, size_t *n)
{
	const struct counters_thread *all = data->counters ? all_of(data, thread) : NULL;
	struct counters_thread part;

	*n = 0;
	if (!all || !is_known(data, phase) || !is_known(data, phase + 1))
		return NULL;
	part = between(data, thread, all, phase, phase);
	*n = part.n;
	return part.list;
}
