/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html_columns.c - rows of a profile as columns of a section: the values of csv, to the digit, and
 * the marks that tables have. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html_sections.h"
#include "json_pack.h"

void html_rows_any(struct html_rows *rows, struct profile *profile)
{
	*rows = (struct html_rows){ .profile = profile,
				    .rows = xcalloc(profile->n_rows, sizeof(*rows->rows)) };
	for (size_t i = 0; i < profile->n_rows; i++)
		if (!row_is_empty(&profile->rows[i]) && !profile->rows[i].filtered)
			rows->rows[rows->n++] = &profile->rows[i];
}

void html_rows_of(struct html_rows *rows, struct profile *profile, enum column sort)
{
	html_rows_any(rows, profile);
	column_sort(profile, rows->rows, rows->n, column_for(profile, sort));
}

/* As "%.0Lf" has it in csv, whatever it is. */
static int64_t whole(long double value)
{
	if (!(fabsl(value) < 9e18L))
		return value > 0 ? INT64_MAX : INT64_MIN;
	return llrintl(value);
}

/* As "%.6Lf" has it. */
static int64_t millionths(long double value)
{
	char text[64];
	char *point;

	snprintf(text, sizeof(text), "%.6Lf", value);
	point = strchr(text, '.');
	if (!point || !(fabsl(value) < 1e12L))
		return 0;
	memmove(point, point + 1, strlen(point));
	return strtoll(text, NULL, 10);
}

static void put_value(struct html *html, const struct value *value)
{
	struct pack *pack = &html->pack;

	if (value->type == VALUE_NONE || (value->type == VALUE_TEXT && !value->text))
		pack_none(pack);
	else if (value->type == VALUE_TEXT && pack->kind == PACK_HEX)
		pack_number(pack, (int64_t)strtoull(value->text, NULL, 16));
	else if (value->type == VALUE_TEXT)
		pack_number(pack, html_string(html, value->text));
	else if (value->type == VALUE_COUNT)
		pack_number(pack, value->count > INT64_MAX ? INT64_MAX : (int64_t)value->count);
	else
		pack_number(pack,
			    pack->kind == PACK_MILLI ? millionths(value->number) : whole(value->number));
}

static enum pack_kind kind_of(enum column column)
{
	const struct column_info *info = &column_infos[column];

	if (info->family == FAMILY_TEXT || info->heading.form == FORM_TEXT)
		return column == COLUMN_ADDRESS ? PACK_HEX : PACK_STRING;
	return info->heading.form == FORM_PERCENT || info->heading.form == FORM_DECIMAL ? PACK_MILLI
											: PACK_NUMBER;
}

/* The marks that the cells of a table of these rows have. */
void html_marks(struct html *html, struct html_rows *rows, enum column column)
{
	const struct column_info *info = &column_infos[column];
	struct view view = *html->view;
	STRBUF(name);

	if (info->family != FAMILY_TOTAL && info->family != FAMILY_PERCENT &&
	    info->family != FAMILY_AVERAGE && info->family != FAMILY_CPU &&
	    info->family != FAMILY_CPU_PERCENT && info->family != FAMILY_INSTRUCTIONS &&
	    column != COLUMN_CALLS)
		return;
	view.profile = rows->profile;
	view.rows = rows->rows;
	view.n_rows = rows->n;
	if (!rows->is_unit_known)
		rows->unit = cell_unit(&view);
	rows->is_unit_known = 1;
	strbuf_printf(&name, "%s.marks", info->key);
	PACK_NUMBERS(&html->pack, name.text, PACK_BYTE, rows->n,
		     cell_marks(&view, column, rows->rows[i], &rows->unit));
}

void html_column(struct html *html, struct html_rows *rows, enum column column)
{
	pack_column(&html->pack, column_infos[column].key, kind_of(column), NULL);
	for (size_t i = 0; i < rows->n; i++) {
		struct value value = column_value(rows->profile, rows->rows[i], column);

		put_value(html, &value);
	}
	pack_column_end(&html->pack);
	html_marks(html, rows, column);
}

void html_columns(struct html *html, struct html_rows *rows)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (column_in_view(rows->profile, (enum column)i))
			html_column(html, rows, (enum column)i);
}

static int is_core(enum column column)
{
	switch (column_infos[column].family) {
	case FAMILY_TOTAL:
	case FAMILY_CPU:
	case FAMILY_OFF_CPU:
	case FAMILY_UNCERTAINTY:
	case FAMILY_SAMPLES:
	case FAMILY_INSTRUCTIONS:
		return 1;
	default:
		return column == COLUMN_LINE || column == COLUMN_LINE_FROM || column == COLUMN_LINE_TO ||
		       column == COLUMN_CALLS || column == COLUMN_TAIL_CALLS || column == COLUMN_AVERAGE ||
		       column == COLUMN_SHORTEST || column == COLUMN_LONGEST;
	}
}

void html_columns_numbers(struct html *html, struct html_rows *rows, int core)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (column_in_view(rows->profile, (enum column)i) && column_infos[i].family != FAMILY_TEXT &&
		    (!core || is_core((enum column)i)))
			html_column(html, rows, (enum column)i);
}

void html_column_function(struct html *html, struct html_rows *rows)
{
	PACK_NUMBERS(&html->pack, "function", PACK_DELTA, rows->n,
		     html_function(html, rows->profile, rows->rows[i]->entity));
}

/* ---- what the index says --------------------------------------------------------------------- */

static void put_json(struct strbuf *to, const char *key, const char *text)
{
	FREED char *quoted = json_quoted(text ? text : "");

	strbuf_printf(to, "%s\"%s\":%s", to->text[to->length - 1] == '{' ? "" : ",", key, quoted);
}

static void note_column(struct strbuf *to, const struct profile *profile, enum column column)
{
	static const char *const forms[] = { "count",	 "id",	 "time",   "percent", "duration", "decimal",
					     "relation", "name", "module", "source",  "text" };
	static const char *const families[FAMILIES] = {
		[FAMILY_TEXT] = "text",
		[FAMILY_COUNT] = "count",
		[FAMILY_TOTAL] = "total",
		[FAMILY_PERCENT] = "percent",
		[FAMILY_AVERAGE] = "average",
		[FAMILY_SHORTEST] = "shortest",
		[FAMILY_LONGEST] = "longest",
		[FAMILY_UNCERTAINTY] = "uncertainty",
		[FAMILY_QUANTILE] = "quantile",
		[FAMILY_OVERHEAD] = "overhead",
		[FAMILY_OFF_CPU] = "off_cpu",
		[FAMILY_CPU] = "cpu",
		[FAMILY_CPU_PERCENT] = "cpu_percent",
		[FAMILY_OS] = "os",
		[FAMILY_LIFE] = "life",
		[FAMILY_SAMPLES] = "samples",
		[FAMILY_SHARE] = "share",
		[FAMILY_SHARE_LOW] = "share_low",
		[FAMILY_SHARE_HIGH] = "share_high",
		[FAMILY_MPI] = "mpi",
		[FAMILY_SPREAD] = "spread",
		[FAMILY_INSTRUCTIONS] = "instructions",
		[FAMILY_INSTRUCTIONS_SHARE] = "instructions_share",
		[FAMILY_INSTRUCTIONS_TIME] = "instructions_time",
	};
	static const char *const values[VALUE_KINDS] = { "EI", "EE", "AI", "AE" };
	struct heading heading = cell_heading(column, profile);
	const struct column_info *info = &column_infos[column];

	strbuf_puts(to, to->text[to->length - 1] == '[' ? "{" : ",{");
	put_json(to, "name", info->key);
	put_json(to, "group", heading.group);
	put_json(to, "heading", heading.text);
	put_json(to, "form", forms[heading.form]);
	put_json(to, "family", families[info->family]);
	put_json(to, "value", values[info->which]);
	put_json(to, "meaning", info->meaning);
	strbuf_puts(to, "}");
}

static void note_default(struct strbuf *to, const struct profile *profile, enum column_set set,
			 const char *name)
{
	struct column_list list = { 0 };

	column_list_default(&list, profile, set, 0);
	strbuf_printf(to, ",\"%s\":[", name);
	for (size_t i = 0; i < list.n; i++)
		strbuf_printf(to, "%s\"%s\"", i ? "," : "", column_infos[list.list[i]].key);
	strbuf_puts(to, "]");
}

void html_note_table(struct html *html, const char *name, struct html_rows *rows)
{
	struct strbuf *to = &html->notes;

	strbuf_printf(to, "%s\"%s\":{\"rows\":%zu,\"columns\":[", to->length ? "," : "", name, rows->n);
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (column_in_view(rows->profile, (enum column)i))
			note_column(to, rows->profile, (enum column)i);
	strbuf_puts(to, "]");
	note_default(to, rows->profile, COLUMNS_CPU, "cpu");
	note_default(to, rows->profile, COLUMNS_FULL, "full");
	note_default(to, rows->profile, COLUMNS_OS, "os");
	strbuf_puts(to, "}");
}
