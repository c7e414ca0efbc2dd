/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_pprof.c - profile.proto of pprof, packed by gzip. A sample is a call path with what it has
 * itself; labels tell process, thread and phase. A location is a function and the line that it is
 * at: of the innermost one where the time is, of the others where they called. What the program has
 * counted (cinstr_count()) is in samples of its own, whose locations are functions alone.
 *
 * Written in one pass: samples first, then what they refer to, by numbers that are theirs from the
 * first time they were needed.
 */
#include <stdlib.h>
#include <string.h>

#include "export_delta.h"
#include "export_tree.h"
#include "function_facts.h"
#include "lib/progress.h"
#include "protobuf.h"

/* Numbers of fields. */
enum { SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING_TABLE, TIME_NANOS = 9, DURATION_NANOS };
enum { PERIOD_TYPE = 11, PERIOD, COMMENT, DEFAULT_SAMPLE_TYPE };
enum { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER };
enum { MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_FILE = 5, MAPPING_BUILD_ID, MAPPING_HAS };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE, FUNCTION_LINE };

#define SAMPLE_BYTES 40	  /* of a sample, about, without locations and values */
#define FRAME_BYTES 2	  /* of a location in it */
#define LOCATION_BYTES 60 /* of a location and its function, at most, without their texts */
#define VALUE_BYTES 3
#define LEVELS_MAX 64 /* of inlined functions in a line */
#define HEX_BYTES (2 * sizeof(((struct tree_module *)NULL)->build_id) + 1)

struct writing {
	struct export_job *job;
	struct export_tree *tree;
	struct strbuf message, inner; /* being written */
	struct map strings;	      /* number - 1 */
	struct int_map locations;     /* (entity, place) -> number - 1 */
	struct map functions;	      /* "name\nsystem name\nfile\nline" -> number - 1 */
	struct map counting;	      /* names of functions on paths of counts -> number - 1 */
	struct map counted;	      /* what was counted -> number of its value */
	struct strbuf *labels;	      /* of each origin */
	/* number of the measure of which the processor's time is made; -1: none */
	int samples_value;
	uint64_t interval;		 /* ns */
	uint32_t next;			 /* node from which samples are written */
	uint64_t n_samples, later_bytes; /* written; what these refer to, which is written later */
};

static uint64_t string_of(struct writing *w, const char *text)
{
	int is_new;

	if (!text || !*text)
		return 0;
	return map_add(&w->strings, text, strlen(text), &is_new) + 1;
}

static void put_message(struct writing *w, unsigned field)
{
	STRBUF(whole);

	protobuf_message(&whole, field, &w->message);
	sink_bytes(&w->job->sink, whole.text, whole.length);
	strbuf_clear(&w->message);
}

static void put_number(struct writing *w, unsigned field, uint64_t value)
{
	STRBUF(whole);

	protobuf_number(&whole, field, value);
	sink_bytes(&w->job->sink, whole.text, whole.length);
}

/* What is in w->inner becomes a field of the message. */
static void put_inner(struct writing *w, unsigned field)
{
	protobuf_message(&w->message, field, &w->inner);
	strbuf_clear(&w->inner);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Quotes become apostrophes: pprof of go 1.19 writes labels unchanged into the graph's source. */
static void label_text(struct writing *w, const char *key, const char *text)
{
	char *value;

	if (!text || !*text)
		return;
	value = xstrdup(text);
	for (char *at = value; (at = strchr(at, '"'));)
		*at = '\'';
	protobuf_number(&w->inner, LABEL_KEY, string_of(w, key));
	protobuf_number(&w->inner, LABEL_TEXT, string_of(w, value));
	put_inner(w, SAMPLE_LABEL);
	free(value);
}

static void label_number(struct writing *w, const char *key, uint64_t number)
{
	protobuf_number(&w->inner, LABEL_KEY, string_of(w, key));
	protobuf_number(&w->inner, LABEL_NUMBER, number);
	put_inner(w, SAMPLE_LABEL);
}

static void labels_make(struct writing *w)
{
	w->labels = xcalloc(w->tree->n_origins + 1, sizeof(*w->labels));
	for (size_t i = 0; i < w->tree->n_origins; i++) {
		const struct tree_origin *origin = &w->tree->origins[i];

		label_text(w, "process", origin->process);
		label_text(w, "thread", origin->thread);
		label_text(w, "phase", origin->phase);
		label_number(w, "pid", origin->pid);
		label_number(w, "tid", origin->tid);
		if (origin->twin)
			label_number(w, "twin", origin->twin + 1);
		w->labels[i] = w->message;
		w->message = (struct strbuf){ 0 };
	}
}

static size_t length_of(const char *text)
{
	return text ? strlen(text) : 0;
}

static uint64_t location_of(struct writing *w, uint32_t entity, uint32_t place)
{
	const struct entity *e = &w->tree->profile.names->list[entity];
	int is_new;
	uint32_t number = int_map_add(&w->locations, int_map_pair(entity, place), &is_new);

	if (is_new)
		w->later_bytes += LOCATION_BYTES + strlen(e->name) + length_of(e->assembler) +
				  length_of(e->file) +
				  (place ? length_of(w->tree->places[place].inlined) : 0);
	return number + 1;
}

/* From where the node has its own values outwards; returns the node of the origin, or the root. */
static uint32_t put_stack(struct writing *w, uint32_t node)
{
	const struct export_tree *tree = w->tree;
	const struct tree_item *item = tree_item(tree, node);
	uint32_t place = 0;

	if (item->kind == TREE_LINE) {
		place = item->place;
		node = tree->nodes[node].parent;
		item = tree_item(tree, node);
	}
	while (item->kind == TREE_FUNCTION) {
		protobuf_varint(&w->inner, location_of(w, item->entity, place));
		place = item->place;
		node = tree->nodes[node].parent;
		item = tree_item(tree, node);
	}
	put_inner(w, SAMPLE_LOCATIONS);
	return node;
}

static void put_sample(struct writing *w, uint32_t node, const uint64_t *values)
{
	const struct tree_item *origin = tree_item(w->tree, put_stack(w, node));

	for (unsigned i = 0; i < w->tree->n_values; i++)
		protobuf_varint(&w->inner, values[i]);
	if (w->interval)
		protobuf_varint(&w->inner, values[w->samples_value] * w->interval);
	for (size_t i = 0; i < w->counted.n; i++)
		protobuf_varint(&w->inner, 0);
	put_inner(w, SAMPLE_VALUES);
	if (origin->kind == TREE_ORIGIN)
		strbuf_add(&w->message, w->labels[origin->entity].text, w->labels[origin->entity].length);
	put_message(w, SAMPLE);
	w->n_samples++;
}

/* ---- what the program has counted ------------------------------------------------------------ */

#define COUNTING_FIRST (UINT64_C(1) << 32) /* of the numbers of such locations */

static void counted_make(struct writing *w)
{
	int is_new;

	for (size_t i = 0; i < w->tree->counts.n; i++)
		map_add(&w->counted, w->tree->counts.list[i].name, strlen(w->tree->counts.list[i].name),
			&is_new);
}

/* From the function that has counted outwards. */
static void put_counting_path(struct writing *w, const char *path)
{
	size_t end = strlen(path);
	int is_new;

	while (end) {
		size_t begin = end;

		while (begin && path[begin - 1] != ';')
			begin--;
		protobuf_varint(&w->inner,
				COUNTING_FIRST + map_add(&w->counting, path + begin, end - begin, &is_new));
		end = begin ? begin - 1 : 0;
	}
	put_inner(w, SAMPLE_LOCATIONS);
}

static void put_counts(struct writing *w)
{
	for (size_t i = 0; i < w->tree->counts.n; i++) {
		const struct count_fact *fact = &w->tree->counts.list[i];
		size_t number = map_find(&w->counted, fact->name, strlen(fact->name));

		put_counting_path(w, fact->path);
		for (unsigned k = 0; k < w->tree->n_values + (w->interval != 0); k++)
			protobuf_varint(&w->inner, 0);
		for (size_t k = 0; k < w->counted.n; k++)
			protobuf_varint(&w->inner, k == number ? fact->sum : 0);
		put_inner(w, SAMPLE_VALUES);
		put_message(w, SAMPLE);
	}
}

/* ---- what samples refer to ------------------------------------------------------------------- */

static uint64_t function_of(struct writing *w, const char *name, const char *system_name, const char *file,
			    uint32_t line)
{
	STRBUF(key);
	uint64_t number;
	int is_new;

	strbuf_printf(&key, "%s\n%s\n%s\n%u", name, system_name ? system_name : "", file ? file : "", line);
	number = map_add(&w->functions, key.text, key.length, &is_new) + 1;
	if (!is_new)
		return number;
	protobuf_number(&w->message, FUNCTION_ID, number);
	protobuf_number(&w->message, FUNCTION_NAME, string_of(w, name));
	protobuf_number(&w->message, FUNCTION_SYSTEM_NAME, string_of(w, system_name));
	protobuf_number(&w->message, FUNCTION_FILE, string_of(w, file));
	protobuf_number(&w->message, FUNCTION_LINE, line);
	put_message(w, FUNCTION);
	return number;
}

struct frame {
	uint64_t function;
	uint32_t line;
};

/*
 * "f\tfile\tline\n": f was inlined there. *file: where it is itself, then that place. Returns what
 * is behind it.
 */
static const char *inlined_frame(struct writing *w, const char *level, struct frame *frame, char **file,
				 uint32_t *line)
{
	char *copy = xstrdup(level), *name, *place;
	size_t n;

	copy[strcspn(copy, "\n")] = '\0';
	place = copy + strcspn(copy, "\t");
	place += *place == '\t';
	if (place > copy)
		place[-1] = '\0';
	name = names_full(copy, NULL);
	*frame = (struct frame){ function_of(w, name, copy, *file, 0), *line };
	free(*file);
	n = strcspn(place, "\t");
	*line = place[n] ? (uint32_t)strtoul(place + n + 1, NULL, 10) : 0;
	place[n] = '\0';
	*file = xstrdup(place);
	free(name);
	free(copy);
	level += strcspn(level, "\n");
	return level + (*level == '\n');
}

static void put_location(struct writing *w, uint64_t number, uint32_t entity, uint32_t place)
{
	const struct entity *e = &w->tree->profile.names->list[entity];
	const struct tree_place at =
		place ? w->tree->places[place] : (struct tree_place){ e->file, e->line, NULL };
	const char *levels = at.inlined, *assembler;
	char *file = xstrdup(at.file ? at.file : "");
	struct frame frames[LEVELS_MAX];
	uint32_t line = at.line;
	size_t n = 0, mapping;

	while (levels && *levels && n < LEVELS_MAX - 1)
		levels = inlined_frame(w, levels, &frames[n++], &file, &line);
	/* Readers look for a function's lines in its file: for those of others its first. */
	if (e->file && strcmp(file, e->file))
		line = e->line;
	free(file);
	/* pprof takes a name that is the system's, too, for one to be demangled */
	assembler = e->assembler && strcmp(e->name, e->assembler) ? e->assembler : NULL;
	frames[n++] = (struct frame){ function_of(w, e->name, assembler, e->file, e->line), line };
	protobuf_number(&w->message, LOCATION_ID, number);
	mapping = e->module ? map_find(&w->tree->module_numbers, e->module, strlen(e->module)) : MAP_NONE;
	if (mapping != MAP_NONE)
		protobuf_number(&w->message, LOCATION_MAPPING, mapping + 1);
	for (size_t i = 0; i < n; i++) {
		protobuf_number(&w->inner, LINE_FUNCTION, frames[i].function);
		protobuf_number(&w->inner, LINE_LINE, frames[i].line);
		put_inner(w, LOCATION_LINE);
	}
	put_message(w, LOCATION);
}

static void put_locations(struct writing *w)
{
	for (uint32_t i = 0; i < w->locations.n && !sink_failed(&w->job->sink); i++)
		put_location(w, i + 1, (uint32_t)(w->locations.keys[i] >> 32),
			     (uint32_t)w->locations.keys[i]);
	for (size_t i = 0; i < w->counting.n; i++) {
		uint64_t function = function_of(w, w->counting.keys[i], NULL, NULL, 0);

		protobuf_number(&w->message, LOCATION_ID, COUNTING_FIRST + i);
		protobuf_number(&w->inner, LINE_FUNCTION, function);
		put_inner(w, LOCATION_LINE);
		put_message(w, LOCATION);
	}
}

/*
 * has_...: names and lines are known, so that nobody looks for the file to find them. pprof's page
 * "Source" does all the same. If it is there it wants to disassemble, and shows nothing, as there
 * are no addresses: so the path has no slash before it.
 */
static void put_mappings(struct writing *w)
{
	for (size_t i = 0; i < w->tree->module_numbers.n; i++) {
		const struct tree_module *module = &w->tree->modules[i];
		const char *path = w->tree->module_numbers.keys[i];
		char hex[HEX_BYTES] = "";

		for (uint32_t k = 0; k < module->build_id_bytes; k++)
			snprintf(hex + 2 * k, 3, "%02x", module->build_id[k]);
		protobuf_number(&w->message, MAPPING_ID, i + 1);
		protobuf_number(&w->message, MAPPING_START, module->start);
		protobuf_number(&w->message, MAPPING_LIMIT, module->end);
		protobuf_number(&w->message, MAPPING_FILE, string_of(w, path + strspn(path, "/")));
		protobuf_number(&w->message, MAPPING_BUILD_ID, string_of(w, hex));
		for (unsigned has = 0; has < 4; has++)
			protobuf_number(&w->message, MAPPING_HAS + has, 1);
		put_message(w, MAPPING);
	}
}

/* ---- about all of it ------------------------------------------------------------------------- */

static void put_type(struct writing *w, unsigned field, const char *type, const char *unit)
{
	protobuf_number(&w->message, VALUE_TYPE_TYPE, string_of(w, type));
	protobuf_number(&w->message, VALUE_TYPE_UNIT, string_of(w, unit));
	put_message(w, field);
}

static void put_comment(void *arg, const char *text)
{
	struct writing *w = arg;

	put_number(w, COMMENT, string_of(w, text));
}

static void put_types(struct writing *w)
{
	const struct export_tree *tree = w->tree;

	for (unsigned i = 0; i < tree->n_values; i++) {
		const struct measure_info *info = &measure_infos[tree->choice.measures.list[i]];

		put_type(w, SAMPLE_TYPE, info->name, info->unit);
	}
	if (w->interval)
		put_type(w, SAMPLE_TYPE, "cpu", "nanoseconds");
	for (size_t i = 0; i < w->counted.n; i++)
		put_type(w, SAMPLE_TYPE, w->counted.keys[i], "count");
}

static void put_about(struct writing *w)
{
	const struct export_tree *tree = w->tree;
	const struct totals *totals = &tree->profile.totals;
	const char *by_default = w->interval ? "cpu" : "elapsed";

	if (!w->interval && tree_value_number(tree, MEASURE_ELAPSED) < 0)
		by_default = measure_infos[tree->choice.measures.list[0]].name;
	put_number(w, DEFAULT_SAMPLE_TYPE, string_of(w, by_default));
	put_number(w, TIME_NANOS, w->job->delta ? w->job->delta->begin_ns : totals->begin_realtime_ns);
	put_number(w, DURATION_NANOS,
		   w->job->delta ? w->job->delta->length_ns : util_rounded(totals_duration(totals)));
	if (w->interval) {
		put_type(w, PERIOD_TYPE, "cpu", "nanoseconds");
		put_number(w, PERIOD, w->interval);
	}
	put_comment(w, "cinstr " CINSTR_VERSION);
	if (totals->title)
		put_comment(w, totals->title);
	if (tree->filter)
		put_comment(w, tree->filter);
	if (tree_value_number(tree, MEASURE_CALLS) >= 0)
		put_comment(w, "calls: of a function flat; cumulated they are those of all that it called");
	if (totals->is_mixed)
		put_comment(w, "times of functions without probes are estimates by samples");
	if (tree_value_number(tree, MEASURE_COUNT_INSTRUCTIONS) >= 0 && tree->all_marks & TREE_ESTIMATE)
		put_comment(w, "instructions: of a function with several paths, shares by calls");
	if (tree->all_marks & TREE_CALLS_LEAST)
		put_comment(w, "calls: of some paths there may be more, which were not timed");
	function_facts_tell(w->tree, put_comment, w);
}

static void put_strings(struct writing *w)
{
	STRBUF(text);

	protobuf_text(&text, STRING_TABLE, "");
	for (size_t i = 0; i < w->strings.n; i++) {
		protobuf_text(&text, STRING_TABLE, w->strings.keys[i]);
		sink_bytes(&w->job->sink, text.text, text.length);
		strbuf_clear(&text);
	}
}

/* Whether the profile takes no more samples. */
static int is_full(const struct writing *w)
{
	const struct export_parts *parts = w->job->parts;

	return parts && w->n_samples &&
	       (w->n_samples + 1 >= parts->most_samples ||
		w->job->sink.bytes + w->later_bytes >= parts->most_bytes);
}

/* Stores drop a sample of which one value is negative: these are a sample of their own. */
static void put_change(struct writing *w, uint32_t node, uint64_t *values)
{
	uint64_t less[MEASURES] = { 0 };
	int has_less = 0, has_more = 0;

	for (unsigned i = 0; i < w->tree->n_values; i++) {
		if ((int64_t)values[i] < 0) {
			less[i] = values[i];
			values[i] = 0;
		}
		has_less |= less[i] != 0;
		has_more |= values[i] != 0;
	}
	if (has_more)
		put_sample(w, node, values);
	if (has_less)
		put_sample(w, node, less);
}

/* What was there the last time is left out. */
static void put_new_samples(struct writing *w)
{
	const struct export_tree *tree = w->tree;
	struct export_delta *delta = w->job->delta;
	struct sample_key *keys = sample_keys_make(tree);
	FREED uint64_t *values = xcalloc(tree->n_values + 1, sizeof(*values));

	for (; w->next < tree->n && !sink_failed(&w->job->sink); w->next++) {
		memcpy(values, tree_values(tree, w->next), tree->n_values * sizeof(*values));
		if (tree_item(tree, w->next)->kind == TREE_ORIGIN ||
		    !delta->take(delta->arg, &keys[w->next], values, tree->n_values))
			continue;
		if (is_full(w))
			break;
		put_change(w, w->next, values);
		delta->n_samples++;
	}
	free(keys);
}

static void put_samples(struct writing *w)
{
	for (; w->next < w->tree->n && !sink_failed(&w->job->sink); w->next++) {
		if (tree_item(w->tree, w->next)->kind != TREE_ORIGIN && tree_has_values(w->tree, w->next)) {
			if (is_full(w))
				break;
			put_sample(w, w->next, tree_values(w->tree, w->next));
		}
		progress_at(w->next);
	}
}

static void put_profile(struct writing *w)
{
	labels_make(w);
	counted_make(w);
	put_types(w);
	if (w->job->delta)
		put_new_samples(w);
	else
		put_samples(w);
	put_counts(w);
	put_mappings(w);
	put_locations(w);
	put_about(w);
	put_strings(w);
}

/* About; *n: samples */
static uint64_t size_of(const struct export_tree *tree, uint64_t *n)
{
	FREED uint32_t *depths = xcalloc(tree->n, sizeof(*depths));
	uint64_t bytes = 0;

	*n = 0;
	for (size_t i = 1; i < tree->n; i++) {
		depths[i] = depths[tree->nodes[i].parent] + 1;
		if (!tree_has_values(tree, i))
			continue;
		bytes += SAMPLE_BYTES + (uint64_t)FRAME_BYTES * depths[i] + VALUE_BYTES * tree->n_values;
		++*n;
	}
	return bytes;
}

static void writing_release(struct writing *w)
{
	for (size_t i = 0; w->labels && i < w->tree->n_origins; i++)
		strbuf_release(&w->labels[i]);
	free(w->labels);
	strbuf_release(&w->message);
	strbuf_release(&w->inner);
	map_release(&w->strings);
	map_release(&w->functions);
	map_release(&w->counting);
	map_release(&w->counted);
	int_map_release(&w->locations);
}

/* Writes a profile of the nodes from *next on, and sets *next behind the last one. */
static int write_part(struct export_job *job, struct export_tree *tree, uint32_t *next, uint64_t bytes,
		      const char *what)
{
	struct writing w = { .job = job, .tree = tree, .next = *next };
	const struct samples_totals *samples = &tree->profile.totals.samples;
	int status;

	w.samples_value = tree_value_number(tree, MEASURE_SAMPLES);
	if (w.samples_value >= 0 && samples->unit == CINSTR_SAMPLING_NS && !samples->is_mixed)
		w.interval = samples->interval;
	*next = (uint32_t)tree->n;
	if (export_begin(job, bytes, what, &status)) {
		put_profile(&w);
		status = export_end(job, what);
		*next = w.next;
		if (!status && job->parts)
			job->parts->end(job->parts->arg);
	}
	writing_release(&w);
	return status;
}

static int write_tree(struct export_job *job, struct export_tree *tree)
{
	STRBUF(what);
	uint64_t n, bytes = size_of(tree, &n);
	uint32_t next = 1;
	int status;

	tree_resolve(tree);
	output_plural(&what, n, "call path", "s");
	strbuf_puts(&what, ", by process, thread and phase");
	do {
		status = write_part(job, tree, &next, bytes, what.text);
	} while (!status && next < tree->n);
	return status;
}

static int write_pprof(struct export_job *job)
{
	struct tree_choice choice = { .has_lines = 1,
				      .has_origins = 1,
				      .has_functions = !job->delta && !job->options.view.measure,
				      .has_own = !job->delta && !job->parts && !job->options.measure };

	if (measures_choose(&choice.measures, job->options.measure,
			    "calls,elapsed,cpu,waiting,preempted,application,switches,jumps,samples",
			    MEASURES))
		return STATUS_USAGE;
	return export_tree_write(job, &choice, write_tree);
}

const struct export_format export_pprof = {
	.name = "pprof",
	.extension = ".pb.gz",
	.opens = "go tool pprof -http=localhost: %s",
	.needs = EXPORT_ANY,
	.takes_counts = 1,
	.is_binary = 1,
	.is_packed = 1,
	.most = 100000000, /* go tool pprof needs 60 times as much memory */
	.write = write_pprof,
};
