/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * samples.c - see samples.h. Reads the segments of a sampled process without trusting them: what
 * does not fit is left out or counts as unknown, with a problem. While the collector still writes,
 * data newer than the first reading are not a problem: they are ignored.
 */
#include "samples.h"

#include <stdlib.h>
#include <string.h>

#include "lib/order.h"
#include "phases.h"
#include "samples_paths.h"

/* Deeper stacks are cut: no collector makes them. */
#define DEPTH_MAX 4096

/* What is wrong, counted: each is told once. */
struct faults {
	uint64_t parents, depths, stacks, tasks, orders, trees, paths;
};

struct reading {
	struct data *data;
	struct sampled *sampled;
	struct samples *s;
	struct samples_naming *naming;
	struct faults faults;
	int is_live; /* the collector may still be writing, or was killed */
};

/* ---- segments -------------------------------------------------------------------------------- */

/* The next segment of the type behind number *at (which begins as 0) that holds some elements;
 * NULL: there is none. */
static const void *next_segment(const struct data *data, size_t *at, uint32_t type, size_t element, size_t *n)
{
	while (*at < data->n_segments) {
		const struct data_segment *s = &data->segments[(*at)++];

		*n = s->used / element;
		if (s->type == type && *n)
			return data->memory + s->offset;
	}
	return NULL;
}

static uint64_t count_all(const struct data *data, uint32_t type, size_t element)
{
	uint64_t all = 0;
	size_t at = 0, n;

	while (next_segment(data, &at, type, element, &n))
		all += n;
	return all;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void tasks_read(struct reading *r)
{
	const struct cinstr_task *tasks;
	size_t at = 0, n;

	r->s->tasks = xcalloc(count_all(r->data, CINSTR_SEG_TASKS, sizeof(*tasks)), sizeof(*r->s->tasks));
	while ((tasks = next_segment(r->data, &at, CINSTR_SEG_TASKS, sizeof(*tasks), &n)))
		for (size_t i = 0; i < n; i++)
			r->s->tasks[r->s->n_tasks++] = &tasks[i];
}

/* ---- stacks ---------------------------------------------------------------------------------- */

/* The path of a place chain on another path. */
static uint32_t chain_path(struct reading *r, uint32_t path, struct samples_chain chain)
{
	for (uint32_t i = 0; i < chain.n && path != UINT32_MAX; i++) {
		uint32_t place = r->s->chains[chain.first + i];

		path = samples_path_add(r->s, path, r->sampled->places[place].function * 2);
		if (path != UINT32_MAX)
			path = samples_path_add(r->s, path, place * 2 + 1);
	}
	return path;
}

static uint32_t node_path(struct reading *r, const struct cinstr_stack_node *node, uint32_t parent)
{
	uint32_t path;

	if (node->module == CINSTR_NODE_TRUNCATED)
		path = samples_path_add(r->s, parent, samples_truncated(r->naming) * 2);
	else
		path = chain_path(r, parent, samples_chain_of(r->naming, node->module, node->address));
	r->faults.paths += path == UINT32_MAX;
	return path == UINT32_MAX ? 0 : path;
}

static void stack_read(struct reading *r, const struct cinstr_stack_node *node, uint16_t *depths)
{
	uint32_t number = ++r->s->n_stacks, parent = node->parent;

	if (parent >= number) {
		r->faults.parents++;
		parent = 0;
	}
	if (parent && depths[parent] >= DEPTH_MAX) {
		r->faults.depths++;
		parent = 0;
	}
	depths[number] = (uint16_t)(parent ? depths[parent] + 1 : 1);
	r->s->path_of[number] = node_path(r, node, parent ? r->s->path_of[parent] : 0);
}

static void stacks_read(struct reading *r)
{
	uint64_t most = count_all(r->data, CINSTR_SEG_STACKS, sizeof(struct cinstr_stack_node));
	FREED uint16_t *depths = NULL;
	const struct cinstr_stack_node *nodes;
	size_t at = 0, n;

	if (most >= UINT32_MAX)
		most = UINT32_MAX - 1;
	depths = xcalloc(most + 1, sizeof(*depths));
	r->s->path_of = xcalloc(most + 1, sizeof(*r->s->path_of));
	/* Of samples of which nothing is known. */
	r->s->path_of[0] = chain_path(r, 0, samples_chain_of(r->naming, CINSTR_NODE_TRUNCATED, 0));
	while ((nodes = next_segment(r->data, &at, CINSTR_SEG_STACKS, sizeof(*nodes), &n)))
		for (size_t i = 0; i < n && r->s->n_stacks < most; i++)
			stack_read(r, &nodes[i], depths);
}

/* The path that a sample counts for: that of what was executed, unless it stands for the missing
 * end of a stack. */
static void leaves_settle(struct samples *s)
{
	for (uint32_t i = 1; i <= s->n_stacks; i++)
		if (!(s->path_of[i] && s->paths[s->path_of[i]].what & 1))
			s->path_of[i] = s->path_of[0];
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Whether the sample is one; its stack may be made 0. */
static int sample_ok(struct reading *r, const struct cinstr_sample *sample, uint32_t *stack)
{
	*stack = sample->stack;
	if (sample->task >= r->s->n_tasks) {
		r->faults.tasks++;
		return 0;
	}
	if (sample->stack <= r->s->n_stacks)
		return 1;
	r->faults.stacks++;
	*stack = 0;
	return !r->is_live;
}

static void samples_count(struct reading *r)
{
	const struct cinstr_sample *samples;
	size_t at = 0, n;
	uint32_t stack;

	r->s->first = xcalloc((size_t)r->s->n_tasks + 2, sizeof(*r->s->first));
	while ((samples = next_segment(r->data, &at, CINSTR_SEG_SAMPLES, sizeof(*samples), &n)))
		for (size_t i = 0; i < n; i++)
			if (sample_ok(r, &samples[i], &stack))
				r->s->first[samples[i].task + 2]++;
	for (uint32_t i = 0; i < r->s->n_tasks; i++)
		r->s->first[i + 2] += r->s->first[i + 1];
}

/* Puts each sample to its task: first[task + 1] is where the next one goes, so that in the end it
 * is the beginning of the next task's. */
static void samples_deal(struct reading *r)
{
	struct samples *s = r->s;
	const struct cinstr_sample *samples;
	size_t at = 0, n;
	uint32_t stack;

	s->ticks = xcalloc(s->first[s->n_tasks + 1], sizeof(*s->ticks));
	s->paths_at = xcalloc(s->first[s->n_tasks + 1], sizeof(*s->paths_at));
	while ((samples = next_segment(r->data, &at, CINSTR_SEG_SAMPLES, sizeof(*samples), &n)))
		for (size_t i = 0; i < n; i++) {
			uint64_t to;

			if (!sample_ok(r, &samples[i], &stack))
				continue;
			to = s->first[samples[i].task + 1]++;
			s->ticks[to] = samples[i].ticks;
			s->paths_at[to] = s->path_of[stack];
		}
}

struct stamped {
	uint64_t ticks;
	uint32_t path;
};

ORDER_ITEMS(by_time, struct stamped, ORDER(x->ticks, y->ticks))

static void task_sort(struct samples *s, uint64_t first, uint64_t end)
{
	FREED struct stamped *list = xcalloc(end - first, sizeof(*list));

	for (uint64_t i = first; i < end; i++)
		list[i - first] = (struct stamped){ s->ticks[i], s->paths_at[i] };
	util_sort(list, end - first, sizeof(*list), by_time, NULL);
	for (uint64_t i = first; i < end; i++) {
		s->ticks[i] = list[i - first].ticks;
		s->paths_at[i] = list[i - first].path;
	}
}

/* A task's samples are in order of time, and it does not matter if they are not. */
static void samples_order(struct samples *s)
{
	for (uint32_t task = 0; task < s->n_tasks; task++)
		for (uint64_t i = s->first[task] + 1; i < s->first[task + 1]; i++)
			if (s->ticks[i] < s->ticks[i - 1]) {
				task_sort(s, s->first[task], s->first[task + 1]);
				break;
			}
}

/* ---- threads --------------------------------------------------------------------------------- */

static void record_make(const struct samples *s, uint32_t task, struct cinstr_thread *record)
{
	const struct cinstr_task *from = s->tasks[task];
	uint64_t first = s->first[task], end = s->first[task + 1];

	record->tid = from->tid;
	record->index = task;
	record->state = from->state;
	memcpy(record->name, from->name, sizeof(record->name));
	record->members = 1;
	record->first_ticks = from->begin_ticks;
	if (first < end && (!record->first_ticks || s->ticks[first] < record->first_ticks))
		record->first_ticks = s->ticks[first];
	record->states[0].time = from->end_ticks;
	if (first < end && record->states[0].time < s->ticks[end - 1])
		record->states[0].time = s->ticks[end - 1];
	if (record->states[0].time < record->first_ticks)
		record->states[0].time = record->first_ticks;
}

static void trees_make(struct data *data, uint64_t *too_large)
{
	struct samples *s = data->sampled->samples;

	samples_trees_begin(data);
	data->sampled->kept = 0;
	for (size_t i = 0; i < data->n_threads; i++) {
		struct data_thread *thread = &data->threads[i];

		free(thread->nodes);
		free(thread->cells);
		*too_large += !samples_tree(data, thread, s->from, s->to);
		data->sampled->kept += thread->n_samples - thread->elsewhere_ticks;
	}
}

static void threads_make(struct reading *r)
{
	struct samples *s = r->s;

	s->records = xcalloc(s->n_tasks, sizeof(*s->records));
	r->data->threads = xcalloc(s->n_tasks, sizeof(*r->data->threads));
	r->data->n_threads = s->n_tasks;
	for (uint32_t task = 0; task < s->n_tasks; task++) {
		record_make(s, task, &s->records[task]);
		r->data->threads[task] = (struct data_thread){
			.record = &s->records[task],
			.state = &s->records[task].states[0],
			.offset = (uint64_t)((const char *)s->tasks[task] - r->data->memory),
			.task = task,
			.n_samples = s->first[task + 1] - s->first[task]
		};
	}
	trees_make(r->data, &r->faults.trees);
}

/* ---- marks ----------------------------------------------------------------------------------- */

static int is_begin(const struct data_mark *mark)
{
	return mark->kind == CINSTR_MARK_PROGRAM || mark->kind == CINSTR_MARK_OUTSIDE;
}

static uint64_t phases_bytes(uint64_t n)
{
	uint64_t bytes = sizeof(struct cinstr_phases) + n * sizeof(uint64_t);

	return (bytes + sizeof(struct cinstr_cell) - 1) & ~(uint64_t)(sizeof(struct cinstr_cell) - 1);
}

uint64_t samples_room(const struct data *data)
{
	(void)data;
	/* address space: marks may come from other files, too */
	return phases_bytes(CINSTR_PHASES_MAX);
}

/* Every sample has a stamp: each mark begins a phase. */
static void phases_make(struct data *data)
{
	struct cinstr_phases *phases;

	if (!data->phases_at && data->n_marks)
		data->phases_at = data_room(data, phases_bytes(CINSTR_PHASES_MAX));
	phases = (void *)(data->memory + data->phases_at);
	data->n_phases = 0;
	for (size_t i = 0; i < data->n_marks; i++)
		data->marks[i].phase = 0;
	for (size_t i = 0; data->phases_at && i < data->n_marks && data->n_phases < CINSTR_PHASES_MAX; i++) {
		if (!is_begin(&data->marks[i]))
			continue;
		phases->begin_ticks[data->n_phases++] = data->marks[i].ticks;
		data->marks[i].phase = data->n_phases;
	}
}

void samples_add_marks(struct data *data, const struct data_mark *marks, size_t n)
{
	data->marks = xrealloc(data->marks, data->n_marks + n, sizeof(*data->marks));
	for (size_t i = 0; i < n; i++) {
		data->marks[data->n_marks] = marks[i];
		data->marks[data->n_marks++].text = map_keep(&data->sampled->samples->strings, marks[i].text);
	}
	data_marks_sort(data);
	phases_make(data);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void say(struct data *data, uint64_t n, const char *what)
{
	if (n)
		data_problem(data, 0, "%llu %s", (unsigned long long)n, what);
}

static void faults_say(const struct reading *r)
{
	const struct faults *f = &r->faults;

	say(r->data, f->parents,
	    "frames of stacks stand before those that called them: they count as outermost");
	say(r->data, f->depths, "stacks are too deep: they are cut");
	say(r->data, f->paths, "frames of stacks are left out: there are too many");
	say(r->data, f->trees,
	    "threads have too many call paths together: only how many samples they have is known");
	if (r->is_live)
		return;
	/* Halved: each sample was looked at twice. */
	say(r->data, f->stacks / 2, "samples name a stack that is not there: they count as [unknown]");
	say(r->data, f->tasks / 2, "samples are of no thread: they are left out");
}

/* The arrays by which names were looked up are not needed any more; strings are. */
static void naming_end(struct reading *r)
{
	struct samples *s = r->s;

	samples_naming_release(r->naming, r->is_live);
	map_release(&s->functions);
	map_release(&s->places);
	map_release(&s->addresses);
	free(s->chains);
	free(s->chain_of);
	s->chains = NULL;
	s->chain_of = NULL;
}

void samples_build(struct data *data)
{
	const struct cinstr_sampling *info = &data->header->sampling;
	struct reading r = { .data = data,
			     .sampled = xcalloc(1, sizeof(*r.sampled)),
			     .s = xcalloc(1, sizeof(*r.s)),
			     .is_live = !(info->flags & CINSTR_SAMPLING_COMPLETE) };

	data->sampled = r.sampled;
	*r.sampled = (struct sampled){ .info = info, .samples = r.s, .event = data_property(data, "event") };
	r.s->to = UINT64_MAX;
	r.naming = samples_naming_new(data);
	tasks_read(&r);
	stacks_read(&r);
	leaves_settle(r.s);
	samples_count(&r);
	samples_deal(&r);
	samples_order(r.s);
	naming_end(&r);
	samples_paths_finish(r.s, r.s->paths_at, r.s->first[r.s->n_tasks]);
	threads_make(&r);
	phases_make(data);
	faults_say(&r);
}

void samples_release(struct data *data)
{
	struct samples *s = data->sampled ? data->sampled->samples : NULL;

	if (!s)
		return;
	map_release(&s->strings);
	free(s->paths);
	free(s->path_of);
	free(s->tasks);
	free(s->first);
	free(s->ticks);
	free(s->paths_at);
	free(s->records);
	free(s->counts);
	free(s->node_of);
	free(s->used);
	free(s);
	free(data->sampled->functions);
	free(data->sampled->places);
	free(data->sampled);
	data->sampled = NULL;
}

/* ---- asked for ------------------------------------------------------------------------------- */

static void choose_phases(struct data *data, uint64_t from, uint64_t to)
{
	const uint64_t *begin = data->n_phases ? data_phases(data) : NULL;

	data->phases_chosen = 1;
	data->first_phase = data->last_phase = 0;
	for (uint32_t i = 0; i < data->n_phases; i++) {
		if (begin[i] <= from)
			data->first_phase = i + 1;
		if (begin[i] < to)
			data->last_phase = i + 1;
	}
}

void samples_select(struct data *data, uint64_t from_ticks, uint64_t to_ticks)
{
	struct samples *s = data->sampled->samples;
	uint64_t too_large = 0;

	s->from = from_ticks;
	s->to = to_ticks;
	choose_phases(data, from_ticks, to_ticks);
	trees_make(data, &too_large);
}

int samples_part(const struct data *data, const struct data_thread *thread, uint64_t from_ticks,
		 uint64_t to_ticks, struct data_thread *part)
{
	const struct samples *s = data->sampled->samples;

	*part = *thread;
	part->nodes = NULL;
	part->cells = NULL;
	part->paths = NULL;
	part->overheads = NULL;
	samples_trees_begin(data);
	samples_tree(data, part, from_ticks > s->from ? from_ticks : s->from,
		     to_ticks < s->to ? to_ticks : s->to);
	if (part->n_nodes > 1 || part->cells[0].ticks)
		return 1;
	phase_thread_release(part);
	return 0;
}

const struct sampled_function *samples_function(const struct data *data, const struct cinstr_cell *cell)
{
	return cell->func && cell->func <= data->sampled->n_functions
		       ? &data->sampled->functions[cell->func - 1]
		       : NULL;
}

const struct sampled_place *samples_place(const struct data *data, uint32_t site)
{
	return site && site <= data->sampled->n_places ? &data->sampled->places[site - 1] : NULL;
}

const struct cinstr_task *samples_task(const struct data *data, const struct data_thread *thread)
{
	return data->sampled->samples->tasks[thread->task];
}
