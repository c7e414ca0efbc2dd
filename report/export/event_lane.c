/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * event_lane.c - see event_lane.h. Each event of the thread's timeline has its depth on the stack:
 * slices deeper than it allows have ended. Every begin thus gets an end, in the right order, even
 * if events are missing.
 */
#include "event_lane.h"

#include <stdlib.h>

#include "lib/array.h"
#include "rows/wait_times.h"
#include "selection/selection_state.h"

#define PAUSED "[recording was off]"
#define MISSING "[events are missing]"
#define LOST "[events were lost]"
#define MARK "[mark]"

enum { NOT_ASKED, SHOWN, NOT_SHOWN };

/* What is open. */
struct slice {
	uint32_t entity, level; /* level: of the call in the timeline */
	enum step_what what;
	int is_jump;
	uint64_t begin_ns;
};

static const struct selection *selection_of(const struct event_telling *t)
{
	return &t->events->job->options.view.selection;
}

static struct names *names_of(const struct event_telling *t)
{
	return t->events->profile.names;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Of the session, and not before what was told last: then slices nest. */
static uint64_t moment(const struct event_telling *t, uint64_t ticks)
{
	long double ns = session_clock_ns(selection_clock(selection_of(t)), t->data->header, ticks);
	uint64_t rounded = ns > 0 ? util_rounded(ns) : 0;

	return rounded > t->last_ns ? rounded : t->last_ns;
}

static void step(struct event_telling *t, const struct event_step *step)
{
	struct event_step told = *step;

	told.n_same = t->n_same = step->ns != t->last_ns ? 0 : t->n_same;
	t->n_same += t->n_same < STEP_SAME_MOST;
	t->last_ns = step->ns;
	if (t->events->writer->step)
		t->events->writer->step(t->events->arg, t->lane, &told);
}

static void begin(struct event_telling *t, const struct slice *slice)
{
	step(t, &(struct event_step){ .kind = STEP_BEGIN,
				      .what = slice->what,
				      .entity = slice->entity,
				      .depth = (uint32_t)t->depth,
				      .is_jump = slice->is_jump,
				      .ns = slice->begin_ns,
				      .begin_ns = slice->begin_ns,
				      .duration_ns = STEP_UNKNOWN });
	ARRAY_ROOM(t->stack, t->depth, t->size, 64);
	t->stack[t->depth++] = *slice;
	t->events->calls += slice->what == STEP_CALL;
}

static void end(struct event_telling *t, uint64_t ns, uint64_t duration_ns)
{
	const struct slice *slice = &t->stack[--t->depth];

	step(t, &(struct event_step){ .kind = STEP_END,
				      .what = slice->what,
				      .entity = slice->entity,
				      .depth = (uint32_t)t->depth,
				      .ns = ns,
				      .begin_ns = slice->begin_ns,
				      .duration_ns = duration_ns });
}

/* All that stands at this level of the timeline's stack, or deeper, is over. */
static void end_from(struct event_telling *t, uint32_t level, uint64_t ns)
{
	while (t->depth && t->stack[t->depth - 1].level >= level) {
		t->events->not_ended += t->stack[t->depth - 1].what == STEP_CALL;
		end(t, ns, STEP_UNKNOWN);
	}
}

static void whole(struct event_telling *t, enum step_what what, uint32_t entity, uint64_t from_ns,
		  uint64_t to_ns)
{
	begin(t, &(struct slice){ entity, 0, what, 0, from_ns > t->last_ns ? from_ns : t->last_ns });
	end(t, to_ns, STEP_UNKNOWN);
}

static void instant(struct event_telling *t, enum step_what what, const char *name, const char *text,
		    uint64_t ns)
{
	step(t, &(struct event_step){ .kind = STEP_INSTANT,
				      .what = what,
				      .entity = names_made_up(names_of(t), name),
				      .text = text,
				      .depth = (uint32_t)t->depth,
				      .ns = ns,
				      .begin_ns = ns,
				      .duration_ns = STEP_UNKNOWN });
}

/* ---- what is shown --------------------------------------------------------------------------- */

static uint32_t entity_of(const struct event_telling *t, const struct stream_function *function)
{
	struct cinstr_cell cell = stream_cell(function);

	return names_of_cell(names_of(t), t->data, &cell);
}

/* Within the system's code, and not right below the program's (just_my_code.h). */
static int is_inner(const struct event_telling *t, const struct stream_event *event, uint32_t entity)
{
	struct system_code *code = &selection_of(t)->state->system_code;
	uint32_t caller;

	if (!selection_of(t)->just_my_code || !event->caller.tag)
		return 0;
	caller = entity_of(t, &event->caller);
	return caller != NAMES_NONE && system_code_has(code, &names_of(t)->list[entity]) &&
	       system_code_has(code, &names_of(t)->list[caller]);
}

/* Whether --function and --module take it; each function is asked once. */
static int is_chosen(const struct event_telling *t, uint32_t entity)
{
	struct export_events *events = t->events;
	const struct selection *selection = selection_of(t);

	if (!selection->functions && !selection->modules)
		return 1;
	ARRAY_REACH_ZEROED(events->verdicts, entity, events->n_verdicts);
	if (events->verdicts[entity] == NOT_ASKED)
		events->verdicts[entity] =
			selection_of_entity(selection, &names_of(t)->list[entity]) == GLOBS_TAKEN ? SHOWN
												  : NOT_SHOWN;
	return events->verdicts[entity] == SHOWN;
}

static int is_shown(const struct event_telling *t, const struct stream_event *event, uint32_t entity)
{
	return event->depth <= t->events->max_depth && entity != NAMES_NONE && is_chosen(t, entity) &&
	       !is_inner(t, event, entity);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* The interval that ends with the event had the thread off the processor. */
static void tell_wait(struct event_telling *t, const struct stream_event *event, uint64_t ns)
{
	uint64_t off_ns = util_rounded((long double)event->off_cpu_ticks * t->ns_per_tick);
	uint32_t entity;

	if (!off_ns || off_ns < t->events->min_ns ||
	    (!t->depth && (selection_of(t)->functions || selection_of(t)->modules)))
		return;
	entity = names_made_up(names_of(t), wait_names[wait_kind_of(event->os_bits)]);
	whole(t, STEP_WAITING, entity, ns > off_ns ? ns - off_ns : 0, ns);
	t->events->waits++;
}

static void tell_begin(struct event_telling *t, const struct stream_event *event, uint64_t ns)
{
	uint32_t entity = entity_of(t, &event->function);
	struct cinstr_cell cell = stream_cell(&event->function);

	end_from(t, event->depth, ns);
	if (is_shown(t, event, entity))
		begin(t, &(struct slice){ entity, event->depth, STEP_CALL, data_cell_is_jump(t->data, &cell),
					  ns });
}

static void tell_end(struct event_telling *t, const struct stream_event *event, uint64_t ns)
{
	uint64_t duration = event->duration_ticks == UINT64_MAX
				    ? STEP_UNKNOWN
				    : util_rounded((long double)event->duration_ticks * t->ns_per_tick);

	end_from(t, event->depth + 1, ns);
	if (t->depth && t->stack[t->depth - 1].level == event->depth)
		end(t, ns, duration);
}

static void tell_pause(struct event_telling *t, const struct stream_event *event, uint64_t ns)
{
	uint32_t entity = names_made_up(names_of(t), PAUSED);

	end_from(t, event->depth + 1, ns);
	begin(t, &(struct slice){ entity, event->depth + 1, STEP_PAUSED, 0, ns });
}

/* Of a pause that began before what is told (--from), too. */
static void tell_continue(struct event_telling *t, const struct stream_event *event, uint64_t ns)
{
	uint64_t off_ns = util_rounded((long double)event->duration_ticks * t->ns_per_tick);

	if (t->depth && t->stack[t->depth - 1].what == STEP_PAUSED)
		end(t, ns, STEP_UNKNOWN);
	else if (event->duration_ticks)
		whole(t, STEP_PAUSED, names_made_up(names_of(t), PAUSED), ns > off_ns ? ns - off_ns : 0, ns);
}

/* What was open is not known any more. */
static void tell_missing(struct event_telling *t, const struct stream_event *event, uint64_t ns)
{
	uint64_t gap_ns = util_rounded((long double)event->duration_ticks * t->ns_per_tick);
	uint64_t from_ns = ns > gap_ns ? ns - gap_ns : 0;

	end_from(t, 0, from_ns > t->last_ns ? from_ns : t->last_ns);
	if (event->duration_ticks)
		whole(t, STEP_MISSING, names_made_up(names_of(t), MISSING), from_ns, ns);
	else
		instant(t, STEP_MISSING, MISSING, MISSING, ns);
}

static void tell_event(struct event_telling *t, const struct stream_event *event)
{
	uint64_t ns = moment(t, event->ticks);

	if (event->off_cpu_ticks)
		tell_wait(t, event, ns);
	switch (event->kind) {
	case STREAM_ENTER:
	case STREAM_CALL:
	case STREAM_RUNNING:
		tell_begin(t, event, ns);
		break;
	case STREAM_EXIT:
	case STREAM_IMPLICIT_EXIT:
	case STREAM_RETURN:
	case STREAM_IMPLICIT_RETURN:
		tell_end(t, event, ns);
		break;
	case STREAM_PAUSE:
		tell_pause(t, event, ns);
		break;
	case STREAM_CONTINUE:
		tell_continue(t, event, ns);
		break;
	case STREAM_LOST:
		instant(t, STEP_MISSING, LOST, LOST, ns);
		break;
	case STREAM_MISSING:
		tell_missing(t, event, ns);
		break;
	default:
		break;
	}
}

/* ---- marks ----------------------------------------------------------------------------------- */

static void tell_mark(struct event_telling *t, const struct data_mark *mark)
{
	uint64_t ns = moment(t, mark->ticks);
	STRBUF(text);

	strbuf_puts(&text, mark->text);
	if (mark->id)
		strbuf_printf(&text, "%s(%lld)", *mark->text ? " " : "", (long long)mark->id);
	instant(t, STEP_MARK, MARK, text.length ? text.text : MARK, ns);
	t->events->marks++;
}

/* The thread's, that come before `ticks`. */
static void tell_marks(struct event_telling *t, uint64_t ticks)
{
	const struct data *data = t->data;

	for (; t->first_mark < data->n_marks && data->marks[t->first_mark].ticks < ticks; t->first_mark++)
		if (data->marks[t->first_mark].tid == t->lane->tid)
			tell_mark(t, &data->marks[t->first_mark]);
}

static void skip_marks(struct event_telling *t, uint64_t from_ticks)
{
	while (t->first_mark < t->data->n_marks && t->data->marks[t->first_mark].ticks < from_ticks)
		t->first_mark++;
}

static int has_thread(const struct data *data, uint32_t tid)
{
	for (size_t i = 0; i < data->n_threads; i++)
		if (data->threads[i].record->tid == tid)
			return data->header->timeline_mode != 0;
	return 0;
}

int event_lane_tell_marks(struct event_telling *t)
{
	const struct event_writer *writer = t->events->writer;
	uint64_t from_ticks, to_ticks;
	int is_begun = 0;

	selection_range(selection_of(t), t->data, &from_ticks, &to_ticks);
	for (size_t i = 0; i < t->data->n_marks; i++) {
		const struct data_mark *mark = &t->data->marks[i];

		if (has_thread(t->data, mark->tid) || mark->ticks < from_ticks || mark->ticks >= to_ticks)
			continue;
		if (!is_begun && writer->lane_begin)
			writer->lane_begin(t->events->arg, t->lane);
		is_begun = 1;
		tell_mark(t, mark);
	}
	if (is_begun && writer->lane_end)
		writer->lane_end(t->events->arg, t->lane);
	return is_begun;
}

/* ---- a thread -------------------------------------------------------------------------------- */

/* What was open when the range of time begins. */
static void begin_open(struct event_telling *t, const struct event_stream *trace)
{
	struct stream_event event = { .kind = STREAM_RUNNING };

	for (size_t i = 0; i < trace->depth; i++) {
		const struct cinstr_cell *cell = replay_cell(&trace->replay, trace->stack[i].cell);

		event.caller = event.function;
		event.function = (struct stream_function){ cell->func, cell->site,
							   CINSTR_CELL_KIND(cell->tag), cell->last_exit };
		event.depth = (uint32_t)i + 1;
		tell_begin(t, &event, t->last_ns);
	}
}

static void tell_all(struct event_telling *t, struct event_stream *trace, uint64_t to_ticks)
{
	struct stream_event event;

	while (!sink_failed(&t->events->job->sink) && stream_next(trace, &event)) {
		if (event.ticks >= to_ticks)
			break;
		tell_marks(t, event.ticks);
		tell_event(t, &event);
	}
}

static void say_unreadable(struct event_telling *t, const struct data_thread *thread)
{
	error("%s: the timeline of thread %u cannot be read", util_shown(t->data->path), thread->record->tid);
	t->events->status = STATUS_DATA;
}

void event_lane_tell(struct event_telling *t, const struct data_thread *thread, uint64_t from_ticks,
		     uint64_t to_ticks)
{
	const struct event_writer *writer = t->events->writer;
	uint64_t first = thread->record->first_ticks, last = thread->state->time, min_ticks;
	struct event_stream trace;
	int known;

	t->ns_per_tick = data_ns_per_tick(t->data, &known);
	min_ticks = stream_ticks_least(t->events->min_ns, t->ns_per_tick);
	if (stream_open(&trace, t->data, thread, from_ticks, min_ticks)) {
		stream_release(&trace);
		say_unreadable(t, thread);
		return;
	}
	t->last_ns = t->lane->begin_ns = moment(t, first > from_ticks ? first : from_ticks);
	t->lane->end_ns = moment(t, last < to_ticks ? last : to_ticks);
	if (writer->lane_begin)
		writer->lane_begin(t->events->arg, t->lane);
	skip_marks(t, from_ticks);
	if (from_ticks > first)
		begin_open(t, &trace);
	tell_all(t, &trace, to_ticks);
	tell_marks(t, to_ticks);
	if (t->lane->end_ns < t->last_ns)
		t->lane->end_ns = t->last_ns;
	end_from(t, 0, t->lane->end_ns);
	if (writer->lane_end)
		writer->lane_end(t->events->arg, t->lane);
	stream_release(&trace);
	free(t->stack);
}
