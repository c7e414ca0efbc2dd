/* SPDX-License-Identifier: GPL-3.0-or-later */
/* extremes.c - the shortest and the longest activation of a node, less its own overhead. */
#include "values_inside.h"

#include "file/cell_details.h"

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

static const enum value_kind elapsed_kinds[2] = { VALUE_ELAPSED_INCLUSIVE, VALUE_ELAPSED_EXCLUSIVE };
static const enum value_kind application_kinds[2] = { VALUE_APPLICATION_INCLUSIVE,
						      VALUE_APPLICATION_EXCLUSIVE };

static uint64_t elapsed_of(uint64_t ticks, uint64_t events, const struct correction *c)
{
	if (c->is_only_one)
		return c->cost.raw - c->cost.overhead;
	return c->by_events ? value_less(ticks, cost_of(events, c)) : value_of_one(ticks, &c->cost);
}

static uint64_t application_of(uint64_t ticks, uint64_t events, const struct correction *c)
{
	const struct cost_share cost = { c->application_overhead, c->application + c->application_overhead,
					 c->cost.calls, c->cost.is_leaf };

	if (c->is_only_one)
		return c->application;
	if (!c->by_events)
		return value_of_one(ticks, &cost);
	return value_less(ticks, share(cost_of(events, c), c->application_overhead, c->cost.overhead));
}

/* Known values, in order: a call that is the longest without its probes may be shorter than others
 * with them. */
static void extremes_put(struct extremes *extremes, enum value_kind kind, uint64_t shortest, uint64_t longest)
{
	extremes->shortest[kind] = value_least(shortest, longest);
	extremes->longest[kind] = shortest < longest ? longest : shortest;
}

static int is_known(const struct details_extremes *raw, int i)
{
	return raw->shortest[i] != UINT64_MAX;
}

/* Sets the extremes of kinds[2], inclusive and exclusive: as read, or with corrections c[2] by
 * `corrected`. */
static void extremes_set(struct extremes *extremes, const enum value_kind *kinds,
			 const struct details_extremes *raw, const struct correction *c,
			 uint64_t (*corrected)(uint64_t ticks, uint64_t events, const struct correction *c))
{
	for (int i = 0; i < 2; i++)
		if (is_known(raw, i) && !c)
			extremes_put(extremes, kinds[i], raw->shortest[i], raw->longest[i]);
		else if (is_known(raw, i))
			extremes_put(extremes, kinds[i],
				     corrected(raw->shortest[i], raw->shortest_events[i], &c[i]),
				     corrected(raw->longest[i], raw->longest_events[i], &c[i]));
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

	values_own(values, node);
	values_add(sum, &values->own);
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
	uint64_t base = value_least(overhead_within(costs, cell), t->overhead);
	int is_leaf = !value_is_inner(values, node);

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
	if (value_is_inner(values, node))
		more = *value_inner_of(values, node);
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

	values_own(values, node);
	own = values->own;
	if (value_is_inner(values, node)) {
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
	extremes->longest[kind] = value_least(extremes->longest[kind], total);
	extremes->shortest[kind] = value_least(extremes->shortest[kind], total / calls);
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
	extremes->shortest[part] = value_least(extremes->shortest[part], extremes->shortest[whole]);
	extremes->longest[part] = value_least(extremes->longest[part], extremes->longest[whole]);
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
	extremes_set(extremes, elapsed_kinds, &raw, c, elapsed_of);
	if (has_application(counting)) {
		if (details_parts_differ(data->memory, cell))
			details_extremes(data->memory, cell,
					 counting->on_cpu ? CINSTR_DIRTY_ON_CPU : CINSTR_DIRTY_INTERVAL,
					 &raw);
		extremes_set(extremes, application_kinds, &raw, c, application_of);
	}
	if (!c)
		return;
	if (value_is_inner(values, node) && is_all && details_finished(data->memory, cell) == cell->calls)
		stretch_to_average(extremes, c);
	limit_parts(extremes);
}

void values_extremes(const struct data *data, const struct data_thread *thread, size_t node,
		     struct values *values, const struct counting *counting, struct extremes *extremes)
{
	known_extremes(data, thread, node, values, counting, extremes);
	if (!data->merged && mixed_has_counted(thread, node))
		forget_exclusive(extremes);
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
	extremes_set(extremes, elapsed_kinds, &raw, c, elapsed_of);
	if (has_application(counting))
		extremes_set(extremes, application_kinds, &raw, c, application_of);
	if (c)
		limit_parts(extremes);
}
