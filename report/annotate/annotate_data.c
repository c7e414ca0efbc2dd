/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * annotate_data.c - writes annotated sources as csv and json: lines with values only. csv: a row of
 * type `line` for each, followed by rows of type `callee` with the callees' values, and of type
 * `inlined` for lines from elsewhere.
 */
#include <string.h>

#include "annotate.h"

static const enum column by_default[] = {
	COLUMN_INCLUSIVE_SAMPLES,
	COLUMN_EXCLUSIVE_SAMPLES,
	COLUMN_INCLUSIVE_PERCENT,
	COLUMN_EXCLUSIVE_PERCENT,
	COLUMN_EXCLUSIVE_LOW,
	COLUMN_EXCLUSIVE_HIGH,
	COLUMN_CALLS,
	COLUMN_CALLS_BOUND,
	COLUMN_ELAPSED_INCLUSIVE,
	COLUMN_ELAPSED_EXCLUSIVE,
	COLUMN_APPLICATION_INCLUSIVE,
	COLUMN_APPLICATION_EXCLUSIVE,
	COLUMN_ELAPSED_INCLUSIVE_PERCENT,
	COLUMN_ELAPSED_EXCLUSIVE_PERCENT,
	COLUMN_APPLICATION_INCLUSIVE_PERCENT,
	COLUMN_APPLICATION_EXCLUSIVE_PERCENT,
	COLUMN_OFF_CPU,
	COLUMN_OFF_CPU_EXCLUSIVE,
	COLUMN_UNCERTAINTY,
	COLUMN_UNCERTAINTY_EXCLUSIVE,
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

static const char *text_of(const struct annotated *part, uint32_t line)
{
	return part->has_text ? source_text_line(&part->text, line) : NULL;
}

/* A line's row, which may be NULL, or a row of what it calls, or of lines inlined there. */
struct item_of_line {
	const char *type, *name;
	const struct profile *profile; /* of the row */
	const struct row *row;
	int is_line;
};

static const char *or_none(const char *text)
{
	return text && *text ? text : NULL;
}

static const char *const first_names[] = { "type", "file", "line", "name", "module" };
static const char *const last_names[] = { "text",	  "line_from", "line_to", "function",
					  "inlined_from", "callee",    "address", "path" };

static void put_items(struct sheet *sheet, const struct column_list *columns, const struct annotated *part,
		      uint32_t line, const struct item_of_line *item)
{
	const struct row *row = item->row;
	int has_range = row && !row->callee && row_has_range(row);

	sheet_text(sheet, "type", item->type);
	sheet_text(sheet, "file", part->file);
	sheet_count(sheet, "line", line);
	sheet_text(sheet, "name", item->name);
	sheet_text(sheet, "module", part->module);
	put_values(sheet, columns, item->profile, row);
	sheet_source(sheet, "text", item->is_line ? text_of(part, line) : NULL);
	sheet_count_if(sheet, "line_from", has_range ? row->line_from : 0);
	sheet_count_if(sheet, "line_to", has_range ? row->line_to : 0);
	sheet_text(sheet, "function", row ? or_none(row->function) : NULL);
	sheet_text(sheet, "inlined_from", row ? or_none(row->inlined_from) : NULL);
	sheet_text(sheet, "callee", row ? row->callee : NULL);
	sheet_text(sheet, "address", row ? or_none(row->address) : NULL);
	sheet_text(sheet, "path", part->path);
}

static struct item_of_line of_line(const struct annotation *a, const struct annotated_line *line)
{
	return (struct item_of_line){ "line", line->row ? line->row->function : NULL,
				      &a->profiles[ANNOTATE_LINES], line->row, 1 };
}

static struct item_of_line of_callee(const struct annotation *a, const struct row *row)
{
	return (struct item_of_line){ "callee", row->callee, &a->profiles[ANNOTATE_SITES], row, 0 };
}

static struct item_of_line of_inlined(const struct annotation *a, const struct row *row)
{
	return (struct item_of_line){ "inlined", row->name, &a->profiles[ANNOTATE_LINES], row, 0 };
}

/* ---- flat ------------------------------------------------------------------------------------ */

static void flat_columns(struct sheet *sheet, const struct column_list *columns)
{
	const char *names[COLUMN_COUNT + ARRAY_SIZE(first_names) + ARRAY_SIZE(last_names)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(first_names); i++)
		names[n++] = first_names[i];
	for (size_t i = 0; i < columns->n; i++)
		names[n++] = column_infos[columns->list[i]].key;
	for (size_t i = 0; i < ARRAY_SIZE(last_names); i++)
		names[n++] = last_names[i];
	sheet_columns(sheet, names, n);
}

static void put_row(struct sheet *sheet, const struct column_list *columns, const struct annotated *part,
		    uint32_t line, struct item_of_line item)
{
	sheet_open(sheet, NULL, '{', SHEET_INLINE);
	put_items(sheet, columns, part, line, &item);
	sheet_close(sheet);
}

void annotate_flat(struct sheet *sheet, const struct view *view)
{
	const struct annotation *a = (const void *)view;
	const struct column_list columns = columns_of(a);

	flat_columns(sheet, &columns);
	for (size_t p = 0; p < a->n; p++)
		for (size_t i = 0; i < a->parts[p].n; i++) {
			const struct annotated_line *line = &a->parts[p].lines[i];
			const struct annotated *part = &a->parts[p];

			put_row(sheet, &columns, part, line->number, of_line(a, line));
			for (size_t k = 0; k < line->n_callees; k++)
				put_row(sheet, &columns, part, line->number, of_callee(a, line->callees[k]));
			for (size_t k = 0; k < line->n_inlined; k++)
				put_row(sheet, &columns, part, line->number,
					of_inlined(a, line->inlined[k].row));
		}
}

/* ---- nested ---------------------------------------------------------------------------------- */

static void put_line(struct sheet *sheet, const struct annotation *a, const struct annotated *part,
		     const struct annotated_line *line)
{
	const struct column_list columns = columns_of(a);
	const struct item_of_line item = of_line(a, line);

	sheet_open(sheet, NULL, '{', SHEET_INLINE);
	put_items(sheet, &columns, part, line->number, &item);
	sheet_open(sheet, "callees", '[', SHEET_HANG);
	for (size_t i = 0; i < line->n_callees; i++)
		put_row(sheet, &columns, part, line->number, of_callee(a, line->callees[i]));
	sheet_close(sheet);
	sheet_open(sheet, "inlined", '[', SHEET_HANG);
	for (size_t i = 0; i < line->n_inlined; i++)
		put_row(sheet, &columns, part, line->number, of_inlined(a, line->inlined[i].row));
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
	sheet_text(sheet, "newer_than", part->newer_than);
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
	sheet_count(sheet, "sources_hidden", a->files_hidden);
	sheet_open(sheet, "sources", '[', SHEET_BLOCK);
	for (size_t i = 0; i < a->n; i++)
		put_part(sheet, a, &a->parts[i]);
	sheet_close(sheet);
	sheet_close(sheet);
}
