/* SPDX-License-Identifier: GPL-3.0-or-later */
/* values.c - see values.h. */
#include "values.h"

#include <stdlib.h>

#include "file/cell_details.h"
#include "lib/share.h"
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
static uint64_t left_out_whole(const struct data *data, const struct cinstr_cell *cell,
			       const struct counting *counting, uint64_t *off_cpu, uint64_t *intervals)
{
	uint64_t ticks =
		values_left_out(data, details_buckets(data->memory, cell), counting, off_cpu, intervals);

	if (!counting->on_cpu && counting->os_mask & CINSTR_OS_SYSCALL && values_is_system_call(data, cell))
		return UINT64_MAX;
	return ticks;
}

static uint64_t less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
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
			work += less(bucket->ticks, bucket->off_cpu_ticks);
		i = bucket->next;
	}
	return least(work, less(less(t->elapsed, t->off_cpu), t->application));
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
	return least(ticks, off_cpu);
}

static void ticks_add(struct ticks *to, const struct ticks *from)
{
#define ADD(name) to->name += from->name;
	AMOUNTS(ADD)
#undef ADD
}

void values_subtract(struct ticks *from, const struct ticks *what)
{
	uint64_t below = less(from->overhead - from->overhead_low, what->overhead - what->overhead_low);
	uint64_t above = less(from->overhead_high - from->overhead, what->overhead_high - what->overhead);

	from->elapsed = less(from->elapsed, what->elapsed);
	from->application = less(from->application, what->application);
	from->overhead = less(from->overhead, what->overhead);
	from->off_cpu = least(less(from->off_cpu, what->off_cpu), from->elapsed);
	from->overhead_low = less(from->overhead, below);
	from->overhead_high = from->overhead + least(above, from->elapsed);
	from->application_uncertainty = less(from->application_uncertainty, what->application_uncertainty);
	from->preempted_work = less(from->preempted_work, what->preempted_work);
	from->preempted = least(less(from->preempted, what->preempted), from->off_cpu);
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
	t->off_cpu = least(t->off_cpu, t->elapsed);
	if (out >= (data->merged && !counting->raw ? t->elapsed : cell->ticks)) {
		t->application = 0;
		t->application_uncertainty = 0;
		return 0;
	}
	intervals = least(intervals, overhead->intervals);
	within = intervals ? least(share(subtracted, intervals, overhead->intervals), out) : 0;
	/* merged: done for each process */
	t->application = less(t->elapsed, data->merged && !counting->on_cpu ? out : out - within);
	t->application_uncertainty = within;
	if (intervals)
		t->application_uncertainty +=
			share(uncertainty(t), overhead->intervals - intervals, overhead->intervals);
	else if (overhead->intervals)
		t->application_uncertainty += uncertainty(t);
	return less(subtracted, within);
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

	t->overhead_low = less(t->overhead_low, late);
	t->overhead_high += least(late, less(t->elapsed, t->overhead_high - t->overhead));
	if (t->application || t->application_uncertainty)
		t->application_uncertainty += late;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Of a node that has called something. */
struct inner {
	uint64_t events;	       /* of what its activations called */
	uint64_t application_overhead; /* inclusive */
};

/*
 * Of a node that has called nothing both values follow from its cell. Of the others the inclusive
 * ones are kept, in the order of the nodes: `inner` says which these are, 64 in a word, and
 * `before` how many there are before a word's.
 */
struct values {
	const struct data *data;
	const struct data_thread *thread;
	struct counting counting;
	struct overheads overheads;
	uint64_t *inner;
	uint32_t *before;
	struct ticks *inclusive;
	struct inner *more;    /* in the same order */
	struct node_values at; /* of at_node */
	size_t at_node;
	/* Of own_node, not widened, as they were found last. */
	struct ticks own;
	struct overhead own_overhead;
	uint64_t own_application_overhead;
	size_t own_node;
};

static int is_inner(const struct values *values, size_t node)
{
	return values->thread->nodes[node].last != node;
}

static size_t number_of(const struct values *values, size_t node)
{
	uint64_t below = values->inner[node / 64] & ((UINT64_C(1) << node % 64) - 1);

	return values->before[node / 64] + (uint32_t)__builtin_popcountll(below);
}

static struct ticks *inclusive_of(const struct values *values, size_t node)
{
	return &values->inclusive[number_of(values, node)];
}

static struct inner *inner_of(const struct values *values, size_t node)
{
	return &values->more[number_of(values, node)];
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
	values->more = xcalloc(n, sizeof(*values->more));
}

/* A node's exclusive values, not widened yet: in values->own and beside it. */
static void set_own(struct values *values, size_t node)
{
	const struct cinstr_cell *cell = values->thread->nodes[node].cell;

	if (values->own_node == node)
		return;
	values->own_node = node;
	values->own_overhead = overheads_of(&values->overheads, node);
	values->own_application_overhead =
		set_exclusive(values->data, cell, mixed_cell(values->thread, cell), &values->counting,
			      &values->own_overhead, &values->own);
}

/* Late work stays within a node that holds both neighbours. */
static void widen_inclusive(const struct values *values, size_t node, struct ticks *t)
{
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

		set_own(values, i);
		t = values->own;
		own.application_overhead = values->own_application_overhead;
		if (is_inner(values, i)) {
			inclusive = inclusive_of(values, i);
			ticks_add(inclusive, &t);
			more = inner_of(values, i);
			more->application_overhead += own.application_overhead;
		}
		if (i) {
			size_t parent = number_of(values, values->thread->nodes[i].parent);

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
	overheads_init(&values->overheads, &data->header->calibration, thread);
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
	set_own(values, node);
	at->exclusive = values->own;
	if (is_inner(values, node)) {
		at->inclusive = *inclusive_of(values, node);
	} else {
		at->inclusive = at->exclusive;
		widen_inclusive(values, node, &at->inclusive);
	}
	widen(&at->exclusive, &values->overheads.costs, &values->counting, values->own_overhead.intervals);
	return at;
}

struct overhead values_overhead(struct values *values, size_t node)
{
	set_own(values, node);
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

/* What probes cost of one kind of a node's time, and that time with it. */
struct cost_share {
	uint64_t overhead, raw, calls;
	int is_leaf;
};

/*
 * An activation's ticks less the mean overhead of one; where it has calls of its own, and so more
 * of them the longer it takes, at most its share by time: else nothing would be left of the short
 * ones.
 */
static uint64_t of_one(uint64_t ticks, const struct cost_share *cost)
{
	uint64_t mean = cost->calls ? cost->overhead / cost->calls : 0;
	uint64_t part = cost->is_leaf ? mean : share(ticks, cost->overhead, cost->raw);

	return less(ticks, least(part, mean));
}

uint64_t values_corrected(const struct data_thread *thread, size_t node, struct values *values,
			  const struct counting *counting, uint64_t ticks)
{
	const struct ticks *t = &values_at(values, node)->inclusive;
	struct cost_share cost = { t->overhead, t->elapsed + t->overhead, thread->nodes[node].cell->calls,
				   thread->nodes[node].last == node };

	return counting->raw ? ticks : of_one(ticks, &cost);
}

uint64_t values_corrected_flat(const struct node_values *values, uint64_t calls,
			       const struct counting *counting, uint64_t ticks)
{
	const struct ticks *t = &values->inclusive;
	struct cost_share cost = { t->overhead, t->elapsed + t->overhead, calls, 0 };

	return counting->raw ? ticks : of_one(ticks, &cost);
}

/* ---- extremes -------------------------------------------------------------------------------- */

/*
 * How activations of a node are corrected, inclusive or exclusive: each by the cost of its own
 * events, which is what the node's have cost, so that the sum over the activations is the node's
 * overhead.
 */
struct correction {
	/* of the node; of one activation by the mean, if its events are not known */
	struct cost_share cost;
	uint64_t application_overhead; /* part of cost.overhead */
	uint64_t application;	       /* ticks of all activations */
	uint64_t base;		       /* of one that called nothing */
	/* of all activations: events, and what they cost; events 0: not known */
	uint64_t events, of_events;
	const struct overhead_costs *costs;
	int by_events;
	int is_only_one; /* all time is of one activation */
};

/* Overhead of an activation with so many events. */
static uint64_t cost_of(uint64_t events, const struct correction *c)
{
	uint64_t guess = overhead_of_events(c->costs, events);
	uint64_t part = c->events ? share(c->of_events, events, c->events) : guess;

	/* Filters take callees into their callers: then there are more events than those in
	 * sight. */
	return c->base + (part > 2 * guess ? guess : part);
}

static uint64_t elapsed_of(uint64_t ticks, uint64_t events, const struct correction *c)
{
	if (c->is_only_one)
		return c->cost.raw - c->cost.overhead;
	return c->by_events ? less(ticks, cost_of(events, c)) : of_one(ticks, &c->cost);
}

static uint64_t application_of(uint64_t ticks, uint64_t events, const struct correction *c)
{
	const struct cost_share cost = { c->application_overhead, c->application + c->application_overhead,
					 c->cost.calls, c->cost.is_leaf };

	if (c->is_only_one)
		return c->application;
	if (!c->by_events)
		return of_one(ticks, &cost);
	return less(ticks, share(cost_of(events, c), c->application_overhead, c->cost.overhead));
}

/* Known values, in order: a call that is the longest without its probes may be shorter than others
 * with them. */
static void extremes_put(struct extremes *extremes, enum value_kind kind, uint64_t shortest, uint64_t longest)
{
	extremes->shortest[kind] = least(shortest, longest);
	extremes->longest[kind] = shortest < longest ? longest : shortest;
}

static int is_known(const struct details_extremes *raw, int i)
{
	return raw->shortest[i] != UINT64_MAX;
}

/* corrections: inclusive, exclusive. NULL: raw. */
static void set_elapsed(struct extremes *extremes, const struct details_extremes *raw,
			const struct correction *c)
{
	static const enum value_kind kinds[2] = { VALUE_ELAPSED_INCLUSIVE, VALUE_ELAPSED_EXCLUSIVE };

	for (int i = 0; i < 2; i++)
		if (is_known(raw, i) && !c)
			extremes_put(extremes, kinds[i], raw->shortest[i], raw->longest[i]);
		else if (is_known(raw, i))
			extremes_put(extremes, kinds[i],
				     elapsed_of(raw->shortest[i], raw->shortest_events[i], &c[i]),
				     elapsed_of(raw->longest[i], raw->longest_events[i], &c[i]));
}

static void set_application_extremes(struct extremes *extremes, const struct details_extremes *raw,
				     const struct correction *c)
{
	static const enum value_kind kinds[2] = { VALUE_APPLICATION_INCLUSIVE, VALUE_APPLICATION_EXCLUSIVE };

	for (int i = 0; i < 2; i++)
		if (is_known(raw, i) && !c)
			extremes_put(extremes, kinds[i], raw->shortest[i], raw->longest[i]);
		else if (is_known(raw, i))
			extremes_put(extremes, kinds[i],
				     application_of(raw->shortest[i], raw->shortest_events[i], &c[i]),
				     application_of(raw->longest[i], raw->longest_events[i], &c[i]));
}

static void extremes_clear(struct extremes *extremes)
{
	for (int kind = 0; kind < VALUE_KINDS; kind++) {
		extremes->shortest[kind] = UINT64_MAX;
		extremes->longest[kind] = 0;
	}
}

/* Has the default mask of OS events, for which the runtime has kept application time of the
 * extremes. */
static int has_application(const struct counting *counting)
{
	return counting->on_cpu || counting->os_mask == CINSTR_OS_DEFAULT_MASK;
}

/* Adds a node's exclusive values and own events; a function's lines are parts of it. */
static void exclusive_sum(struct values *values, size_t node, struct ticks *sum, struct inner *more)
{
	const struct data_node *nodes = values->thread->nodes;

	set_own(values, node);
	ticks_add(sum, &values->own);
	more->application_overhead += values->own_application_overhead;
	for (size_t i = node + 1; i <= nodes[node].last; i = mixed_next_called(values->thread, i)) {
		more->events += overhead_own_events(nodes[i].cell);
		if (CINSTR_CELL_KIND(nodes[i].cell->tag) == CINSTR_CELL_LINE)
			exclusive_sum(values, i, sum, more);
	}
}

static void correction_set(struct correction *c, const struct values *values, size_t node,
			   const struct ticks *t, const struct inner *more)
{
	const struct cinstr_cell *cell = values->thread->nodes[node].cell;
	const struct overhead_costs *costs = &values->overheads.costs;
	uint64_t base = least(overhead_within(costs, cell), t->overhead);
	int is_leaf = !is_inner(values, node);

	*c = (struct correction){ .cost = { t->overhead, t->elapsed + t->overhead, cell->calls, is_leaf },
				  .application_overhead = more->application_overhead,
				  .application = t->application,
				  .base = cell->calls ? base / cell->calls : 0,
				  .events = more->events,
				  .of_events = t->overhead - base,
				  .costs = costs,
				  .by_events = !is_leaf && values->data->header->event_cost };
}

/* Inclusive and exclusive. */
static void corrections_set(struct correction *c, struct values *values, size_t node)
{
	struct ticks own = { 0 };
	struct inner more = { 0 };

	exclusive_sum(values, node, &own, &more);
	correction_set(&c[CINSTR_EXCLUSIVE], values, node, &own, &more);
	if (is_inner(values, node))
		more = *inner_of(values, node);
	correction_set(&c[CINSTR_INCLUSIVE], values, node, &values_at(values, node)->inclusive, &more);
}

/* The one activation that all of the node's time is of has all of its overhead. */
static void correct_only_one(struct correction *c, uint64_t raw)
{
	if (c[CINSTR_INCLUSIVE].cost.calls != 1 || c[CINSTR_INCLUSIVE].cost.raw != raw)
		return;
	c[CINSTR_INCLUSIVE].is_only_one = c[CINSTR_EXCLUSIVE].is_only_one = 1;
}

static int has_only_one(struct values *values, size_t node, uint64_t raw)
{
	const struct ticks *t = &values_at(values, node)->inclusive;

	return values->thread->nodes[node].cell->calls == 1 && t->elapsed + t->overhead == raw;
}

/* Its values are the node's; those of the function's lines are parts of them. */
static void extremes_of_only_one(struct extremes *extremes, struct values *values, size_t node,
				 const struct details_extremes *raw, int has_application)
{
	const struct ticks *t = &values_at(values, node)->inclusive;
	struct ticks own;
	struct inner more = { 0 };

	set_own(values, node);
	own = values->own;
	if (is_inner(values, node)) {
		own = (struct ticks){ 0 };
		exclusive_sum(values, node, &own, &more);
	}
	if (is_known(raw, CINSTR_EXCLUSIVE))
		extremes_put(extremes, VALUE_ELAPSED_EXCLUSIVE, own.elapsed, own.elapsed);
	extremes_put(extremes, VALUE_ELAPSED_INCLUSIVE, t->elapsed, t->elapsed);
	if (has_application && is_known(raw, CINSTR_EXCLUSIVE))
		extremes_put(extremes, VALUE_APPLICATION_EXCLUSIVE, own.application, own.application);
	if (has_application)
		extremes_put(extremes, VALUE_APPLICATION_INCLUSIVE, t->application, t->application);
}

/* What events cost is a mean, too: an average lies between the extremes, and no call is longer than
 * all. */
static void stretch_to(struct extremes *extremes, enum value_kind kind, uint64_t total, uint64_t calls)
{
	if (extremes->shortest[kind] > extremes->longest[kind])
		return;
	extremes->longest[kind] = least(extremes->longest[kind], total);
	extremes->shortest[kind] = least(extremes->shortest[kind], total / calls);
	if (extremes->longest[kind] < total / calls + (total % calls != 0))
		extremes->longest[kind] = total / calls + (total % calls != 0);
}

static void stretch_to_average(struct extremes *extremes, const struct correction *c)
{
	const struct correction *own = &c[CINSTR_EXCLUSIVE];
	uint64_t calls = c->cost.calls;

	stretch_to(extremes, VALUE_ELAPSED_INCLUSIVE, c->cost.raw - c->cost.overhead, calls);
	stretch_to(extremes, VALUE_ELAPSED_EXCLUSIVE, own->cost.raw - own->cost.overhead, calls);
	stretch_to(extremes, VALUE_APPLICATION_INCLUSIVE, c->application, calls);
	stretch_to(extremes, VALUE_APPLICATION_EXCLUSIVE, own->application, calls);
}

/* A part is not more than the whole. */
static void limit(struct extremes *extremes, enum value_kind part, enum value_kind whole)
{
	if (extremes->shortest[part] > extremes->longest[part])
		return;
	extremes->shortest[part] = least(extremes->shortest[part], extremes->shortest[whole]);
	extremes->longest[part] = least(extremes->longest[part], extremes->longest[whole]);
}

static void limit_parts(struct extremes *extremes)
{
	limit(extremes, VALUE_ELAPSED_EXCLUSIVE, VALUE_ELAPSED_INCLUSIVE);
	limit(extremes, VALUE_APPLICATION_INCLUSIVE, VALUE_ELAPSED_INCLUSIVE);
	limit(extremes, VALUE_APPLICATION_EXCLUSIVE, VALUE_APPLICATION_INCLUSIVE);
	limit(extremes, VALUE_APPLICATION_EXCLUSIVE, VALUE_ELAPSED_EXCLUSIVE);
}

/* How its own time was divided among its activations is not known. */
static void forget_exclusive(struct extremes *extremes)
{
	extremes->shortest[VALUE_ELAPSED_EXCLUSIVE] = extremes->shortest[VALUE_APPLICATION_EXCLUSIVE] =
		UINT64_MAX;
	extremes->longest[VALUE_ELAPSED_EXCLUSIVE] = extremes->longest[VALUE_APPLICATION_EXCLUSIVE] = 0;
}

/* As they were found for each process, with the default of what application time leaves out. */
static void merged_extremes(const struct merged *merged, const struct cinstr_cell *cell,
			    const struct counting *counting, struct extremes *extremes)
{
	int is_default = !counting->on_cpu && counting->os_mask == CINSTR_OS_DEFAULT_MASK;
	const struct merged_item *item = merged_item_of(merged, cell);

	for (int kind = 0; item && kind < VALUE_KINDS; kind++) {
		if (item->shortest[kind] > item->longest[kind] ||
		    (kind >= VALUE_APPLICATION_INCLUSIVE && !is_default))
			continue;
		extremes->shortest[kind] = merged_ticks(merged, item->shortest[kind]);
		extremes->longest[kind] = merged_ticks(merged, item->longest[kind]);
	}
}

static void known_extremes(const struct data *data, const struct data_thread *thread, size_t node,
			   struct values *values, const struct counting *counting, struct extremes *extremes)
{
	const struct cinstr_cell *cell = thread->nodes[node].cell;
	struct correction corrections[2], *c = counting->raw ? NULL : corrections;
	struct details_extremes raw;
	int is_all;

	extremes_clear(extremes);
	if (data->merged) {
		merged_extremes(data->merged, cell, counting, extremes);
		return;
	}
	details_extremes(data->memory, cell, CINSTR_DIRTY_ELAPSED, &raw);
	if (!is_known(&raw, CINSTR_INCLUSIVE))
		return;
	if (c && has_only_one(values, node, raw.longest[CINSTR_INCLUSIVE]) &&
	    !details_parts_differ(data->memory, cell)) {
		extremes_of_only_one(extremes, values, node, &raw, has_application(counting));
		limit_parts(extremes);
		return;
	}
	if (c) {
		corrections_set(c, values, node);
		correct_only_one(c, raw.longest[CINSTR_INCLUSIVE]);
	}
	/* Calls that began in the phase before end here, with all of their time. */
	is_all = c && cell->calls && raw.longest[CINSTR_INCLUSIVE] <= c->cost.raw;
	set_elapsed(extremes, &raw, c);
	if (has_application(counting)) {
		if (details_parts_differ(data->memory, cell))
			details_extremes(data->memory, cell,
					 counting->on_cpu ? CINSTR_DIRTY_ON_CPU : CINSTR_DIRTY_INTERVAL,
					 &raw);
		set_application_extremes(extremes, &raw, c);
	}
	if (!c)
		return;
	if (is_inner(values, node) && is_all && details_finished(data->memory, cell) == cell->calls)
		stretch_to_average(extremes, c);
	limit_parts(extremes);
}

void values_extremes(const struct data *data, const struct data_thread *thread, size_t node,
		     struct values *values, const struct counting *counting, struct extremes *extremes)
{
	known_extremes(data, thread, node, values, counting, extremes);
	if (mixed_cell(thread, thread->nodes[node].cell))
		forget_exclusive(extremes);
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
	const struct cinstr_cell one = { .tag = cell->tag, .calls = 1 };
	struct correction corrections[2], *c = counting->raw ? NULL : corrections;
	struct overhead_costs costs;
	struct details_extremes raw;

	overhead_costs(&costs, &data->header->calibration);
	/* how many events there were in all is not known by function */
	for (int i = 0; i < 2 && c; i++)
		c[i] = (struct correction){ .cost = { t[i]->overhead, t[i]->elapsed + t[i]->overhead, calls,
						      0 },
					    .application_overhead = t[i]->overhead,
					    .application = t[i]->application,
					    .base = overhead_within(&costs, &one),
					    .costs = &costs,
					    .by_events = data->header->event_cost != 0 };
	extremes_clear(extremes);
	if (data->merged) {
		merged_extremes(data->merged, cell, counting, extremes);
		return;
	}
	details_extremes(data->memory, cell, CINSTR_DIRTY_ELAPSED, &raw);
	set_elapsed(extremes, &raw, c);
	if (has_application(counting))
		set_application_extremes(extremes, &raw, c);
	if (c)
		limit_parts(extremes);
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
