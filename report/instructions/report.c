/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report.c - cinstr report --measure=instructions: rows in order, as a table or for scripts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "instructions.h"
#include "lib/terminal.h"
#include "output/grid.h"
#include "output/items.h"
#include "session/session_command.h"

#define NAME_LEAST 12
#define NOT_KNOWN "not known"

struct result {
	const struct executed *executed;
	const struct instructions_report *report;
	struct executed_rows rows;
	const struct executed_row **shown;
	size_t n, n_hidden;
	/* some row's inclusive instructions are an estimate; has_shares: by calls */
	int has_marks, has_shares;
	struct field_order order;
	const char *title;
};

/* ---- values ---------------------------------------------------------------------------------- */

enum field {
	NAME,
	MODULE,
	SOURCE_FILE,
	LINE,
	INSTRUCTIONS,
	PERCENT,
	IS_ESTIMATE,
	CALLS,
	PER_CALL,
	EXECUTIONS,
	PID,
	TID,
	PROCESS,
	UNKNOWN_FUNCTIONS,
	WHY,
	INCLUSIVE,
	INCLUSIVE_PERCENT,
	INCLUSIVE_IS_ESTIMATE,
	INCLUSIVE_PER_CALL,
	INCLUSIVE_MIN,
	INCLUSIVE_MAX,
	INCLUSIVE_P50,
	INCLUSIVE_P99,
	FIELDS
};

static const char *const field_names[FIELDS] = { [NAME] = "name",
						 [MODULE] = "module",
						 [SOURCE_FILE] = "file",
						 [LINE] = "line",
						 [INSTRUCTIONS] = "instructions",
						 [PERCENT] = "instructions_percent",
						 [IS_ESTIMATE] = "instructions_is_estimate",
						 [CALLS] = "calls",
						 [PER_CALL] = "instructions_per_call",
						 [EXECUTIONS] = "executions",
						 [PID] = "pid",
						 [TID] = "tid",
						 [PROCESS] = "process",
						 [UNKNOWN_FUNCTIONS] = "functions_not_known",
						 [WHY] = "why_not_known",
						 [INCLUSIVE] = "inclusive_instructions",
						 [INCLUSIVE_PERCENT] = "inclusive_instructions_percent",
						 [INCLUSIVE_IS_ESTIMATE] =
							 "inclusive_instructions_is_estimate",
						 [INCLUSIVE_PER_CALL] = "inclusive_instructions_per_call",
						 [INCLUSIVE_MIN] = "inclusive_instructions_min",
						 [INCLUSIVE_MAX] = "inclusive_instructions_max",
						 [INCLUSIVE_P50] = "inclusive_instructions_p50",
						 [INCLUSIVE_P99] = "inclusive_instructions_p99" };
static const struct field_list fields = { field_names, FIELDS };

static int is_known(const struct executed_row *row)
{
	return row->verdict == EXECUTED_KNOWN;
}

static double percent(const struct result *r, uint64_t instructions)
{
	return r->rows.instructions ? 100.0 * (double)instructions / (double)r->rows.instructions : 0;
}

/* NAN: there is none. */
static double per_call(const struct executed_row *row)
{
	return is_known(row) && row->has_calls && row->calls ? (double)row->instructions / (double)row->calls
							     : (double)NAN;
}

/* Likewise. */
static double inclusive_per_call(const struct executed_row *row)
{
	return row->has_inclusive && row->inclusive_per_call >= 0 ? row->inclusive_per_call : (double)NAN;
}

static struct field_value value_of(const struct result *r, const struct executed_row *row, size_t field)
{
	const char *texts[FIELDS] = { [NAME] = row->name,
				      [MODULE] = row->module,
				      [SOURCE_FILE] = row->file,
				      [PROCESS] = row->process,
				      [WHY] = executed_reasons[row->verdict] };
	long double numbers[FIELDS] = { [LINE] = row->line,
					[INSTRUCTIONS] = is_known(row) ? row->instructions : NAN,
					[PERCENT] = is_known(row) ? percent(r, row->instructions) : NAN,
					[IS_ESTIMATE] = row->is_estimate,
					[CALLS] = row->has_calls ? row->calls : NAN,
					[PER_CALL] = per_call(row),
					[EXECUTIONS] = row->executions,
					[PID] = row->pid,
					[TID] = row->tid,
					[UNKNOWN_FUNCTIONS] = row->n_unknown,
					[INCLUSIVE] = row->has_inclusive ? row->inclusive : NAN,
					[INCLUSIVE_PERCENT] =
						row->has_inclusive ? percent(r, row->inclusive) : NAN,
					[INCLUSIVE_IS_ESTIMATE] = row->is_share,
					[INCLUSIVE_PER_CALL] = inclusive_per_call(row),
					[INCLUSIVE_MIN] = row->has_each ? row->least : NAN,
					[INCLUSIVE_MAX] = row->has_each ? row->most : NAN,
					[INCLUSIVE_P50] = row->has_each ? row->p50 : NAN,
					[INCLUSIVE_P99] = row->has_each ? row->p99 : NAN };

	if (texts[field])
		return (struct field_value){ texts[field], 0 };
	return (struct field_value){ NULL, field == MODULE || field == SOURCE_FILE || field == PROCESS ||
							   field == WHY
						   ? (long double)NAN
						   : numbers[field] };
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct result *r = arg;
	const struct executed_row *x = *(const struct executed_row *const *)a;
	const struct executed_row *y = *(const struct executed_row *const *)b;
	struct field_value p = value_of(r, x, r->order.field), q = value_of(r, y, r->order.field);
	int order = field_compare(&p, &q, r->order.direction);

	if (!order)
		order = strcmp(x->name, y->name);
	if (!order && x->file && y->file)
		order = strcmp(x->file, y->file);
	if (!order)
		order = x->line != y->line ? (x->line < y->line ? -1 : 1) : 0;
	return order ? order : x < y ? -1 : x > y;
}

static void choose(struct result *r)
{
	r->shown = xcalloc(r->rows.n + 1, sizeof(*r->shown));
	for (size_t i = 0; i < r->rows.n; i++) {
		r->shown[r->n++] = &r->rows.list[i];
		r->has_marks |= r->rows.list[i].is_share;
		r->has_shares |= r->rows.list[i].is_share && !r->rows.list[i].is_estimate;
	}
	util_sort(r->shown, r->n, sizeof(*r->shown), compare_rows, r);
	if (r->n > r->report->limit) {
		r->n_hidden = r->n - r->report->limit;
		r->n = r->report->limit;
	}
}

/* ---- the table ------------------------------------------------------------------------------- */

enum cell {
	CELL_INSTRUCTIONS,
	CELL_PERCENT,
	CELL_INCLUSIVE,
	CELL_INCLUSIVE_PERCENT,
	CELL_CALLS,
	CELL_PER_CALL,
	CELL_NAME,
	CELL_SOURCE,
	CELLS
};

static void put_inclusive(const struct grid *grid, size_t line, const struct result *r,
			  const struct executed_row *row)
{
	struct strbuf *cell = grid_cell(grid, line, CELL_INCLUSIVE);

	if (!row->has_inclusive)
		return;
	strbuf_thousands(cell, row->inclusive);
	strbuf_puts(cell, row->is_share ? OUTPUT_ESTIMATE : r->has_marks ? " " : "");
	strbuf_printf(grid_cell(grid, line, CELL_INCLUSIVE_PERCENT), "%.1f", percent(r, row->inclusive));
}

static void put_amounts(const struct grid *grid, size_t line, const struct result *r,
			const struct executed_row *row)
{
	struct strbuf *cell = grid_cell(grid, line, CELL_INSTRUCTIONS);
	double each = per_call(row);

	if (!is_known(row)) {
		strbuf_puts(cell, NOT_KNOWN);
		return;
	}
	strbuf_thousands(cell, row->instructions);
	strbuf_puts(cell, row->is_estimate ? OUTPUT_ESTIMATE : "");
	strbuf_printf(grid_cell(grid, line, CELL_PERCENT), "%.1f", percent(r, row->instructions));
	if (isnan(each))
		return;
	if (each < 100)
		strbuf_printf(grid_cell(grid, line, CELL_PER_CALL), "%.1f", each);
	else
		strbuf_thousands(grid_cell(grid, line, CELL_PER_CALL), (uint64_t)(each + 0.5));
}

static void put_line(const struct grid *grid, size_t line, const struct result *r,
		     const struct executed_row *row)
{
	struct strbuf *source = grid_cell(grid, line, CELL_SOURCE);

	put_amounts(grid, line, r, row);
	put_inclusive(grid, line, r, row);
	if (r->report->by == EXECUTED_BY_LINE)
		strbuf_thousands(grid_cell(grid, line, CELL_CALLS), row->executions);
	else if (r->report->by == EXECUTED_BY_FUNCTION && row->has_calls)
		strbuf_thousands(grid_cell(grid, line, CELL_CALLS), row->calls);
	strbuf_visible(grid_cell(grid, line, CELL_NAME), row->name);
	if (r->report->by == EXECUTED_BY_THREAD) {
		strbuf_visible(source, row->process);
		strbuf_printf(source, " %u, %u", row->pid, row->tid);
	} else if (row->file) {
		strbuf_visible(source, util_basename(row->file));
		strbuf_printf(source, ":%u", row->line);
	} else if (r->report->by != EXECUTED_BY_MODULE && row->module) {
		strbuf_visible(source, util_basename(row->module));
	}
}

static void print_table(FILE *out, const struct result *r)
{
	static const char *const names[] = { [EXECUTED_BY_FUNCTION] = "Function",
					     [EXECUTED_BY_MODULE] = "Module",
					     [EXECUTED_BY_THREAD] = "Thread",
					     [EXECUTED_BY_LINE] = "Function" };
	enum executed_by by = r->report->by;
	const struct grid_head heads[CELLS] = {
		[CELL_INSTRUCTIONS] = { "Instructions" },
		[CELL_PERCENT] = { "%" },
		[CELL_INCLUSIVE] = { "Inclusive" },
		[CELL_INCLUSIVE_PERCENT] = { "%", .drop = 3 },
		[CELL_CALLS] = { by == EXECUTED_BY_LINE ? "Executed" : "Calls", .drop = 4 },
		[CELL_PER_CALL] = { "Per call", .drop = 2 },
		[CELL_NAME] = { names[by], .is_text = 1, .least = NAME_LEAST },
		[CELL_SOURCE] = { by == EXECUTED_BY_THREAD ? "Process, thread" : "Source", .is_text = 1,
				  .drop = 1 },
	};
	struct grid grid;

	grid_begin(&grid, r->n, heads, CELLS, INK_PLAIN);
	grid.columns[CELL_CALLS].is_gone = by == EXECUTED_BY_MODULE || by == EXECUTED_BY_THREAD;
	grid.columns[CELL_INCLUSIVE].is_gone = grid.columns[CELL_INCLUSIVE_PERCENT].is_gone =
		grid.columns[CELL_PER_CALL].is_gone = by != EXECUTED_BY_FUNCTION;
	grid.columns[CELL_SOURCE].is_gone = by == EXECUTED_BY_MODULE;
	for (size_t i = 0; i < r->n; i++)
		put_line(&grid, i + 1, r, r->shown[i]);
	grid_end(&grid, out);
}

static void print_line(FILE *out, struct strbuf *text)
{
	fprintf(out, "%s\n", text->text);
	strbuf_clear(text);
}

static void put_head(FILE *out, const struct result *r)
{
	STRBUF(text);

	if (r->title) {
		strbuf_visible(&text, r->title);
		strbuf_puts(&text, ": ");
	}
	strbuf_thousands(&text, r->rows.instructions);
	strbuf_printf(&text, "%s instructions executed\n", r->rows.is_estimate ? OUTPUT_ESTIMATE : "");
	print_line(out, &text);
}

static void put_foot(FILE *out, const struct result *r)
{
	const struct executed *e = r->executed;
	STRBUF(text);

	if (r->n_hidden) {
		strbuf_printf(&text, "%zu more row%s (--limit).", r->n_hidden, r->n_hidden == 1 ? "" : "s");
		print_line(out, &text);
	}
	strbuf_puts(&text, "Instructions are counted in ");
	executed_put_images(&text, e);
	strbuf_puts(&text, " only.");
	print_line(out, &text);
	if (r->has_shares)
		fputs(OUTPUT_ESTIMATE " inclusive: an estimate, by calls, as some of what it called was "
				      "called by others, too.\n",
		      out);
	if (r->rows.is_estimate)
		fputs(OUTPUT_ESTIMATE
		      " may be a few more or fewer: code with jumps in inline assembly, or where "
		      "threads do not record.\n",
		      out);
	output_executed_unknown(out, e);
	if (e->is_live)
		fputs("The program is still running: functions that it is in may be off by one pass.\n", out);
}

static void print_people(FILE *out, const struct result *r)
{
	put_head(out, r);
	print_table(out, r);
	fputc('\n', out);
	put_foot(out, r);
}

/* ---- for scripts ----------------------------------------------------------------------------- */

static void put_number(struct items *items, size_t field, int is_there, uint64_t n)
{
	if (is_there)
		items_count(items, field_names[field], n);
	else
		items_none(items, field_names[field]);
}

static void put_decimal(struct items *items, size_t field, double number)
{
	items_decimal_if(items, field_names[field], (long double)number, 6);
}

static void put_row(struct items *items, const struct result *r, const struct executed_row *row)
{
	enum executed_by by = r->report->by;

	items_open(items, NULL, '{', ITEMS_INLINE);
	items_text(items, field_names[NAME], row->name);
	items_text(items, field_names[MODULE], row->module);
	items_text(items, field_names[SOURCE_FILE], row->file);
	put_number(items, LINE, row->line != 0, row->line);
	put_number(items, INSTRUCTIONS, is_known(row), row->instructions);
	put_decimal(items, PERCENT, is_known(row) ? percent(r, row->instructions) : (double)NAN);
	put_number(items, IS_ESTIMATE, 1, row->is_estimate != 0);
	put_number(items, CALLS, by == EXECUTED_BY_FUNCTION && row->has_calls, row->calls);
	put_decimal(items, PER_CALL, by == EXECUTED_BY_FUNCTION ? per_call(row) : (double)NAN);
	put_number(items, EXECUTIONS, by == EXECUTED_BY_LINE, row->executions);
	put_number(items, PID, row->pid != 0, row->pid);
	put_number(items, TID, row->tid != 0, row->tid);
	items_text(items, field_names[PROCESS], row->process);
	put_number(items, UNKNOWN_FUNCTIONS, 1, row->n_unknown);
	items_text(items, field_names[WHY], executed_reasons[row->verdict]);
	put_number(items, INCLUSIVE, row->has_inclusive, row->inclusive);
	put_decimal(items, INCLUSIVE_PERCENT, row->has_inclusive ? percent(r, row->inclusive) : (double)NAN);
	put_number(items, INCLUSIVE_IS_ESTIMATE, row->has_inclusive, row->is_share != 0);
	put_decimal(items, INCLUSIVE_PER_CALL, inclusive_per_call(row));
	put_number(items, INCLUSIVE_MIN, row->has_each, row->least);
	put_number(items, INCLUSIVE_MAX, row->has_each, row->most);
	put_number(items, INCLUSIVE_P50, row->has_each, row->p50);
	put_number(items, INCLUSIVE_P99, row->has_each, row->p99);
	items_close(items);
}

static void put_session(struct items *items, const struct result *r)
{
	const struct executed *e = r->executed;

	items_open(items, "session", '{', ITEMS_BLOCK);
	items_text(items, "command_line", r->title);
	items_text(items, "measure", "instructions");
	items_count(items, "instructions", r->rows.instructions);
	items_count(items, "functions_not_known", r->rows.n_unknown);
	items_count(items, "rows_hidden", r->n_hidden);
	items_open(items, "modules", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < executed_n_images(e); i++) {
		enum executed_verdict verdict = e->images[i].verdict;

		items_open(items, NULL, '{', ITEMS_INLINE);
		items_text(items, "path", e->images[i].path);
		items_count(items, "functions", e->images[i].table.n_functions);
		items_count(items, "segments", e->images[i].table.n);
		items_text(items, field_names[WHY], executed_reasons[verdict]);
		items_close(items);
	}
	items_close(items);
	items_close(items);
}

static void print_items(FILE *out, const struct result *r, const struct items_format *format)
{
	struct items items;

	if (items_table(&items, out, format, ITEMS_BLOCK, field_names, FIELDS))
		put_session(&items, r);
	items_table_rows(&items, "rows");
	for (size_t i = 0; i < r->n; i++)
		put_row(&items, r, r->shown[i]);
	items_table_end(&items);
}

/* ---------------------------------------------------------------------------------------------- */

static void print(FILE *out, const void *arg)
{
	const struct result *r = arg;
	const struct output_format *format = &output_formats[r->report->view->format];

	if (format->shape->is_for_people)
		print_people(out, r);
	else
		print_items(out, r, format->items);
}

/* Those that would look the same get names that do not. */
static void tell_names_apart(struct names *names)
{
	size_t n = names->keys.n;
	FREED uint32_t *entities = xcalloc(n + 1, sizeof(*entities));

	for (uint32_t i = 0; i < n; i++)
		entities[i] = i;
	names_tell_apart(names, entities, n);
}

/* Returns 0, or an exit status after an error message. */
static int check_merged(const struct executed *executed, enum executed_by by)
{
	if (by != EXECUTED_BY_THREAD || !executed->n_merged || executed->n_merged != executed->n_files)
		return STATUS_OK;
	return error_data(
		"--by=thread: what was merged does not keep threads; use the sessions that were merged");
}

int instructions_report(const struct command *command, const char *path,
			const struct instructions_report *report)
{
	struct result r = { .report = report };
	const struct counting counting = { .raw = 1 };
	int is_by_function = report->by == EXECUTED_BY_FUNCTION;
	struct executed executed;
	struct profile paths;
	char *title = NULL;
	int status, written;

	if (instructions_check(command, report->view) ||
	    field_order_parse(&r.order, command->name, report->sort ? report->sort : "instructions",
			      &fields)) {
		selection_release(&report->view->selection);
		return STATUS_USAGE;
	}
	profile_init(&paths, BY_FUNCTION, &counting);
	status = instructions_read(&executed, path, report->view, report->by == EXECUTED_BY_THREAD,
				   is_by_function ? &paths : NULL);
	if (executed.n_counting) {
		if (output_formats[report->view->format].shape->is_for_people)
			tell_names_apart(executed.names);
		r.executed = &executed;
		r.title = title = session_command(path ? path : INPUT_DEFAULT);
		instructions_rows(&r.rows, &executed, report->by, &report->view->selection);
		if (is_by_function)
			instructions_rows_include(&r.rows, &paths);
		if (check_merged(&executed, report->by) || selection_check_seen(&report->view->selection)) {
			status = STATUS_DATA;
		} else {
			choose(&r);
			written = instructions_print(report->view, print, &r);
			status = status ? status : written;
		}
	}
	free(title);
	free(r.shown);
	instructions_rows_release(&r.rows);
	names_drop(executed.names);
	executed_release(&executed);
	profile_release(&paths);
	selection_release(&report->view->selection);
	return status;
}
