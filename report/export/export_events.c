/* SPDX-License-Identifier: GPL-3.0-or-later */
/* export_events.c - see export_events.h: reads processes and threads, and estimates the size.
 * event_lane.c converts a thread's events to slices. */
#include "export_events.h"

#include <stdlib.h>
#include <string.h>

#include "event_lane.h"
#include "file/timeline_chunks.h"
#include "lib/progress.h"
#include "names/thread_names.h"
#include "selection/selection_state.h"
#include "session/session_clock.h"
#include "session/twins.h"

static const struct selection *selection_of(const struct export_events *events)
{
	return &events->job->options.view.selection;
}

/* ---- is there a timeline, and how large ------------------------------------------------------ */

static int has_timeline(const struct session *input)
{
	struct cinstr_header header;

	for (size_t i = 0; i < input->n_files; i++)
		if (!session_header(input->files[i], &header) && header.timeline_mode)
			return 1;
	return 0;
}

int export_has_timeline(const struct export_job *job)
{
	struct session input;
	int has = !session_list(&input, job->paths ? job->paths[0] : NULL) && has_timeline(&input);

	session_release(&input);
	return has;
}

static int is_sampled(const struct session *input)
{
	struct cinstr_header header;

	for (size_t i = 0; i < input->n_files; i++)
		if (!session_header(input->files[i], &header) && header.method != CINSTR_METHOD_SAMPLING)
			return 0;
	return 1;
}

static void say_no_timeline(const struct session *input, const char *format)
{
	if (is_sampled(input))
		error("%s: this session was sampled: %s files hold single calls, with their begins and ends, "
		      "and there are none in it; speedscope, perf and collapsed take samples",
		      input->path, format);
	else
		error("%s: no timeline was recorded, and %s files are made of one: run the program with "
		      "CINSTR_TIMELINE=unlimited in its environment (or a size, 100M; or ring:SIZE), or with "
		      "cinstr record --timeline=unlimited",
		      input->path, format);
}

static void count_thread(struct export_events *events, const struct data *data,
			 const struct data_thread *thread, uint64_t from_ticks, uint64_t to_ticks)
{
	struct timeline timeline;
	struct timeline_piece piece;
	int status = timeline_open(&timeline, data, thread);

	timeline.headers_only = 1;
	while (!status && timeline_next(&timeline, &piece))
		if (piece.end_ticks >= from_ticks && piece.start_ticks < to_ticks)
			events->n_records += piece.events;
	timeline_release(&timeline);
}

static void count(struct export_events *events, const struct data *data)
{
	uint64_t from_ticks, to_ticks;

	if (!data->header->timeline_mode)
		return;
	selection_range(selection_of(events), data, &from_ticks, &to_ticks);
	for (size_t i = 0; i < data->n_threads; i++)
		count_thread(events, data, &data->threads[i], from_ticks, to_ticks);
}

/* Each process that something is chosen of. An exit status. */
static int each_process(struct export_events *events,
			void (*visit)(struct export_events *events, struct data *data))
{
	const struct selection *selection = selection_of(events);
	size_t n_visited = 0;
	int status = STATUS_OK;

	for (size_t i = 0; i < events->input.n_files && !sink_failed(&events->job->sink); i++) {
		struct data data;
		int is_left;

		if (selection_open_one(selection, &events->input, i, &data, &is_left))
			status = STATUS_DATA;
		if (is_left)
			visit(events, &data);
		n_visited += is_left != 0;
		data_release(&data);
	}
	return selection_end(selection, n_visited) ? STATUS_DATA : status;
}

static void count_process(struct export_events *events, struct data *data)
{
	count(events, data);
}

static int min_duration(struct export_events *events, const char *text)
{
	long double ns = 0;

	if (text && selection_time_parse(text, &ns))
		return error("export: --min-duration does not take '%s'; it takes a time: 10us, 1.5ms", text);
	events->min_ns = util_rounded(ns);
	return 0;
}

/* Whether calls are left out, which is known only when they are read. */
static int are_some_left_out(const struct export_events *events)
{
	const struct selection *selection = selection_of(events);

	return events->min_ns || events->max_depth != EXPORT_EVERY_DEPTH || selection->functions ||
	       selection->modules || selection->just_my_code;
}

int export_events_open(struct export_events *events, struct export_job *job)
{
	int status;

	*events = (struct export_events){ .job = job, .max_depth = job->options.depth };
	profile_init(&events->profile, BY_EACH, &job->counting);
	if (min_duration(events, job->options.min_duration))
		return STATUS_USAGE;
	if (session_open(&events->input, job->paths ? job->paths[0] : NULL) ||
	    view_method_of(&events->input) < 0)
		return STATUS_DATA;
	if (!has_timeline(&events->input)) {
		say_no_timeline(&events->input, job->kind->name);
		return STATUS_DATA;
	}
	status = selection_begin(selection_of(events), &events->input);
	if (status)
		return status;
	events->begin_realtime_ns = selection_clock(selection_of(events))->begin_realtime_ns;
	status = each_process(events, count_process);
	job->is_at_most = are_some_left_out(events);
	events->input.is_quiet = 1;
	return status;
}

/* ---- telling --------------------------------------------------------------------------------- */

/* Ends of processes are not always known: the last moment that is. */
static uint64_t thread_last(const struct data_thread *thread)
{
	return thread->state->time > thread->record->first_ticks ? thread->state->time
								 : thread->record->first_ticks;
}

static void tell_thread(struct export_events *events, const struct event_process *process, struct data *data,
			size_t number)
{
	const struct data_thread *thread = &data->threads[number];
	struct names *names = events->profile.names;
	struct event_lane lane = { .number = (uint32_t)events->n_lanes,
				   .tid = thread->record->tid,
				   .process = process };
	struct event_telling telling = { .events = events, .data = data, .lane = &lane };
	uint64_t from_ticks, to_ticks;
	char *name = thread_shown_name(names, data, thread);

	selection_range(selection_of(events), data, &from_ticks, &to_ticks);
	if (thread->record->first_ticks >= to_ticks || thread_last(thread) < from_ticks) {
		free(name);
		return;
	}
	lane.name = *name ? name : process->name;
	events->n_lanes++;
	event_lane_tell(&telling, thread, from_ticks, to_ticks);
	free(name);
}

/* Marks of threads that are not there. */
static void tell_rest(struct export_events *events, const struct event_process *process, struct data *data)
{
	struct event_lane lane = { .number = (uint32_t)events->n_lanes, .process = process };
	struct event_telling telling = { .events = events, .data = data, .lane = &lane };

	events->n_lanes += (uint64_t)event_lane_tell_marks(&telling);
}

/* Adds the shown number to the name of a process whose track has another one: "app (pid 1#2)". */
static char *title_of(const struct event_process *process, const struct data *data)
{
	struct strbuf text = { 0 };

	strbuf_puts(&text, process->name);
	if (data->twin)
		strbuf_printf(&text, " (pid %s)", process->shown_number);
	return text.text;
}

static void tell_process(struct export_events *events, struct data *data)
{
	const char *host = data_property(data, "hostname");
	struct strbuf shown_number = { 0 };
	struct event_process process = { .number = (uint32_t)events->n_processes,
					 .pid = data->header->pid,
					 .track = twins_track(data),
					 .process_number = data->process_number,
					 .name = process_name_of(&events->profile, data),
					 .host = host && *host ? host : NULL,
					 .command_line = totals_command_line(data) };

	twins_put(&shown_number, data);
	process.shown_number = shown_number.text;
	process.title = title_of(&process, data);
	if (selection_of(events)->just_my_code)
		system_code_add(&selection_of(events)->state->system_code, data);
	events->n_without += !data->header->timeline_mode;
	events->n_processes++;
	if (events->writer->process)
		events->writer->process(events->arg, &process);
	for (size_t i = 0; i < data->n_threads && data->header->timeline_mode; i++)
		if (!sink_failed(&events->job->sink))
			tell_thread(events, &process, data, i);
	tell_rest(events, &process, data);
	names_next_process(events->profile.names);
	free(process.command_line);
	free(process.title);
	strbuf_release(&shown_number);
}

int export_events_tell(struct export_events *events, const struct event_writer *writer, void *arg)
{
	int status;

	events->writer = writer;
	events->arg = arg;
	status = each_process(events, tell_process);
	if (events->n_without && !sink_failed(&events->job->sink))
		warning("%llu of %llu processes have no timeline", (unsigned long long)events->n_without,
			(unsigned long long)events->n_processes);
	return selection_check_seen(selection_of(events)) || events->status ? STATUS_DATA : status;
}

void export_events_release(struct export_events *events)
{
	profile_release(&events->profile);
	session_release(&events->input);
	free(events->verdicts);
}

static void put_count(struct strbuf *text, uint64_t n, const char *what, const char *before)
{
	if (!n)
		return;
	strbuf_puts(text, before);
	output_plural(text, n, what, "s");
}

void export_events_put(struct strbuf *text, const struct export_events *events)
{
	output_plural(text, events->calls, "call", "s");
	put_count(text, events->waits, "wait", ", ");
	put_count(text, events->marks, "mark", ", ");
	put_count(text, events->n_lanes, "thread", " in ");
}

int export_events_write(struct export_job *job, unsigned bytes_a_record,
			int (*tell)(struct export_events *events))
{
	struct export_events events;
	STRBUF(what);
	int status = export_events_open(&events, job), wrong;

	job->is_of_events = 1;
	output_plural(&what, events.n_records, "event", "s");
	if (!status && export_begin(job, events.n_records * bytes_a_record, what.text, &status)) {
		status = tell(&events);
		strbuf_clear(&what);
		export_events_put(&what, &events);
		wrong = export_end(job, what.text);
		status = wrong ? wrong : status;
	}
	export_events_release(&events);
	return status;
}
