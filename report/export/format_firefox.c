/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_firefox.c - for Firefox Profiler (profiler.firefox.com). Of a session with a timeline its
 * calls as they were, each piece of a function's own time a sample; of a sampled session its
 * samples; else, or if a measure is asked for, call paths, one behind another: each has what it
 * computes and what it waits.
 */
#include <stdlib.h>
#include <string.h>

#include "export_events.h"
#include "export_tree.h"
#include "firefox_tables.h"
#include "lib/array.h"
#include "lib/progress.h"
#include "session/twins.h"
#include "timeline/samples_moments.h"

#define BYTES_A_RECORD 25 /* of a timeline, about */
#define BYTES_A_SAMPLE 30
#define BYTES_A_NODE 90
#define FIELD "\x1f" /* between parts of a frame */
#define MARKS "marks"

struct firefox {
	struct export_job *job;
	struct sink *sink;
	struct firefox_tables tables;
	struct firefox_thread thread; /* at hand */
	size_t n_threads;	      /* written */
	uint32_t *functions;	      /* by entity: + 1; 0: none yet */
	size_t n_functions;
};

static uint32_t function_of(struct firefox *f, const struct names *names, uint32_t entity)
{
	const struct entity *e = &names->list[entity];

	ARRAY_REACH_ZEROED(f->functions, entity, f->n_functions);
	if (!f->functions[entity])
		f->functions[entity] =
			firefox_function(&f->tables, e->name, util_basename(e->module), e->file, e->line) + 1;
	return f->functions[entity] - 1;
}

/* A function on a stack. */
struct called {
	uint32_t entity;
	int is_jump; /* by a tail call */
};

static uint32_t stack_of(struct firefox *f, uint32_t below, const struct names *names, struct called called,
			 enum firefox_category category)
{
	return firefox_stack(&f->tables, below,
			     firefox_frame(&f->tables, function_of(f, names, called.entity), category,
					   called.is_jump, 0));
}

static void thread_end(struct firefox *f)
{
	firefox_thread_put(f->sink, &f->thread, &f->tables, !f->n_threads);
	f->n_threads++;
}

static void release(struct firefox *f)
{
	firefox_tables_release(&f->tables);
	free(f->functions);
}

/* ---- a timeline ------------------------------------------------------------------------------ */

/* A call that is open in a thread. */
struct level {
	uint32_t stack; /* that has it on top */
	struct called called;
};

struct firefox_timeline {
	struct firefox f;
	struct export_events *events;
	struct level *levels;
	size_t depth, size;
	uint64_t last_ns;
};

static void lane_begin(void *arg, const struct event_lane *lane)
{
	struct firefox_timeline *t = arg;

	t->f.thread = (struct firefox_thread){ .name = lane->tid ? lane->name : MARKS,
					       .process = lane->process->title,
					       .pid = lane->process->shown_number,
					       .tid = lane->tid,
					       .is_main = lane->tid == lane->process->pid,
					       .begin_ns = lane->begin_ns,
					       .end_ns = lane->end_ns };
	t->depth = 0;
	t->last_ns = lane->begin_ns;
}

/* What was on the stack up to now. */
static void sample_end(struct firefox_timeline *t, uint64_t ns)
{
	if (ns > t->last_ns)
		firefox_sample_add(&t->f.thread.samples,
				   t->depth ? t->levels[t->depth - 1].stack : FIREFOX_NONE, t->last_ns,
				   ns - t->last_ns);
	t->last_ns = ns;
}

static enum firefox_category category_of(const struct firefox_timeline *t, const struct event_step *step)
{
	const struct entity *entity = &t->events->profile.names->list[step->entity];

	if (step->what == STEP_CALL)
		return firefox_category_of(entity);
	if (step->what != STEP_WAITING)
		return FIREFOX_OTHER;
	return strcmp(entity->name, "preempted") ? FIREFOX_WAITING : FIREFOX_PREEMPTED;
}

/* Waiting is the function's that waits. */
static void level_begin(struct firefox_timeline *t, const struct event_step *step)
{
	uint32_t below = t->depth ? t->levels[t->depth - 1].stack : FIREFOX_NONE;
	struct level level = { .called = { step->entity, step->is_jump } };

	if (step->what == STEP_WAITING && t->depth) {
		below = t->depth > 1 ? t->levels[t->depth - 2].stack : FIREFOX_NONE;
		level.called = t->levels[t->depth - 1].called;
	}
	level.stack = stack_of(&t->f, below, t->events->profile.names, level.called, category_of(t, step));
	ARRAY_ROOM(t->levels, t->depth, t->size, 64);
	t->levels[t->depth++] = level;
}

static void step_put(void *arg, const struct event_lane *lane, const struct event_step *step)
{
	struct firefox_timeline *t = arg;

	(void)lane;
	if (step->kind == STEP_INSTANT) {
		firefox_marker_add(&t->f.tables, &t->f.thread, step->ns,
				   step->text ? step->text
					      : t->events->profile.names->list[step->entity].name);
		return;
	}
	sample_end(t, step->ns);
	if (step->kind == STEP_BEGIN)
		level_begin(t, step);
	else if (t->depth)
		t->depth--;
}

static void lane_end(void *arg, const struct event_lane *lane)
{
	(void)lane;
	thread_end(&((struct firefox_timeline *)arg)->f);
}

static const struct event_writer writer = { NULL, lane_begin, step_put, lane_end };

static int tell(struct export_events *events)
{
	struct firefox_timeline t = { .f = { .job = events->job, .sink = &events->job->sink },
				      .events = events };
	int status;

	firefox_begin(t.f.sink, &(struct firefox_meta){ .product = util_basename(events->input.path),
							.start_realtime_ns = events->begin_realtime_ns });
	status = export_events_tell(events, &writer, &t);
	firefox_end(t.f.sink, &t.f.tables);
	free(t.levels);
	release(&t.f);
	return status;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* The frame as text, for struct moments: its parts, and what it is. */
static void put_frame(struct strbuf *text, const struct entity *entity,
		      const struct sampled_function *function, const struct sampled_place *place)
{
	enum firefox_category category = FIREFOX_OTHER;

	if (function->kind == SAMPLED_KERNEL)
		category = FIREFOX_KERNEL;
	else if (entity && function->kind != SAMPLED_TRUNCATED)
		category = firefox_category_of(entity);
	strbuf_visible(text, entity ? entity->name : SYMBOL_UNKNOWN);
	strbuf_puts(text, FIELD);
	strbuf_visible(text, entity ? util_basename(entity->module) : "");
	strbuf_puts(text, FIELD);
	strbuf_visible(text, entity && entity->file ? entity->file : "");
	strbuf_printf(text, FIELD "%u" FIELD "%u" FIELD "%u\n", entity ? entity->line : 0,
		      place ? place->line : 0, (unsigned)category);
}

/* The text up to the next FIELD, which becomes its end. */
static char *next_field(char **at)
{
	return strsep(at, FIELD "\n");
}

static uint32_t frame_of_text(struct firefox *f, char *line)
{
	const char *name = next_field(&line), *module = next_field(&line), *file = next_field(&line);
	uint32_t defined = (uint32_t)strtoul(next_field(&line), NULL, 10);
	uint32_t executed = (uint32_t)strtoul(next_field(&line), NULL, 10);
	uint32_t category = (uint32_t)strtoul(next_field(&line), NULL, 10);

	return firefox_frame(&f->tables,
			     firefox_function(&f->tables, name, module, *file ? file : NULL, defined),
			     (enum firefox_category)category, 0, executed);
}

/* Frames stand in the text with the innermost first. */
static uint32_t stack_of_text(struct firefox *f, const char *text)
{
	FREED char *copy = xstrdup(text);
	char *at = copy, *line;
	uint32_t *frames = NULL, stack = FIREFOX_NONE;
	size_t n = 0, size = 0;

	while ((line = strsep(&at, "\n")) && *line) {
		ARRAY_ROOM(frames, n, size, 64);
		frames[n++] = frame_of_text(f, line);
	}
	while (n)
		stack = firefox_stack(&f->tables, stack, frames[--n]);
	free(frames);
	return stack;
}

static void thread_of_moments(struct firefox *f, const struct moments *moments, uint32_t number,
			      const uint32_t *stacks)
{
	const struct moments_thread *thread = &moments->threads[number];
	struct firefox_samples *samples = &f->thread.samples;
	uint64_t weight = thread->is_time && thread->interval ? thread->interval : 1;

	f->thread = (struct firefox_thread){ .name = thread->name,
					     .process = thread->process,
					     .pid = thread->shown_number,
					     .tid = thread->tid,
					     .is_main = thread->tid == thread->pid,
					     .is_count = !thread->is_time || !thread->interval };
	for (size_t i = 0; i < moments->n; i++)
		if (moments->list[i].thread == number)
			firefox_sample_add(samples, stacks[moments->list[i].path], moments->list[i].ns,
					   weight);
	if (samples->n) {
		f->thread.begin_ns = samples->moments[0];
		f->thread.end_ns = samples->moments[samples->n - 1] + (f->thread.is_count ? 0 : weight);
	}
	thread_end(f);
}

static void put_moments(struct firefox *f, const struct moments *moments, const struct firefox_meta *meta)
{
	FREED uint32_t *stacks = xcalloc(moments->n_paths + 1, sizeof(*stacks));

	firefox_begin(f->sink, meta);
	for (size_t i = 0; i < moments->n_paths; i++)
		stacks[i] = stack_of_text(f, moments->paths[i].stack);
	for (uint32_t i = 0; i < moments->n_threads && !sink_failed(f->sink); i++)
		thread_of_moments(f, moments, i, stacks);
	firefox_end(f->sink, &f->tables);
}

static int write_samples(struct export_job *job, struct session *input)
{
	struct moments moments = { .put_frame = put_frame };
	struct firefox f = { .job = job, .sink = &job->sink };
	const struct selection *selection = &job->options.view.selection;
	STRBUF(what);
	int status = moments_read(&moments, selection, input), begun, wrong;

	output_plural(&what, moments.n, "sample", "s");
	if (export_begin(job, moments.n * BYTES_A_SAMPLE, what.text, &begun)) {
		put_moments(&f, &moments,
			    &(struct firefox_meta){
				    .product = util_basename(input->path),
				    .start_realtime_ns = selection_clock(selection)->begin_realtime_ns,
				    .interval_ns = moments.n_threads && moments.threads[0].is_time
							   ? moments.threads[0].interval
							   : 0 });
		wrong = export_end(job, what.text);
		status = wrong ? wrong : status;
	} else if (begun) {
		status = begun;
	}
	moments_release(&moments);
	release(&f);
	return status;
}

/* ---- call paths ------------------------------------------------------------------------------ */

struct firefox_paths {
	struct firefox f;
	const struct export_tree *tree;
	uint32_t *stacks;		  /* by node */
	uint64_t ns;			  /* so far, in the thread at hand */
	int is_open;			  /* ... there is one */
	const struct tree_origin *origin; /* of it; NULL: it has none */
	struct strbuf pid;
};

static void part_end(struct firefox_paths *p)
{
	if (!p->is_open)
		return;
	p->f.thread.end_ns = p->ns;
	thread_end(&p->f);
	p->is_open = 0;
	strbuf_release(&p->pid);
}

/* Threads follow one another; the sum of those before is not the next one's. */
static void part_begin(struct firefox_paths *p, const char *name, const struct tree_origin *origin)
{
	enum export_measure first = p->tree->choice.measures.list[0];

	part_end(p);
	if (origin)
		twins_put_number(&p->pid, origin->pid, origin->twin);
	else
		strbuf_puts(&p->pid, "0");
	p->f.thread = (struct firefox_thread){ .name = name,
					       .process = origin ? origin->process : "all processes",
					       .pid = p->pid.text,
					       .tid = origin ? origin->tid : (uint32_t)p->f.n_threads,
					       .is_main = origin && origin->tid == origin->pid,
					       .is_count = !strcmp(measure_infos[first].unit, "count") };
	p->ns = 0;
	p->is_open = 1;
	p->origin = origin;
}

static void part_of_origin(struct firefox_paths *p, const struct tree_origin *origin)
{
	const struct tree_origin *last = p->is_open ? p->origin : NULL;

	if (!last || last->tid != origin->tid || last->process_number != origin->process_number ||
	    strcmp(last->thread, origin->thread) != 0)
		part_begin(p, origin->thread, origin);
	p->origin = origin;
	if (origin->phase)
		firefox_marker_add(&p->f.tables, &p->f.thread, p->ns, origin->phase);
}

static void path_put(struct firefox_paths *p, uint32_t stack, uint64_t value)
{
	if (!value)
		return;
	firefox_sample_add(&p->f.thread.samples, stack, p->ns, value);
	p->ns += value;
}

static uint64_t value_of(const struct firefox_paths *p, uint32_t node, enum export_measure measure)
{
	int number = tree_value_number(p->tree, measure);

	return number < 0 ? 0 : tree_values(p->tree, node)[number];
}

/* By default time, apart by what it was; else one measure. */
static void node_put(struct firefox_paths *p, uint32_t node, uint32_t below)
{
	const struct tree_item *item = tree_item(p->tree, node);
	struct called called = { item->entity, p->tree->marks[node] & TREE_JUMPED };
	const struct names *names = p->tree->profile.names;
	uint64_t elapsed = tree_values(p->tree, node)[0];
	uint64_t waiting = value_of(p, node, MEASURE_WAITING),
		 preempted = value_of(p, node, MEASURE_PREEMPTED);

	p->stacks[node] =
		stack_of(&p->f, below, names, called, firefox_category_of(&names->list[item->entity]));
	if (p->tree->n_values == 1) {
		path_put(p, p->stacks[node], elapsed);
		return;
	}
	waiting = waiting < elapsed ? waiting : elapsed;
	preempted = preempted < waiting ? preempted : waiting;
	path_put(p, p->stacks[node], elapsed - waiting);
	if (waiting > preempted)
		path_put(p, stack_of(&p->f, below, names, called, FIREFOX_WAITING), waiting - preempted);
	if (preempted)
		path_put(p, stack_of(&p->f, below, names, called, FIREFOX_PREEMPTED), preempted);
}

static void put_nodes(struct firefox_paths *p)
{
	const struct export_tree *tree = p->tree;
	uint32_t *order = tree_preorder(tree);

	p->stacks = xcalloc(tree->n + 1, sizeof(*p->stacks));
	p->stacks[0] = FIREFOX_NONE;
	for (size_t i = 1; i < tree->n && !sink_failed(p->f.sink); i++) {
		uint32_t node = order[i], parent = tree->nodes[node].parent;
		const struct tree_item *item = tree_item(tree, node);

		if (item->kind == TREE_ORIGIN) {
			part_of_origin(p, &tree->origins[item->entity]);
			p->stacks[node] = FIREFOX_NONE;
			continue;
		}
		if (!parent && tree->by == EXPORT_BY_THREAD_NAME)
			part_begin(p, tree_entity(tree, node)->name, NULL);
		else if (!p->is_open)
			part_begin(p, "all threads", NULL);
		node_put(p, node, p->stacks[parent]);
		progress_at(i);
	}
	part_end(p);
	free(order);
	free(p->stacks);
}

/* What was recorded, and that not all of it was timed. */
static void put_product(struct strbuf *text, const struct export_tree *tree)
{
	int is_calls = tree->choice.measures.list[0] == MEASURE_CALLS;

	strbuf_visible(text, tree->profile.totals.title ? tree->profile.totals.title : "cinstr");
	if (is_calls && tree->all_marks & TREE_CALLS_LEAST)
		strbuf_puts(text, ", at least");
	else if (!is_calls && tree->all_marks & TREE_ESTIMATE)
		strbuf_puts(text, ", with estimates");
}

static int write_tree(struct export_job *job, struct export_tree *tree)
{
	struct firefox_paths p = { .f = { .job = job, .sink = &job->sink }, .tree = tree };
	struct firefox_meta meta = { .start_realtime_ns = tree->profile.totals.begin_realtime_ns };
	struct strbuf product = { 0 };
	STRBUF(what);
	int status;

	output_plural(&what, tree->n - 1, "call path", "s");
	if (export_begin(job, tree->n * BYTES_A_NODE, what.text, &status)) {
		put_product(&product, tree);
		meta.product = product.text;
		tree_resolve(tree);
		firefox_begin(p.f.sink, &meta);
		put_nodes(&p);
		firefox_end(p.f.sink, &p.f.tables);
		status = export_end(job, what.text);
	}
	strbuf_release(&product);
	release(&p.f);
	return status;
}

/* What a thread is, is told by its origin. */
static int write_paths(struct export_job *job)
{
	struct tree_choice choice = { .has_origins = job->options.by == EXPORT_BY_THREAD };

	if (measures_choose(&choice.measures, job->options.measure, "elapsed,waiting,preempted,samples", 1))
		return STATUS_USAGE;
	if (choice.has_origins)
		job->options.by = EXPORT_BY_ALL;
	return export_tree_write(job, &choice, write_tree);
}

static int write_firefox(struct export_job *job)
{
	struct session input;
	int status = STATUS_DATA, method = -1;

	if (job->options.measure || job->options.by != EXPORT_BY_THREAD)
		return write_paths(job);
	if (export_has_timeline(job))
		return export_events_write(job, BYTES_A_RECORD, tell);
	if (!session_open(&input, job->paths ? job->paths[0] : NULL))
		method = view_method_of(&input);
	if (method == CINSTR_METHOD_SAMPLING)
		status = write_samples(job, &input);
	session_release(&input);
	return method < 0 || method == CINSTR_METHOD_SAMPLING ? status : write_paths(job);
}

const struct export_format export_firefox = {
	.name = "firefox",
	.extension = ".firefox.json",
	.needs = EXPORT_ANY,
	.takes_counts = 1,
	.by = EXPORT_BY_THREAD,
	.most = 200000000,
	.write = write_firefox,
};
