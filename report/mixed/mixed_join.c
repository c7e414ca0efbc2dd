/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixed_join.c - see mixed_join.h. Threads are matched by their numbers; samples taken at a time
 * without stamps of the thread say nothing about its intervals. */
#include "mixed_join.h"

#include <stdlib.h>

#include "file/self_samples.h"
#include "join.h"

static void own_code_make(struct join *join)
{
	static const enum frame_kind kinds[] = { [CINSTR_PROBE_CODE_THUNKS] = FRAME_PROBE,
						 [CINSTR_PROBE_CODE_COUNTING] = FRAME_STUB,
						 [CINSTR_PROBE_CODE_RUNTIME] = FRAME_RUNTIME };
	const struct counters *counters = join->data->counters;

	for (size_t i = 0; counters && i < counters->n_probe_code; i++) {
		const struct cinstr_probe_code *code = &counters->probe_code[i];

		if (code->kind && code->kind < ARRAY_SIZE(kinds))
			own_code_add(join, code->start, code->end, kinds[code->kind]);
	}
}

/* Ticks of the nodes on the processor, and of the recording's own work. */
static uint64_t ticks_of(const struct data *data, const struct data_thread *thread)
{
	uint64_t ticks = thread->state->runtime_ticks;

	for (size_t i = 0; i < thread->n_nodes; i++)
		ticks += division_on_cpu(data, thread->nodes[i].cell);
	return ticks;
}

/* Number of the task's samples. */
static uint64_t n_of(const struct samples *s, uint32_t task)
{
	return s->first[task + 1] - s->first[task];
}

static void join_thread(struct join *join, struct data_thread *thread, uint8_t *is_known)
{
	const struct samples *s = join->samples;
	struct projection p;

	projection_make(&p, join, thread);
	for (uint32_t task = 0; task < s->n_tasks; task++) {
		if (s->tasks[task]->tid != thread->record->tid)
			continue;
		is_known[task] = 1;
		projection_add(&p, task);
	}
	hanging_find(&p);
	join->counts->tree_ticks += ticks_of(join->data, thread);
	division_make(&p);
	projection_release(&p);
}

static void join_own(struct join *join)
{
	struct projection p;

	for (size_t i = 0; i < join->data->n_threads; i++) {
		projection_make(&p, join, &join->data->threads[i]);
		self_samples_join(&p);
		hanging_find(&p);
		join->counts->tree_ticks += ticks_of(join->data, p.thread);
		division_make(&p);
		projection_release(&p);
	}
}

static void join_threads(struct join *join)
{
	const struct samples *s = join->samples;
	uint8_t *is_known = xcalloc(s->n_tasks + 1, 1);

	for (size_t i = 0; i < join->data->n_threads; i++)
		join_thread(join, &join->data->threads[i], is_known);
	for (uint32_t task = 0; task < s->n_tasks; task++)
		join->counts->no_thread += is_known[task] ? 0 : n_of(s, task);
	free(is_known);
}

static void counts_begin(const struct join *join)
{
	const struct cinstr_sampling *info = join->sampled ? join->sampled->sampled->info : NULL;
	uint64_t n = info ? 0 : self_samples_count(join->data);

	if (!info) {
		*join->counts = (struct mixed_samples){ .kept = n,
							.no_thread = n,
							.lost = join->data->header->self_lost };
		return;
	}
	*join->counts = (struct mixed_samples){
		.kept = join->samples->first[join->samples->n_tasks],
		.discarded = info->discarded,
		.lost = info->lost,
		.kernel_ns = info->unit == CINSTR_SAMPLING_NS ? info->counted : 0,
	};
}

/* Both clocks are tied to CLOCK_MONOTONIC_RAW by pairs of stamps; a forked child's first pair is
 * its parent's. */
static void clocks_tie(struct join *join)
{
	const struct cinstr_header *timed = join->data->header, *sampled = join->sampled->header;
	int pair = timed->forked && timed->clock_ns[1], known_timed, known_sampled;
	long double ns_timed = data_ns_per_tick(join->data, &known_timed);
	long double ns_sampled = data_ns_per_tick(join->sampled, &known_sampled);
	long double apart;

	join->begin_timed = timed->clock_ticks[pair];
	join->begin_sampled = join->begin_timed;
	join->ticks_per_tick = 1;
	if (timed->clock == sampled->clock)
		return;
	join->ticks_per_tick = ns_sampled / ns_timed;
	apart = (long double)(int64_t)(timed->clock_ns[pair] - sampled->clock_ns[0]) / ns_sampled;
	join->begin_sampled = sampled->clock_ticks[0] + (uint64_t)util_whole_signed(apart);
}

static void join_samples(struct data *data, uint64_t from, uint64_t to)
{
	const struct data *sampled = data->mixed->sampled;
	struct join join = { .data = data,
			     .sampled = sampled,
			     .samples = sampled ? sampled->sampled->samples : NULL,
			     .counts = &data->mixed->samples,
			     .from = from,
			     .to = to };

	if (sampled) {
		clocks_tie(&join);
		join.frames = xcalloc(sampled->sampled->n_places, sizeof(*join.frames));
	}
	own_code_make(&join);
	levels_make(&join);
	counts_begin(&join);
	if (sampled)
		join_threads(&join);
	else
		join_own(&join);
	levels_release(&join);
	int_map_release(&join.places);
	inside_release(&join);
	free(join.own);
	free(join.frames);
}

void mixed_join(struct data *data, struct data *sampled)
{
	data->mixed = xcalloc(1, sizeof(*data->mixed));
	data->mixed->sampled = sampled;
	join_samples(data, 0, UINT64_MAX);
}

void mixed_join_own(struct data *data)
{
	if (!data->sampled && !data->merged && self_samples_count(data))
		mixed_join(data, NULL);
}

void mixed_undo(struct data *data)
{
	for (size_t i = 0; data->mixed && i < data->n_threads; i++)
		mixed_thread_undo(&data->threads[i]);
}

void mixed_redo(struct data *data, uint64_t from_ticks, uint64_t to_ticks)
{
	if (data->mixed)
		join_samples(data, from_ticks, to_ticks);
}
