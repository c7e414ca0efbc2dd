/* SPDX-License-Identifier: GPL-3.0-or-later */
/* annotate_table.c - writes annotated sources for people. */
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "lib/terminal.h"
#include "output/grid.h"
#include "output/upper_end.h"
#include "quickfix.h"

#define CONTEXT 2  /* lines shown around those with values */
#define NARROW 110 /* columns: a narrower page leaves Application out */
#define CALLS_WIDTH 10
#define TIME_WIDTH 8
#define LINE_WIDTH 6
#define END_LEAST 1000 /* ns of uncertainty from which on Application times are shown as `<= x` */

struct listing {
	const struct annotation *annotation;
	const struct annotated *part;
	size_t width; /* 0: no limit */
	annotate_take take;
	void *arg;
	struct shown {
		enum column column;
		size_t width;
		const char *heading;
		int is_own;    /* exclusive: of a callee it is not the line's */
	} shown[COLUMN_COUNT]; /* columns before the source */
	size_t n_shown;
	size_t wider;	    /* the mark that a time begins with, if any of them has one */
	size_t wider_calls; /* the same of calls */
	unsigned lanes;	    /* of the part's brackets */
	char *is_told;	    /* by the part's ranges */
	struct strbuf line;
};

#define BRACKET_SHOWN 40 /* lines of a range */

/* ---- one line -------------------------------------------------------------------------------- */

static void end_line_of(struct listing *listing, struct annotate_line *about)
{
	struct strbuf *line = &listing->line;

	while (line->length && line->text[line->length - 1] == ' ')
		line->text[--line->length] = '\0';
	if (listing->width && util_columns(line->text) > listing->width) {
		line->length = util_head(line->text, listing->width - 2);
		line->text[line->length] = '\0';
		strbuf_puts(line, "..");
	}
	about->text = line->text;
	listing->take(listing->arg, about);
	strbuf_clear(line);
}

static void end_line(struct listing *listing, enum ink heat)
{
	end_line_of(listing, &(struct annotate_line){ .heat = heat });
}

static void put_right(struct strbuf *line, const struct strbuf *cell, size_t width)
{
	if (cell->length < width)
		strbuf_fill(line, ' ', width - cell->length);
	strbuf_puts(line, cell->text);
}

static void put_value(struct listing *listing, const struct profile *profile, const struct row *row,
		      enum column column, size_t width)
{
	struct value value = row ? column_value(profile, row, column) : (struct value){ .type = VALUE_NONE };
	long double end = row ? upper_end_of(profile, row, column, END_LEAST) : -1;
	STRBUF(cell);

	strbuf_clear(&cell);
	if (end >= 0 && value.type == VALUE_NS) {
		strbuf_puts(&cell, UPPER_END_MARK);
		strbuf_duration(&cell, end);
	} else if (end >= 0.05L) {
		strbuf_printf(&cell, UPPER_END_MARK "%.1Lf", upper_end_shown(end, 1));
	} else if (value.type == VALUE_COUNT && value.count) {
		strbuf_puts(&cell, lower_end_is_all(row, column) ? LOWER_END_MARK : "");
		strbuf_thousands(&cell, value.count);
	} else if (value.type == VALUE_NS && value.number > 0) {
		strbuf_duration(&cell, value.number);
	} else if (value.type == VALUE_PERCENT && value.number >= 0.05L) {
		strbuf_printf(&cell, "%.1Lf", value.number);
	} else if (value.type == VALUE_TEXT) {
		strbuf_visible(&cell, value.text);
	}
	put_right(&listing->line, &cell, width);
}

/* ---- brackets -------------------------------------------------------------------------------- */

struct signs {
	const char *begin, *goes_on, *end, *to;
};

/* Box drawings (down and right, vertical, up and right, horizontal) where they can be shown. */
static const struct signs *bracket_signs(void)
{
	static const struct signs boxes = { "\xe2\x94\x8c", "\xe2\x94\x82", "\xe2\x94\x94", "\xe2\x94\x80" };
	static const struct signs ascii = { "+", "|", "+", "-" };

	return terminal_is_utf8() ? &boxes : &ascii;
}

/* Behind a line's number: the brackets that the line is in. `of`: one that begins here, and what is
 * told of it stands behind it; NULL: a line of source. */
static void put_brackets(struct listing *listing, uint32_t number, const struct annotated_range *of)
{
	const struct annotated *part = listing->part;
	const struct signs *signs = bracket_signs();

	for (unsigned lane = 0; lane < listing->lanes; lane++) {
		const char *mark = of && of->lane < lane ? signs->to : " ";

		for (size_t i = 0; i < part->n_ranges; i++) {
			const struct annotated_range *range = &part->ranges[i];

			if (range->lane != lane || range->from > number || range->to < number)
				continue;
			if (range == of)
				mark = signs->begin;
			else if (!of)
				mark = range->to == number ? signs->end : signs->goes_on;
			else if (range < of)
				mark = signs->goes_on;
		}
		strbuf_puts(&listing->line, mark);
	}
	if (listing->lanes)
		strbuf_puts(&listing->line, of ? signs->to : " ");
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
static const struct shown of_probes[] = {
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

static const struct shown *shown_of(const struct shown *list, size_t n, enum column column)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].column == column)
			return &list[i];
	return NULL;
}

/* A column of --columns. */
static struct shown chosen(const struct profile *profile, enum column column)
{
	const struct column_info *info = &column_infos[column];
	int is_sampled = profile_is_sampled(profile);
	const struct shown *own = is_sampled ? shown_of(of_samples, ARRAY_SIZE(of_samples), column)
					     : shown_of(of_probes, ARRAY_SIZE(of_probes), column);
	size_t width = strlen(info->heading.text) + 2;

	if (own)
		return *own;
	return (struct shown){ column, width > TIME_WIDTH + 2 ? width : TIME_WIDTH + 2, info->heading.text,
			       info->which == VALUE_ELAPSED_EXCLUSIVE ||
				       info->which == VALUE_APPLICATION_EXCLUSIVE };
}

void annotate_table_columns(struct column_list *list, const struct profile *profile)
{
	int is_sampled = profile_is_sampled(profile);
	size_t n = is_sampled				      ? ARRAY_SIZE(of_samples)
		   : totals_has_application(&profile->totals) ? ARRAY_SIZE(of_probes)
							      : ARRAY_SIZE(of_probes) - 2;

	*list = (struct column_list){ 0 };
	for (size_t i = 0; i < n; i++)
		list->list[list->n++] = is_sampled ? of_samples[i].column : of_probes[i].column;
}

static void choose_columns(struct listing *listing, const struct profile *profile)
{
	int is_narrow = listing->width && listing->width < NARROW;
	const struct column_list *wished = listing->annotation->columns;
	struct column_list list;

	if (!wished)
		annotate_table_columns(&list, profile);
	for (size_t i = 0; i < (wished ? wished : &list)->n; i++) {
		enum column column = (wished ? wished : &list)->list[i];

		if (wished || !is_narrow ||
		    (column != COLUMN_APPLICATION_INCLUSIVE && column != COLUMN_APPLICATION_EXCLUSIVE))
			listing->shown[listing->n_shown++] = chosen(profile, column);
	}
}

static size_t width_of(const struct listing *listing, const struct shown *shown)
{
	enum column_family family = column_infos[shown->column].family;

	if (shown->column == COLUMN_CALLS)
		return shown->width + listing->wider_calls;
	return shown->width + (family == FAMILY_TOTAL || family == FAMILY_PERCENT ? listing->wider : 0);
}

static void widen_column(struct listing *listing, const struct profile *profile, const struct row *row,
			 enum column column)
{
	if (upper_end_of(profile, row, column, END_LEAST) >= 0)
		listing->wider = strlen(UPPER_END_MARK);
	if (lower_end_is_all(row, column))
		listing->wider_calls = strlen(LOWER_END_MARK);
}

/* Makes room for the marks `<= ` and `>= `. */
static void widen_columns(struct listing *listing, const struct profile *profile)
{
	for (size_t r = 0; r < profile->n_rows; r++)
		for (size_t i = 0; i < listing->n_shown; i++)
			widen_column(listing, profile, &profile->rows[r], listing->shown[i].column);
}

/* `alone`: whose exclusive values these are; NULL, as for `row`: not known. */
static void put_columns(struct listing *listing, const struct profile *profile, const struct row *row,
			const struct row *alone)
{
	for (size_t i = 0; i < listing->n_shown; i++) {
		const struct shown *shown = &listing->shown[i];

		put_value(listing, profile, shown->is_own ? alone : row, shown->column,
			  width_of(listing, shown));
	}
}

static void put_values(struct listing *listing, const struct profile *profile, const struct row *row,
		       int is_callee)
{
	int has_bracket = row && row_has_range(row); /* which has them */

	put_columns(listing, profile, row, is_callee || has_bracket ? NULL : row);
}

static enum ink heat(const struct listing *listing, const struct row *row)
{
	const struct profile *profile = listing->annotation->view.profile;
	struct value share;

	if (!row)
		return INK_DIM;
	share = column_value(profile, row, column_for(profile, COLUMN_ELAPSED_EXCLUSIVE_PERCENT));
	return ink_of_share(share.number);
}

/* "f at a.c:9, g at a.c:84": whose line it is, f. */
static void put_inlined_function(struct strbuf *line, const struct row *row)
{
	const char *end = strstr(row->inlined_from, " at ");
	FREED char *function = strndup(row->inlined_from, end ? (size_t)(end - row->inlined_from) : SIZE_MAX);

	strbuf_visible(line, function);
}

/* What was called on the line, in the part's function. */
static void print_inlined_calls(struct listing *listing, const struct row *row)
{
	const struct profile *sites = &listing->annotation->profiles[ANNOTATE_SITES];

	for (size_t i = 0; i < sites->n_rows; i++) {
		const struct row *site = &sites->rows[i];

		if (!site->callee || site->line != row->line || !site->file ||
		    strcmp(site->file, row->file) || !site->calls ||
		    strcmp(site->name, listing->part->function) ||
		    strcmp(site->module, listing->part->module))
			continue;
		put_values(listing, sites, site, 1);
		strbuf_fill(&listing->line, ' ', LINE_WIDTH);
		strbuf_puts(&listing->line, "       -> ");
		strbuf_visible(&listing->line, site->callee);
		end_line_of(listing, &(struct annotate_line){ .callee = site });
	}
}

/* Below the line that it was inlined on. Of several such lines it is told at the first. */
static void print_inlined(struct listing *listing, const struct row *row)
{
	put_columns(listing, listing->annotation->view.profile, row, row);
	strbuf_fill(&listing->line, ' ', LINE_WIDTH);
	strbuf_puts(&listing->line, "    -> ");
	put_inlined_function(&listing->line, row);
	strbuf_puts(&listing->line, ", inlined (");
	strbuf_visible(&listing->line, row->name);
	strbuf_puts(&listing->line, ")");
	if (row_has_range(row)) /* it has no bracket, as it is elsewhere */
		strbuf_printf(&listing->line, ", time of %u-%u", row->line_from, row->line_to);
	end_line_of(listing, &(struct annotate_line){ .heat = heat(listing, row), .own = row });
	print_inlined_calls(listing, row);
}

/* What is known only of several lines together. */
static void print_range(struct listing *listing, const struct annotated_range *range)
{
	const struct profile *lines = listing->annotation->view.profile;
	const struct row *row = range->row;

	put_columns(listing, lines, NULL, row);
	strbuf_fill(&listing->line, ' ', LINE_WIDTH + 1);
	put_brackets(listing, range->from, range);
	strbuf_printf(&listing->line, " in %u-%u, after the %s %u", range->from, range->to,
		      row->calls ? "calls in" : "entry in", row->line);
	end_line_of(listing, &(struct annotate_line){ .heat = heat(listing, row), .own = row });
}

/* The line where the range begins; if it has no bracket, the line that it is known by. */
static void print_ranges(struct listing *listing, uint32_t number)
{
	for (size_t i = 0; i < listing->part->n_ranges; i++) {
		const struct annotated_range *range = &listing->part->ranges[i];

		if (listing->is_told[i] ||
		    (range->lane < ANNOTATE_LANES ? range->from : range->row->line) > number)
			continue;
		listing->is_told[i] = 1;
		print_range(listing, range);
	}
}

static void print_line(struct listing *listing, uint32_t number, const struct annotated_line *line)
{
	const struct profile *lines = listing->annotation->view.profile;
	const struct profile *sites = &listing->annotation->profiles[ANNOTATE_SITES];
	const char *text = listing->part->has_text ? source_text_line(&listing->part->text, number) : NULL;
	const struct row *own;

	print_ranges(listing, number);
	put_values(listing, lines, line ? line->row : NULL, 0);
	strbuf_printf(&listing->line, "%*u ", LINE_WIDTH, number);
	put_brackets(listing, number, NULL);
	strbuf_puts(&listing->line, " ");
	if (text)
		source_text_put(&listing->line, text);
	else if (line && line->row && line->row->function)
		strbuf_visible(&listing->line, line->row->function);
	own = line && line->row && !row_has_range(line->row) ? line->row : NULL;
	end_line_of(listing,
		    &(struct annotate_line){ .heat = heat(listing, own), .number = number, .own = own });
	for (size_t i = 0; line && i < line->n_callees; i++) {
		put_values(listing, sites, line->callees[i], 1);
		strbuf_fill(&listing->line, ' ', LINE_WIDTH);
		strbuf_puts(&listing->line, "    -> ");
		strbuf_visible(&listing->line, line->callees[i]->callee);
		end_line_of(listing, &(struct annotate_line){ .callee = line->callees[i] });
	}
	for (size_t i = 0; line && i < line->n_inlined; i++)
		print_inlined(listing, line->inlined[i].row);
}

/* ---- a part ---------------------------------------------------------------------------------- */

static void print_heading(struct listing *listing)
{
	for (size_t i = 0; i < listing->n_shown; i++)
		strbuf_printf(&listing->line, "%*s", (int)width_of(listing, &listing->shown[i]),
			      listing->shown[i].heading);
	strbuf_printf(&listing->line, "%*s  Source", LINE_WIDTH, "Line");
	end_line(listing, INK_HEADING);
}

static void print_title(struct listing *listing)
{
	const struct annotated *part = listing->part;

	if (part->function) {
		strbuf_visible(&listing->line, part->function);
		strbuf_puts(&listing->line, ", ");
	}
	strbuf_visible(&listing->line, part->path ? part->path : part->file);
	if (part->function)
		strbuf_printf(&listing->line, ":%u", part->from);
	strbuf_puts(&listing->line, ", ");
	strbuf_visible(&listing->line, util_basename(part->module));
	end_line(listing, INK_HEADING);
	if (!part->note)
		return;
	strbuf_printf(&listing->line, "Note: %s", part->note);
	end_line(listing, INK_PLAIN);
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

static size_t values_width(const struct listing *listing)
{
	size_t width = 0;

	for (size_t i = 0; i < listing->n_shown; i++)
		width += width_of(listing, &listing->shown[i]);
	return width;
}

static void print_texts(struct listing *listing)
{
	const struct annotated *part = listing->part;
	int all = listing->annotation->all, hidden = 0;
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
			strbuf_printf(&listing->line, "%*s", CALLS_WIDTH, "...");
			if (listing->lanes)
				strbuf_fill(&listing->line, ' ',
					    values_width(listing) + LINE_WIDTH + 1 - CALLS_WIDTH);
			put_brackets(listing, number - 1, NULL);
			end_line(listing, INK_DIM);
		}
		hidden = 0;
		print_line(listing, number, has_values ? &part->lines[next] : NULL);
		next += (size_t)has_values;
	}
}

static void print_part(struct listing *listing)
{
	const struct annotated *part = listing->part;

	listing->lanes = 0;
	for (size_t i = 0; i < part->n_ranges; i++)
		if (part->ranges[i].lane < ANNOTATE_LANES && part->ranges[i].lane + 1 > listing->lanes)
			listing->lanes = part->ranges[i].lane + 1;
	listing->is_told = xcalloc(part->n_ranges + 1, 1);
	print_title(listing);
	print_heading(listing);
	if (part->has_text)
		print_texts(listing);
	for (size_t i = 0; !part->has_text && i < part->n; i++)
		print_line(listing, part->lines[i].number, &part->lines[i]);
	free(listing->is_told);
}

static void listing_begin(struct listing *listing, const struct annotation *annotation, size_t width,
			  annotate_take take, void *arg)
{
	const struct profile *lines = &annotation->profiles[ANNOTATE_LINES];

	*listing = (struct listing){ .annotation = annotation, .width = width, .take = take, .arg = arg };
	choose_columns(listing, lines);
	widen_columns(listing, lines);
	widen_columns(listing, &annotation->profiles[ANNOTATE_SITES]);
	strbuf_clear(&listing->line);
}

void annotate_part(const struct annotation *annotation, size_t part, size_t width, annotate_take take,
		   void *arg)
{
	struct listing listing;

	listing_begin(&listing, annotation, width, take, arg);
	listing.part = &annotation->parts[part];
	print_part(&listing);
	strbuf_release(&listing.line);
}

static void print(void *arg, const struct annotate_line *line)
{
	const struct printer *printer = arg;

	fprintf(printer->out, "%s%s%s\n", ink(printer->is_coloured, line->heat), line->text,
		ink_end(printer->is_coloured, line->heat));
}

void annotate_table(struct items *items, const struct view *view)
{
	const struct annotation *annotation = (const void *)view;
	FILE *out = items->out;
	struct printer printer = printer_of(out);
	struct listing listing;

	if (annotation->quickfix) {
		quickfix_write(out, annotation->quickfix);
		return;
	}
	listing_begin(&listing, annotation, printer.width, print, &printer);
	output_heading(out, view, WHOLE_ELAPSED);
	if (!view->profile->totals.lines && !profile_is_sampled(view->profile))
		fputs(ANNOTATE_BRACKETS "\n", out);
	for (size_t i = 0; i < listing.annotation->n; i++) {
		listing.part = &listing.annotation->parts[i];
		fputs(i ? "\n" : "", out);
		print_part(&listing);
	}
	output_foot(out, view);
	strbuf_release(&listing.line);
}
