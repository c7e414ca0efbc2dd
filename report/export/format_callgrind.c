/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_callgrind.c - for KCachegrind and callgrind_annotate: functions with what they have
 * themselves by line, and the calls of one function by another, from which line, with what that
 * cost. Sums: callgrind_sums.h.
 *
 * Both readers are stricter than their documentation. The first line is what KCachegrind knows the
 * file by. The header ends with events:, and summary: comes behind it. Every column is written, and
 * no line ends with a blank. After a call KCachegrind forgets file and object of the callee, so
 * each has its own.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "callgrind_sums.h"
#include "callgrind_text.h"
#include "function_facts.h"
#include "lib/progress.h"

#define LINE_BYTES 24 /* of what stands around values, about */
#define CALL_BYTES 60 /* likewise around those of a call */
#define VALUE_BYTES 6

struct writing {
	const struct callgrind_sums *sums;
	struct export_tree *tree;
	struct sink *sink;
	struct map files, objects; /* (number) name, as far as they were written */
	uint8_t *is_named;	   /* by function: likewise */
	const char *file;	   /* that lines are in, at the moment */
};

/* ---- header ---------------------------------------------------------------------------------- */

static void put_name(struct sink *sink, const char *name)
{
	char first = *name;

	if (first >= 'a' && first <= 'z')
		first = (char)(first - 'a' + 'A');
	sink_bytes(sink, &first, 1);
	sink_puts(sink, name + 1);
}

static void put_event(struct sink *sink, const struct measure_info *info)
{
	sink_puts(sink, "event: ");
	put_name(sink, info->name);
	sink_puts(sink, " : ");
	put_name(sink, info->name);
	sink_puts(sink, strcmp(info->unit, "count") ? ", ns\n" : "\n");
}

static void put_values(struct sink *sink, const struct callgrind_sums *sums, const uint64_t *values)
{
	for (unsigned i = 0; i < sums->n_events; i++) {
		sink_bytes(sink, " ", 1);
		sink_number(sink, values[sums->events[i]]);
	}
	sink_bytes(sink, "\n", 1);
}

static void put_fact(void *arg, const char *line)
{
	callgrind_put_text(arg, "desc: ", line);
}

static void put_header(struct writing *w, const struct export_job *job)
{
	const struct totals *totals = &w->tree->profile.totals;
	struct sink *sink = w->sink;

	sink_puts(sink, "# callgrind format\nversion: 1\ncreator: cinstr-" CINSTR_VERSION "\n");
	sink_puts(sink, "part: 1\ndesc: Trigger: end of the recording\n");
	if (w->tree->filter)
		callgrind_put_text(sink, "desc: Filter: ", w->tree->filter);
	if (profile_is_sampled(&w->tree->profile))
		sink_puts(sink, "desc: Calls: not known of samples: each caller has 1\n");
	else if (w->sums->n_uncounted)
		sink_printf(sink,
			    "desc: Calls: %" PRIu64 " of %" PRIu64
			    " callers have 1 whose calls are not known\n",
			    w->sums->n_uncounted, (uint64_t)w->sums->n_calls);
	if (w->sums->n_least)
		sink_printf(sink, "desc: Calls: of %" PRIu64 " of %" PRIu64 " callers there may be more\n",
			    w->sums->n_least, (uint64_t)w->sums->n_calls);
	if (tree_value_number(w->tree, MEASURE_COUNT_INSTRUCTIONS) >= 0 && w->tree->all_marks & TREE_ESTIMATE)
		sink_puts(sink, "desc: Instructions of a function with several paths: shares by calls\n");
	if (totals->is_mixed)
		sink_puts(sink, "desc: Times of functions without probes are estimates by samples\n");
	sink_printf(sink, "desc: Recursion: %" PRIu64 " level%s apart\n", job->options.recursion,
		    job->options.recursion == 1 ? "" : "s");
	function_facts_tell(w->tree, put_fact, sink);
	for (unsigned i = 0; i < w->sums->n_events; i++)
		put_event(sink, &measure_infos[w->tree->choice.measures.list[w->sums->events[i]]]);
	sink_puts(sink, "positions: line\n");
	callgrind_put_text(sink, "cmd: ", totals->title ? totals->title : CALLGRIND_UNKNOWN);
	sink_puts(sink, "events:");
	for (unsigned i = 0; i < w->sums->n_events; i++) {
		sink_puts(sink, " ");
		put_name(sink, measure_infos[w->tree->choice.measures.list[w->sums->events[i]]].name);
	}
	sink_puts(sink, "\nsummary:");
	put_values(sink, w->sums, w->sums->inclusive);
}

/* ---- functions ------------------------------------------------------------------------------- */

static const struct entity *entity_of(const struct writing *w, uint32_t function)
{
	uint32_t entity = w->sums->functions[function].entity;

	return entity == TREE_NONE ? NULL : &w->tree->profile.names->list[entity];
}

static void put_function(struct writing *w, const char *key, uint32_t function)
{
	const struct entity *entity = entity_of(w, function);
	struct sink *sink = w->sink;
	char *shown;

	sink_puts(sink, key);
	sink_puts(sink, "(");
	sink_number(sink, function + 1);
	sink_puts(sink, ")");
	if (!w->is_named[function]) {
		shown = util_visible(entity ? entity->name : "[all threads]");
		sink_puts(sink, " ");
		sink_puts(sink, shown);
		if (w->sums->functions[function].level > 1) {
			sink_puts(sink, "'");
			sink_number(sink, w->sums->functions[function].level);
		}
		free(shown);
	}
	sink_puts(sink, "\n");
	w->is_named[function] = 1;
}

static const char *file_of(const struct writing *w, uint32_t function)
{
	const struct entity *entity = entity_of(w, function);

	return entity && entity->file ? entity->file : CALLGRIND_UNKNOWN;
}

static const char *module_of(const struct writing *w, uint32_t function)
{
	const struct entity *entity = entity_of(w, function);

	return entity ? entity->module : NULL;
}

/* A line: of the function's file, or of another one, from which it was inlined. The number. */
static uint32_t put_file(struct writing *w, uint32_t function, uint32_t place)
{
	const struct entity *entity = entity_of(w, function);
	const struct tree_place *at = place ? &w->tree->places[place] : NULL;
	const char *file = at && at->file ? at->file : file_of(w, function);

	if (strcmp(file, w->file)) {
		callgrind_put_numbered(w->sink, &w->files,
				       strcmp(file, file_of(w, function)) ? "fi=" : "fe=", file);
		w->file = file;
	}
	return at ? at->line : entity ? entity->line : 0;
}

static void put_self(struct writing *w, const struct callgrind_self *self)
{
	uint32_t line = put_file(w, self->function, self->place);

	sink_number(w->sink, line);
	put_values(w->sink, w->sums, callgrind_values(w->sums, self->values));
}

/* callgrind_annotate --inclusive warns of files in which no line has anything itself. */
static void put_zeros(struct writing *w, uint32_t line)
{
	sink_number(w->sink, line);
	for (unsigned i = 0; i < w->sums->n_events; i++)
		sink_puts(w->sink, " 0");
	sink_puts(w->sink, "\n");
}

static void put_no_self(struct writing *w, uint32_t function)
{
	const struct entity *entity = entity_of(w, function);

	if (entity && entity->file && entity->line)
		put_zeros(w, entity->line);
}

static void put_call(struct writing *w, const struct callgrind_call *call)
{
	const struct entity *callee = entity_of(w, call->callee);
	const char *before = w->file;
	uint32_t line = put_file(w, call->caller, call->place);

	if (w->file != before && line)
		put_zeros(w, line);
	callgrind_put_numbered(w->sink, &w->objects, "cob=", module_of(w, call->callee));
	callgrind_put_numbered(w->sink, &w->files, "cfl=", file_of(w, call->callee));
	put_function(w, "cfn=", call->callee);
	sink_puts(w->sink, "calls=");
	sink_number(w->sink, call->calls ? call->calls : 1);
	sink_puts(w->sink, " ");
	sink_number(w->sink, callee ? callee->line : 0);
	sink_puts(w->sink, "\n");
	sink_number(w->sink, line);
	put_values(w->sink, w->sums, callgrind_values(w->sums, call->values));
}

static void put_functions(struct writing *w)
{
	const struct callgrind_sums *sums = w->sums;
	size_t self = 0, call = 0;

	for (uint32_t i = 0; i < sums->n_functions && !sink_failed(w->sink); i++) {
		sink_puts(w->sink, "\n");
		callgrind_put_numbered(w->sink, &w->objects, "ob=", module_of(w, i));
		w->file = file_of(w, i);
		callgrind_put_numbered(w->sink, &w->files, "fl=", w->file);
		put_function(w, "fn=", i);
		if (self == sums->n_selves || sums->selves[self].function != i)
			put_no_self(w, i);
		for (; self < sums->n_selves && sums->selves[self].function == i; self++)
			put_self(w, &sums->selves[self]);
		for (; call < sums->n_calls && sums->calls[call].caller == i; call++)
			put_call(w, &sums->calls[call]);
		progress_at(i);
	}
	sink_puts(w->sink, "\ntotals:");
	put_values(w->sink, sums, sums->inclusive);
}

/* ---- the format ------------------------------------------------------------------------------ */

static uint64_t size_of(const struct writing *w)
{
	const struct callgrind_sums *sums = w->sums;
	uint64_t values = sums->n_events * VALUE_BYTES;
	uint64_t bytes = sums->n_selves * (LINE_BYTES / 2 + values) + sums->n_calls * (CALL_BYTES + values);

	for (uint32_t i = 0; i < sums->n_functions; i++) {
		const struct entity *entity = entity_of(w, i);

		bytes += LINE_BYTES + (entity ? strlen(entity->name) : 0);
	}
	return bytes;
}

/*
 * A caller whose calls are not known is written with 1: readers take a call without any for a line
 * of the caller itself. A sample met that call, so it is one of those that were only counted, and
 * of these there is one less: all callers together have the function's calls.
 */
static void calls_take_counted(struct callgrind_sums *sums, const struct export_tree *tree)
{
	const struct entity *names = tree->profile.names->list;
	uint64_t *unknown = xcalloc(tree->profile.names->keys.n + 1, sizeof(*unknown));

	for (size_t i = 0; i < sums->n_calls; i++)
		if (!sums->calls[i].calls)
			unknown[sums->functions[sums->calls[i].callee].entity]++;
	for (size_t i = 0; i < sums->n_calls; i++) {
		struct callgrind_call *call = &sums->calls[i];
		uint32_t caller = sums->functions[call->caller].entity;
		uint64_t *n = &unknown[sums->functions[call->callee].entity];

		if (caller == TREE_NONE || strcmp(names[caller].name, TREE_COUNTED))
			continue;
		while (*n && call->calls > 1) {
			call->calls--;
			--*n;
		}
	}
	free(unknown);
}

static int write_tree(struct export_job *job, struct export_tree *tree)
{
	struct callgrind_sums sums;
	struct writing w = { .sums = &sums, .tree = tree, .sink = &job->sink };
	STRBUF(what);
	int status;

	tree_resolve(tree);
	callgrind_sums_make(&sums, tree, (uint32_t)job->options.recursion);
	calls_take_counted(&sums, tree);
	strbuf_thousands(&what, sums.n_functions - 1);
	strbuf_puts(&what, " functions, ");
	strbuf_thousands(&what, sums.n_calls);
	strbuf_puts(&what, " of their callers");
	if (export_begin(job, size_of(&w), what.text, &status)) {
		w.is_named = xcalloc(sums.n_functions, 1);
		put_header(&w, job);
		put_functions(&w);
		status = export_end(job, what.text);
		free(w.is_named);
	}
	map_release(&w.files);
	map_release(&w.objects);
	callgrind_sums_release(&sums);
	return status;
}

static int write_callgrind(struct export_job *job)
{
	struct tree_choice choice = { .has_lines = 1, .has_functions = !job->options.view.measure };

	if (job->options.recursion < 1 || job->options.recursion > CALLGRIND_LEVELS_MAX)
		return error_usage("export: --recursion takes 1 to %d", CALLGRIND_LEVELS_MAX);
	if (export_has_lines(job))
		return export_callgrind_instructions(job);
	if (measures_choose(&choice.measures, job->options.measure,
			    "elapsed,cpu,waiting,preempted,application,switches,jumps,samples", MEASURES))
		return STATUS_USAGE;
	measures_add(&choice.measures, MEASURE_CALLS);
	return export_tree_write(job, &choice, write_tree);
}

const struct export_format export_callgrind = {
	.name = "callgrind",
	.extension = ".callgrind",
	.opens = "kcachegrind %s",
	.needs = EXPORT_ANY,
	.takes_counts = 1,
	.most = 500000000,
	.write = write_callgrind,
};
