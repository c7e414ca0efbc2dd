/* SPDX-License-Identifier: GPL-3.0-or-later */
/* values.c - see values.h. */
#include "values.h"

#include <stdlib.h>

#include "details.h"
#include "overhead.h"
#include "util.h"

int values_is_system_call(const struct data *data, const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);
	const struct module *module;
	const struct module_site *site;

	if (kind != CINSTR_CELL_CALL && kind != CINSTR_CELL_INDIRECT && kind != CINSTR_CELL_FLAT_CALL)
		return 0;
	module = modules_by_code(&data->modules, cell->site);
	site = module ? module_site(module, cell->site) : NULL;
	return site && site->flags & CINSTR_SITE_SYSCALL;
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
static uint64_t left_out(const struct data *data, const struct cinstr_cell *cell,
			 const struct counting *counting, uint64_t *off_cpu, uint64_t *intervals)
{
	uint64_t ticks =
		values_left_out(data, details_buckets(data->memory, cell), counting, off_cpu, intervals);

	if (!counting->on_cpu && counting->os_mask & CINSTR_OS_SYSCALL && values_is_system_call(data, cell))
		return UINT64_MAX;
	return ticks;
}

/* `whole` in the proportion part / all. */
static uint64_t share(uint64_t whole, uint64_t part, uint64_t all)
{
	return all ? (uint64_t)((unsigned __int128)whole * part / all) : 0;
}

static uint64_t less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void ticks_add(struct ticks *to, const struct ticks *from)
{
	to->elapsed += from->elapsed;
	to->application += from->application;
	to->overhead += from->overhead;
	to->off_cpu += from->off_cpu;
	to->overhead_low += from->overhead_low;
	to->overhead_high += from->overhead_high;
	to->application_uncertainty += from->application_uncertainty;
}

void values_subtract(struct ticks *from, const struct ticks *what)
{
	uint64_t below = less(from->overhead - from->overhead_low, what->overhead - what->overhead_low);
	uint64_t above = less(from->overhead_high - from->overhead, what->overhead_high - what->overhead);

	from->elapsed = less(from->elapsed, what->elapsed);
	from->application = less(from->application, what->application);
	from->overhead = less(from->overhead, what->overhead);
	from->off_cpu = less(from->off_cpu, what->off_cpu);
	from->overhead_low = less(from->overhead, below);
	from->overhead_high = from->overhead + least(above, from->elapsed);
	from->application_uncertainty = less(from->application_uncertainty, what->application_uncertainty);
}

static uint64_t uncertainty(const struct ticks *t)
{
	uint64_t below = t->overhead - t->overhead_low, above = t->overhead_high - t->overhead;

	return below > above ? below : above;
}

/*
 * Application time of a node: each interval that is left out takes its overhead with it. How much that was is known on average
 * only.
 */
static void set_application(const struct data *data, const struct cinstr_cell *cell,
			    const struct counting *counting, const struct overhead *overhead, struct ticks *t)
{
	uint64_t intervals, out = left_out(data, cell, counting, &t->off_cpu, &intervals);
	uint64_t subtracted = counting->raw ? 0 : t->overhead, within;

	if (out >= cell->ticks) {
		t->application = 0;
		t->application_uncertainty = 0;
		return;
	}
	intervals = least(intervals, overhead->intervals);
	within = least(share(subtracted, intervals, overhead->intervals), out);
	t->application = less(t->elapsed, out - within);
	t->application_uncertainty =
		share(uncertainty(t), overhead->intervals - intervals, overhead->intervals) + within;
}

/* All of a node's own values. The uncertainty is without `late` work. */
static void set_exclusive(const struct data *data, const struct cinstr_cell *cell,
			  const struct counting *counting, const struct overhead *overhead, struct ticks *t)
{
	t->overhead = overhead->of[OVERHEAD_MEAN];
	t->overhead_low = counting->raw ? t->overhead : overhead->of[OVERHEAD_LOW];
	t->overhead_high = counting->raw ? t->overhead : overhead->of[OVERHEAD_HIGH];
	t->elapsed = cell->ticks - (counting->raw ? 0 : t->overhead);
	set_application(data, cell, counting, overhead, t);
}

/* The value may also be off by the `late` work of n intervals. */
static void widen(struct ticks *t, const struct overhead_costs *costs, const struct counting *counting,
		  uint64_t n)
{
	uint64_t late = counting->raw ? 0 : overhead_late(costs, n);

	t->overhead_low = less(t->overhead_low, late);
	t->overhead_high += least(late, less(t->elapsed, t->overhead_high - t->overhead));
	if (t->application || t->application_uncertainty)
		t->application_uncertainty += late;
}

/* ---- nodes ------------------------------------------------------------------------------------- */

/*
 * Of a node that has called nothing both values follow from its cell. Of the others the inclusive ones are kept, in the order of
 * the nodes: `inner` says which these are, 64 in a word, and `before` how many there are before a word's.
 */
struct values {
	const struct data *data;
	const struct data_thread *thread;
	struct counting counting;
	struct overheads overheads;
	uint64_t *inner;
	uint32_t *before;
	struct ticks *inclusive;
	struct node_values at; /* of at_node */
	size_t at_node;
};

static int is_inner(const struct values *values, size_t node)
{
	return values->thread->nodes[node].last != node;
}

static struct ticks *inclusive_of(const struct values *values, size_t node)
{
	uint64_t below = values->inner[node / 64] & ((UINT64_C(1) << node % 64) - 1);

	return &values->inclusive[values->before[node / 64] + (uint32_t)__builtin_popcountll(below)];
}

static void inner_number(struct values *values)
{
	size_t n_nodes = values->thread->n_nodes, n_words = n_nodes / 64 + 1;
	uint32_t n = 0;

	values->inner = xcalloc(n_words, sizeof(*values->inner));
	values->before = xcalloc(n_words, sizeof(*values->before));
	for (size_t i = 0; i < n_nodes; i++) {
		if (i % 64 == 0)
			values->before[i / 64] = n;
		if (!is_inner(values, i))
			continue;
		values->inner[i / 64] |= UINT64_C(1) << i % 64;
		n++;
	}
	values->inclusive = xcalloc(n, sizeof(*values->inclusive));
}

/* A node's exclusive values, not widened yet; returns the intervals that they are of. */
static uint64_t exclusive_of(const struct values *values, size_t node, struct ticks *t)
{
	struct overhead overhead = overheads_of(&values->overheads, node);

	set_exclusive(values->data, values->thread->nodes[node].cell, &values->counting, &overhead, t);
	return overhead.intervals;
}

/* Late work stays within a node that holds both neighbours. */
static void widen_inclusive(const struct values *values, size_t node, struct ticks *t)
{
	widen(t, &values->overheads.costs, &values->counting,
	      node ? values->thread->nodes[node].cell->calls : 0);
}

/* Children stand behind their parents: the last first. */
static void inclusive_sum(struct values *values)
{
	for (size_t i = values->thread->n_nodes; i-- > 0;) {
		struct ticks t, *inclusive = &t;

		exclusive_of(values, i, &t);
		if (is_inner(values, i)) {
			inclusive = inclusive_of(values, i);
			ticks_add(inclusive, &t);
		}
		if (i)
			ticks_add(inclusive_of(values, values->thread->nodes[i].parent), inclusive);
		widen_inclusive(values, i, inclusive);
	}
}

struct values *values_make(const struct data *data, const struct data_thread *thread,
			   const struct counting *counting)
{
	struct values *values = xcalloc(1, sizeof(*values));

	*values =
		(struct values){ .data = data, .thread = thread, .counting = *counting, .at_node = SIZE_MAX };
	overheads_init(&values->overheads, &data->header->calibration, thread);
	inner_number(values);
	inclusive_sum(values);
	return values;
}

void values_release(struct values *values)
{
	overheads_release(&values->overheads);
	free(values->inner);
	free(values->before);
	free(values->inclusive);
	free(values);
}

const struct node_values *values_at(struct values *values, size_t node)
{
	struct node_values *at = &values->at;
	uint64_t intervals;

	if (values->at_node == node)
		return at;
	values->at_node = node;
	*at = (struct node_values){ 0 };
	intervals = exclusive_of(values, node, &at->exclusive);
	if (is_inner(values, node)) {
		at->inclusive = *inclusive_of(values, node);
	} else {
		at->inclusive = at->exclusive;
		widen_inclusive(values, node, &at->inclusive);
	}
	widen(&at->exclusive, &values->overheads.costs, &values->counting, intervals);
	return at;
}

void values_set(struct values *values, size_t node, const struct node_values *of_node)
{
	values->at_node = node;
	values->at = *of_node;
}

/* Exclusive overhead of a node; a function's lines are parts of it. */
static uint64_t exclusive_overhead(struct values *values, size_t node)
{
	const struct data_node *nodes = values->thread->nodes;
	uint64_t sum = values_at(values, node)->exclusive.overhead;

	for (size_t i = node + 1; i <= nodes[node].last; i = (size_t)nodes[i].last + 1)
		if (CINSTR_CELL_KIND(nodes[i].cell->tag) == CINSTR_CELL_LINE)
			sum += overheads_of(&values->overheads, i).of[OVERHEAD_MEAN];
	return sum;
}

/* What probes cost of one kind of a node's time, and that time with it. */
struct cost_share {
	uint64_t overhead, raw, calls;
	int is_leaf;
};

/*
 * An activation's ticks less the mean overhead of one; where it has calls of its own, and so more of them the longer it takes, at most its
 * share by time: else nothing would be left of the short ones.
 */
static uint64_t of_one(uint64_t ticks, const struct cost_share *cost)
{
	uint64_t mean = cost->calls ? cost->overhead / cost->calls : 0;
	uint64_t part = cost->is_leaf ? mean : share(ticks, cost->overhead, cost->raw);

	part = part < mean ? part : mean;
	return ticks > part ? ticks - part : 0;
}

/* Both elapsed values are known, or none; likewise application. */
static void extremes_set(struct extremes *extremes, enum value_kind inclusive, enum value_kind exclusive,
			 const struct details_extremes *raw, const struct cost_share *costs)
{
	const enum value_kind kinds[2] = { inclusive, exclusive };

	for (int i = 0; i < 2; i++) {
		if (raw->shortest[i] > raw->longest[i])
			continue;
		extremes->shortest[kinds[i]] = of_one(raw->shortest[i], &costs[i]);
		extremes->longest[kinds[i]] = of_one(raw->longest[i], &costs[i]);
	}
}

static struct cost_share inclusive_cost(const struct data_thread *thread, size_t node, struct values *values)
{
	const struct ticks *t = &values_at(values, node)->inclusive;

	return (struct cost_share){ t->overhead, t->elapsed + t->overhead, thread->nodes[node].cell->calls,
				    thread->nodes[node].last == node };
}

uint64_t values_corrected(const struct data_thread *thread, size_t node, struct values *values,
			  const struct counting *counting, uint64_t ticks)
{
	struct cost_share cost = inclusive_cost(thread, node, values);

	return counting->raw ? ticks : of_one(ticks, &cost);
}

void values_extremes(const struct data *data, const struct data_thread *thread, size_t node,
		     struct values *values, const struct counting *counting, struct extremes *extremes)
{
	const struct cinstr_cell *cell = thread->nodes[node].cell;
	struct cost_share costs[2] = { { 0 } };
	struct details_extremes raw;

	for (int kind = 0; kind < VALUE_KINDS; kind++) {
		extremes->shortest[kind] = UINT64_MAX;
		extremes->longest[kind] = 0;
	}
	if (!counting->raw) {
		costs[CINSTR_INCLUSIVE] = inclusive_cost(thread, node, values);
		costs[CINSTR_EXCLUSIVE] = (struct cost_share){ exclusive_overhead(values, node), cell->ticks,
							       cell->calls, costs[CINSTR_INCLUSIVE].is_leaf };
	}
	details_extremes(data->memory, cell, CINSTR_DIRTY_ELAPSED, &raw);
	extremes_set(extremes, VALUE_ELAPSED_INCLUSIVE, VALUE_ELAPSED_EXCLUSIVE, &raw, costs);
	/* The runtime has kept these for the default mask. */
	if (!counting->on_cpu && counting->os_mask != CINSTR_OS_DEFAULT_MASK)
		return;
	details_extremes(data->memory, cell, counting->on_cpu ? CINSTR_DIRTY_ON_CPU : CINSTR_DIRTY_INTERVAL,
			 &raw);
	extremes_set(extremes, VALUE_APPLICATION_INCLUSIVE, VALUE_APPLICATION_EXCLUSIVE, &raw, costs);
}

uint64_t values_corrected_flat(const struct node_values *values, uint64_t calls,
			       const struct counting *counting, uint64_t ticks)
{
	const struct ticks *t = &values->inclusive;
	struct cost_share cost = { t->overhead, t->elapsed + t->overhead, calls, 0 };

	return counting->raw ? ticks : of_one(ticks, &cost);
}

void values_add(struct ticks *to, const struct ticks *from)
{
	ticks_add(to, from);
}

void values_extremes_flat(const struct data *data, const struct cinstr_cell *cell,
			  const struct node_values *values, uint64_t calls, const struct counting *counting,
			  struct extremes *extremes)
{
	const struct ticks *t[2] = { &values->inclusive, &values->exclusive };
	struct cost_share costs[2] = { { 0 } };
	struct details_extremes raw;

	for (int i = 0; i < 2 && !counting->raw; i++)
		costs[i] = (struct cost_share){ t[i]->overhead, t[i]->elapsed + t[i]->overhead, calls, 0 };
	for (int kind = 0; kind < VALUE_KINDS; kind++) {
		extremes->shortest[kind] = UINT64_MAX;
		extremes->longest[kind] = 0;
	}
	details_extremes(data->memory, cell, CINSTR_DIRTY_ELAPSED, &raw);
	extremes_set(extremes, VALUE_ELAPSED_INCLUSIVE, VALUE_ELAPSED_EXCLUSIVE, &raw, costs);
	if (counting->on_cpu || counting->os_mask == CINSTR_OS_DEFAULT_MASK)
		extremes_set(extremes, VALUE_APPLICATION_INCLUSIVE, VALUE_APPLICATION_EXCLUSIVE, &raw, costs);
}

/* Adds what `ticks` have of `all`, which `raw` ticks came to. */
static void add_share(struct ticks *to, uint64_t ticks, const struct ticks *all, uint64_t raw)
{
	const struct ticks part = {
		.elapsed = share(ticks, all->elapsed, raw),
		.application = share(ticks, all->application, raw),
		.overhead = share(ticks, all->overhead, raw),
		.off_cpu = share(ticks, all->off_cpu, raw),
		.overhead_low = share(ticks, all->overhead_low, raw),
		.overhead_high = share(ticks, all->overhead_high, raw),
		.application_uncertainty = share(ticks, all->application_uncertainty, raw),
	};

	ticks_add(to, &part);
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
		struct overhead overhead = overhead_of_flat(&costs, cell, cell->flat_calls);

		set_exclusive(data, cell, counting, &overhead, &exclusive[i]);
		values[i].exclusive = exclusive[i];
		ticks_add(&all, &exclusive[i]);
		widen(&values[i].exclusive, &costs, counting, overhead.intervals);
		raw += cell->ticks;
	}
	for (size_t i = 0; i < thread->n_flat; i++) {
		const struct cinstr_cell *cell = thread->flat[i];
		uint64_t own = least(cell->flat_ticks, cell->ticks);

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
