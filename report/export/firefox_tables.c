/* SPDX-License-Identifier: GPL-3.0-or-later */
/* firefox_tables.c - see firefox_tables.h. The format: its viewer's src/types/profile.ts. */
#include "firefox_tables.h"

#include <stdlib.h>
#include <string.h>

#include "file/samples.h"
#include "json_text.h"
#include "lib/array.h"
#include "names/system_paths.h"

#define NS_PER_MS 1000000
#define RESOURCE_LIBRARY 1

struct firefox_function {
	uint32_t name, module, file, line; /* module, file: number + 1; 0: not known */
};

struct firefox_frame {
	uint32_t function, category, is_jump, line;
};

/* ---- tables ---------------------------------------------------------------------------------- */

void firefox_tables_release(struct firefox_tables *tables)
{
	map_release(&tables->strings);
	map_release(&tables->modules);
	map_release(&tables->files);
	map_release(&tables->function_keys);
	map_release(&tables->frame_keys);
	int_map_release(&tables->stacks);
	free(tables->functions);
	free(tables->frames);
}

static uint32_t number_in(struct map *map, const char *text)
{
	int is_new;

	return (uint32_t)map_add(map, text, strlen(text), &is_new);
}

uint32_t firefox_string(struct firefox_tables *tables, const char *text)
{
	return number_in(&tables->strings, text);
}

/* Modules and files are strings, too. */
static uint32_t number_of_path(struct firefox_tables *tables, struct map *map, const char *path)
{
	if (!path || !*path)
		return 0;
	firefox_string(tables, path);
	return number_in(map, path) + 1;
}

uint32_t firefox_function(struct firefox_tables *tables, const char *name, const char *module,
			  const char *file, uint32_t line)
{
	struct firefox_function function = { .name = firefox_string(tables, name), .line = file ? line : 0 };
	uint32_t number;
	int is_new;

	function.module = number_of_path(tables, &tables->modules, module);
	function.file = number_of_path(tables, &tables->files, file);
	number = (uint32_t)map_add(&tables->function_keys, &function, sizeof(function), &is_new);
	ARRAY_REACH(tables->functions, number, tables->size_functions);
	tables->functions[number] = function;
	return number;
}

uint32_t firefox_frame(struct firefox_tables *tables, uint32_t function, enum firefox_category category,
		       int is_jump, uint32_t line)
{
	struct firefox_frame frame = { function, (uint32_t)category, is_jump != 0, line };
	int is_new;
	uint32_t number = (uint32_t)map_add(&tables->frame_keys, &frame, sizeof(frame), &is_new);

	ARRAY_REACH(tables->frames, number, tables->size_frames);
	tables->frames[number] = frame;
	return number;
}

uint32_t firefox_stack(struct firefox_tables *tables, uint32_t below, uint32_t frame)
{
	int is_new;

	return int_map_add(&tables->stacks, int_map_pair(below + 1, frame), &is_new);
}

enum firefox_category firefox_category_of(const struct entity *entity)
{
	if (!entity->is_function)
		return FIREFOX_OTHER;
	if (!strcmp(entity->module, SAMPLES_KERNEL) || !strcmp(entity->name, SAMPLES_KERNEL))
		return FIREFOX_KERNEL;
	return system_code_is_library(entity->module) ? FIREFOX_SYSTEM : FIREFOX_PROGRAM;
}

/* ---- samples --------------------------------------------------------------------------------- */

void firefox_sample_add(struct firefox_samples *samples, uint32_t stack, uint64_t ns, uint64_t weight)
{
	if (samples->n == samples->size) {
		samples->size = samples->size ? 2 * samples->size : 256;
		samples->stacks = xrealloc(samples->stacks, samples->size, sizeof(*samples->stacks));
		samples->moments = xrealloc(samples->moments, samples->size, sizeof(*samples->moments));
		samples->weights = xrealloc(samples->weights, samples->size, sizeof(*samples->weights));
	}
	samples->stacks[samples->n] = stack;
	samples->moments[samples->n] = ns;
	samples->weights[samples->n++] = weight;
}

void firefox_marker_add(struct firefox_tables *tables, struct firefox_thread *thread, uint64_t ns,
			const char *text)
{
	ARRAY_ROOM(thread->markers, thread->n_markers, thread->size_markers, 16);
	thread->markers[thread->n_markers++] = (struct firefox_marker){ ns, firefox_string(tables, text) };
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_ms(struct sink *sink, uint64_t ns)
{
	char digits[16];
	size_t n = (size_t)snprintf(digits, sizeof(digits), ".%06u", (unsigned)(ns % NS_PER_MS));

	while (digits[n - 1] == '0')
		n--;
	sink_number(sink, ns / NS_PER_MS);
	if (n > 1)
		sink_bytes(sink, digits, n);
}

/* "name":[...], of n values, each put by a statement that knows its number i. */
#define COLUMN(sink, name, n, put) \
	do { \
		sink_puts(sink, ",\"" name "\":["); \
		for (size_t i = 0; i < (n) && !sink_failed(sink); i++) { \
			sink_puts(sink, i ? "," : ""); \
			put; \
		} \
		sink_puts(sink, "]"); \
	} while (0)

static void put_or_null(struct sink *sink, uint64_t number, int is_known)
{
	if (is_known)
		sink_number(sink, number);
	else
		sink_puts(sink, "null");
}

static void table_begin(struct sink *sink, const char *name, size_t n)
{
	sink_puts(sink, ",\n\"");
	sink_puts(sink, name);
	sink_puts(sink, "\":{\"length\":");
	sink_number(sink, n);
}

/* Returns the ns on a processor from sample i - 1 of the thread to sample i. */
static uint64_t computed_before(const struct firefox_tables *t, const struct firefox_samples *s, size_t i)
{
	uint32_t category;

	if (!i || s->stacks[i - 1] == FIREFOX_NONE)
		return 0;
	category = t->frames[(uint32_t)t->stacks.keys[s->stacks[i - 1]]].category;
	return category == FIREFOX_WAITING || category == FIREFOX_PREEMPTED ? 0 : s->weights[i - 1];
}

static void put_samples(struct sink *sink, const struct firefox_thread *thread,
			const struct firefox_tables *tables)
{
	const struct firefox_samples *s = &thread->samples;

	table_begin(sink, "samples", s->n);
	sink_puts(sink, thread->is_count ? ",\"weightType\":\"samples\"" : ",\"weightType\":\"tracing-ms\"");
	COLUMN(sink, "stack", s->n, put_or_null(sink, s->stacks[i], s->stacks[i] != FIREFOX_NONE));
	COLUMN(sink, "time", s->n, put_ms(sink, s->moments[i]));
	if (thread->is_count) {
		COLUMN(sink, "weight", s->n, sink_number(sink, s->weights[i]));
	} else {
		COLUMN(sink, "weight", s->n, put_ms(sink, s->weights[i]));
		COLUMN(sink, "threadCPUDelta", s->n, sink_number(sink, computed_before(tables, s, i)));
	}
	sink_puts(sink, "}");
}

static void put_markers(struct sink *sink, const struct firefox_thread *thread)
{
	const struct firefox_marker *markers = thread->markers;
	size_t n = thread->n_markers;

	table_begin(sink, "markers", n);
	COLUMN(sink, "name", n, sink_number(sink, markers[i].text));
	COLUMN(sink, "startTime", n, put_ms(sink, markers[i].ns));
	COLUMN(sink, "endTime", n, sink_puts(sink, "null"));
	COLUMN(sink, "phase", n, sink_puts(sink, "0"));
	COLUMN(sink, "category", n, sink_puts(sink, "0"));
	COLUMN(sink, "data", n, sink_puts(sink, "{\"type\":\"Mark\"}"));
	sink_puts(sink, "}");
}

void firefox_thread_put(struct sink *sink, struct firefox_thread *thread, const struct firefox_tables *tables,
			int is_first)
{
	sink_puts(sink, is_first ? "\n{\"name\":" : ",\n{\"name\":");
	json_put(sink, thread->name);
	sink_puts(sink, ",\"processName\":");
	json_put(sink, thread->process);
	sink_puts(sink, ",\"pid\":");
	json_put(sink, thread->pid);
	sink_puts(sink, ",\"tid\":");
	sink_number(sink, thread->tid);
	sink_puts(sink, thread->is_main ? ",\"isMainThread\":true" : ",\"isMainThread\":false");
	sink_puts(sink, ",\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
			"\"pausedRanges\":[],\"registerTime\":");
	put_ms(sink, thread->begin_ns);
	sink_puts(sink, ",\"unregisterTime\":");
	put_ms(sink, thread->end_ns);
	put_samples(sink, thread, tables);
	put_markers(sink, thread);
	sink_puts(sink, "}");
	free(thread->samples.stacks);
	free(thread->samples.moments);
	free(thread->samples.weights);
	free(thread->markers);
	*thread = (struct firefox_thread){ 0 };
}

void firefox_begin(struct sink *sink, const struct firefox_meta *meta)
{
#define PUT_CATEGORY(id, name, colour) \
	"{\"name\":\"" name "\",\"color\":\"" colour "\",\"subcategories\":[\"Other\",\"Tail call\"]},"
	static const char categories[] = FIREFOX_CATEGORIES(PUT_CATEGORY);
#undef PUT_CATEGORY

	sink_puts(sink, "{\"meta\":{\"preprocessedProfileVersion\":" FIREFOX_FORMAT ",\"version\":31,"
			"\"importedFrom\":\"cinstr " CINSTR_VERSION "\",\"product\":");
	json_put(sink, meta->product);
	sink_puts(sink, ",\"startTime\":");
	put_ms(sink, meta->start_realtime_ns);
	sink_puts(sink, ",\"interval\":");
	put_ms(sink, meta->interval_ns ? meta->interval_ns : NS_PER_MS);
	sink_puts(sink, ",\"processType\":0,\"stackwalk\":1,\"symbolicated\":true,"
			"\"symbolicationNotSupported\":true,\"usesOnlyOneStackType\":true,"
			"\"sourceCodeIsNotOnSearchfox\":true,\"keepProfileThreadOrder\":true,\n"
			"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},\n"
			"\"markerSchema\":[{\"name\":\"Mark\",\"fields\":[],"
			"\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"]}],\n"
			"\"categories\":[");
	sink_bytes(sink, categories, sizeof(categories) - 2); /* the last comma */
	sink_puts(sink, "]},\n\"libs\":[],\"pages\":[],\n\"threads\":[");
}

static void put_functions(struct sink *sink, const struct firefox_tables *t)
{
	const struct firefox_function *f = t->functions;
	size_t n = t->function_keys.n;

	table_begin(sink, "funcTable", n);
	COLUMN(sink, "name", n, sink_number(sink, f[i].name));
	COLUMN(sink, "isJS", n, sink_puts(sink, "false"));
	COLUMN(sink, "relevantForJS", n, sink_puts(sink, "false"));
	COLUMN(sink, "resource", n, f[i].module ? sink_number(sink, f[i].module - 1) : sink_puts(sink, "-1"));
	COLUMN(sink, "source", n, put_or_null(sink, f[i].file - 1, f[i].file != 0));
	COLUMN(sink, "lineNumber", n, put_or_null(sink, f[i].line, f[i].line != 0));
	COLUMN(sink, "columnNumber", n, sink_puts(sink, "null"));
	sink_puts(sink, "}");
}

static void put_frames(struct sink *sink, const struct firefox_tables *t)
{
	const struct firefox_frame *frames = t->frames;
	size_t n = t->frame_keys.n;

	table_begin(sink, "frameTable", n);
	COLUMN(sink, "func", n, sink_number(sink, frames[i].function));
	COLUMN(sink, "category", n, sink_number(sink, frames[i].category));
	COLUMN(sink, "subcategory", n, sink_number(sink, frames[i].is_jump));
	COLUMN(sink, "line", n, put_or_null(sink, frames[i].line, frames[i].line != 0));
	COLUMN(sink, "column", n, sink_puts(sink, "null"));
	COLUMN(sink, "address", n, sink_puts(sink, "-1"));
	COLUMN(sink, "inlineDepth", n, sink_puts(sink, "0"));
	COLUMN(sink, "nativeSymbol", n, sink_puts(sink, "null"));
	COLUMN(sink, "innerWindowID", n, sink_puts(sink, "null"));
	sink_puts(sink, "}");
}

static void put_stacks(struct sink *sink, const struct firefox_tables *t)
{
	const uint64_t *keys = t->stacks.keys;

	table_begin(sink, "stackTable", t->stacks.n);
	COLUMN(sink, "frame", t->stacks.n, sink_number(sink, (uint32_t)keys[i]));
	COLUMN(sink, "prefix", t->stacks.n, put_or_null(sink, (keys[i] >> 32) - 1, keys[i] >> 32 != 0));
	sink_puts(sink, "}");
}

static uint32_t string_of(const struct firefox_tables *t, const struct map *map, size_t number)
{
	return (uint32_t)map_find(&t->strings, map->keys[number], map->lengths[number]);
}

void firefox_end(struct sink *sink, const struct firefox_tables *t)
{
	size_t n = t->modules.n;

	sink_puts(sink, "],\n\"shared\":{\"stringArray\":[");
	for (size_t i = 0; i < t->strings.n && !sink_failed(sink); i++) {
		sink_puts(sink, i ? ",\n" : "\n");
		json_put(sink, t->strings.keys[i]);
	}
	sink_puts(sink, "]");
	put_stacks(sink, t);
	put_frames(sink, t);
	put_functions(sink, t);
	table_begin(sink, "resourceTable", n);
	COLUMN(sink, "name", n, sink_number(sink, string_of(t, &t->modules, i)));
	COLUMN(sink, "lib", n, sink_puts(sink, "null"));
	COLUMN(sink, "host", n, sink_puts(sink, "null"));
	COLUMN(sink, "type", n, sink_number(sink, RESOURCE_LIBRARY));
	sink_puts(sink, "}");
	n = t->files.n;
	table_begin(sink, "sources", n);
	COLUMN(sink, "uuid", n, sink_puts(sink, "null"));
	COLUMN(sink, "filename", n, sink_number(sink, string_of(t, &t->files, i)));
	sink_puts(sink, "}");
	table_begin(sink, "nativeSymbols", 0);
	sink_puts(sink, ",\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[]}}}\n");
}
