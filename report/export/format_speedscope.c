/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_speedscope.c - for speedscope.app. Of a session with a timeline a profile for each thread,
 * with its calls as they were; else, or if measures are asked for, call paths: a profile for each
 * thread and measure.
 *
 * Paths are written as stacks with weights. Where that would be much larger, as stacks are very
 * deep, as begins and ends, in the order of the tree, at times that are sums of values: speedscope
 * shows both alike. What it calls a frame is a function; all stand at the end, as they are known
 * then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export_events.h"
#include "export_tree.h"
#include "json_text.h"
#include "lib/array.h"
#include "lib/progress.h"

#define BYTES_A_RECORD 23 /* of a timeline, about */
#define BYTES_A_NODE 76	  /* a begin and an end, about */
#define BYTES_A_FRAME 7	  /* its number in a stack, about */
#define BYTES_A_WEIGHT 12
#define HAS_MOST 3 /* measures */

/* Functions get numbers as they come. */
struct frames {
	uint32_t *number; /* by entity: + 1; 0: none yet */
	size_t n_number;
	uint32_t *entities;
	size_t n, size;
};

static uint32_t frame_of(struct frames *frames, uint32_t entity)
{
	ARRAY_REACH_ZEROED(frames->number, entity, frames->n_number);
	if (!frames->number[entity]) {
		ARRAY_ROOM(frames->entities, frames->n, frames->size, 256);
		frames->entities[frames->n++] = entity;
		frames->number[entity] = (uint32_t)frames->n;
	}
	return frames->number[entity] - 1;
}

static void put_frame(struct sink *sink, const struct entity *entity)
{
	sink_puts(sink, "{\"name\":");
	json_put(sink, entity->name);
	if (entity->file) {
		sink_puts(sink, ",\"file\":");
		json_put(sink, entity->file);
	} else if (*entity->module) {
		sink_puts(sink, ",\"file\":");
		json_put(sink, util_basename(entity->module));
	}
	if (entity->file && entity->line) {
		sink_puts(sink, ",\"line\":");
		sink_number(sink, entity->line);
	}
	sink_puts(sink, "}");
}

static void file_begin(struct sink *sink)
{
	sink_puts(sink, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
			"\"exporter\":\"cinstr@" CINSTR_VERSION "\",\n\"profiles\":[");
}

static void file_end(struct sink *sink, struct frames *frames, struct names *names, const char *name,
		     size_t active)
{
	sink_puts(sink, "],\n\"name\":");
	json_put(sink, name);
	sink_puts(sink, ",\"activeProfileIndex\":");
	sink_number(sink, active);
	sink_puts(sink, ",\n\"shared\":{\"frames\":[");
	for (size_t i = 0; i < frames->n; i++) {
		sink_puts(sink, i ? ",\n" : "\n");
		names_resolve(names, frames->entities[i]);
		put_frame(sink, &names->list[frames->entities[i]]);
	}
	sink_puts(sink, "]}}\n");
	free(frames->number);
	free(frames->entities);
}

static void profile_begin(struct sink *sink, const char *type, const char *name, const char *unit,
			  uint64_t from, uint64_t to)
{
	sink_puts(sink, "\n{\"type\":\"");
	sink_puts(sink, type);
	sink_puts(sink, "\",\"name\":");
	json_put(sink, name);
	sink_puts(sink, ",\"unit\":\"");
	sink_puts(sink, unit);
	sink_puts(sink, "\",\"startValue\":");
	sink_number(sink, from);
	sink_puts(sink, ",\"endValue\":");
	sink_number(sink, to);
}

/* thousandths: of the unit, that keep events of one time in their order. */
static void put_event(struct sink *sink, const char *separator, const char *type, uint64_t at,
		      unsigned thousandths, uint32_t frame)
{
	char digits[16];

	sink_puts(sink, separator);
	sink_puts(sink, "{\"type\":\"");
	sink_puts(sink, type);
	sink_puts(sink, "\",\"at\":");
	sink_number(sink, at);
	if (thousandths) {
		snprintf(digits, sizeof(digits), ".%03u", thousandths);
		sink_puts(sink, digits);
	}
	sink_puts(sink, ",\"frame\":");
	sink_number(sink, frame);
	sink_puts(sink, "}");
}

/* ---- a timeline ------------------------------------------------------------------------------ */

struct speedscope {
	struct export_events *events;
	struct sink *sink;
	struct frames frames;
	size_t n_profiles, active;
	uint64_t longest; /* of profiles: number of events */
	uint64_t n_events;
	const char *separator;
};

static void lane_begin(void *arg, const struct event_lane *lane)
{
	struct speedscope *s = arg;
	STRBUF(name);

	if (!lane->tid)
		return;
	strbuf_printf(&name, "%s (pid %s, tid %u)", lane->name, lane->process->shown_number, lane->tid);
	sink_puts(s->sink, s->n_profiles ? "," : "");
	profile_begin(s->sink, "evented", name.text, "nanoseconds", lane->begin_ns, lane->end_ns);
	sink_puts(s->sink, ",\"events\":[");
	s->separator = "\n";
	s->n_events = 0;
}

static void step_put(void *arg, const struct event_lane *lane, const struct event_step *step)
{
	struct speedscope *s = arg;

	if (!lane->tid || step->kind == STEP_INSTANT)
		return;
	put_event(s->sink, s->separator, step->kind == STEP_BEGIN ? "O" : "C", step->ns, step->n_same,
		  frame_of(&s->frames, step->entity));
	s->separator = ",\n";
	s->n_events++;
}

static void lane_end(void *arg, const struct event_lane *lane)
{
	struct speedscope *s = arg;

	if (!lane->tid)
		return;
	sink_puts(s->sink, "]}");
	if (s->n_events > s->longest) {
		s->longest = s->n_events;
		s->active = s->n_profiles;
	}
	s->n_profiles++;
}

static const struct event_writer writer = { NULL, lane_begin, step_put, lane_end };

static int tell(struct export_events *events)
{
	struct speedscope s = { .events = events, .sink = &events->job->sink };
	int status;

	file_begin(s.sink);
	status = export_events_tell(events, &writer, &s);
	file_end(s.sink, &s.frames, events->profile.names, util_basename(events->input.path), s.active);
	return status;
}

/* ---- call paths ------------------------------------------------------------------------------ */

/* Nodes of the tree in preorder. */
struct ordered {
	struct export_job *job;
	struct export_tree tree;
	uint32_t *nodes, *depths;
	size_t n;
	struct frames frames;
	uint32_t *stack; /* nodes, outermost first */
	int is_walk;	 /* begins and ends, in the place of stacks */
};

/* Part of the tree: what one profile is of. */
struct part {
	size_t first, end; /* in ordered.nodes */
	uint32_t base;	   /* depth of its top */
	const char *name;
};

static void put_in_order(struct ordered *o)
{
	const struct export_tree *tree = &o->tree;
	FREED uint32_t *child = xcalloc(tree->n, sizeof(*child)),
		       *sibling = xcalloc(tree->n, sizeof(*sibling));
	uint32_t node = 0, depth = 0;

	o->nodes = xcalloc(tree->n, sizeof(*o->nodes));
	o->depths = xcalloc(tree->n, sizeof(*o->depths));
	o->stack = xcalloc(tree->n, sizeof(*o->stack));
	for (size_t i = tree->n; --i;) {
		sibling[i] = child[tree->nodes[i].parent];
		child[tree->nodes[i].parent] = (uint32_t)i;
	}
	for (node = child[0], depth = 1; node;) {
		o->nodes[o->n] = node;
		o->depths[o->n++] = depth;
		if (child[node]) {
			node = child[node];
			depth++;
			continue;
		}
		while (node && !sibling[node]) {
			node = tree->nodes[node].parent;
			depth--;
		}
		node = sibling[node];
	}
}

static uint64_t value_at(const struct ordered *o, size_t at, unsigned measure)
{
	return tree_values(&o->tree, o->nodes[at])[measure];
}

static uint64_t sum_of(const struct ordered *o, const struct part *part, unsigned measure)
{
	uint64_t sum = 0;

	for (size_t i = part->first; i < part->end; i++)
		sum += value_at(o, i, measure);
	return sum;
}

/* What the thread did, rather than waited: the first one shown is that which did most. */
static uint64_t busy_of(const struct ordered *o, const struct part *part)
{
	int waiting = tree_value_number(&o->tree, MEASURE_WAITING);
	uint64_t whole = sum_of(o, part, 0), waited = waiting > 0 ? sum_of(o, part, (unsigned)waiting) : 0;

	return whole > waited ? whole - waited : 0;
}

static uint32_t frame_at(struct ordered *o, uint32_t node)
{
	return frame_of(&o->frames, tree_item(&o->tree, node)->entity);
}

static void put_samples(struct ordered *o, const struct part *part, unsigned measure)
{
	struct sink *sink = &o->job->sink;
	const char *separator = "\n";

	sink_puts(sink, ",\"samples\":[");
	for (size_t i = part->first; i < part->end && !sink_failed(sink); i++) {
		uint32_t depth = o->depths[i] - part->base;

		o->stack[depth - 1] = o->nodes[i];
		if (!value_at(o, i, measure))
			continue;
		sink_puts(sink, separator);
		for (uint32_t k = 0; k < depth; k++) {
			sink_puts(sink, k ? "," : "[");
			sink_number(sink, frame_at(o, o->stack[k]));
		}
		sink_puts(sink, "]");
		separator = ",\n";
	}
	sink_puts(sink, "],\n\"weights\":[");
	separator = "";
	for (size_t i = part->first; i < part->end; i++) {
		if (!value_at(o, i, measure))
			continue;
		sink_puts(sink, separator);
		sink_number(sink, value_at(o, i, measure));
		separator = ",";
	}
	sink_puts(sink, "]}");
}

/* Only what has a value itself, or below, is opened. */
static void put_walk(struct ordered *o, const struct part *part, unsigned measure)
{
	struct sink *sink = &o->job->sink;
	const char *separator = "\n";
	uint32_t n_open = 0; /* of the stack */
	uint64_t at = 0;

	sink_puts(sink, ",\"events\":[");
	for (size_t i = part->first; i < part->end && !sink_failed(sink); i++) {
		uint32_t depth = o->depths[i] - part->base;

		for (; n_open >= depth; separator = ",\n")
			put_event(sink, separator, "C", at, 0, frame_at(o, o->stack[--n_open]));
		o->stack[depth - 1] = o->nodes[i];
		if (!value_at(o, i, measure))
			continue;
		for (; n_open < depth; separator = ",\n")
			put_event(sink, separator, "O", at, 0, frame_at(o, o->stack[n_open++]));
		at += value_at(o, i, measure);
	}
	while (n_open)
		put_event(sink, ",\n", "C", at, 0, frame_at(o, o->stack[--n_open]));
	sink_puts(sink, "]}");
}

/* Not all of it was timed. */
static const char *bound_of(const struct ordered *o, unsigned measure)
{
	switch (o->tree.choice.measures.list[measure]) {
	case MEASURE_CALLS:
		return o->tree.all_marks & TREE_CALLS_LEAST ? ", at least" : "";
	case MEASURE_ELAPSED:
	case MEASURE_APPLICATION:
	case MEASURE_CPU:
	case MEASURE_COUNT_INSTRUCTIONS:
		return o->tree.all_marks & TREE_ESTIMATE ? ", with estimates" : "";
	default:
		return "";
	}
}

static void put_profile(struct ordered *o, const struct part *part, unsigned measure)
{
	const struct measure_info *info = &measure_infos[o->tree.choice.measures.list[measure]];
	const char *unit = strcmp(info->unit, "nanoseconds") ? "none" : info->unit;
	STRBUF(name);

	strbuf_printf(&name, "%s: %s%s", part->name, info->name, bound_of(o, measure));
	profile_begin(&o->job->sink, o->is_walk ? "evented" : "sampled", name.text, unit, 0,
		      sum_of(o, part, measure));
	if (o->is_walk)
		put_walk(o, part, measure);
	else
		put_samples(o, part, measure);
}

/* The part from node `first` on: all threads, or one of those below the root. */
static struct part part_from(const struct ordered *o, size_t first)
{
	struct part part = { .first = first, .end = o->n, .name = "all threads" };

	if (o->tree.by == EXPORT_BY_ALL)
		return part;
	part.name = tree_entity(&o->tree, o->nodes[first])->name;
	part.base = 1;
	part.end = part.first = first + 1;
	while (part.end < o->n && o->depths[part.end] > 1)
		part.end++;
	return part;
}

static void put_parts(struct ordered *o)
{
	size_t n = 0, active = 0;
	uint64_t most = 0;

	file_begin(&o->job->sink);
	for (size_t first = 0; first < o->n && !sink_failed(&o->job->sink);) {
		struct part part = part_from(o, first);

		for (unsigned k = 0; k < o->tree.n_values && part.end > part.first; k++, n++) {
			sink_puts(&o->job->sink, n ? "," : "");
			put_profile(o, &part, k);
			if (k || busy_of(o, &part) < most)
				continue;
			most = busy_of(o, &part);
			active = n;
		}
		progress_at(part.end);
		first = part.end;
	}
	file_end(&o->job->sink, &o->frames, o->tree.profile.names,
		 o->tree.profile.totals.title ? o->tree.profile.totals.title : "cinstr", active);
}

/* About; and in which of the two ways. */
static uint64_t size_of(struct ordered *o)
{
	uint64_t stacks = 0, walks = 0;

	for (size_t i = 0; i < o->n; i++) {
		walks += BYTES_A_NODE;
		for (unsigned k = 0; k < o->tree.n_values; k++)
			if (value_at(o, i, k))
				stacks += (uint64_t)BYTES_A_FRAME * o->depths[i] + BYTES_A_WEIGHT;
	}
	walks *= o->tree.n_values;
	o->is_walk = walks < stacks / 2;
	return o->is_walk ? walks : stacks;
}

static int write_tree(struct ordered *o)
{
	STRBUF(what);
	uint64_t bytes;
	int status;

	put_in_order(o);
	bytes = size_of(o);
	output_plural(&what, o->n, "call path", "s");
	for (unsigned k = 0; k < o->tree.n_values; k++)
		strbuf_printf(&what, ", %s", measure_infos[o->tree.choice.measures.list[k]].name);
	if (export_begin(o->job, bytes, what.text, &status)) {
		put_parts(o);
		status = export_end(o->job, what.text);
	}
	free(o->nodes);
	free(o->depths);
	free(o->stack);
	return status;
}

static int write_paths(struct export_job *job)
{
	struct ordered o = { .job = job };
	struct tree_choice choice = { 0 };
	int status, wrong;

	if (measures_choose(&choice.measures, job->options.measure, "elapsed,waiting,calls,samples",
			    MEASURES))
		return STATUS_USAGE;
	status = export_tree_read(&o.tree, job, 0, &choice);
	if (status != STATUS_USAGE && o.tree.n > 1) {
		wrong = write_tree(&o);
		status = wrong ? wrong : status;
	}
	export_tree_release(&o.tree);
	return status;
}

static int write_speedscope(struct export_job *job)
{
	if (!job->options.measure && export_has_timeline(job))
		return export_events_write(job, BYTES_A_RECORD, tell);
	return write_paths(job);
}

const struct export_format export_speedscope = {
	.name = "speedscope",
	.extension = ".speedscope.json",
	.opens = "speedscope %s",
	.needs = EXPORT_ANY,
	.takes_counts = 1,
	.by = EXPORT_BY_THREAD,
	.most = 200000000, /* which are 2 GB in the browser */
	.write = write_speedscope,
};
