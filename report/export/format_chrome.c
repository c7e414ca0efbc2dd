/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_chrome.c - the timeline as a trace of Chrome: JSON with a begin and an end for each call.
 * Slices, categories and arguments as in format_perfetto.c.
 *
 * Times are microseconds, with the nanoseconds behind the point. Begins and ends are events of
 * their own, in order of time, rather than one with a duration: readers add that to the begin as a
 * floating-point number, and calls that end together would not. Readers sort events by time, and
 * take a begin before an end, or the end first: events of one nanosecond of a thread lie a
 * picosecond apart.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export_events.h"
#include "json_text.h"

#define BYTES_A_RECORD 55 /* about: 72 of C++, whose names are longer */
#define NS_PER_US 1000

struct chrome {
	struct export_events *events;
	struct sink *sink;
	struct json_names names;
	const char *separator;
};

static const char *const categories[] = {
	[STEP_WAITING] = "waiting", [STEP_PAUSED] = "paused", [STEP_MISSING] = "missing", [STEP_MARK] = "mark"
};

static void open_event(struct chrome *c, const char *phase, uint64_t pid, uint64_t tid)
{
	sink_puts(c->sink, c->separator);
	sink_puts(c->sink, "{\"ph\":\"");
	sink_puts(c->sink, phase);
	sink_puts(c->sink, "\",\"pid\":");
	sink_number(c->sink, pid);
	sink_puts(c->sink, ",\"tid\":");
	sink_number(c->sink, tid);
	c->separator = ",\n";
}

static void put_time(struct chrome *c, const struct event_step *step)
{
	char digits[16];
	size_t n = (size_t)snprintf(digits, sizeof(digits), ".%03u%03u", (unsigned)(step->ns % NS_PER_US),
				    step->n_same);

	while (digits[n - 1] == '0')
		n--;
	sink_puts(c->sink, ",\"ts\":");
	sink_number(c->sink, step->ns / NS_PER_US);
	if (n > 1)
		sink_bytes(c->sink, digits, n);
}

/* What a process or a thread is called. */
static void put_fact(struct chrome *c, const struct event_process *process, uint32_t tid, const char *fact,
		     const char *key, const char *name)
{
	open_event(c, "M", process->track, tid);
	sink_puts(c->sink, ",\"ts\":0,\"name\":\"");
	sink_puts(c->sink, fact);
	sink_puts(c->sink, "\",\"args\":{\"");
	sink_puts(c->sink, key);
	sink_puts(c->sink, "\":");
	json_put(c->sink, name);
	sink_puts(c->sink, "}}");
}

static void process_put(void *arg, const struct event_process *process)
{
	struct chrome *c = arg;

	put_fact(c, process, process->track, "process_name", "name", process->title);
	if (*process->command_line)
		put_fact(c, process, process->track, "process_labels", "labels", process->command_line);
}

static uint32_t tid_of(const struct event_lane *lane)
{
	return lane->tid ? lane->tid : lane->process->track;
}

static void lane_begin(void *arg, const struct event_lane *lane)
{
	if (lane->tid)
		put_fact(arg, lane->process, lane->tid, "thread_name", "name", lane->name);
}

/* A tail call has a second category, not an argument: speedscope takes arguments for parts of
 * names. */
static void put_category(struct chrome *c, const struct event_step *step, const struct entity *entity)
{
	STRBUF(text);

	strbuf_puts(&text, step->what == STEP_CALL ? util_basename(entity->module) : categories[step->what]);
	if (step->is_jump)
		strbuf_puts(&text, ",tail-call");
	sink_puts(c->sink, ",\"cat\":");
	json_put(c->sink, text.text);
}

static void step_put(void *arg, const struct event_lane *lane, const struct event_step *step)
{
	struct chrome *c = arg;
	const struct entity *entity = &c->events->profile.names->list[step->entity];
	static const char *const phases[] = { [STEP_BEGIN] = "B", [STEP_END] = "E", [STEP_INSTANT] = "i" };

	open_event(c, phases[step->kind], lane->process->track, tid_of(lane));
	put_time(c, step);
	sink_puts(c->sink, ",\"name\":");
	if (step->text)
		json_put(c->sink, step->text);
	else
		json_put_name(c->sink, &c->names, step->entity, entity->name);
	if (step->kind != STEP_END) {
		put_category(c, step, entity);
	} else if (events_step_is_unlike(step)) {
		sink_puts(c->sink, ",\"args\":{\"duration_ns\":");
		sink_number(c->sink, step->duration_ns);
		sink_puts(c->sink, "}");
	}
	sink_puts(c->sink,
		  step->kind == STEP_INSTANT ? (lane->tid ? ",\"s\":\"t\"}" : ",\"s\":\"p\"}") : "}");
}

static const struct event_writer writer = { process_put, lane_begin, step_put, NULL };

static int tell(struct export_events *events)
{
	struct chrome c = { .events = events, .sink = &events->job->sink, .separator = "\n" };
	int status;

	sink_puts(c.sink, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	status = export_events_tell(events, &writer, &c);
	sink_puts(c.sink, "\n]}\n");
	json_names_release(&c.names);
	return status;
}

static int write_chrome(struct export_job *job)
{
	return export_events_write(job, BYTES_A_RECORD, tell);
}

const struct export_format export_chrome = {
	.name = "chrome",
	.extension = ".json",
	.needs = EXPORT_TIMELINE,
	.most = 250000000,
	.write = write_chrome,
};
