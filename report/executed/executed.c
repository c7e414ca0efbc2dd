/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executed.h"

#include <stdlib.h>
#include <string.h>

#include "flow_counts.h"
#include "lib/array.h"
#include "names/thread_names.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

const char *const executed_reasons[EXECUTED_VERDICTS] = {
	[EXECUTED_TABLE] = "its table of segments is damaged",
	[EXECUTED_COUNTERS] = "its counters do not fit its table of segments",
	[EXECUTED_UNSOLVED] = "not all of its counts follow from its counters",
	[EXECUTED_STOPPED] = "its counts do not add up: a thread was stopped in the middle of it",
	[EXECUTED_FILE] = "its file is gone, or is another one now",
	[EXECUTED_CODE] = "it has instructions that are not known",
	[EXECUTED_TOO_MANY] = "they are more than 2^64",
};

void executed_init(struct executed *executed, struct names *names)
{
	*executed = (struct executed){ .names = names };
}

/* ---- images ---------------------------------------------------------------------------------- */

static void image_open(struct executed_image *image, const struct module *module)
{
	*image = (struct executed_image){ .verdict = EXECUTED_KNOWN };
	image->is_main = (module->raw->flags & CINSTR_MODULE_MAIN) != 0;
	image->symbols = symbols_shared(-1, module->path, module->raw->build_id, module->raw->build_id_bytes);
	if (segments_read(&image->table, module))
		image->verdict = EXECUTED_TABLE;
	else if (image->table.is_gone)
		image->verdict = EXECUTED_FILE;
	image->sums = xcalloc(image->table.n_counters + 1, sizeof(*image->sums));
	image->entities = xcalloc(image->table.n_functions + 1, sizeof(*image->entities));
	for (size_t i = 0; i < image->table.n_functions; i++)
		image->entities[i] = NAMES_NONE;
	image->is_shared = xcalloc(image->table.n_functions + 1, 1);
	image->code = xcalloc(image->table.n + 1, sizeof(*image->code));
	image->has_code = xcalloc(image->table.n + 1, sizeof(*image->has_code));
}

static const char *build_id_of(struct executed *executed, const struct module *module)
{
	STRBUF(id);

	for (size_t i = 0; i < module->raw->build_id_bytes; i++)
		strbuf_printf(&id, "%02x", module->raw->build_id[i]);
	return map_keep(&executed->strings, id.text ? id.text : "");
}

/* The image of a process's module: the same for all that have the same file and notes. */
static struct executed_image *image_of(struct executed *executed, const struct module *module)
{
	uint64_t notes = XXH3_64bits(module->notes, module->notes_bytes);
	STRBUF(key);
	size_t number;
	int is_new;

	strbuf_printf(&key, "%s\n%llx %llx\n", module->path, (unsigned long long)notes,
		      (unsigned long long)module->raw->notes_address);
	strbuf_add(&key, (const char *)module->raw->build_id, module->raw->build_id_bytes);
	number = map_add(&executed->keys, key.text, key.length, &is_new);
	ARRAY_ROOM(executed->images, number, executed->size_images, 8);
	if (is_new) {
		image_open(&executed->images[number], module);
		executed->images[number].path = map_keep(&executed->strings, module->path);
		executed->images[number].build_id = build_id_of(executed, module);
	}
	return &executed->images[number];
}

/* Whether counts are of the image's table. */
static int has_counters(const struct executed_image *image)
{
	return image->verdict != EXECUTED_TABLE && image->verdict != EXECUTED_COUNTERS &&
	       image->verdict != EXECUTED_FILE;
}

/* How many counters the function has. */
static size_t n_counters(const struct segment_table *table, size_t function)
{
	return (function + 1 < table->n_functions ? table->functions[function + 1].first_counter
						  : table->n_counters) -
	       table->functions[function].first_counter;
}

/* Where no counter has counted, nothing was executed: what is not counted follows from counters. */
static int was_executed(const struct segment_table *table, size_t function, const uint64_t *sums)
{
	size_t first = table->functions[function].first_counter, n = n_counters(table, function);

	for (size_t i = first; i < first + n; i++)
		if (sums[i])
			return 1;
	return 0;
}

static uint32_t entity_of(struct executed *executed, const struct executed_image *image, size_t function,
			  const struct module *module)
{
	const struct segment_function *f = &image->table.functions[function];
	uint64_t address = f->n ? image->table.list[f->first].start : 0;
	struct symbol_frame frames[SYMBOL_FRAMES_MAX], made_up = { 0 };
	char name[32];
	size_t n = image->symbols ? symbols_frames(image->symbols, address, frames, SYMBOL_FRAMES_MAX) : 0;

	if (n)
		return names_of_frame(executed->names, image->path, &frames[n - 1], module);
	snprintf(name, sizeof(name), "0x%llx", (unsigned long long)address);
	made_up.name = name;
	made_up.entry = address;
	return names_of_frame(executed->names, image->path, &made_up, NULL);
}

/* While the module is at hand: what functions are called that were executed for the first time. */
static void functions_name(struct executed *executed, struct executed_image *image,
			   const struct module *module, const uint64_t *sums)
{
	for (size_t i = 0; i < image->table.n_functions; i++)
		if (image->entities[i] == NAMES_NONE && was_executed(&image->table, i, sums))
			image->entities[i] = entity_of(executed, image, i, module);
}

/* ---- one function ---------------------------------------------------------------------------- */

static const struct segment_code *code_of(struct executed_image *image, size_t segment)
{
	if (!image->has_code[segment])
		image->code[segment] =
			segment_code_read(image->symbols, &image->table.list[segment], NULL, NULL);
	image->has_code[segment] = 1;
	return &image->code[segment];
}

/* The function itself is an edge, from its exit to its entry: it is passed once a call. */
static struct flow_edge *edges_make(const struct segment_table *table, const struct segment_function *f,
				    const uint64_t *sums)
{
	struct flow_edge *edges = xcalloc(f->n + 1, sizeof(*edges));
	size_t counter = f->first_counter;

	for (size_t i = 0; i < f->n; i++) {
		const struct segment *s = &table->list[f->first + i];

		edges[i] = (struct flow_edge){ .from = s->from, .to = s->to, .is_known = s->counter != 0 };
		if (s->counter)
			edges[i].count = sums[counter++];
	}
	edges[f->n] = (struct flow_edge){ .from = f->exit, .to = f->entry, .is_known = f->exit == f->entry };
	return edges;
}

/*
 * Whether control may come into the function, or leave it, in ways that its flow graph does not
 * tell (setjmp): then each segment that has instructions has a counter of its own.
 */
static int is_loose(struct executed_image *image, const struct segment_function *f,
		    const struct flow_edge *edges)
{
	if (!flow_is_loose(edges, f->n))
		return 0;
	for (size_t i = f->first; i < f->first + f->n; i++)
		if (!image->table.list[i].counter && code_of(image, i)->n_instructions)
			return 0;
	return 1;
}

static enum executed_verdict edges_solve(struct executed_image *image, const struct segment_function *f,
					 struct flow_edge *edges, struct executed_function *function)
{
	switch (flow_counts_solve(edges, f->n + 1)) {
	case FLOW_SOLVED:
		function->has_calls = f->exit != f->entry;
		function->calls = function->has_calls ? edges[f->n].count : 0;
		return EXECUTED_KNOWN;
	case FLOW_UNSOLVED:
		return EXECUTED_UNSOLVED;
	default:
		return is_loose(image, f, edges) ? EXECUTED_KNOWN : EXECUTED_STOPPED;
	}
}

static enum executed_verdict instructions_sum(struct executed_image *image, const struct segment_function *f,
					      const struct flow_edge *edges,
					      struct executed_function *function)
{
	uint64_t *sum = &function->instructions;

	for (size_t i = 0; i < f->n; i++) {
		const struct segment_code *code = edges[i].count ? code_of(image, f->first + i) : NULL;
		uint64_t all;

		if (!code)
			continue;
		if (code->state != SEGMENT_CODE_KNOWN)
			return code->state == SEGMENT_CODE_GONE ? EXECUTED_FILE : EXECUTED_CODE;
		function->is_estimate |= code->has_jumps;
		if (__builtin_mul_overflow(code->n_instructions, edges[i].count, &all) ||
		    __builtin_add_overflow(*sum, all, sum))
			return EXECUTED_TOO_MANY;
	}
	return EXECUTED_KNOWN;
}

/* What the counts say of a function of the image. */
static struct executed_function function_make(struct executed_image *image, size_t number,
					      const uint64_t *sums)
{
	const struct segment_function *f = &image->table.functions[number];
	struct executed_function function = { .number = (uint32_t)number,
					      .entity = image->entities[number],
					      .verdict = image->verdict };
	FREED struct flow_edge *edges = NULL;

	if (function.verdict == EXECUTED_KNOWN && f->is_damaged)
		function.verdict = EXECUTED_TABLE;
	if (function.verdict != EXECUTED_KNOWN)
		return function;
	edges = edges_make(&image->table, f, sums);
	function.verdict = edges_solve(image, f, edges, &function);
	if (function.verdict == EXECUTED_KNOWN) {
		function.counts = xcalloc(f->n + 1, sizeof(*function.counts));
		for (size_t i = 0; i < f->n; i++)
			function.counts[i] = edges[i].count;
		function.verdict = instructions_sum(image, f, edges, &function);
	}
	if (function.verdict != EXECUTED_KNOWN)
		function.instructions = 0;
	return function;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Returns NULL if it is not known, or not chosen. */
static const struct data_thread *thread_of(const struct data *data, uint32_t index)
{
	if (data->merged) /* one stands for all */
		return data->n_threads ? data->threads : NULL;
	for (size_t i = 0; i < data->n_threads; i++)
		if (data->threads[i].record && data->threads[i].record->index == index)
			return &data->threads[i];
	return NULL;
}

static struct executed_thread *thread_new(struct executed *executed, const struct data *data,
					  const struct data_thread *thread)
{
	const char *exe = data_property(data, "exe");
	FREED char *name = thread ? thread_shown_name(&executed->thread_names, data, thread) : xstrdup("");
	struct executed_thread *new;

	ARRAY_ONE_MORE(executed->threads, executed->n_threads);
	new = &executed->threads[executed->n_threads++];
	*new = (struct executed_thread){ .pid = data->header->pid, .tid = thread ? thread->record->tid : 0 };
	new->process = map_keep(&executed->strings, exe ? util_basename(exe) : "");
	new->name = *name ? map_keep(&executed->strings, name) : new->process;
	return new;
}

static void thread_add(struct executed_thread *thread, struct executed_image *image, const uint64_t *sums)
{
	for (size_t i = 0; i < image->table.n_functions; i++) {
		struct executed_function f;

		if (!was_executed(&image->table, i, sums))
			continue;
		f = function_make(image, i, sums);
		free(f.counts);
		thread->is_estimate |= f.is_estimate || image->is_shared[i];
		if (f.verdict != EXECUTED_KNOWN ||
		    __builtin_add_overflow(thread->instructions, f.instructions, &thread->instructions))
			thread->n_unknown++;
	}
}

/* ---- data files ------------------------------------------------------------------------------ */

/* Adds what one thread has counted in one module. */
static void counts_add(const struct data *data, const struct data_segment *s,
		       const struct cinstr_segment_module *entry, struct executed_image *image,
		       struct executed_thread *thread)
{
	FREED uint64_t *sums = xcalloc(image->table.n_counters + 1, sizeof(*sums));

	if (segment_counts_add(data, s, entry, sums))
		image->verdict = EXECUTED_COUNTERS;
	for (size_t i = 0; i < image->table.n_counters; i++)
		if (__builtin_add_overflow(image->sums[i], sums[i], &image->sums[i]))
			image->verdict = EXECUTED_TOO_MANY;
	/* what was executed where no thread recorded */
	for (size_t i = 0; segment_counts_are_shared(data, s) && i < image->table.n_functions; i++)
		image->is_shared[i] |= was_executed(&image->table, i, sums);
	if (thread)
		thread_add(thread, image, sums);
}

static void thread_counts_add(struct executed *executed, const struct data *data,
			      const struct data_segment *s, const struct cinstr_segment_module *list,
			      size_t n, const struct module *const *modules)
{
	const struct data_thread *thread = thread_of(data, s->owner);
	struct executed_thread *row;

	if (!thread && executed->some_threads)
		return;
	row = executed->by_thread ? thread_new(executed, data, thread) : NULL;
	for (size_t i = 0; i < n; i++) {
		struct executed_image *image = modules[i] ? image_of(executed, modules[i]) : NULL;

		if (image && has_counters(image))
			counts_add(data, s, &list[i], image, row);
	}
}

/* The counted modules of a file. */
struct counted {
	struct cinstr_segment_module *list;
	const struct module **modules; /* NULL: cannot be told */
	size_t n;
};

static struct counted counted_read(const struct data *data)
{
	struct counted counted;

	counted.list = segment_modules(data, &counted.n);
	counted.modules = xcalloc(counted.n + 1, sizeof(*counted.modules));
	for (size_t i = 0; i < counted.n; i++)
		counted.modules[i] = segment_module_of(data, &counted.list[i]);
	return counted;
}

static void counted_release(struct counted *counted)
{
	free(counted->modules);
	free(counted->list);
}

/* The image of the module; its verdict says so if the file does not fit its table. */
static struct executed_image *counted_image(struct executed *executed, const struct counted *counted,
					    size_t i)
{
	struct executed_image *image;

	if (!counted->modules[i])
		return NULL;
	image = image_of(executed, counted->modules[i]);
	if (has_counters(image) && image->table.n_counters != counted->list[i].n)
		image->verdict = EXECUTED_COUNTERS;
	return image;
}

const struct data_thread *executed_sums(const struct executed *executed, const struct data *data,
					const struct data_thread *thread)
{
	const struct data_thread *sums = data_sums_of(data, thread);

	return sums && sums->counter == executed->counter ? sums : NULL;
}

/* Adds a file whose call paths have what a counter of the processor's has counted. */
static void counter_add(struct executed *executed, const struct data *data)
{
	int is_there = 0;

	for (size_t i = 0; i < data->n_sums; i++)
		is_there |= data->sums[i].counter == executed->counter;
	executed->n_counting += (size_t)is_there;
	executed->n_stopped += is_there && data->header->stop != CINSTR_STOP_NONE;
	for (size_t i = 0; i < data->n_threads && is_there; i++)
		executed->n_uncounted += !executed_sums(executed, data, &data->threads[i]);
}

void executed_add(struct executed *executed, const struct data *data)
{
	struct counted counted;
	size_t n;

	executed->n_files++;
	if (executed->counter) {
		counter_add(executed, data);
		return;
	}
	counted = counted_read(data);
	n = counted.n;
	if (!executed->begun_ns || data->header->start_realtime_ns < executed->begun_ns)
		executed->begun_ns = data->header->start_realtime_ns;
	executed->n_merged += data->merged != NULL;
	executed->n_counting += n > 0;
	executed->n_stopped += n > 0 && data->header->stop != CINSTR_STOP_NONE;
	for (size_t i = 0; i < n; i++)
		executed->n_lost += !counted_image(executed, &counted, i);
	for (size_t i = 0; i < data->n_segments; i++)
		if (data->segments[i].type == CINSTR_SEG_SEGMENT_COUNTS)
			thread_counts_add(executed, data, &data->segments[i], counted.list, n,
					  counted.modules);
	for (size_t i = 0; i < n; i++) {
		struct executed_image *image = counted_image(executed, &counted, i);

		if (image)
			functions_name(executed, image, counted.modules[i], image->sums);
	}
	counted_release(&counted);
}

/* Adds up what a thread has counted in a module. Returns whether anything was. */
static int part_sum(const struct data *data, const struct data_thread *thread,
		    const struct cinstr_segment_module *entry, uint64_t *sums, int *are_shared)
{
	int is_there = 0;

	for (size_t i = 0; i < data->n_segments; i++) {
		const struct data_segment *s = &data->segments[i];

		if (s->type != CINSTR_SEG_SEGMENT_COUNTS || thread_of(data, s->owner) != thread ||
		    segment_counts_add(data, s, entry, sums))
			continue;
		is_there = 1;
		*are_shared |= segment_counts_are_shared(data, s);
	}
	return is_there;
}

void executed_of_thread(struct executed *executed, const struct data *data, const struct data_thread *thread,
			const struct executed_visit *visit)
{
	struct counted counted = counted_read(data);

	for (size_t k = 0; k < counted.n; k++) {
		struct executed_image *image = counted_image(executed, &counted, k);
		int is_bad = !image || !has_counters(image), are_shared = 0;
		FREED uint64_t *sums = is_bad ? NULL : xcalloc(image->table.n_counters + 1, sizeof(*sums));

		if (!is_bad && part_sum(data, thread, &counted.list[k], sums, &are_shared)) {
			functions_name(executed, image, counted.modules[k], sums);
			for (size_t i = 0; i < image->table.n_functions; i++) {
				struct executed_function f;

				if (!was_executed(&image->table, i, sums))
					continue;
				f = function_make(image, i, sums);
				f.image = (uint32_t)(image - executed->images);
				f.is_estimate |= are_shared;
				visit->function(visit->arg, &f);
				free(f.counts);
			}
		}
	}
	counted_release(&counted);
}

void executed_finish(struct executed *executed)
{
	for (size_t k = 0; k < executed_n_images(executed); k++) {
		struct executed_image *image = &executed->images[k];

		for (size_t i = 0; i < image->table.n_functions; i++) {
			struct executed_function f;

			if (!was_executed(&image->table, i, image->sums))
				continue;
			f = function_make(image, i, image->sums);
			f.image = (uint32_t)k;
			f.is_estimate |= image->is_shared[i];
			ARRAY_ROOM(executed->functions, executed->n_functions, executed->size_functions, 64);
			executed->functions[executed->n_functions++] = f;
		}
	}
}

void executed_release(struct executed *executed)
{
	for (size_t k = 0; k < executed_n_images(executed); k++) {
		segments_release(&executed->images[k].table);
		free(executed->images[k].sums);
		free(executed->images[k].entities);
		free(executed->images[k].is_shared);
		free(executed->images[k].code);
		free(executed->images[k].has_code);
		segment_calls_release(&executed->images[k].calls);
	}
	for (size_t i = 0; i < executed->n_functions; i++)
		free(executed->functions[i].counts);
	free(executed->images);
	free(executed->functions);
	free(executed->threads);
	names_release(&executed->thread_names);
	map_release(&executed->keys);
	map_release(&executed->strings);
}

void executed_put_images(struct strbuf *text, const struct executed *executed)
{
	size_t n = executed_n_images(executed);

	for (size_t i = 0; i < n; i++) {
		strbuf_puts(text, !i ? "" : i + 1 < n ? ", " : " and ");
		strbuf_visible(text, util_basename(executed->images[i].path));
	}
}
