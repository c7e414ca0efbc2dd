/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html_executed.c - the part of a page that only executed instructions have, not time: source lines
 * that have code, with the executions of each, as in cinstr annotate; and notes about them. Their
 * rows are those of `--measure=instructions` (view/view.h). */
#include <stdlib.h>
#include <string.h>

#include "html_sections.h"
#include "instructions/instructions.h"
#include "instructions/source_lines.h"
#include "json_pack.h"
#include "lib/array.h"

#define LINES_BEHIND 2 /* of a function, behind the last one with code: its end */

/* A line of a function's source. */
struct shown_line {
	int64_t function, number, row; /* row: of the section of lines; -1: it has no code */
	uint32_t text;
};

/* Where a function's code is, in the file of its definition. */
struct extent {
	uint32_t from, to, end; /* lines; to 0: not known; end: the next function's first one */
};

struct html_executed {
	struct html *html;
	struct source_lines lines;
	struct extent *extents; /* [n_extents], by entity */
	size_t n_extents;
	int64_t *numbers; /* [lines.n]: of the line in the section; -1: it is not in there */
	const struct source_line **used;
	size_t n_used;
	struct shown_line *shown;
	size_t n_shown, size_shown;
	uint64_t left;	     /* bytes */
	struct strbuf notes; /* JSON: [function, "why there is no text"], ... */
	size_t n_without, n_beyond;
};

/* ---- what the index says --------------------------------------------------------------------- */

/* Lines of text as an array of JSON. */
static void put_lines(struct strbuf *to, char *text)
{
	char *rest = NULL;
	int n = 0;

	strbuf_puts(to, "[");
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		FREED char *quoted = json_quoted(line);

		strbuf_printf(to, "%s%s", n++ ? "," : "", quoted);
	}
	strbuf_puts(to, "]");
}

/* What a table of the call paths would have below it. */
static void put_foot(struct html *html)
{
	const struct executed *executed = html->view->executed;
	struct view view = *html->view;
	struct html_rows rows;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	html_rows_any(&rows, html->profiles[HTML_PATHS]);
	view.profile = rows.profile;
	view.rows = rows.rows;
	view.n_rows = rows.n;
	view.n_hidden = 0;
	output_executed_foot(out, &view);
	if (executed->n_stopped)
		fprintf(out, "The recording of %s%zu process%s ended early: the rest is not counted.\n",
			executed->n_merged ? "at least " : "", executed->n_stopped,
			executed->n_stopped == 1 ? "" : "es");
	fclose(out);
	strbuf_puts(&html->more, ",\"foot\":");
	put_lines(&html->more, text);
	free(text);
	free(rows.rows);
}

void html_executed_note(struct html *html)
{
	const char *why = view_why_not_executed(html->wish->view);
	FREED char *quoted = NULL;

	if (html->side == HTML_EXECUTED)
		put_foot(html);
	if (html->side != HTML_FIRST || !html->has_instructions)
		return;
	if (html->wish->view->measure == MEASURE_INSTRUCTIONS)
		strbuf_puts(&html->more, ",\"measure\":\"instructions\"");
	if (!why)
		return;
	quoted = json_quoted(why);
	strbuf_printf(&html->more, ",\"no_instructions\":%s", quoted);
}

/* A number that the page can hold. */
static int64_t whole(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int takes(const void *arg, const struct entity *entity)
{
	return selection_of_entity(arg, entity) == GLOBS_TAKEN;
}

/* The first line of the function behind the one with this number; UINT32_MAX: there is none. */
static uint32_t next_line(const struct html_executed *e, size_t i)
{
	const struct source_function *f = &e->lines.functions[i], *next = f + 1;
	const struct source_function *end = e->lines.functions + e->lines.n_functions;

	while (next < end && next->line == f->line && !strcmp(next->file, f->file))
		next++;
	return next < end && !strcmp(next->file, f->file) ? next->line : UINT32_MAX;
}

/* Of several functions that the compiler made of one all lines are its. */
static void extents_make(struct html_executed *e, const struct names *names)
{
	e->n_extents = names->keys.n;
	e->extents = xcalloc(e->n_extents + 1, sizeof(*e->extents));
	for (size_t i = 0; i < e->lines.n_functions; i++) {
		const struct source_function *f = &e->lines.functions[i];
		struct extent *extent = &e->extents[f->entity];

		if (!f->line)
			continue;
		extent->from = extent->to && extent->from < f->line ? extent->from : f->line;
		extent->to = extent->to > f->last ? extent->to : f->last;
		extent->end = next_line(e, i);
	}
}

static int compare_line(const void *a, const void *b)
{
	const struct source_line *x = a, *y = b;
	int by_file = strcmp(x->file, y->file);

	return by_file ? by_file : x->number < y->number ? -1 : x->number > y->number;
}

/* The line's number in the section, which it gets if it has none; -1: it has no code. */
static int64_t row_of(struct html_executed *e, const char *file, uint32_t number)
{
	const struct source_line wanted = { .file = file, .number = number };
	const struct source_line *line =
		bsearch(&wanted, e->lines.list, e->lines.n, sizeof(wanted), compare_line);

	if (!line)
		return -1;
	if (e->numbers[line - e->lines.list] < 0) {
		e->numbers[line - e->lines.list] = (int64_t)e->n_used;
		e->used[e->n_used++] = line;
	}
	return e->numbers[line - e->lines.list];
}

static void show_line(struct html_executed *e, const struct source_text *text, const char *file,
		      uint32_t number, int64_t function)
{
	STRBUF(shown);

	strbuf_clear(&shown);
	source_text_put(&shown, source_text_line(text, number));
	ARRAY_ROOM(e->shown, e->n_shown, e->size_shown, 256);
	e->shown[e->n_shown++] = (struct shown_line){ function, number, row_of(e, file, number),
						      html_string(e->html, shown.text) };
	e->left -= shown.length < e->left ? shown.length + 1 : e->left;
}

static void show_function(struct html_executed *e, const struct row *row, int64_t function)
{
	const struct extent *extent = &e->extents[row->entity];
	struct source_text text;
	const char *why = instructions_source_text(&text, row->file, e->html->wish->path,
						   e->html->view->executed->begun_ns, 0);
	FREED char *quoted = NULL;

	if (why) {
		quoted = json_quoted(why);
		strbuf_printf(&e->notes, "%s[%lld,%s]", e->n_without++ ? "," : "", (long long)function,
			      quoted);
		return;
	}
	for (uint32_t i = extent->from; i <= extent->to + LINES_BEHIND && source_text_line(&text, i); i++)
		if (i <= extent->to || i < extent->end)
			show_line(e, &text, row->file, i, function);
	source_text_release(&text);
}

void html_executed_read_source(struct html *html)
{
	struct html_executed *e = xcalloc(1, sizeof(*e));
	struct html_rows rows;

	html->executed = e;
	e->html = html;
	e->left = html->wish->source_most;
	strbuf_clear(&e->notes);
	if (!html_has_executed_source(html))
		return;
	source_lines_read(&e->lines, html->view->executed, takes, &html->wish->view->selection);
	extents_make(e, html->view->executed->names);
	e->used = xcalloc(e->lines.n + 1, sizeof(*e->used));
	e->numbers = xcalloc(e->lines.n + 1, sizeof(*e->numbers));
	for (size_t i = 0; i < e->lines.n; i++)
		e->numbers[i] = -1;
	html_rows_of(&rows, html->profiles[HTML_FUNCTIONS], COLUMN_ELAPSED_EXCLUSIVE);
	for (size_t i = 0; i < rows.n; i++) {
		const struct row *row = rows.rows[i];

		if (!row->file || row->entity >= e->n_extents || !e->extents[row->entity].to)
			continue;
		if (e->left)
			show_function(e, row, html_function(html, rows.profile, row->entity));
		else
			e->n_beyond++;
	}
	free(rows.rows);
}

void html_executed_release(struct html *html)
{
	struct html_executed *e = html->executed;

	if (!e)
		return;
	source_lines_release(&e->lines);
	strbuf_release(&e->notes);
	free(e->extents);
	free(e->numbers);
	free(e->used);
	free(e->shown);
	free(e);
}

int html_has_executed_source(const struct html *html)
{
	return !html->wish->no_source;
}

/* What the index says of the columns that lines have. */
static void note_lines(struct html *html, size_t n)
{
	static const char columns[] =
		"{\"name\":\"instructions\",\"group\":\"\",\"heading\":\"Instructions\",\"form\":\"count\","
		"\"family\":\"instructions\",\"value\":\"EE\",\"meaning\":\"executed in the line, in "
		"whichever "
		"functions it is\"},"
		"{\"name\":\"executions\",\"group\":\"\",\"heading\":\"Executed\",\"form\":\"count\","
		"\"family\":\"count\",\"value\":\"EE\",\"meaning\":\"how often: that of its most executed "
		"instruction\"}";
	static const char names[] = "[\"instructions\",\"executions\"]";

	strbuf_printf(&html->notes,
		      "%s\"lines\":{\"rows\":%zu,\"columns\":[%s],\"cpu\":%s,\"full\":%s,\"os\":%s}",
		      html->notes.length ? "," : "", n, columns, names, names, names);
}

void html_write_executed_lines(struct html *html)
{
	const struct html_executed *e = html->executed;
	struct pack *pack = &html->pack;

	note_lines(html, e->n_used);
	PACK_NUMBERS(pack, "instructions", PACK_NUMBER, e->n_used, whole(e->used[i]->instructions));
	PACK_NUMBERS(pack, "instructions.marks", PACK_BYTE, e->n_used,
		     e->used[i]->is_estimate ? output_marks_in(OUTPUT_ESTIMATE) : 0);
	PACK_NUMBERS(pack, "executions", PACK_NUMBER, e->n_used, whole(e->used[i]->executions));
}

void html_write_executed_source(struct html *html)
{
	const struct html_executed *e = html->executed;
	struct pack *pack = &html->pack;

	PACK_NUMBERS(pack, "function", PACK_DELTA, e->n_shown, e->shown[i].function);
	PACK_NUMBERS(pack, "line", PACK_DELTA, e->n_shown, e->shown[i].number);
	PACK_NUMBERS(pack, "row", PACK_DELTA, e->n_shown, e->shown[i].row);
	PACK_NUMBERS(pack, "text", PACK_STRING, e->n_shown, e->shown[i].text);
	strbuf_printf(&html->more, ",\"source\":{\"without\":%zu,\"beyond_budget\":%zu,\"notes\":[%s]}",
		      e->n_without, e->n_beyond, e->notes.text);
}
