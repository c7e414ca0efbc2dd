/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_parquet.c - a folder of tables for engines of columns, as Apache Parquet: run, place
 * (threads), path, value. They are explained in doc/exports.md.
 *
 * Values are written process by process, each a row group, and are not kept: what is kept are call
 * paths, each once for all processes, and threads. So paths are numbered as they are found; where
 * they are in the tree is said by `position` and `last`, which are known at the end.
 */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "export_tree.h"
#include "function_facts.h"
#include "lib/array.h"
#include "own_parquet.h"
#include "parquet/folder.h"
#include "parquet/parquet.h"
#include "selection/selection.h"

#define BYTES_A_VALUE 14 /* about, packed */
#define BYTES_A_PATH 16
#define BYTES_A_FOLDER 2000
#define NONE_FOLDER "__HIVE_DEFAULT_PARTITION__" /* as Hive calls those that have none */

/* clang-format off */
#define RUN_COLUMNS(C) \
	C(RUN_RUN, "run", INT64, 0, 1) \
	C(RUN_COMMAND, "command", TEXT, 1, 0) \
	C(RUN_METHOD, "method", TEXT, 0, 0) \
	C(RUN_CINSTR, "cinstr", TEXT, 0, 0) \
	C(RUN_BEGIN, "begin_realtime_ns", INT64, 0, 0) \
	C(RUN_DURATION, "duration_ns", INT64, 0, 0) \
	C(RUN_PROCESSES, "processes", INT64, 0, 0) \
	C(RUN_THREADS, "threads", INT64, 0, 0) \
	C(RUN_FILTER, "filter", TEXT, 1, 0)
enum { RUN_COLUMNS(PARQUET_NUMBER) };
static const struct parquet_column run_columns[] = { RUN_COLUMNS(PARQUET_COLUMN) };

#define PLACE_COLUMNS(C) \
	C(PLACE_RUN, "run", INT64, 0, 1) \
	C(PLACE_PLACE, "place", INT32, 0, 0) \
	C(PLACE_JOB, "job", TEXT, 1, 0) \
	C(PLACE_HOST, "host", TEXT, 1, 0) \
	C(PLACE_RANK, "rank", INT32, 1, 0) \
	C(PLACE_PID, "pid", INT32, 1, 0) \
	C(PLACE_TID, "tid", INT32, 1, 0) \
	C(PLACE_PROCESS, "process", TEXT, 0, 0) \
	C(PLACE_THREAD, "thread", TEXT, 1, 0) \
	C(PLACE_PROCESSES, "processes", INT32, 0, 0)
enum { PLACE_COLUMNS(PARQUET_NUMBER) };
static const struct parquet_column place_columns[] = { PLACE_COLUMNS(PARQUET_COLUMN) };

#define PATH_COLUMNS(C) \
	C(PATH_RUN, "run", INT64, 0, 1) \
	C(PATH_PATH, "path", INT32, 0, 0) \
	C(PATH_PARENT, "parent", INT32, 1, 0) \
	C(PATH_DEPTH, "depth", INT32, 0, 0) \
	C(PATH_POSITION, "position", INT32, 0, 0) \
	C(PATH_LAST, "last", INT32, 0, 0) \
	C(PATH_STACK, "stack", INT64, 0, 0) \
	C(PATH_NESTED, "nested", INT32, 0, 1) \
	C(PATH_NAME, "name", TEXT, 0, 0) \
	C(PATH_MODULE, "module", TEXT, 1, 0) \
	C(PATH_FILE, "file", TEXT, 1, 0) \
	C(PATH_LINE, "line", INT32, 1, 1)
enum { PATH_COLUMNS(PARQUET_NUMBER) };
static const struct parquet_column path_columns[] = { PATH_COLUMNS(PARQUET_COLUMN) };
/* clang-format on */

/* Behind these the columns of function_facts.h. */
enum { FUNCTION_RUN, FUNCTION_NAME, FUNCTION_MODULE, FUNCTION_FILE, FUNCTION_LINE, FUNCTION_FACTS_BEGIN };
static const struct parquet_column function_columns[] = {
	{ "run", PARQUET_INT64, 0, 1 }, { "name", PARQUET_TEXT, 0, 0 },	 { "module", PARQUET_TEXT, 1, 0 },
	{ "file", PARQUET_TEXT, 1, 0 }, { "line", PARQUET_INT32, 1, 1 },
};

enum { VALUE_RUN, VALUE_PLACE, VALUE_PATH, VALUE_PHASE, VALUE_MEASURES };
static const struct parquet_column value_columns[] = {
	{ "run", PARQUET_INT64, 0, 1 },
	{ "place", PARQUET_INT32, 1, 1 },
	{ "path", PARQUET_INT32, 0, 0 },
	{ "phase", PARQUET_TEXT, 1, 0 },
	{ "calls", PARQUET_INT64, 1, 0 },
	{ "elapsed_ns", PARQUET_INT64, 1, 0 },
	{ "application_ns", PARQUET_INT64, 1, 0 },
	{ "waiting_ns", PARQUET_INT64, 1, 0 },
	{ "preempted_ns", PARQUET_INT64, 1, 0 },
	{ "switches", PARQUET_INT64, 1, 0 },
	{ "tail_calls", PARQUET_INT64, 1, 0 },
	{ "samples", PARQUET_INT64, 1, 0 },
	{ "calls_bound", PARQUET_TEXT, 1, 0 },
	{ "source", PARQUET_TEXT, 1, 0 },
};
/* In the order of the columns from VALUE_MEASURES on. */
static const enum export_measure measures[] = { MEASURE_CALLS,	 MEASURE_ELAPSED,   MEASURE_APPLICATION,
						MEASURE_WAITING, MEASURE_PREEMPTED, MEASURE_SWITCHES,
						MEASURE_JUMPS,	 MEASURE_SAMPLES };
enum { VALUE_CALLS_BOUND = VALUE_MEASURES + ARRAY_SIZE(measures), VALUE_SOURCE };

/* A thread. Strings are the tree's. */
struct place {
	const char *job, *host, *process, *thread;
	uint32_t rank_after, pid, tid, n_processes;
};

struct parquet {
	struct export_job *job;
	struct folder folder;
	int is_dry, error;
	uint64_t run; /* 0: not known yet */
	uint32_t process;
	struct parquet_writer **parts; /* files of values: of each job and host */
	struct parquet_writer *writer; /* of the process at hand; NULL: none yet */
	struct map part_numbers;
	size_t size_parts;
	struct place *places;
	struct map place_numbers;
	size_t size_places;
	uint8_t *used, *chosen; /* by node: has a value; 1 + whether it is to be shown */
	size_t n_used, n_chosen, size_chosen;
	uint64_t n_values, bytes;
};

/* ---- places ---------------------------------------------------------------------------------- */

static const char *kept(struct export_tree *tree, const char *text)
{
	return text && *text ? map_keep(&tree->profile.strings, text) : NULL;
}

static const char *property(struct export_tree *tree, const struct data *data, const char *name)
{
	return kept(tree, data_property(data, name));
}

/* A merged file is of several processes: what is not the same in all of them is not known. */
static void place_of_merged(struct place *place, struct export_tree *tree, const struct merged *merged)
{
	struct map *strings = &tree->profile.strings;
	uint32_t n = merged->head->n_contributors;

	place->n_processes = n;
	place->pid = place->tid = n == 1 ? merged->contributors[0].pid : 0;
	place->rank_after = n == 1 ? merged->contributors[0].rank_after : 0;
	place->thread = NULL;
	place->job = place->host = NULL;
	for (uint32_t i = 0; i < n; i++) {
		const struct merged_contributor *c = &merged->contributors[i];
		const char *job = *c->job ? map_keep(strings, c->job) : NULL;
		const char *host = *c->host ? map_keep(strings, c->host) : NULL;

		place->job = i && place->job != job ? NULL : job;
		place->host = i && place->host != host ? NULL : host;
		if (!place->job && !place->host && i)
			break;
	}
}

static uint32_t place_of(struct parquet *p, struct export_tree *tree, const struct addition *a)
{
	uint32_t number = tree_origin_of(tree, a, NULL);
	const struct tree_origin *origin = &tree->origins[number];
	struct place place = { .job = property(tree, a->data, "job"),
			       .host = kept(tree, process_host(a->data)),
			       .process = origin->process,
			       .thread = origin->thread,
			       .rank_after = process_rank_after(a->data),
			       .pid = origin->pid,
			       .tid = origin->tid,
			       .n_processes = 1 };
	STRBUF(key);
	int is_new;

	if (a->data->merged)
		place_of_merged(&place, tree, a->data->merged);
	strbuf_printf(&key, "%u\n%u\n%u\n%llu\n%s\n%s\n%s\n%s", p->process, place.pid, place.tid,
		      (unsigned long long)a->data->header->start_realtime_ns, place.job ? place.job : "",
		      place.host ? place.host : "", place.process, place.thread ? place.thread : "");
	number = (uint32_t)map_add(&p->place_numbers, key.text, key.length, &is_new);
	ARRAY_REACH(p->places, number, p->size_places);
	p->places[number] = place;
	return number;
}

/* ---- files of values ------------------------------------------------------------------------- */

/* As Hive has it in names of folders: what a file system may not like as %XX. */
static void put_folder(struct strbuf *name, const char *key, const char *value)
{
	strbuf_printf(name, "%s=", key);
	if (!value || !*value)
		strbuf_puts(name, NONE_FOLDER);
	for (; value && *value; value++)
		if ((unsigned char)*value <= ' ' || (unsigned char)*value >= 127 ||
		    strchr("\"#%'*/:=?\\{}[]^<>|", *value) ||
		    (*value == '.' && name->text[name->length - 1] == '='))
			strbuf_printf(name, "%%%02X", (unsigned char)*value);
		else
			strbuf_add(name, value, 1);
	strbuf_puts(name, "/");
}

static struct parquet_writer *writer_open(struct parquet *p, const char *name,
					  const struct parquet_column *columns, size_t n)
{
	FREED char *path = folder_file(&p->folder, name);

	return parquet_create(path, columns, n);
}

static void writer_close(struct parquet *p, struct parquet_writer *writer)
{
	int error = parquet_close(writer, &p->bytes);

	if (!p->error)
		p->error = error;
}

/* Job and host are folders in all sessions alike: tables of several are to be read as one. */
static void part_choose(struct parquet *p, const struct place *place)
{
	STRBUF(name);
	size_t number;
	int is_new;

	strbuf_puts(&name, "value/");
	put_folder(&name, "job", place->job);
	put_folder(&name, "host", place->host);
	strbuf_puts(&name, "value.parquet");
	number = map_add(&p->part_numbers, name.text, name.length, &is_new);
	ARRAY_REACH(p->parts, number, p->size_parts);
	if (is_new)
		p->parts[number] = writer_open(p, name.text, value_columns, ARRAY_SIZE(value_columns));
	if (p->writer && p->writer != p->parts[number])
		parquet_pause(p->writer);
	p->writer = p->parts[number];
}

/* ---- values ---------------------------------------------------------------------------------- */

/* With functions that are chosen: whether one of them is on the path. */
static int is_chosen(struct parquet *p, const struct export_tree *tree, uint32_t node)
{
	const struct selection *selection = &p->job->options.view.selection;

	if (!selection->functions && !selection->modules)
		return 1;
	for (; p->n_chosen <= node; p->n_chosen++) {
		uint32_t at = (uint32_t)p->n_chosen;
		const struct entity *entity;

		ARRAY_REACH(p->chosen, at, p->size_chosen);
		p->chosen[at] = at && p->chosen[tree->nodes[at].parent];
		if (!at || p->chosen[at])
			continue;
		entity = tree_entity(tree, at);
		p->chosen[at] = entity->is_function && selection_of_entity(selection, entity) == GLOBS_TAKEN;
	}
	return p->chosen[node];
}

/* a NULL: of no thread. */
static void put_value(struct parquet *p, const struct export_tree *tree, uint32_t node, const uint32_t *place,
		      const struct addition *a, const char *phase)
{
	struct parquet_writer *w = p->writer;

	parquet_number(w, VALUE_RUN, (int64_t)p->run);
	if (place)
		parquet_number(w, VALUE_PLACE, *place);
	else
		parquet_none(w, VALUE_PLACE);
	parquet_number(w, VALUE_PATH, node);
	parquet_text(w, VALUE_PHASE, phase);
	for (size_t i = 0; i < ARRAY_SIZE(measures); i++) {
		int k = tree_value_number(tree, measures[i]);

		if (k >= 0)
			parquet_number(w, VALUE_MEASURES + i, (int64_t)tree_values(tree, node)[k]);
		else
			parquet_none(w, VALUE_MEASURES + i);
	}
	parquet_text(w, VALUE_CALLS_BOUND,
		     tree_value_number(tree, MEASURE_CALLS) >= 0 ? tree_calls_bound(tree, node) : NULL);
	parquet_text(w, VALUE_SOURCE, a && a->thread->mixed ? tree_source(tree, node) : NULL);
	parquet_row_end(w);
}

/* The same for the same session: of the process that was read first. */
static uint64_t run_number(const struct data *data)
{
	const char *host = data_property(data, "hostname");
	STRBUF(text);
	uint64_t number;

	strbuf_printf(&text, "%llu %u %s", (unsigned long long)data->header->start_realtime_ns,
		      data->header->pid, host ? host : "");
	for (uint32_t i = 0; data->merged && i < data->merged->head->n_contributors; i++)
		strbuf_printf(&text, " %llu %u %s",
			      (unsigned long long)data->merged->contributors[i].start_realtime_ns,
			      data->merged->contributors[i].pid, data->merged->contributors[i].host);
	number = XXH3_64bits(text.text, text.length) & INT64_MAX;
	return number ? number : 1;
}

static void process_end(struct parquet *p)
{
	if (p->writer)
		parquet_group_end(p->writer);
}

static void take(void *arg, struct export_tree *tree, const struct addition *a, const char *phase)
{
	struct parquet *p = arg;
	uint32_t place = 0;

	if (a && (!p->run || p->process != tree->profile.shares.process)) {
		process_end(p);
		p->process = tree->profile.shares.process;
		if (!p->run)
			p->run = run_number(a->data);
	}
	if (a) {
		place = place_of(p, tree, a);
		if (!p->is_dry)
			part_choose(p, &p->places[place]);
	} else if (!p->is_dry && !p->writer) {
		part_choose(p, &(struct place){ 0 });
	}
	ARRAY_REACH_ZEROED(p->used, tree->n, p->n_used);
	for (size_t i = 0; i < tree->n_touched && !p->error; i++) {
		uint32_t node = tree->touched[i];

		if (!is_chosen(p, tree, node))
			continue;
		p->used[node] = 1;
		p->n_values++;
		if (!p->is_dry)
			put_value(p, tree, node, a ? &place : NULL, a, phase);
	}
	if (!p->is_dry && p->writer)
		p->error = parquet_failed(p->writer);
	tree_take_values(tree);
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Those that have a value, and those above them. */
static void use_parents(struct parquet *p, const struct export_tree *tree)
{
	ARRAY_REACH_ZEROED(p->used, tree->n, p->n_used);
	for (size_t i = tree->n; i-- > 1;)
		if (p->used[i])
			p->used[tree->nodes[i].parent] = 1;
}

/* Functions of the same names above one another have the same number in every session. */
static uint64_t stack_number(uint64_t above, const struct entity *entity)
{
	STRBUF(text);

	strbuf_printf(&text, "%llx\n%s\n%s", (unsigned long long)above,
		      entity->assembler ? entity->assembler : entity->name, util_basename(entity->module));
	return XXH3_64bits(text.text, text.length);
}

static void put_number_if(struct parquet_writer *w, size_t column, int64_t number, int is_known)
{
	if (is_known)
		parquet_number(w, column, number);
	else
		parquet_none(w, column);
}

struct tree_order {
	uint32_t *order, *position, *last, *depth, *nested; /* the others by node */
	uint64_t *stack;
};

/* How often the function is on each path already. */
static void nested_make(struct tree_order *o, const struct export_tree *tree)
{
	FREED uint32_t *counts = xcalloc(tree->profile.names->keys.n + 1, sizeof(*counts));
	FREED uint32_t *stack = xcalloc(tree->n + 1, sizeof(*stack));
	uint32_t n = 0;

	o->nested = xcalloc(tree->n, sizeof(*o->nested));
	for (size_t i = 1; i < tree->n; i++) {
		uint32_t node = o->order[i], entity = tree_item(tree, node)->entity;

		while (n >= o->depth[node])
			counts[stack[--n]]--;
		o->nested[node] = counts[entity]++;
		stack[n++] = entity;
	}
}

static void order_make(struct tree_order *o, const struct parquet *p, const struct export_tree *tree)
{
	uint32_t position = 0;

	o->order = tree_preorder(tree);
	o->position = xcalloc(tree->n, sizeof(*o->position));
	o->last = xcalloc(tree->n, sizeof(*o->last));
	o->depth = xcalloc(tree->n, sizeof(*o->depth));
	o->stack = xcalloc(tree->n, sizeof(*o->stack));
	for (size_t i = 0; i < tree->n; i++)
		if (p->used[o->order[i]])
			o->position[o->order[i]] = position++;
	for (size_t i = tree->n; i--;) {
		uint32_t parent = tree->nodes[i].parent;

		if (o->last[i] < o->position[i])
			o->last[i] = o->position[i];
		if (i && p->used[i] && o->last[parent] < o->last[i])
			o->last[parent] = o->last[i];
	}
	for (size_t i = 1; i < tree->n; i++) {
		o->depth[i] = o->depth[tree->nodes[i].parent] + 1;
		o->stack[i] = stack_number(o->stack[tree->nodes[i].parent], tree_entity(tree, i));
	}
	nested_make(o, tree);
}

static void order_release(struct tree_order *o)
{
	free(o->order);
	free(o->position);
	free(o->last);
	free(o->depth);
	free(o->stack);
	free(o->nested);
}

static void put_path(struct parquet_writer *w, const struct parquet *p, const struct export_tree *tree,
		     const struct tree_order *o, uint32_t node)
{
	const struct entity *entity = tree_entity(tree, node);
	uint32_t parent = tree->nodes[node].parent;

	parquet_number(w, PATH_RUN, (int64_t)p->run);
	parquet_number(w, PATH_PATH, node);
	put_number_if(w, PATH_PARENT, parent, parent != 0);
	parquet_number(w, PATH_DEPTH, o->depth[node]);
	parquet_number(w, PATH_POSITION, o->position[node]);
	parquet_number(w, PATH_LAST, o->last[node]);
	parquet_number(w, PATH_STACK, (int64_t)o->stack[node]);
	parquet_number(w, PATH_NESTED, o->nested[node]);
	parquet_text(w, PATH_NAME, entity->name);
	parquet_text(w, PATH_MODULE, *entity->module ? entity->module : NULL);
	parquet_text(w, PATH_FILE, entity->file);
	put_number_if(w, PATH_LINE, entity->line, entity->file && entity->line);
	parquet_row_end(w);
}

static void put_paths(struct parquet *p, const struct export_tree *tree)
{
	struct parquet_writer *w = writer_open(p, "path.parquet", path_columns, ARRAY_SIZE(path_columns));
	struct tree_order o;

	order_make(&o, p, tree);
	for (size_t i = 1; i < tree->n && !parquet_failed(w); i++)
		if (p->used[o.order[i]])
			put_path(w, p, tree, &o, o.order[i]);
	order_release(&o);
	writer_close(p, w);
}

/* ---- functions ------------------------------------------------------------------------------- */

static void put_function(struct parquet_writer *w, const struct parquet *p, struct export_tree *tree,
			 uint32_t number)
{
	const struct entity *entity = &tree->profile.names->list[number];

	parquet_number(w, FUNCTION_RUN, (int64_t)p->run);
	parquet_text(w, FUNCTION_NAME, entity->name);
	parquet_text(w, FUNCTION_MODULE, *entity->module ? entity->module : NULL);
	parquet_text(w, FUNCTION_FILE, entity->file);
	put_number_if(w, FUNCTION_LINE, entity->line, entity->file && entity->line);
	for (int i = 0; i < N_FUNCTION_FACTS; i++) {
		int64_t value = 0;
		int is_known = function_fact_value(tree, number, (enum function_fact)i, &value);

		put_number_if(w, FUNCTION_FACTS_BEGIN + (size_t)i, value, is_known);
	}
	parquet_row_end(w);
}

/* Writes the functions that are on call paths with values. */
static void put_function_table(struct parquet *p, struct export_tree *tree)
{
	struct parquet_column columns[FUNCTION_FACTS_BEGIN + N_FUNCTION_FACTS];
	uint8_t *is_used = xcalloc(tree->profile.names->keys.n + 1, 1);
	struct parquet_writer *w;

	memcpy(columns, function_columns, sizeof(function_columns));
	for (int i = 0; i < N_FUNCTION_FACTS; i++)
		columns[FUNCTION_FACTS_BEGIN + i] =
			(struct parquet_column){ function_fact_name((enum function_fact)i), PARQUET_INT64, 1,
						 0 };
	for (size_t i = 1; i < tree->n; i++)
		is_used[tree_item(tree, i)->entity] |= p->used[i];
	w = writer_open(p, "function.parquet", columns, ARRAY_SIZE(columns));
	for (uint32_t i = 0; i < tree->profile.names->keys.n && !parquet_failed(w); i++)
		if (is_used[i])
			put_function(w, p, tree, i);
	free(is_used);
	writer_close(p, w);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void put_places(struct parquet *p)
{
	struct parquet_writer *w = writer_open(p, "place.parquet", place_columns, ARRAY_SIZE(place_columns));

	for (size_t i = 0; i < p->place_numbers.n; i++) {
		const struct place *place = &p->places[i];

		parquet_number(w, PLACE_RUN, (int64_t)p->run);
		parquet_number(w, PLACE_PLACE, (int64_t)i);
		parquet_text(w, PLACE_JOB, place->job);
		parquet_text(w, PLACE_HOST, place->host);
		put_number_if(w, PLACE_RANK, (int64_t)place->rank_after - 1, place->rank_after != 0);
		put_number_if(w, PLACE_PID, place->pid, place->pid != 0);
		put_number_if(w, PLACE_TID, place->tid, place->tid != 0);
		parquet_text(w, PLACE_PROCESS, place->process);
		parquet_text(w, PLACE_THREAD, place->thread);
		parquet_number(w, PLACE_PROCESSES, place->n_processes);
		parquet_row_end(w);
	}
	writer_close(p, w);
}

static void put_run(struct parquet *p, const struct export_tree *tree)
{
	const struct totals *totals = &tree->profile.totals;
	struct parquet_writer *w = writer_open(p, "run.parquet", run_columns, ARRAY_SIZE(run_columns));

	parquet_number(w, RUN_RUN, (int64_t)p->run);
	parquet_text(w, RUN_COMMAND, totals->title);
	parquet_text(w, RUN_METHOD,
		     profile_is_sampled(&tree->profile) ? "samples"
		     : totals->is_mixed			? "mixed"
							: "probes");
	parquet_text(w, RUN_CINSTR, CINSTR_VERSION);
	parquet_number(w, RUN_BEGIN, (int64_t)totals->begin_realtime_ns);
	parquet_number(w, RUN_DURATION, (int64_t)util_rounded(totals_duration(totals)));
	parquet_number(w, RUN_PROCESSES, (int64_t)totals->processes);
	parquet_number(w, RUN_THREADS, (int64_t)totals->threads);
	parquet_text(w, RUN_FILTER, tree->filter);
	parquet_row_end(w);
	writer_close(p, w);
}

static void parts_close(struct parquet *p)
{
	for (size_t i = 0; i < p->part_numbers.n; i++)
		writer_close(p, p->parts[i]);
	p->part_numbers.n = 0;
}

static void say(const struct parquet *p, size_t n_paths)
{
	STRBUF(size);
	STRBUF(what);

	output_plural(&what, p->n_values, "value", "s");
	strbuf_puts(&what, " of ");
	output_plural(&what, n_paths, "call path", "s");
	strbuf_puts(&what, " in ");
	output_plural(&what, p->place_numbers.n, "thread", "s");
	strbuf_size(&size, p->is_dry ? p->n_values * BYTES_A_VALUE + n_paths * BYTES_A_PATH + BYTES_A_FOLDER
				     : p->bytes);
	if (p->is_dry)
		printf("about %s: %s\n", size.text, what.text);
	else
		print_visible(stdout, "%s: %s, %s\n", p->job->options.view.output, size.text, what.text);
}

static size_t paths_used(const struct parquet *p, size_t n)
{
	size_t used = 0;

	for (size_t i = 1; i < n; i++)
		used += p->used[i];
	return used;
}

/* An exit status. */
static int write_rest(struct parquet *p, struct export_tree *tree)
{
	const char *output = p->job->options.view.output;
	size_t n_paths;

	use_parents(p, tree);
	n_paths = paths_used(p, tree->n);
	if (!p->is_dry) {
		tree_resolve(tree);
		process_end(p);
		parts_close(p);
		put_paths(p, tree);
		put_function_table(p, tree);
		for (int i = 0; i < OWN_TABLES && !p->error; i++)
			p->error = own_parquet_put(tree, (enum own_table)i, &p->folder, p->run, &p->bytes);
		put_places(p);
		put_run(p, tree);
		if (p->error)
			error("%s: cannot be written: %s; nothing is left of it", output, strerror(p->error));
		if (folder_end(&p->folder, !p->error) || p->error)
			return STATUS_DATA;
	}
	say(p, n_paths);
	return STATUS_OK;
}

static void parquet_release(struct parquet *p)
{
	parts_close(p);
	if (p->folder.path)
		folder_end(&p->folder, 0);
	map_release(&p->part_numbers);
	map_release(&p->place_numbers);
	free(p->parts);
	free(p->places);
	free(p->used);
	free(p->chosen);
}

static int write_parquet(struct export_job *job)
{
	struct parquet p = { .job = job, .is_dry = job->options.dry_run };
	struct tree_choice choice = { .take = take,
				      .take_arg = &p,
				      .has_functions = !job->options.measure,
				      .has_own = !job->options.measure };
	const char *output = job->options.view.output;
	struct export_tree tree;
	int status, wrong;

	if (measures_choose(&choice.measures, job->options.measure,
			    "calls,elapsed,application,waiting,preempted,switches,jumps,samples", MEASURES))
		return STATUS_USAGE;
	if (!p.is_dry && (!output || !strcmp(output, "-")))
		return error_usage("export: parquet is a folder of files: -o FOLDER");
	if (!p.is_dry && folder_begin(&p.folder, output))
		return STATUS_DATA;
	job->options.by = EXPORT_BY_ALL;
	status = export_tree_read(&tree, job, 0, &choice);
	if (status != STATUS_USAGE && tree.n > 1) {
		wrong = write_rest(&p, &tree);
		status = wrong ? wrong : status;
	}
	parquet_release(&p);
	export_tree_release(&tree);
	return status;
}

const struct export_format export_parquet = {
	.name = "parquet",
	.needs = EXPORT_ANY,
	.is_binary = 1,
	.write = write_parquet,
};
