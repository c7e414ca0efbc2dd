/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary_page.h - parts of the pages of a summary for people: lines of text. */
#ifndef REPORT_SUMMARY_PAGE_H
#define REPORT_SUMMARY_PAGE_H

#include "summary.h"

#define PAGE_WIDTH 100 /* without a terminal */
#define PAGE_GAP 2
#define PAGE_BAR 8

struct page {
	const struct summary *s;
	FILE *out;
	size_t width;
	size_t screen; /* width of the terminal; 0: none */
	int colour, is_terminal;
	int has_upper_ends; /* `<= x` was printed */
	int has_critical;   /* the critical path was printed: other lists are shorter */
	struct strbuf line;
};

/* Prints what was recorded, and the line that sets the session's variable if commands use one. */
void page_heading(struct page *page);
void page_session(struct page *page); /* the latter only */
void page_findings(struct page *page, size_t max);
/* Prints the line without the spaces at its end, and clears it. */
void page_end_line(struct page *page);
void page_put_title(struct page *page, const char *title, size_t width);
void page_put_bar(struct strbuf *line, long double part, long double whole, size_t width);
void page_put_percent(struct strbuf *line, long double part, long double whole);
void page_put_time(struct strbuf *line, long double ns, size_t width);
void page_put_count(struct strbuf *line, long double n, size_t width);
void page_put_visible(struct page *page, const char *name, size_t width);
/* Prints text wrapped to the page's width, with `indent` columns from the second line on, in at
 * most `max` lines. */
void page_wrap(struct page *page, const char *text, size_t indent, size_t max);
/* Returns the name of level i of the hot path. */
const char *page_level_name(const struct page *page, size_t i);

/* Parts of both pages: what is known if most of the time is the probes'; what the samples are; the
 * threads or processes with most time; functions to instrument next. */
void page_rough(struct page *page);
void page_samples(struct page *page);
void page_lives(struct page *page, int list, size_t max);
void page_suggestions(struct page *page);

/* summary_brief.c: prints the default page. */
void summary_brief(struct page *page);

/* summary_path.c: the three functions that have most of the critical path, unless that is but the
 * first thread's computing. */
void page_critical_path(struct page *page);

#endif
