/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * union_mixed.c - adds counted calls and times divided by samples to the union (union.h): for each
 * process whether more calls may have been made than are known, its counters, its estimates and the
 * nodes that these are parts of. Its samples have been joined with its own tree before.
 */
#include <stdlib.h>

#include "file/mixed.h"
#include "lib/array.h"
#include "names/names.h"
#include "union_mixed.h"

/* ---- of the union ---------------------------------------------------------------------------- */

static struct merged_mixed *mixed_of(struct union_tree *u, uint32_t node)
{
	struct merged_item *item = &union_node(u, node)->item;

	if (!item->mixed)
		item->mixed = xcalloc(1, sizeof(*item->mixed));
	return item->mixed;
}

void union_share_add(struct union_tree *u, uint32_t node, uint32_t owner, uint64_t n)
{
	struct merged_mixed *mixed = mixed_of(u, node);
	uint32_t i = 0;

	while (i < mixed->n_shares && mixed->shares[i].owner != owner)
		i++;
	if (i == mixed->n_shares) {
		mixed->shares = xrealloc(mixed->shares, i + 1, sizeof(*mixed->shares));
		mixed->shares[mixed->n_shares++] = (struct merged_share){ owner, 0 };
	}
	mixed->shares[i].n += n;
}

void union_mixed_add(struct union_tree *u, uint32_t node, const struct merged_mixed *from)
{
	struct merged_mixed *to = mixed_of(u, node);

	to->counted += from->counted;
	to->untimed += from->untimed;
	to->n += from->n;
	to->own += from->own;
	to->stubs += from->stubs;
	to->ticks += from->ticks;
	to->stub_ticks += from->stub_ticks;
	to->spread += from->spread;
	to->on_cpu += from->on_cpu;
	to->kept += from->kept;
}

void union_counter_add(struct union_tree *u, uint32_t code, uint64_t n, uint64_t untimed)
{
	int is_new;
	uint32_t number;

	if (!code)
		return;
	number = int_map_add(&u->counter_codes, code, &is_new);
	ARRAY_ROOM(u->counters, number, u->size_counters, 64);
	if (is_new)
		u->counters[number] = (struct merged_counter){ .code = code };
	u->counters[number].n += n;
	u->counters[number].untimed += untimed;
}

void union_known_release(struct union_tree *u)
{
	if (!u->known)
		return;
	profile_release(u->known);
	free(u->known);
	u->known = NULL;
}

/* ---- a process ------------------------------------------------------------------------------- */

/* Were probes of any function ever out? Most processes are told by this alone. */
static int may_have_more_calls(const struct data *data)
{
	const struct cinstr_budget *budget = &data->header->budget;

	if ((data->counters && data->counters->n_codes) || budget->taken_out || budget->functions_out)
		return 1;
	for (size_t i = 0; i < data->n_marks; i++)
		if (data->marks[i].kind == CINSTR_MARK_DEMOTED || data->marks[i].kind == CINSTR_MARK_RESTORED)
			return 1;
	return 0;
}

/* The names of functions are those of all processes. */
static struct profile *known_new(void)
{
	static const struct counting counting = { .os_mask = CINSTR_OS_DEFAULT_MASK };
	struct profile *known = xcalloc(1, sizeof(*known));

	profile_init(known, BY_FUNCTION, &counting);
	return known;
}

static void totals_add(struct counted_in *in)
{
	struct merged_totals *to = &in->u->totals;
	const struct data *data = in->data;
	struct mixed_totals t = { 0 };

	mixed_totals_add(&t, data, in->addition.ns_per_tick);
	to->counted_functions += t.counted_functions;
	to->counted_sites += t.counted_sites;
	to->mixed += data->header->mixed || data->mixed;
	to->sampled += t.processes;
	to->unsampled += t.without;
	to->self_sampled += t.own;
	to->self_refused += t.refused;
	to->samples_kept += t.kept;
	to->samples_joined += t.joined;
	to->samples_stubs += t.stubs;
	to->samples_probes += t.probes;
	to->samples_runtime += t.runtime;
	to->samples_truncated += t.truncated;
	to->samples_no_thread += t.no_thread;
	to->samples_no_interval += t.no_interval;
	to->samples_out_of_time += t.out_of_time;
	to->samples_lost += t.lost;
	to->tree_time += (wide)(t.tree_ns * (1 << CINSTR_MERGED_FRACTION) + 0.5L);
	to->kernel_time += (wide)(t.kernel_ns * (1 << CINSTR_MERGED_FRACTION) + 0.5L);
}

/* A counter has the code of a function, or of a call. */
static uint32_t function_of_counter(const struct counted_in *in, uint32_t code)
{
	const struct module *module = modules_by_code(&in->data->modules, code);
	const struct cinstr_cell function = { .tag = CINSTR_CELL_FLAT_FRAME, .func = code };
	const struct cinstr_cell call = { .tag = CINSTR_CELL_FLAT_CALL, .site = code };

	return union_function_of(in->u, in->codes,
				 module && module_function(module, code) ? &function : &call);
}

static void counters_add(struct counted_in *in)
{
	const struct counters *c = in->data->counters;

	for (size_t i = 0; c && i < c->n_codes; i++)
		union_counter_add(in->u, union_code(in->codes, c->codes[i]), 0, 0);
	for (size_t t = 0; c && t < c->n_threads; t++)
		for (size_t i = 0; i < c->threads[t].n; i++) {
			const struct data_counter *counter = &c->threads[t].list[i];

			union_counter_add(in->u, union_code(in->codes, counter->code), counter->n,
					  in->data->mixed ? 0 : counter->n);
			if (counter->n && !counter_is_bytes(counter->code))
				union_function_now(in->u, function_of_counter(in, counter->code), 0, 0, 0);
		}
}

void counted_begin(struct counted_in *in)
{
	struct profile *known;

	totals_add(in);
	counters_add(in);
	if (!may_have_more_calls(in->data))
		return;
	if (!in->u->known)
		in->u->known = known_new();
	known = in->addition.profile = in->u->known;
	known_calls_begin(&known->known, known->names, in->data);
	counted_calls_begin(&known->counted, known->names, in->data);
	in->has_more_calls = !known_calls_are_all_timed(&in->addition);
	in->u->totals.no_sites += known_calls_has_unknown_sites(&in->addition) != 0;
}

void counted_end(struct counted_in *in)
{
	if (in->addition.profile)
		names_next_process(in->addition.profile->names);
	free(in->owners);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

void counted_thread(struct counted_in *in, struct data_thread *thread)
{
	in->addition.thread = thread;
	if (thread->mixed)
		in->owners = xrealloc(in->owners, thread->mixed->n_pools, sizeof(*in->owners));
}

void counted_owner(struct counted_in *in, size_t i, uint32_t node)
{
	const struct cinstr_cell *cell = in->addition.thread->nodes[i].cell;
	const struct mixed_cell *about = mixed_cell(in->addition.thread, cell);

	if (about && !about->is_estimate && CINSTR_CELL_KIND(cell->tag) != CINSTR_CELL_LINE)
		in->owners[about->pool] = node;
}

static uint8_t bounds_of(struct counted_in *in, const struct cinstr_cell *cell, size_t node)
{
	static const struct {
		enum profile_by by;
		enum calls_by calls_by;
		uint8_t bit;
	} ways[] = { { BY_FUNCTION, CALLS_BY_FUNCTION, CINSTR_MERGED_BOUND_FUNCTION },
		     { BY_MODULE, CALLS_BY_FUNCTION, CINSTR_MERGED_BOUND_MODULE },
		     { BY_SITE, CALLS_BY_CALLER, CINSTR_MERGED_BOUND_CALLER },
		     { BY_PATH, CALLS_BY_PATH, CINSTR_MERGED_BOUND_PATH } };
	uint8_t bounds = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		in->addition.profile->by = ways[i].by;
		if (!known_calls_are_all_by(&in->addition, cell, node, ways[i].calls_by))
			bounds |= ways[i].bit;
	}
	in->addition.profile->by = BY_FUNCTION;
	return bounds;
}

uint64_t counted_calls(struct counted_in *in, const struct cinstr_cell *cell, size_t node, uint32_t number)
{
	if (!in->has_more_calls)
		return cell->calls;
	union_node(in->u, number)->item.bounds |= bounds_of(in, cell, node);
	if (!cell->calls || !in->addition.profile->counted.is_any ||
	    !counted_calls_of_entries(&in->addition, cell))
		return cell->calls;
	union_mixed_add(in->u, number,
			&(struct merged_mixed){ .counted = cell->calls,
						.untimed = in->data->mixed ? 0 : cell->calls });
	return 0;
}

/* Sum of squares: what becomes of the binomial error of each process and thread. */
static wide spread_of(const struct mixed_pool *pool, wide units)
{
	wide ticks = units >> (CINSTR_MERGED_FRACTION - MERGED_SPREAD_FRACTION);

	return pool->n ? ticks * ticks / ((wide)pool->n + 4) : 0;
}

void counted_divided(struct counted_in *in, const struct cinstr_cell *cell, uint32_t number,
		     wide (*units)(void *arg, uint64_t ticks), void *arg, wide all)
{
	const struct mixed_cell *about = mixed_cell(in->addition.thread, cell);
	struct merged_mixed divided;
	const struct mixed_pool *pool;
	wide rest;

	if (!about)
		return;
	if (about->is_estimate) {
		if (about->pool != MIXED_NO_POOL)
			union_share_add(in->u, number, in->owners[about->pool], about->samples);
		return;
	}
	rest = cell->ticks > about->kept ? units(arg, cell->ticks - about->kept) : 0;
	divided = (struct merged_mixed){ .on_cpu = units(arg, about->on_cpu),
					 .kept = all > rest ? all - rest : 0 };
	if (CINSTR_CELL_KIND(cell->tag) != CINSTR_CELL_LINE) {
		pool = &in->addition.thread->mixed->pools[about->pool];
		divided.n = pool->n;
		divided.own = pool->own;
		divided.stubs = pool->stubs;
		divided.ticks = units(arg, pool->ticks);
		divided.stub_ticks = units(arg, pool->stub_ticks);
		divided.spread = spread_of(pool, divided.ticks);
	}
	union_mixed_add(in->u, number, &divided);
}

void counted_contributor(struct counted_in *in, struct merged_contributor *c)
{
	struct row row = { 0 };

	if (!in->has_more_calls)
		return;
	counted_calls_add_whole(&in->addition, &row);
	c->calls += row.calls;
	c->are_calls_least |= !known_calls_are_whole(&in->addition);
}
