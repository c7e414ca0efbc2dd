/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text_page.c - pages of text: the help, messages, explanations. */
#include <stdlib.h>
#include <string.h>

#include "page.h"

#define HELP_KEYS 14 /* columns */

struct text_page {
	struct page page;
	char *title, *text;
	unsigned width; /* that it is wrapped for */
	char **lines;
	size_t n;
};

/* ---- lines ----------------------------------------------------------------------------------- */

static void lines_release(struct text_page *text)
{
	for (size_t i = 0; i < text->n; i++)
		free(text->lines[i]);
	free(text->lines);
	text->lines = NULL;
	text->n = 0;
}

static void line_add(struct text_page *text, struct strbuf *line)
{
	text->lines = xrealloc(text->lines, text->n + 1, sizeof(*text->lines));
	text->lines[text->n++] = util_visible(line->text);
	strbuf_clear(line);
}

/* Columns that the lines below a line that is too long begin with: those of its words behind a gap,
 * else its own. */
static size_t hang_of(const char *line, const char *end)
{
	size_t own = strspn(line, " ");
	const char *gap = line + own;

	while (gap + 1 < end && !(gap[0] == ' ' && gap[1] == ' '))
		gap++;
	while (gap < end && *gap == ' ')
		gap++;
	return gap < end && (size_t)(gap - line) <= 24 ? (size_t)(gap - line) : own;
}

/* A line of the text, as several that fit. */
static void wrap(struct text_page *text, const char *from, const char *end, unsigned width)
{
	size_t hang = hang_of(from, end);
	STRBUF(line);

	strbuf_clear(&line);
	strbuf_fill(&line, ' ', strspn(from, " ") < (size_t)(end - from) ? strspn(from, " ") : 0);
	from += line.length;
	while (from < end) {
		const char *word = from;

		while (from < end && *from == ' ')
			from++;
		while (from < end && *from != ' ')
			from++;
		if (line.length > hang && util_columns(line.text) + (size_t)(from - word) > width) {
			line_add(text, &line);
			strbuf_fill(&line, ' ', hang);
			word += strspn(word, " ");
		}
		strbuf_add(&line, word, (size_t)(from - word));
	}
	line_add(text, &line);
}

static void lay_out(struct text_page *text, unsigned width)
{
	if (text->width == width)
		return;
	lines_release(text);
	text->width = width;
	for (const char *at = text->text; *at;) {
		const char *end = at + strcspn(at, "\n");

		wrap(text, at, end, width);
		at = *end ? end + 1 : end;
	}
}

/* ---- the page -------------------------------------------------------------------------------- */

static size_t n_lines(struct page *page)
{
	return ((struct text_page *)page)->n;
}

static void put(struct page *page, struct frame *frame, size_t at, size_t first, size_t n)
{
	struct text_page *text = (struct text_page *)page;

	lay_out(text, frame->width);
	for (size_t i = 0; i < n && first + i < text->n; i++) {
		const char *line = text->lines[first + i];
		int is_heading = *line && *line != ' ' && !strstr(line, "  ") && strlen(line) < 24;

		strbuf_puts(&frame_line(frame, at + i, is_heading ? STYLE_HEADING : STYLE_PLAIN)->text, line);
	}
}

static int matches(struct page *page, size_t line, const char *wanted)
{
	const struct text_page *text = (const struct text_page *)page;

	return line < text->n && page_text_matches(text->lines[line], wanted);
}

static void put_title(struct page *page, struct strbuf *title)
{
	strbuf_puts(title, ((struct text_page *)page)->title);
}

static void release(struct page *page)
{
	struct text_page *text = (struct text_page *)page;

	lines_release(text);
	free(text->title);
	free(text->text);
}

static const struct page_kind text_kind = {
	.name = "text",
	.hint = "Left, q back  / search  j k g G move",
	.put_title = put_title,
	.n_lines = n_lines,
	.put = put,
	.matches = matches,
	.release = release,
};

struct page *text_page(struct ui_session *session, const char *title, const char *text)
{
	struct text_page *page = xcalloc(1, sizeof(*page));

	page->page.kind = &text_kind;
	page->page.session = session;
	page->title = xstrdup(title);
	page->text = xstrdup(text);
	lay_out(page, 80);
	return &page->page;
}

struct page *help_page(struct ui_session *session)
{
	STRBUF(text);

	strbuf_clear(&text);
	for (size_t i = 0; i < n_key_bindings; i++) {
		const struct key_binding *key = &key_bindings[i];

		if (!key->shown)
			strbuf_printf(&text, "%s%s\n", i ? "\n" : "", key->does);
		else
			strbuf_printf(&text, "  %-*s%s\n", HELP_KEYS, key->shown, key->does);
	}
	strbuf_puts(
		&text,
		"\nMarks\n"
		"  ~             rough: uncertain by more than half\n"
		"  \xe2\x89\x88             an estimate by samples (= where the locale has no such sign)\n"
		"  <=, >=        at most, at least this: more is not known\n"
		"  +             after Avg: some calls had not returned\n"
		"  *             after Calls: timed during a part of the run only\n"
		"  #             in the tree: the hot path\n"
		"\nThe columns are those of cinstr report, tree, callers and annotate: see their "
		"manual pages.\n");
	return text_page(session, "Help", text.text);
}
