/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_sqlite.c - SQL that makes a database, for the command sqlite3: functions, threads, call
 * paths with their values; of a session with a timeline each call and wait, too. The schema is
 * below, and explained in doc/exports.md.
 *
 * Rows of a table that come one after another are one statement, as far as they fit: a statement
 * for each takes the reader three times as long. Functions and threads come last, as they are known
 * then. A function of call paths and one of a timeline are the same if their symbols are: the two
 * are read apart.
 */
#include <stdlib.h>
#include <string.h>

#include "export_events.h"
#include "export_tree.h"
#include "function_facts.h"
#include "lib/array.h"
#include "file/phases.h"
#include "lib/progress.h"
#include "names/thread_names.h"
#include "selection/selection.h"
#include "sql_text.h"

#define ROWS_A_STATEMENT 500
#define BYTES_A_NODE 56	  /* about */
#define BYTES_A_RECORD 13 /* of a timeline, about */

static const char schema[] =
	"PRAGMA synchronous = OFF;\n"
	"BEGIN;\n"
	"CREATE TABLE session(name TEXT PRIMARY KEY, value);\n"
	"CREATE TABLE thread(id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, process TEXT, name TEXT,\n"
	"  process_number INTEGER);\n"
	"CREATE TABLE path(id INTEGER PRIMARY KEY, last INTEGER, parent INTEGER, depth INTEGER,\n"
	"  recursion INTEGER, thread INTEGER, phase TEXT, function INTEGER, calls INTEGER,\n"
	"  elapsed_ns INTEGER, application_ns INTEGER, waiting_ns INTEGER, preempted_ns INTEGER,\n"
	"  switches INTEGER, samples INTEGER, calls_bound TEXT, source TEXT, tail_calls INTEGER);\n"
	"CREATE TABLE call(id INTEGER PRIMARY KEY, parent INTEGER, depth INTEGER, thread INTEGER,\n"
	"  function INTEGER, begin_ns INTEGER, end_ns INTEGER, duration_ns INTEGER, tail_call INTEGER);\n"
	"CREATE TABLE wait(thread INTEGER, call INTEGER, kind TEXT, begin_ns INTEGER, end_ns INTEGER);\n"
	"CREATE TABLE mark(thread INTEGER, time_ns INTEGER, text TEXT, phase TEXT);\n";

/* For queries by function: made when all is there, which is faster. */
static const char indices[] = "CREATE INDEX path_function ON path(function);\n"
			      "CREATE INDEX call_function ON call(function);\n"
			      "CREATE INDEX wait_call ON wait(call);\n"
			      "COMMIT;\n";

/* In the order of the columns. */
static const enum export_measure columns[] = { MEASURE_CALLS,	MEASURE_ELAPSED,   MEASURE_APPLICATION,
					       MEASURE_WAITING, MEASURE_PREEMPTED, MEASURE_SWITCHES,
					       MEASURE_SAMPLES };

/* A call that is open. */
struct open_call {
	uint64_t id;
	uint32_t function;
	int is_jump;
};

struct sqlite {
	struct export_job *job;
	struct export_tree *tree;
	struct sink *sink;
	const char *table; /* whose rows are being written; NULL: no statement is open */
	unsigned n_rows;
	const char *before;		     /* of the next value of the row */
	struct map functions, threads;	     /* by all that tells them apart: id - 1 */
	char **function_rows, **thread_rows; /* texts of rows, behind their ids */
	char **mark_rows;
	size_t size_functions, size_threads, n_marks, size_marks;
	uint32_t *function_of; /* by entity, of what is being read: id */
	size_t n_function_of;
	struct export_events *events;
	struct open_call *stack;
	size_t depth, size;
	uint64_t n_calls;
	uint32_t thread; /* id of the lane's */
	struct strbuf text;
};

/* ---- rows ------------------------------------------------------------------------------------ */

static void statement_end(struct sqlite *s)
{
	if (s->table)
		sink_puts(s->sink, ";\n");
	s->table = NULL;
}

static void row_begin(struct sqlite *s, const char *table)
{
	if (s->table != table || s->n_rows == ROWS_A_STATEMENT)
		statement_end(s);
	if (s->table) {
		sink_puts(s->sink, ",\n");
	} else {
		sink_puts(s->sink, "INSERT INTO ");
		sink_puts(s->sink, table);
		sink_puts(s->sink, " VALUES\n");
		s->table = table;
		s->n_rows = 0;
	}
	s->n_rows++;
	s->before = "(";
}

static void row_end(struct sqlite *s)
{
	sink_puts(s->sink, ")");
}

static void put_number(struct sqlite *s, uint64_t number)
{
	sink_puts(s->sink, s->before);
	sink_number(s->sink, number);
	s->before = ",";
}

static void put_nothing(struct sqlite *s)
{
	sink_puts(s->sink, s->before);
	sink_puts(s->sink, "NULL");
	s->before = ",";
}

static void put_number_if(struct sqlite *s, uint64_t number, int is_known)
{
	if (is_known)
		put_number(s, number);
	else
		put_nothing(s);
}

static void put_text(struct sqlite *s, const char *string)
{
	if (!string) {
		put_nothing(s);
		return;
	}
	strbuf_clear(&s->text);
	sql_text_quote(&s->text, string);
	sink_puts(s->sink, s->before);
	sink_bytes(s->sink, s->text.text, s->text.length);
	s->before = ",";
}

/* ---- functions and threads ------------------------------------------------------------------- */

static void facts_put(struct strbuf *row, struct export_tree *tree, uint32_t entity)
{
	for (int i = 0; i < N_FUNCTION_FACTS; i++) {
		int64_t value;

		if (entity != NAMES_NONE && function_fact_value(tree, entity, (enum function_fact)i, &value))
			strbuf_printf(row, ",%lld", (long long)value);
		else
			strbuf_puts(row, ",NULL");
	}
}

/* The rest of its row, behind the id. number: of the tree's names; NAMES_NONE: of others. */
static char *function_row(const struct sqlite *s, const struct entity *entity, uint32_t number)
{
	struct strbuf row = { 0 };

	strbuf_puts(&row, ",");
	sql_text_quote(&row, entity->name);
	strbuf_puts(&row, ",");
	if (*entity->module)
		sql_text_quote(&row, entity->module);
	else
		strbuf_puts(&row, "NULL");
	strbuf_puts(&row, ",");
	if (entity->file)
		sql_text_quote(&row, entity->file);
	else
		strbuf_puts(&row, "NULL");
	if (entity->file && entity->line)
		strbuf_printf(&row, ",%u", entity->line);
	else
		strbuf_puts(&row, ",NULL");
	facts_put(&row, s->tree, number);
	return row.text;
}

static uint32_t function_add(struct sqlite *s, struct names *names, uint32_t number)
{
	const struct entity *entity = &names->list[number];
	STRBUF(key);
	uint32_t id;
	int is_new;

	strbuf_printf(&key, "%s\n%s\n", entity->assembler ? entity->assembler : entity->name, entity->module);
	if (entity->address)
		strbuf_printf(&key, "%llx", (unsigned long long)entity->address);
	else
		strbuf_printf(&key, "%s\n%u", entity->file ? entity->file : "", entity->line);
	id = (uint32_t)map_add(&s->functions, key.text, key.length, &is_new);
	if (is_new) {
		names_resolve(names, number);
		ARRAY_REACH_ZEROED(s->function_rows, id, s->size_functions);
		s->function_rows[id] = function_row(s, &names->list[number],
						    names == s->tree->profile.names ? number : NAMES_NONE);
	}
	return id + 1;
}

static uint32_t function_id(struct sqlite *s, struct names *names, uint32_t entity)
{
	ARRAY_REACH_ZEROED(s->function_of, entity, s->n_function_of);
	if (!s->function_of[entity])
		s->function_of[entity] = function_add(s, names, entity);
	return s->function_of[entity];
}

/* Other names come: numbers of entities mean something else. */
static void functions_anew(struct sqlite *s)
{
	free(s->function_of);
	s->function_of = NULL;
	s->n_function_of = 0;
}

/* tid 0: what is of no thread of the process */
static uint32_t thread_id(struct sqlite *s, uint32_t process_number, uint32_t pid, uint32_t tid,
			  const char *process, const char *name)
{
	struct strbuf row = { 0 };
	uint32_t id;
	int is_new;

	strbuf_printf(&row, ",%u,", pid);
	strbuf_printf(&row, tid ? "%u," : "NULL,", tid);
	sql_text_quote(&row, process);
	strbuf_puts(&row, ",");
	if (tid)
		sql_text_quote(&row, name);
	else
		strbuf_puts(&row, "NULL");
	strbuf_printf(&row, ",%u", process_number);
	id = (uint32_t)map_add(&s->threads, row.text, row.length, &is_new);
	if (is_new) {
		ARRAY_REACH_ZEROED(s->thread_rows, id, s->size_threads);
		s->thread_rows[id] = row.text;
	} else {
		strbuf_release(&row);
	}
	return id + 1;
}

static void put_kept(struct sqlite *s, const char *table, char **rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		row_begin(s, table);
		put_number(s, i + 1);
		sink_puts(s->sink, rows[i]);
		row_end(s);
	}
}

static void texts_release(char **rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(rows[i]);
	free(rows);
}

/* ---- call paths ------------------------------------------------------------------------------ */

static int is_function(const struct export_tree *tree, uint32_t node)
{
	return tree_item(tree, node)->kind == TREE_FUNCTION;
}

/* Numbers of those nodes that are functions, from 1, in preorder; 0: it is none. */
static uint64_t *number_paths(const struct export_tree *tree, const uint32_t *order)
{
	uint64_t *ids = xcalloc(tree->n + 1, sizeof(*ids)), id = 0;

	for (size_t i = 0; i < tree->n; i++)
		if (is_function(tree, order[i]))
			ids[order[i]] = ++id;
	return ids;
}

/* The highest number at or below each node. */
static uint64_t *last_paths(const struct export_tree *tree, const uint64_t *ids)
{
	uint64_t *last = xcalloc(tree->n + 1, sizeof(*last));

	for (size_t i = tree->n; i--;) {
		uint32_t parent = tree->nodes[i].parent;

		if (last[i] < ids[i])
			last[i] = ids[i];
		if (last[parent] < last[i])
			last[parent] = last[i];
	}
	return last;
}

/* NULL: it is of no thread, as calls that were only counted (mixed sessions). */
static const struct tree_origin *origin_of(const struct export_tree *tree, uint32_t node)
{
	while (node && tree_item(tree, node)->kind != TREE_ORIGIN)
		node = tree->nodes[node].parent;
	return node ? &tree->origins[tree_item(tree, node)->entity] : NULL;
}

/* How often each node's function is on the stack above it. */
static uint32_t *recursions_of(const struct export_tree *tree, const uint32_t *order)
{
	uint32_t *recursions = xcalloc(tree->n + 1, sizeof(*recursions));
	FREED uint32_t *n_on_stack = xcalloc(tree->profile.names->keys.n + 1, sizeof(*n_on_stack));
	uint32_t at = 0; /* the innermost node on the stack */

	for (size_t i = 1; i < tree->n; i++) {
		for (; at != tree->nodes[order[i]].parent; at = tree->nodes[at].parent)
			if (is_function(tree, at))
				n_on_stack[tree_item(tree, at)->entity]--;
		at = order[i];
		if (is_function(tree, at))
			recursions[at] = n_on_stack[tree_item(tree, at)->entity]++;
	}
	return recursions;
}

struct path_rows {
	struct export_tree *tree;
	uint64_t *ids, *last; /* by node */
	uint32_t *depths, *recursions;
};

static void put_marks(struct sqlite *s, const struct export_tree *tree, uint32_t node)
{
	put_text(s, tree->all_marks & TREE_CALLS_LEAST ? tree_calls_bound(tree, node) : NULL);
	put_text(s, tree->all_marks & TREE_ESTIMATE ? tree_source(tree, node) : NULL);
}

static void put_value(struct sqlite *s, const struct export_tree *tree, uint32_t node,
		      enum export_measure measure)
{
	int k = tree_value_number(tree, measure);

	put_number_if(s, k >= 0 ? tree_values(tree, node)[k] : 0, k >= 0);
}

static void put_path(struct sqlite *s, const struct path_rows *paths, uint32_t node)
{
	struct export_tree *tree = paths->tree;
	const struct tree_origin *origin = origin_of(tree, node);
	uint64_t parent = paths->ids[tree->nodes[node].parent];

	row_begin(s, "path");
	put_number(s, paths->ids[node]);
	put_number(s, paths->last[node]);
	put_number_if(s, parent, parent != 0);
	put_number(s, paths->depths[node]);
	put_number(s, paths->recursions[node]);
	if (origin)
		put_number(s, thread_id(s, origin->process_number, origin->pid, origin->tid, origin->process,
					origin->thread));
	else
		put_nothing(s);
	put_text(s, origin ? origin->phase : NULL);
	put_number(s, function_id(s, tree->profile.names, tree_item(tree, node)->entity));
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		put_value(s, tree, node, columns[i]);
	put_marks(s, tree, node);
	put_value(s, tree, node, MEASURE_JUMPS);
	row_end(s);
}

static void put_paths(struct sqlite *s, struct export_tree *tree)
{
	struct path_rows paths = { .tree = tree };
	uint32_t *order = tree_preorder(tree);

	paths.ids = number_paths(tree, order);
	paths.last = last_paths(tree, paths.ids);
	paths.depths = xcalloc(tree->n + 1, sizeof(*paths.depths));
	paths.recursions = recursions_of(tree, order);
	for (size_t i = 0; i < tree->n && !sink_failed(s->sink); i++) {
		uint32_t node = order[i];

		if (!paths.ids[node])
			continue;
		paths.depths[node] = paths.depths[tree->nodes[node].parent] + 1;
		put_path(s, &paths, node);
		progress_at(i);
	}
	functions_anew(s);
	free(order);
	free(paths.ids);
	free(paths.last);
	free(paths.depths);
	free(paths.recursions);
}

/* ---- marks ----------------------------------------------------------------------------------- */

static uint32_t thread_of_mark(struct sqlite *s, const struct data *data, const struct data_mark *mark)
{
	const char *process = process_name_of(&s->tree->profile, data);
	char *name = NULL;
	uint32_t tid = 0, id;

	for (size_t i = 0; i < data->n_threads && !tid; i++)
		if (data->threads[i].record->tid == mark->tid) {
			tid = mark->tid;
			name = thread_shown_name(s->tree->profile.names, data, &data->threads[i]);
		}
	id = thread_id(s, data->process_number, data->header->pid, tid, process,
		       name && *name ? name : process);
	free(name);
	return id;
}

/* The phase is what paths have of it, if paths are told apart by phases. */
static void mark_keep(struct sqlite *s, const struct data *data, const struct data_mark *mark)
{
	long double ns = profile_moment_ns(&s->tree->profile, data, mark->ticks);
	struct strbuf row = { 0 };
	STRBUF(text);

	strbuf_puts(&text, mark->text);
	if (mark->id)
		strbuf_printf(&text, "%s(%lld)", *mark->text ? " " : "", (long long)mark->id);
	strbuf_printf(&row, "(%u,%llu,", thread_of_mark(s, data, mark),
		      (unsigned long long)(ns > 0 ? util_rounded(ns) : 0));
	sql_text_quote(&row, text.length ? text.text : "[mark]");
	strbuf_puts(&row, ",");
	strbuf_clear(&text);
	phase_put_name(&text, mark);
	if (mark->phase && !data->phases_unknown && !data->mixed)
		sql_text_quote(&row, text.text);
	else
		strbuf_puts(&row, "NULL");
	ARRAY_ROOM(s->mark_rows, s->n_marks, s->size_marks, 64);
	s->mark_rows[s->n_marks++] = row.text;
}

static void marks_keep(void *arg, const struct data *data)
{
	struct sqlite *s = arg;
	uint64_t from_ticks, to_ticks;

	selection_range(&s->job->options.view.selection, data, &from_ticks, &to_ticks);
	for (size_t i = 0; i < data->n_marks; i++)
		if (data->marks[i].ticks >= from_ticks && data->marks[i].ticks < to_ticks)
			mark_keep(s, data, &data->marks[i]);
}

static void put_marks_kept(struct sqlite *s)
{
	for (size_t i = 0; i < s->n_marks; i++) {
		row_begin(s, "mark");
		sink_puts(s->sink, s->mark_rows[i]);
		row_end(s);
	}
}

/* ---- a timeline ------------------------------------------------------------------------------ */

static void lane_begin(void *arg, const struct event_lane *lane)
{
	struct sqlite *s = arg;

	s->thread = thread_id(s, lane->process->process_number, lane->process->pid, lane->tid,
			      lane->process->name, lane->name);
	s->depth = 0;
}

static void call_end(struct sqlite *s, const struct event_step *step)
{
	const struct open_call *call = &s->stack[--s->depth];

	row_begin(s, "call");
	put_number(s, call->id);
	put_number_if(s, s->depth ? s->stack[s->depth - 1].id : 0, s->depth != 0);
	put_number(s, s->depth + 1);
	put_number(s, s->thread);
	put_number(s, call->function);
	put_number(s, step->begin_ns);
	put_number(s, step->ns);
	put_number_if(s, step->duration_ns, step->duration_ns != STEP_UNKNOWN);
	put_number(s, call->is_jump != 0);
	row_end(s);
}

static void wait_end(struct sqlite *s, const struct event_step *step)
{
	row_begin(s, "wait");
	put_number(s, s->thread);
	put_number_if(s, s->depth ? s->stack[s->depth - 1].id : 0, s->depth != 0);
	put_text(s, s->events->profile.names->list[step->entity].name);
	put_number(s, step->begin_ns);
	put_number(s, step->ns);
	row_end(s);
}

/* Events that are missing; marks have been kept already. */
static void instant_put(struct sqlite *s, const struct event_step *step)
{
	if (step->what == STEP_MARK)
		return;
	row_begin(s, "mark");
	put_number(s, s->thread);
	put_number(s, step->ns);
	put_text(s, step->text);
	put_nothing(s);
	row_end(s);
}

static void step_put(void *arg, const struct event_lane *lane, const struct event_step *step)
{
	struct sqlite *s = arg;

	(void)lane;
	if (step->kind == STEP_INSTANT) {
		instant_put(s, step);
	} else if (step->kind == STEP_END) {
		if (step->what == STEP_CALL)
			call_end(s, step);
		else
			wait_end(s, step);
	} else if (step->what == STEP_CALL) {
		ARRAY_ROOM(s->stack, s->depth, s->size, 64);
		s->stack[s->depth++] = (struct open_call){
			++s->n_calls, function_id(s, s->events->profile.names, step->entity), step->is_jump
		};
	}
}

static const struct event_writer writer = { NULL, lane_begin, step_put, NULL };

/* ---- all of it ------------------------------------------------------------------------------- */

static void put_fact(struct sqlite *s, const char *name, const char *text, uint64_t number)
{
	row_begin(s, "session");
	put_text(s, name);
	if (text)
		put_text(s, text);
	else
		put_number(s, number);
	row_end(s);
}

static void put_session(struct sqlite *s, const struct export_tree *tree)
{
	const struct totals *totals = &tree->profile.totals;

	put_fact(s, "cinstr", CINSTR_VERSION, 0);
	put_fact(s, "command", totals->title ? totals->title : "", 0);
	put_fact(s, "method", profile_is_sampled(&tree->profile) ? "samples" : "probes", 0);
	put_fact(s, "begin_realtime_ns", NULL, totals->begin_realtime_ns);
	put_fact(s, "duration_ns", NULL, util_rounded(totals_duration(totals)));
	if (tree->filter)
		put_fact(s, "filter", tree->filter, 0);
}

static void put_own(struct sqlite *s, enum own_table table)
{
	for (size_t i = 0; i < own_values_rows(s->tree, table); i++) {
		row_begin(s, own_values_schemas[table].name);
		strbuf_clear(&s->text);
		sql_text_own_row(&s->text, s->tree, table, i);
		sink_bytes(s->sink, s->text.text, s->text.length);
	}
}

static void put_function_schema(struct sqlite *s)
{
	sink_puts(s->sink, "CREATE TABLE function(id INTEGER PRIMARY KEY, name TEXT, module TEXT, file TEXT, "
			   "line INTEGER");
	for (int i = 0; i < N_FUNCTION_FACTS; i++) {
		sink_puts(s->sink, i % 2 ? ", " : ",\n  ");
		sink_puts(s->sink, function_fact_name((enum function_fact)i));
		sink_puts(s->sink, " INTEGER");
	}
	sink_puts(s->sink, ");\n");
}

/* events NULL: there is no timeline. Returns an exit status. */
static int put_all(struct sqlite *s, struct export_tree *tree, struct export_events *events)
{
	int status = STATUS_OK;

	sink_puts(s->sink, schema);
	put_function_schema(s);
	for (int i = 0; i < OWN_TABLES; i++)
		sql_text_own_schema(s->sink, (enum own_table)i);
	put_session(s, tree);
	put_paths(s, tree);
	if (events)
		status = export_events_tell(events, &writer, s);
	put_marks_kept(s);
	for (int i = 0; i < OWN_TABLES; i++)
		put_own(s, (enum own_table)i);
	put_kept(s, "function", s->function_rows, s->functions.n);
	put_kept(s, "thread", s->thread_rows, s->threads.n);
	statement_end(s);
	sink_puts(s->sink, indices);
	return status;
}

static int write_all(struct sqlite *s, struct export_job *job, struct export_tree *tree,
		     struct export_events *events)
{
	STRBUF(what);
	uint64_t bytes = sizeof(schema) + tree->n * BYTES_A_NODE;
	int status = STATUS_OK, wrong;

	s->events = events;
	output_plural(&what, tree->n, "call path", "s");
	if (events) {
		bytes += events->n_records * BYTES_A_RECORD;
		job->is_of_events = 1;
		strbuf_puts(&what, ", ");
		output_plural(&what, events->n_records, "event", "s");
	}
	if (export_begin(job, bytes, what.text, &status)) {
		status = put_all(s, tree, events);
		wrong = export_end(job, what.text);
		status = wrong ? wrong : status;
	}
	return status;
}

static void sqlite_release(struct sqlite *s)
{
	texts_release(s->mark_rows, s->n_marks);
	texts_release(s->function_rows, s->functions.n);
	texts_release(s->thread_rows, s->threads.n);
	map_release(&s->functions);
	map_release(&s->threads);
	functions_anew(s);
	free(s->stack);
	strbuf_release(&s->text);
}

static int write_sqlite(struct export_job *job)
{
	struct tree_choice choice = { .has_origins = 1,
				      .has_functions = !job->options.measure,
				      .has_own = !job->options.measure };
	int has_timeline = !job->options.measure && export_has_timeline(job), status, wrong = STATUS_OK;
	struct export_tree tree;
	struct export_events events = { 0 };
	struct sqlite s = { .job = job, .tree = &tree, .sink = &job->sink };

	if (measures_choose(&choice.measures, job->options.measure,
			    "calls,elapsed,application,waiting,preempted,switches,jumps,samples", MEASURES))
		return STATUS_USAGE;
	choice.visit = job->options.measure ? NULL : marks_keep;
	choice.visit_arg = &s;
	job->options.by = EXPORT_BY_ALL;
	status = export_tree_read(&tree, job, 0, &choice);
	if (status != STATUS_USAGE && tree.n > 1) {
		if (has_timeline)
			wrong = export_events_open(&events, job);
		if (!wrong)
			wrong = write_all(&s, job, &tree, has_timeline ? &events : NULL);
		if (has_timeline)
			export_events_release(&events);
		status = wrong ? wrong : status;
	}
	sqlite_release(&s);
	export_tree_release(&tree);
	return status;
}

const struct export_format export_sqlite = {
	.name = "sqlite",
	.extension = ".sql",
	.opens = "sqlite3 app.db < %s",
	.needs = EXPORT_ANY,
	.most = 2000000000,
	.write = write_sqlite,
};
