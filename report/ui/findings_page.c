/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_page.c - what is wrong with the program, as cinstr summary says it: from each finding to
 * its place, and to what it means. */
#include <stdlib.h>
#include <string.h>

#include "browser.h"
#include "page.h"

#define EXPLAIN_WIDTH 80
#define NOTHING "Nothing was found: no rule applies."

struct findings_line {
	char *text;
	const struct finding *finding; /* NULL: the line is of none */
};

struct findings_page {
	struct page page;
	unsigned width;
	struct findings_line *lines;
	size_t n;
};

/* ---- lines ----------------------------------------------------------------------------------- */

static void lines_release(struct findings_page *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->lines[i].text);
	free(f->lines);
	f->lines = NULL;
	f->n = 0;
}

static void line_add(struct findings_page *f, const char *text, size_t n, const struct finding *finding)
{
	f->lines = xrealloc(f->lines, f->n + 1, sizeof(*f->lines));
	f->lines[f->n++] = (struct findings_line){ strndup(text, n), finding };
}

/* What `finding` is printed as. */
static void lines_add(struct findings_page *f, const struct finding *finding, size_t number)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	findings_print(out, finding, number, f->width, finding->session);
	fclose(out);
	for (const char *at = text; *at; at += *at == '\n') {
		line_add(f, at, strcspn(at, "\n"), finding);
		at += strcspn(at, "\n");
	}
	free(text);
}

static void lay_out(struct findings_page *f, unsigned width)
{
	const struct findings *findings = &f->page.session->findings;

	if (f->width == width)
		return;
	lines_release(f);
	f->width = width;
	for (size_t i = 0; i < findings->n; i++) {
		if (i)
			line_add(f, "", 0, &findings->list[i]);
		lines_add(f, &findings->list[i], i + 1);
	}
	if (!findings->n)
		line_add(f, NOTHING, strlen(NOTHING), NULL);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void wake(struct page *page)
{
	ui_session_read_findings(page->session);
	if (!((struct findings_page *)page)->n)
		lay_out((struct findings_page *)page, EXPLAIN_WIDTH);
}

static size_t n_lines(struct page *page)
{
	return ((struct findings_page *)page)->n;
}

static const struct finding *finding_at(struct page *page, size_t line)
{
	const struct findings_page *f = (const struct findings_page *)page;

	return line < f->n ? f->lines[line].finding : NULL;
}

static void put(struct page *page, struct frame *frame, size_t at, size_t first, size_t n)
{
	struct findings_page *f = (struct findings_page *)page;
	const char *of = f->page.session->findings.is_sampled ? "all samples" : "the run";

	lay_out(f, frame->width);
	strbuf_printf(&frame_line(frame, at, STYLE_HEADING)->text, "Findings: the time each is about, of %s",
		      of);
	for (size_t i = 0; i < n && first + i < f->n; i++)
		strbuf_puts(&frame_line(frame, at + 1 + i, STYLE_PLAIN)->text, f->lines[first + i].text);
}

static int matches(struct page *page, size_t line, const char *text)
{
	return page_text_matches(((struct findings_page *)page)->lines[line].text, text);
}

static struct ui_function function_of(const struct ui_session *session, uint32_t entity)
{
	return (struct ui_function){ entity == NAMES_NONE ? NULL : session->places.names, entity };
}

static struct ui_function function(struct page *page, size_t line)
{
	const struct finding *finding = finding_at(page, line);

	if (!finding)
		return (struct ui_function){ NULL, NAMES_NONE };
	return function_of(page->session, finding->look_at != NAMES_NONE ? finding->look_at : finding->about);
}

/* The line of the source that it is said of; if that is not known, the function's callers. */
static void go_to_place(struct page *page, struct browser *browser, const struct finding *finding)
{
	struct ui_session *session = page->session;
	struct page *place = NULL;

	if (finding->line && finding->about != NAMES_NONE)
		place = source_page_at(session, function_of(session, finding->about), finding->line);
	if (place)
		browser_push(browser, place);
	else if (function(page, page->cursor).names)
		browser_show_callers(browser, function(page, page->cursor));
	else
		browser_say(browser, "It is said of no single place: %s", finding->command);
}

static void explain(struct page *page, struct browser *browser, const struct finding *finding)
{
	unsigned width = browser->frame.width < EXPLAIN_WIDTH ? browser->frame.width : EXPLAIN_WIDTH;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	findings_explain_rule(out, finding->rule, width);
	fclose(out);
	browser_push(browser, text_page(page->session, finding->id, text));
	free(text);
}

static int act(struct page *page, struct browser *browser, enum action action)
{
	const struct finding *finding = finding_at(page, page->cursor);

	if (!finding || (action != ACTION_ENTER && action != ACTION_RIGHT && action != ACTION_EXPLAIN))
		return 0;
	if (action == ACTION_EXPLAIN)
		explain(page, browser, finding);
	else
		go_to_place(page, browser, finding);
	return 1;
}

static void put_title(struct page *page, struct strbuf *title)
{
	(void)page;
	(void)title;
}

static void release(struct page *page)
{
	lines_release((struct findings_page *)page);
}

static const struct page_kind findings_kind = {
	.name = "Findings",
	.hint = "Enter its place  e explain  c callers  a source  / search  Tab view  ? help",
	.n_headings = 1,
	.put_title = put_title,
	.wake = wake,
	.n_lines = n_lines,
	.put = put,
	.matches = matches,
	.function = function,
	.act = act,
	.release = release,
};

struct page *findings_page(struct ui_session *session)
{
	struct findings_page *f = xcalloc(1, sizeof(*f));

	f->page.kind = &findings_kind;
	f->page.session = session;
	return &f->page;
}
