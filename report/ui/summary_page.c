/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary_page.c - the first page, the content of cinstr summary: leads from each finding to its
 * place and its explanation. */
#include <stdlib.h>
#include <string.h>

#include "browser.h"
#include "page.h"

#define EXPLAIN_WIDTH 80
#define NOTHING "No rule applies: what takes the time is listed below."

struct summary_line {
	char *text;
	const struct finding *finding; /* NULL: the line is of none */
	int is_title;
};

struct summary_page {
	struct page page;
	unsigned width;
	struct summary_line *lines;
	size_t n;
};

/* ---- lines ----------------------------------------------------------------------------------- */

static void lines_release(struct summary_page *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->lines[i].text);
	free(f->lines);
	f->lines = NULL;
	f->n = 0;
}

/* A line behind an empty one, or the first, is a title; not one of a finding. */
static void line_add(struct summary_page *f, const char *text, size_t n, const struct finding *finding)
{
	int is_title = n && *text != ' ' && !finding && (!f->n || !*f->lines[f->n - 1].text);

	f->lines = xrealloc(f->lines, f->n + 1, sizeof(*f->lines));
	f->lines[f->n++] = (struct summary_line){ strndup(text, n), finding, is_title };
}

static void lines_add(struct summary_page *f, const char *text, const struct finding *finding)
{
	for (const char *at = text; at && *at; at += *at == '\n') {
		line_add(f, at, strcspn(at, "\n"), finding);
		at += strcspn(at, "\n");
	}
}

/* What `finding` is printed as. */
static void finding_add(struct summary_page *f, const struct finding *finding, size_t number)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	findings_print(out, finding, number, f->width, finding->session);
	fclose(out);
	lines_add(f, text, finding);
	free(text);
}

/* What the summary has before its findings, or behind them. */
static void part_add(struct summary_page *f,
		     void (*put)(FILE *out, const struct summary *summary, size_t width))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	put(out, &f->page.session->summary, f->width);
	fclose(out);
	lines_add(f, text, NULL);
	free(text);
}

/* "cinstr.data: ./app" */
static void put_program(struct strbuf *line, const struct ui_session *session)
{
	const char *title = session->functions->totals.title;

	strbuf_visible(line, session->view->source);
	if (title) {
		strbuf_puts(line, ": ");
		strbuf_visible(line, title);
	}
}

static void lay_out(struct summary_page *f, unsigned width)
{
	const struct findings *findings = &f->page.session->summary.findings;
	STRBUF(title);

	if (f->width == width)
		return;
	lines_release(f);
	f->width = width;
	put_program(&title, f->page.session);
	line_add(f, title.text, title.length, NULL);
	part_add(f, summary_put_time);
	line_add(f, "", 0, NULL);
	strbuf_clear(&title);
	strbuf_printf(&title, "Findings: the time each is about, of %s",
		      findings->is_sampled ? "all samples" : "the run");
	line_add(f, title.text, title.length, NULL);
	for (size_t i = 0; i < findings->n; i++)
		finding_add(f, &findings->list[i], i + 1);
	if (!findings->n)
		line_add(f, NOTHING, strlen(NOTHING), NULL);
	part_add(f, summary_put_rest);
}

/* On the first finding, from the beginning. */
static void begin(struct summary_page *f)
{
	for (size_t i = 0; i < f->n && !f->page.cursor; i++)
		if (f->lines[i].finding)
			f->page.cursor = i;
}

/* ---- the page -------------------------------------------------------------------------------- */

static void wake(struct page *page)
{
	struct summary_page *f = (struct summary_page *)page;

	if (ui_session_read_summary(page->session) || f->n)
		return;
	lay_out(f, EXPLAIN_WIDTH);
	begin(f);
}

static size_t n_lines(struct page *page)
{
	return ((struct summary_page *)page)->n;
}

static const struct finding *finding_at(struct page *page, size_t line)
{
	const struct summary_page *f = (const struct summary_page *)page;

	return line < f->n ? f->lines[line].finding : NULL;
}

static void put_line(struct frame_line *to, const struct summary_line *line)
{
	strbuf_puts(&to->text, line->text);
	to->mark_n = line->is_title ? strcspn(line->text, ":") : 0;
	to->mark_style = STYLE_BOLD;
}

static void put(struct page *page, struct frame *frame, size_t at, size_t first, size_t n)
{
	struct summary_page *f = (struct summary_page *)page;

	if (page->session->has_summary)
		lay_out(f, frame->width);
	for (size_t i = 0; i < n && first + i < f->n; i++)
		put_line(frame_line(frame, at + i, STYLE_PLAIN), &f->lines[first + i]);
}

static int matches(struct page *page, size_t line, const char *text)
{
	return page_text_matches(((struct summary_page *)page)->lines[line].text, text);
}

static struct ui_function function_of(const struct ui_session *session, uint32_t entity)
{
	return (struct ui_function){ entity == NAMES_NONE ? NULL
							  : session->summary.profiles[SUMMARY_EDGES].names,
				     entity };
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
	lines_release((struct summary_page *)page);
}

static const struct page_kind summary_kind = {
	.name = "Summary",
	.hint = "Enter its place  e explain  c callers  a source  / search  Tab view  ? help",
	.put_title = put_title,
	.wake = wake,
	.n_lines = n_lines,
	.put = put,
	.matches = matches,
	.function = function,
	.act = act,
	.release = release,
};

struct page *summary_page(struct ui_session *session)
{
	struct summary_page *f = xcalloc(1, sizeof(*f));

	f->page.kind = &summary_kind;
	f->page.session = session;
	return &f->page;
}
