/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html_source.c - the source lines of functions, up to the budget, those with the most time first;
 * and the rows of the tables of lines and call sites that belong to them, joined as in cinstr
 * annotate. */
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate.h"
#include "html_sections.h"
#include "json_pack.h"

#define LINES_BEHIND 2 /* of a function, behind the last one that is executed: its end */
/* Each one takes a look at all rows: together not at more than about so many. */
#define LOOKED_AT_MOST 30000000
#define FUNCTIONS_LEAST 20
#define FUNCTIONS_MOST 1000 /* whose source is looked for */

struct source_line {
	int64_t function, line, row; /* row: of the section of lines; -1: none */
	uint32_t text;
};

struct source_call {
	int64_t line, site; /* numbers of a source_line, of a row of the section of sites */
};

struct html_source {
	struct html *html;
	struct source_line *lines;
	struct source_call *calls;
	size_t n_lines, n_calls;
	int64_t *line_rows, *site_rows; /* by row of the profile: its row in the section */
	const struct row **used;
	size_t n_used; /* rows of lines, where not all are in the page */
	int is_all;
	uint64_t left;	     /* bytes */
	struct strbuf notes; /* JSON: [function, "why there is no text"], ... */
	size_t n_without, n_beyond;
};

/* Numbers of a profile's rows in a section of these. */
static int64_t *numbers_of(struct html_rows *rows)
{
	const struct profile *profile = rows->profile;
	int64_t *numbers = xcalloc(profile->n_rows + 1, sizeof(*numbers));

	for (size_t i = 0; i < profile->n_rows; i++)
		numbers[i] = -1;
	for (size_t i = 0; i < rows->n; i++)
		numbers[rows->rows[i] - profile->rows] = (int64_t)i;
	return numbers;
}

/* The row's number in the section, which gets one if it has none. */
static int64_t line_row(struct html_source *s, const struct row *row)
{
	int64_t *number = &s->line_rows[row - s->html->profiles[HTML_LINES]->rows];

	if (*number >= 0 || s->is_all)
		return *number;
	s->used[s->n_used] = row;
	*number = (int64_t)s->n_used++;
	return *number;
}

static void add_line(struct html_source *s, const struct annotation *annotation, const struct annotated *part,
		     const struct annotated_line *values, uint32_t number, int64_t function)
{
	const char *text = source_text_line(&part->text, number);
	STRBUF(shown);

	strbuf_clear(&shown);
	source_text_put(&shown, text ? text : "");
	s->lines = xrealloc(s->lines, s->n_lines + 1, sizeof(*s->lines));
	s->lines[s->n_lines] = (struct source_line){ function, number, -1, html_string(s->html, shown.text) };
	s->left -= shown.length < s->left ? shown.length + 1 : s->left;
	if (values && values->row)
		s->lines[s->n_lines].row = line_row(s, values->row);
	for (size_t i = 0; values && i < values->n_callees; i++) {
		s->calls = xrealloc(s->calls, s->n_calls + 1, sizeof(*s->calls));
		s->calls[s->n_calls++] = (struct source_call){
			(int64_t)s->n_lines,
			s->site_rows[values->callees[i] - annotation->profiles[ANNOTATE_SITES].rows]
		};
	}
	s->n_lines++;
}

static void add_part(struct html_source *s, const struct annotation *annotation, const struct annotated *part,
		     int64_t function)
{
	uint32_t to = part->to + LINES_BEHIND < part->end ? part->to + LINES_BEHIND : part->end;
	size_t k = 0;

	for (uint32_t number = part->from; number <= to && number <= part->text.n; number++) {
		while (k < part->n && part->lines[k].number < number)
			k++;
		add_line(s, annotation, part,
			 k < part->n && part->lines[k].number == number ? &part->lines[k] : NULL, number,
			 function);
	}
}

/* Why nothing is there. */
static void add_note(struct html_source *s, int64_t function, const char *note)
{
	FREED char *text = json_quoted(note);

	strbuf_printf(&s->notes, "%s[%lld,%s]", s->notes.length ? "," : "", (long long)function, text);
	s->n_without++;
}

static void add_functions(struct html_source *s, struct annotation *annotation)
{
	struct html_rows rows;
	size_t n = 0, n_rows = 0, most;

	for (int i = 0; i < ANNOTATE_PROFILES; i++)
		n_rows += annotation->profiles[i].n_rows;
	most = LOOKED_AT_MOST / (n_rows + 1);
	most = most > FUNCTIONS_MOST ? FUNCTIONS_MOST : most < FUNCTIONS_LEAST ? FUNCTIONS_LEAST : most;
	html_rows_of(&rows, s->html->profiles[HTML_FUNCTIONS], COLUMN_ELAPSED_EXCLUSIVE);
	for (size_t i = 0; i < rows.n; i++) {
		const struct row *row = rows.rows[i];
		int64_t function = html_function(s->html, rows.profile, row->entity);
		size_t part;

		if (!row->file || !row->line)
			continue;
		if (!s->left || n++ >= most) {
			s->n_beyond++;
			continue;
		}
		part = annotate_function(annotation, row, 0);
		if (annotation->parts[part].has_text)
			add_part(s, annotation, &annotation->parts[part], function);
		else
			add_note(s, function, annotation->parts[part].note);
	}
	free(rows.rows);
}

static void write_lines(struct html *html, const struct html_source *s)
{
	struct pack *pack = &html->pack;

	PACK_NUMBERS(pack, "function", PACK_DELTA, s->n_lines, s->lines[i].function);
	PACK_NUMBERS(pack, "line", PACK_DELTA, s->n_lines, s->lines[i].line);
	PACK_NUMBERS(pack, "row", PACK_DELTA, s->n_lines, s->lines[i].row);
	PACK_NUMBERS(pack, "text", PACK_STRING, s->n_lines, s->lines[i].text);
	PACK_NUMBERS(pack, "call_line", PACK_DELTA, s->n_calls, s->calls[i].line);
	PACK_NUMBERS(pack, "call_site", PACK_DELTA, s->n_calls, s->calls[i].site);
}

int html_has_source(const struct html *html)
{
	return !html->wish->no_source;
}

void html_lines(struct html *html, struct html_rows *rows)
{
	struct html_source *s = html->source;

	html_rows_of(rows, html->profiles[HTML_LINES], HTML_SORT_LINES);
	if (s && !s->is_all) {
		rows->n = s->n_used;
		if (s->n_used)
			memcpy(rows->rows, s->used, s->n_used * sizeof(*s->used));
	}
}

void html_source_read(struct html *html)
{
	struct html_source *s = xcalloc(1, sizeof(*s));
	struct annotation annotation = { .view = *html->view, .all = 1 };
	struct html_rows lines, sites;

	html->source = s;
	s->html = html;
	s->left = html->wish->no_source ? 0 : html->wish->source_most;
	/* Borrowed: they stay the page's. */
	annotation.profiles[ANNOTATE_LINES] = *html->profiles[HTML_LINES];
	annotation.profiles[ANNOTATE_SITES] = *html->profiles[HTML_SITES];
	annotation.profiles[ANNOTATE_FUNCTIONS] = *html->profiles[HTML_FUNCTIONS];
	annotation.view.profile = &annotation.profiles[ANNOTATE_LINES];
	html_rows_of(&lines, html->profiles[HTML_LINES], HTML_SORT_LINES);
	html_rows_of(&sites, html->profiles[HTML_SITES], HTML_SORT_SITES);
	s->is_all = lines.n <= HTML_ROWS_MOST;
	if (!s->is_all)
		lines.n = 0;
	s->used = xcalloc(lines.profile->n_rows + 1, sizeof(*s->used));
	s->line_rows = numbers_of(&lines);
	s->site_rows = numbers_of(&sites);
	strbuf_clear(&s->notes);
	add_functions(s, &annotation);
	annotate_release(&annotation);
	free(lines.rows);
	free(sites.rows);
}

void html_source_release(struct html *html)
{
	struct html_source *s = html->source;

	if (!s)
		return;
	free(s->lines);
	free(s->calls);
	free(s->used);
	free(s->line_rows);
	free(s->site_rows);
	strbuf_release(&s->notes);
	free(s);
}

void html_write_source(struct html *html)
{
	const struct html_source *s = html->source;

	write_lines(html, s);
	strbuf_printf(&html->more, ",\"source\":{\"without\":%zu,\"beyond_budget\":%zu,\"notes\":[%s]}",
		      s->n_without, s->n_beyond, s->notes.text);
}
