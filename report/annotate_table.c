/* SPDX-License-Identifier: GPL-3.0-or-later */
/* annotate_table.c - annotated sources for people. */
#include <stdlib.h>
#include <string.h>

#include "annotate.h"

#define CONTEXT 2  /* lines shown around those with values */
#define NARROW 110 /* below this Application stays away */
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
	int colour, has_application;
	struct strbuf line;
};

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

/* Of a callee the exclusive times are not the line's. */
static void put_values(struct sheet *sheet, const struct profile *profile, const struct row *row,
		       int is_callee)
{
	if (profile_is_sampled(profile)) {
		put_value(sheet, profile, row, COLUMN_INCLUSIVE_SAMPLES, CALLS_WIDTH);
		put_value(sheet, profile, row, COLUMN_INCLUSIVE_PERCENT, 6);
		put_value(sheet, profile, is_callee ? NULL : row, COLUMN_EXCLUSIVE_SAMPLES, CALLS_WIDTH);
		put_value(sheet, profile, is_callee ? NULL : row, COLUMN_EXCLUSIVE_PERCENT, 6);
		return;
	}
	put_value(sheet, profile, row, COLUMN_CALLS, CALLS_WIDTH);
	put_value(sheet, profile, row, COLUMN_ELAPSED_INCLUSIVE, TIME_WIDTH);
	put_value(sheet, profile, is_callee ? NULL : row, COLUMN_ELAPSED_EXCLUSIVE, TIME_WIDTH);
	put_value(sheet, profile, is_callee ? NULL : row, COLUMN_ELAPSED_EXCLUSIVE_PERCENT, 6);
	if (!sheet->has_application)
		return;
	put_value(sheet, profile, row, COLUMN_APPLICATION_INCLUSIVE, TIME_WIDTH + 1);
	put_value(sheet, profile, is_callee ? NULL : row, COLUMN_APPLICATION_EXCLUSIVE, TIME_WIDTH + 1);
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

static void print_line(struct sheet *sheet, uint32_t number, const struct annotated_line *line)
{
	const struct profile *lines = sheet->annotation->view.profile;
	const struct profile *sites = &sheet->annotation->profiles[ANNOTATE_SITES];
	const char *text = sheet->part->has_text ? source_text_line(&sheet->part->text, number) : NULL;

	put_values(sheet, lines, line ? line->row : NULL, 0);
	strbuf_printf(&sheet->line, "%*u  ", LINE_WIDTH, number);
	if (text)
		source_text_put(&sheet->line, text);
	else if (line && line->row && line->row->function)
		strbuf_visible(&sheet->line, line->row->function);
	end_line(sheet, heat(sheet, line ? line->row : NULL));
	for (size_t i = 0; line && i < line->n_callees; i++) {
		put_values(sheet, sites, line->callees[i], 1);
		strbuf_fill(&sheet->line, ' ', LINE_WIDTH);
		strbuf_puts(&sheet->line, "    -> ");
		strbuf_visible(&sheet->line, line->callees[i]->callee);
		end_line(sheet, "");
	}
}

/* ---- a part ---------------------------------------------------------------------------------- */

static void print_heading(struct sheet *sheet)
{
	static const char *const samples[] = { "incl.", "%", "excl.", "%" };
	static const size_t samples_widths[] = { CALLS_WIDTH, 6, CALLS_WIDTH, 6 };
	static const char *const headings[] = { "Calls", "incl.", "excl.", "%", "A. incl.", "A. excl." };
	static const size_t widths[] = { CALLS_WIDTH, TIME_WIDTH,     TIME_WIDTH,
					 6,	      TIME_WIDTH + 1, TIME_WIDTH + 1 };
	size_t n = sheet->has_application ? ARRAY_SIZE(headings) : 4;
	int is_sampled = profile_is_sampled(sheet->annotation->view.profile);

	for (size_t i = 0; i < n; i++)
		strbuf_printf(&sheet->line, "%*s", (int)(is_sampled ? samples_widths : widths)[i],
			      (is_sampled ? samples : headings)[i]);
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

	if (all && part->has_text)
		return part->end < part->text.n ? part->end : (uint32_t)part->text.n;
	return last;
}

static int is_near(const struct annotated *part, size_t next, uint32_t number)
{
	return (next < part->n && part->lines[next].number <= number + CONTEXT) ||
	       (next && part->lines[next - 1].number + CONTEXT >= number);
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

		if (!all && !has_values && !is_near(part, next, number)) {
			hidden = 1;
			continue;
		}
		if (hidden) {
			strbuf_printf(&sheet->line, "%*s", CALLS_WIDTH, "...");
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

	print_title(sheet);
	print_heading(sheet);
	if (part->has_text) {
		print_texts(sheet);
		return;
	}
	for (size_t i = 0; i < part->n; i++)
		print_line(sheet, part->lines[i].number, &part->lines[i]);
}

void annotate_table(FILE *out, const struct view *view)
{
	struct sheet sheet = { .annotation = (const void *)view,
			       .out = out,
			       .width = output_width(out),
			       .colour = output_is_coloured(out) };

	sheet.has_application = (!sheet.width || sheet.width >= NARROW) &&
				!profile_is_sampled(view->profile) &&
				totals_has_application(&view->profile->totals);
	strbuf_clear(&sheet.line);
	output_heading(out, view);
	if (!view->profile->totals.lines && !profile_is_sampled(view->profile))
		fputs("Lines are resolved to calls: what follows a call is time of its line up to the next "
		      "call.\n"
		      "For every line: compile with -fplugin-arg-cinstr-lines, record with "
		      "--probes=lines.\n\n",
		      out);
	for (size_t i = 0; i < sheet.annotation->n; i++) {
		sheet.part = &sheet.annotation->parts[i];
		fputs(i ? "\n" : "", out);
		print_part(&sheet);
	}
	output_totals(out, view);
	strbuf_release(&sheet.line);
}
