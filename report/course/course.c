/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * course.c - see course.h. Reads the files twice: first the tree of each thread, in each phase and
 * as a whole; then the timelines, if there are any, which are replayed.
 */
#include "course.h"

#include <stdlib.h>

#include "file/cell_details.h"
#include "file/phases.h"
#include "file/samples_paths.h"
#include "lib/array.h"
#include "names/thread_names.h"
#include "session/twins.h"
#include "values/values.h"

#define SAMPLES_OF_BIN 6 /* on average: of fewer a strip would show chance */

/* ---- what is known of functions and threads -------------------------------------------------- */

enum known_function course_known(struct course *course, uint32_t entity)
{
	if (entity == NAMES_NONE)
		return KNOWN_NOT;
	ARRAY_REACH_ZEROED(course->known, entity, course->n_known);
	if (!course->known[entity])
		course->known[entity] = (uint8_t)(1 + known_function_of(&course->names->list[entity]));
	return (enum known_function)(course->known[entity] - 1);
}

/* A data file and where in it the thread is: the same in both readings. */
static size_t thread_number(struct course *course, const struct data *data, const struct data_thread *thread,
			    int *is_new)
{
	STRBUF(key);

	strbuf_printf(&key, "%llx %s", (unsigned long long)thread->offset, data->path);
	return map_add(&course->thread_keys, key.text, key.length, is_new);
}

static long double moment(const struct course *course, const struct data *data, uint64_t ticks)
{
	long double ns = session_clock_ns(selection_clock(course->selection), data->header, ticks);

	return ns > 0 ? ns : 0;
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* Of its waits no more than the node's values have: they leave out the probes' cost. */
static void add_cell(struct course *course, const struct data *data, const struct cinstr_cell *cell,
		     uint32_t entity, uint64_t off_cpu, uint64_t ticks[TIME_KINDS])
{
	for (uint32_t i = details_buckets(data->memory, cell); i;) {
		const struct cinstr_bucket *bucket =
			(const void *)(data->memory + (uint64_t)i * sizeof(struct cinstr_cell));

		uint64_t off = bucket->off_cpu_ticks < off_cpu ? bucket->off_cpu_ticks : off_cpu;

		if (off)
			ticks[time_kind_of(bucket->bits, course_known(course, entity))] += off;
		off_cpu -= off;
		i = bucket->next;
	}
}

/* What the tree says, in ns: all of it is the thread's time by `cinstr report`. */
static void add_tree(struct course *course, struct data *data, struct data_thread *thread,
		     long double ns_per_tick, long double ns[TIME_KINDS])
{
	const struct counting counting = { .os_mask = CINSTR_OS_DEFAULT_MASK };
	struct values *values = values_make(data, thread, &counting);
	const struct ticks all = values_at(values, 0)->inclusive;
	FREED uint32_t *entities = names_of_thread(course->names, data, thread);
	uint64_t ticks[TIME_KINDS] = { 0 }, known = 0;

	for (size_t i = 0; i < thread->n_nodes; i++)
		add_cell(course, data, thread->nodes[i].cell, entities[i],
			 values_at(values, i)->exclusive.off_cpu, ticks);
	for (int kind = 0; kind < TIME_KINDS; kind++)
		known += ticks[kind];
	ticks[TIME_OTHER] += all.off_cpu > known ? all.off_cpu - known : 0;
	ticks[TIME_COMPUTING] = all.elapsed > all.off_cpu ? all.elapsed - all.off_cpu : 0;
	for (int kind = 0; kind < TIME_KINDS; kind++)
		ns[kind] = (long double)ticks[kind] * ns_per_tick;
	values_release(values);
}

static void add_phases(struct course *course, struct data *data, struct data_thread *thread, uint32_t number,
		       size_t first_mark, long double ns_per_tick)
{
	for (uint32_t i = 0; i < phases_count(data); i++) {
		struct phase phase = phases_get(data, i);
		struct course_part part = { .thread = number, .mark = NAMES_NONE };
		struct data_thread of_phase;

		if (!phases_is_chosen(data, i) || !phase_thread(data, thread, i, &of_phase))
			continue;
		if (phase.mark)
			part.mark = (uint32_t)(first_mark + (size_t)(phase.mark - data->marks));
		part.begin = moment(course, data, phase.begin_ticks);
		part.end = i + 1 < phases_count(data) ? moment(course, data, phase.end_ticks)
						      : course->threads[number].end;
		if (part.begin < course->threads[number].begin)
			part.begin = course->threads[number].begin;
		if (part.end > course->threads[number].end)
			part.end = course->threads[number].end;
		add_tree(course, data, &of_phase, ns_per_tick, part.ns);
		phase_thread_release(&of_phase);
		ARRAY_ONE_MORE(course->parts, course->n_parts);
		course->parts[course->n_parts++] = part;
	}
}

/* When the thread's samples were taken. Where a timeline has ns, bins of samples have their
 * number. */
static void add_samples(struct course *course, const struct data *data, const struct data_thread *thread,
			size_t number)
{
	const struct samples *s = data->sampled->samples;

	for (uint64_t i = s->first[thread->task]; i < s->first[thread->task + 1]; i++) {
		double at;

		if (s->ticks[i] < s->from || s->ticks[i] >= s->to)
			continue;
		at = (double)moment(course, data, s->ticks[i]);
		bins_add(&course->bins, number, TIME_COMPUTING, at, at, 1);
		course->threads[number].ns[TIME_COMPUTING]++;
		course->n_samples++;
	}
}

static const char *name_of_thread(struct course *course, const struct data *data,
				  const struct data_thread *thread)
{
	const char *exe = data_property(data, "exe"), *kept;
	char *name = thread_shown_name(course->names, data, thread);

	kept = map_keep(&course->strings, *name || !exe ? name : util_basename(exe));
	free(name);
	return kept;
}

static void add_thread(struct course *course, struct data *data, struct data_thread *thread,
		       size_t first_mark, long double ns_per_tick)
{
	const char *exe = data_property(data, "exe"), *host = data_property(data, "hostname");
	int is_new;
	size_t number = thread_number(course, data, thread, &is_new);
	struct course_thread *t;
	STRBUF(shown);

	if (!is_new)
		return;
	ARRAY_ONE_MORE(course->threads, number);
	course->n_threads = number + 1;
	t = &course->threads[number];
	twins_put(&shown, data);
	*t = (struct course_thread){
		.pid = data->header->pid,
		.process_number = data->process_number,
		.shown_number = map_keep(&course->strings, shown.text),
		.tid = thread->record->tid,
		.name = name_of_thread(course, data, thread),
		.process = map_keep(&course->strings, exe ? util_basename(exe) : ""),
		.host = host && *host ? map_keep(&course->strings, host) : NULL,
		.begin = moment(course, data, thread->record->first_ticks),
		.end = moment(course, data, thread->state->time),
	};
	if (t->end > course->end)
		course->end = t->end;
	if (data->sampled) {
		add_samples(course, data, thread, number);
		return;
	}
	add_tree(course, data, thread, ns_per_tick, t->ns);
	if (phases_count(data) > 1 && !data->phases_unknown)
		add_phases(course, data, thread, (uint32_t)number, first_mark, ns_per_tick);
}

static void add_mark(struct course *course, const struct data *data, const struct data_mark *mark)
{
	ARRAY_ONE_MORE(course->marks, course->n_marks);
	course->marks[course->n_marks++] = (struct course_mark){
		.pid = data->header->pid,
		.tid = mark->tid,
		.text = map_keep(&course->strings, mark->text),
		.id = mark->id,
		.ns = moment(course, data, mark->ticks),
		.begins_phase = mark->phase != 0,
		.is_of_program = mark->kind == CINSTR_MARK_PROGRAM || mark->kind == CINSTR_MARK_OUTSIDE,
	};
}

void course_add(struct course *course, struct data *data)
{
	size_t first_mark = course->n_marks;
	int known;
	long double ns_per_tick = data_ns_per_tick(data, &known);

	for (size_t i = 0; i < data->n_marks; i++)
		add_mark(course, data, &data->marks[i]);
	for (size_t i = 0; i < data->n_threads; i++)
		add_thread(course, data, &data->threads[i], first_mark, ns_per_tick);
	course->is_timeline |= data->header->timeline_mode != 0;
	if (data->header->timeline_mode && data->header->timeline_min_ns > course->short_ns)
		course->short_ns = data->header->timeline_min_ns;
	names_next_process(course->names);
}

/* ---- timelines ------------------------------------------------------------------------------- */

static int trace_data(struct course *course, struct data *data)
{
	int status = STATUS_OK;

	for (size_t i = 0; data->header->timeline_mode && i < data->n_threads; i++) {
		const struct data_thread *thread = &data->threads[i];
		int is_new;
		size_t number = thread_number(course, data, thread, &is_new);

		if (is_new || number >= course->n_threads) /* not in the range of time */
			continue;
		course->threads[number].has_timeline = 1;
		if (course_trace(course, data, number, thread)) {
			error("%s: the timeline of thread %u cannot be read", util_shown(data->path),
			      thread->record->tid);
			status = STATUS_DATA;
		}
	}
	names_next_process(course->names);
	return status;
}

static int trace_input(struct course *course, struct session *input)
{
	int status = STATUS_OK;

	input->is_quiet = 1;
	for (size_t i = 0; i < input->n_files; i++) {
		struct data data;
		int is_left;

		if (selection_open_one(course->selection, input, i, &data, &is_left) == STATUS_OK &&
		    is_left && trace_data(course, &data))
			status = STATUS_DATA;
		data_release(&data);
	}
	return status;
}

void course_begin(struct course *course, const struct selection *selection, size_t most_items)
{
	*course = (struct course){ .selection = selection, .names = course->names };
	lanes_init(&course->lanes, 2 * most_items);
	bins_init(&course->bins);
}

int course_end(struct course *course, struct session *input, size_t most_items)
{
	int status = STATUS_OK;

	if (course->n_samples)
		bins_widen(&course->bins, (double)course->n_samples / SAMPLES_OF_BIN);
	if (course->is_timeline && most_items && trace_input(course, input))
		status = STATUS_DATA;
	if (most_items)
		lanes_reduce(&course->lanes, most_items);
	return status;
}

void course_release(struct course *course)
{
	lanes_release(&course->lanes);
	bins_release(&course->bins);
	names_drop(course->names);
	map_release(&course->strings);
	map_release(&course->site_keys);
	map_release(&course->thread_keys);
	free(course->threads);
	free(course->parts);
	free(course->marks);
	free(course->sites);
	free(course->known);
	*course = (struct course){ 0 };
}
