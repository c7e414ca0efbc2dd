/* SPDX-License-Identifier: GPL-3.0-or-later */
/* course_trace.c - adds a thread's timeline to lanes and bins: see course.h. */
#include <stdlib.h>

#include "course.h"
#include "lib/array.h"
#include "selection/event_stream.h"

#define NOT_OPEN UINT64_MAX

/* An open call. */
struct open_call {
	uint64_t begin; /* ns; NOT_OPEN: there is none at this depth */
	uint32_t function, site, flags;
};

struct tracing {
	struct course *course;
	struct data *data;
	size_t thread;
	long double ns_per_tick, begin;
	struct open_call *open; /* by depth, from 0 */
	size_t n_open, size_open;
	long double before; /* ns: the event before */
};

static long double moment(const struct tracing *t, uint64_t ticks)
{
	long double ns = session_clock_ns(selection_clock(t->course->selection), t->data->header, ticks);

	return ns > 0 ? ns : 0;
}

static uint32_t function_of(struct tracing *t, const struct stream_function *function)
{
	struct cinstr_cell cell = stream_cell(function);

	return function->tag ? names_of_cell(t->course->names, t->data, &cell) : NAMES_NONE;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void call_open(struct tracing *t, const struct stream_event *event, uint64_t ns)
{
	size_t depth = event->depth;

	while (t->n_open < depth) {
		ARRAY_ROOM(t->open, t->n_open, t->size_open, 64);
		t->open[t->n_open++].begin = NOT_OPEN;
	}
	t->open[depth - 1] = (struct open_call){
		.begin = ns,
		.function = function_of(t, &event->function),
		.site = event->function.site,
		.flags = event->kind == STREAM_RUNNING ? LANE_WAS_RUNNING : 0,
	};
}

static void call_add(struct tracing *t, size_t depth, struct lane_call *call)
{
	if (call->end < call->begin)
		call->end = call->begin;
	lanes_add(&t->course->lanes, t->thread, depth, call);
}

static void call_close(struct tracing *t, const struct stream_event *event, uint64_t ns)
{
	size_t depth = event->depth - 1;
	struct lane_call call = { .end = ns, .duration = LANE_NOT_KNOWN };

	if (depth < t->n_open && t->open[depth].begin != NOT_OPEN) {
		call.begin = t->open[depth].begin;
		call.flags = t->open[depth].flags;
	} else { /* it was open when the range of time began */
		call.begin = util_rounded(t->begin);
		call.flags = LANE_WAS_RUNNING;
	}
	call.function = function_of(t, &event->function);
	call.site = event->function.site;
	if (event->duration_ticks != UINT64_MAX)
		call.duration = util_rounded((long double)event->duration_ticks * t->ns_per_tick);
	call_add(t, depth, &call);
	t->n_open = depth < t->n_open ? depth : t->n_open;
}

/* What has not returned by then, and is not seen to. */
static void leave_open(struct tracing *t, uint64_t ns)
{
	while (t->n_open) {
		const struct open_call *open = &t->open[--t->n_open];
		struct lane_call call = { .begin = open->begin,
					  .end = ns,
					  .duration = LANE_NOT_KNOWN,
					  .function = open->function,
					  .site = open->site,
					  .flags = open->flags | LANE_IS_OPEN };

		if (open->begin != NOT_OPEN)
			call_add(t, t->n_open, &call);
	}
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Time of the thread between two moments. */
static void time_add(struct tracing *t, enum time_kind kind, long double from, long double to, long double ns)
{
	if (ns > 0)
		bins_add(&t->course->bins, t->thread, kind, (double)from, (double)to, (double)ns);
}

static void time_of(struct tracing *t, const struct stream_event *event, long double now)
{
	long double length = now - t->before, part = 0;
	enum time_kind kind = TIME_OTHER;

	if (event->kind == STREAM_CONTINUE || event->kind == STREAM_MISSING) {
		kind = event->kind == STREAM_CONTINUE ? TIME_PAUSED : TIME_MISSING;
		part = event->duration_ticks == UINT64_MAX
			       ? length
			       : (long double)event->duration_ticks * t->ns_per_tick;
	} else if (event->off_cpu_ticks) {
		uint32_t function =
			stream_ends_call(event->kind) ? function_of(t, &event->function) : NAMES_NONE;

		kind = time_kind_of(event->os_bits, course_known(t->course, function));
		part = (long double)event->off_cpu_ticks * t->ns_per_tick;
	}
	if (length <= 0)
		return;
	if (part > length)
		part = length;
	time_add(t, kind, t->before, now, part);
	time_add(t, TIME_COMPUTING, t->before, now, length - part);
	t->before = now;
}

/* What is open goes on to the recording's end (open_time.h), of which no event tells. */
static void open_go_on(struct tracing *t, const struct open_time *open, uint64_t to)
{
	long double now, length, off;

	if (!t->n_open || open->to <= open->from || open->from >= to)
		return;
	now = moment(t, open->to < to ? open->to : to);
	length = now - t->before;
	if (length <= 0)
		return;
	off = length * (long double)open->off_cpu_ticks / (long double)(open->to - open->from);
	time_add(t, time_kind_of(open->bits, course_known(t->course, t->open[t->n_open - 1].function)),
		 t->before, now, off);
	time_add(t, TIME_COMPUTING, t->before, now, length - off);
	t->before = now;
}

/* ---- a thread -------------------------------------------------------------------------------- */

static void take(struct tracing *t, const struct stream_event *event)
{
	long double now = moment(t, event->ticks);
	long double gap = t->before;

	time_of(t, event, now);
	switch (event->kind) {
	case STREAM_ENTER:
	case STREAM_CALL:
	case STREAM_RUNNING:
		call_open(t, event, util_rounded(now));
		break;
	case STREAM_EXIT:
	case STREAM_IMPLICIT_EXIT:
	case STREAM_RETURN:
	case STREAM_IMPLICIT_RETURN:
		call_close(t, event, util_rounded(now));
		break;
	case STREAM_MISSING:
		t->course->n_gaps++;
		leave_open(t, util_rounded(gap));
		break;
	default:
		break;
	}
}

static uint32_t site_number(struct course *course, const struct data *data, uint32_t code)
{
	const struct module *module = code ? modules_by_code(&data->modules, code) : NULL;
	const struct module_site *site = module ? module_site(module, code) : NULL;
	STRBUF(key);
	const char *file;
	size_t number;
	int is_new;

	if (!site)
		return 0;
	file = site->file
		       ? names_file(course->names, module->functions[site->function].comp_dir, site->file)
		       : entity_told_file(
				 &course->names->list[names_of_function(course->names, module,
									&module->functions[site->function])]);
	strbuf_printf(&key, "%u %s", site->line, file ? file : "");
	number = map_add(&course->site_keys, key.text, key.length, &is_new);
	if (is_new) {
		ARRAY_ONE_MORE(course->sites, number);
		course->sites[number] = (struct course_site){ file, site->line };
		course->n_sites = number + 1;
	}
	return (uint32_t)number + 1;
}

/* The process is at hand only now. */
static void resolve_sites(struct course *course, const struct data *data, size_t thread)
{
	struct lanes *lanes = &course->lanes;

	if (thread >= lanes->n_threads)
		return;
	for (size_t depth = 0; depth < lanes->depths[thread]; depth++) {
		struct lane *lane = &lanes->threads[thread][depth];

		for (size_t i = 0; i < lane->n; i++)
			lane->items[i].longest.site = site_number(course, data, lane->items[i].longest.site);
	}
}

int course_trace(struct course *course, struct data *data, size_t thread,
		 const struct data_thread *data_thread)
{
	struct tracing t = { .course = course, .data = data, .thread = thread };
	struct stream_event event;
	struct event_stream trace;
	uint64_t from, to;
	int known;

	t.ns_per_tick = data_ns_per_tick(data, &known);
	selection_range(course->selection, data, &from, &to);
	if (stream_open(&trace, data, data_thread, from, 0)) {
		stream_release(&trace);
		return -1;
	}
	if (from < data_thread->record->first_ticks)
		from = data_thread->record->first_ticks;
	t.begin = t.before = moment(&t, from);
	while (stream_next(&trace, &event) && event.ticks < to)
		take(&t, &event);
	open_go_on(&t, &data_thread->open_time, to);
	leave_open(&t, util_rounded(t.before));
	stream_release(&trace);
	free(t.open);
	resolve_sites(course, data, thread);
	return 0;
}
