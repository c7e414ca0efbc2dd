/* SPDX-License-Identifier: GPL-3.0-or-later */
/* annotate_table.c - annotated sources for people. */
#include <stdlib.h>
#include <string.h>

#include "annotate.h"

#define CONTEXT 2  /* lines shown around those with values */
#define NARROW 110 /* columns: a narrower page leaves Application out */
#define CALLS_WIDTH 10
#define TIME_WIDTH 8
#define LINE_WIDTH 6
#define HOT_PERCENT 10
#define WARM_PERCENT 2

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define RED "\033[31m"
#define YELLOW "\033[33m"
#define PLAIN "\033[0m"

struct sheet {
	const struct annotation *annotation;
	const struct annotated *part;
	FILE *out;
	size_t width; /* 0: no limit */
	int colour;
	const struct shown *shown; /* columns before the source */
	size_t n_shown;
	unsigned lanes; /* of the part's brackets */
	char *is_told;	/* by the part's ranges */
	struct strbuf line;
};

#define BRACKET_BEGIN "\xe2\x94\x8c" /* box drawings: down and right, vertical, up and right */
#define BRACKET_GOES_ON "\xe2\x94\x82"
#define BRACKET_END "\xe2\x94\x94"
#define BRACKET_SHOWN 40 /* lines of a range */
#define BRACKET_TO "\xe2\x94\x80"

/* ---- one line -------------------------------------------------------------------------------- */

static void end_line(struct sheet *sheet, const char *colour)
{
	struct strbuf *line = &sheet->line;

	while (line->length && line->text[line->length - 1] == ' ')
		line->text[--line->length] = '\0';
	if (sheet->width && util_columns(line->text) > sheet->width) {
		struct strbuf fitted = { 0 };

		for (size_t i = 0, columns = 0; columns < sheet->width - 2; columns++) {
			size_t n = 1;

			while ((line->text[i + n] & 0xc0) == 0x80)
				n++;
			strbuf_add(&fitted, line->text + i, n);
			i += n;
		}
		strbuf_puts(&fitted, "..");
		strbuf_release(line);
		*line = fitted;
	}
	colour = sheet->colour ? colour : "";
	fprintf(sheet->out, "%s%s%s\n", colour, line->text, *colour ? PLAIN : "");
	strbuf_clear(line);
}

static void put_right(struct strbuf *line, const struct strbuf *cell, size_t width)
{
	if (cell->length < width)
		strbuf_fill(line, ' ', width - cell->length);
	strbuf_puts(line, cell->text);
}

static void put_value(struct sheet *sheet, const struct profile *profile, const struct row *row,
		      enum column column, size_t width)
{
	struct value value = row ? column_value(profile, row, column) : (struct value){ .type = VALUE_NONE };
	struct strbuf cell = { 0 };

	strbuf_clear(&cell);
	if (value.type == VALUE_COUNT && value.count)
		strbuf_thousands(&cell, value.count);
	else if (value.type == VALUE_NS && value.number > 0)
		strbuf_duration(&cell, value.number);
	else if (value.type == VALUE_PERCENT && value.number >= 0.05L)
		strbuf_printf(&cell, "%.1Lf", value.number);
	put_right(&sheet->line, &cell, width);
	strbuf_release(&cell);
}

/* ---- brackets -------------------------------------------------------------------------------- */

/* Behind a line's number: the brackets that the line is in. `of`: one that begins here, and what is
 * told of it stands behind it; NULL: a line of source. */
static void put_brackets(struct sheet *sheet, uint32_t number, const struct annotated_range *of)
{
	const struct annotated *part = sheet->part;

	for (unsigned lane = 0; lane < sheet->lanes; lane++) {
		const char *mark = of && of->lane < lane ? BRACKET_TO : " ";

		for (size_t i = 0; i < part->n_ranges; i++) {
			const struct annotated_range *range = &part->ranges[i];

			if (range->lane != lane || range->from > number || range->to < number)
				continue;
			if (range == of)
				mark = BRACKET_BEGIN;
			else if (!of)
				mark = range->to == number ? BRACKET_END : BRACKET_GOES_ON;
			else if (range < of)
				mark = BRACKET_GOES_ON;
		}
		strbuf_puts(&sheet->line, mark);
	}
	if (sheet->lanes)
		strbuf_puts(&sheet->line, of ? BRACKET_TO : " ");
}

/* All lines of a short range are shown, and of any where it begins and ends. */
static int is_of_bracket(const struct annotated *part, uint32_t number)
{
	for (size_t i = 0; i < part->n_ranges; i++) {
		const struct annotated_range *range = &part->ranges[i];

		if (number == range->from || number == range->to ||
		    (range->from <= number && number <= range->to && range->to - range->from < BRACKET_SHOWN))
			return 1;
	}
	return 0;
}

/* Columns before the source, by how the session was recorded. */
static const struct shown {
	enum column column;
	size_t width;
	const char *heading;
	int is_own; /* exclusive: of a callee it is not the line's */
} of_probes[] = {
	{ COLUMN_CALLS, CALLS_WIDTH, "Calls", 0 },
	{ COLUMN_ELAPSED_INCLUSIVE, TIME_WIDTH, "incl.", 0 },
	{ COLUMN_ELAPSED_EXCLUSIVE, TIME_WIDTH, "excl.", 1 },
	{ COLUMN_ELAPSED_EXCLUSIVE_PERCENT, 6, "%", 1 },
	{ COLUMN_APPLICATION_INCLUSIVE, TIME_WIDTH + 1, "A. incl.", 0 },
	{ COLUMN_APPLICATION_EXCLUSIVE, TIME_WIDTH + 1, "A. excl.", 1 },
}, of_samples[] = {
	{ COLUMN_INCLUSIVE_SAMPLES, CALLS_WIDTH, "incl.", 0 },
	{ COLUMN_INCLUSIVE_PERCENT, 6, "%", 0 },
	{ COLUMN_EXCLUSIVE_SAMPLES, CALLS_WIDTH, "excl.", 1 },
	{ COLUMN_EXCLUSIVE_PERCENT, 6, "%", 1 },
};

static void choose_columns(struct sheet *sheet, const struct profile *profile)
{
	int has_application =
		(!sheet->width || sheet->width >= NARROW) && totals_has_application(&profile->totals);
	int is_sampled = profile_is_sampled(profile);

	sheet->shown = is_sampled ? of_samples : of_probes;
	sheet->n_shown =
		is_sampled ? ARRAY_SIZE(of_samples) : ARRAY_SIZE(of_probes) - (has_application ? 0 : 2);
}

/* `alone`: whose exclusive values these are; NULL, as for `row`: not known. */
static void put_columns(struct sheet *sheet, const struct profile *profile, const struct row *row,
			const struct row *alone)
{
	for (size_t i = 0; i < sheet->n_shown; i++) {
		const struct shown *shown = &sheet->shown[i];

		put_value(sheet, profile, shown->is_own ? alone : row, shown->column, shown->width);
	}
}

static void put_values(struct sheet *sheet, const struct profile *profile, const struct row *row,
		       int is_callee)
{
	int has_bracket = row && row_has_range(row); /* which has them */

	put_columns(sheet, profile, row, is_callee || has_bracket ? NULL : row);
}

static const char *heat(const struct sheet *sheet, const struct row *row)
{
	const struct profile *profile = sheet->annotation->view.profile;
	struct value share;

	if (!row)
		return DIM;
	share = column_value(profile, row, column_for(profile, COLUMN_ELAPSED_EXCLUSIVE_PERCENT));
	return share.number >= HOT_PERCENT ? RED : share.number >= WARM_PERCENT ? YELLOW : "";
}

/* Below the line that it was inlined on. Of several such lines it is told at the first. */
static void print_inlined(struct sheet *sheet, const struct row *row)
{
	put_values(sheet, sheet->annotation->view.profile, row, 0);
	strbuf_fill(&sheet->line, ' ', LINE_WIDTH);
	strbuf_puts(&sheet->line, "    -> ");
	strbuf_visible(&sheet->line, row->name);
	strbuf_puts(&sheet->line, ", inlined: ");
	strbuf_visible(&sheet->line, row->inlined_from);
	end_line(sheet, heat(sheet, row));
}

/* What is known only of several lines together. */
static void print_range(struct sheet *sheet, const struct annotated_range *range)
{
	const struct profile *lines = sheet->annotation->view.profile;
	const struct row *row = range->row;

	put_columns(sheet, lines, NULL, row);
	strbuf_fill(&sheet->line, ' ', LINE_WIDTH + 1);
	put_brackets(sheet, range->from, range);
	strbuf_printf(&sheet->line, " in %u-%u, after the %s %u", range->from, range->to,
		      row->calls ? "calls in" : "entry in", row->line);
	end_line(sheet, heat(sheet, row));
}

/* The line where the range begins; if it has no bracket, the line that it is known by. */
static void print_ranges(struct sheet *sheet, uint32_t number)
{
	for (size_t i = 0; i < sheet->part->n_ranges; i++) {
		const struct annotated_range *range = &sheet->part->ranges[i];

		if (sheet->is_told[i] ||
		    (range->lane < ANNOTATE_LANES ? range->from : range->row->line) > number)
			continue;
		sheet->is_told[i] = 1;
		print_range(sheet, range);
	}
}

static void print_line(struct sheet *sheet, uint32_t number, const struct annotated_line *line)
{
	const struct profile *lines = sheet->annotation->view.profile;
	const struct profile *sites = &sheet->annotation->profiles[ANNOTATE_SITES];
	const char *text = sheet->part->has_text ? source_text_line(&sheet->part->text, number) : NULL;

	print_ranges(sheet, number);
	put_values(sheet, lines, line ? line->row : NULL, 0);
	strbuf_printf(&sheet->line, "%*u ", LINE_WIDTH, number);
	put_brackets(sheet, number, NULL);
	strbuf_puts(&sheet->line, " ");
	if (text)
		source_text_put(&sheet->line, text);
	else if (line && line->row && line->row->function)
		strbuf_visible(&sheet->line, line->row->function);
	end_line(sheet, heat(sheet, line && line->row && !row_has_range(line->row) ? line->row : NULL));
	for (size_t i = 0; line && i < line->n_callees; i++) {
		put_values(sheet, sites, line->callees[i], 1);
		strbuf_fill(&sheet->line, ' ', LINE_WIDTH);
		strbuf_puts(&sheet->line, "    -> ");
		strbuf_visible(&sheet->line, line->callees[i]->callee);
		end_line(sheet, "");
	}
	for (size_t i = 0; line && i < line->n_inlined; i++)
		print_inlined(sheet, line->inlined[i].row);
}

/* ---- a part ---------------------------------------------------------------------------------- */

static void print_heading(struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->n_shown; i++)
		strbuf_printf(&sheet->line, "%*s", (int)sheet->shown[i].width, sheet->shown[i].heading);
	strbuf_printf(&sheet->line, "%*s  Source", LINE_WIDTH, "Line");
	end_line(sheet, BOLD);
}

static void print_title(struct sheet *sheet)
{
	const struct annotated *part = sheet->part;

	if (part->function) {
		strbuf_visible(&sheet->line, part->function);
		strbuf_puts(&sheet->line, ", ");
	}
	strbuf_visible(&sheet->line, part->path ? part->path : part->file);
	if (part->function)
		strbuf_printf(&sheet->line, ":%u", part->from);
	strbuf_puts(&sheet->line, ", ");
	strbuf_visible(&sheet->line, util_basename(part->module));
	end_line(sheet, BOLD);
	if (!part->note)
		return;
	strbuf_printf(&sheet->line, "Note: %s", part->note);
	end_line(sheet, "");
}

/* The last line to show: a file's end, or in a function what has values and what is around it. */
static uint32_t last_line(const struct annotated *part, int all)
{
	uint32_t last = part->n ? part->lines[part->n - 1].number : part->from;

	for (size_t i = 0; i < part->n_ranges; i++)
		if (part->ranges[i].to > last)
			last = part->ranges[i].to;
	if (part->has_text && last > part->text.n)
		last = (uint32_t)part->text.n;
	if (all && part->has_text)
		return part->end < part->text.n ? part->end : (uint32_t)part->text.n;
	return last;
}

static int is_near(const struct annotated *part, size_t next, uint32_t number)
{
	return (next < part->n && part->lines[next].number <= number + CONTEXT) ||
	       (next && part->lines[next - 1].number + CONTEXT >= number);
}

static size_t values_width(const struct sheet *sheet)
{
	size_t width = 0;

	for (size_t i = 0; i < sheet->n_shown; i++)
		width += sheet->shown[i].width;
	return width;
}

static void print_texts(struct sheet *sheet)
{
	const struct annotated *part = sheet->part;
	int all = sheet->annotation->all, hidden = 0;
	uint32_t last = last_line(part, all);
	size_t next = 0;

	if (!all && last + CONTEXT < part->end && last + CONTEXT <= part->text.n)
		last += CONTEXT;
	for (uint32_t number = part->from; number <= last; number++) {
		int has_values = next < part->n && part->lines[next].number == number;

		if (!all && !has_values && !is_near(part, next, number) && !is_of_bracket(part, number)) {
			hidden = 1;
			continue;
		}
		if (hidden) {
			strbuf_printf(&sheet->line, "%*s", CALLS_WIDTH, "...");
			if (sheet->lanes)
				strbuf_fill(&sheet->line, ' ',
					    values_width(sheet) + LINE_WIDTH + 1 - CALLS_WIDTH);
			put_brackets(sheet, number - 1, NULL);
			end_line(sheet, DIM);
		}
		hidden = 0;
		print_line(sheet, number, has_values ? &part->lines[next] : NULL);
		next += (size_t)has_values;
	}
}

static void print_part(struct sheet *sheet)
{
	const struct annotated *part = sheet->part;

	sheet->lanes = 0;
	for (size_t i = 0; i < part->n_ranges; i++)
		if (part->ranges[i].lane < ANNOTATE_LANES && part->ranges[i].lane + 1 > sheet->lanes)
			sheet->lanes = part->ranges[i].lane + 1;
	sheet->is_told = xcalloc(part->n_ranges + 1, 1);
	print_title(sheet);
	print_heading(sheet);
	if (part->has_text)
		print_texts(sheet);
	for (size_t i = 0; !part->has_text && i < part->n; i++)
		print_line(sheet, part->lines[i].number, &part->lines[i]);
	free(sheet->is_told);
}

void annotate_table(FILE *out, const struct view *view)
{
	struct sheet sheet = { .annotation = (const void *)view,
			       .out = out,
			       .width = output_width(out),
			       .colour = output_is_coloured(out) };

	choose_columns(&sheet, view->profile);
	strbuf_clear(&sheet.line);
	output_heading(out, view);
	if (!view->profile->totals.lines && !profile_is_sampled(view->profile))
		fputs("Lines are resolved to calls: a bracket spans the lines that the time may be of.\n"
		      "For each line: compile with -fplugin-arg-cinstr-lines, record --probes=lines.\n\n",
		      out);
	for (size_t i = 0; i < sheet.annotation->n; i++) {
		sheet.part = &sheet.annotation->parts[i];
		fputs(i ? "\n" : "", out);
		print_part(&sheet);
	}
	output_totals(out, view);
	strbuf_release(&sheet.line);
}
