/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * values.c - see values.h.
 *
 * Probe overhead: an interval costs what an empty one of its kind measures. Each call begins one
 * interval inside the callee and one in its caller, so a node's overhead is a sum over the calls of
 * itself and of its children. Clamping every single interval at zero would keep the measuring noise
 * above the mean and drop that below it: short functions would come out too long. So the sums are
 * compared, once per node.
 */
#include "values.h"

#include <stdlib.h>

#include "util.h"

#define COST_UNIT 1024 /* costs are in 1/1024 ticks */

/* Which of the calibration's figures to count with. */
enum estimate { MEAN, LOW, HIGH, ESTIMATES };

struct costs {
	uint64_t of[ESTIMATES][CINSTR_COST_KINDS]; /* 1/1024 ticks */
};

static void costs_get(struct costs *costs, const struct cinstr_calibration *c)
{
	for (int kind = 0; kind < CINSTR_COST_KINDS; kind++) {
		uint64_t mean = c->rounds ? c->sum[kind] / c->rounds : 0;

		costs->of[MEAN][kind] = mean;
		costs->of[LOW][kind] = c->rounds && c->minimum[kind] < mean ? c->minimum[kind] : mean;
		costs->of[HIGH][kind] = c->rounds && c->maximum[kind] > mean ? c->maximum[kind] : mean;
	}
}

/* Kinds of the intervals that a call of this cell begins in itself and in its parent; -1: none. */
static void cost_kinds(const struct cinstr_cell *cell, int *own, int *parent)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	*own = *parent = -1;
	if (kind == CINSTR_CELL_FRAME) {
		*own = cell->site ? CINSTR_COST_CALL : CINSTR_COST_ENTER;
		*parent = cell->site ? CINSTR_COST_RETURN : CINSTR_COST_EXIT;
	} else if (kind == CINSTR_CELL_FLAT_FRAME || kind == CINSTR_CELL_MERGED) {
		*own = CINSTR_COST_CALL;
	} else if (kind == CINSTR_CELL_FLAT_CALL) {
		*own = CINSTR_COST_BEFORE;
	} else if (kind == CINSTR_CELL_CALL || kind == CINSTR_CELL_INDIRECT) {
		*own = CINSTR_COST_BEFORE;
		*parent = CINSTR_COST_AFTER;
	} else if (kind == CINSTR_CELL_LINE) {
		*own = CINSTR_COST_LINE;
	}
	/*
	 * A tail call stands in its caller's place: the one return of the two is the caller's
	 * already.
	 */
	if (cell->site && CINSTR_CODE_KIND(cell->site) == CINSTR_EV_TAIL)
		*parent = -1;
}

/* Saturating: counts come from a file. */
static void add_cost(uint64_t *sum, uint64_t calls, uint64_t cost)
{
	uint64_t product;

	if (__builtin_mul_overflow(calls, cost, &product) || __builtin_add_overflow(*sum, product, sum))
		*sum = UINT64_MAX;
}

/* A node's overhead in 1/1024 ticks, by estimate. */
struct overhead {
	uint64_t of[ESTIMATES];
};

static void add_costs(struct overhead *sum, uint64_t calls, const struct costs *costs, int kind)
{
	for (int estimate = 0; kind >= 0 && estimate < ESTIMATES; estimate++)
		add_cost(&sum->of[estimate], calls, costs->of[estimate][kind]);
}

static uint64_t bounded(uint64_t sum, uint64_t raw)
{
	uint64_t ticks = sum / COST_UNIT + (sum % COST_UNIT >= COST_UNIT / 2);

	return ticks < raw ? ticks : raw;
}

static void overheads(const struct data *data, const struct data_thread *thread, struct node_values *values)
{
	struct overhead *sums = xcalloc(thread->n_nodes, sizeof(*sums));
	struct costs costs;
	int own, parent;

	costs_get(&costs, &data->header->calibration);
	for (size_t i = 0; i < thread->n_nodes; i++) {
		const struct data_node *node = &thread->nodes[i];

		cost_kinds(node->cell, &own, &parent);
		add_costs(&sums[i], node->cell->calls, &costs, own);
		if (CINSTR_CELL_KIND(node->cell->tag) ==
		    CINSTR_CELL_MERGED) /* the returns lie in it as well */
			add_costs(&sums[i], node->cell->calls, &costs, CINSTR_COST_RETURN);
		add_costs(&sums[node->parent], node->cell->calls, &costs, parent);
	}
	for (size_t i = 0; i < thread->n_nodes; i++) {
		uint64_t raw = thread->nodes[i].cell->ticks;

		values[i].exclusive.overhead = bounded(sums[i].of[MEAN], raw);
		values[i].overhead_low = bounded(sums[i].of[LOW], raw);
		values[i].overhead_high = bounded(sums[i].of[HIGH], raw);
	}
	free(sums);
}

static int is_system_call(const struct data *data, const struct cinstr_cell *cell)
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

/*
 * Ticks of the node that Application time leaves out. `interval`: whole intervals with an event of
 * the mask (raw: which part of the overhead lay in them is not known); `on-cpu`: what was spent off
 * the processor.
 */
static uint64_t left_out(const struct data *data, const struct cinstr_cell *cell,
			 const struct counting *counting, uint64_t *off_cpu)
{
	uint64_t ticks = 0;

	*off_cpu = 0;
	for (uint32_t i = cell->buckets; i;) {
		const struct cinstr_bucket *bucket =
			(const void *)(data->memory + (uint64_t)i * sizeof(struct cinstr_cell));

		*off_cpu += bucket->off_cpu_ticks;
		if (bucket->bits & counting->os_mask)
			ticks += bucket->ticks;
		i = bucket->next;
	}
	if (counting->on_cpu)
		return *off_cpu;
	if (counting->os_mask & CINSTR_OS_SYSCALL && is_system_call(data, cell))
		return UINT64_MAX;
	return ticks;
}

static void ticks_add(struct ticks *to, const struct ticks *from)
{
	to->elapsed += from->elapsed;
	to->application += from->application;
	to->overhead += from->overhead;
	to->off_cpu += from->off_cpu;
}

struct node_values *values_make(const struct data *data, const struct data_thread *thread,
				const struct counting *counting)
{
	struct node_values *values = xcalloc(thread->n_nodes, sizeof(*values));

	overheads(data, thread, values);
	for (size_t i = 0; i < thread->n_nodes; i++) {
		const struct cinstr_cell *cell = thread->nodes[i].cell;
		struct ticks *t = &values[i].exclusive;
		uint64_t out;

		t->elapsed = cell->ticks - (counting->raw ? 0 : t->overhead);
		out = left_out(data, cell, counting, &t->off_cpu);
		t->application = out < t->elapsed ? t->elapsed - out : 0;
	}
	/* Children stand behind their parents: the last first. */
	for (size_t i = thread->n_nodes; i-- > 0;) {
		ticks_add(&values[i].inclusive, &values[i].exclusive);
		if (i)
			ticks_add(&values[thread->nodes[i].parent].inclusive, &values[i].inclusive);
	}
	return values;
}

/* `whole` in the proportion part / all. */
static uint64_t share(uint64_t whole, uint64_t part, uint64_t all)
{
	return all ? (uint64_t)((unsigned __int128)whole * part / all) : 0;
}

static void flat_exclusive(const struct data *data, const struct cinstr_cell *cell,
			   const struct counting *counting, struct node_values *v)
{
	struct overhead sum = { { 0 } };
	struct costs costs;
	int own, parent;
	uint64_t out;

	costs_get(&costs, &data->header->calibration);
	cost_kinds(cell, &own, &parent);
	add_costs(&sum, cell->calls, &costs, own);
	add_costs(&sum, cell->max_ticks, &costs, CINSTR_COST_RETURN); /* calls made from it */
	v->exclusive.overhead = bounded(sum.of[MEAN], cell->ticks);
	v->overhead_low = bounded(sum.of[LOW], cell->ticks);
	v->overhead_high = bounded(sum.of[HIGH], cell->ticks);
	v->exclusive.elapsed = cell->ticks - (counting->raw ? 0 : v->exclusive.overhead);
	out = left_out(data, cell, counting, &v->exclusive.off_cpu);
	v->exclusive.application = out < v->exclusive.elapsed ? v->exclusive.elapsed - out : 0;
}

struct node_values *values_make_flat(const struct data *data, const struct data_thread *thread,
				     const struct counting *counting)
{
	struct node_values *values = xcalloc(thread->n_flat, sizeof(*values));
	struct ticks all = { 0 };
	uint64_t raw = 0;

	for (size_t i = 0; i < thread->n_flat; i++) {
		flat_exclusive(data, thread->flat[i], counting, &values[i]);
		ticks_add(&all, &values[i].exclusive);
		raw += thread->flat[i]->ticks;
	}
	for (size_t i = 0; i < thread->n_flat; i++) {
		uint64_t inclusive = thread->flat[i]->min_ticks;

		values[i].inclusive.elapsed = share(inclusive, all.elapsed, raw);
		values[i].inclusive.application = share(inclusive, all.application, raw);
		values[i].inclusive.overhead = share(inclusive, all.overhead, raw);
		values[i].inclusive.off_cpu = share(inclusive, all.off_cpu, raw);
	}
	return values;
}

int64_t values_conservation(const struct data_thread *thread)
{
	uint64_t sum =
		thread->state->runtime_ticks + thread->state->paused_ticks + thread->state->between_ticks;

	for (size_t i = 0; i < thread->n_nodes; i++)
		sum += thread->nodes[i].cell->ticks;
	return (int64_t)(sum - (thread->state->time - thread->record->first_ticks));
}
