/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * annotate_data.c - annotated sources as csv and json: lines with values only. csv: a row of type
 * `line` for each, and rows of type `callee` behind it for what was called from there, whose values
 * are the callee's; of type `inlined` for lines from elsewhere.
 */
#include <string.h>

#include "annotate.h"

static const enum column by_default[] = {
	COLUMN_INCLUSIVE_SAMPLES,
	COLUMN_EXCLUSIVE_SAMPLES,
	COLUMN_INCLUSIVE_PERCENT,
	COLUMN_EXCLUSIVE_PERCENT,
	COLUMN_CALLS,
	COLUMN_ELAPSED_INCLUSIVE,
	COLUMN_ELAPSED_EXCLUSIVE,
	COLUMN_APPLICATION_INCLUSIVE,
	COLUMN_APPLICATION_EXCLUSIVE,
	COLUMN_ELAPSED_INCLUSIVE_PERCENT,
	COLUMN_ELAPSED_EXCLUSIVE_PERCENT,
	COLUMN_APPLICATION_INCLUSIVE_PERCENT,
	COLUMN_APPLICATION_EXCLUSIVE_PERCENT,
};

void annotate_default_columns(struct column_list *list, const struct profile *profile)
{
	*list = (struct column_list){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(by_default); i++)
		if (column_in_view(profile, by_default[i]))
			list->list[list->n++] = by_default[i];
}

static struct column_list columns_of(const struct annotation *a)
{
	struct column_list list;

	if (a->columns)
		return *a->columns;
	annotate_default_columns(&list, &a->profiles[ANNOTATE_LINES]);
	return list;
}

/* `profile`: of the row, which may be a call site's. */
static void put_values(struct sheet *sheet, const struct column_list *columns, const struct profile *profile,
		       const struct row *row)
{
	for (size_t i = 0; i < columns->n; i++) {
		struct value value = { .type = VALUE_NONE };

		if (row && column_in_view(profile, columns->list[i]))
			value = column_value(profile, row, columns->list[i]);
		output_put_value(sheet, column_infos[columns->list[i]].key, &value);
	}
}

static void put_range(struct sheet *sheet, const struct row *row)
{
	int has_range = row && row_has_range(row);

	sheet_count_if(sheet, "line_from", has_range ? row->line_from : 0);
	sheet_count_if(sheet, "line_to", has_range ? row->line_to : 0);
}

static const char *text_of(const struct annotated *part, uint32_t line)
{
	return part->has_text ? source_text_line(&part->text, line) : NULL;
}

/* ---- flat ------------------------------------------------------------------------------------ */

/* What all rows have. */
struct flat {
	struct sheet *sheet;
	struct column_list columns;
};

static void flat_row(const struct flat *flat, const struct profile *profile, const struct annotated *part,
		     uint32_t line, const struct row *row, const char *name)
{
	struct sheet *sheet = flat->sheet;
	int is_line = !row || (!row->callee && row->line == line);

	sheet_open(sheet, NULL, '{', SHEET_INLINE);
	sheet_text(sheet, "type", is_line ? "line" : row->callee ? "callee" : "inlined");
	sheet_text(sheet, "file", part->file);
	sheet_count(sheet, "line", line);
	sheet_text(sheet, "name", name);
	sheet_text(sheet, "module", part->module);
	put_values(sheet, &flat->columns, profile, row);
	sheet_source(sheet, "text", is_line ? text_of(part, line) : NULL);
	put_range(sheet, row && !row->callee ? row : NULL);
	sheet_close(sheet);
}

static void flat_columns(struct sheet *sheet, const struct column_list *columns)
{
	const char *names[COLUMN_COUNT + 8] = { "type", "file", "line", "name", "module" };
	size_t n = 5;

	for (size_t i = 0; i < columns->n; i++)
		names[n++] = column_infos[columns->list[i]].key;
	names[n++] = "text";
	names[n++] = "line_from";
	names[n++] = "line_to";
	sheet_columns(sheet, names, n);
}

void annotate_flat(struct sheet *sheet, const struct view *view)
{
	const struct annotation *a = (const void *)view;
	const struct flat flat = { sheet, columns_of(a) };

	flat_columns(sheet, &flat.columns);
	for (size_t p = 0; p < a->n; p++)
		for (size_t i = 0; i < a->parts[p].n; i++) {
			const struct annotated_line *line = &a->parts[p].lines[i];

			flat_row(&flat, view->profile, &a->parts[p], line->number, line->row,
				 line->row ? line->row->function : NULL);
			for (size_t k = 0; k < line->n_callees; k++)
				flat_row(&flat, &a->profiles[ANNOTATE_SITES], &a->parts[p], line->number,
					 line->callees[k], line->callees[k]->callee);
			for (size_t k = 0; k < line->n_inlined; k++)
				flat_row(&flat, view->profile, &a->parts[p], line->number,
					 line->inlined[k].row, line->inlined[k].row->name);
		}
}

/* ---- nested ---------------------------------------------------------------------------------- */

static void put_line(struct sheet *sheet, const struct annotation *a, const struct annotated *part,
		     const struct annotated_line *line)
{
	const struct column_list columns = columns_of(a);
	const char *inlined_from = line->row ? line->row->inlined_from : NULL;

	sheet_open(sheet, NULL, '{', SHEET_INLINE);
	sheet_count(sheet, "line", line->number);
	sheet_text(sheet, "text", text_of(part, line->number));
	sheet_text(sheet, "function", line->row ? line->row->function : NULL);
	sheet_text(sheet, "inlined_from", inlined_from && *inlined_from ? inlined_from : NULL);
	put_values(sheet, &columns, a->view.profile, line->row);
	put_range(sheet, line->row);
	sheet_open(sheet, "callees", '[', SHEET_HANG);
	for (size_t i = 0; i < line->n_callees; i++) {
		sheet_open(sheet, NULL, '{', SHEET_INLINE);
		sheet_text(sheet, "callee", line->callees[i]->callee);
		sheet_text(sheet, "address", line->callees[i]->address);
		put_values(sheet, &columns, &a->profiles[ANNOTATE_SITES], line->callees[i]);
		sheet_close(sheet);
	}
	sheet_close(sheet);
	sheet_open(sheet, "inlined", '[', SHEET_HANG);
	for (size_t i = 0; i < line->n_inlined; i++) {
		sheet_open(sheet, NULL, '{', SHEET_INLINE);
		sheet_text(sheet, "name", line->inlined[i].row->name);
		sheet_text(sheet, "inlined_from", line->inlined[i].row->inlined_from);
		put_values(sheet, &columns, a->view.profile, line->inlined[i].row);
		sheet_close(sheet);
	}
	sheet_close(sheet);
	sheet_close(sheet);
}

static void put_part(struct sheet *sheet, const struct annotation *a, const struct annotated *part)
{
	sheet_open(sheet, NULL, '{', SHEET_BLOCK);
	sheet_text(sheet, "file", part->file);
	sheet_text(sheet, "path", part->path);
	sheet_text(sheet, "module", part->module);
	sheet_text(sheet, "function", part->function);
	sheet_text(sheet, "note", part->note);
	sheet_open(sheet, "lines", '[', SHEET_BLOCK);
	for (size_t i = 0; i < part->n; i++)
		put_line(sheet, a, part, &part->lines[i]);
	sheet_close(sheet);
	sheet_close(sheet);
}

void annotate_nested(struct sheet *sheet, const struct view *view)
{
	const struct annotation *a = (const void *)view;

	sheet_open(sheet, NULL, '{', SHEET_BLOCK);
	output_put_session(sheet, view);
	if (!profile_is_sampled(view->profile))
		sheet_flag(sheet, "line_events", view->profile->totals.lines != 0);
	sheet_open(sheet, "sources", '[', SHEET_BLOCK);
	for (size_t i = 0; i < a->n; i++)
		put_part(sheet, a, &a->parts[i]);
	sheet_close(sheet);
	sheet_close(sheet);
}
