/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * callgrind_instructions.c - exports executed instructions for KCachegrind and callgrind_annotate:
 * the event Ir of each function by line, as in valgrind's callgrind, and of calls.
 */
#include <stdlib.h>
#include <string.h>

#include "callgrind_edges.h"
#include "callgrind_text.h"
#include "executed/call_shares.h"
#include "export.h"
#include "instructions/instructions.h"
#include "lib/order.h"
#include "session/session_command.h"

#define ROW_BYTES 40 /* about */

struct writing {
	struct sink *sink;
	const struct executed *executed;
	struct executed_rows rows;
	struct callgrind_edges edges;
	size_t edge; /* the next one */
	struct map files, objects;
	struct int_map functions; /* entities that have been named */
	const char *file;	  /* that lines are of now */
};

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

ORDER_ITEMS(compare_rows, struct executed_row, ORDER(x->entity, y->entity), compare_texts(x->file, y->file),
	    ORDER(x->line, y->line))

/* ---- header ---------------------------------------------------------------------------------- */

static void put_notes(struct writing *w)
{
	struct strbuf text = { 0 };
	size_t n_estimates = 0, n_shares = 0;

	strbuf_puts(&text, "executed ones, exactly, in ");
	executed_put_images(&text, w->executed);
	strbuf_puts(&text, " only");
	callgrind_put_text(w->sink, "desc: Ir: ", text.text);
	strbuf_release(&text);
	for (size_t i = 0; i < w->edges.keys.n; i++)
		n_shares += w->edges.list[i].mark % SHARES_WHOLE != 0;
	if (n_shares)
		sink_printf(
			w->sink,
			"desc: Ir: of %zu of %zu calls, by caller and line, an estimate: a share by calls\n",
			n_shares, w->edges.keys.n);
	for (size_t i = 0; i < w->executed->n_functions; i++) {
		const struct executed_function *f = &w->executed->functions[i];

		n_estimates += f->is_estimate && f->verdict == EXECUTED_KNOWN;
		if (f->verdict == EXECUTED_KNOWN)
			continue;
		strbuf_puts(&text, w->executed->names->list[f->entity].name);
		strbuf_printf(&text, ": %s", executed_reasons[f->verdict]);
		callgrind_put_text(w->sink, "desc: Ir: not known of ", text.text);
		strbuf_release(&text);
	}
	for (size_t i = 0; i < executed_n_images(w->executed); i++) {
		const struct executed_image *image = &w->executed->images[i];

		if (image->verdict == EXECUTED_KNOWN)
			continue;
		strbuf_puts(&text, image->path);
		strbuf_printf(&text, ": %s", executed_reasons[image->verdict]);
		callgrind_put_text(w->sink, "desc: Ir: not known of ", text.text);
		strbuf_release(&text);
	}
	if (w->executed->n_lost)
		sink_printf(w->sink,
			    "desc: Ir: not known of %zu modules that were loaded where others were\n",
			    w->executed->n_lost);
	if (n_estimates)
		sink_printf(w->sink, "desc: Ir: of %zu functions there may be a few more or fewer\n",
			    n_estimates);
}

static void put_header(struct writing *w, const char *title, uint64_t sum)
{
	struct sink *sink = w->sink;

	sink_puts(sink, "# callgrind format\nversion: 1\ncreator: cinstr-" CINSTR_VERSION "\n");
	sink_puts(sink, "part: 1\ndesc: Trigger: end of the recording\n");
	put_notes(w);
	sink_puts(sink, "event: Ir : Instructions executed\npositions: line\n");
	callgrind_put_text(sink, "cmd: ", title ? title : CALLGRIND_UNKNOWN);
	sink_puts(sink, "events: Ir\nsummary: ");
	sink_number(sink, sum);
	sink_puts(sink, "\n");
}

/* ---- functions ------------------------------------------------------------------------------- */

static const char *file_of(const struct writing *w, uint32_t entity)
{
	const char *file = w->executed->names->list[entity].file;

	return file ? file : CALLGRIND_UNKNOWN;
}

static void put_name(struct writing *w, const char *key, uint32_t entity)
{
	FREED char *shown = util_visible(w->executed->names->list[entity].name);
	int is_new;
	uint32_t number = int_map_add(&w->functions, entity, &is_new);

	sink_printf(w->sink, is_new ? "%s(%u) %s\n" : "%s(%u)\n", key, number + 1, shown);
}

static void put_function(struct writing *w, uint32_t entity)
{
	sink_puts(w->sink, "\n");
	callgrind_put_numbered(w->sink, &w->objects, "ob=", w->executed->names->list[entity].module);
	w->file = file_of(w, entity);
	callgrind_put_numbered(w->sink, &w->files, "fl=", w->file);
	put_name(w, "fn=", entity);
}

static void put_cost(struct writing *w, const char *file, uint32_t line, uint64_t instructions)
{
	if (strcmp(file, w->file) != 0) {
		callgrind_put_numbered(w->sink, &w->files, "fi=", file);
		w->file = file;
	}
	sink_number(w->sink, line);
	sink_puts(w->sink, " ");
	sink_number(w->sink, instructions);
	sink_puts(w->sink, "\n");
}

static void put_call(struct writing *w, const struct callgrind_edge *edge)
{
	const struct entity *callee = &w->executed->names->list[edge->callee];
	const char *file = edge->file ? edge->file : file_of(w, edge->caller);

	if (strcmp(file, w->file) != 0) {
		callgrind_put_numbered(w->sink, &w->files, "fi=", file);
		w->file = file;
	}
	callgrind_put_numbered(w->sink, &w->objects, "cob=", callee->module);
	callgrind_put_numbered(w->sink, &w->files, "cfl=", file_of(w, edge->callee));
	put_name(w, "cfn=", edge->callee);
	sink_puts(w->sink, "calls=");
	sink_number(w->sink, edge->calls ? edge->calls : 1);
	sink_printf(w->sink, " %u\n", callee->line);
	put_cost(w, file, edge->line, edge->instructions);
}

/* All of one caller. */
static void put_calls(struct writing *w)
{
	uint32_t caller = w->edges.list[w->edge].caller;

	while (w->edge < w->edges.keys.n && w->edges.list[w->edge].caller == caller)
		put_call(w, &w->edges.list[w->edge++]);
}

/* Functions without instructions of their own, up to an entity: of other libraries. */
static void put_callers_until(struct writing *w, uint32_t entity)
{
	while (w->edge < w->edges.keys.n && w->edges.list[w->edge].caller < entity) {
		put_function(w, w->edges.list[w->edge].caller);
		put_calls(w);
	}
}

static void put_rows(struct writing *w)
{
	for (size_t i = 0; i < w->rows.n && !sink_failed(w->sink); i++) {
		const struct executed_row *row = &w->rows.list[i];

		if (!i || row->entity != row[-1].entity) {
			put_callers_until(w, row->entity);
			put_function(w, row->entity);
		}
		put_cost(w, row->file ? row->file : CALLGRIND_UNKNOWN, row->line, row->instructions);
		if ((i + 1 == w->rows.n || row->entity != row[1].entity) && w->edge < w->edges.keys.n &&
		    w->edges.list[w->edge].caller == row->entity)
			put_calls(w);
	}
	put_callers_until(w, UINT32_MAX);
}

/* ---------------------------------------------------------------------------------------------- */

static int write_rows(struct export_job *job, struct writing *w, const char *title)
{
	STRBUF(what);
	uint64_t sum = 0;
	size_t n = 0;
	int status;

	util_sort(w->rows.list, w->rows.n, sizeof(*w->rows.list), compare_rows, NULL);
	for (size_t i = 0; i < w->rows.n; i++) {
		n += !i || w->rows.list[i].entity != w->rows.list[i - 1].entity;
		if (w->rows.list[i].verdict != EXECUTED_KNOWN ||
		    __builtin_add_overflow(sum, w->rows.list[i].instructions, &sum))
			return error_data("export: these are more than 2^64 instructions");
	}
	strbuf_thousands(&what, n);
	strbuf_printf(&what, " function%s", n == 1 ? "" : "s");
	if (export_begin(job, w->rows.n * ROW_BYTES, what.text, &status)) {
		put_header(w, title, sum);
		put_rows(w);
		sink_puts(w->sink, "\ntotals: ");
		sink_number(w->sink, sum);
		sink_puts(w->sink, "\n");
		status = export_end(job, what.text);
	}
	return status;
}

int export_callgrind_instructions(struct export_job *job)
{
	const char *path = job->paths ? job->paths[0] : NULL;
	struct view_options *view = &job->options.view;
	const struct counting counting = { .raw = 1 };
	struct executed executed;
	struct profile paths;
	struct writing w = { .sink = &job->sink, .executed = &executed };
	char *title;
	int status, written;

	if (job->options.by != EXPORT_BY_ALL)
		return error_usage("export: --by does not go with --measure=instructions");
	if (instructions_check(job->command, view))
		return STATUS_USAGE;
	profile_init(&paths, BY_EACH, &counting);
	paths.each = callgrind_edges_add;
	paths.each_arg = &w.edges;
	w.edges.names = paths.names;
	status = instructions_read(&executed, path, view, 0, &paths);
	if (executed.n_counting) {
		title = session_command(path ? path : INPUT_DEFAULT);
		callgrind_edges_sort(&w.edges);
		instructions_rows(&w.rows, &executed, EXECUTED_BY_FUNCTION_LINE, &view->selection);
		written = selection_check_seen(&view->selection) ? STATUS_DATA : write_rows(job, &w, title);
		status = status ? status : written;
		instructions_rows_release(&w.rows);
		free(title);
	}
	map_release(&w.files);
	map_release(&w.objects);
	int_map_release(&w.functions);
	callgrind_edges_release(&w.edges);
	names_drop(executed.names);
	executed_release(&executed);
	profile_release(&paths);
	return status;
}
