/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * annotate_data.c - annotated sources as csv and json: lines with values only. csv: a row of type
 * `line` for each, and rows of type `callee` behind it for what was called from there, whose values
 * are the callee's; of type `inlined` for lines from elsewhere.
 */
#include <string.h>

#include "annotate.h"

static const enum column columns[] = {
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

/* 0: there is no value. */
static int print_value(FILE *out, const struct profile *profile, const struct row *row, enum column column)
{
	struct value value = row ? column_value(profile, row, column) : (struct value){ .type = VALUE_NONE };

	if (value.type == VALUE_COUNT)
		return fprintf(out, "%llu", (unsigned long long)value.count);
	if (value.type == VALUE_NS)
		return fprintf(out, "%.0Lf", value.number);
	if (value.type == VALUE_PERCENT)
		return fprintf(out, "%.6Lf", value.number);
	return 0;
}

static const char *text_of(const struct annotated *part, uint32_t line)
{
	return part->has_text ? source_text_line(&part->text, line) : NULL;
}

/* ---- csv ------------------------------------------------------------------------------------- */

static void csv_row(FILE *out, const struct profile *profile, const struct annotated *part, uint32_t line,
		    const struct row *row, const char *name)
{
	const char *text = text_of(part, line);

	fprintf(out, "%s,", row && row->callee ? "callee" : row && row->line != line ? "inlined" : "line");
	output_csv_text(out, part->file);
	fprintf(out, ",%u,", line);
	output_csv_text(out, name ? name : "");
	fputc(',', out);
	output_csv_text(out, part->module);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (!column_in_view(profile, columns[i]))
			continue;
		fputc(',', out);
		print_value(out, profile, row, columns[i]);
	}
	fputc(',', out);
	output_csv_source(out, text && !(row && (row->callee || row->line != line)) ? text : "");
	if (row && !row->callee && row_has_range(row))
		fprintf(out, ",%u,%u\r\n", row->line_from, row->line_to);
	else
		fputs(",,\r\n", out);
}

void annotate_csv(FILE *out, const struct view *view)
{
	const struct annotation *a = (const void *)view;

	fputs("type,file,line,name,module", out);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (column_in_view(view->profile, columns[i]))
			fprintf(out, ",%s", column_infos[columns[i]].key);
	fputs(",text,line_from,line_to\r\n", out);
	for (size_t p = 0; p < a->n; p++)
		for (size_t i = 0; i < a->parts[p].n; i++) {
			const struct annotated_line *line = &a->parts[p].lines[i];

			csv_row(out, view->profile, &a->parts[p], line->number, line->row,
				line->row ? line->row->function : NULL);
			for (size_t k = 0; k < line->n_callees; k++)
				csv_row(out, &a->profiles[ANNOTATE_SITES], &a->parts[p], line->number,
					line->callees[k], line->callees[k]->callee);
			for (size_t k = 0; k < line->n_inlined; k++)
				csv_row(out, view->profile, &a->parts[p], line->number, line->inlined[k].row,
					line->inlined[k].row->name);
		}
}

/* ---- json ------------------------------------------------------------------------------------ */

static void json_text(FILE *out, const char *key, const char *text)
{
	fprintf(out, "\"%s\": ", key);
	if (text)
		output_json_text(out, text);
	else
		fputs("null", out);
}

static void json_values(FILE *out, const struct profile *profile, const struct row *row)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (!column_in_view(profile, columns[i]))
			continue;
		fprintf(out, ", \"%s\": ", column_infos[columns[i]].key);
		if (!print_value(out, profile, row, columns[i]))
			fputs("null", out);
	}
}

static void json_line(FILE *out, const struct annotation *a, const struct annotated *part,
		      const struct annotated_line *line)
{
	fprintf(out, "        {\"line\": %u, ", line->number);
	json_text(out, "text", text_of(part, line->number));
	fputs(", ", out);
	json_text(out, "function", line->row ? line->row->function : NULL);
	fputs(", ", out);
	json_text(out, "inlined_from",
		  line->row && line->row->inlined_from && *line->row->inlined_from ? line->row->inlined_from
										   : NULL);
	json_values(out, a->view.profile, line->row);
	if (line->row && row_has_range(line->row))
		fprintf(out, ", \"line_from\": %u, \"line_to\": %u", line->row->line_from,
			line->row->line_to);
	else
		fputs(", \"line_from\": null, \"line_to\": null", out);
	fputs(", \"callees\": [", out);
	for (size_t i = 0; i < line->n_callees; i++) {
		fputs(i ? ",\n          {" : "\n          {", out);
		json_text(out, "callee", line->callees[i]->callee);
		fputs(", ", out);
		json_text(out, "address", line->callees[i]->address);
		json_values(out, &a->profiles[ANNOTATE_SITES], line->callees[i]);
		fputc('}', out);
	}
	fputs("], \"inlined\": [", out);
	for (size_t i = 0; i < line->n_inlined; i++) {
		fputs(i ? ",\n          {" : "\n          {", out);
		json_text(out, "name", line->inlined[i].row->name);
		fputs(", ", out);
		json_text(out, "inlined_from", line->inlined[i].row->inlined_from);
		json_values(out, a->view.profile, line->inlined[i].row);
		fputc('}', out);
	}
	fputs("]}", out);
}

static void json_part(FILE *out, const struct annotation *a, const struct annotated *part)
{
	fputs("    {\n      ", out);
	json_text(out, "file", part->file);
	fputs(",\n      ", out);
	json_text(out, "path", part->path);
	fputs(",\n      ", out);
	json_text(out, "module", part->module);
	fputs(",\n      ", out);
	json_text(out, "function", part->function);
	fputs(",\n      ", out);
	json_text(out, "note", part->note);
	fputs(",\n      \"lines\": [", out);
	for (size_t i = 0; i < part->n; i++) {
		fputs(i ? ",\n" : "\n", out);
		json_line(out, a, part, &part->lines[i]);
	}
	fputs("\n      ]\n    }", out);
}

void annotate_json(FILE *out, const struct view *view)
{
	const struct annotation *a = (const void *)view;

	fputs("{\n", out);
	output_json_session(out, view);
	if (!profile_is_sampled(view->profile))
		fprintf(out, "  \"line_events\": %s,\n", view->profile->totals.lines ? "true" : "false");
	fputs("  \"sources\": [\n", out);
	for (size_t i = 0; i < a->n; i++) {
		fputs(i ? ",\n" : "", out);
		json_part(out, a, &a->parts[i]);
	}
	fputs("\n  ]\n}\n", out);
}
