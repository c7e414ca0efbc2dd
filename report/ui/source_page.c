/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source_page.c - the page of a function's source with the values of each line, as in cinstr
 * annotate; the cursor starts at the line with most time. */
#include <stdlib.h>
#include <string.h>

#include "browser.h"
#include "page.h"

#define PART_HEADINGS 2 /* lines of a part: its title, its columns */

struct source_line {
	char *text;
	enum ink heat;
	uint32_t number;
	const struct row *own, *callee;
};

struct source_page {
	struct page page;
	size_t part; /* of the annotation */
	unsigned width;
	struct source_line *lines; /* headings, too */
	size_t n, size;
	char *name;
	struct ui_function function;
};

/* ---- lines ----------------------------------------------------------------------------------- */

static void lines_release(struct source_page *source)
{
	for (size_t i = 0; i < source->n; i++)
		free(source->lines[i].text);
	source->n = 0;
}

static void take(void *arg, const struct annotate_line *line)
{
	struct source_page *source = arg;

	if (source->n == source->size) {
		source->size = source->size ? 2 * source->size : 256;
		source->lines = xrealloc(source->lines, source->size, sizeof(*source->lines));
	}
	source->lines[source->n++] = (struct source_line){
		.text = xstrdup(line->text), .heat = line->heat, .own = line->own, .callee = line->callee
	};
}

static void lay_out(struct source_page *source, unsigned width)
{
	if (source->width == width)
		return;
	lines_release(source);
	annotate_part(&source->page.session->annotation, source->part, width, take, source);
	source->width = width;
}

static long double share_of(const struct source_page *source, const struct row *row, enum column column)
{
	const struct profile *profile = &source->page.session->annotation.profiles[ANNOTATE_LINES];

	return row ? column_value(profile, row, column_for(profile, column)).number : -1;
}

/* Of those that have no time of their own, where most was called from. */
static size_t hottest(const struct source_page *source)
{
	size_t best = PART_HEADINGS;
	long double most = 0;

	for (size_t i = PART_HEADINGS; i < source->n; i++) {
		long double share = share_of(source, source->lines[i].own, COLUMN_ELAPSED_EXCLUSIVE_PERCENT);

		if (share > most) {
			most = share;
			best = i;
		}
	}
	return best - PART_HEADINGS;
}

/* ---- the page -------------------------------------------------------------------------------- */

static size_t n_lines(struct page *page)
{
	const struct source_page *source = (const struct source_page *)page;

	return source->n > PART_HEADINGS ? source->n - PART_HEADINGS : 0;
}

static const struct source_line *line_at(const struct page *page, size_t line)
{
	const struct source_page *source = (const struct source_page *)page;

	return line + PART_HEADINGS < source->n ? &source->lines[line + PART_HEADINGS] : NULL;
}

static void put(struct page *page, struct frame *frame, size_t at, size_t first, size_t n)
{
	static const enum frame_style styles[INK_KINDS] = {
		[INK_DIM] = STYLE_DIM,
		[INK_WARM] = STYLE_WARM,
		[INK_HOT] = STYLE_HOT,
		[INK_HEADING] = STYLE_HEADING,
	};
	struct source_page *source = (struct source_page *)page;

	lay_out(source, frame->width);
	for (size_t i = 0; i < PART_HEADINGS && i < source->n; i++)
		strbuf_puts(&frame_line(frame, at + i, STYLE_HEADING)->text, source->lines[i].text);
	for (size_t i = 0; i < n && line_at(page, first + i); i++) {
		const struct source_line *line = line_at(page, first + i);

		strbuf_puts(&frame_line(frame, at + PART_HEADINGS + i, styles[line->heat])->text, line->text);
	}
}

static int matches(struct page *page, size_t line, const char *text)
{
	return page_text_matches(line_at(page, line)->text, text);
}

/* What a line of a call calls; else whose source it is. */
static struct ui_function function(struct page *page, size_t line)
{
	const struct source_page *source = (const struct source_page *)page;
	const struct source_line *at = line_at(page, line);
	const struct profile *sites = &page->session->annotation.profiles[ANNOTATE_SITES];

	if (at && at->callee && at->callee->about < sites->names->keys.n)
		return (struct ui_function){ sites->names, at->callee->about };
	return source->function;
}

static int act(struct page *page, struct browser *browser, enum action action)
{
	const struct source_line *line = line_at(page, page->cursor);

	if (action == ACTION_SOURCE && !(line && line->callee)) {
		browser_say(browser, "This is its source; a on a line with -> shows that one's");
		return 1;
	}
	if (action != ACTION_ENTER && action != ACTION_RIGHT)
		return 0;
	if (line && line->callee)
		browser_show_callers(browser, function(page, page->cursor));
	return 1;
}

static void put_title(struct page *page, struct strbuf *title)
{
	strbuf_puts(title, "Source of ");
	strbuf_visible(title, ((struct source_page *)page)->name);
}

static void release(struct page *page)
{
	struct source_page *source = (struct source_page *)page;

	lines_release(source);
	free(source->lines);
	free(source->name);
}

static struct ui_function about(struct page *page)
{
	return ((struct source_page *)page)->function;
}

static const struct page_kind source_kind = {
	.name = "source",
	.hint = "Enter on ->: callers of it  Left back  a its source  c callers  / search  ? help",
	.n_headings = PART_HEADINGS,
	.put_title = put_title,
	.n_lines = n_lines,
	.put = put,
	.matches = matches,
	.function = function,
	.act = act,
	.remake = source_page,
	.about = about,
	.release = release,
};

struct page *source_page(struct ui_session *session, struct ui_function function_)
{
	const struct profile *functions = &session->annotation.profiles[ANNOTATE_FUNCTIONS];
	struct source_page *source;
	const struct row *row = NULL;
	uint32_t entity;

	ui_session_read_lines(session);
	entity = ui_function_in(functions->names, function_);
	for (size_t i = 0; i < functions->n_rows && entity != NAMES_NONE && !row; i++)
		if (functions->rows[i].entity == entity && functions->rows[i].name)
			row = &functions->rows[i];
	if (!row || !row->file || !row->line)
		return NULL;
	source = xcalloc(1, sizeof(*source));
	source->page.kind = &source_kind;
	source->page.session = session;
	source->part = annotate_function(&session->annotation, row, session->newer);
	source->function = (struct ui_function){ functions->names, entity };
	source->name = xstrdup(ui_function_name(function_));
	source->width = UINT32_MAX; /* not laid out yet */
	lay_out(source, 0);
	source->page.cursor = hottest(source);
	return &source->page;
}

struct page *source_page_at(struct ui_session *session, struct ui_function function_, uint32_t line)
{
	struct source_page *source = (struct source_page *)source_page(session, function_);

	for (size_t i = PART_HEADINGS; source && i < source->n; i++)
		if (source->lines[i].number == line)
			source->page.cursor = i - PART_HEADINGS;
	return source ? &source->page : NULL;
}
