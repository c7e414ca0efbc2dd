/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree_thread.c - adds a thread to a tree for export (export_tree.h): nodes and their rounded
 * exclusive values.
 */
#include <stdlib.h>
#include <string.h>

#include "export_tree.h"
#include "file/phases.h"
#include "file/samples.h"
#include "lib/array.h"
#include "names/thread_names.h"
#include "rows/place_sums.h"
#include "tree_counted.h"

struct tree_sum {
	long double sum[MEASURES];
	uint64_t given[MEASURES];
};

struct tree_reading {
	struct tree_sum *sums; /* by entity: so far, and what of it nodes have got */
	size_t n_sums;
	uint32_t process;      /* number of the one at hand */
	struct int_map places; /* of the process: code of a site, or number of a place */
	uint32_t *place_of;    /* by number there */
	size_t n_place_of;
	struct tree_counted counted;
	struct after after;
};

/* A thread, or one phase of it, being added. */
struct adding {
	struct export_tree *tree;
	const struct addition *a;
	const uint32_t *entities;
	uint32_t *to;	  /* by node: the function's node, or an origin's */
	uint32_t *places; /* by node: where it was called; NULL: nobody wants to know */
	uint32_t *apart;  /* by node: the same, if time after it is told by its line; else 0 */
	struct overhead_costs costs;
	long double *scales; /* by entity and measure; NULL: all are 1 */
	size_t n_scales;     /* entities */
};

/* ---- where it comes from --------------------------------------------------------------------- */

static const char *phase_name(struct export_tree *tree, const struct data *data, uint32_t number)
{
	const struct data_mark *mark = phases_get(data, number).mark;
	STRBUF(text);

	if (!number)
		return "(begin of the recording)";
	if (!mark)
		return "(mark lost)";
	phase_put_name(&text, mark);
	return map_keep(&tree->profile.strings, text.text);
}

static const char *thread_name(struct export_tree *tree, const struct addition *a)
{
	FREED char *name = thread_shown_name(tree->profile.names, a->data, a->thread);
	const char *kept =
		*name ? map_keep(&tree->profile.strings, name) : process_name_of(&tree->profile, a->data);

	return kept;
}

uint32_t tree_origin_of(struct export_tree *tree, const struct addition *a, const char *phase)
{
	struct tree_origin origin = { .pid = a->data->header->pid,
				      .process_number = a->data->process_number,
				      .twin = a->data->twin,
				      .start_realtime_ns = a->data->header->start_realtime_ns,
				      .tid = a->thread->record->tid,
				      .process = process_name_of(&tree->profile, a->data),
				      .thread = thread_name(tree, a),
				      .phase = phase };
	STRBUF(key);
	int is_new;
	uint32_t number;

	strbuf_printf(&key, "%u\n%u\n%s\n%s\n%s", origin.process_number, origin.tid, origin.process,
		      origin.thread, phase ? phase : "");
	number = (uint32_t)map_add(&tree->origin_numbers, key.text, key.length, &is_new);
	ARRAY_REACH(tree->origins, number, tree->size_origins);
	tree->origins[number] = origin;
	tree->n_origins = tree->origin_numbers.n;
	return number;
}

/* Returns the entity that the thread's paths are below; NAMES_NONE: there is none. */
static uint32_t entity_of_thread(struct export_tree *tree, const struct addition *a)
{
	STRBUF(text);

	if (tree->by == EXPORT_BY_ALL)
		return NAMES_NONE;
	if (tree->by == EXPORT_BY_THREAD)
		thread_head_put(&tree->profile.thread_heads, &text, a->data, a->thread, thread_name(tree, a));
	else
		strbuf_printf(&text, "[threads %s]", thread_name(tree, a));
	return names_made_up(tree->profile.names, text.text);
}

/* Returns the entity that gets the thread's time outside any function. */
static uint32_t entity_of_outside(struct export_tree *tree, const struct addition *a)
{
	uint32_t entity = entity_of_thread(tree, a);

	return entity == NAMES_NONE ? names_made_up(tree->profile.names, TREE_OUTSIDE) : entity;
}

/* The node that all of the thread's are below. */
static uint32_t node_of_thread(struct export_tree *tree, const struct addition *a, const char *phase)
{
	uint32_t above = 0, entity = entity_of_thread(tree, a);

	if (tree->choice.has_origins)
		above = tree_node_of(tree, 0, TREE_ORIGIN, tree_origin_of(tree, a, phase), 0);
	return entity == NAMES_NONE ? above : tree_node_of(tree, above, TREE_FUNCTION, entity, 0);
}

/* ---- places ---------------------------------------------------------------------------------- */

static uint32_t place_of_sled(struct export_tree *tree, const struct data *data, uint32_t code)
{
	const struct module *module = modules_by_code(&data->modules, code);
	const struct module_site *site = module ? module_site(module, code) : NULL;
	const struct module_function *f;
	STRBUF(levels);
	const char *file, *inlined;

	if (!site)
		return 0;
	f = &module->functions[site->function];
	file = names_file(tree->profile.names, f->comp_dir, site->file ? site->file : f->file);
	for (uint32_t i = 0; i < site->n_levels; i++)
		strbuf_puts(&levels, module->levels[site->first_level + i]);
	inlined = tree_levels(tree, f->comp_dir, levels.length ? levels.text : "");
	return tree_place_of(tree, file, site->line, inlined);
}

static uint32_t place_of_sample(struct export_tree *tree, const struct data *data, uint32_t number)
{
	const struct sampled_place *place = samples_place(data, number);

	if (!place)
		return 0;
	return tree_place_of(tree, place->file ? map_keep(&tree->profile.strings, place->file) : NULL,
			     place->line, NULL);
}

/* Of a site's code, or a sampled place's number. Each is looked up once in a process. */
static uint32_t place_of(struct export_tree *tree, const struct data *data, uint32_t code)
{
	struct tree_reading *reading = tree->reading;
	uint32_t number;
	int is_new;

	if (!code)
		return 0;
	number = int_map_add(&reading->places, code, &is_new);
	ARRAY_REACH(reading->place_of, number, reading->n_place_of);
	if (is_new)
		reading->place_of[number] =
			data->sampled ? place_of_sample(tree, data, code) : place_of_sled(tree, data, code);
	return reading->place_of[number];
}

static uint32_t call_place(const struct adding *adding, uint32_t node)
{
	const struct addition *a = adding->a;
	uint32_t frame, parent = a->thread->nodes[node].parent;

	if (a->data->sampled)
		return place_of(adding->tree, a->data, a->thread->nodes[node].cell->site);
	if (adding->places[parent] && addition_is_line(a, parent))
		return adding->places[parent];
	return place_of(adding->tree, a->data, places_site(a, node, &frame));
}

/* Frames whose lines were recorded need no guess where their time was. */
static void places_make(struct adding *adding)
{
	const struct addition *a = adding->a;
	size_t n = a->thread->n_nodes;
	uint8_t *lined = xcalloc(n, 1);

	adding->places = xcalloc(n, sizeof(*adding->places));
	adding->apart = xcalloc(n, sizeof(*adding->apart));
	for (uint32_t i = 1; i < n; i++)
		if (addition_is_line(a, i))
			lined[i] = lined[a->thread->nodes[i].parent] = 1;
	for (uint32_t i = 1; i < n; i++) {
		adding->places[i] = addition_is_line(a, i)
					    ? place_of(adding->tree, a->data, a->thread->nodes[i].cell->site)
					    : call_place(adding, i);
		if (!lined[a->thread->nodes[i].parent] && !addition_is_line(a, i) && !a->data->sampled)
			adding->apart[i] = adding->places[i];
	}
	free(lined);
	overhead_costs(&adding->costs, &a->data->header->calibration);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* What a node has, or a part of it. */
struct part {
	const struct ticks *ticks;
	uint64_t calls, jumps, switches;
};

static uint64_t switches_of(const struct os_tally *tally)
{
	return tally->of[OS_VOLUNTARY] + tally->of[OS_INVOLUNTARY];
}

/* In units of the session, as the row of the node's function gets it. */
static long double value_of(const struct addition *a, const struct part *part, enum export_measure measure)
{
	const struct ticks *t = part->ticks;

	switch (measure) {
	case MEASURE_ELAPSED:
	case MEASURE_SAMPLES:
	case MEASURE_COUNT_INSTRUCTIONS:
	case MEASURE_COUNT_CYCLES:
	case MEASURE_COUNT_RETIRED:
	case MEASURE_COUNT_MISSES:
		return (long double)t->elapsed * a->ns_per_tick;
	case MEASURE_APPLICATION:
		return (long double)t->application * a->ns_per_tick;
	case MEASURE_WAITING:
		return (long double)t->off_cpu * a->ns_per_tick;
	case MEASURE_PREEMPTED:
		return (long double)t->preempted * a->ns_per_tick;
	case MEASURE_CPU:
		return (long double)(t->elapsed > t->off_cpu ? t->elapsed - t->off_cpu : 0) * a->ns_per_tick;
	case MEASURE_CALLS:
		return (long double)part->calls;
	case MEASURE_JUMPS:
		return (long double)part->jumps;
	case MEASURE_SWITCHES:
		return (long double)part->switches;
	default:
		return 0;
	}
}

/* < 0: no phase has any of it, and who comes first gets all. */
static long double scaled(long double value, long double *scale)
{
	if (*scale >= 0)
		return value * *scale;
	value = -*scale;
	*scale = 0;
	return value;
}

static void give(const struct adding *adding, uint32_t to, const struct part *part)
{
	struct export_tree *tree = adding->tree;
	struct tree_reading *reading = tree->reading;
	uint32_t entity = tree_item(tree, to)->entity;
	uint64_t *values = tree->values + (size_t)to * tree->n_values;
	struct tree_sum *sum;
	int was_empty = tree->choice.take && !tree_has_values(tree, to);

	ARRAY_REACH_ZEROED(reading->sums, entity, reading->n_sums);
	sum = &reading->sums[entity];
	for (unsigned i = 0; i < tree->n_values; i++) {
		long double value = value_of(adding->a, part, tree->choice.measures.list[i]);
		uint64_t rounded;

		if (adding->scales && entity < adding->n_scales)
			value = scaled(value, &adding->scales[(size_t)entity * tree->n_values + i]);
		if (value <= 0)
			continue;
		sum->sum[i] += value;
		rounded = util_rounded(sum->sum[i]);
		values[i] += rounded - sum->given[i];
		sum->given[i] = rounded;
	}
	if (was_empty && tree_has_values(tree, to))
		tree_touch(tree, to);
}

static void mark(struct export_tree *tree, uint32_t node, unsigned marks)
{
	tree->marks[node] |= (uint8_t)marks;
	tree->all_marks |= (uint8_t)marks;
}

/* Returns the marks (TREE_TIMED, ...) of where the node's times, or counts, come from. */
static unsigned source_marks(const struct addition *a, uint32_t node)
{
	struct addition untallied = *a;
	struct row row = { .entity = 0 };
	unsigned own;

	if (a->data->executed)
		return tree_share_marks(a, node);
	if (!a->thread->mixed)
		return values_at(a->values, node)->exclusive.elapsed ? TREE_TIMED : 0;
	untallied.tally = NULL;
	mixed_row_add(&untallied, &row, node, ADD_INCLUSIVE | ADD_EXCLUSIVE);
	own = row.source[CINSTR_EXCLUSIVE]; /* an estimate of 0 is one */
	return (own & SOURCE_ESTIMATE ? TREE_ESTIMATE : 0) | (own & SOURCE_TIMED ? TREE_TIMED : 0) |
	       (row.source[CINSTR_INCLUSIVE] & SOURCE_ESTIMATE ? TREE_TOTAL_ESTIMATE : 0);
}

/* Whether there may be more calls: of the function, in its row; on this path, at its node. */
static void mark_calls(const struct adding *adding, const struct cinstr_cell *cell, size_t node, uint32_t to)
{
	struct export_tree *tree = adding->tree;
	uint32_t entity = tree_item(tree, to)->entity;

	if (tree_item(tree, to)->kind != TREE_FUNCTION || !tree->profile.names->list[entity].is_function)
		return;
	known_calls_note(adding->a, profile_row(&tree->profile, entity), cell, node);
	if (!known_calls_are_all_on_path(adding->a, cell, node))
		mark(tree, to, TREE_CALLS_LEAST);
	if (cell->calls && data_cell_is_jump(adding->a->data, cell))
		mark(tree, to, TREE_JUMPED);
}

static void give_calls(const struct adding *adding, struct part *part, const struct cinstr_cell *cell,
		       uint32_t entity)
{
	tree_counted_note(&adding->tree->reading->counted, adding->a, cell, entity);
	part->calls = cell->calls;
	part->jumps = data_cell_is_jump(adding->a->data, cell) ? cell->calls : 0;
}

/* By the lines whose calls the time came behind: semantics R14. */
static void give_by_line(const struct adding *adding, uint32_t node, struct part *whole)
{
	const struct addition *a = adding->a;
	struct after *after = &adding->tree->reading->after;
	uint32_t to = adding->to[node];
	struct ticks own = *whole->ticks;

	after_divide(after,
		     &(struct after_node){ a->data, a->thread, node, &adding->costs, &a->profile->counting,
					   adding->apart, 0, 0 },
		     &own);
	for (size_t i = 1; i < after->n; i++) {
		uint32_t child = after->parts[i].child;
		struct part part = { .ticks = &after->parts[i].ticks };
		struct os_tally tally;

		if (os_tally_after(&tally, a->data, a->thread->nodes[child].cell))
			part.switches = switches_of(&tally);
		if (part.switches > whole->switches)
			part.switches = whole->switches;
		whole->switches -= part.switches;
		give(adding,
		     tree_node_of(adding->tree, to, TREE_LINE, adding->entities[node], adding->apart[child]),
		     &part);
	}
	whole->ticks = &after->parts[0].ticks;
	give(adding, to, whole);
}

static int is_divided(const struct adding *adding, uint32_t node)
{
	const struct addition *a = adding->a;

	return adding->apart && !a->data->sampled && a->thread->nodes[node].last > node &&
	       adding->entities[node] != NAMES_NONE &&
	       CINSTR_CELL_KIND(a->thread->nodes[node].cell->tag) == CINSTR_CELL_FRAME;
}

/* Calls beyond the budget of paths are known by function. Their paths are not: they hang below one
 * of their own. */
static void give_flat(const struct adding *adding)
{
	const struct addition *a = adding->a;
	struct export_tree *tree = adding->tree;
	struct node_values *values;
	uint32_t above, to;

	if (!a->thread->n_flat)
		return;
	values = values_make_flat(a->data, a->thread, &a->profile->counting);
	above = tree_node_made_up(tree, adding->to[0], NAMES_MERGED);
	for (size_t i = 0; i < a->thread->n_flat; i++) {
		const struct cinstr_cell *cell = a->thread->flat[i];
		uint32_t entity = names_of_cell(tree->profile.names, a->data, cell);
		struct part part = { .ticks = &values[i].exclusive };
		struct os_tally tally;

		if (entity == NAMES_NONE)
			continue;
		give_calls(adding, &part, cell, entity);
		if (os_tally_of(&tally, a->data, a->thread, cell))
			part.switches = switches_of(&tally);
		to = tree_node_of(tree, above, TREE_FUNCTION, entity, 0);
		mark_calls(adding, cell, KNOWN_CALLS_FLAT, to);
		mark(tree, to, part.ticks->elapsed ? TREE_TIMED : 0);
		give(adding, to, &part);
	}
	free(values);
}

static int is_merged(const struct addition *a, size_t node)
{
	return CINSTR_CELL_KIND(a->thread->nodes[node].cell->tag) == CINSTR_CELL_MERGED;
}

static void give_node(const struct adding *adding, uint32_t node)
{
	const struct addition *a = adding->a;
	struct node_values values = *values_at(a->values, node);
	struct part part = { .ticks = &values.exclusive };
	struct export_tree *tree = adding->tree;
	uint32_t to = adding->to[node];
	struct os_tally tally;

	if (node && !addition_is_line(a, node))
		give_calls(adding, &part, a->thread->nodes[node].cell, adding->entities[node]);
	if (a->thread->n_flat && is_merged(a, node)) /* give_flat() */
		return;
	if (os_tally_of(&tally, a->data, a->thread, a->thread->nodes[node].cell))
		part.switches = switches_of(&tally);
	if (node && !a->data->sampled) {
		if (!addition_is_line(a, node))
			mark_calls(adding, a->thread->nodes[node].cell, node, to);
		mark(tree, to, source_marks(a, node));
	}
	if (tree_item(tree, to)->kind != TREE_FUNCTION) { /* nobody's */
		if (!part.ticks->elapsed)
			return;
		to = tree_node_made_up(tree, to, TREE_OUTSIDE);
	} else if (adding->places && addition_is_line(a, node)) {
		to = tree_node_of(tree, to, TREE_LINE, adding->entities[node], adding->places[node]);
	} else if (is_divided(adding, node)) {
		give_by_line(adding, node, &part);
		return;
	}
	give(adding, to, &part);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* A source line is a part of its function, and so is what has no name of who called it. */
static void add_tree(struct adding *adding, const char *phase)
{
	struct export_tree *tree = adding->tree;
	const struct addition *a = adding->a;
	uint32_t *entities = names_of_thread(tree->profile.names, a->data, a->thread);

	if (tree->choice.take) /* of this thread alone */
		memset(tree->marks, 0, tree->n);
	adding->entities = entities;
	adding->to = xcalloc(a->thread->n_nodes, sizeof(*adding->to));
	if (tree->choice.has_lines)
		places_make(adding);
	adding->to[0] = node_of_thread(tree, a, phase);
	for (uint32_t i = 0; i < a->thread->n_nodes; i++) {
		if (i)
			adding->to[i] = adding->to[a->thread->nodes[i].parent];
		if (i && entities[i] != NAMES_NONE && !addition_is_line(a, i))
			adding->to[i] = tree_node_of(tree, adding->to[i], TREE_FUNCTION, entities[i],
						     adding->places ? adding->places[i] : 0);
		give_node(adding, i);
	}
	give_flat(adding);
	if (tree->choice.take)
		tree->choice.take(tree->choice.take_arg, tree, a, phase);
	free(entities);
	free(adding->to);
	free(adding->places);
	free(adding->apart);
}

/* ---- phases ---------------------------------------------------------------------------------- */

struct phases {
	struct addition *list; /* a thread of each phase */
	struct data_thread *threads;
	uint32_t *numbers;
	size_t n;
};

static int is_time(const struct export_tree *tree, size_t number)
{
	enum export_measure measure = tree->choice.measures.list[number % tree->n_values];

	return measure != MEASURE_CALLS && measure != MEASURE_JUMPS && measure != MEASURE_SWITCHES;
}

/* Times by entity and measure. */
static void sums_make(struct export_tree *tree, const struct addition *a, long double *sums, size_t n)
{
	FREED uint32_t *entities = names_of_thread(tree->profile.names, a->data, a->thread);
	struct node_values *flat = values_make_flat(a->data, a->thread, &a->profile->counting);

	for (size_t i = 0; i < a->thread->n_flat; i++) {
		uint32_t entity = names_of_cell(tree->profile.names, a->data, a->thread->flat[i]);
		struct part part = { .ticks = &flat[i].exclusive };

		for (unsigned k = 0; entity < n && k < tree->n_values; k++)
			sums[(size_t)entity * tree->n_values + k] +=
				value_of(a, &part, tree->choice.measures.list[k]);
	}
	free(flat);
	if (a->thread->n_nodes)
		entities[0] = entity_of_outside(tree, a);
	for (size_t i = 0; i < a->thread->n_nodes; i++) {
		struct part part = { .ticks = &values_at(a->values, i)->exclusive };

		if (entities[i] == NAMES_NONE)
			entities[i] = entities[a->thread->nodes[i].parent];
		if (entities[i] == NAMES_NONE || entities[i] >= n)
			continue;
		for (unsigned k = 0; k < tree->n_values; k++)
			sums[(size_t)entities[i] * tree->n_values + k] +=
				value_of(a, &part, tree->choice.measures.list[k]);
	}
}

/*
 * The overhead of probes is subtracted from each phase as if there were no others, and no time gets
 * below 0 by that: so phases are together not always what the whole is. They are made to be.
 */
static long double *scales_make(struct export_tree *tree, const struct addition *a,
				const struct phases *phases, size_t *n)
{
	size_t size;
	long double *whole, *parts;

	free(names_of_thread(tree->profile.names, a->data, a->thread)); /* all have numbers now */
	entity_of_outside(tree, a);
	*n = tree->profile.names->keys.n;
	size = *n * tree->n_values + 1;
	whole = xcalloc(size, sizeof(*whole));
	parts = xcalloc(size, sizeof(*parts));
	sums_make(tree, a, whole, *n);
	for (size_t i = 0; i < phases->n; i++)
		sums_make(tree, &phases->list[i], parts, *n);
	for (size_t i = 0; i < size; i++)
		if (is_time(tree, i))
			whole[i] = whole[i] <= 0 ? 0 : parts[i] > 0 ? whole[i] / parts[i] : -whole[i];
		else
			whole[i] = 1;
	free(parts);
	return whole;
}

static void phases_open(struct phases *phases, const struct addition *a)
{
	uint32_t n = phases_count(a->data);

	phases->list = xcalloc(n, sizeof(*phases->list));
	phases->threads = xcalloc(n, sizeof(*phases->threads));
	phases->numbers = xcalloc(n, sizeof(*phases->numbers));
	for (uint32_t number = 0; number < n; number++) {
		struct data_thread *part = &phases->threads[phases->n];

		if (!phases_is_chosen(a->data, number) || !phase_thread(a->data, a->thread, number, part))
			continue;
		phases->list[phases->n] = *a;
		phases->list[phases->n].thread = part;
		phases->list[phases->n].values = values_make(a->data, part, &a->profile->counting);
		phases->numbers[phases->n++] = number;
	}
}

/* Each phase as a thread of its own. */
static void add_phases(struct export_tree *tree, const struct addition *a)
{
	struct phases phases = { 0 };
	long double *scales;
	size_t n_scales;

	phases_open(&phases, a);
	scales = scales_make(tree, a, &phases, &n_scales);
	for (size_t i = 0; i < phases.n; i++) {
		struct adding adding = { .tree = tree, .a = &phases.list[i] };

		adding.scales = scales;
		adding.n_scales = n_scales;
		add_tree(&adding, phase_name(tree, a->data, phases.numbers[i]));
	}
	for (size_t i = 0; i < phases.n; i++) {
		values_release(phases.list[i].values);
		phase_thread_release(&phases.threads[i]);
	}
	free(phases.list);
	free(phases.threads);
	free(phases.numbers);
	free(scales);
}

/* ---- a thread -------------------------------------------------------------------------------- */

static uint32_t row_of_entity(struct profile *profile, const struct data *data,
			      const struct cinstr_cell *cell, uint32_t entity)
{
	(void)data;
	(void)cell;
	if (entity == NAMES_NONE || !profile->names->list[entity].is_function)
		return ROW_NONE;
	profile_row(profile, entity);
	return entity;
}

static void add_modules(struct export_tree *tree, const struct data *data)
{
	for (size_t i = 0; i < data->modules.n; i++) {
		const struct module *module = &data->modules.list[i];
		struct tree_module *added;
		int is_new;
		size_t number = map_add(&tree->module_numbers, module->path, strlen(module->path), &is_new);

		ARRAY_REACH(tree->modules, number, tree->size_modules);
		if (!is_new)
			continue;
		added = &tree->modules[number];
		*added = (struct tree_module){ .start = module->raw->text_start,
					       .end = module->raw->text_end };
		added->build_id_bytes = module->raw->build_id_bytes;
		if (added->build_id_bytes > sizeof(added->build_id))
			added->build_id_bytes = 0;
		memcpy(added->build_id, module->raw->build_id, added->build_id_bytes);
	}
}

static void process_begin(struct export_tree *tree, const struct data *data, uint32_t number)
{
	struct tree_reading *reading = tree->reading;

	if (reading->process == number)
		return;
	reading->process = number;
	int_map_release(&reading->places);
	reading->places = (struct int_map){ 0 };
	if (tree->choice.has_origins)
		add_modules(tree, data);
}

void tree_add_thread(void *arg, const struct addition *a)
{
	struct export_tree *tree = arg;
	struct addition counted = *a;
	int has_phases = (tree->choice.has_origins || tree->choice.take) && phases_count(a->data) > 1 &&
			 !a->data->phases_unknown && !a->thread->mixed && !a->data->executed;

	if (!tree->reading)
		tree->reading = xcalloc(1, sizeof(*tree->reading));
	process_begin(tree, a->data, tree->profile.shares.process);
	if (has_phases)
		add_phases(tree, a);
	else
		add_tree(&(struct adding){ .tree = tree, .a = a }, NULL);
	counted.row_of_flat = row_of_entity;
	counted_calls_add(&counted);
}

void tree_add_end(struct export_tree *tree)
{
	if (tree->reading)
		tree_counted_give(&tree->reading->counted, tree);
	if (tree->choice.take && tree->n_touched)
		tree->choice.take(tree->choice.take_arg, tree, NULL, NULL);
}

void tree_reading_release(struct export_tree *tree)
{
	struct tree_reading *reading = tree->reading;

	if (!reading)
		return;
	int_map_release(&reading->places);
	free(reading->place_of);
	free(reading->sums);
	tree_counted_release(&reading->counted);
	after_release(&reading->after);
	free(reading);
	tree->reading = NULL;
}
