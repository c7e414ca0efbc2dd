/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_perfetto.c - the timeline as a trace for Perfetto: TrackEvent packets, each thread a
 * sequence of its own, in which times are differences and names are numbers told once.
 *
 * A call is a slice, whose category is its module; waiting, pauses and gaps are slices of the
 * categories below, marks are instants. A slice is as long as it was in the world. Where that is
 * not what cinstr timeline calls the call's duration, because the probes' own work or a pause is
 * within it, it has an argument duration_ns.
 *
 * Field numbers: protos/perfetto/trace/ in Perfetto's source; testsuite/viewers has those that are
 * used.
 */
#include <stdlib.h>
#include <string.h>

#include "export_events.h"
#include "lib/array.h"
#include "protobuf.h"

#define BYTES_A_RECORD 9  /* about */
#define SEQUENCE_OF_ALL 1 /* what is of no thread */
#define IID_WAITING 1
#define IID_PAUSED 2
#define IID_MISSING 3
#define IID_MARK 4
#define IID_MODULES 5 /* and more: numbers of modules */
#define IID_DURATION 1
#define IID_TAIL_CALL 2

enum { CLOCK_REALTIME_ID = 1, CLOCK_BOOTTIME_ID = 6, CLOCK_OF_SEQUENCE = 64 };
enum { STATE_IS_NEW = 1, STATE_IS_NEEDED = 2 };

enum trace_field { TRACE_PACKET = 1 };
enum packet_field {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_FLAGS = 13,
	PACKET_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
};
enum snapshot_field { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY = 2 };
enum clock_field { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2, CLOCK_IS_INCREMENTAL = 3 };
enum defaults_field { DEFAULTS_TRACK_EVENT = 11, DEFAULTS_CLOCK = 58 };
enum event_field {
	EVENT_CATEGORY = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
};
enum annotation_field { ANNOTATION_NAME_IID = 1, ANNOTATION_BOOL = 2, ANNOTATION_UINT = 3 };
enum interned_field { INTERNED_CATEGORIES = 1, INTERNED_NAMES = 2, INTERNED_ANNOTATIONS = 3 };
enum name_field { NAME_IID = 1, NAME_TEXT = 2 };
enum track_field { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5 };
enum process_field { PROCESS_PID = 1, PROCESS_COMMAND_LINE = 2, PROCESS_NAME = 6 };
enum thread_field { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

static const uint64_t types[] = { [STEP_BEGIN] = 1, [STEP_END] = 2, [STEP_INSTANT] = 3 };

static const struct {
	uint64_t iid;
	const char *name;
} categories[] = { [STEP_WAITING] = { IID_WAITING, "waiting" },
		   [STEP_PAUSED] = { IID_PAUSED, "paused" },
		   [STEP_MISSING] = { IID_MISSING, "missing" },
		   [STEP_MARK] = { IID_MARK, "mark" } };

struct perfetto {
	struct export_events *events;
	struct sink *sink;
	uint64_t sequence, last_ns; /* of the lane */
	/* lane + 1 in which the number was told last: by entity, by number of the module, and of
	 * annotations */
	uint32_t *named, *in_module, annotated[IID_TAIL_CALL + 1];
	size_t n_named, n_in_module;
	struct strbuf packet, event, interned, inner; /* being made */
};

/* ---- packets --------------------------------------------------------------------------------- */

static void packet_begin(struct perfetto *p)
{
	strbuf_clear(&p->packet);
	strbuf_clear(&p->event);
	strbuf_clear(&p->interned);
}

static void packet_end(struct perfetto *p, uint64_t sequence)
{
	protobuf_number(&p->packet, PACKET_SEQUENCE, sequence);
	strbuf_clear(&p->inner);
	protobuf_message(&p->inner, TRACE_PACKET, &p->packet);
	sink_bytes(p->sink, p->inner.text, p->inner.length);
}

static void put_clock(struct perfetto *p, struct strbuf *snapshot, uint64_t id, uint64_t at)
{
	strbuf_clear(&p->inner);
	protobuf_number(&p->inner, CLOCK_ID, id);
	protobuf_number(&p->inner, CLOCK_TIMESTAMP, at);
	if (id == CLOCK_OF_SEQUENCE)
		protobuf_number(&p->inner, CLOCK_IS_INCREMENTAL, 1);
	protobuf_message(snapshot, SNAPSHOT_CLOCKS, &p->inner);
}

/* The session's begin is 0; and it was at this time of day. */
static void put_clocks(struct perfetto *p)
{
	packet_begin(p);
	put_clock(p, &p->event, CLOCK_BOOTTIME_ID, 0);
	put_clock(p, &p->event, CLOCK_REALTIME_ID, p->events->begin_realtime_ns);
	protobuf_number(&p->event, SNAPSHOT_PRIMARY, CLOCK_BOOTTIME_ID);
	protobuf_message(&p->packet, PACKET_CLOCK_SNAPSHOT, &p->event);
	packet_end(p, SEQUENCE_OF_ALL);
}

/* ---- tracks ---------------------------------------------------------------------------------- */

static uint64_t process_uuid(const struct event_process *process)
{
	return (uint64_t)(process->number + 1) << 32;
}

static uint64_t lane_uuid(const struct event_lane *lane)
{
	return process_uuid(lane->process) + (lane->tid ? lane->number + 1 : 0);
}

static void process_put(void *arg, const struct event_process *process)
{
	struct perfetto *p = arg;

	packet_begin(p);
	strbuf_clear(&p->inner);
	protobuf_number(&p->inner, PROCESS_PID, process->track);
	if (*process->command_line)
		protobuf_text(&p->inner, PROCESS_COMMAND_LINE, process->command_line);
	protobuf_text(&p->inner, PROCESS_NAME, process->title);
	protobuf_number(&p->event, TRACK_UUID, process_uuid(process));
	protobuf_message(&p->event, TRACK_PROCESS, &p->inner);
	protobuf_message(&p->packet, PACKET_TRACK_DESCRIPTOR, &p->event);
	packet_end(p, SEQUENCE_OF_ALL);
}

/* From here on times are differences, and what is not said otherwise is of the lane's track. */
static void sequence_begin(struct perfetto *p, const struct event_lane *lane)
{
	packet_begin(p);
	put_clock(p, &p->event, CLOCK_BOOTTIME_ID, lane->begin_ns);
	put_clock(p, &p->event, CLOCK_OF_SEQUENCE, lane->begin_ns);
	protobuf_message(&p->packet, PACKET_CLOCK_SNAPSHOT, &p->event);
	protobuf_number(&p->packet, PACKET_FLAGS, STATE_IS_NEW);
	strbuf_clear(&p->event);
	strbuf_clear(&p->inner);
	protobuf_number(&p->inner, EVENT_TRACK, lane_uuid(lane));
	protobuf_message(&p->event, DEFAULTS_TRACK_EVENT, &p->inner);
	protobuf_number(&p->event, DEFAULTS_CLOCK, CLOCK_OF_SEQUENCE);
	protobuf_message(&p->packet, PACKET_DEFAULTS, &p->event);
	packet_end(p, p->sequence);
}

static void lane_begin(void *arg, const struct event_lane *lane)
{
	struct perfetto *p = arg;

	p->sequence = SEQUENCE_OF_ALL + 1 + lane->number;
	p->last_ns = lane->begin_ns;
	sequence_begin(p, lane);
	if (!lane->tid)
		return;
	packet_begin(p);
	strbuf_clear(&p->inner);
	protobuf_number(&p->inner, THREAD_PID, lane->process->track);
	protobuf_number(&p->inner, THREAD_TID, lane->tid);
	protobuf_text(&p->inner, THREAD_NAME, lane->name);
	protobuf_number(&p->event, TRACK_UUID, lane_uuid(lane));
	protobuf_number(&p->event, TRACK_PARENT, process_uuid(lane->process));
	protobuf_message(&p->event, TRACK_THREAD, &p->inner);
	protobuf_message(&p->packet, PACKET_TRACK_DESCRIPTOR, &p->event);
	packet_end(p, p->sequence);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void intern(struct perfetto *p, enum interned_field kind, uint64_t iid, const char *name)
{
	strbuf_clear(&p->inner);
	protobuf_number(&p->inner, NAME_IID, iid);
	protobuf_text(&p->inner, NAME_TEXT, name);
	protobuf_message(&p->interned, kind, &p->inner);
}

/* Whether it has not been told in this lane. */
static int is_new(uint32_t **told, size_t *n, uint32_t number, const struct event_lane *lane)
{
	ARRAY_REACH_ZEROED(*told, number, *n);
	if ((*told)[number] == lane->number + 1)
		return 0;
	(*told)[number] = lane->number + 1;
	return 1;
}

static void put_name(struct perfetto *p, const struct event_lane *lane, const struct event_step *step)
{
	const struct entity *entity = &p->events->profile.names->list[step->entity];
	uint64_t category =
		step->what == STEP_CALL ? IID_MODULES + entity->module_number : categories[step->what].iid;

	if (is_new(&p->in_module, &p->n_in_module, (uint32_t)category, lane))
		intern(p, INTERNED_CATEGORIES, category,
		       step->what == STEP_CALL ? util_basename(entity->module) : categories[step->what].name);
	protobuf_number(&p->event, EVENT_CATEGORY, category);
	if (step->text) {
		protobuf_text(&p->event, EVENT_NAME, step->text);
		return;
	}
	if (is_new(&p->named, &p->n_named, step->entity, lane))
		intern(p, INTERNED_NAMES, step->entity + 1, entity->name);
	protobuf_number(&p->event, EVENT_NAME_IID, step->entity + 1);
}

static void put_annotation(struct perfetto *p, const struct event_lane *lane, uint64_t iid, const char *name,
			   enum annotation_field type, uint64_t value)
{
	if (p->annotated[iid] != lane->number + 1)
		intern(p, INTERNED_ANNOTATIONS, iid, name);
	p->annotated[iid] = lane->number + 1;
	strbuf_clear(&p->inner);
	protobuf_number(&p->inner, ANNOTATION_NAME_IID, iid);
	protobuf_number(&p->inner, type, value);
	protobuf_message(&p->event, EVENT_ANNOTATION, &p->inner);
}

static void step_put(void *arg, const struct event_lane *lane, const struct event_step *step)
{
	struct perfetto *p = arg;

	packet_begin(p);
	protobuf_number(&p->packet, PACKET_TIMESTAMP, step->ns - p->last_ns);
	p->last_ns = step->ns;
	protobuf_number(&p->packet, PACKET_FLAGS, STATE_IS_NEEDED);
	protobuf_number(&p->event, EVENT_TYPE, types[step->kind]);
	if (step->kind != STEP_END)
		put_name(p, lane, step);
	else if (events_step_is_unlike(step)) /* which the slice's length does not say */
		put_annotation(p, lane, IID_DURATION, "duration_ns", ANNOTATION_UINT, step->duration_ns);
	if (step->is_jump)
		put_annotation(p, lane, IID_TAIL_CALL, "tail_call", ANNOTATION_BOOL, 1);
	if (p->interned.length)
		protobuf_message(&p->packet, PACKET_INTERNED_DATA, &p->interned);
	protobuf_message(&p->packet, PACKET_TRACK_EVENT, &p->event);
	packet_end(p, p->sequence);
}

static const struct event_writer writer = { process_put, lane_begin, step_put, NULL };

/* ---- all of it ------------------------------------------------------------------------------- */

static int tell(struct export_events *events)
{
	struct perfetto p = { .events = events, .sink = &events->job->sink };
	int status;

	put_clocks(&p);
	status = export_events_tell(events, &writer, &p);
	strbuf_release(&p.packet);
	strbuf_release(&p.event);
	strbuf_release(&p.interned);
	strbuf_release(&p.inner);
	free(p.named);
	free(p.in_module);
	return status;
}

static int write_perfetto(struct export_job *job)
{
	return export_events_write(job, BYTES_A_RECORD, tell);
}

const struct export_format export_perfetto = {
	.name = "perfetto",
	.extension = ".pftrace",
	.needs = EXPORT_TIMELINE,
	.is_binary = 1,
	.most = 500000000,
	.write = write_perfetto,
};
