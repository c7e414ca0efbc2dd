/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows.c - rows of executed instructions (instructions.h). */
#include <stdlib.h>
#include <string.h>

#include "instructions.h"
#include "lib/array.h"

static struct executed_row *row_at(struct executed_rows *rows, const void *key, size_t n, int *is_new)
{
	size_t number = map_add(&rows->keys, key, n, is_new);

	ARRAY_ROOM(rows->list, number, rows->size, 64);
	if (*is_new) {
		rows->list[number] = (struct executed_row){ .entity = NAMES_NONE };
		rows->n++;
	}
	return &rows->list[number];
}

static void amount_add(struct executed_row *row, uint64_t instructions)
{
	if (__builtin_add_overflow(row->instructions, instructions, &row->instructions))
		row->verdict = EXECUTED_TOO_MANY;
}

/* Adds a function to the row of itself, or of its module. */
static void function_add(struct executed_row *row, const struct executed_function *f, int is_new)
{
	row->has_calls = f->has_calls && f->verdict == EXECUTED_KNOWN && (is_new || row->has_calls);
	row->calls += f->calls;
	row->is_estimate |= f->is_estimate;
	if (f->verdict != EXECUTED_KNOWN)
		row->n_unknown++;
	amount_add(row, f->instructions);
}

static int takes(const struct executed *executed, const struct selection *selection, uint32_t entity)
{
	return selection_of_entity(selection, &executed->names->list[entity]) == GLOBS_TAKEN;
}

static void function_row(struct executed_rows *rows, const struct executed *executed,
			 const struct executed_function *f)
{
	const struct entity *entity = &executed->names->list[f->entity];
	int is_new;
	struct executed_row *row = row_at(rows, &f->entity, sizeof(f->entity), &is_new);

	row->entity = f->entity;
	row->name = entity->name;
	row->module = entity->module;
	row->file = entity->file;
	row->line = entity->line;
	function_add(row, f, is_new);
	/* of several that the compiler made of one function all must be known */
	if (f->verdict != EXECUTED_KNOWN)
		row->verdict = f->verdict;
}

static void module_row(struct executed_rows *rows, const struct executed *executed,
		       const struct executed_function *f)
{
	const char *path = executed->images[f->image].path;
	int is_new;
	struct executed_row *row = row_at(rows, path, strlen(path), &is_new);

	row->name = util_basename(path);
	row->module = path;
	function_add(row, f, is_new);
}

static void threads_add(struct executed_rows *rows, const struct executed *executed)
{
	for (size_t i = 0; i < executed->n_threads; i++) {
		const struct executed_thread *t = &executed->threads[i];
		uint32_t key[2] = { t->pid, t->tid };
		int is_new;
		struct executed_row *row = row_at(rows, key, sizeof(key), &is_new);

		row->name = t->name;
		row->process = t->process;
		row->pid = t->pid;
		row->tid = t->tid;
		row->n_unknown += t->n_unknown;
		row->is_estimate |= t->is_estimate;
		amount_add(row, t->instructions);
	}
}

/* ---- source lines ---------------------------------------------------------------------------- */

struct line_reading {
	struct executed_rows *rows;
	const struct executed *executed;
	const struct executed_function *function;
	const struct executed_image *image;
	const struct selection *selection;
	enum executed_by by;
	uint64_t count; /* of the segment at hand */
};

/* The line of the innermost function that is inlined there. */
static void instruction_add(void *arg, const struct instruction *instruction)
{
	struct line_reading *r = arg;
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	size_t n = symbols_frames(r->image->symbols, instruction->address, frames, SYMBOL_FRAMES_MAX);
	uint32_t entity = n > 1 && r->by == EXECUTED_BY_LINE
				  ? names_of_frame(r->executed->names, r->image->path, &frames[0], NULL)
				  : r->function->entity;
	const char *file = n && frames[0].file ? frames[0].file : "";
	uint32_t line = n && frames[0].file ? frames[0].line : 0;
	STRBUF(key);
	struct executed_row *row;
	int is_new;

	if (!takes(r->executed, r->selection, entity))
		return;
	strbuf_printf(&key, "%u %u %s", entity, line, file);
	row = row_at(r->rows, key.text, key.length, &is_new);
	if (is_new) {
		row->entity = entity;
		row->name = r->executed->names->list[entity].name;
		row->module = r->image->path;
		row->file = *file ? names_file(r->executed->names, NULL, file) : NULL;
		row->line = line;
	}
	row->is_estimate |= r->function->is_estimate;
	amount_add(row, r->count);
	if (row->last != r->function)
		row->last_executions = 0;
	row->last = r->function;
	if (r->count > row->last_executions) {
		row->executions += r->count - row->last_executions;
		row->last_executions = r->count;
	}
}

static void function_lines(struct executed_rows *rows, const struct executed *executed,
			   const struct executed_function *f, const struct selection *selection,
			   enum executed_by by)
{
	struct line_reading reading = { rows, executed, f, &executed->images[f->image], selection, by, 0 };
	size_t n;
	const struct segment *segments = executed_segments(executed, f, &n);

	for (size_t i = 0; i < n && f->verdict == EXECUTED_KNOWN; i++) {
		reading.count = f->counts[i];
		if (reading.count)
			segment_code_read(reading.image->symbols, &segments[i], instruction_add, &reading);
	}
}

/* ---------------------------------------------------------------------------------------------- */

static void sum_add(struct executed_rows *rows, const struct executed_function *f)
{
	rows->n_unknown += f->verdict != EXECUTED_KNOWN;
	rows->is_estimate |= f->is_estimate;
	if (__builtin_add_overflow(rows->instructions, f->instructions, &rows->instructions))
		rows->instructions = UINT64_MAX;
}

void instructions_rows(struct executed_rows *rows, const struct executed *executed, enum executed_by by,
		       const struct selection *selection)
{
	*rows = (struct executed_rows){ 0 };
	for (size_t i = 0; i < executed->n_functions; i++) {
		const struct executed_function *f = &executed->functions[i];

		sum_add(rows, f);
		if (by == EXECUTED_BY_LINE || by == EXECUTED_BY_FUNCTION_LINE)
			function_lines(rows, executed, f, selection, by);
		else if (by != EXECUTED_BY_THREAD && takes(executed, selection, f->entity))
			(by == EXECUTED_BY_FUNCTION ? function_row : module_row)(rows, executed, f);
	}
	if (by == EXECUTED_BY_THREAD)
		threads_add(rows, executed);
}

/* A slot reaches beyond what is known of the row's least and most. */
static uint64_t between(long double quantile, const struct executed_row *row)
{
	uint64_t n = util_rounded(quantile);

	return n < row->least ? row->least : n > row->most ? row->most : n;
}

/* Of single calls, if each of the function's is among them. */
static void each_set(struct executed_row *row, const struct row *from)
{
	const double least = from->shortest[VALUE_ELAPSED_INCLUSIVE];
	const double most = from->longest[VALUE_ELAPSED_INCLUSIVE];

	if (row->is_share || least > most || !from->durations.n)
		return;
	row->has_each = 1;
	row->least = util_rounded(least);
	row->most = util_rounded(most);
	row->p50 = between(durations_quantile(&from->durations, 0.5), row);
	row->p99 = between(durations_quantile(&from->durations, 0.99), row);
}

void instructions_rows_include(struct executed_rows *rows, const struct profile *profile)
{
	for (size_t i = 0; i < rows->n; i++) {
		struct executed_row *row = &rows->list[i];
		const struct row *from = row->entity < profile->n_rows ? &profile->rows[row->entity] : NULL;

		if (!from || row_is_empty(from) || row->verdict != EXECUTED_KNOWN)
			continue;
		row->has_inclusive = 1;
		row->inclusive = util_rounded(from->sums.elapsed_inclusive);
		row->is_share = row_is_share(profile, from, VALUE_ELAPSED_INCLUSIVE);
		row->inclusive_per_call =
			from->calls && !from->has_recursion
				? (double)(from->sums.elapsed_inclusive / (long double)from->calls)
				: -1;
		/* of single calls only those are known that were timed */
		if (from->durations.n && row->has_calls && from->calls != row->calls)
			row->is_share = 1;
		each_set(row, from);
	}
}

void instructions_rows_release(struct executed_rows *rows)
{
	free(rows->list);
	map_release(&rows->keys);
}
