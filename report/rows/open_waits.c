/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "open_waits.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "session/process_end.h"

static int is_live(const struct data_thread *thread)
{
	return thread->record->state == CINSTR_THREAD_LIVE && thread->record->end_cpu_ns != UINT64_MAX;
}

/* ---- who has it ------------------------------------------------------------------------------ */

/* Returns the thread that the wait is for, which lives; NULL: not known. */
static const struct data_thread *holder_of(const struct data *data, const struct awaiting *awaiting,
					   enum cinstr_object_kind kind)
{
	uint32_t tid = wait_holder_tid(data, awaiting->holder);

	for (size_t i = 0; i < data->n_threads; i++) {
		const struct data_thread *thread = &data->threads[i];

		if (!is_live(thread) || !awaiting->object)
			continue;
		if (kind == CINSTR_OBJECT_THREAD ? thread->record->pointer == awaiting->object
						 : thread->record->tid == tid)
			return thread;
	}
	return NULL;
}

/*
 * Whether the holder has the object still. It cannot have given it back if it has waited since
 * before the other one saw that it had it; nor if it has given no lock that somebody may have
 * waited for since then, and waits now. A thread that has not ended is still to be waited for.
 */
static int still_has(const struct awaiting *holder, const struct awaiting *waiter,
		     enum cinstr_object_kind kind)
{
	if (kind == CINSTR_OBJECT_THREAD || holder == waiter)
		return 1;
	return holder->object && (holder->since <= waiter->since || holder->gave < waiter->since);
}

static const struct cinstr_cell *current_of(const struct data *data, const struct data_thread *thread)
{
	return (const void *)(data->memory + (uint64_t)thread->state->current * sizeof(struct cinstr_cell));
}

static const char *keep(struct names *names, const char *text)
{
	return text && *text ? map_keep(&names->strings, text) : NULL;
}

/* Returns the thread, and where it is. */
static struct wait_party party_of(struct names *names, const struct data *data,
				  const struct data_thread *thread)
{
	const struct cinstr_cell *cell = current_of(data, thread);
	struct wait_party party = { .tid = thread->record->tid,
				    .name = wait_thread_called(names, data, thread->record->tid),
				    .is_first = thread->record->tid == data->header->pid,
				    .at = { .entity = NAMES_NONE } };
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	if (kind == CINSTR_CELL_LINE) {
		cell = (const void *)(data->memory + (uint64_t)cell->parent * sizeof(*cell));
		kind = CINSTR_CELL_KIND(cell->tag);
	}
	if (thread->awaiting.site) {
		party.at = wait_place_waiter(names, data, thread->awaiting.site, thread->awaiting.cell);
	} else if (kind == CINSTR_CELL_CALL || kind == CINSTR_CELL_INDIRECT ||
		   kind == CINSTR_CELL_FLAT_CALL) {
		party.at = wait_place_of(names, data, cell->site);
		party.calls = keep(names, wait_callee(data, cell->site));
	} else if (kind == CINSTR_CELL_FRAME) {
		party.at.entity = names_of_cell(names, data, cell);
	}
	return party;
}

/* ---- a process ------------------------------------------------------------------------------- */

static int is_timed(const char *callee)
{
	return strstr(callee, "timed") || strstr(callee, "clock") || strstr(callee, "_until");
}

static int ended_by_itself(const struct ending *ending)
{
	return ending->kind == ENDING_EXIT || ending->kind == ENDING_HANDLERS ||
	       ending->kind == ENDING_EXEC ||
	       (ending->kind == ENDING_CALL && ending_signal(ending) < 0 && !ending_is_death(ending));
}

static void add_wait(struct open_waits *waits, struct names *names, const struct data *data,
		     const struct data_thread *thread)
{
	const struct awaiting *awaiting = &thread->awaiting;
	enum cinstr_object_kind kind = wait_kind(data, awaiting->site, awaiting->object);
	const struct data_thread *holder = holder_of(data, awaiting, kind);
	struct open_wait *wait;
	int known;

	ARRAY_ONE_MORE(waits->list, waits->n);
	wait = &waits->list[waits->n++];
	*wait = (struct open_wait){ .pid = data->header->pid,
				    .kind = kind,
				    .address = awaiting->object,
				    .waiter = party_of(names, data, thread),
				    .path = wait_path(names, data, awaiting->cell),
				    .is_timed = is_timed(wait_callee(data, awaiting->site)),
				    .holder = { .at = { .entity = NAMES_NONE } },
				    .next = OPEN_WAIT_NONE };
	if (awaiting->object)
		wait->readers = wait_holder_readers(data, awaiting->holder);
	if (kind != CINSTR_OBJECT_THREAD)
		wait->name = wait_object_name(names, data, awaiting->object, &wait->module);
	if (awaiting->object)
		wait->since = data_ns_since_begin(data, awaiting->since);
	if (awaiting->object && data->end_ticks > awaiting->since)
		wait->ns = (long double)(data->end_ticks - awaiting->since) * data_ns_per_tick(data, &known);
	if (!holder)
		return;
	wait->holder = party_of(names, data, holder);
	wait->is_certain = still_has(&holder->awaiting, awaiting, kind);
}

/* Links the waits from `first` on, which are of one process. */
static void link_holders(struct open_waits *waits, size_t first)
{
	for (size_t i = first; i < waits->n; i++)
		for (size_t k = first; k < waits->n && waits->list[i].holder.tid; k++)
			if (waits->list[k].waiter.tid == waits->list[i].holder.tid)
				waits->list[i].next = k;
}

/* Numbers the waits of a circle that `start` is a part of; a time limit breaks it. */
static void mark_cycle(struct open_waits *waits, size_t start, size_t n)
{
	size_t at = start;

	for (size_t steps = 0; at != OPEN_WAIT_NONE && steps < n; steps++) {
		if (waits->list[at].is_timed || waits->list[at].cycle)
			return;
		at = waits->list[at].next;
		if (at == start)
			break;
	}
	if (at != start)
		return;
	waits->n_cycles++;
	do {
		waits->list[at].cycle = waits->n_cycles;
		at = waits->list[at].next;
	} while (at != start);
}

/* Puts the waits from `first` on into order: circles, each as its threads wait for one another,
 * then the others. */
static void put_in_order(struct open_waits *waits, size_t first)
{
	size_t n = waits->n - first, done = 0;
	FREED struct open_wait *old = xcalloc(n + 1, sizeof(*old));
	FREED size_t *places = xcalloc(n + 1, sizeof(*places));

	if (n)
		memcpy(old, waits->list + first, n * sizeof(*old));
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n; i++)
			for (size_t at = i; !places[at] && (pass || old[at].cycle);) {
				waits->list[first + done] = old[at];
				places[at] = ++done;
				if (!pass)
					at = old[at].next - first;
			}
	for (size_t i = first; i < waits->n; i++)
		if (waits->list[i].next != OPEN_WAIT_NONE)
			waits->list[i].next = first + places[waits->list[i].next - first] - 1;
}

void open_waits_add(struct open_waits *waits, struct names *names, const struct data *data)
{
	size_t first = waits->n, live = 0;
	struct ending ending;

	if (data->sampled || data->merged)
		return;
	for (size_t i = 0; i < data->n_threads; i++) {
		live += is_live(&data->threads[i]);
		if (is_live(&data->threads[i]) && data->threads[i].awaiting.site)
			add_wait(waits, names, data, &data->threads[i]);
	}
	if (first == waits->n)
		return;
	link_holders(waits, first);
	for (size_t i = first; i < waits->n; i++)
		mark_cycle(waits, i, waits->n - first);
	put_in_order(waits, first);
	ending = ending_of(data, names);
	for (size_t i = first; i < waits->n; i++) {
		waits->list[i].is_left = ended_by_itself(&ending);
		waits->list[i].end_is_known = data->header->end_ticks || ending.until_now;
		waits->list[i].all_wait = waits->n - first == live;
	}
}

size_t open_waits_in_cycle(const struct open_waits *waits, size_t first)
{
	size_t n = 0;

	while (first + n < waits->n && waits->list[first + n].cycle == waits->list[first].cycle)
		n++;
	return n;
}

int open_waits_is_certain(const struct open_waits *waits, size_t first)
{
	size_t n = open_waits_in_cycle(waits, first);

	for (size_t i = first; i < first + n; i++)
		if (!waits->list[i].is_certain)
			return 0;
	return 1;
}

/* ---- what is told of them -------------------------------------------------------------------- */

static int is_same(const struct open_wait *a, const struct open_wait *b)
{
	return a->pid == b->pid && a->kind == b->kind && a->address == b->address &&
	       a->waiter.at.entity == b->waiter.at.entity && a->waiter.at.line == b->waiter.at.line &&
	       a->holder.tid == b->holder.tid && !a->cycle && !b->cycle;
}

int open_wait_is_shown(const struct open_wait *wait)
{
	return wait->cycle || !wait->is_left;
}

int open_waits_any_shown(const struct open_waits *waits)
{
	for (size_t i = 0; i < waits->n; i++)
		if (open_wait_is_shown(&waits->list[i]))
			return 1;
	return 0;
}

int open_waits_is_told(const struct open_waits *waits, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (is_same(&waits->list[k], &waits->list[i]))
			return 1;
	return 0;
}

size_t open_waits_more(const struct open_waits *waits, size_t i)
{
	size_t more = 0;

	for (size_t k = i + 1; k < waits->n; k++)
		more += is_same(&waits->list[i], &waits->list[k]) != 0;
	return more;
}

void open_waits_release(struct open_waits *waits)
{
	for (size_t i = 0; i < waits->n; i++) {
		free(waits->list[i].path);
		free(waits->list[i].name);
	}
	free(waits->list);
}
