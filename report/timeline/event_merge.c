/* SPDX-License-Identifier: GPL-3.0-or-later */
/* event_merge.c - see event_merge.h. A heap of sources, ordered by the time of each one's next
 * event. */
#include "event_merge.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/util.h"
#include "names/thread_names.h"
#include "session/session_clock.h"

#define LAST (1ull << 62) /* of what happens at the same moment */

enum source_kind {
	SOURCE_FILE,   /* a process that has not been read */
	SOURCE_THREAD, /* a thread that has not been read */
	SOURCE_TRACE,
	SOURCE_MARKS,
	SOURCE_END, /* of a process */
};

struct event_merge_source {
	enum source_kind kind;
	long double ns;
	uint64_t order; /* decides at the same moment */
	size_t number;	/* of the file, the thread, the mark */
	struct event_merge_process *process;
	struct event_stream *trace;
	struct stream_event next;
};

/* ---- heap ------------------------------------------------------------------------------------ */

static int is_before(const struct event_merge_source *a, const struct event_merge_source *b)
{
	return a->ns != b->ns ? a->ns < b->ns : a->order < b->order;
}

static void swap(struct event_merge_source *a, struct event_merge_source *b)
{
	struct event_merge_source c = *a;

	*a = *b;
	*b = c;
}

static void sift_down(struct event_merge *story, size_t at)
{
	for (;;) {
		size_t least = at;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < story->n; child++)
			if (is_before(&story->heap[child], &story->heap[least]))
				least = child;
		if (least == at)
			return;
		swap(&story->heap[at], &story->heap[least]);
		at = least;
	}
}

static void add(struct event_merge *story, struct event_merge_source source)
{
	size_t at = story->n++;

	ARRAY_ROOM(story->heap, at, story->size, 64);
	source.order = story->order++ | (source.kind == SOURCE_END ? LAST : 0);
	story->heap[at] = source;
	if (source.process)
		source.process->n_sources++;
	for (; at && is_before(&story->heap[at], &story->heap[(at - 1) / 2]); at = (at - 1) / 2)
		swap(&story->heap[at], &story->heap[(at - 1) / 2]);
}

static void process_leave(struct event_merge_process *process)
{
	if (!process || --process->n_sources)
		return;
	names_release(&process->names);
	free(process->verdicts);
	for (size_t i = 0; process->thread_names && i < process->data.n_threads; i++)
		free(process->thread_names[i]);
	free(process->thread_names);
	data_release(&process->data);
	free(process);
}

const char *event_merge_thread_name(struct event_merge_process *process, const struct data_thread *thread)
{
	const char *exe = data_property(&process->data, "exe");
	size_t i = (size_t)(thread - process->data.threads);

	if (!process->thread_names)
		process->thread_names = xcalloc(process->data.n_threads, sizeof(*process->thread_names));
	if (!process->thread_names[i])
		process->thread_names[i] = thread_shown_name(&process->names, &process->data, thread);
	return *process->thread_names[i] || !exe ? process->thread_names[i] : util_basename(exe);
}

/* Takes the first source off the heap; its process stays until process_leave(). */
static struct event_merge_source take(struct event_merge *story)
{
	struct event_merge_source source = story->heap[0];

	story->heap[0] = story->heap[--story->n];
	sift_down(story, 0);
	return source;
}

/* ---- sources --------------------------------------------------------------------------------- */

static long double moment(const struct event_merge *story, const struct event_merge_process *process,
			  uint64_t ticks)
{
	return session_clock_ns(selection_clock(story->selection), process->data.header, ticks);
}

static void add_marks(struct event_merge *story, struct event_merge_process *process, size_t number)
{
	const struct data *data = &process->data;

	while (number < data->n_marks && data->marks[number].ticks < process->from_ticks)
		number++;
	if (number < data->n_marks && data->marks[number].ticks < process->to_ticks)
		add(story,
		    (struct event_merge_source){ .kind = SOURCE_MARKS,
						 .ns = moment(story, process, data->marks[number].ticks),
						 .number = number,
						 .process = process });
}

/* The process's last moment, as far as it is known. */
static uint64_t last_ticks(const struct data *data)
{
	uint64_t last = data->header->clock_ticks[2];

	for (size_t i = 0; i < data->n_threads; i++)
		if (data->threads[i].state->time > last)
			last = data->threads[i].state->time;
	return last;
}

static void add_parts(struct event_merge *story, struct event_merge_process *process)
{
	const struct data *data = &process->data;
	uint64_t last = last_ticks(data);

	for (size_t i = 0; i < data->n_threads; i++) {
		uint64_t first = data->threads[i].record->first_ticks;

		if (first < process->to_ticks && data->threads[i].state->time >= process->from_ticks)
			add(story, (struct event_merge_source){ .kind = SOURCE_THREAD,
								.ns = moment(story, process, first),
								.number = i,
								.process = process });
	}
	add_marks(story, process, 0);
	if (last >= process->from_ticks && last < process->to_ticks)
		add(story, (struct event_merge_source){ .kind = SOURCE_END,
							.ns = moment(story, process, last),
							.process = process });
}

/* Reads a process. 1: *event is its begin. */
static int begin_process(struct event_merge *story, const struct event_merge_source *source,
			 struct merged_event *event)
{
	struct event_merge_process *process = xcalloc(1, sizeof(*process));
	const struct cinstr_header *h;
	int is_left, known;

	if (selection_open_one(story->selection, story->input, source->number, &process->data, &is_left))
		story->status = STATUS_DATA;
	process->n_sources = 1;
	if (!is_left) {
		process_leave(process);
		return 0;
	}
	h = process->data.header;
	story->n_with_timeline += h->timeline_mode != 0;
	process->ns_per_tick = data_ns_per_tick(&process->data, &known);
	selection_range(story->selection, &process->data, &process->from_ticks, &process->to_ticks);
	if (h->timeline_mode && h->timeline_min_ns > story->short_ns)
		story->short_ns = h->timeline_min_ns;
	add_parts(story, process);
	*event = (struct merged_event){ .what = { .kind = STREAM_PROCESS_BEGIN },
					.ns = source->ns,
					.process = process };
	story->n_visited += process->n_sources > 1;
	return session_clock_ticks(selection_clock(story->selection), h, source->ns) >= process->from_ticks &&
	       process->n_sources > 1;
}

static void trace_forget(struct event_merge_source *source)
{
	stream_release(source->trace);
	free(source->trace);
	source->trace = NULL;
}

/* Puts the trace back with what it tells next. */
static void go_on(struct event_merge *story, struct event_merge_source source)
{
	if (!stream_next(source.trace, &source.next) || source.next.ticks >= source.process->to_ticks) {
		trace_forget(&source);
		return;
	}
	source.kind = SOURCE_TRACE;
	source.ns = moment(story, source.process, source.next.ticks);
	add(story, source);
}

static void begin_thread(struct event_merge *story, struct event_merge_source source)
{
	struct event_merge_process *process = source.process;
	const struct data_thread *thread = &process->data.threads[source.number];

	if (!process->data.header->timeline_mode)
		return;
	source.trace = xcalloc(1, sizeof(*source.trace));
	if (stream_open(source.trace, &process->data, thread, process->from_ticks,
			stream_ticks_least(story->min_ns, process->ns_per_tick))) {
		error("%s: the timeline of thread %u cannot be read", util_shown(process->data.path),
		      thread->record->tid);
		story->status = STATUS_DATA;
		trace_forget(&source);
		return;
	}
	go_on(story, source);
}

int event_merge_open(struct event_merge *story, const struct selection *selection, struct session *input,
		     uint64_t min_ns)
{
	*story = (struct event_merge){ .selection = selection, .input = input, .min_ns = min_ns };
	story->status = selection_begin(selection, input);
	if (story->status)
		return story->status;
	for (size_t i = 0; i < input->n_files; i++) {
		struct cinstr_header header;
		struct event_merge_source source = { .kind = SOURCE_FILE, .number = i };

		if (!session_header(input->files[i], &header)) {
			uint64_t begin = header.clock_ticks[header.forked && header.clock_ticks[1] ? 1 : 0];

			source.ns = session_clock_ns(selection_clock(selection), &header, begin);
		}
		add(story, source);
	}
	return STATUS_OK;
}

/* What the source tells; 1: something. It goes on by itself. */
static int tell(struct event_merge *story, struct event_merge_source *source, struct merged_event *event)
{
	*event = (struct merged_event){ .ns = source->ns, .process = source->process };
	switch (source->kind) {
	case SOURCE_FILE:
		return begin_process(story, source, event);
	case SOURCE_THREAD:
		begin_thread(story, *source);
		return 0;
	case SOURCE_TRACE:
		event->what = source->next;
		event->thread = &source->process->data.threads[source->number];
		go_on(story, *source);
		return 1;
	case SOURCE_MARKS:
		event->mark = &source->process->data.marks[source->number];
		event->what = (struct stream_event){ .kind = STREAM_MARK, .ticks = event->mark->ticks };
		for (size_t i = 0; i < source->process->data.n_threads; i++)
			if (source->process->data.threads[i].record->tid == event->mark->tid)
				event->thread = &source->process->data.threads[i];
		add_marks(story, source->process, source->number + 1);
		return 1;
	case SOURCE_END:
		event->what.kind = STREAM_PROCESS_END;
		return 1;
	}
	return 0;
}

int event_merge_next(struct event_merge *story, struct merged_event *event)
{
	while (story->n) {
		struct event_merge_source source;
		int told;

		/* The last one told may have needed its process until now. */
		process_leave(story->leaving);
		story->leaving = NULL;
		source = take(story);
		told = tell(story, &source, event);
		story->leaving = event->process;
		if (told)
			return 1;
	}
	process_leave(story->leaving);
	story->leaving = NULL;
	return 0;
}

void event_merge_release(struct event_merge *story)
{
	process_leave(story->leaving);
	while (story->n) {
		struct event_merge_source source = take(story);

		if (source.trace)
			trace_forget(&source);
		process_leave(source.process);
	}
	free(story->heap);
	*story = (struct event_merge){ 0 };
}
