/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "summary_page.h"

#include <stdlib.h>
#include <string.h>

#include "lib/ink.h"
#include "output/command_line.h"
#include "output/grid.h"
#include "rows/uncertainty.h"

void page_session(struct page *page)
{
	const char *source = page->s->view.source;

	if (output_session_word(source, page->screen) != source)
		output_say_session(page->out, source, page->screen);
}

void page_heading(struct page *page)
{
	output_heading(page->out, &page->s->view, WHOLE_NOT_SAID);
	page_session(page);
}

void page_findings(struct page *page, size_t max)
{
	const struct findings_look look = { max, page->width, page->screen, page->colour };

	findings_table(page->out, &page->s->findings, &look);
}

void page_end_line(struct page *page)
{
	struct strbuf *line = &page->line;

	while (line->length && line->text[line->length - 1] == ' ')
		line->text[--line->length] = '\0';
	fprintf(page->out, "%s\n", line->text);
	strbuf_clear(line);
}

void page_put_title(struct page *page, const char *title, size_t width)
{
	strbuf_puts(&page->line, ink(page->colour, INK_STRONG));
	output_fitted(&page->line, title, width, 0);
	strbuf_puts(&page->line, ink_end(page->colour, INK_STRONG));
}

void page_put_bar(struct strbuf *line, long double part, long double whole, size_t width)
{
	size_t n = whole > 0 ? util_rounded((long double)width * part / whole) : 0;

	n = n > width ? width : n;
	strbuf_fill(line, '#', n);
	strbuf_fill(line, ' ', width - n);
}

void page_put_percent(struct strbuf *line, long double part, long double whole)
{
	strbuf_printf(line, "%5.1Lf %%", whole > 0 ? 100 * part / whole : 0);
}

void page_put_time(struct strbuf *line, long double ns, size_t width)
{
	STRBUF(text);

	strbuf_duration(&text, ns);
	if (text.length < width)
		strbuf_fill(line, ' ', width - text.length);
	strbuf_puts(line, text.text);
}

void page_put_count(struct strbuf *line, long double n, size_t width)
{
	STRBUF(text);

	strbuf_thousands(&text, util_rounded(n));
	if (text.length < width)
		strbuf_fill(line, ' ', width - text.length);
	strbuf_puts(line, text.text);
}

void page_put_visible(struct page *page, const char *name, size_t width)
{
	FREED char *visible = util_visible(name);

	output_fitted(&page->line, visible, width, 0);
}

/* Prints text in lines of the page's width, `indent` columns in from the second line on; at most
 * max lines. */
void page_wrap(struct page *page, const char *text, size_t indent, size_t max)
{
	FREED char *copy = xstrdup(text);
	char *rest = copy;

	for (char *word = util_next_word(&rest); word; word = util_next_word(&rest)) {
		if (util_columns(page->line.text) + 1 + util_columns(word) > page->width &&
		    page->line.length > indent) {
			if (!--max)
				break;
			page_end_line(page);
			strbuf_fill(&page->line, ' ', indent);
		}
		if (page->line.length && page->line.text[page->line.length - 1] != ' ')
			strbuf_puts(&page->line, " ");
		strbuf_puts(&page->line, word);
	}
	page_end_line(page);
}

const char *page_level_name(const struct page *page, size_t i)
{
	return page->s->profiles[SUMMARY_PATHS].names->list[page->s->hot.list[i].entity].name;
}

static int is_better_mixed(const struct advices *advices)
{
	for (size_t i = 0; i < advices->n; i++)
		if (!strcmp(advices->list[i].id, ADVICE_MIXED))
			return 1;
	return 0;
}

/* Of a command that is too long for the line its first word. */
static void put_program(struct page *page, const char *command)
{
	size_t before = page->line.length;

	strbuf_visible(&page->line, command);
	if (util_columns(page->line.text) <= page->width)
		return;
	page->line.length = before + strcspn(page->line.text + before, " ");
	page->line.text[page->line.length] = 0;
	strbuf_puts(&page->line, " ...");
}

void page_rough(struct page *page)
{
	const struct totals *t = &page->s->view.profile->totals;
	long double least = uncertainty_lower_end_of_whole(t);
	STRBUF(text);

	strbuf_puts(&text, "The probes took most of the time. Without them the program computes ");
	if (least > 0) {
		strbuf_puts(&text, "between ");
		strbuf_duration(&text, least);
	}
	strbuf_puts(&text, least > 0 ? " and " : "at most ");
	strbuf_duration(&text, uncertainty_upper_end_of_whole(t));
	strbuf_puts(&text, ": times of functions that are short are not known. Calls are exact.");
	page_wrap(page, text.text, PAGE_GAP, SIZE_MAX);
	if (is_better_mixed(&page->s->advices)) {
		strbuf_puts(&page->line, "For better times: cinstr record -- ");
		put_program(page, t->title ? t->title : "PROGRAM");
		page_end_line(page);
	}
}
