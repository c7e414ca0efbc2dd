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
static void put_values(struct items *items, const struct column_list *columns, const struct profile *profile,
		       const struct row *row)
{
	for (size_t i = 0; i < columns->n; i++) {
		struct value value = { .type = VALUE_NONE };

		if (row && column_in_view(profile, columns->list[i]))
			value = column_value(profile, row, columns->list[i]);
		output_put_value(items, column_infos[columns->list[i]].key, &value);
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

static void put_items(struct items *items, const struct column_list *columns, const struct annotated *part,
		      uint32_t line, const struct item_of_line *item)
{
	const struct row *row = item->row;
	int has_range = row && !row->callee && row_has_range(row);

	items_text(items, "type", item->type);
	items_text(items, "file", part->file);
	items_count(items, "line", line);
	items_text(items, "name", item->name);
	items_text(items, "module", part->module);
	put_values(items, columns, item->profile, row);
	items_source(items, "text", item->is_line ? text_of(part, line) : NULL);
	items_count_if(items, "line_from", has_range ? row->line_from : 0);
	items_count_if(items, "line_to", has_range ? row->line_to : 0);
	items_text(items, "function", row ? or_none(row->function) : NULL);
	items_text(items, "inlined_from", row ? or_none(row->inlined_from) : NULL);
	items_text(items, "callee", row ? row->callee : NULL);
	items_text(items, "address", row ? or_none(row->address) : NULL);
	items_text(items, "path", part->path);
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

static void flat_columns(struct items *items, const struct column_list *columns)
{
	const char *names[COLUMN_COUNT + ARRAY_SIZE(first_names) + ARRAY_SIZE(last_names)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(first_names); i++)
		names[n++] = first_names[i];
	for (size_t i = 0; i < columns->n; i++)
		names[n++] = column_infos[columns->list[i]].key;
	for (size_t i = 0; i < ARRAY_SIZE(last_names); i++)
		names[n++] = last_names[i];
	items_columns(items, names, n);
}

static void put_row(struct items *items, const struct column_list *columns, const struct annotated *part,
		    uint32_t line, struct item_of_line item)
{
	items_open(items, NULL, '{', ITEMS_INLINE);
	put_items(items, columns, part, line, &item);
	items_close(items);
}

void annotate_flat(struct items *items, const struct view *view)
{
	const struct annotation *a = (const void *)view;
	const struct column_list columns = columns_of(a);

	flat_columns(items, &columns);
	for (size_t p = 0; p < a->n; p++)
		for (size_t i = 0; i < a->parts[p].n; i++) {
			const struct annotated_line *line = &a->parts[p].lines[i];
			const struct annotated *part = &a->parts[p];

			put_row(items, &columns, part, line->number, of_line(a, line));
			for (size_t k = 0; k < line->n_callees; k++)
				put_row(items, &columns, part, line->number, of_callee(a, line->callees[k]));
			for (size_t k = 0; k < line->n_inlined; k++)
				put_row(items, &columns, part, line->number,
					of_inlined(a, line->inlined[k].row));
		}
}

/* ---- nested ---------------------------------------------------------------------------------- */

static void put_line(struct items *items, const struct annotation *a, const struct annotated *part,
		     const struct annotated_line *line)
{
	const struct column_list columns = columns_of(a);
	const struct item_of_line item = of_line(a, line);

	items_open(items, NULL, '{', ITEMS_INLINE);
	put_items(items, &columns, part, line->number, &item);
	items_open(items, "callees", '[', ITEMS_HANG);
	for (size_t i = 0; i < line->n_callees; i++)
		put_row(items, &columns, part, line->number, of_callee(a, line->callees[i]));
	items_close(items);
	items_open(items, "inlined", '[', ITEMS_HANG);
	for (size_t i = 0; i < line->n_inlined; i++)
		put_row(items, &columns, part, line->number, of_inlined(a, line->inlined[i].row));
	items_close(items);
	items_close(items);
}

static void put_part(struct items *items, const struct annotation *a, const struct annotated *part)
{
	items_open(items, NULL, '{', ITEMS_BLOCK);
	items_text(items, "file", part->file);
	items_text(items, "path", part->path);
	items_text(items, "module", part->module);
	items_text(items, "function", part->function);
	items_text(items, "note", part->note);
	items_text(items, "newer_than", part->newer_than);
	items_open(items, "lines", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < part->n; i++)
		put_line(items, a, part, &part->lines[i]);
	items_close(items);
	items_close(items);
}

void annotate_nested(struct items *items, const struct view *view)
{
	const struct annotation *a = (const void *)view;

	items_open(items, NULL, '{', ITEMS_BLOCK);
	output_put_session(items, view);
	if (!profile_is_sampled(view->profile))
		items_flag(items, "line_events", view->profile->totals.lines != 0);
	items_count(items, "sources_hidden", a->files_hidden);
	items_open(items, "sources", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < a->n; i++)
		put_part(items, a, &a->parts[i]);
	items_close(items);
	items_close(items);
}
