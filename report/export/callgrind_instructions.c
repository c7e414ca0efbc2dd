/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * callgrind_instructions.c - executed instructions for KCachegrind and callgrind_annotate: the
 * event Ir of each function by line, as valgrind's callgrind has it. Callers are left out: how many
 * of a function's instructions were executed for which of them is not known.
 */
#include <stdlib.h>
#include <string.h>

#include "callgrind_text.h"
#include "export.h"
#include "instructions/instructions.h"
#include "session/session_command.h"

#define ROW_BYTES 40 /* about */

struct writing {
	struct sink *sink;
	const struct executed *executed;
	struct executed_rows rows;
	struct map files, objects;
	size_t n_functions; /* so far */
};

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct executed_row *x = a, *y = b;
	int by_file;

	(void)arg;
	if (x->entity != y->entity)
		return x->entity < y->entity ? -1 : 1;
	by_file = compare_texts(x->file, y->file);
	return by_file ? by_file : x->line < y->line ? -1 : x->line > y->line;
}

/* ---- header ---------------------------------------------------------------------------------- */

static void put_notes(struct writing *w)
{
	struct strbuf text = { 0 };
	size_t n_estimates = 0;

	strbuf_puts(&text, "executed ones, exactly, in ");
	executed_put_images(&text, w->executed);
	strbuf_puts(&text, " only; without callers: inclusive values are not known");
	callgrind_put_text(w->sink, "desc: Ir: ", text.text);
	strbuf_release(&text);
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

/* Returns the function's file. */
static const char *put_function(struct writing *w, const struct executed_row *row)
{
	const struct entity *entity = &w->executed->names->list[row->entity];
	const char *file = entity->file ? entity->file : CALLGRIND_UNKNOWN;
	char *shown = util_visible(entity->name);

	sink_puts(w->sink, "\n");
	callgrind_put_numbered(w->sink, &w->objects, "ob=", entity->module);
	callgrind_put_numbered(w->sink, &w->files, "fl=", file);
	sink_printf(w->sink, "fn=(%zu) %s\n", ++w->n_functions, shown);
	free(shown);
	return file;
}

static void put_rows(struct writing *w)
{
	const char *file = NULL, *at;

	for (size_t i = 0; i < w->rows.n && !sink_failed(w->sink); i++) {
		const struct executed_row *row = &w->rows.list[i];

		if (!i || row->entity != row[-1].entity)
			file = put_function(w, row);
		at = row->file ? row->file : CALLGRIND_UNKNOWN;
		if (strcmp(at, file) != 0) {
			callgrind_put_numbered(w->sink, &w->files, "fi=", at);
			file = at;
		}
		sink_number(w->sink, row->line);
		sink_puts(w->sink, " ");
		sink_number(w->sink, row->instructions);
		sink_puts(w->sink, "\n");
	}
}

/* ---------------------------------------------------------------------------------------------- */

static int write_rows(struct export_job *job, struct writing *w, const char *title)
{
	struct strbuf what = { 0 };
	uint64_t sum = 0;
	size_t n = 0;
	int status;

	util_sort(w->rows.list, w->rows.n, sizeof(*w->rows.list), compare_rows, NULL);
	for (size_t i = 0; i < w->rows.n; i++) {
		n += !i || w->rows.list[i].entity != w->rows.list[i - 1].entity;
		if (w->rows.list[i].verdict != EXECUTED_KNOWN ||
		    __builtin_add_overflow(sum, w->rows.list[i].instructions, &sum)) {
			error("export: these are more than 2^64 instructions");
			return STATUS_DATA;
		}
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
	strbuf_release(&what);
	return status;
}

int export_callgrind_instructions(struct export_job *job)
{
	const char *path = job->paths ? job->paths[0] : NULL;
	struct view_options *view = &job->options.view;
	struct executed executed;
	struct writing w = { .sink = &job->sink, .executed = &executed };
	char *title;
	int status, written;

	if (job->options.by != EXPORT_BY_ALL) {
		error("export: --by does not go with --measure=instructions");
		return STATUS_USAGE;
	}
	if (instructions_check(job->command, view))
		return STATUS_USAGE;
	status = instructions_read(&executed, path, view, 0, NULL);
	if (executed.n_counting) {
		title = session_command(path ? path : INPUT_DEFAULT);
		instructions_rows(&w.rows, &executed, EXECUTED_BY_FUNCTION_LINE, &view->selection);
		written = selection_check_seen(&view->selection) ? STATUS_DATA : write_rows(job, &w, title);
		status = status ? status : written;
		instructions_rows_release(&w.rows);
		free(title);
	}
	map_release(&w.files);
	map_release(&w.objects);
	names_drop(executed.names);
	executed_release(&executed);
	return status;
}
