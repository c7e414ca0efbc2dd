/* SPDX-License-Identifier: GPL-3.0-or-later */
/* profile.c - sums the values of threads' trees into rows (profile.h). */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "caller_rows.h"
#include "file/cell_details.h"
#include "file/phases.h"
#include "lib/workers.h"
#include "mpi_calls.h"
#include "place_sums.h"
#include "session/process_end.h"

#define NONE ROW_NONE
/* With so many, other threads are worth their while. */
#define MANY_NODES 50000

/* BY_MODULE: depths of rows. */
enum { MODULE_LEVEL = 1, FUNCTION_LEVEL = 2 };

/* ---- rows ------------------------------------------------------------------------------------ */

struct row *profile_row(struct profile *profile, uint32_t number)
{
	ARRAY_REACH(profile->rows, number, profile->size_rows);
	while (profile->n_rows <= number)
		profile->rows[profile->n_rows++] = row_empty;
	return &profile->rows[number];
}

void profile_rows_expect(struct profile *profile, size_t n)
{
	if (n <= profile->size_rows)
		return;
	profile->size_rows = n;
	profile->rows = xrealloc(profile->rows, n, sizeof(*profile->rows));
}

struct row *profile_row_copy(struct profile *profile, const struct row *from)
{
	struct row *row = profile_row(profile, (uint32_t)profile->n_rows);

	*row = *from;
	row->durations = (struct durations){ 0 };
	durations_merge(&row->durations, &from->durations);
	row->os = NULL;
	if (from->os)
		*row_os(row) = *from->os;
	return row;
}

void rows_release(struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		durations_release(&rows[i].durations);
		free(rows[i].os);
	}
	free(rows);
}

void profile_row_name(const struct profile *profile, struct row *row, uint32_t entity)
{
	const struct entity *e = &profile->names->list[entity];

	row->entity = entity;
	row->name = e->name;
	row->module = e->module;
	row->file = entity_told_file(e);
	row->line = entity_told_line(e);
}

static uint32_t function_row(struct profile *profile, uint32_t entity)
{
	if (!profile->names->list[entity].is_function)
		return NONE;
	profile_row_name(profile, profile_row(profile, entity), entity);
	return entity;
}

static uint32_t keyed_row(struct profile *profile, uint32_t level, uint32_t what)
{
	uint32_t key[2] = { level, what }, number;
	int is_new;

	number = (uint32_t)map_add(&profile->keys, key, sizeof(key), &is_new);
	profile_row(profile, number);
	return number;
}

static uint32_t module_row(struct profile *profile, uint32_t entity)
{
	const struct entity *e = &profile->names->list[entity];
	uint32_t number;
	struct row *row;

	if (!e->is_function)
		return NONE;
	number = keyed_row(profile, MODULE_LEVEL, e->module_number);
	row = &profile->rows[number];
	row->name = util_basename(e->module);
	row->module = e->module;
	row->depth = MODULE_LEVEL;
	return number;
}

/* BY_MODULE with functions: the row below that of the module. */
static uint32_t module_function_row(struct profile *profile, const struct data *data,
				    const struct cinstr_cell *cell, uint32_t entity)
{
	uint32_t parent = entity == NAMES_NONE ? NONE : module_row(profile, entity), number;
	struct row *row;

	(void)data;
	(void)cell;
	if (parent == NONE)
		return NONE;
	number = keyed_row(profile, FUNCTION_LEVEL, entity);
	row = &profile->rows[number];
	profile_row_name(profile, row, entity);
	row->parent = parent;
	row->depth = FUNCTION_LEVEL;
	return number;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void add_exclusive(const struct addition *a, struct row *row, const struct ticks *t)
{
#define ADD(name) row->sums.name##_exclusive += (long double)t->name * a->ns_per_tick;
	AMOUNTS(ADD)
#undef ADD
}

static void add_inclusive(const struct addition *a, struct row *row, const struct ticks *t)
{
#define ADD(name) row->sums.name##_inclusive += (long double)t->name * a->ns_per_tick;
	AMOUNTS(ADD)
#undef ADD
}

void addition_exclusive(const struct addition *a, uint32_t row, const struct ticks *t)
{
	add_exclusive(a, &a->profile->rows[row], t);
}

void addition_inclusive(const struct addition *a, uint32_t row, const struct ticks *t)
{
	add_inclusive(a, &a->profile->rows[row], t);
}

/* Shortest and longest activation. */
void addition_extremes(const struct addition *a, struct row *row, const struct extremes *known)
{
	const struct extremes extremes = *known;

	for (int kind = 0; kind < VALUE_KINDS; kind++) {
		long double shortest = (long double)extremes.shortest[kind] * a->ns_per_tick;
		long double longest = (long double)extremes.longest[kind] * a->ns_per_tick;

		if (extremes.shortest[kind] > extremes.longest[kind])
			continue;
		if (row->shortest[kind] < 0 || shortest < row->shortest[kind])
			row->shortest[kind] = shortest;
		if (longest > row->longest[kind])
			row->longest[kind] = longest;
	}
}

/* As the rows of single processes would have got them. */
static void merged_durations(const struct addition *a, struct row *row, const struct cinstr_cell *cell)
{
	const struct merged_item *item = merged_item_of(a->data->merged, cell);

	for (uint32_t i = 0; item && i < item->n_slots; i++)
		durations_add_slot(&row->durations, item->slots[i].slot, item->slots[i].n);
}

/*
 * Durations: of a slot it is known that they lie between its bounds, and between the shortest and
 * the longest. Raw, those two are not surely the ends (which they are without their overhead): each
 * tells of its own slot only.
 */
void addition_durations(const struct addition *a, struct row *row, const struct cinstr_cell *cell,
			const struct extremes *extremes,
			uint64_t (*corrected)(const void *arg, uint64_t ticks), const void *arg)
{
	const uint64_t shortest = extremes->shortest[VALUE_ELAPSED_INCLUSIVE];
	const uint64_t longest = extremes->longest[VALUE_ELAPSED_INCLUSIVE];
	const int raw = a->profile->counting.raw;
	uint64_t slots[CINSTR_SLOTS];

	if (a->data->merged) {
		merged_durations(a, row, cell);
		return;
	}
	details_slots(a->data->memory, cell, slots);
	for (uint32_t slot = 0; slot < CINSTR_SLOTS; slot++) {
		uint64_t low, high;

		if (!slots[slot])
			continue;
		low = corrected(arg, details_slot_begin(slot));
		high = corrected(arg, details_slot_begin(slot + 1));
		if (low < shortest && (!raw || shortest < high))
			low = shortest;
		if ((high > longest && (!raw || longest > low)) || slot == CINSTR_SLOTS - 1)
			high = longest;
		durations_add_between(&row->durations, (long double)low * a->ns_per_tick,
				      (long double)(high > low ? high : low) * a->ns_per_tick, slots[slot]);
	}
}

struct node_of {
	const struct addition *a;
	size_t node;
};

static uint64_t corrected_of_node(const void *arg, uint64_t ticks)
{
	const struct node_of *of = arg;

	return values_corrected(of->a->thread, of->node, of->a->values, &of->a->profile->counting, ticks);
}

void addition_lengths_between(const struct addition *a, struct row *row, size_t node,
			      const struct extremes *extremes)
{
	const struct cinstr_cell *cell = a->thread->nodes[node].cell;
	const struct node_of of = { a, node };

	if (extremes->shortest[VALUE_ELAPSED_INCLUSIVE] > extremes->longest[VALUE_ELAPSED_INCLUSIVE])
		return;
	if (cell->detail || a->data->merged)
		addition_durations(a, row, cell, extremes, corrected_of_node, &of);
	else /* of most of a large tree's nodes there is one */
		durations_add(&row->durations,
			      (long double)extremes->longest[VALUE_ELAPSED_INCLUSIVE] * a->ns_per_tick, 1);
}

void addition_lengths(const struct addition *a, struct row *row, size_t node)
{
	struct extremes extremes;

	values_extremes(a->data, a->thread, node, a->values, &a->profile->counting, &extremes);
	addition_extremes(a, row, &extremes);
	addition_lengths_between(a, row, node, &extremes);
}

int addition_is_inherited(const struct addition *a, size_t node)
{
	const struct cinstr_cell *cell = a->thread->nodes[node].cell;

	return a->data->header->forked && !cell->calls && !mixed_is_estimate(a->thread, node) &&
	       !counters_have(a->data, cell->func);
}

/* Fills in what of a node's inclusive and exclusive elapsed time, and of its application time,
 * calls have that forked children go on with. By place these are no calls of what is called. */
static void inherited_ticks(const struct addition *a, size_t node, wide ticks[4])
{
	const struct node_values *v = values_at(a->values, node);
	const struct merged_item *item = merged_head_of(a->data->merged, a->thread->nodes[node].cell);
	const wide all[4] = { v->inclusive.elapsed, v->exclusive.elapsed, v->inclusive.application,
			      v->exclusive.application };

	memset(ticks, 0, sizeof(all));
	if (profile_is_by_place(a->profile))
		return;
	if (item && item->has_inherited)
		memcpy(ticks, item->inherited, sizeof(all));
	else if (!item && addition_is_inherited(a, node))
		memcpy(ticks, all, sizeof(all));
}

void addition_activations(const struct addition *a, struct row *row, size_t node)
{
	const struct ticks *t = &values_at(a->values, node)->inclusive;
	wide inherited[4];

	inherited_ticks(a, node, inherited);
	row->activations_elapsed += ((long double)t->elapsed - (long double)inherited[0]) * a->ns_per_tick;
	row->inherited_elapsed += (long double)inherited[1] * a->ns_per_tick;
	row->activations_application +=
		((long double)t->application - (long double)inherited[2]) * a->ns_per_tick;
	row->inherited_application += (long double)inherited[3] * a->ns_per_tick;
}

static void add_calls(const struct addition *a, struct row *row, size_t node)
{
	uint64_t calls = a->thread->nodes[node].cell->calls;

	if (profile_is_by_place(a->profile) && !addition_is_line(a, node)) {
		row->entries += calls;
	} else {
		struct calls_counted counted = counted_calls_of_cell(a, row, a->thread->nodes[node].cell);

		row->untimed = (int64_t)((uint64_t)row->untimed - counted.untimed);
		row->calls += calls - counted.n;
	}
	known_calls_note(a, row, a->thread->nodes[node].cell, node);
	if (data_cell_is_jump(a->data, a->thread->nodes[node].cell))
		row->tail_calls += calls;
	addition_activations(a, row, node);
	if (profile_is_by_place(a->profile))
		return;
	addition_lengths(a, row, node);
}

void addition_to_row(const struct addition *a, struct row *row, size_t node, unsigned parts)
{
	if (parts & ADD_EXCLUSIVE)
		add_exclusive(a, row, &values_at(a->values, node)->exclusive);
	if (a->data->executed)
		row_add_share(row, data_cell_mark(a->thread->nodes[node].cell), parts);
	if (parts & ADD_INCLUSIVE)
		add_inclusive(a, row, &values_at(a->values, node)->inclusive);
	if (parts & ADD_CALLS)
		add_calls(a, row, node);
	mixed_row_add(a, row, node, parts);
}

/*
 * A source line is a part of its function, whose row it has. By place it stands on the path instead
 * of it: -1 when the path comes to the line, 1 when it leaves it.
 */
static void count_function(const struct addition *a, uint32_t *on_path, uint32_t node, int n)
{
	uint32_t number = a->rows[a->thread->nodes[node].parent];

	if (a->places && addition_is_line(a, node) && number != NONE)
		on_path[number] += (uint32_t)n;
}

/* What happened in a node's own intervals. */
struct happening {
	struct profile *profile;
	struct os_tally tally;
};

static void give_inclusive(void *arg, uint32_t number)
{
	const struct happening *happening = arg;

	os_tally_add(&row_os(&happening->profile->rows[number])->inclusive, &happening->tally);
}

/* Counts of what the operating system did, for the node's row and all those on the path. */
static void add_os(const struct addition *a, uint32_t node, struct os_path *path, const uint32_t *on_path)
{
	struct happening happening = { .profile = a->profile };

	if (!os_tally_of(&happening.tally, a->data, a->thread, a->thread->nodes[node].cell))
		return;
	if (a->places)
		places_subtract_os(a, node, &happening.tally);
	if (a->rows[node] != NONE)
		os_tally_add(&row_os(&a->profile->rows[a->rows[node]])->exclusive, &happening.tally);
	counted_calls_add_node_own(a, node, &happening.tally);
	os_path_each(path, a->rows, on_path, give_inclusive, &happening);
}

/* R6: a row that is on the path already does not get the inclusive time again. */
static void add_node(const struct addition *a, uint32_t node, int is_on_path)
{
	unsigned parts = ADD_EXCLUSIVE;

	if (!is_on_path)
		parts |= ADD_INCLUSIVE;
	if (a->places || !addition_is_line(a, node))
		parts |= ADD_CALLS;
	addition_to_row(a, &a->profile->rows[a->rows[node]], node, parts);
}

/* The way from the root to the node at hand. */
struct descent {
	const struct addition *a;
	uint32_t *nodes, *on_path; /* on_path by row: how often it is there */
	size_t depth;
	struct os_path os;
	struct places_sum places;
};

static void path_enter(struct descent *path, uint32_t node)
{
	const struct addition *a = path->a;
	uint32_t number = a->rows[node];

	path->nodes[path->depth++] = node;
	if (a->places)
		places_enter(&path->places, node);
	count_function(a, path->on_path, node, -1);
	if (a->places)
		places_divide(&path->places, node);
	if (number != NONE) {
		add_node(a, node, path->on_path[number] != 0);
		if (!path->on_path[number]++)
			os_path_enter(&path->os, node);
	}
	add_os(a, node, &path->os, path->on_path);
}

static void path_leave(struct descent *path)
{
	const struct addition *a = path->a;
	uint32_t node = path->nodes[--path->depth];

	if (a->rows[node] != NONE)
		path->on_path[a->rows[node]]--;
	count_function(a, path->on_path, node, 1);
	os_path_leave(&path->os, node);
	if (a->places)
		places_leave(&path->places, node);
}

/*
 * Adds every node to its row. R6: a row that is already on the path from the root to the node does
 * not get the node's inclusive time again.
 */
static void add_nodes(const struct addition *a)
{
	struct descent path = { .a = a,
				.nodes = xcalloc(a->thread->n_nodes, sizeof(*path.nodes)),
				.on_path = xcalloc(a->profile->n_rows, sizeof(*path.on_path)) };

	os_path_init(&path.os, a->profile->n_rows);
	places_sum_begin(&path.places, a, path.on_path, &path.os);
	for (uint32_t i = 0; i < a->thread->n_nodes; i++) {
		while (path.depth && a->thread->nodes[path.nodes[path.depth - 1]].last < i)
			path_leave(&path);
		path_enter(&path, i);
	}
	places_sum_end(&path.places);
	os_path_release(&path.os);
	free(path.nodes);
	free(path.on_path);
}

static void add_open(const struct addition *a)
{
	for (size_t i = 0; i < a->thread->n_open; i++)
		if (a->rows[a->thread->open[i]] != NONE)
			a->profile->rows[a->rows[a->thread->open[i]]].open_calls++;
}

/* All of a thread in one row: R6, all of its intervals; R8, all calls in it. */
static void add_whole(const struct addition *a, struct row *row)
{
	struct mpi_time mpi = mpi_time_of_thread(a->data, a->thread, a->values);
	struct os_tally tally;

	known_calls_note_whole(a, row);
	row->mpi += (long double)mpi.elapsed * a->ns_per_tick;
	if (mpi.elapsed > mpi.off_cpu)
		row->mpi_busy += (long double)(mpi.elapsed - mpi.off_cpu) * a->ns_per_tick;
	add_inclusive(a, row, &values_at(a->values, 0)->inclusive);
	add_exclusive(a, row, &values_at(a->values, 0)->inclusive);
	for (size_t i = 0; i < a->thread->n_nodes; i++) {
		const struct cinstr_cell *cell = a->thread->nodes[i].cell;

		if (i && !addition_is_line(a, i) && CINSTR_CELL_KIND(cell->tag) != CINSTR_CELL_MERGED)
			add_calls(a, row, i);
		if (os_tally_of(&tally, a->data, a->thread, cell))
			os_tally_add(&row_os(row)->exclusive, &tally);
	}
	addition_flat_calls(a, row);
	counted_calls_add_whole(a, row);
	mixed_row_add_whole(row);
	if (row->os)
		row->os->inclusive = row->os->exclusive;
	row->open_calls += a->thread->n_open;
}

/* ---- processes, threads ---------------------------------------------------------------------- */

/* The row of a node, or of a FLAT cell. */
static uint32_t cell_row(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
			 uint32_t entity)
{
	if (entity == NAMES_NONE)
		return NONE;
	switch (profile->by) {
	case BY_MODULE:
		return module_row(profile, entity);
	case BY_LINE:
		return place_of_line(profile, data, cell, entity);
	case BY_SITE:
		return place_of_site(profile, data, cell, entity);
	case BY_ADDRESS:
		return place_of_address(profile, data, cell, entity);
	case BY_CALLERS:
		return caller_rows_root_row(profile, entity);
	default:
		return function_row(profile, entity);
	}
}

static void node_rows(struct addition *a, const struct data *data)
{
	struct profile *profile = a->profile;

	for (size_t i = 0; i < a->thread->n_nodes; i++) {
		const struct data_node *node = &a->thread->nodes[i];

		if (addition_is_line(a, i) && !profile_is_by_place(profile))
			a->rows[i] = a->rows[node->parent];
		else
			a->rows[i] = a->row_of_flat(profile, data, node->cell, a->entities[i]);
	}
}

void addition_sum(const struct addition *a)
{
	add_nodes(a);
	if (!a->places)
		add_open(a);
	thread_shares_add(a);
	spreads_add_merged(a);
	addition_flat(a);
	counted_calls_add(a);
}

static void add_by_node(struct addition *a, const struct data *data)
{
	uint32_t *entities = names_of_thread(a->profile->names, data, a->thread);
	int by_place = profile_is_by_place(a->profile);

	a->entities = entities;
	a->rows = xcalloc((by_place ? 2 : 1) * a->thread->n_nodes, sizeof(*a->rows));
	node_rows(a, data);
	if (by_place) {
		a->places = a->rows + a->thread->n_nodes;
		places_of_calls(a);
	}
	addition_sum(a);
	if (a->profile->by == BY_CALLERS)
		caller_rows_add(a);
	if (a->profile->functions) {
		a->row_of_flat = module_function_row;
		a->is_by_function = 1;
		node_rows(a, data);
		addition_sum(a);
	}
	free(entities);
	free(a->rows);
}

static void add_by_thread(struct addition *a, const struct data *data)
{
	struct row *row;

	if (a->profile->merge_threads) {
		row = life_of_thread_name(a->profile, data, a->thread);
	} else {
		row = profile_row(a->profile, (uint32_t)a->profile->n_rows);
		life_of_thread(a->profile, row, data, a->thread);
	}
	add_whole(a, row);
}

/* The thread had no event in the phase. */
static void add_counted(const struct addition *a, uint32_t phase, struct row *row)
{
	struct addition b = *a;
	struct data_thread part = *a->thread;

	part.is_phase = 1;
	part.counted = counters_of_phase(a->data, a->thread, phase, &part.n_counted);
	b.thread = &part;
	counted_calls_add_whole(&b, row);
	free(part.counted);
}

/* Each phase as a thread of its own. */
static void add_by_mark(const struct addition *a)
{
	const struct profile *profile = a->profile;

	for (uint32_t phase = 0; phase < phases_count(a->data); phase++) {
		uint32_t number = profile->phase_rows[phase];
		struct addition b = *a;
		struct data_thread part;

		if (number == NONE)
			continue;
		if (!phase_thread(a->data, a->thread, phase, &part)) {
			add_counted(a, phase, &profile->rows[number]);
			continue;
		}
		b.thread = &part;
		b.values = values_make(a->data, &part, &profile->counting);
		add_whole(&b, &profile->rows[number]);
		values_release(b.values);
		phase_thread_release(&part);
	}
}

static void thread_add(struct profile *profile, const struct data *data, struct data_thread *thread,
		       struct values *values, long double ns_per_tick)
{
	struct addition a = { .profile = profile,
			      .data = data,
			      .thread = thread,
			      .values = values,
			      .row_of_flat = cell_row,
			      .has_flat_lengths = 1,
			      .tally = mixed_tally_new(data, thread),
			      .ns_per_tick = ns_per_tick };

	if (!profile->paths.row_of)
		totals_add_thread(&profile->totals, data, thread, values_at(values, 0), ns_per_tick);
	if (profile->by == BY_THREAD)
		add_by_thread(&a, data);
	else if (profile->by == BY_PROCESS && !data->merged)
		add_whole(&a, &profile->rows[profile->process_row]);
	else if (profile->by == BY_PROCESS)
		return; /* process_rows_add() has added it */
	else if (profile->by == BY_PATH)
		paths_add_thread(&a);
	else if (profile->by == BY_EACH)
		profile->each(profile->each_arg, &a);
	else if (profile->by == BY_MARK)
		add_by_mark(&a);
	else
		add_by_node(&a, data);
	mixed_tally_end(&a);
}

/* Values of threads, made ahead of where they are added. */
struct making {
	const struct profile *profile;
	const struct data *data;
	struct values **values; /* by thread */
};

static void make_one(void *arg, size_t i)
{
	struct making *making = arg;

	making->values[i] = values_make(making->data, &making->data->threads[i], &making->profile->counting);
}

static void threads_add(struct profile *const *profiles, size_t n_profiles, const struct data *data,
			long double ns_per_tick)
{
	struct making making = { profiles[0], data, xcalloc(data->n_threads, sizeof(*making.values)) };
	struct workers *tasks = NULL;
	size_t n_nodes = 0;

	for (size_t i = 0; i < data->n_threads; i++)
		n_nodes += data->threads[i].n_nodes;
	if (n_nodes >= MANY_NODES)
		tasks = workers_begin(data->n_threads, 1, make_one, &making);
	for (size_t i = 0; i < data->n_threads; i++) {
		if (tasks)
			workers_wait(tasks, i);
		else
			make_one(&making, i);
		for (size_t p = 0; p < n_profiles; p++)
			thread_add(profiles[p], data, &data->threads[i], making.values[i], ns_per_tick);
		values_release(making.values[i]);
	}
	if (tasks)
		workers_end(tasks);
	free(making.values);
}

void profile_init(struct profile *profile, enum profile_by by, const struct counting *counting)
{
	*profile = (struct profile){ .by = by, .counting = *counting, .names = names_new() };
}

void profile_share_names(struct profile *profile, const struct profile *with)
{
	struct names *names = names_share(with->names);

	names_drop(profile->names);
	profile->names = names;
}

static void process_begin(struct profile *profile, const struct data *data, long double ns_per_tick,
			  int known)
{
	if (!profile->paths.row_of) { /* else it is read a second time */
		struct ending ending = ending_of(data, profile->names);

		totals_add_process(&profile->totals, data, ns_per_tick, known,
				   ending_length_ns(data, &ending));
		quality_add_end(&profile->totals.facts, data, &ending);
		if (!data->executed)
			exclusions_add(&profile->taken_outs, profile->names, data);
	}
	profile->shares.process++;
	system_facts_add(&profile->system, profile->names, data);
	if (profile->shares.is_wanted)
		code_samples_add(&profile->code, data);
	known_calls_begin(&profile->known, profile->names, data);
	/* on which path is not known, in which phase not always */
	counted_calls_release(&profile->counted);
	if (profile->by == BY_MARK ? counters_phases_are_known(data) : profile->by != BY_PATH)
		counted_calls_begin(&profile->counted, profile->names, data);
	if (profile->by == BY_PROCESS)
		process_rows_add(profile, data);
	if (profile->by == BY_MARK)
		mark_rows_add(profile, data);
}

void profiles_add(struct profile *const *profiles, size_t n, const struct data *data)
{
	int known;
	const struct measure *measure = measure_of((enum cinstr_method)data->header->method);
	long double per_tick = measure->per_tick(data, &known);

	for (size_t i = 0; i < n; i++)
		process_begin(profiles[i], data, per_tick, known);
	threads_add(profiles, n, data, per_tick);
	for (size_t i = 0; i < n; i++) {
		struct totals *totals = &profiles[i]->totals;

		if (!profiles[i]->paths.row_of)
			waits_within(&totals->facts.waits, totals->off_cpu);
		spreads_process_end(profiles[i], data);
		if (profiles[i]->waits.is_wanted) {
			wait_facts_add(&profiles[i]->waits, profiles[i]->names, data);
			file_facts_add(&profiles[i]->files, profiles[i]->names, data);
			held_facts_add(&profiles[i]->held, profiles[i]->names, data);
			tag_facts_add(&profiles[i]->tags, profiles[i]->names, data);
			count_facts_add(&profiles[i]->counts, profiles[i]->names, data);
		}
		if (profiles[i]->critical.is_wanted)
			critical_path_add(&profiles[i]->critical, profiles[i]->names, data, 0, UINT64_MAX);
		if (profiles[i]->visit)
			profiles[i]->visit(profiles[i]->visit_arg, data);
		names_next_process(profiles[i]->names);
		places_next_process(profiles[i]);
	}
}

void profile_settle(struct profile *profile)
{
	counted_calls_finish(profile);
	line_reach_release(&profile->reach);
	map_release(&profile->codes);
	map_release(&profile->joined);
	free(profile->row_of_code);
	profile->row_of_code = NULL;
	profile->n_row_of_code = 0;
}

void profile_release(struct profile *profile)
{
	rows_release(profile->rows, profile->n_rows);
	names_drop(profile->names);
	totals_release(&profile->totals);
	exclusions_release(&profile->taken_outs);
	counted_calls_release(&profile->counted);
	known_calls_release(&profile->known);
	map_release(&profile->keys);
	map_release(&profile->codes);
	map_release(&profile->joined);
	line_reach_release(&profile->reach);
	free(profile->row_of_code);
	free(profile->phase_rows);
	map_release(&profile->strings);
	paths_release(&profile->paths);
	row_stream_release(&profile->stream);
	thread_shares_release(&profile->shares);
	spreads_release(&profile->spreads);
	thread_facts_release(&profile->thread_facts);
	thread_heads_release(&profile->thread_heads);
	system_facts_release(&profile->system);
	wait_facts_release(&profile->waits);
	critical_path_release(&profile->critical);
	file_facts_release(&profile->files);
	held_facts_release(&profile->held);
	tag_facts_release(&profile->tags);
	count_facts_release(&profile->counts);
	code_samples_release(&profile->code);
	*profile = (struct profile){ 0 };
}
