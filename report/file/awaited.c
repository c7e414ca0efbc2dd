/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "awaited.h"

#include "cinstr/awaiting.h"
#include "cinstr/objects.h"
#include "data.h"
#include "lib/array.h"

void awaited_read(const struct data *data, struct data_thread *thread, uint32_t owner, uint64_t folded)
{
	struct awaited *awaited = &thread->awaited;
	size_t n;
	const struct data_segment *own = data_segments_of(data, owner, &n);

	for (size_t i = 0; i < n; i++) {
		const struct cinstr_wait *list = (const void *)(data->memory + own[i].offset);

		if (own[i].type != CINSTR_SEG_WAITS)
			continue;
		for (size_t k = 0; k < own[i].used / sizeof(*list); k++) {
			if (!list[k].waits)
				continue;
			ARRAY_ROOM(awaited->list, awaited->n, awaited->size, 16);
			awaited->list[awaited->n] = list[k];
			if (list[k].last_ticks > folded)
				awaited->list[awaited->n].cell = 0;
			awaited->n++;
		}
	}
}

void awaited_set_cell(struct data_thread *thread, uint64_t stamp, const struct cinstr_cell *cell,
		      uint32_t index)
{
	for (size_t i = 0; i < thread->awaited.n; i++) {
		struct cinstr_wait *wait = &thread->awaited.list[i];

		if (wait->cell || wait->waits != 1 || wait->last_ticks != stamp)
			continue;
		if (wait->site == cell->site)
			wait->cell = index;
		else if (CINSTR_CELL_KIND(cell->tag) <= CINSTR_CELL_INDIRECT)
			wait->waits = wait->ticks = 0;
	}
}

/* Whether the call at this sled waits for an object. */
static int is_waiting_call(const struct data *data, uint32_t site)
{
	const struct module *module = site ? modules_by_code(&data->modules, site) : NULL;
	const struct module_site *s = module ? module_site(module, site) : NULL;
	const struct cinstr_object_call *call = s && s->callee ? cinstr_object_call_of(s->callee) : NULL;

	return call && call->use < CINSTR_OBJECT_GIVES;
}

/* The second half of a record. */
static uint64_t half_of(const struct cinstr_record *r)
{
	return r->extra | (uint64_t)r->second << 32;
}

void awaiting_read(const struct data *data, struct data_thread *thread, size_t n)
{
	const struct cinstr_thread *t = thread->record;
	const struct cinstr_fold_state *state = &t->states[t->commit & 1];
	const struct cinstr_record *places =
		(const struct cinstr_record *)(data->memory + t->buffer_offset) + n;
	const struct cinstr_cell *cell =
		(const void *)(data->memory + (uint64_t)state->current * sizeof(*cell));
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);
	uint64_t object, holder;

	if (t->state != CINSTR_THREAD_LIVE || !state->depth || state->paused ||
	    (kind != CINSTR_CELL_CALL && kind != CINSTR_CELL_FLAT_CALL) || !is_waiting_call(data, cell->site))
		return;
	thread->awaiting = (struct awaiting){ .site = cell->site, .cell = state->current };
	if (!n || n + CINSTR_AWAITING_PLACES > t->buffer_bytes / sizeof(*places))
		return;
	object = half_of(&places[CINSTR_AWAITING_OBJECT]);
	holder = half_of(&places[CINSTR_AWAITING_HOLDER]);
	if (holder >> 32 != cinstr_awaiting_check(cell->site, object))
		return;
	thread->awaiting.object = object;
	thread->awaiting.since = state->time;
	thread->awaiting.holder = (uint32_t)holder;
	thread->awaiting.gave = half_of(&places[CINSTR_AWAITING_GAVE]);
}
