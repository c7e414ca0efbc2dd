/* SPDX-License-Identifier: GPL-3.0-or-later */
/* values.c - see values.h. */
#include "values_inside.h"

#include <stdlib.h>

#include "file/cell_details.h"
#include "lib/util.h"

int values_is_system_call(const struct data *data, const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);
	const struct module *module;
	const struct module_site *site;

	if (kind != CINSTR_CELL_CALL && kind != CINSTR_CELL_INDIRECT && kind != CINSTR_CELL_FLAT_CALL)
		return 0;
	module = modules_by_code(&data->modules, cell->site);
	site = module ? module_site(module, cell->site) : NULL;
	return site && CINSTR_SITE_CALLEE(site->flags) == CINSTR_SITE_SYSCALL;
}

uint64_t values_left_out(const struct data *data, uint32_t first, const struct counting *counting,
			 uint64_t *off_cpu, uint64_t *intervals)
{
	uint64_t ticks = 0;

	*off_cpu = *intervals = 0;
	for (uint32_t i = first; i;) {
		const struct cinstr_bucket *bucket =
			(const void *)(data->memory + (uint64_t)i * sizeof(struct cinstr_cell));

		*off_cpu += bucket->off_cpu_ticks;
		if (bucket->bits & counting->os_mask) {
			ticks += bucket->ticks;
			*intervals += counting->on_cpu ? 0 : bucket->intervals;
		}
		i = bucket->next;
	}
	return counting->on_cpu ? *off_cpu : ticks;
}

/* The same of a node, of which it may be all. */
static uint64_t left_out_whole(const struct data *data, const struct cinstr_cell *cell,
			       const struct counting *counting, uint64_t *off_cpu, uint64_t *intervals)
{
	uint64_t ticks =
		values_left_out(data, details_buckets(data->memory, cell), counting, off_cpu, intervals);

	if (!counting->on_cpu && counting->os_mask & CINSTR_OS_SYSCALL && values_is_system_call(data, cell))
		return UINT64_MAX;
	return ticks;
}

/* See AMOUNTS. Of what was divided by samples, application time leaves out no more than time off
 * the processor. */
static uint64_t preempted_work(const struct data *data, const struct cinstr_cell *cell,
			       const struct counting *counting, const struct ticks *t)
{
	uint64_t work = 0;

	if (counting->on_cpu || values_is_system_call(data, cell))
		return 0;
	for (uint32_t i = details_buckets(data->memory, cell); i;) {
		const struct cinstr_bucket *bucket =
			(const void *)(data->memory + (uint64_t)i * sizeof(struct cinstr_cell));

		if ((bucket->bits & counting->os_mask) == CINSTR_OS_INVOLUNTARY)
			work += value_less(bucket->ticks, bucket->off_cpu_ticks);
		i = bucket->next;
	}
	return value_least(work, value_less(value_less(t->elapsed, t->off_cpu), t->application));
}

uint64_t values_preempted(const struct data *data, uint32_t first, uint64_t off_cpu)
{
	uint64_t ticks = 0;

	for (uint32_t i = first; i;) {
		const struct cinstr_bucket *bucket =
			(const void *)(data->memory + (uint64_t)i * sizeof(struct cinstr_cell));

		if (!(bucket->bits & VALUES_GAVE_AWAY))
			ticks += bucket->off_cpu_ticks;
		i = bucket->next;
	}
	return value_least(ticks, off_cpu);
}

static void ticks_add(struct ticks *to, const struct ticks *from)
{
#define ADD(name) to->name += from->name;
	AMOUNTS(ADD)
#undef ADD
}

void values_subtract(struct ticks *from, const struct ticks *what)
{
	uint64_t below = value_less(from->overhead - from->overhead_low, what->overhead - what->overhead_low);
	uint64_t above =
		value_less(from->overhead_high - from->overhead, what->overhead_high - what->overhead);

	from->elapsed = value_less(from->elapsed, what->elapsed);
	from->application = value_less(from->application, what->application);
	from->overhead = value_less(from->overhead, what->overhead);
	from->off_cpu = value_least(value_less(from->off_cpu, what->off_cpu), from->elapsed);
	from->overhead_low = value_less(from->overhead, below);
	from->overhead_high = from->overhead + value_least(above, from->elapsed);
	from->application_uncertainty =
		value_less(from->application_uncertainty, what->application_uncertainty);
	from->preempted_work = value_less(from->preempted_work, what->preempted_work);
	from->preempted = value_least(value_less(from->preempted, what->preempted), from->off_cpu);
}

/* Returns what samples have made of the cell, or NULL. In a merged file times were divided, and
 * time off the processor left out, when each process was added. */
static const struct mixed_cell *divided_cell(const struct data *data, const struct data_thread *thread,
					     const struct cinstr_cell *cell)
{
	return data->merged ? NULL : mixed_cell(thread, cell);
}

/*
 * The same. about: of a cell whose time on the processor was divided by samples, or which has got a
 * part of it (file/mixed.h); else NULL. Its intervals are those of many calls that were counted, so
 * that nearly all of them have an event of the system: only time off the processor is left out.
 */
static uint64_t left_out(const struct data *data, const struct cinstr_cell *cell,
			 const struct mixed_cell *about, const struct counting *counting, uint64_t *off_cpu,
			 uint64_t *intervals)
{
	uint64_t out = left_out_whole(data, cell, counting, off_cpu, intervals);

	if (!about || out == UINT64_MAX)
		return out;
	*intervals = 0;
	return *off_cpu;
}

static uint64_t uncertainty(const struct ticks *t)
{
	uint64_t below = t->overhead - t->overhead_low, above = t->overhead_high - t->overhead;

	return below > above ? below : above;
}

/*
 * Application time of a node: each interval that is left out takes its overhead with it. How much
 * that was is known on average only. Returns what is left of the overhead.
 */
static uint64_t set_application(const struct data *data, const struct cinstr_cell *cell,
				const struct mixed_cell *about, const struct counting *counting,
				const struct overhead *overhead, struct ticks *t)
{
	uint64_t intervals, out = left_out(data, cell, about, counting, &t->off_cpu, &intervals);
	uint64_t subtracted = counting->raw ? 0 : t->overhead, within;

	/* Overhead is time on the processor; where the clocks leave less than that, the rest of it
	 * was taken from what they measured as time off it. */
	t->off_cpu = value_least(t->off_cpu, t->elapsed);
	if (out >= (data->merged && !counting->raw ? t->elapsed : cell->ticks)) {
		t->application = 0;
		t->application_uncertainty = 0;
		return 0;
	}
	intervals = value_least(intervals, overhead->intervals);
	within = intervals ? value_least(share(subtracted, intervals, overhead->intervals), out) : 0;
	/* merged: done for each process */
	t->application = value_less(t->elapsed, data->merged && !counting->on_cpu ? out : out - within);
	t->application_uncertainty = within;
	if (intervals)
		t->application_uncertainty +=
			share(uncertainty(t), overhead->intervals - intervals, overhead->intervals);
	else if (overhead->intervals)
		t->application_uncertainty += uncertainty(t);
	return value_less(subtracted, within);
}

/* All of a node's own values. The uncertainty is without `late` work. Returns the overhead within
 * application time. */
static uint64_t set_exclusive(const struct data *data, const struct cinstr_cell *cell,
			      const struct mixed_cell *about, const struct counting *counting,
			      const struct overhead *overhead, struct ticks *t)
{
	uint64_t left;

	t->overhead = overhead->of[OVERHEAD_MEAN];
	t->overhead_low = counting->raw ? t->overhead : overhead->of[OVERHEAD_LOW];
	t->overhead_high = counting->raw ? t->overhead : overhead->of[OVERHEAD_HIGH];
	t->elapsed = cell->ticks - (counting->raw ? 0 : t->overhead);
	left = set_application(data, cell, about, counting, overhead, t);
	t->preempted_work = t->preempted = 0;
	t->share_mark = data->executed ? data_cell_mark(cell) & ~(DATA_CELL_ROUGH | DATA_CELL_RECURSIVE) : 0;
	if (!cell->detail) /* nothing of the system happened in it */
		return left;
	t->preempted_work = about ? 0 : preempted_work(data, cell, counting, t);
	t->preempted = values_preempted(data, details_buckets(data->memory, cell), t->off_cpu);
	return left;
}

/* The value may also be off by the `late` work of n intervals. */
static void widen(struct ticks *t, const struct overhead_costs *costs, const struct counting *counting,
		  uint64_t n)
{
	uint64_t late = counting->raw ? 0 : overhead_late(costs, n);

	t->overhead_low = value_less(t->overhead_low, late);
	t->overhead_high += value_least(late, value_less(t->elapsed, t->overhead_high - t->overhead));
	if (t->application || t->application_uncertainty)
		t->application_uncertainty += late;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void inner_number(struct values *values)
{
	size_t n_nodes = values->thread->n_nodes, n_words = n_nodes / 64 + 1;
	uint32_t n = 0;

	values->inner = xcalloc(n_words, sizeof(*values->inner));
	values->before = xcalloc(n_words, sizeof(*values->before));
	for (size_t i = 0; i < n_nodes; i++) {
		if (i % 64 == 0)
			values->before[i / 64] = n;
		if (!value_is_inner(values, i))
			continue;
		values->inner[i / 64] |= UINT64_C(1) << i % 64;
		n++;
	}
	values->inclusive = xcalloc(n, sizeof(*values->inclusive));
	values->more = xcalloc(n, sizeof(*values->more));
}

void values_own(struct values *values, size_t node)
{
	const struct cinstr_cell *cell = values->thread->nodes[node].cell;

	if (values->own_node == node)
		return;
	values->own_node = node;
	values->own_overhead = overheads_of(&values->overheads, node);
	values->own_application_overhead =
		set_exclusive(values->data, cell, divided_cell(values->data, values->thread, cell),
			      &values->counting, &values->own_overhead, &values->own);
}

/* Late work stays within a node that holds both neighbours. */
static void widen_inclusive(const struct values *values, size_t node, struct ticks *t)
{
	if (!mixed_short(values->thread, node))
		widen(t, &values->overheads.costs, &values->counting,
		      node ? values->thread->nodes[node].cell->calls : 0);
}

static void inner_add(const struct values *values, size_t node, const struct inner *child, struct inner *sum)
{
	sum->events += overhead_events(values->thread->nodes[node].cell) + child->events;
	sum->application_overhead += child->application_overhead;
}

/* Children stand behind their parents: the last first. */
static void inclusive_sum(struct values *values, void (*each)(void *arg, struct values *values, size_t node),
			  void *arg)
{
	for (size_t i = values->thread->n_nodes; i-- > 0;) {
		struct ticks t, *inclusive = &t;
		struct inner own = { 0 }, *more = &own;

		values_own(values, i);
		t = values->own;
		own.application_overhead = values->own_application_overhead;
		if (value_is_inner(values, i)) {
			inclusive = value_inclusive_of(values, i);
			ticks_add(inclusive, &t);
			more = value_inner_of(values, i);
			more->application_overhead += own.application_overhead;
		}
		if (i) {
			size_t parent = value_number_of(values, values->thread->nodes[i].parent);

			ticks_add(&values->inclusive[parent], inclusive);
			inner_add(values, i, more, &values->more[parent]);
		}
		widen_inclusive(values, i, inclusive);
		if (each)
			each(arg, values, i);
	}
}

struct values *values_make_each(const struct data *data, const struct data_thread *thread,
				const struct counting *counting,
				void (*each)(void *arg, struct values *values, size_t node), void *arg)
{
	struct values *values = xcalloc(1, sizeof(*values));

	*values = (struct values){ .data = data,
				   .thread = thread,
				   .counting = *counting,
				   .at_node = SIZE_MAX,
				   .own_node = SIZE_MAX };
	overheads_init(&values->overheads, data, thread);
	inner_number(values);
	inclusive_sum(values, each, arg);
	return values;
}

struct values *values_make(const struct data *data, const struct data_thread *thread,
			   const struct counting *counting)
{
	return values_make_each(data, thread, counting, NULL, NULL);
}

void values_release(struct values *values)
{
	overheads_release(&values->overheads);
	free(values->inner);
	free(values->before);
	free(values->inclusive);
	free(values->more);
	free(values);
}

const struct node_values *values_at(struct values *values, size_t node)
{
	struct node_values *at = &values->at;

	if (values->at_node == node)
		return at;
	values->at_node = node;
	values_own(values, node);
	at->exclusive = values->own;
	if (value_is_inner(values, node)) {
		at->inclusive = *value_inclusive_of(values, node);
	} else {
		at->inclusive = at->exclusive;
		widen_inclusive(values, node, &at->inclusive);
	}
	if (!mixed_short(values->thread, node))
		widen(&at->exclusive, &values->overheads.costs, &values->counting,
		      values->own_overhead.intervals);
	return at;
}

struct overhead values_overhead(struct values *values, size_t node)
{
	values_own(values, node);
	return values->own_overhead;
}

const struct overhead_costs *values_costs(const struct values *values)
{
	return &values->overheads.costs;
}

void values_set(struct values *values, size_t node, const struct node_values *of_node)
{
	values->at_node = node;
	values->at = *of_node;
}

uint64_t values_corrected(const struct data_thread *thread, size_t node, struct values *values,
			  const struct counting *counting, uint64_t ticks)
{
	const struct ticks *t = &values_at(values, node)->inclusive;
	struct cost_share cost = { t->overhead, t->elapsed + t->overhead, thread->nodes[node].cell->calls,
				   thread->nodes[node].last == node };

	return counting->raw ? ticks : value_of_one(ticks, &cost);
}

uint64_t values_corrected_flat(const struct node_values *values, uint64_t calls,
			       const struct counting *counting, uint64_t ticks)
{
	const struct ticks *t = &values->inclusive;
	struct cost_share cost = { t->overhead, t->elapsed + t->overhead, calls, 0 };

	return counting->raw ? ticks : value_of_one(ticks, &cost);
}

void values_add(struct ticks *to, const struct ticks *from)
{
	ticks_add(to, from);
}

/* Adds what `ticks` have of `all`, which `raw` ticks came to. */
static void add_share(struct ticks *to, uint64_t ticks, const struct ticks *all, uint64_t raw)
{
#define ADD_SHARE(name) to->name += share(ticks, all->name, raw);
	AMOUNTS(ADD_SHARE)
#undef ADD_SHARE
}

struct node_values *values_make_flat(const struct data *data, const struct data_thread *thread,
				     const struct counting *counting)
{
	struct node_values *values = xcalloc(thread->n_flat, sizeof(*values));
	struct ticks *exclusive = xcalloc(thread->n_flat, sizeof(*exclusive)), all = { 0 };
	struct overhead_costs costs;
	uint64_t raw = 0;

	overhead_costs(&costs, &data->header->calibration);
	for (size_t i = 0; i < thread->n_flat; i++) {
		const struct cinstr_cell *cell = thread->flat[i];
		struct overhead overhead = thread->merged ? overhead_of_merged(thread->merged, cell)
							  : overhead_of_flat(&costs, cell, cell->flat_calls);

		set_exclusive(data, cell, NULL, counting, &overhead, &exclusive[i]);
		values[i].exclusive = exclusive[i];
		ticks_add(&all, &exclusive[i]);
		widen(&values[i].exclusive, &costs, counting, overhead.intervals);
		raw += cell->ticks;
	}
	for (size_t i = 0; i < thread->n_flat; i++) {
		const struct cinstr_cell *cell = thread->flat[i];
		uint64_t own = value_least(cell->flat_ticks, cell->ticks);

		/* Its own time, and what it called, of which only the sum is known. */
		add_share(&values[i].inclusive, own, &exclusive[i], cell->ticks);
		add_share(&values[i].inclusive, cell->flat_ticks - own, &all, raw);
		widen(&values[i].inclusive, &costs, counting, cell->calls);
	}
	free(exclusive);
	return values;
}

int64_t values_conservation(const struct data_thread *thread)
{
	uint64_t length =
		thread->cells ? thread->n_samples : thread->state->time - thread->record->first_ticks;
	uint64_t sum = thread->state->runtime_ticks + thread->state->paused_ticks +
		       thread->state->between_ticks + thread->elsewhere_ticks;

	for (size_t i = 0; i < thread->n_nodes; i++)
		sum += thread->nodes[i].cell->ticks;
	return (int64_t)(sum - length);
}
