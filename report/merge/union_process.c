/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * union_process.c - adds the data file of one process to the union: the values of each node, as a
 * row of its own would have them, in units of 1 / 65536 ns. Each process has its own calibration of
 * probes' costs, so values are corrected here and summed afterwards.
 */
#include <stdlib.h>
#include <string.h>

#include "cinstr/os_events.h"
#include "file/cell_details.h"
#include "lib/array.h"
#include "lib/scale.h"
#include "rows/mpi_calls.h"
#include "rows/profile.h"
#include "union_mixed.h"
#include "values/after_call.h"
#include "values/overhead.h"

#define UNITS_PER_NS ((long double)(1 << CINSTR_MERGED_FRACTION))
#define UNITS_LARGE (1ull << 62)

/* Tags of the process's threads: they are added when its contributor is known. */
struct tags_in {
	struct merged_tag *list;
	size_t n, size;
	struct int_map cells; /* of the thread at hand: indices of its cells, and ... */
	uint32_t *nodes;      /* ... their nodes */
	size_t size_nodes;
};

/* A thread of the process at hand. */
struct thread_in {
	struct union_tree *u;
	const struct data *data;
	struct union_codes codes;
	struct addition addition;
	struct scale ns, units; /* of a tick */
	/* scaled last: many values of a node are the same */
	uint64_t ns_of, ns_is, units_of, units_is;
	const struct overhead_costs *costs;
	uint32_t *now; /* of the thread's nodes: union_now() */
	struct after after;
	struct row row; /* of the node at hand: its durations */
	uint64_t intervals;
	uint32_t *is_apart; /* of each node: 0, for after_divide */
	struct counted_in counted;
	struct tags_in tags;
	uint64_t calls; /* of the thread, that counters do not have */
};

static inline uint64_t ns_of(struct thread_in *t, uint64_t ticks)
{
	if (ticks != t->ns_of) {
		t->ns_of = ticks;
		t->ns_is = scale_rounded(&t->ns, ticks);
	}
	return t->ns_is;
}

static inline uint64_t units_64(struct thread_in *t, uint64_t ticks)
{
	if (ticks != t->units_of) {
		t->units_of = ticks;
		t->units_is = scale_rounded(&t->units, ticks);
	}
	return t->units_is;
}

static inline wide units(struct thread_in *t, uint64_t ticks)
{
	uint64_t units = units_64(t, ticks);

	if (units < UNITS_LARGE)
		return units;
	return (wide)((long double)ticks * t->addition.ns_per_tick * UNITS_PER_NS + 0.5L);
}

static struct union_key key_of(struct thread_in *t, const struct cinstr_cell *cell, uint32_t parent)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);
	const struct mixed_cell *about = mixed_cell(t->addition.thread, cell);
	struct union_key key = { .parent = parent,
				 .kind = kind | (about && about->is_estimate ? UNION_ESTIMATE : 0),
				 .site = union_code(&t->codes, cell->site) };

	if (kind == CINSTR_CELL_INDIRECT ||
	    (kind == CINSTR_CELL_FLAT_CALL && (cell->func || cell->last_exit)))
		key.target = union_target(t->codes.modules, t->codes.numbers, CINSTR_CELL_TARGET(cell));
	else if (kind == CINSTR_CELL_FRAME || kind == CINSTR_CELL_FLAT_FRAME)
		key.func = union_code(&t->codes, cell->func);
	return key;
}

/* Where samples have divided a time, a part may have got time off the processor that was measured
 * in another one, and has no event of its own. */
static void add_bare(struct thread_in *t, struct merged_bucket **list, uint32_t *n, uint64_t left_out)
{
	union_bucket_add(list, n,
			 &(struct merged_bucket){ .bits = CINSTR_OS_INVOLUNTARY,
						  .ticks = units(t, left_out) });
}

/*
 * Intervals with events of the system. Those that application time leaves out by default have taken
 * their overhead with them: theirs are `left_out` together, whatever was measured; all of them were
 * `off_cpu` at most.
 */
static void add_buckets(struct thread_in *t, uint32_t first, struct merged_bucket **list, uint32_t *n,
			uint64_t left_out, uint64_t off_cpu)
{
	const struct cinstr_bucket *buckets = (const void *)t->data->memory;
	uint64_t all = 0, rest = left_out;
	uint32_t last = UNION_NONE;

	for (uint32_t i = first; i; i = buckets[i].next)
		all += buckets[i].bits & CINSTR_OS_DEFAULT_MASK ? buckets[i].ticks : 0;
	for (uint32_t i = first; i; i = buckets[i].next) {
		const struct cinstr_bucket *b = &buckets[i];
		int is_left_out = b->bits & CINSTR_OS_DEFAULT_MASK && all;
		uint64_t ticks = is_left_out ? (uint64_t)((wide)left_out * b->ticks / all) : b->ticks;
		uint64_t off = b->off_cpu_ticks < off_cpu ? b->off_cpu_ticks : off_cpu;

		off_cpu -= off;
		rest -= is_left_out ? ticks : 0;
		last = is_left_out ? i : last;
		union_bucket_add(list, n,
				 &(struct merged_bucket){ .bits = b->bits,
							  .intervals = b->intervals,
							  .voluntary = b->switches & UINT32_MAX,
							  .involuntary = b->switches >> 32,
							  .ticks = units(t, ticks),
							  .off_cpu = units(t, off) });
	}
	if (last != UNION_NONE && rest) /* what dividing has left */
		union_bucket_add(list, n,
				 &(struct merged_bucket){ .bits = buckets[last].bits,
							  .ticks = units(t, rest) });
	else if (rest && t->addition.thread->mixed)
		add_bare(t, list, n, rest);
}

/* In units; those that are not known are left as they are. */
static void get_extremes(struct thread_in *t, const struct extremes *extremes, uint64_t *shortest,
			 uint64_t *longest)
{
	for (int i = 0; i < VALUE_KINDS; i++) {
		uint64_t least, most;

		if (extremes->shortest[i] > extremes->longest[i])
			continue;
		least = units_64(t, extremes->shortest[i]);
		most = units_64(t, extremes->longest[i]);
		shortest[i] = least < shortest[i] ? least : shortest[i];
		longest[i] = most > longest[i] ? most : longest[i];
	}
}

static void put_lengths(const struct thread_in *t, uint32_t number)
{
	struct union_node *node = union_node(t->u, number);
	const struct durations *durations = &t->row.durations;

	for (uint32_t i = 0; i < durations->n_slots; i++)
		union_slots_add(node, durations->slots[i].slot, durations->slots[i].n);
}

/* How long its calls took. */
static void add_lengths(struct thread_in *t, size_t i, struct union_now *now)
{
	const struct durations *durations = &t->row.durations;
	struct extremes extremes;

	values_extremes(t->data, t->addition.thread, i, t->addition.values, &t->addition.profile->counting,
			&extremes);
	get_extremes(t, &extremes, now->shortest, now->longest);
	t->row.durations.n_slots = 0;
	addition_lengths_between(&t->addition, &t->row, i, &extremes);
	if (durations->n_slots == 1 && now->slot == UNION_NONE) {
		now->slot = durations->slots[0].slot;
		now->slot_calls = durations->slots[0].n;
		return;
	}
	put_lengths(t, now->node);
}

/* Adds a node's own values to its function, if the process has anything of it there. */
static void add_to_function(struct thread_in *t, uint32_t function, uint64_t calls,
			    const struct node_values *v)
{
	if (calls || v->inclusive.elapsed)
		union_function_now(t->u, function, units(t, v->exclusive.elapsed),
				   units(t, v->exclusive.application),
				   units(t, v->exclusive.elapsed - v->exclusive.off_cpu));
}

static void add_values(struct thread_in *t, struct union_now *now, uint64_t calls,
		       const struct node_values *v)
{
	now->values[CINSTR_MERGED_CALLS] += calls;
	now->values[CINSTR_MERGED_EI] += ns_of(t, v->inclusive.elapsed);
	now->values[CINSTR_MERGED_EE] += ns_of(t, v->exclusive.elapsed);
	now->values[CINSTR_MERGED_AI] += ns_of(t, v->inclusive.application);
	now->values[CINSTR_MERGED_AE] += ns_of(t, v->exclusive.application);
	now->values[CINSTR_MERGED_CE] += ns_of(t, v->exclusive.elapsed - v->exclusive.off_cpu);
}

/* What of its caller's own time began with the return of the node's calls. */
static void add_after(struct thread_in *t, size_t i, const struct ticks *behind)
{
	const struct cinstr_cell *cell = t->addition.thread->nodes[i].cell;
	struct union_now *now = &t->u->now[t->now[i]];
	uint32_t first = details_after_buckets(t->data->memory, cell);
	struct merged_item *to;

	union_now_time(t->u, now, UNION_AFTER, units(t, behind->elapsed));
	union_now_time(t->u, now, UNION_AFTER_OVERHEAD, units(t, behind->overhead));
	if (!first && !t->addition.thread->mixed)
		return;
	to = &union_node(t->u, now->node)->item;
	add_buckets(t, first, &to->after_buckets, &to->n_after_buckets, behind->elapsed - behind->application,
		    behind->off_cpu);
}

/* What of a node's own time began with the return of each of its calls: noted at these. */
static void divide_own(struct thread_in *t, size_t i, const struct ticks *exclusive)
{
	const struct after_node of = { .data = t->data,
				       .thread = t->addition.thread,
				       .node = (uint32_t)i,
				       .costs = t->costs,
				       .counting = &t->addition.profile->counting,
				       .is_apart = t->is_apart,
				       .none = UNION_NONE,
				       .times_alone = 1 };

	if (t->addition.thread->nodes[i].last == i)
		return;
	after_divide(&t->after, &of, exclusive);
	for (size_t k = 1; k < t->after.n; k++)
		add_after(t, t->after.parts[k].child, &t->after.parts[k].ticks);
}

static void add_own_buckets(struct thread_in *t, const struct cinstr_cell *cell, uint32_t node,
			    const struct ticks *exclusive)
{
	uint32_t first = details_buckets(t->data->memory, cell);
	struct merged_item *to;

	if (!first)
		return;
	to = &union_node(t->u, node)->item;
	add_buckets(t, first, &to->buckets, &to->n_buckets, exclusive->elapsed - exclusive->application,
		    exclusive->off_cpu);
}

static wide units_of(void *arg, uint64_t ticks)
{
	return units(arg, ticks);
}

static int is_call(const struct cinstr_cell *cell)
{
	return !data_cell_is_line(cell) && CINSTR_CELL_KIND(cell->tag) != CINSTR_CELL_MERGED;
}

/* Adds the node's counted calls, and its time as samples have divided it. */
static void add_counted(struct thread_in *t, size_t i, uint32_t node, wide all)
{
	const struct cinstr_cell *cell = t->addition.thread->nodes[i].cell;
	uint64_t calls = i ? counted_calls(&t->counted, cell, i, node) : 0;

	if (is_call(cell))
		t->calls += calls;
	counted_divided(&t->counted, cell, node, units_of, t, all);
}

/* Adds the time of a call that a forked child goes on with. */
static void add_inherited(struct thread_in *t, size_t i, uint32_t node, const struct node_values *v)
{
	const uint64_t of[] = { v->inclusive.elapsed, v->exclusive.elapsed, v->inclusive.application,
				v->exclusive.application };
	struct merged_item *to = &union_node(t->u, node)->item;

	if (!i || !addition_is_inherited(&t->addition, i))
		return;
	to->has_inherited = 1;
	for (size_t k = 0; k < ARRAY_SIZE(of); k++)
		to->inherited[k] += units(t, of[k]);
}

static void add_moved(struct thread_in *t, const struct cinstr_cell *cell, uint32_t node)
{
	union_moved_add_cell(t->u, node, t->data, t->addition.thread, cell,
			     t->addition.ns_per_tick * UNITS_PER_NS);
}

/* As soon as its values are known: before its caller's. */
static void add_node(void *arg, struct values *of_thread, size_t i)
{
	static const struct ticks nothing;
	struct thread_in *t = arg;
	const struct cinstr_cell *cell = t->addition.thread->nodes[i].cell;
	const struct node_values *values = values_at(of_thread, i);
	const struct overhead overhead = values_overhead(of_thread, i);
	struct union_now *now = &t->u->now[t->now[i]];

	t->addition.values = of_thread;
	t->costs = values_costs(of_thread);
	t->u->n_added++;
	t->intervals += overhead.intervals;
	now->is_cyclic |= cell->tag & CINSTR_CELL_CYCLIC;
	now->intervals += overhead.intervals;
	union_now_time(t->u, now, UNION_ELAPSED, units(t, values->exclusive.elapsed));
	for (unsigned k = 0; k < OVERHEAD_ESTIMATES; k++)
		union_now_time(t->u, now, UNION_OVERHEAD + k, units(t, overhead.of[k]));
	if (i && CINSTR_CELL_KIND(cell->tag) != CINSTR_CELL_MERGED)
		add_lengths(t, i, now);
	add_values(t, now, cell->calls, values);
	add_to_function(t, union_function_of_node(t->u, &t->codes, cell, now->node), cell->calls, values);
	add_inherited(t, i, now->node, values);
	add_own_buckets(t, cell, now->node, &values->exclusive);
	add_moved(t, cell, now->node);
	add_counted(t, i, now->node,
		    units(t, values->exclusive.elapsed) + units(t, overhead.of[OVERHEAD_MEAN]));
	/* the root and lines: their callers have no part for them */
	if (!i || CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_LINE)
		add_after(t, i, &nothing);
	divide_own(t, i, &values->exclusive);
}

/* Where the thread's nodes are in the union. */
static void find_nodes(struct thread_in *t)
{
	const struct data_thread *thread = t->addition.thread;
	struct union_tree *u = t->u;

	t->now[0] = union_now(u, 0);
	counted_owner(&t->counted, 0, 0);
	for (size_t i = 1; i < thread->n_nodes; i++) {
		const struct data_node *node = &thread->nodes[i];
		const struct union_key key = key_of(t, node->cell, u->now[t->now[node->parent]].node);

		t->now[i] = union_now(u, union_find(u, &key));
		union_function_of_node(u, &t->codes, node->cell, u->now[t->now[i]].node);
		counted_owner(&t->counted, i, u->now[t->now[i]].node);
	}
}

/* ---- tags ------------------------------------------------------------------------------------ */

#define CHAIN_MOST 512

static void note_cell(struct thread_in *t, const struct cinstr_cell *cell, uint32_t node)
{
	const struct cinstr_cell *original = mixed_original(t->addition.thread, cell);
	uint64_t offset = (uint64_t)((const char *)original - t->data->memory);
	struct tags_in *tags = &t->tags;
	int is_new;
	size_t number = int_map_add(&tags->cells, offset / sizeof(*cell), &is_new);

	ARRAY_ROOM(tags->nodes, number, tags->size_nodes, 256);
	tags->nodes[number] = node;
}

/* Returns the number + 1 of the cell's node, or 0: it is not known. Cells of phases that were
 * joined with others are not noted: the nodes above them lead there. */
static uint32_t node_of_cell(struct thread_in *t, uint32_t index)
{
	const struct cinstr_cell *cells = (const void *)t->data->memory, *chain[CHAIN_MOST];
	uint32_t n = 0, node = 0, known = INT_MAP_NONE;

	while (index && (known = int_map_find(&t->tags.cells, index)) == INT_MAP_NONE && n < CHAIN_MOST) {
		chain[n++] = &cells[index];
		index = cells[index].parent;
	}
	if (known != INT_MAP_NONE)
		node = t->tags.nodes[known];
	else if (!n || CINSTR_CELL_KIND(chain[--n]->tag) != CINSTR_CELL_ROOT)
		return 0;
	while (n) {
		const struct union_key key = key_of(t, chain[--n], node);

		node = union_find(t->u, &key);
	}
	return node + 1;
}

static void note_cells(struct thread_in *t)
{
	const struct data_thread *thread = t->addition.thread;

	for (size_t i = 0; i < thread->n_nodes; i++)
		note_cell(t, thread->nodes[i].cell, t->u->now[t->now[i]].node);
	for (size_t i = 0; i < thread->n_flat; i++) {
		const struct union_key key = key_of(t, thread->flat[i], UNION_NONE);

		note_cell(t, thread->flat[i], union_find(t->u, &key));
	}
}

/* Keeps the thread's tags until the process's contributor is known. */
static void take_tags(struct thread_in *t)
{
	const struct data_thread *thread = t->addition.thread;
	const struct tag_item *list = thread->tags.list;
	struct tags_in *tags = &t->tags;

	if (thread->tags.n)
		note_cells(t);
	for (size_t i = 0; i < thread->tags.n; i++) {
		const char *name = moved_file(t->data, list[i].name);

		ARRAY_ROOM(tags->list, tags->n, tags->size, 16);
		tags->list[tags->n++] =
			(struct merged_tag){ .name = name ? name : "",
					     .is_others = (uint32_t)list[i].is_others,
					     .is_open = (uint32_t)list[i].is_open,
					     .id = list[i].is_others ? 0 : list[i].id,
					     .times = list[i].times,
					     .time = units(t, list[i].ticks),
					     .waiting = units(t, list[i].waiting),
					     .longest = units(t, list[i].longest),
					     .cell = node_of_cell(t, list[i].cell),
					     .slow_cell = node_of_cell(t, list[i].slow_cell) };
	}
	int_map_release(&tags->cells);
}

/* Adds the tags of all threads of this contributor. */
static void add_tags(struct thread_in *t, uint32_t contributor)
{
	for (size_t i = 0; i < t->tags.n; i++) {
		t->tags.list[i].who = contributor;
		union_tag_add(t->u, &t->tags.list[i]);
	}
	free(t->tags.list);
	free(t->tags.nodes);
}

/* ---- calls beyond the budget of paths -------------------------------------------------------- */

struct flat_in {
	struct thread_in *t;
	const struct node_values *values;
	uint64_t calls;
};

static uint64_t corrected_flat(const void *arg, uint64_t ticks)
{
	const struct flat_in *flat = arg;

	return values_corrected_flat(flat->values, flat->calls, &flat->t->addition.profile->counting, ticks);
}

static void add_flat(struct thread_in *t, const struct cinstr_cell *cell, const struct node_values *values)
{
	const struct flat_in flat = { t, values, cell->calls };
	const struct overhead overhead = overhead_of_flat(t->costs, cell, cell->flat_calls);
	struct extremes extremes;
	struct merged_item item = { .is_cyclic = cell->tag & CINSTR_CELL_CYCLIC };
	const struct union_key key = key_of(t, cell, UNION_NONE);
	uint32_t number = union_find(t->u, &key);

	memset(item.shortest, 0xff, sizeof(item.shortest));
	item.calls = cell->calls;
	item.intervals = overhead.intervals;
	item.elapsed = units(t, values->exclusive.elapsed);
	item.flat_ticks = units(t, cell->flat_ticks);
	item.flat_calls = cell->flat_calls;
	for (int k = 0; k < OVERHEAD_ESTIMATES; k++)
		item.overhead[k] = units(t, overhead.of[k]);
	values_extremes_flat(t->data, cell, values, cell->calls, &t->addition.profile->counting, &extremes);
	t->row.durations.n_slots = 0;
	if (extremes.shortest[VALUE_ELAPSED_INCLUSIVE] <= extremes.longest[VALUE_ELAPSED_INCLUSIVE])
		addition_durations(&t->addition, &t->row, cell, &extremes, corrected_flat, &flat);
	get_extremes(t, &extremes, item.shortest, item.longest);
	union_item_add(t->u, number, &item);
	add_to_function(t, union_function_of(t->u, &t->codes, cell), cell->calls, values);
	add_own_buckets(t, cell, number, &values->exclusive);
	add_moved(t, cell, number);
	t->calls += counted_calls(&t->counted, cell, KNOWN_CALLS_FLAT, number);
	put_lengths(t, number);
}

/* ---- threads, processes ---------------------------------------------------------------------- */

static void add_totals(struct thread_in *t)
{
	const struct data_thread *thread = t->addition.thread;
	const struct cinstr_fold_state *s = thread->state;
	const struct cinstr_thread *r = thread->record;
	struct merged_totals *to = &t->u->totals;

	to->threads += r->members ? r->members : 1;
	to->events += s->events;
	to->enters += s->enters;
	to->exits += s->exits;
	to->implicit_exits += s->implicit_exits;
	to->orphans += s->orphans;
	to->lost_events += s->lost_events;
	to->voluntary += s->voluntary;
	to->involuntary += s->involuntary;
	to->kernel_voluntary += r->counters_last.voluntary - r->counters_first.voluntary - r->own_voluntary;
	to->kernel_involuntary +=
		r->counters_last.involuntary - r->counters_first.involuntary - r->own_involuntary;
	to->merged_calls += s->merged_calls;
	to->pauses += s->pauses;
	to->repaired += s->repaired;
	to->uncounted += s->uncounted;
	to->timeline_lost += r->timeline_lost;
	to->open_frames += thread->n_open_flat + thread->n_open_elsewhere;
	to->runtime += units(t, s->runtime_ticks);
	to->paused += units(t, s->paused_ticks);
	to->between += units(t, s->between_ticks);
	to->late += units(t, overhead_late(t->costs, t->intervals));
	to->intervals += t->intervals;
}

static void add_thread(struct thread_in *t)
{
	const struct data_thread *thread = t->addition.thread;
	struct node_values *flat =
		thread->n_flat ? values_make_flat(t->data, thread, &t->addition.profile->counting) : NULL;

	t->intervals = t->calls = 0;
	counted_thread(&t->counted, t->addition.thread);
	t->now = xcalloc(thread->n_nodes, sizeof(*t->now));
	t->is_apart = xcalloc(thread->n_nodes, sizeof(*t->is_apart));
	find_nodes(t);
	t->addition.values = values_make_each(t->data, thread, &t->addition.profile->counting, add_node, t);
	for (size_t i = 0; i < thread->n_open; i++)
		union_node(t->u, t->u->now[t->now[thread->open[i]]].node)->item.open++;
	for (size_t i = 0; i < thread->n_flat; i++)
		add_flat(t, thread->flat[i], &flat[i]);
	take_tags(t);
	add_totals(t);
	after_release(&t->after);
	free(t->now);
	free(t->is_apart);
	free(flat);
}

/* What the contributor has of a thread. */
static void add_to_contributor(struct thread_in *t, struct merged_contributor *c)
{
	const struct data_thread *thread = t->addition.thread;
	const struct ticks all = values_at(t->addition.values, 0)->inclusive;
	struct mpi_time mpi = mpi_time_of_thread(t->data, thread, t->addition.values);

	c->threads += thread->record->members ? thread->record->members : 1;
	c->calls += t->calls;
	counted_contributor(&t->counted, c);
#define ADD(name) c->name += ns_of(t, all.name);
	AMOUNTS_MERGED(ADD)
#undef ADD
	c->mpi += ns_of(t, mpi.elapsed);
	c->mpi_busy += ns_of(t, mpi.elapsed > mpi.off_cpu ? mpi.elapsed - mpi.off_cpu : 0);
}

static void set_contributor(struct merged_contributor *c, const struct data *data)
{
	const char *host = process_host(data), *job = data_property(data, "job");
	const char *exe = data_property(data, "exe");

	c->host = host ? host : "";
	c->job = job ? job : "";
	c->program = exe ? util_basename(exe) : "";
	c->rank_after = process_rank_after(data);
	c->pid = data->header->pid;
	c->start_realtime_ns = data->header->start_realtime_ns;
	c->length = data_length_ns(data);
}

static const char *why_not(const struct data *data)
{
	return data->sampled ? "samples cannot be merged without calls" : NULL;
}

const char *union_add_process(struct union_tree *u, struct data *data)
{
	struct profile profile;
	struct thread_in t = { .u = u, .data = data };
	const struct counting counting = { .os_mask = CINSTR_OS_DEFAULT_MASK };
	const char *why = why_not(data);
	uint32_t *modules = why ? NULL : union_modules(u, &data->modules);
	struct merged_contributor contributor = { 0 };
	uint32_t number;
	int known;

	if (!modules)
		return why ? why : "its modules and those before have more text than can be numbered";
	profile_init(&profile, BY_FUNCTION, &counting);
	union_header_add(u, data, data_length_ns(data));
	union_properties_add(u, data);
	t.codes = (struct union_codes){ .u = u, .modules = &data->modules, .numbers = modules };
	t.addition = (struct addition){ .profile = &profile,
					.data = data,
					.ns_per_tick = data_ns_per_tick(data, &known) };
	t.ns = scale_of(t.addition.ns_per_tick);
	t.units = scale_of(t.addition.ns_per_tick * UNITS_PER_NS);
	t.counted = (struct counted_in){ .u = u, .data = data, .codes = &t.codes };
	t.counted.addition.data = data;
	t.counted.addition.ns_per_tick = t.addition.ns_per_tick;
	counted_begin(&t.counted);
	for (size_t i = 0; i < data->n_threads; i++) {
		t.addition.thread = &data->threads[i];
		add_thread(&t);
		add_to_contributor(&t, &contributor);
		values_release(t.addition.values);
	}
	counted_end(&t.counted);
	union_segments_add(u, data, modules);
	union_waits_add_process(u, data, &t.codes);
	union_sums_add_process(u, data, &t.codes);
	u->totals.calls_least += contributor.are_calls_least;
	set_contributor(&contributor, data);
	number = union_contributor(u, &contributor);
	add_tags(&t, number);
	union_contributor_end(u, number);
	durations_release(&t.row.durations);
	profile_release(&profile);
	free(modules);
	return NULL;
}
